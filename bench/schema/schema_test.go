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
	"example.com/deputy/provider/scripted"
)

// The size of the schema.
const (
	tables  = 500
	columns = 50
)

// areas are the beginnings of table names, as applications of this size have them.
func areas() []string {
	return []string{"crm", "erp", "hr", "inv", "fin", "log", "mkt", "prd", "srv", "wms"}
}

func tableName(i int) string { return fmt.Sprintf("%s_%s_%03d", areas()[i%10], "entity", i) }

// wide are the statements that make the schema, in the words that all three databases know; moment is the type of a moment. Each table but
// the first has a parent, every third has a second one, and every second refers to the first, which so has 250 children and more.
func wide(moment string) []string {
	var out []string
	for i := range tables {
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
		for n := len(parts); n < columns; n++ {
			parts = append(parts, fmt.Sprintf("attribute_%02d %s", n, []string{"varchar(40)", "integer", "numeric(12, 2)", "date", moment}[n%5]))
		}
		out = append(out, fmt.Sprintf(`CREATE TABLE "%s" (%s)`, tableName(i), strings.Join(append(parts, keys...), ", ")))
	}
	return out
}

func sqliteURL(t testing.TB) string {
	path := filepath.Join(t.TempDir(), "wide.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run(t, db, append(append([]string{"BEGIN"}, wide("timestamp")...), "COMMIT"))
	return "sqlite:" + path
}

func postgresURL(t testing.TB) string {
	url := pgtest.Database(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run(t, db, append(append([]string{"BEGIN"}, wide("timestamptz")...), "COMMIT"))
	return url
}

func mariaURL(t testing.TB) string {
	url := mariatest.Database(t)
	run(t, mariatest.Open(t, url), wide("datetime"))
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

// engines are the databases of a benchmark: what makes the schema in one and gives its URL.
func engines(b *testing.B, f func(b *testing.B, url string)) {
	for _, e := range []struct {
		name string
		make func(testing.TB) string
	}{{"sqlite", sqliteURL}, {"postgres", postgresURL}, {"mariadb", mariaURL}} {
		b.Run(e.name, func(b *testing.B) { f(b, e.make(b)) })
	}
}

// BenchmarkOpen reads the schema, as a start does.
func BenchmarkOpen(b *testing.B) {
	engines(b, func(b *testing.B, url string) {
		began := processor(b)
		for b.Loop() {
			host(b, url).Close()
		}
		b.ReportMetric(float64((processor(b)-began).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	})
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
func policy() deputy.Policy {
	all := deputy.Fields{All: true}
	p := deputytest.AllowAll("manager")
	clerk := deputy.Role{Tools: []string{"*"}, Tables: map[string]deputy.Access{}}
	for i := range tables {
		clerk.Tables[tableName(i)] = deputy.Access{Read: all, Update: deputy.Fields{Names: []string{"name", "status"}}, Rows: `status != "void" && code == person.attributes.code`}
	}
	p.Roles["clerk"] = clerk
	return p
}

// BenchmarkCall is a whole turn with one tool call: the tools offered, two requests to a model that answers at once, the call with its
// permission check, its caps and its row in the log.
func BenchmarkCall(b *testing.B) {
	engines(b, func(b *testing.B, url string) {
		h := host(b, url)
		b.Cleanup(func() { h.Close() })
		desk := deputytest.New(b, deputytest.Config{Host: h, Policy: policy()})
		for _, call := range []struct{ name, tool, arguments string }{
			{"list_tables", "list_tables", `{}`}, {"list_tables-term", "list_tables", `{"term":"fin_"}`}, {"list_tables-page", "list_tables", `{"after":"mkt_entity_346"}`},
			{"describe_table", "describe_table", `{"tables":["erp_entity_091"]}`}, {"describe_table-10", "describe_table", describeTen()},
			{"describe_table-hub", "describe_table", `{"tables":["crm_entity_000"]}`}, {"query_records", "query_records", `{"table":"erp_entity_091","where":"status == \"open\""}`},
		} {
			for _, role := range []string{"manager", "clerk"} {
				who := deputytest.Person(role, role)
				who.Attributes["code"] = "x"
				b.Run(call.name+"/"+role, func(b *testing.B) {
					desk := desk.For(b)
					ask(b, desk, who, call.tool, call.arguments) // the first
					began := processor(b)
					for b.Loop() {
						ask(b, desk, who, call.tool, call.arguments)
					}
					b.ReportMetric(float64((processor(b)-began).Microseconds())/1000/float64(b.N), "cpu-ms/op")
				})
			}
		}
	})
}

func ask(b *testing.B, desk *deputytest.Desk, who deputy.Caller, tool, arguments string) {
	turn := desk.Run(who, scripted.Answer(deputytest.Call(tool, arguments)))
	if turn.Outcomes[0] != deputy.Ran {
		b.Fatal(turn.Results[0])
	}
}

func describeTen() string {
	var names []string
	for i := range 10 {
		names = append(names, fmt.Sprintf("%q", tableName(i*17+3)))
	}
	return `{"tables":[` + strings.Join(names, ",") + `]}`
}
