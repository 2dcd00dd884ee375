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
	if tooLarge(err) {
		return tooMuch
	}
	return noAnswer
}

// tooLarge says that a statement is larger than SQLite takes: in columns, tables, values, depth or length.
func tooLarge(err error) bool {
	if c := code(err); c != sqlite3.SQLITE_ERROR {
		return c == sqlite3.SQLITE_TOOBIG
	}
	for _, says := range []string{"too many", "at most", "Expression tree is too large", "Recursion limit", "parser stack overflow"} {
		if strings.Contains(err.Error(), says) {
			return true
		}
	}
	return false
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
	case time.Time, query.Day:
		sample, err := db.sample(ctx, q, t, col)
		if kept = likeSample(sample, v, col.zone); !query.Same(col.value(kept), v) {
			why = "the column cannot keep this exactly"
		}
		return kept, why, err
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

// sample is a value that the column has, the newest where rows are numbered; nil where it has none.
func (db *sqlite) sample(ctx context.Context, q querier, t *table, col *column) (sample any, err error) {
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
	if rows.Next() {
		err = rows.Scan(&sample)
	}
	return sample, errors.Join(err, rows.Err())
}

// likeSample writes a timestamp or a date the way another value of its column is written, by default as 2006-01-02 15:04:05 in the column's
// zone, or 2006-01-02.
func likeSample(sample any, v query.Value, zone *time.Location) any {
	switch x := v.(type) {
	case time.Time:
		return timeLike(sample, x, zone)
	case query.Day:
		return dayLike(sample, x, zone)
	}
	return encode(v)
}

func timeLike(sample any, at time.Time, zone *time.Location) any {
	switch x := sample.(type) {
	case int64:
		return wholeLike(x, at)
	case string:
		return at.In(timeZone(x, zone)).Format(timeLayout(x, at))
	}
	return at.In(zone).Format(timeLayout("", at))
}

// wholeLike counts since 1970 in the unit that a sample is in, see numericTime.
func wholeLike(sample int64, at time.Time) int64 {
	switch size := max(sample, -sample); {
	case size < 1e11:
		return at.Unix()
	case size < 1e14:
		return at.UnixMilli()
	case size < 1e17:
		return at.UnixMicro()
	}
	return at.UnixNano()
}

// dayLike writes a date as text, with a midnight where the sample has one, or as a midnight since 1970: that of UTC where the sample's is,
// else the zone's.
func dayLike(sample any, day query.Day, zone *time.Location) any {
	switch x := sample.(type) {
	case int64:
		if at, err := time.Parse(time.DateOnly, string(day)); err == nil && isMidnight(x) && dateValue(wholeLike(x, at), zone) == day {
			return wholeLike(x, at)
		}
		if at, err := time.ParseInLocation(time.DateOnly, string(day), zone); err == nil {
			return wholeLike(x, at)
		}
	case string:
		if dateValue(x, zone) != nil && strings.Trim(x[min(len(x), 10):], " T:0.Z") == "" {
			return string(day) + strings.TrimRight(x, " ")[10:]
		}
	}
	return string(day)
}

func isMidnight(sample int64) bool {
	at, _ := numericTime(sample)
	return at.Equal(at.UTC().Truncate(24 * time.Hour))
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
	if frac, ok := strings.CutPrefix(sample[min(len(sample), 19):], "."); ok {
		digits := len(frac) - len(strings.TrimLeft(frac, "0123456789"))
		needed := len(strings.TrimRight(at.Format(".000000")[1:], "0"))
		layout += "." + strings.Repeat("0", min(max(digits, needed, 1), 6))
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
