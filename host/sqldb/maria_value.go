package sqldb

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/deputy/internal/decimal"
	"example.com/deputy/query"
)

// mariaValue reads what the server sends: scale is that of a plain column; below 0, of something computed, whose zeros may mean nothing.
func mariaValue(raw any, t query.Type, scale int) query.Value {
	text, ok := mariaText(raw)
	if !ok {
		return nil
	}
	switch t {
	case query.Int:
		n, err := strconv.ParseInt(strings.TrimSuffix(text, "."), 10, 64)
		if err != nil {
			return nil
		}
		return n
	case query.Bool:
		return text != "0"
	case query.Dec:
		return mariaDecimal(text, scale)
	case query.Date:
		v, err := query.ParseValue(query.Date, text)
		if err != nil {
			return nil
		}
		return v
	case query.Timestamp:
		at, err := time.Parse("2006-01-02 15:04:05", text)
		if err != nil {
			return nil
		}
		return at.UTC()
	case query.JSON:
		if !json.Valid([]byte(text)) {
			return nil
		}
		return query.Doc(text)
	case query.List:
		v, err := query.ParseValue(query.List, text)
		if err != nil {
			return nil
		}
		return v
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

func mariaText(raw any) (string, bool) {
	switch x := raw.(type) {
	case nil:
		return "", false
	case []byte:
		return string(x), true
	case string:
		return x, true
	case int64:
		return strconv.FormatInt(x, 10), true
	case uint64:
		return strconv.FormatUint(x, 10), true
	}
	return fmt.Sprint(raw), true
}

// padded is from how many digits after the point on the zeros of something computed are there for the server's own reasons.
const padded = 16

func mariaDecimal(text string, scale int) query.Value {
	d, ok := decimal.Parse(text)
	if !ok {
		return nil
	}
	if scale < 0 && d.Scale() >= padded {
		d = d.Trim()
	}
	return query.Decimal(d.String())
}

// mariaFloat is the shortest decimal that means a float.
func mariaFloat(raw any) query.Value {
	switch x := raw.(type) {
	case float64:
		return nearestFloat(strconv.FormatFloat(x, 'g', -1, 64), 64)
	case float32:
		return nearestFloat(strconv.FormatFloat(float64(x), 'g', -1, 32), 32)
	}
	return nil
}

// store gives a value as text: the column reads it, whatever its type.
func (db *maria) store(_ context.Context, _ querier, _ *table, col *column, v query.Value) (kept any, why string, err error) {
	switch x := v.(type) {
	case bool:
		if x {
			return int64(1), "", nil
		}
		return int64(0), "", nil
	case query.Decimal:
		return string(x), mariaLossy(col, x), nil
	case int64:
		return x, col.outsideMaria(x), nil
	case string:
		if n := col.field.Length; n > 0 && utf8.RuneCountInString(x) > n {
			return nil, fmt.Sprintf("at most %d characters", n), nil
		}
		return x, col.unkept(x), nil
	case time.Time:
		at := x.UTC()
		if col.native != "timestamp" && col.zone != nil {
			at = x.In(col.zone)
		}
		return at.Format("2006-01-02 15:04:05.000000"), "", nil
	case []query.Value:
		return items(x), "", nil
	}
	text, _ := query.FormatValue(v)
	return text, "", nil
}

// unkept says what of a text a column would not keep.
func (c *column) unkept(text string) string {
	switch {
	case c.native == "char" && strings.HasSuffix(text, " "):
		return "no space at the end"
	case c.native == "enum" && c.field.Values != nil && text == "":
		return "one of: " + strings.Join(c.field.Values, ", ")
	}
	return ""
}

// items are those of a SET.
func items(list []query.Value) string {
	var out []string
	for _, v := range list {
		text, _ := query.FormatValue(v)
		out = append(out, text)
	}
	return strings.Join(out, ",")
}

// bounds are the least and the most that a column of whole numbers holds.
func (c *column) bounds() (least, most *big.Int) {
	bits := map[string]uint{"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}[c.native]
	if bits == 0 {
		return nil, nil
	}
	one := big.NewInt(1)
	if c.unsigned {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, bits), one)
	}
	half := new(big.Int).Lsh(one, bits-1)
	return new(big.Int).Neg(half), new(big.Int).Sub(half, one)
}

func (c *column) outsideMaria(n int64) string {
	least, most := c.bounds()
	if v := big.NewInt(n); least != nil && (v.Cmp(least) < 0 || v.Cmp(most) > 0) {
		return fmt.Sprintf("a whole number from %s to %s", least, most)
	}
	return ""
}

// mariaLossy says what would be lost of a decimal.
func mariaLossy(col *column, x query.Decimal) string {
	d, ok := decimal.Parse(string(x))
	if !ok {
		return "no number"
	}
	d = d.Trim()
	switch {
	case col.native == "float":
		if !query.Same(nearestFloat(string(x), 32), x) {
			return "the database cannot keep so many digits exactly"
		}
	case col.native == "double":
		if !query.Same(nearestFloat(string(x), 64), x) {
			return "the database cannot keep so many digits exactly"
		}
	case col.field.Scale >= 0 && d.Scale() > col.field.Scale:
		return fmt.Sprintf("at most %d digits after the point", col.field.Scale)
	case col.digits > 0:
		if most, _ := decimal.Parse("1" + strings.Repeat("0", col.digits-max(col.field.Scale, 0))); decimal.Cmp(d.Abs(), most) >= 0 {
			return fmt.Sprintf("at most %d digits before the point", col.digits-max(col.field.Scale, 0))
		}
	}
	if d.Sign() < 0 && col.unsigned {
		return "a number from 0 on"
	}
	return ""
}
