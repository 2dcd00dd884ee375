package sqldb_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/mariatest"
	"example.com/deputy/query"
)

func openMaria(t testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host {
	t.Helper()
	return open(t, sqldb.Config{URL: buildMaria(t, tables, rows)})
}

func TestMariaContract(t *testing.T) {
	t.Parallel()
	hosttest.Run(t, openMaria)
}

func FuzzMariaQuestions(f *testing.F) {
	hosttest.Fuzz(f, openMaria)
}

// createMaria makes a database by statements, and gives a connection to it that is another program's.
func createMaria(t testing.TB, statements ...string) (string, *sql.DB) {
	t.Helper()
	url := mariatest.Database(t)
	db := mariatest.Open(t, url)
	exec(t, db, statements...)
	return url, db
}

// buildMaria makes a database of these tables and rows; foreign keys come last, so that the order of rows does not matter.
func buildMaria(t testing.TB, tables []query.Table, rows map[string][]query.Row) string {
	t.Helper()
	var statements, foreign []string
	for _, table := range tables {
		var parts []string
		for _, f := range table.Fields {
			parts = append(parts, createMariaColumn(table, f, tables))
		}
		if len(table.Key) > 0 {
			parts = append(parts, "PRIMARY KEY ("+quotedList(table.Key)+")")
		}
		statements = append(statements, fmt.Sprintf("CREATE TABLE %q (%s)", table.Name, strings.Join(parts, ", ")))
		for _, r := range table.Relations {
			if !r.Many && len(r.From) > 0 {
				foreign = append(foreign, fmt.Sprintf("ALTER TABLE %q ADD FOREIGN KEY (%s) REFERENCES %q (%s)%s", table.Name, quotedList(r.From), r.Table, quotedList(r.To), onDelete(table, r, tables)))
			}
		}
	}
	url, db := createMaria(t)
	for _, table := range tables {
		for _, row := range rows[table.Name] {
			statements = append(statements, insertMaria(table, row))
		}
		if len(table.Key) > 0 && auto(table) {
			statements = append(statements, fmt.Sprintf("ALTER TABLE %q AUTO_INCREMENT = 1001", table.Name))
		}
	}
	exec(t, db, strings.Join(append(statements, foreign...), ";\n"))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return url
}

func createMariaColumn(t query.Table, f query.Field, all []query.Table) string {
	text := "text"
	if linked(f.Name, t, all) { // an index over the whole of it
		text = "varchar(250)"
	}
	declared := map[query.Type]string{query.Int: "bigint", query.Dec: "decimal(65,26)", query.Bool: "boolean", query.Date: "date", query.Timestamp: "datetime(6)", query.JSON: "json", query.List: "set('new', 'sale')", query.String: text + " CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"}[f.Type]
	if f.Type == query.Dec && f.Scale >= 0 {
		declared = fmt.Sprintf("decimal(18, %d)", f.Scale)
	}
	if f.Comment == loose {
		declared = strings.Replace(declared, "utf8mb4_nopad_bin", "utf8mb4_general_ci", 1)
	}
	if len(t.Key) == 1 && t.Key[0] == f.Name && f.Generated {
		return fmt.Sprintf("%q %s AUTO_INCREMENT", f.Name, declared)
	}
	return fmt.Sprintf("%q %s", f.Name, declared) + constraints(f)
}

// linked says whether a field is of the key, or of a relation in one of the two directions.
func linked(field string, t query.Table, all []query.Table) bool {
	found := slices.Contains(t.Key, field)
	for _, r := range t.Relations {
		found = found || slices.Contains(r.From, field)
	}
	for _, other := range all {
		for _, r := range other.Relations {
			found = found || r.Table == t.Name && slices.Contains(r.To, field)
		}
	}
	return found
}

func mariaLiteral(v query.Value) string {
	if at, isTime := v.(time.Time); isTime {
		return "'" + at.Format("2006-01-02 15:04:05.000000") + "'"
	}
	if list, isList := v.([]query.Value); isList {
		text, _ := query.FormatValue(list)
		return "'" + strings.NewReplacer("[", "", "]", "", `"`, "").Replace(text) + "'"
	}
	if truth, ok := v.(bool); ok {
		return map[bool]string{true: "1", false: "0"}[truth]
	}
	return literal(v)
}

func insertMaria(table query.Table, row query.Row) string {
	var names, values []string
	for _, f := range table.Fields {
		names = append(names, f.Name)
		values = append(values, mariaLiteral(row[f.Name]))
	}
	return fmt.Sprintf("INSERT INTO %q (%s) VALUES (%s)", table.Name, quotedList(names), strings.Join(values, ", "))
}
