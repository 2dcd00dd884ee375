package query

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/deputy/internal/decimal"
)

// Compute is the meaning of every Op on values; ops.go lists them. Hosts that have no native form of an operator call it. It is total: what
// cannot be computed (NULL, overflow, a value of another type, an unknown name, missing arguments) is NULL, or false where a condition is
// wanted. zone is Op.Zone; nil is UTC.
//
// What needs more than values: == and != against the literal null ask whether the other side is NULL (here NULL equals nothing), and &&, ||,
// ?: and coalesce need not compute all their arguments, though computing them does no harm.
func Compute(fn string, zone *time.Location, args ...Value) Value {
	if zone == nil {
		zone = time.UTC
	}
	if fn == "list" {
		return append([]Value{}, args...)
	}
	if fn == "coalesce" {
		return coalesce(args)
	}
	a := [3]Value{}
	copy(a[:], args)
	if v, ok := computeCondition(fn, a); ok {
		return v
	}
	if v, ok := computeNumber(fn, a); ok {
		return v
	}
	if v, ok := computeText(fn, a, len(args)); ok {
		return v
	}
	return computeTime(fn, zone, a)
}

func coalesce(args []Value) Value {
	for _, v := range args {
		if v != nil {
			return v
		}
	}
	return nil
}

func computeCondition(fn string, a [3]Value) (v Value, ok bool) {
	switch fn {
	case "!":
		return !Truth(a[0]), true
	case "&&":
		return Truth(a[0]) && Truth(a[1]), true
	case "||":
		return Truth(a[0]) || Truth(a[1]), true
	case "?:":
		if Truth(a[0]) {
			return a[1], true
		}
		return a[2], true
	case "==", "!=", "<", "<=", ">", ">=":
		return compares(fn, a[0], a[1]), true
	case "in":
		return among(a[0], a[1]), true
	}
	return nil, false
}

// compares is false with NULL, but for !=, which is exactly not ==.
func compares(fn string, a, b Value) bool {
	c, ok := Compare(a, b)
	switch fn {
	case "==":
		return ok && c == 0
	case "!=":
		return !ok || c != 0
	case "<":
		return ok && c < 0
	case "<=":
		return ok && c <= 0
	case ">":
		return ok && c > 0
	}
	return ok && c >= 0
}

func among(v, list Value) bool {
	items, _ := list.([]Value)
	for _, item := range items {
		if c, ok := Compare(v, item); ok && c == 0 {
			return true
		}
	}
	return false
}

func computeNumber(fn string, a [3]Value) (v Value, ok bool) {
	switch fn {
	case "+":
		if x, isText := a[0].(string); isText {
			return joined(x, a[1]), true
		}
		return arithmetic(fn, a[0], a[1]), true
	case "-", "*", "/", "%":
		return arithmetic(fn, a[0], a[1]), true
	case "neg":
		return arithmetic("-", int64(0), a[0]), true
	case "abs":
		if d, ok := number(a[0]); ok && d.Sign() >= 0 {
			return a[0], true
		}
		return arithmetic("-", int64(0), a[0]), true
	case "round":
		return rounded(a[0], a[1]), true
	case "number":
		return toNumber(a[0]), true
	}
	return nil, false
}

func joined(x string, b Value) Value {
	if y, ok := b.(string); ok {
		return x + y
	}
	return nil
}

// arithmetic is of 64-bit integers where both are, but for /, which is decimal.
func arithmetic(fn string, a, b Value) Value {
	x, okX := number(a)
	y, okY := number(b)
	if !okX || !okY {
		return nil
	}
	d, ok := calculate(fn, x, y)
	if !ok {
		return nil
	}
	_, intA := a.(int64)
	_, intB := b.(int64)
	if intA && intB && fn != "/" {
		return whole(d)
	}
	return limited(d)
}

func calculate(fn string, x, y decimal.D) (d decimal.D, ok bool) {
	switch fn {
	case "+":
		return decimal.Add(x, y), true
	case "-":
		return decimal.Sub(x, y), true
	case "*":
		return decimal.Mul(x, y), true
	case "%":
		return decimal.Rem(x, y)
	}
	d, ok = decimal.Quo(x, y, quotientPlaces)
	return d.Trim(), ok
}

// quotientPlaces is how many digits after the point a division keeps.
const quotientPlaces = 16

func whole(d decimal.D) Value {
	if n, ok := d.Int64(); ok {
		return n
	}
	return nil
}

func limited(d decimal.D) Value {
	d, ok := d.Limit()
	if !ok {
		return nil
	}
	return Decimal(d.String())
}

// rounded rounds half away from zero; without a second argument, to a whole number. Computing on values cannot tell a missing argument from
// NULL, so a check always writes both.
func rounded(v, places Value) Value {
	n, ok := places.(int64)
	if !ok || n < 0 || n > 20 {
		return nil
	}
	if i, ok := v.(int64); ok {
		return i
	}
	d, ok := number(v)
	if !ok {
		return nil
	}
	return limited(d.Round(int(n)))
}

// toNumber reads a text: spaces around, a sign, digits, a point; no exponent.
func toNumber(v Value) Value {
	text, ok := v.(string)
	if !ok {
		d, ok := number(v)
		if !ok {
			return nil
		}
		return limited(d)
	}
	text = strings.TrimSpace(text)
	sign := ""
	if strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") {
		sign, text = strings.TrimPrefix(text[:1], "+"), text[1:]
	}
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	} else {
		text = strings.TrimSuffix(text, ".")
	}
	if d, ok := decimal.Parse(sign + text); ok && !strings.HasPrefix(text, "-") {
		return limited(d)
	}
	return nil
}

func computeText(fn string, a [3]Value, args int) (v Value, ok bool) {
	x, isText := a[0].(string)
	switch fn {
	case "contains", "startsWith", "endsWith":
		y, ok := a[1].(string)
		return isText && ok && finds(fn, strings.ToLower(x), strings.ToLower(y)), true
	case "blank":
		return a[0] == nil || isText && strings.TrimFunc(x, unicode.IsSpace) == "", true
	case "lower", "length", "substring":
		if !isText {
			return nil, true
		}
		return textOf(fn, x, a, args), true
	}
	return nil, false
}

func finds(fn, x, y string) bool {
	switch fn {
	case "startsWith":
		return strings.HasPrefix(x, y)
	case "endsWith":
		return strings.HasSuffix(x, y)
	}
	return strings.Contains(x, y)
}

func textOf(fn, x string, a [3]Value, args int) Value {
	switch fn {
	case "lower":
		return strings.ToLower(x)
	case "length":
		return int64(utf8.RuneCountInString(x))
	}
	return substring(x, a, args)
}

// substring counts characters from 1. Beyond the end is the empty text.
func substring(x string, a [3]Value, args int) Value {
	start, okStart := a[1].(int64)
	length, okLength := a[2].(int64)
	if args < 3 {
		length, okLength = int64(len(x)), true
	}
	if !okStart || !okLength || start < 1 || length < 0 {
		return nil
	}
	rs := []rune(x)
	from := min(start-1, int64(len(rs)))
	return string(rs[from : from+min(length, int64(len(rs))-from)])
}
