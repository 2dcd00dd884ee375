package app

import (
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/internal/copytest"
	"example.com/deputy/internal/demo"
	"example.com/deputy/internal/mariatest"
	"example.com/deputy/internal/pgtest"
)

// three is an action whose third step the database refuses where the invoice has a refund that was not there before; another one changes nothing
// of the record that it stands on.
const three = `
  open_case: { label: Open a case, table: orders, when: 'tickets.count() == 0', then: [ { create: { table: tickets, values: { customer_id: customer_id, order_id: id, subject: '"case"', status: '"open"', priority: '"low"', opened_at: now() } } } ] }
  three_steps: { label: Do three things, table: invoices, set: { status: '"credited"' }, then: [ { update: { children: payments, set: { reference: '"x"' } } }, { create: { table: refunds, values: { invoice_id: id, amount: '1', reason: '"damaged"', refunded_on: today() } } } ] }`

// business is the demo on one database.
type business struct {
	testing.TB
	db   *sql.DB
	desk *deputytest.Desk
}

func (b business) one(text string) (out string) {
	b.Helper()
	if err := b.db.QueryRowContext(b.Context(), text).Scan(&out); err != nil {
		b.Fatalf("%s: %v", text, err)
	}
	return out
}

func (b business) exec(text string) {
	b.Helper()
	if _, err := b.db.ExecContext(b.Context(), text); err != nil {
		b.Fatalf("%s: %v", text, err)
	}
}

// TestTheDemosActionsOnEveryDatabase: what they do, two who confirm at once, and a step that fails.
func TestTheDemosActionsOnEveryDatabase(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "trader.db")
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
	lite, url, maria := open("sqlite", "file:"+file+"?_pragma=busy_timeout(10000)"), pgtest.Database(t), mariatest.Database(t)
	postgres, mysql := open("pgx", url), mariatest.Open(t, maria)
	copytest.Copy(t, lite, postgres, copytest.Postgres())
	copytest.Copy(t, lite, mysql, copytest.Maria())
	for name, b := range map[string]business{
		"SQLite": {t, lite, actionDesk(t, "sqlite:"+file)}, "Postgres": {t, postgres, actionDesk(t, url)}, "MariaDB": {t, mysql, actionDesk(t, maria)},
	} {
		t.Run(name, func(t *testing.T) {
			b.TB, b.desk = t, b.desk.For(t)
			b.cancels()
			b.refunds()
			b.reassigns()
			b.failsWhole()
			b.contends("cancel_order", `,"reason":"no longer needed"`, "SELECT concat(min(id), '') FROM orders WHERE status = 'pending'",
				`it needs status == "pending", and now status is “cancelled”`)
			b.contends("open_case", ``, "SELECT concat(min(id), '') FROM orders WHERE NOT EXISTS (SELECT 1 FROM tickets t WHERE t.order_id = orders.id)",
				"it needs tickets.count() == 0, which does not hold")
			b.contends("refund_invoice", `,"reason":"damaged"`, "SELECT concat(min(id), '') FROM invoices WHERE status = 'paid'", "and now status is “credited”")
		})
	}
}

