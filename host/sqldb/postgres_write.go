package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"example.com/deputy/internal/decimal"
	"example.com/deputy/query"
)

// network says whether an error is of the way to the server.
func network(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || strings.Contains(err.Error(), "conn closed")
}

// blamed are the columns of the constraint that the server names, where it is of that table.
func (db *postgres) blamed(t *table, err error) []string {
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.SchemaName != t.space || e.TableName != t.name {
		return nil
	}
	if t.column(e.ColumnName) != nil {
		return []string{e.ColumnName}
	}
	for _, u := range t.constraints {
		if u.name == e.ConstraintName {
			return u.columns
		}
	}
	return nil
}

// store gives a value as text: the column reads it, whatever its type.
func (db *postgres) store(_ context.Context, _ querier, _ *table, col *column, v query.Value) (kept any, why string, err error) {
	text, _ := query.FormatValue(v)
	switch x := v.(type) {
	case query.Decimal:
		return text, db.lossyNumber(col, x), nil
	case int64:
		return text, outside(col, x), nil
	case string:
		if strings.ContainsRune(text, 0) {
			return nil, "no text with the character NUL", nil
		}
		if n := col.field.Length; n > 0 && utf8.RuneCountInString(text) > n {
			return nil, fmt.Sprintf("at most %d characters", n), nil
		}
	case time.Time:
		if col.native == "timestamp" {
			return x.In(col.zone).Format("2006-01-02 15:04:05.000000"), "", nil
		}
	case []query.Value:
		return array(x), "", nil
	}
	return text, "", nil
}

func outside(col *column, n int64) string {
	most := map[string]int64{"int2": 1 << 15, "int4": 1 << 31}[col.native]
	if most > 0 && (n < -most || n >= most) {
		return fmt.Sprintf("a whole number from %d to %d", -most, most-1)
	}
	return ""
}

// lossyNumber says what would be lost of a decimal.
func (db *postgres) lossyNumber(col *column, x query.Decimal) string {
	d, ok := decimal.Parse(string(x))
	if !ok {
		return "no number"
	}
	d = d.Trim()
	switch s := col.field.Scale; {
	case s >= 0 && d.Scale() > s:
		return fmt.Sprintf("at most %d digits after the point", s)
	case col.native == "float4" || col.native == "float8":
		return lossyFloat(col, x)
	case col.digits > 0:
		if most, _ := decimal.Parse("1" + strings.Repeat("0", col.digits-max(s, 0))); decimal.Cmp(d.Abs(), most) >= 0 {
			return fmt.Sprintf("at most %d digits before the point", col.digits-max(s, 0))
		}
	}
	return ""
}

func lossyFloat(col *column, x query.Decimal) string {
	bits := 64
	if col.native == "float4" {
		bits = 32
	}
	if !query.Same(nearestFloat(string(x), bits), x) {
		return "the database cannot keep so many digits exactly"
	}
	return ""
}

// array writes a list as Postgres reads it.
func array(list []query.Value) string {
	items := make([]string, len(list))
	for i, v := range list {
		text, ok := query.FormatValue(v)
		if items[i] = "NULL"; ok {
			items[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
		}
	}
	return "{" + strings.Join(items, ",") + "}"
}
