// Package host measures what it costs to ask a database through the assistant instead of asking it directly: guard, permission check, caps and the
// row of the log, over SQLite, Postgres and MariaDB.
package host

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
	_ "modernc.org/sqlite"             // the driver

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/mariatest"
	"example.com/deputy/internal/pgtest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/store/memory"
	"example.com/deputy/store/sqlite"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/records"
)

// server is an engine with the shop in it.
type server struct {
	name   string
	url    string
	direct *sql.DB // the same database through the same driver
}

// servers are those that the machine has.
func servers(b *testing.B, run func(*testing.B, server)) {
	b.Run("sqlite", func(b *testing.B) { run(b, overSQLite(b)) })
	b.Run("postgres", func(b *testing.B) { run(b, overPostgres(b)) })
	b.Run("mariadb", func(b *testing.B) { run(b, overMariaDB(b)) })
}

func overSQLite(b *testing.B) server {
	path := filepath.Join(b.TempDir(), "shop.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	fill(b, db, sqliteShop)
	return server{"sqlite", "sqlite:" + path, db}
}

func overPostgres(b *testing.B) server {
	url := pgtest.Database(b)
	db, err := sql.Open("pgx", url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	fill(b, db, postgresShop)
	return server{"postgres", url, db}
}

func overMariaDB(b *testing.B) server {
	url := mariatest.Database(b)
	db := mariatest.Open(b, url)
	fill(b, db, mariaShop)
	return server{"mariadb", url, db}
}

func fill(b *testing.B, db *sql.DB, script string) {
	for _, text := range strings.Split(script, ";\n") {
		if _, err := db.ExecContext(b.Context(), text); err != nil {
			b.Fatalf("%s: %v", text, err)
		}
	}
}

// policy shows an agent of the north the records of the north.
func policy() deputy.Policy {
	own := deputy.Access{Read: deputy.Fields{All: true}, Rows: "region == person.attributes.region"}
	return deputy.Policy{Roles: map[string]deputy.Role{"agent": {Tools: []string{"*"}, Tables: map[string]deputy.Access{"customers": own, "orders": own}}}}
}

// desk asks one question after another, and takes the time of each.
type desk struct {
	*deputytest.Desk
	said, asked   time.Time     // when the model had asked for a tool, and when it was asked again
	began         time.Time     // of the tool
	call          time.Duration // of the tool
	tool, command string
	counts        bool  // computing time, not the clock's
	others        []int // processes of the server
}

func open(b *testing.B, s server, keep string) *desk {
	h, err := sqldb.Open(b.Context(), sqldb.Config{URL: s.url})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = h.Close() })
	d := &desk{}
	store := memory.New()
	if keep == "sqlite" {
		if store, err = sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "store.db")); err != nil {
			b.Fatal(err)
		}
	}
	d.Desk = deputytest.New(b, deputytest.Config{Host: h, Policy: policy(), Toolsets: []deputy.Toolset{records.New(records.Config{}), analysis.New()},
		Adjust: func(c *deputy.Config) { c.Store, c.Observe = store, d.observe }})
	d.Decide(d.answer)
	return d
}

func (d *desk) observe(ctx context.Context, begun deputy.Span) (context.Context, func(deputy.Span)) {
	if begun.Kind != "tool" {
		return ctx, nil
	}
	if d.counts {
		before := counted(d.others)
		return ctx, func(deputy.Span) { d.call = cpu(d.others) - before }
	}
	d.began = time.Now()
	return ctx, func(deputy.Span) { d.call = time.Since(d.began) }
}

// answer is the model's: the tool, then some words.
func (d *desk) answer(r deputy.Request) scripted.Answer {
	if scripted.Step(r) > 1 {
		d.asked = time.Now()
		return scripted.Answer{Text: "done"}
	}
	defer func() { d.said = time.Now() }()
	return deputytest.Call(d.tool, d.command)
}

// ask gives the time of the call, and of the whole step: from the model's last word to its next request.
func (d *desk) ask(b *testing.B, tool, arguments string) (call, step time.Duration, result string) {
	d.tool, d.command = tool, arguments
	who := deputytest.Person("ann", "agent")
	who.Attributes["region"] = "north"
	var err error
	if who.Zone, err = time.LoadLocation("Europe/Oslo"); err != nil {
		b.Fatal(err)
	}
	if strings.Contains(arguments, "UTC") {
		who.Zone = time.UTC
		d.command = strings.ReplaceAll(arguments, "UTC", "")
	}
	t := d.Run(who)
	if len(t.Outcomes) != 1 || t.Outcomes[0] != deputy.Ran {
		b.Fatal(t.Results)
	}
	return d.call, d.asked.Sub(d.said), string(t.Data(b, 0))
}

