package sqldb

import (
	"fmt"
	"strings"

	"example.com/deputy/query"
)

var _ dialect = (*sqlite)(nil)

func (db *sqlite) mark(n int) string { return fmt.Sprintf("?%d", n) }

func (db *sqlite) constant(c *compiler, v query.Value, _ query.Type) string {
	if v == nil {
		return "NULL"
	}
	return c.bind(encode(v))
}

func (db *sqlite) table(t *table) string { return quote(t.name) }

// output reads a plain field as it is kept.
func (db *sqlite) output(c *compiler, p part) output {
	if p.col != nil {
		return output{text: "+" + p.raw, read: p.col.value}
	}
	return output{text: c.sql(p), read: func(raw any) query.Value { return decode(raw, p.t) }}
}

// lock is not needed: there is one writer at a time.
func (db *sqlite) lock() string { return "" }

// asKept says which storage class a column's values have when they are values of its type at all, so that they can be compared as they are
// kept; empty where they have to be read.
func asKept(col *column) string {
	switch {
	case col.field.Type == query.Int && col.kind == intStorage:
		return "integer"
	case col.field.Type == query.String && col.kind == textStorage && !col.field.Secret:
		return "text"
	}
	return ""
}

func (db *sqlite) field(_ *compiler, ref string, col *column) string {
	class := asKept(col)
	switch {
	case class == "":
		return fmt.Sprintf("deputy_value(%d, %s)", col.number, ref)
	case col.exact:
		return ref
	}
	return "CASE typeof(" + ref + ") WHEN '" + class + "' THEN " + ref + " END"
}

func (db *sqlite) version(ref string, col *column) output {
	return output{text: "+" + ref, read: col.version}
}

func (db *sqlite) unchanged(c *compiler, ref string, col *column, seen query.Value) string {
	return fmt.Sprintf("(deputy_version(%d, %s) IS %s)", col.number, ref, db.constant(c, seen, col.field.Type))
}

func (db *sqlite) missing(p part) string {
	switch {
	case p.lit != nil:
		return map[bool]string{true: "1", false: "0"}[p.lit.V == nil]
	case p.col != nil && p.ref != "" && p.col.field.Secret: // there is a value, whatever it is
		return "(" + p.ref + " IS NULL)"
	}
	return "((" + p.text + ") IS NULL)"
}

// plain says whether values of a type have one form each, whose order is that of the values.
func plain(t query.Type) bool {
	switch t {
	case query.Int, query.Bool, query.String, query.Date, query.Timestamp:
		return true
	}
	return false
}

func (db *sqlite) compare(c *compiler, fn string, a, b part) string {
	if a.t != b.t || !plain(a.t) {
		return db.function(c, query.Op{Fn: fn, T: query.Bool}, []part{a, b})
	}
	operator := fn
	if fn == "==" {
		operator = "="
	}
	left, guardA := db.side(c, a)
	right, guardB := db.side(c, b)
	guards := guardA + guardB
	switch {
	case fn == "==" && guardA != "" && guardB != "":
		guards = guardA
	case fn == "==": // what equals a value of the type is one
		guards = ""
	}
	if a.t == query.String {
		right += " COLLATE BINARY"
	}
	return "(" + left + " " + operator + " " + right + guards + ")"
}

// side is one side of a comparison as it is kept, so that an index serves, and the condition that it is a value of its type.
func (db *sqlite) side(c *compiler, p part) (text, guard string) {
	if p.ref == "" {
		return c.sql(p), ""
	}
	class := asKept(p.col)
	switch {
	case class == "":
		return p.text, ""
	case p.col.exact:
		return p.ref, ""
	}
	return p.ref, " AND typeof(" + p.ref + ") = '" + class + "'"
}

func (db *sqlite) among(c *compiler, a part, items []part) string {
	native := plain(a.t)
	constants := true
	for _, item := range items {
		native = native && item.t == a.t && item.lit != nil
		constants = constants && item.lit != nil
	}
	switch {
	case native:
		left, _ := db.side(c, a)
		if a.t == query.String {
			left += " COLLATE BINARY"
		}
		var list []string
		for _, item := range items {
			list = append(list, c.sql(item))
		}
		return "(" + left + " IN (" + strings.Join(list, ", ") + "))"
	case constants:
		var list []query.Value
		for _, item := range items {
			list = append(list, item.lit.V)
		}
		return db.function(c, query.Op{Fn: "in", T: query.Bool}, []part{a, {t: query.List, lit: &query.Lit{V: list, T: query.List}}})
	}
	var any []string
	for _, item := range items {
		any = append(any, db.compare(c, "==", a, item))
	}
	return "(" + strings.Join(any, " OR ") + ")"
}

// operand is how a text is computed: by a call, of what is passed to it.
type operand struct {
	argument argument
	passed   []string
	only     string // the condition under which an aggregate takes it; empty: none
}

// mostPassed is how much is passed to one call.
const mostPassed = 60

