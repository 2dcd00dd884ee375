package sqldb_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver that builds what the host then opens

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/query"
)

func TestContract(t *testing.T) {
	t.Parallel()
	hosttest.Run(t, func(t testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host {
		return open(t, sqldb.Config{URL: "sqlite:" + build(t, tables, rows)})
	})
}

// build makes a database of these tables and rows.
func build(t testing.TB, tables []query.Table, rows map[string][]query.Row) string {
	t.Helper()
	var statements []string
	for _, table := range tables {
		statements = append(statements, createTable(table, tables))
	}
	path, db := create(t, statements...)
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		for _, row := range rows[table.Name] {
			insert(t, tx, table, row)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}

// create makes a database by statements, and gives a connection to it that is another program's.
func create(t testing.TB, statements ...string) (string, *sql.DB) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "host.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return path, db
}

func createTable(t query.Table, all []query.Table) string {
	var parts []string
	for _, f := range t.Fields {
		parts = append(parts, createColumn(t, f))
	}
	if len(t.Key) > 0 && !auto(t) {
		parts = append(parts, "PRIMARY KEY ("+quotedList(t.Key)+")")
	}
	for _, r := range t.Relations {
		if !r.Many && len(r.From) > 0 {
			parts = append(parts, "FOREIGN KEY ("+quotedList(r.From)+") REFERENCES "+fmt.Sprintf("%q", r.Table)+" ("+quotedList(r.To)+")"+onDelete(t, r, all))
		}
	}
	return fmt.Sprintf("CREATE TABLE %q (%s)", t.Name, strings.Join(parts, ", "))
}

func onDelete(child query.Table, r query.Relation, all []query.Table) string {
	for _, parent := range all {
		for _, back := range parent.Relations {
			switch ours := parent.Name == r.Table && back.Table == child.Name && back.Many && slices.Equal(back.To, r.From); {
			case ours && back.Cascade:
				return " ON DELETE CASCADE"
			case ours && back.Nullify:
				return " ON DELETE SET NULL"
			}
		}
	}
	return ""
}

// loose is the comment of a text field whose column takes different texts for the same.
const loose = "loose"

// loosened are tables whose text columns take different texts for the same, but for those of keys and relations, whose values are different
// texts.
func loosened(tables []query.Table) []query.Table {
	out := slices.Clone(tables)
	for i, t := range out {
		out[i].Fields = slices.Clone(t.Fields)
		for j, f := range t.Fields {
			if f.Type == query.String && !f.Unique && !linked(f.Name, t, tables) {
				out[i].Fields[j].Comment = loose
			}
		}
	}
	return out
}

// sometimesLoose are the tables of a random world, loosened in about half of them.
func sometimesLoose(tables []query.Table) []query.Table {
	if len(tables)%2 == 0 {
		return loosened(tables)
	}
	return tables
}

// loosely says whether tables are loosened.
func loosely(tables []query.Table) bool {
	return slices.ContainsFunc(tables, func(t query.Table) bool {
		return slices.ContainsFunc(t.Fields, func(f query.Field) bool { return f.Comment == loose })
	})
}

func auto(t query.Table) bool {
	f, _ := t.Field(t.Key[0])
	return len(t.Key) == 1 && f.Generated
}

func quotedList(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%q", n))
	}
	return strings.Join(out, ", ")
}

func createColumn(t query.Table, f query.Field) string {
	text := fmt.Sprintf("%q %s", f.Name, declared(f))
	if f.Comment == loose {
		text += " COLLATE NOCASE"
	}
	if len(t.Key) == 1 && t.Key[0] == f.Name && f.Generated {
		return text + " PRIMARY KEY"
	}
	return text + constraints(f)
}

// constraints are those of a field, in words that every engine knows.
func constraints(f query.Field) (text string) {
	if f.Required {
		text += " NOT NULL"
	}
	if f.Unique {
		text += " UNIQUE"
	}
	if f.Default != "" {
		text += " DEFAULT " + f.Default
	}
	if f.Values != nil {
		var list []string
		for _, v := range f.Values {
			list = append(list, "'"+strings.ReplaceAll(v, "'", "''")+"'")
		}
		text += fmt.Sprintf(" CHECK (%q IN (%s))", f.Name, strings.Join(list, ", "))
	}
	return text
}

func declared(f query.Field) string {
	switch f.Type {
	case query.Int:
		return "INTEGER"
	case query.Dec:
		if f.Scale < 0 {
			return "DECIMAL_TEXT" // kept as text: any digits
		}
		return fmt.Sprintf("NUMERIC(18, %d)", f.Scale)
	case query.Bool:
		return "BOOLEAN"
	case query.Date:
		return "DATE"
	case query.Timestamp:
		return "DATETIME"
	case query.JSON:
		return "JSON"
	}
	return "TEXT"
}

func insert(t testing.TB, tx *sql.Tx, table query.Table, row query.Row) {
	t.Helper()
	var names, marks []string
	var values []any
	for _, f := range table.Fields {
		names = append(names, f.Name)
		marks = append(marks, "?")
		values = append(values, stored(row[f.Name]))
	}
	text := fmt.Sprintf("INSERT INTO %q (%s) VALUES (%s)", table.Name, quotedList(names), strings.Join(marks, ", "))
	if _, err := tx.Exec(text, values...); err != nil {
		t.Fatalf("%s %v: %v", text, values, err)
	}
}

func stored(v query.Value) any {
	if at, ok := v.(time.Time); ok {
		if at.Nanosecond() == 0 {
			return at.Format("2006-01-02 15:04:05")
		}
		return at.Format("2006-01-02 15:04:05.000000")
	}
	switch x := v.(type) {
	case nil, bool, int64, string:
		return x
	}
	text, _ := query.FormatValue(v)
	return text
}

func FuzzQuestions(f *testing.F) {
	hosttest.Fuzz(f, func(t testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host {
		return open(t, sqldb.Config{URL: "sqlite:" + build(t, tables, rows)})
	})
}
