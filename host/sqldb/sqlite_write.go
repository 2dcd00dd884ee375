package sqldb

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	modernc "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"example.com/deputy/internal/decimal"
	"example.com/deputy/query"
)

func code(err error) int {
	var e *modernc.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// notBegun says that there is nothing to roll back: SQLite has done it already.
func notBegun(err error) bool { return strings.Contains(err.Error(), "no transaction is active") }

func (db *sqlite) fault(err error) fault {
	switch c := code(err); c & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return busy
	case sqlite3.SQLITE_CONSTRAINT:
		return constraintFault(c, err)
	}
	return noAnswer
}

func constraintFault(code int, err error) fault {
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return notUnique
	case sqlite3.SQLITE_CONSTRAINT_NOTNULL:
		return notNull
	case sqlite3.SQLITE_CONSTRAINT_CHECK:
		return checkFailed
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return notRelated
	case sqlite3.SQLITE_CONSTRAINT_TRIGGER: // RESTRICT is made of a trigger
		if strings.Contains(err.Error(), "FOREIGN KEY constraint failed") {
			return notRelated
		}
	}
	return otherRule
}

// blamed are the columns that SQLite names in an error, where they are of that table.
func (db *sqlite) blamed(t *table, err error) []string {
	var columns []string
	for _, c := range t.columns {
		if mentions(err.Error(), t.name+"."+c.name) {
			columns = append(columns, c.name)
		}
	}
	return columns
}

// mentions finds a column in a message like "UNIQUE constraint failed: t.a, t.b (2067)".
func mentions(message, column string) bool {
	_, rest, ok := strings.Cut(message, ": "+column)
	if !ok {
		_, rest, ok = strings.Cut(message, ", "+column)
	}
	return ok && (rest == "" || rest[0] == ',' || rest[0] == ' ' && strings.HasPrefix(rest, " ("))
}

func (db *sqlite) store(ctx context.Context, q querier, t *table, col *column, v query.Value) (kept any, why string, err error) {
	switch x := v.(type) {
	case query.Decimal:
		return string(x), lossy(col, x), nil
	case string:
		if n := col.field.Length; n > 0 && utf8.RuneCountInString(x) > n {
			return nil, fmt.Sprintf("at most %d characters", n), nil
		}
	case time.Time:
		kept, err := db.storeTime(ctx, q, t, col, x)
		return kept, "", err
	}
	return encode(v), "", nil
}

// lossy says what would be lost of a decimal.
func lossy(col *column, x query.Decimal) string {
	d, ok := decimal.Parse(string(x))
	if !ok {
		return "no number"
	}
	d = d.Trim()
	if s := col.field.Scale; s >= 0 && d.Scale() > s {
		return fmt.Sprintf("at most %d digits after the point", s)
	}
	if col.kind == textStorage || col.kind == anyStorage {
		return ""
	}
	if _, whole := d.Int64(); whole && col.kind != realStorage {
		return ""
	}
	f, err := strconv.ParseFloat(string(x), 64)
	if back := decimalValue(f, -1); err != nil || !query.Same(back, x) {
		return "the database cannot keep so many digits exactly"
	}
	return ""
}

// storeTime writes a timestamp the way the column's other values are written, by default as 2006-01-02 15:04:05 in the column's zone.
func (db *sqlite) storeTime(ctx context.Context, q querier, t *table, col *column, at time.Time) (any, error) {
	name := quote(col.name)
	newest := ""
	if t.rowid && t.column("rowid") == nil {
		newest = " ORDER BY rowid DESC"
	}
	rows, err := q.QueryContext(ctx, "SELECT +"+name+" FROM "+quote(t.name)+" WHERE "+name+" IS NOT NULL"+newest+" LIMIT 1")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var sample any
	if rows.Next() {
		if err := rows.Scan(&sample); err != nil {
			return nil, err
		}
	}
	return timeLike(sample, at, col.zone), rows.Err()
}

func timeLike(sample any, at time.Time, zone *time.Location) any {
	switch x := sample.(type) {
	case int64:
		switch size := max(x, -x); {
		case size < 1e11:
			return at.Unix()
		case size < 1e14:
			return at.UnixMilli()
		case size < 1e17:
			return at.UnixMicro()
		}
		return at.UnixNano()
	case string:
		return at.In(timeZone(x, zone)).Format(timeLayout(x, at))
	}
	return at.In(zone).Format(timeLayout("", at))
}

// timeZone: a text that names its own offset is UTC, whatever that offset was.
func timeZone(sample string, zone *time.Location) *time.Location {
	if tail := sample[min(len(sample), 16):]; strings.ContainsAny(tail, "Z+-") || strings.Contains(tail, "UTC") {
		return time.UTC
	}
	return zone
}

func timeLayout(sample string, at time.Time) string {
	layout := "2006-01-02 15:04:05"
	if len(sample) > 10 && sample[10] == 'T' {
		layout = "2006-01-02T15:04:05"
	}
	if _, frac, ok := strings.Cut(sample, "."); ok {
		digits := len(frac) - len(strings.TrimLeft(frac, "0123456789"))
		layout += "." + strings.Repeat("0", min(max(digits, 1), 6))
	} else if at.Nanosecond() != 0 {
		layout += ".000000"
	}
	switch tail := sample[min(len(sample), 16):]; {
	case strings.HasSuffix(tail, "Z"):
		layout += "Z"
	case strings.Contains(tail, " +0000 UTC"):
		layout += " +0000 UTC"
	case strings.ContainsAny(tail, "+-"):
		layout += "-07:00"
	}
	return layout
}
