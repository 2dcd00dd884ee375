package app

import (
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that makes the copy

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/internal/copytest"
	"example.com/deputy/internal/demo"
	"example.com/deputy/internal/mariatest"
	"example.com/deputy/internal/pgtest"
)

// everyType are widgets with parameters of every type, given or not.
const everyType = `
    by_kind:     { query: { table: customers, where: '(parameters.kind == null || segment == parameters.kind) && active == coalesce(parameters.active, true) && credit_limit >= coalesce(parameters.least, 0)', select: [number, segment, credit_limit], order_by: [number], limit: 30 }, parameters: { kind: { type: string }, active: { type: bool }, least: { type: decimal } } }
    of_null:     { query: { table: customers, where: 'since >= parameters.day || segment == parameters.kind || credit_limit > parameters.least || id < parameters.id || active == parameters.active', select: [number], order_by: [number] }, parameters: { day: { type: date }, kind: { type: string }, least: { type: decimal }, id: { type: int }, active: { type: bool } } }
    opened:      { analyze: { table: tickets, where: 'opened_at >= parameters.at', group_by: [status, 'month(opened_at)'], measures: [ { as: n, expr: count() }, { as: early, expr: 'count_if(opened_at < parameters.at + days(coalesce(parameters.within, 30)))' } ], having: 'n > coalesce(parameters.within, 0) / 100' }, parameters: { at: { type: timestamp, required: true }, within: { type: int } } }
    shown:       { query: { table: customers, select: [number, 'parameters.kind', 'coalesce(parameters.day, since) + days(1)', 'credit_limit * parameters.least'], order_by: [number], limit: 5 }, parameters: { day: { type: date }, kind: { type: string }, least: { type: decimal } } }
`

// TestWidgetsMeanTheSameEverywhere: those of the demo, and parameters of every type, with the same answers on every database.
func TestWidgetsMeanTheSameEverywhere(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "business.db")
	if _, err := demo.Create(t.Context(), file, time.Now()); err != nil {
		t.Fatal(err)
	}
	open := func(driver, name string) *sql.DB {
		db, err := sql.Open(driver, name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	lite, postgres, maria := open("sqlite", file), pgtest.Database(t), mariatest.Database(t)
	copytest.Copy(t, lite, open("pgx", postgres), copytest.Postgres())
	copytest.Copy(t, lite, mariatest.Open(t, maria), copytest.Maria())

	desks := map[string]*deputytest.Desk{}
	for name, url := range map[string]string{"SQLite": "sqlite:" + file, "Postgres": postgres, "MariaDB": maria} {
		desks[name] = widgetDesk(t, url)
	}
	for _, arguments := range []string{
		`{"widget":"revenue_by_month"}`, `{"widget":"revenue_by_month","parameters":["since=2000-01-01"]}`, `{"widget":"revenue_by_month","parameters":["since=2999-01-01"]}`,
		`{"widget":"overdue_invoices"}`, `{"widget":"overdue_invoices","parameters":["days=60"]}`, `{"widget":"overdue_invoices","parameters":["days=-9223372036854775808"]}`,
		`{"widget":"by_kind"}`, `{"widget":"by_kind","parameters":["kind=school","active=true","least=5000.00"]}`, `{"widget":"by_kind","parameters":["kind=School"]}`, `{"widget":"by_kind","parameters":["active=false"]}`,
		`{"widget":"of_null"}`, `{"widget":"of_null","parameters":["id=4"]}`, `{"widget":"of_null","parameters":["kind=club","least=99999999999999999999.5"]}`,
		`{"widget":"opened","parameters":["at=2000-01-01"]}`, `{"widget":"opened","parameters":["at=2000-01-01T00:00:00.000001+02:00","within=400"]}`,
		`{"widget":"shown"}`, `{"widget":"shown","parameters":["kind=Ω'%_\\\\ 🙂","day=2024-02-28","least=1.005"]}`, `{}`,
	} {
		for _, role := range []string{"manager", "support"} {
			who := deputytest.Person(role, role)
			who.Attributes["employee_id"] = fmt.Sprint(demo.AgentID)
			answers := map[string]string{}
			for name, desk := range desks {
				r := desk.Run(who, deputytest.Call("render_widget", arguments))
				if r.Outcomes[0] != deputy.Ran {
					t.Errorf("%s of %s on %s: %s", arguments, role, name, r.Results[0])
				}
				answers[name] = r.Results[0]
			}
			if answers["SQLite"] != answers["Postgres"] || answers["SQLite"] != answers["MariaDB"] {
				t.Errorf("%s of %s:\nSQLite   %.600s\nPostgres %.600s\nMariaDB  %.600s", arguments, role, answers["SQLite"], answers["Postgres"], answers["MariaDB"])
			}
		}
	}
	revenue(t, lite, desks["SQLite"])
}

// widgetDesk is the demo's assistant over a database, with more widgets.
func widgetDesk(t *testing.T, url string) *deputytest.Desk {
	t.Helper()
	text := strings.Replace(string(demoYAML), "sqlite:${DEMO_DATABASE}", "${DEMO_DATABASE}", 1)
	text = strings.Replace(text, "  widgets:\n", "  widgets:"+everyType, 1)
	d, err := parse("demo.yaml", []byte(text), func(name string) (string, bool) {
		v, ok := map[string]string{"DEMO_DATABASE": url, "DEMO_STORE": "unused", "DEMO_EMPLOYEE": "7"}[name]
		return v, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Store = "memory:"
	p, err := build(t.Context(), d, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return deputytest.New(t, deputytest.Config{Host: p.host, Policy: d.policy(), Toolsets: p.tools, Now: time.Now()})
}

// revenue is held against a query written by hand.
func revenue(t *testing.T, db *sql.DB, desk *deputytest.Desk) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT strftime('%Y-%m-01', issued_on), printf('%.2f', sum(round(total * 100)) / 100.0), count(*) FROM invoices
		WHERE status IN ('sent', 'paid', 'overdue') AND issued_on >= date('now', 'start of month', '-11 months') GROUP BY 1 ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var want []string
	for rows.Next() {
		var month, total string
		var n int
		if err := rows.Scan(&month, &total, &n); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprintf("[%q,%q,%d]", month, total, n))
	}
	if err := rows.Err(); err != nil || len(want) < 11 {
		t.Fatal(len(want), err)
	}
	r := desk.Run(deputytest.Person("m", "manager"), deputytest.Call("render_widget", `{"widget":"revenue_by_month"}`))
	if !strings.Contains(r.Results[0], "["+strings.Join(want, ",")+"]") {
		t.Errorf("%s\nwant %s", r.Results[0], want)
	}
}
