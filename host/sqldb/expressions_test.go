package sqldb_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/query"
)

// engine is a way to a database of each kind.
type engine struct {
	name    string
	build   func(t testing.TB, tables []query.Table, rows map[string][]query.Row) string
	create  func(t testing.TB, statements ...string) string
	without []query.Type // it has no columns of
}

func engines() []engine {
	return []engine{
		{"SQLite", func(t testing.TB, tables []query.Table, rows map[string][]query.Row) string {
			return "sqlite:" + build(t, tables, rows)
		}, func(t testing.TB, statements ...string) string {
			path, _ := create(t, statements...)
			return "sqlite:" + path
		}, []query.Type{query.List}},
		{"Postgres", buildPostgres, func(t testing.TB, statements ...string) string {
			url, _ := createPostgres(t, statements...)
			return url
		}, nil},
		{"MariaDB", buildMaria, func(t testing.TB, statements ...string) string {
			url, _ := createMaria(t, statements...)
			return url
		}, nil},
	}
}

func expressions(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/expressions.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestExamples runs every example of the document on every engine: with foreign keys, with relations that the configuration declares, and over
// columns and databases whose own order and equality of texts are others.
func TestExamples(t *testing.T) {
	t.Parallel()
	document := expressions(t)
	for _, on := range engines() {
		t.Run(on.name, func(t *testing.T) {
			t.Parallel()
			hosttest.Examples(t, func(t testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host {
				return open(t, sqldb.Config{URL: on.build(t, tables, rows)})
			}, document, on.without...)
		})
		t.Run(on.name+", loose", func(t *testing.T) {
			t.Parallel()
			hosttest.Examples(t, func(t testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host {
				return open(t, sqldb.Config{URL: on.build(t, loosened(tables), rows)})
			}, document, on.without...)
		})
		t.Run(on.name+", configured", func(t *testing.T) {
			t.Parallel()
			hosttest.Examples(t, func(t testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host {
				bare, relations := undeclared(tables)
				return open(t, sqldb.Config{URL: on.build(t, bare, rows), Relations: relations})
			}, document, on.without...)
		})
	}
}

// undeclared are tables without the foreign keys of one column, and those as the configuration declares them.
func undeclared(tables []query.Table) (bare []query.Table, relations []sqldb.Relation) {
	for _, t := range tables {
		var kept []query.Relation
		for _, r := range t.Relations {
			switch {
			case len(r.From) > 1:
				kept = append(kept, r)
			case !r.Many:
				relations = append(relations, sqldb.Relation{From: t.Name + "." + r.From[0], To: r.Table + "." + r.To[0]})
			}
		}
		t.Relations = kept
		bare = append(bare, t)
	}
	return bare, relations
}

var configured = regexp.MustCompile(`- \{ from: (\S+), to: (\S+), name: (\S+), children: (\S+) \}`)

// TestRenamedRelations: what the document declares in the configuration has these names, over foreign keys and without any, and means the same.
func TestRenamedRelations(t *testing.T) {
	t.Parallel()
	var relations []sqldb.Relation
	for _, m := range configured.FindAllStringSubmatch(expressions(t), -1) {
		relations = append(relations, sqldb.Relation{From: m[1], To: m[2], Name: m[3], Children: m[4]})
	}
	if len(relations) < 2 {
		t.Fatalf("the document declares %v", relations)
	}
	employees := []string{`(1, NULL, 'Ada')`, `(2, 1, 'Bo')`, `(3, 1, 'Cy')`, `(4, 2, 'Di')`}
	customers := []string{`(1, 2)`, `(2, 2)`, `(3, 3)`, `(4, NULL)`, `(5, 99)`}
	for _, on := range engines() {
		for _, keys := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, foreign keys %v", on.name, keys), func(t *testing.T) {
				t.Parallel()
				foreign, lost := ", FOREIGN KEY (%s) REFERENCES employees (id)", customers[:4]
				if !keys {
					foreign, lost = "/* %s */", customers // a parent that is not there
				}
				h := open(t, sqldb.Config{Relations: relations, URL: on.create(t,
					"CREATE TABLE employees (id INTEGER PRIMARY KEY, reports_to INTEGER, name VARCHAR(20)"+fmt.Sprintf(foreign, "reports_to")+")",
					"CREATE TABLE customers (id INTEGER PRIMARY KEY, support_rep_id INTEGER"+fmt.Sprintf(foreign, "support_rep_id")+")",
					"INSERT INTO employees VALUES "+strings.Join(employees, ", "), "INSERT INTO customers VALUES "+strings.Join(lost, ", "))})
				want := []string{"1|Bo|Ada", "2|Bo|Ada", "3|Cy|Ada", "4|-|-", "5|-|-"}[:len(lost)]
				wantList(t, "parents", ask(t, h, "customers", "", nil, "id", "rep.name", "rep.manager.name"), want)
				wantList(t, "children", ask(t, h, "employees", "", nil, "id", "clients.count()", "team.count()", "team.sum(e, e.team.count() + e.clients.count())"), []string{"1|0|2|4", "2|2|1|0", "3|1|0|-", "4|0|0|-"})
				wantList(t, "no parent", ask(t, h, "customers", "rep == null", nil, "id"), []string{"4", "5"}[:len(lost)-3])
				wantList(t, "the column", ask(t, h, "customers", `support_rep_id != null && rep.name != "Cy"`, nil, "id"), []string{"1", "2", "5"}[:len(lost)-2])
				for table, names := range map[string][]string{"employees": {"manager", "clients", "team"}, "customers": {"rep"}} {
					offered := tableOf(t, h, table)
					for _, r := range offered.Relations {
						if !slices.Contains(names, r.Name) {
							t.Errorf("%s has %s, want %v", table, r.Name, names)
						}
					}
				}
			})
		}
	}
}

// TestNamesOfTheDocument: what a database calls a table or a column is offered under the name that the document says.
func TestNamesOfTheDocument(t *testing.T) {
	t.Parallel()
	_, list, _ := strings.Cut(expressions(t), "| in the database | here |\n|---|---|\n")
	list, _, _ = strings.Cut(list, "\n\n")
	var names, want []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(.*)` \\| `(.*)` \\|$").FindAllStringSubmatch(list, -1) {
		names, want = append(names, m[1]), append(want, m[2])
	}
	if len(names) < 10 {
		t.Fatalf("the document has %d names", len(names))
	}
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	for _, on := range engines() {
		t.Run(on.name, func(t *testing.T) {
			t.Parallel()
			var columns, values, statements []string
			for i, name := range names {
				columns = append(columns, quoted(name)+" INTEGER")
				values = append(values, fmt.Sprint(i))
				statements = append(statements, "CREATE TABLE "+quoted(name)+" (id INTEGER PRIMARY KEY)", fmt.Sprintf("INSERT INTO %s VALUES (%d)", quoted(name), i))
			}
			h := open(t, sqldb.Config{URL: on.create(t, append(statements, "CREATE TABLE wide ("+strings.Join(columns, ", ")+")", "INSERT INTO wide VALUES ("+strings.Join(values, ", ")+")")...)})
			if got := tableOf(t, h, "wide").FieldNames(); !slices.Equal(got, want) {
				t.Errorf("fields %v, want %v", got, want)
			}
			wantList(t, "columns", ask(t, h, "wide", "", nil, want...), []string{strings.Join(values, "|")})
			tables := tableNames(t, h)
			for _, name := range want {
				if !slices.Contains(tables, name) {
					t.Errorf("no table %s in %v", name, tables)
				}
			}
		})
	}
}
