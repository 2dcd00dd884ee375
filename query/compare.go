package query

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"example.com/deputy/internal/decimal"
)

// Truth says whether a value counts as true: only true itself does.
func Truth(v Value) bool {
	b, _ := v.(bool)
	return b
}

// Compare orders two values: numbers by value whatever their type, text and dates by their bytes, timestamps by the instant, false before
// true. ok is false where either is NULL and where they are not of one kind: then neither is less.
func Compare(a, b Value) (c int, ok bool) {
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		return strings.Compare(x, y), ok
	case Day:
		y, ok := b.(Day)
		return strings.Compare(string(x), string(y)), ok
	case time.Time:
		y, ok := b.(time.Time)
		return x.Compare(y), ok
	case bool:
		y, ok := b.(bool)
		return boolRank(x) - boolRank(y), ok
	case int64:
		if y, ok := b.(int64); ok {
			return cmp.Compare(x, y), true
		}
	}
	x, okX := number(a)
	y, okY := number(b)
	if !okX || !okY {
		return 0, false
	}
	return decimal.Cmp(x, y), true
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// number reads a value as a number; NULL and what is no number are not ok.
func number(v Value) (decimal.D, bool) {
	switch x := v.(type) {
	case int64:
		return decimal.FromInt(x), true
	case Decimal:
		return decimal.Parse(string(x))
	}
	return decimal.D{}, false
}

// Same says whether two values are the same. Unlike the == of the language it takes NULL for the same as NULL, and it looks into lists and
// JSON.
func Same(a, b Value) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case Doc:
		y, ok := b.(Doc)
		return ok && compact(x) == compact(y)
	case []Value:
		y, ok := b.([]Value)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !Same(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	c, ok := Compare(a, b)
	return ok && c == 0
}

// compact takes the white space out of JSON; what is no JSON stays as it is.
func compact(d Doc) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(d)) != nil {
		return string(d)
	}
	return b.String()
}
