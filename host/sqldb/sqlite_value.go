package sqldb

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/deputy/internal/decimal"
	"example.com/deputy/query"
)

// value reads what a column holds. SQLite keeps anything anywhere: what is no value of the field's type is NULL.
func (c *column) value(raw any) query.Value {
	switch c.field.Type {
	case query.Int:
		return intValue(raw)
	case query.Bool:
		return boolValue(raw)
	case query.Dec:
		if n, k := c.scaled(raw); k == isScaled {
			return query.Decimal(n.String())
		}
		return decimalValue(raw, c.field.Scale)
	case query.Date:
		return dateValue(raw, c.zone)
	case query.Timestamp:
		return timestampValue(raw, c.zone)
	case query.JSON:
		return jsonValue(raw)
	}
	return textValue(raw, c.field.Secret)
}

// version is what the version of a record is made of: the value, and of what is none, or no UTF-8, the thing that is kept.
func (c *column) version(raw any) query.Value {
	v := c.value(raw)
	text, isText := raw.(string)
	switch {
	case raw == nil:
		return nil
	case isText && !utf8.ValidString(text):
		return text
	case v == nil:
		return fmt.Sprintf("\x1a%T %v", raw, raw)
	}
	return v
}

func intValue(raw any) query.Value {
	if n, ok := raw.(int64); ok {
		return n
	}
	return nil
}

func boolValue(raw any) query.Value {
	switch x := raw.(type) {
	case int64:
		return x != 0
	case string:
		switch strings.ToLower(strings.TrimSpace(x)) {
		case "true", "t", "yes", "y", "on", "1":
			return true
		case "false", "f", "no", "n", "off", "0":
			return false
		}
	}
	return nil
}

// decimalValue keeps the digits as they are kept, padded or rounded to the declared scale; a REAL is the shortest decimal that means it.
func decimalValue(raw any, scale int) query.Value {
	text := ""
	switch x := raw.(type) {
	case int64:
		text = strconv.FormatInt(x, 10)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		text = strconv.FormatFloat(x, 'f', -1, 64)
	case string:
		plain, ok := decimal.Expand(strings.TrimPrefix(strings.TrimSpace(x), "+"))
		if !ok {
			return nil
		}
		text = plain
	}
	d, ok := decimal.Parse(text)
	if !ok {
		return nil
	}
	if scale >= 0 {
		zero, _ := decimal.Parse("0." + strings.Repeat("0", max(scale, 1)))
		if d = d.Round(scale); scale > 0 && scale <= 60 {
			d = decimal.Add(d, zero)
		}
	}
	return query.Decimal(d.String())
}

func textValue(raw any, secret bool) query.Value {
	switch x := raw.(type) {
	case string:
		return strings.ToValidUTF8(x, "\uFFFD")
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case []byte:
		if secret {
			return hex.EncodeToString(x)
		}
	}
	return nil
}

func jsonValue(raw any) query.Value {
	text, _ := textValue(raw, false).(string)
	if !json.Valid([]byte(text)) {
		return nil
	}
	return query.Doc(text)
}

func dateValue(raw any, zone *time.Location) query.Value {
	if text, ok := raw.(string); ok {
		text = strings.TrimSpace(text)
		if len(text) > 10 && (text[10] == ' ' || text[10] == 'T') {
			text = text[:10]
		}
		v, err := query.ParseValue(query.Date, text)
		if err != nil {
			return nil
		}
		return v
	}
	t, ok := numericTime(raw)
	if !ok {
		return nil
	}
	return inYears(t, query.Day(t.In(zone).Format(time.DateOnly)))
}

func timestampValue(raw any, zone *time.Location) query.Value {
	t, ok := numericTime(raw)
	if text, isText := raw.(string); isText {
		t, ok = readTime(strings.TrimSpace(text), zone)
	}
	if !ok {
		return nil
	}
	t = t.UTC().Truncate(time.Microsecond)
	return inYears(t, t)
}

// inYears gives v where t is of a year that a date can have.
func inYears(t time.Time, v query.Value) query.Value {
	if t.Year() < 1 || t.Year() > 9999 {
		return nil
	}
	return v
}

// readTime reads the forms in which timestamps are kept as text; one without a zone is in the column's.
func readTime(text string, zone *time.Location) (time.Time, bool) {
	if at, ok := readClock(text); ok {
		return at.in(zone), true
	}
	return readForms(text, zone)
}

func readForms(text string, zone *time.Location) (time.Time, bool) {
	if len(text) < 10 {
		return time.Time{}, false
	}
	if cut := strings.Index(text, " m="); cut > 0 { // a Go program's clock reading
		text = text[:cut]
	}
	if text = strings.TrimSuffix(text, " UTC"); len(text) > 10 && text[10] == ' ' {
		text = text[:10] + "T" + text[11:]
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07",
		"2006-01-02T15:04:05 Z0700", "2006-01-02T15:04:05 Z07:00", "2006-01-02T15:04:05 Z0700 MST"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// numericTime reads whole numbers as seconds (or, from their size, milli-, micro- or nanoseconds) since 1970, and others as Julian days
// where they can be, else seconds.
func numericTime(raw any) (time.Time, bool) {
	switch x := raw.(type) {
	case int64:
		switch size := max(x, -x); {
		case size < 1e11:
			return time.Unix(x, 0), true
		case size < 1e14:
			return time.UnixMilli(x), true
		case size < 1e17:
			return time.UnixMicro(x), true
		}
		return time.Unix(0, x), true
	case float64:
		if x >= 1721425.5 && x < 5373484.5 {
			return time.UnixMilli(int64(math.Round((x - 2440587.5) * 86400000))), true
		}
		if math.Abs(x) < 1e11 {
			return time.UnixMicro(int64(math.Round(x * 1e6))), true
		}
	}
	return time.Time{}, false
}

// timeText is the one form in which timestamps travel inside a statement: its order is that of time.
const timeText = "2006-01-02T15:04:05.000000Z"

// encode writes a value in the form that every expression of its type has inside a statement: whole numbers, and texts for all else.
func encode(v query.Value) any {
	switch x := v.(type) {
	case bool:
		if x {
			return int64(1)
		}
		return int64(0)
	case int64, string:
		return x
	case query.Decimal:
		return string(x)
	case query.Day:
		return string(x)
	case query.Doc:
		return string(x)
	case time.Time:
		return x.UTC().Format(timeText)
	}
	return nil
}

// decode is the inverse of encode.
func decode(raw any, t query.Type) query.Value {
	switch x := raw.(type) {
	case int64:
		switch t {
		case query.Bool:
			return x != 0
		case query.Dec:
			return query.Decimal(strconv.FormatInt(x, 10))
		}
		return x
	case string:
		return decodeText(x, t)
	case []byte:
		if utf8.Valid(x) {
			return decodeText(string(x), t)
		}
	}
	return nil
}

func decodeText(x string, t query.Type) query.Value {
	switch t {
	case query.Dec:
		return query.Decimal(x)
	case query.Date:
		return query.Day(x)
	case query.JSON:
		return query.Doc(x)
	case query.Timestamp:
		at, err := time.Parse(timeText, x)
		if err != nil {
			return nil
		}
		return at.UTC()
	}
	return x
}
