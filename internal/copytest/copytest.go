// Package copytest gives tests a copy of a SQLite database on another server: its tables with their rows, keys, value lists and indexes.
package copytest

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Dialect says what the statements that make the copy look like. Names stand in double quotes in all of them.
type Dialect struct {
	numbered bool // parameters are $1, $2 …
	types    func(declared string, indexed bool) string
}

// Postgres is for a database of Postgres, over pgx.
func Postgres() Dialect { return Dialect{numbered: true, types: postgresType} }

// Maria is for a database of MariaDB whose sessions have ANSI_QUOTES, as mariatest.Open gives them.
func Maria() Dialect { return Dialect{types: mariaType} }

// Copy makes the tables of a SQLite database in an empty one and fills them. Types are read from how columns are declared; what neither knows
// becomes text. Defaults, triggers and views stay behind.
func Copy(t testing.TB, from, to *sql.DB, d Dialect) {
	t.Helper()
	c := copier{TB: t, from: from, to: to, Dialect: d}
	tables := c.texts("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
	for _, table := range tables {
		c.make(table)
		c.fill(table)
	}
	for _, table := range tables {
		c.link(table)
	}
}

type copier struct {
	testing.TB
	from, to *sql.DB
	Dialect
}

// column is one of a SQLite table's, as its schema has it.
type column struct {
	name, declared string
	required       bool
	key            int // its place in the primary key, from 1; 0: not in it
}

func (c copier) columns(table string) (out []column) {
	c.each(func(rows *sql.Rows) error {
		var col column
		out = append(out, col)
		last := &out[len(out)-1]
		return rows.Scan(&last.name, &last.declared, &last.required, &last.key)
	}, `SELECT name, upper(type), "notnull", pk FROM pragma_table_info(?) ORDER BY cid`, table)
	return out
}

// make creates a table with its primary key, its indexes, and the lists of values that its columns take.
func (c copier) make(table string) {
	c.Helper()
	parts, columns := []string{}, c.columns(table)
	indexed := c.texts(`SELECT i.name FROM pragma_index_list(?) l, pragma_index_info(l.name) i UNION SELECT "from" FROM pragma_foreign_key_list(?) UNION SELECT name FROM pragma_table_info(?) WHERE pk > 0`, table, table, table)
	definition := strings.Join(c.texts("SELECT sql FROM sqlite_master WHERE name = ? AND type = 'table'", table), "")
	for _, col := range columns {
		part := quoted(col.name) + " " + c.types(col.declared, slices.Contains(indexed, col.name))
		if col.required {
			part += " NOT NULL"
		}
		if list := valueList(definition, col.name); list != "" && col.declared != "BOOLEAN" {
			part += " CHECK (" + quoted(col.name) + " IN (" + list + "))"
		}
		parts = append(parts, part)
	}
	if key := keyOf(columns); len(key) > 0 {
		parts = append(parts, "PRIMARY KEY ("+list(key)+")")
	}
	parts = append(parts, c.unique(table)...)
	c.exec("CREATE TABLE " + quoted(table) + " (" + strings.Join(parts, ", ") + ")")
	for _, index := range c.texts(`SELECT name FROM pragma_index_list(?) WHERE origin = 'c'`, table) {
		c.exec("CREATE INDEX " + quoted(index) + " ON " + quoted(table) + " (" + list(c.indexColumns(index)) + ")")
	}
}

func (c copier) unique(table string) (out []string) {
	for _, index := range c.texts(`SELECT name FROM pragma_index_list(?) WHERE origin = 'u'`, table) {
		out = append(out, "UNIQUE ("+list(c.indexColumns(index))+")")
	}
	return out
}

func (c copier) indexColumns(index string) []string {
	return c.texts("SELECT name FROM pragma_index_info(?) ORDER BY seqno", index)
}

func keyOf(columns []column) (out []string) {
	columns = slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return c.key == 0 })
	slices.SortFunc(columns, func(a, b column) int { return a.key - b.key })
	for _, c := range columns {
		out = append(out, c.name)
	}
	return out
}

// valueList is what stands in the brackets of CHECK (column IN (…)).
func valueList(definition, name string) string {
	found := regexp.MustCompile(`(?i)CHECK\s*\(\s*"?` + regexp.QuoteMeta(name) + `"?\s+IN\s*\(([^()]*)\)\s*\)`).FindStringSubmatch(definition)
	if found == nil {
		return ""
	}
	return found[1]
}

