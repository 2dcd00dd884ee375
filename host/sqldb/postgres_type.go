package sqldb

import (
	"math"
	"strconv"

	"example.com/deputy/query"
)

// pgType is a type of the server; a domain leads to what it is made of.
type pgType struct {
	name    string // without its schema
	kind    string // b base, d domain, e enum, c composite, r range, m multirange, p pseudo
	base    uint32 // of a domain
	element uint32 // of an array
	mod     int    // of a domain's base
	notNull bool
	def     string
	values  []string // of an enum, or of a domain's check
}

// pgTypes are all types of a database, by their number.
type pgTypes map[uint32]*pgType

// base follows domains to the type beneath, gathering what each of them says of its values.
func (ts pgTypes) base(id uint32, mod int) (t pgType, modifier int) {
	var out pgType
	for range 32 {
		next, ok := ts[id]
		if !ok {
			return out, mod
		}
		out.notNull = out.notNull || next.notNull
		if out.def == "" {
			out.def = next.def
		}
		if out.values == nil {
			out.values = next.values
		}
		if next.kind != "d" {
			found := *next
			found.notNull, found.def, found.values = out.notNull, out.def, out.values
			return found, mod
		}
		if id = next.base; mod < 0 {
			mod = next.mod
		}
	}
	return out, mod
}

// describe fills in what a column's type says.
func (ts pgTypes) describe(col *column, id uint32, mod int) pgType {
	t, mod := ts.base(id, mod)
	f := &col.field
	col.native, f.Scale, f.Values = t.name, -1, t.values
	if t.element != 0 && t.kind == "b" && t.name[0] == '_' {
		f.Type = query.List
		return t
	}
	f.Type = query.String
	switch t.name {
	case "int2", "int4", "int8":
		f.Type = query.Int
		f.Min, f.Max = wholeRange(8*int(t.name[3]-'0'), false)
	case "numeric":
		f.Type = query.Dec
		if mod >= 4 {
			col.digits, f.Scale = (mod-4)>>16, scaleOf(mod)
			if (mod-4)&1024 == 0 { // else it rounds to tens
				f.Min, f.Max = decimalRange(col.digits, f.Scale)
			}
		}
	case "float4", "float8":
		f.Type = query.Dec
	case "money":
		f.Type, f.Scale = query.Dec, 2
	case "bool":
		f.Type = query.Bool
	case "date":
		f.Type = query.Date
	case "timestamp", "timestamptz":
		f.Type = query.Timestamp
	case "json", "jsonb":
		f.Type = query.JSON
	case "varchar", "bpchar":
		f.Length = max(mod-4, 0)
	case "bytea":
		f.Secret, f.ReadOnly = true, true
	}
	return t
}

// scaleOf reads the scale out of the modifier of a numeric; one below zero rounds to tens, and is none after the point.
func scaleOf(mod int) int {
	return max(((mod-4)&0x7ff^1024)-1024, 0)
}

// nearestFloat is what a column of floats keeps of a number, as it is read again.
func nearestFloat(text string, bits int) query.Value {
	f, err := strconv.ParseFloat(text, bits)
	if err != nil || math.IsInf(f, 0) {
		return nil
	}
	return query.Decimal(strconv.FormatFloat(f, 'f', -1, bits))
}
