package query

// Type is the type of an expression or field.
type Type string

// The types. Any is what only a JSON path has before its neighbour says how to read it; Null is the literal's.
const (
	Any       Type = "any"
	Null      Type = "null"
	Bool      Type = "bool"
	Int       Type = "int"     // 64 bits
	Dec       Type = "decimal" // exact
	String    Type = "string"
	Date      Type = "date"
	Timestamp Type = "timestamp"
	List      Type = "list"
	JSON      Type = "json"
)

// Value is nil (NULL), bool, int64, Decimal, string, Day, time.Time (UTC), []Value or Doc. Never a float.
type Value any

// Decimal is an exact decimal in plain notation: an optional minus, digits, optionally a point and digits; no exponent. Trailing
// zeros are kept as the host has them (100.10) and mean nothing.
type Decimal string

// Day is a date, ISO 8601 (2026-01-31).
type Day string

// Doc is a JSON value as text.
type Doc string
