package query

import (
	"encoding/json"
	"strconv"
	"time"
)

// Heading is a column of a result as everybody sees it: the model, the API, an export.
type Heading struct {
	Name  string `json:"name"`
	Label string `json:"label,omitempty"`
	Type  Type   `json:"type"`
}

// Headings describes columns.
func Headings(cs []Column) []Heading {
	out := make([]Heading, len(cs))
	for i, c := range cs {
		out[i] = Heading{Name: c.As, Label: c.Label, Type: Null}
		if c.Expr != nil {
			out[i].Type = c.Expr.Type()
		}
	}
	return out
}

// maxExact is the largest integer that every JSON reader keeps.
const maxExact = 1 << 53

// Cell is a value in the one form that results have: decimals and integers beyond 2^53 as texts, timestamps in RFC 3339 with the offset
// of the zone (nil: UTC), dates in ISO 8601, JSON as it is.
func Cell(v Value, zone *time.Location) any {
	switch x := v.(type) {
	case int64:
		if x > maxExact || x < -maxExact {
			return strconv.FormatInt(x, 10)
		}
		return x
	case time.Time:
		if zone == nil {
			zone = time.UTC
		}
		return x.In(zone).Format(time.RFC3339Nano)
	case Decimal:
		return string(x)
	case Day:
		return string(x)
	case Doc:
		if json.Valid([]byte(x)) {
			return json.RawMessage(x)
		}
		return string(x)
	case []Value:
		out := make([]any, len(x))
		for i := range x {
			out[i] = Cell(x[i], zone)
		}
		return out
	}
	return v
}

// Cells is a row of cells.
func Cells(row []Value, zone *time.Location) []any {
	out := make([]any, len(row))
	for i, v := range row {
		out[i] = Cell(v, zone)
	}
	return out
}
