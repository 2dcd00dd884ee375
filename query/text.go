package query

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/deputy/internal/decimal"
)

// ParseValue reads the exact text of a value: no spaces, no signs but a minus, no leading zeros, dates as 2026-01-31, timestamps as RFC 3339
// with a zone and at most microseconds, lists as JSON arrays. It is the inverse of FormatValue. The error says what form is wanted.
func ParseValue(t Type, text string) (Value, error) {
	switch t {
	case String:
		if !utf8.ValidString(text) {
			return nil, errors.New("the text is not valid UTF-8")
		}
		return text, nil
	case Bool:
		if text != "true" && text != "false" {
			return nil, fmt.Errorf("%s is neither true nor false", quote(text))
		}
		return text == "true", nil
	case Int:
		return parseInt(text)
	case Dec:
		return parseDecimal(text)
	case Date:
		return parseDay(text)
	case Timestamp:
		return parseTimestamp(text)
	case JSON:
		if !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("%s is not JSON", quote(text))
		}
		return Doc(text), nil
	case List:
		return parseList(text)
	}
	return nil, fmt.Errorf("a value of type %s cannot be given as text", t)
}

var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

func parseInt(text string) (Value, error) {
	if !plainNumber.MatchString(text) || strings.Contains(text, ".") || text == "-0" {
		return nil, fmt.Errorf("%s is not a whole number like 42", quote(text))
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s is beyond 64 bits", quote(text))
	}
	return n, nil
}

func parseDecimal(text string) (Value, error) {
	if !plainNumber.MatchString(text) {
		return nil, fmt.Errorf("%s is not a number like 1234.50", quote(text))
	}
	if _, ok := decimal.Parse(text); !ok {
		return nil, fmt.Errorf("%s has more than %d digits", quote(text), decimal.MaxText)
	}
	return Decimal(text), nil
}

func parseDay(text string) (Value, error) {
	if _, ok := civil(Day(text)); !ok {
		return nil, fmt.Errorf("%s is not a date like 2026-01-31", quote(text))
	}
	return Day(text), nil
}

var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$`)

func parseTimestamp(text string) (Value, error) {
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil && rfc3339.MatchString(text) {
		if v := instant(t); v != nil {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%s is not a timestamp like 2026-01-31T14:30:00Z", quote(text))
}

func parseList(text string) (Value, error) {
	var items []any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&items); err != nil || items == nil {
		return nil, fmt.Errorf("%s is not a JSON array", quote(text))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s is more than one JSON array", quote(text))
	}
	list := make([]Value, len(items))
	for i, item := range items {
		v, err := listItem(item)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, nil
}

func listItem(item any) (Value, error) {
	switch x := item.(type) {
	case nil, bool, string:
		return x, nil
	case json.Number:
		if v, err := parseInt(x.String()); err == nil {
			return v, nil
		}
		if text, ok := decimal.Expand(x.String()); ok {
			return Decimal(text), nil
		}
		return nil, fmt.Errorf("%s is beyond the numbers", x)
	}
	return nil, errors.New("a list holds texts, numbers, booleans and null, no lists or objects")
}

// FormatValue is the exact text of a value; false for NULL and for what is no value of the language.
func FormatValue(v Value) (string, bool) {
	switch x := v.(type) {
	case bool:
		return strconv.FormatBool(x), true
	case int64:
		return strconv.FormatInt(x, 10), true
	case Decimal:
		return string(x), true
	case string:
		return x, true
	case Day:
		return string(x), true
	case time.Time:
		return x.UTC().Format(time.RFC3339Nano), true
	case Doc:
		return string(x), true
	case []Value:
		return formatList(x), true
	}
	return "", false
}

func formatList(list []Value) string {
	items := make([]any, len(list))
	for i, v := range list {
		text, ok := FormatValue(v)
		switch v.(type) {
		case bool:
			items[i] = v
		case int64, Decimal:
			items[i] = json.Number(text)
		default:
			if ok {
				items[i] = text
			}
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(items) != nil {
		return "[]"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Version is an opaque text that is the same for the same values and differs for others: NULL is not the empty text, and 1.50 is 1.5.
func Version(values []Value) string {
	h := sha256.New()
	for _, v := range values {
		kind, text := versionText(v)
		var head [9]byte
		head[0] = kind
		binary.BigEndian.PutUint64(head[1:], uint64(len(text)))
		h.Write(head[:])
		io.WriteString(h, text)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}

func versionText(v Value) (kind byte, text string) {
	text, ok := FormatValue(v)
	if d, isNumber := number(v); isNumber {
		return 'n', d.Trim().String()
	}
	switch x := v.(type) {
	case bool:
		return 'b', text
	case Day:
		return 'd', text
	case time.Time:
		return 't', text
	case Doc:
		return 'j', compact(x)
	case []Value:
		return 'l', text
	}
	if !ok {
		return 0, ""
	}
	return 's', text
}

// quote shows a text in an error, cut at 60 characters.
func quote(text string) string {
	if rs := []rune(text); len(rs) > 60 {
		text = string(rs[:60]) + "…"
	}
	return strconv.Quote(text)
}