// argument is how an operator reads a part: a constant stays in Go, a field is passed as it is kept, and what is computed in Go is computed there at
// once.
func (db *sqlite) argument(c *compiler, p part) operand {
	if p.lit != nil {
		return operand{argument: argument{constant: true, value: p.lit.V}}
	}
	if in, ok := c.within[p.text]; ok {
		return in
	}
	if p.col != nil && !p.col.field.Secret {
		return operand{argument: argument{col: p.col, t: p.t}, passed: []string{p.raw}}
	}
	return operand{argument: argument{t: p.t}, passed: []string{p.text}}
}

// function calls deputy_op.
func (db *sqlite) function(c *compiler, x query.Op, args []part) string {
	call := &call{fn: x.Fn, zone: x.Zone, t: x.T}
	var passed []string
	for _, p := range args {
		in := db.argument(c, p)
		if len(passed)+len(in.passed) > mostPassed {
			in = operand{argument: argument{t: p.t}, passed: []string{c.sql(p)}}
		}
		call.args = append(call.args, in.argument)
		passed = append(passed, in.passed...)
	}
	call.quicken()
	text := "deputy_op(" + strings.Join(append([]string{db.number(c, call)}, passed...), ", ") + ")"
	if len(passed) < mostPassed {
		c.note(text, operand{argument: argument{call: call, t: x.T}, passed: passed})
	}
	return text
}

func (c *compiler) note(text string, in operand) {
	if c.within == nil {
		c.within = map[string]operand{}
	}
	c.within[text] = in
}

func (db *sqlite) number(c *compiler, call *call) string {
	n := db.remember(call)
	c.calls = append(c.calls, n)
	return c.bind(n)
}

func (db *sqlite) path(c *compiler, doc string, x query.Ref) string {
	call := &call{path: x.Path, t: x.As, args: []argument{{t: query.JSON}}}
	return "deputy_op(" + db.number(c, call) + ", " + doc + ")"
}

func (db *sqlite) over(c *compiler, fn string, body part, as query.Type, _ *scope, from string) string {
	return c.named(body, from, func(v string) string { return db.fold(c, fn, v, body.t, as) })
}

// carry passes to an exact aggregate what the value is made of.
func (db *sqlite) carry(c *compiler, fn string, p part, text, name string) []string {
	plainly := []string{text + " AS " + name}
	switch fn {
	case "sum", "avg":
	case "min", "max":
		if p.t != query.Dec {
			return plainly
		}
	default:
		return plainly
	}
	in := db.argument(c, p)
	if len(in.passed) == 0 {
		return plainly
	}
	var columns []string
	only, passed := "", make([]string, len(in.passed))
	if p.only != "" && p.raw == in.passed[0] {
		in.passed, only = []string{p.then}, " FILTER (WHERE r."+name+"_if)"
		columns = append(columns, p.only+" AS "+name+"_if")
	}
	for i, text := range in.passed {
		columns = append(columns, fmt.Sprintf("%s AS %s_%d", text, name, i))
		passed[i] = fmt.Sprintf("r.%s_%d", name, i)
	}
	c.note("r."+name, operand{argument: in.argument, passed: passed, only: only})
	return columns
}

func (db *sqlite) fold(c *compiler, fn, value string, of, as query.Type) string {
	if fn == "min" || fn == "max" {
		switch {
		case plain(of):
			return db.widen(fn+"("+value+")", of, as)
		case of != query.Dec:
			return "NULL"
		}
	}
	in, ok := c.within[value]
	if !ok {
		in = operand{argument: argument{t: of}, passed: []string{value}}
	}
	return "deputy_fold(" + db.number(c, &call{fn: fn, t: as, args: []argument{in.argument}}) + ", " + strings.Join(in.passed, ", ") + ")" + in.only
}

func (db *sqlite) distinct(value string, t query.Type) string {
	if t == query.Dec || t == query.JSON {
		return "deputy_same(" + value + ", '" + string(t) + "')"
	}
	return value
}

func (db *sqlite) widen(text string, from, to query.Type) string {
	if from == query.Int && to == query.Dec {
		return "CAST(" + text + " AS TEXT)"
	}
	return text
}

func (db *sqlite) sort(text string, t query.Type, desc, nullable bool) string {
	switch {
	case t == query.Dec:
		text += " COLLATE deputy_decimal"
	case t == query.String:
		text += " COLLATE BINARY"
	case !plain(t): // nothing orders these but whether they are there
		return "(" + text + " IS NULL)"
	}
	if desc {
		text += " DESC"
	}
	if nullable {
		text += " NULLS LAST"
	}
	return text
}

// page has the whole window found before the first row is given: SQLite can be interrupted only until then. What is materialized is read
// in the order in which it was found.
func (db *sqlite) page(text, limit, offset string, order []string) string {
	if len(order) > 0 {
		text += " ORDER BY " + strings.Join(order, ", ")
	}
	return "WITH page AS MATERIALIZED (" + text + " LIMIT " + limit + " OFFSET " + offset + ") SELECT * FROM page"
}