// fill copies the rows, many with each statement.
func (c copier) fill(table string) {
	c.Helper()
	const most = 60_000 // parameters of one statement
	columns := c.columns(table)
	var names, read []string
	for _, col := range columns {
		names, read = append(names, col.name), append(read, "CAST("+quoted(col.name)+" AS TEXT)")
	}
	var args []any
	flush := func() {
		if len(args) > 0 {
			c.exec("INSERT INTO "+quoted(table)+" ("+list(names)+") VALUES "+c.marks(len(args)/len(columns), len(columns)), args...)
		}
		args = nil
	}
	c.each(func(rows *sql.Rows) error {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		err := rows.Scan(into...)
		for _, v := range values {
			args = append(args, v)
		}
		if len(args)+len(columns) > most {
			flush()
		}
		return err
	}, "SELECT "+strings.Join(read, ", ")+" FROM "+quoted(table))
	flush()
}

func (c copier) marks(rows, columns int) string {
	var out strings.Builder
	for i := range rows * columns {
		switch {
		case i == 0:
			out.WriteString("(")
		case i%columns == 0:
			out.WriteString("), (")
		default:
			out.WriteString(", ")
		}
		if c.numbered {
			fmt.Fprintf(&out, "$%d", i+1)
		} else {
			out.WriteString("?")
		}
	}
	return out.String() + ")"
}

// link adds the foreign keys, once all rows are there.
func (c copier) link(table string) {
	c.Helper()
	for _, id := range c.texts("SELECT DISTINCT id FROM pragma_foreign_key_list(?) ORDER BY id DESC", table) {
		from := c.texts(`SELECT "from" FROM pragma_foreign_key_list(?) WHERE id = CAST(? AS INTEGER) ORDER BY seq`, table, id)
		parent := c.texts(`SELECT "table" || ' ' || on_delete FROM pragma_foreign_key_list(?) WHERE id = CAST(? AS INTEGER) LIMIT 1`, table, id)[0]
		to := c.texts(`SELECT "to" FROM pragma_foreign_key_list(?) WHERE id = CAST(? AS INTEGER) AND "to" IS NOT NULL ORDER BY seq`, table, id)
		name, rule, _ := strings.Cut(parent, " ")
		if len(to) == 0 {
			to = keyOf(c.columns(name))
		}
		c.exec("ALTER TABLE " + quoted(table) + " ADD FOREIGN KEY (" + list(from) + ") REFERENCES " + quoted(name) + " (" + list(to) + ") ON DELETE " + rule)
	}
}

func (c copier) exec(text string, args ...any) {
	c.Helper()
	if _, err := c.to.ExecContext(context.Background(), text, args...); err != nil {
		c.Fatalf("%.300s: %v", text, err)
	}
}

// each gives the rows of the source one after another.
func (c copier) each(take func(*sql.Rows) error, text string, args ...any) {
	c.Helper()
	rows, err := c.from.QueryContext(context.Background(), text, args...)
	if err != nil {
		c.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := take(rows); err != nil {
			c.Fatalf("%s: %v", text, err)
		}
	}
	if err := rows.Err(); err != nil {
		c.Fatalf("%s: %v", text, err)
	}
}

func (c copier) texts(text string, args ...any) (out []string) {
	c.Helper()
	c.each(func(rows *sql.Rows) error {
		var one string
		err := rows.Scan(&one)
		out = append(out, one)
		return err
	}, text, args...)
	return out
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func list(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, quoted(n))
	}
	return strings.Join(out, ", ")
}

func postgresType(declared string, _ bool) string {
	name, size, _ := strings.Cut(declared, "(")
	switch name {
	case "INTEGER", "BIGINT":
		return "bigint"
	case "NUMERIC", "DECIMAL":
		return "numeric(" + size
	case "DATE", "BOOLEAN":
		return strings.ToLower(name)
	case "DATETIME", "TIMESTAMP":
		return "timestamp"
	case "JSON":
		return "jsonb"
	case "NVARCHAR", "VARCHAR":
		return "varchar(" + size
	}
	return "text"
}

func mariaType(declared string, indexed bool) string {
	name, size, _ := strings.Cut(declared, "(")
	switch name {
	case "INTEGER", "BIGINT":
		return "bigint"
	case "NUMERIC", "DECIMAL":
		return "decimal(" + size
	case "DATE", "BOOLEAN", "JSON":
		return strings.ToLower(name)
	case "DATETIME", "TIMESTAMP":
		return "datetime"
	case "NVARCHAR", "VARCHAR":
		return "varchar(" + size
	}
	if indexed { // an index over the whole of it
		return "varchar(250)"
	}
	return "text"
}
