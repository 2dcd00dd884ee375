// Package schema measures an application of 500 tables with 50 columns each: reading its schema, and what a tool call about it takes.
package schema

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/mariatest"
	"example.com/deputy/internal/pgtest"
)

// The size of the schema, and how many of its tables make the one that it is held against.
const (
	tables  = 500
	few     = 5
	columns = 50
)

// areas are the beginnings of table names, as applications of this size have them.
func areas() []string {
	return []string{"crm", "erp", "hr", "inv", "fin", "log", "mkt", "prd", "srv", "wms"}
}

func tableName(i int) string { return fmt.Sprintf("%s_%s_%03d", areas()[i%10], "entity", i) }

// wide are the statements that make the first n tables of the schema, in the words that all three databases know; moment is the type of a moment. Each table but
// the first has a parent, every third has a second one, and every second refers to the first, which so has 250 children and more.
func wide(n int, moment string) []string {
	var out []string
	for i := range n {
		parts := []string{"id integer NOT NULL PRIMARY KEY", "name varchar(80) NOT NULL", "code varchar(20)", "status varchar(10) CHECK (status IN ('open', 'closed', 'void'))"}
		var keys []string
		refers := func(column string, to int) {
			parts = append(parts, column+" integer")
			keys = append(keys, fmt.Sprintf(`FOREIGN KEY (%s) REFERENCES "%s" (id)`, column, tableName(to)))
		}
		if i > 0 {
			refers("parent_id", i/3)
		}
		if i%3 == 1 {
			refers("other_id", i/2)
		}
		if i%2 == 1 {
			refers("created_by", 0)
		}
		for k := len(parts); k < columns; k++ {
			parts = append(parts, fmt.Sprintf("attribute_%02d %s", k, []string{"varchar(40)", "integer", "numeric(12, 2)", "date", moment}[k%5]))
		}
		out = append(out, fmt.Sprintf(`CREATE TABLE "%s" (%s)`, tableName(i), strings.Join(append(parts, keys...), ", ")))
	}
	return out
}

func sqliteURL(t testing.TB, n int) string {
	path := filepath.Join(t.TempDir(), "wide.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run(t, db, append(append([]string{"BEGIN"}, wide(n, "timestamp")...), "COMMIT"))
	return "sqlite:" + path
}

func postgresURL(t testing.TB, n int) string {
	url := pgtest.Database(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run(t, db, append(append([]string{"BEGIN"}, wide(n, "timestamptz")...), "COMMIT"))
	return url
}

func mariaURL(t testing.TB, n int) string {
	url := mariatest.Database(t)
	run(t, mariatest.Open(t, url), wide(n, "datetime"))
	return url
}

func run(t testing.TB, db *sql.DB, statements []string) {
	t.Helper()
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// engines are the databases of a benchmark, each with few tables and with all: what makes them and gives its URL.
func engines(b *testing.B, f func(b *testing.B, url string, n int)) {
	for _, e := range []struct {
		name string
		make func(testing.TB, int) string
	}{{"sqlite", sqliteURL}, {"postgres", postgresURL}, {"mariadb", mariaURL}} {
		for _, n := range []int{few, tables} {
			b.Run(fmt.Sprintf("%s/%d", e.name, n), func(b *testing.B) { f(b, e.make(b, n), n) })
		}
	}
}

// BenchmarkOpen reads the schema, as a start does.
func BenchmarkOpen(b *testing.B) {
	engines(b, func(b *testing.B, url string, _ int) {
		measure(b, func() { host(b, url).Close() })
	})
}

// measure runs something again and again, and tells what of the processor it took besides how long.
func measure(b *testing.B, run func()) {
	began := processor(b)
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64((processor(b)-began).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

// processor is the time that this process has computed so far: it tells what a call costs where others keep the machine busy.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func host(t testing.TB, url string) *sqldb.Host {
	t.Helper()
	h, err := sqldb.Open(t.Context(), sqldb.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// policy has somebody who may do everything, and somebody who may do something to each table by a rule of its own.
func policy(n int) deputy.Policy {
	all := deputy.Fields{All: true}
	p := deputytest.AllowAll("manager")
	clerk := deputy.Role{Tools: []string{"*"}, Tables: map[string]deputy.Access{}}
	for i := range n {
		clerk.Tables[tableName(i)] = deputy.Access{Read: all, Update: deputy.Fields{Names: []string{"name", "status"}}, Rows: `status != "void" && code == person.attributes.code`}
	}
	p.Roles["clerk"] = clerk
	return p
}

// call is a tool call that is measured; those of few are about tables that both schemas have.
type call struct {
	name, tool, arguments string
	few                   bool
}

func calls() []call {
	var ten []string
	for i := range 10 {
		ten = append(ten, fmt.Sprintf("%q", tableName(i*17+3)))
	}
	return []call{
		{"list_tables", "list_tables", `{}`, true}, {"list_tables-term", "list_tables", `{"term":"fin_"}`, false}, {"list_tables-field", "list_tables", `{"term":"attribute_31"}`, false},
		{"list_tables-page", "list_tables", `{"after":"mkt_entity_346"}`, false},
		{"describe_table", "describe_table", `{"tables":["erp_entity_001"]}`, true}, {"describe_table-10", "describe_table", `{"tables":[` + strings.Join(ten, ",") + `]}`, false},
		{"describe_table-hub", "describe_table", `{"tables":["crm_entity_000"]}`, false},
		{"query_records", "query_records", `{"table":"erp_entity_001","where":"status == \"open\""}`, true},
	}
}

// BenchmarkCall is a whole turn with one tool call: the tools offered, two requests to a model that answers at once, the call with its
// permission check, its caps and its row in the log.
func BenchmarkCall(b *testing.B) {
	engines(b, func(b *testing.B, url string, n int) {
		h := host(b, url)
		b.Cleanup(func() { h.Close() })
		desk := deputytest.New(b, deputytest.Config{Host: h, Policy: policy(n)})
		for _, c := range calls() {
			for _, role := range []string{"manager", "clerk"} {
				if n == few && !c.few {
					continue
				}
				b.Run(c.name+"/"+role, func(b *testing.B) {
					c.measure(b, desk.For(b), role)
				})
			}
		}
	})
}

func (c call) measure(b *testing.B, desk *deputytest.Desk, role string) {
	who := deputytest.Person(role, role)
	who.Attributes["code"] = "x"
	ask := func() {
		if turn := desk.Run(who, deputytest.Call(c.tool, c.arguments)); turn.Outcomes[0] != deputy.Ran {
			b.Fatal(turn.Results[0])
		}
	}
	ask() // the first
	measure(b, ask)
}