func actionDesk(t *testing.T, url string) *deputytest.Desk {
	t.Helper()
	text := strings.Replace(string(demoYAML), "sqlite:${DEMO_DATABASE}", "${DEMO_DATABASE}", 1)
	text = strings.Replace(text, "\nactions:", "\nactions:"+three, 1)
	text = strings.Replace(text, "    manager:\n      tools: [\"*\"]\n      actions: [", "    manager:\n      tools: [\"*\"]\n      actions: [three_steps, open_case, ", 1)
	d, err := parse("demo.yaml", []byte(text), func(name string) (string, bool) {
		v, ok := map[string]string{"DEMO_DATABASE": url, "DEMO_STORE": "unused", "DEMO_EMPLOYEE": fmt.Sprint(demo.AgentID)}[name]
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

func agent() deputy.Caller {
	who := deputytest.Person("agent", "support")
	who.Attributes["employee_id"] = fmt.Sprint(demo.AgentID)
	return who
}

// do proposes and confirms.
func (b business) do(who deputy.Caller, tool, arguments string) deputy.Proposal {
	b.Helper()
	turn := b.desk.Run(who, deputytest.Call(tool, arguments))
	if len(turn.Proposals) != 1 {
		b.Fatalf("%s %s: %q", tool, arguments, turn.Results)
	}
	d, err := b.desk.Confirm(who, turn.Proposals...)
	if err != nil || d.Proposals[0].State != deputy.Done {
		b.Fatalf("%s %s: %v %v", tool, arguments, d.Proposals, err)
	}
	return turn.Proposals[0]
}

// own is the id of the first record of the agent's customers that meets a condition.
func (b business) own(table, condition string) string {
	b.Helper()
	return b.one(fmt.Sprintf("SELECT concat(min(x.id), '') FROM %s x JOIN customers c ON c.id = x.customer_id WHERE c.support_rep_id = %d AND %s", table, demo.AgentID, condition))
}

func (b business) cancels() {
	b.Helper()
	id := b.own("orders", "x.status = 'pending'")
	lines := b.one("SELECT concat(count(*), '') FROM order_lines WHERE order_id = " + id)
	p := b.do(agent(), "cancel_order", `{"id":"`+id+`","reason":"ordered by mistake"}`)
	if !strings.HasPrefix(p.Summary, "Cancel an order: update order "+id+" (SO-") || lines != "1" && !strings.Contains(p.Summary, "update "+lines+" order lines: cancelled") {
		b.Errorf("summary %q", p.Summary)
	}
	if got := b.one("SELECT concat(status, ' ', cancel_reason) FROM orders WHERE id = " + id); got != "cancelled ordered by mistake" {
		b.Errorf("the order: %s", got)
	}
	if got := b.one("SELECT concat(sum(CASE WHEN cancelled THEN 1 ELSE 0 END), '') FROM order_lines WHERE order_id = " + id); got != lines {
		b.Errorf("%s of %s lines", got, lines)
	}
	turn := b.desk.Run(agent(), deputytest.Call("update_record", `{"table":"orders","id":"`+id+`","values":[{"field":"status","value":"pending"}]}`))
	if turn.Results[0] != "Error: You may not update records of orders." {
		b.Errorf("in another way: %q", turn.Results)
	}
	other := b.one(fmt.Sprintf("SELECT concat(min(x.id), '') FROM orders x JOIN customers c ON c.id = x.customer_id WHERE c.support_rep_id <> %d AND status = 'pending'", demo.AgentID))
	if turn = b.desk.Run(agent(), deputytest.Call("cancel_order", `{"id":"`+other+`","reason":"ordered by mistake"}`)); turn.Results[0] != "Error: No such record: orders "+other {
		b.Errorf("another's: %q", turn.Results)
	}
}

func (b business) refunds() {
	b.Helper()
	id := b.own("invoices", "x.status = 'paid'")
	paid := b.one("SELECT concat(sum(amount), '') FROM payments WHERE invoice_id = " + id)
	b.do(agent(), "refund_invoice", `{"id":"`+id+`","reason":"goodwill"}`)
	if b.one("SELECT status FROM invoices WHERE id = "+id) != "credited" || b.one("SELECT concat(amount, '') FROM refunds WHERE reason = 'goodwill' AND invoice_id = "+id) != paid {
		b.Errorf("invoice %s is not refunded", id)
	}
}

func (b business) reassigns() {
	b.Helper()
	id := b.one(fmt.Sprintf("SELECT concat(min(customer_id), '') FROM tickets t JOIN customers c ON c.id = t.customer_id WHERE status = 'open' AND support_rep_id = %d", demo.AgentID))
	for to, want := range map[string]string{"1": "Reassign a customer is not possible for customers " + id, "7": "Reassign a customer is not possible for customers " + id} {
		turn := b.desk.Run(agent(), deputytest.Call("reassign_customer", `{"id":"`+id+`","employee_id":`+to+`}`))
		if !strings.Contains(turn.Results[0], want) {
			b.Errorf("to %s: %q", to, turn.Results)
		}
	}
	b.do(agent(), "reassign_customer", `{"id":"`+id+`","employee_id":9}`)
	if b.one("SELECT concat(support_rep_id, '') FROM customers WHERE id = "+id) != "9" ||
		b.one("SELECT concat(count(*), '') FROM tickets WHERE status IN ('open', 'waiting') AND employee_id <> 9 AND customer_id = "+id) != "0" {
		b.Errorf("customer %s is not reassigned whole", id)
	}
}

// failsWhole: somebody else's refund gets in the way of the third step.
func (b business) failsWhole() {
	b.Helper()
	manager := deputytest.Person("manager", "manager")
	id := b.one("SELECT concat(max(id), '') FROM invoices WHERE status = 'paid'")
	turn := b.desk.Run(manager, deputytest.Call("three_steps", `{"id":"`+id+`"}`))
	if len(turn.Proposals) != 1 || len(turn.Proposals[0].Changes) < 3 {
		b.Fatalf("%q", turn.Results)
	}
	b.exec("INSERT INTO refunds (invoice_id, amount, reason, refunded_on) VALUES (" + id + ", 5, 'returned', '2026-01-01')")
	d, err := b.desk.Confirm(manager, turn.Proposals...)
	if err != nil || d.Proposals[0].State != deputy.Failed {
		b.Fatalf("%v %v", d.Proposals, err)
	}
	if b.one("SELECT status FROM invoices WHERE id = "+id) != "paid" || b.one("SELECT concat(count(*), '') FROM payments WHERE reference = 'x' AND invoice_id = "+id) != "0" {
		b.Error("something is left of the first steps")
	}
}

// contends has two managers confirm the same action on the same record at once.
func (b business) contends(tool, arguments, which, told string) {
	b.Helper()
	id := b.one(which)
	type result struct {
		d   deputy.Decision
		err error
	}
	var results [2]result
	var ready, wait sync.WaitGroup
	start := make(chan struct{})
	for i := range results {
		who := deputytest.Person(fmt.Sprint("manager", i), "manager")
		turn := b.desk.Run(who, deputytest.Call(tool, `{"id":"`+id+`"`+arguments+`}`))
		if len(turn.Proposals) != 1 {
			b.Fatalf("%q", turn.Results)
		}
		p := turn.Proposals[0]
		ready.Add(1)
		wait.Go(func() {
			ready.Done()
			<-start
			results[i].d, results[i].err = b.desk.Door.Confirm(b.Context(), who, p.ID, []deputy.Shown{{ID: p.ID, Hash: p.Hash}})
		})
	}
	ready.Wait()
	close(start)
	wait.Wait()
	done, toldWhy := 0, 0
	for _, r := range results {
		switch {
		case r.err == nil && r.d.Proposals[0].State == deputy.Done:
			done++
		case deputy.CodeOf(r.err) == deputy.Stale && len(r.d.Renewed) == 0 && strings.Contains(r.d.Proposals[0].Outcome, told):
			toldWhy++
		default:
			b.Errorf("%+v %v", r.d, r.err)
		}
	}
	if done != 1 || toldWhy != 1 {
		b.Errorf("%s: %d done, %d told why", tool, done, toldWhy)
	}
}