// times are those of one way to ask.
type times []time.Duration

func (t times) median() float64 {
	slices.Sort(t)
	return float64(t[len(t)/2].Microseconds()) / 1000
}

// measure asks in turns, and reports the medians and what the full way costs beside the bare one: by the clock, and by what is computed for it.
func measure(b *testing.B, s server, d *desk, q question) {
	bare, naive := q.bare[s.name], q.naive[s.name]
	var call, step, direct, simple, callCPU, directCPU times
	check(b, s, d, q)
	d.others = s.processes(b)
	for b.Loop() {
		c, st, _ := d.ask(b, q.tool, q.arguments)
		call, step = append(call, c), append(step, st)
		began := time.Now()
		read(b, s.direct, bare, q.values...)
		direct = append(direct, time.Since(began))
		if naive != "" {
			began = time.Now()
			read(b, s.direct, naive)
			simple = append(simple, time.Since(began))
		}
		d.counts = true
		c, _, _ = d.ask(b, q.tool, q.arguments)
		d.counts = false
		callCPU = append(callCPU, c)
		before := counted(d.others)
		read(b, s.direct, bare, q.values...)
		directCPU = append(directCPU, cpu(d.others)-before)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(direct.median(), "bare-ms")
	b.ReportMetric(call.median()/direct.median(), "call/bare")
	b.ReportMetric(call.median()-direct.median(), "added-ms")
	b.ReportMetric(step.median()-direct.median(), "step-added-ms")
	b.ReportMetric(directCPU.median(), "cpu-bare-ms")
	b.ReportMetric(callCPU.median()/directCPU.median(), "cpu-call/bare")
	b.ReportMetric(callCPU.median()-directCPU.median(), "cpu-added-ms")
	if naive != "" {
		b.ReportMetric(simple.median()/direct.median(), "naive/bare")
	}
}

// read reads all rows, each value as text.
func read(b *testing.B, db *sql.DB, text string, values ...any) (out [][]sql.NullString) {
	rows, err := db.QueryContext(b.Context(), text, values...)
	if err != nil {
		b.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		b.Fatal(err)
	}
	for rows.Next() {
		line := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range line {
			into[i] = &line[i]
		}
		if err := rows.Scan(into...); err != nil {
			b.Fatal(err)
		}
		out = append(out, line)
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return out
}

// check shows that both ways give the same answer: floats and decimals alike to nine digits.
func check(b *testing.B, s server, d *desk, q question) {
	var got struct{ Rows [][]any }
	_, _, text := d.ask(b, q.tool, q.arguments)
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		b.Fatal(err)
	}
	want := read(b, s.direct, q.bare[s.name], q.values...)
	if len(got.Rows) == 0 || len(got.Rows) != len(want) {
		b.Fatalf("%d rows, want %d: %.300s", len(got.Rows), len(want), text)
	}
	for i, line := range want {
		for j, v := range line {
			if !same(got.Rows[i][j], v) {
				b.Fatalf("row %d: %v, want %v", i, got.Rows[i], line)
			}
		}
	}
}

func same(got any, want sql.NullString) bool {
	if got == nil || !want.Valid {
		return got == nil && !want.Valid
	}
	text := fmt.Sprint(got)
	x, errX := strconv.ParseFloat(text, 64)
	y, errY := strconv.ParseFloat(want.String, 64)
	if errX == nil && errY == nil {
		return math.Abs(x-y) <= 1e-9*math.Abs(y)
	}
	return text == want.String
}

// BenchmarkAnalysis asks for figures over 20,000 rows.
func BenchmarkAnalysis(b *testing.B) {
	servers(b, func(b *testing.B, s server) {
		d := open(b, s, os.Getenv("KEEP"))
		for _, q := range analyses() {
			b.Run(q.name, func(b *testing.B) { measure(b, s, d, q) })
		}
	})
}

// BenchmarkRows asks for 50 of 20,000 rows.
func BenchmarkRows(b *testing.B) {
	servers(b, func(b *testing.B, s server) {
		for _, keep := range []string{"memory", "sqlite"} {
			d := open(b, s, keep)
			for _, q := range lists() {
				b.Run(fmt.Sprint(q.name, " ", keep), func(b *testing.B) { measure(b, s, d, q) })
			}
		}
	})
}
