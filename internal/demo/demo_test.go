package demo

import (
	"database/sql"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

func monday() time.Time { return time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC) }

func open(t *testing.T) *sql.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	made, err := Create(t.Context(), path, monday())
	if err != nil || !made {
		t.Fatalf("made %v, %v", made, err)
	}
	if made, err = Create(t.Context(), path, monday()); err != nil || made {
		t.Fatalf("a second time: made %v, %v", made, err)
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func number(t *testing.T, db *sql.DB, query string, args ...any) int {
	t.Helper()
	var n int
	if err := db.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestTheBusinessIsWholeAndPlausible(t *testing.T) {
	t.Parallel()
	db := open(t)
	for table, want := range map[string][2]int{
		"employees": {25, 40}, "customers": {600, 600}, "contacts": {900, 1500}, "categories": {15, 40}, "products": {200, 400},
		"orders": {5500, 8000}, "order_lines": {18000, 22000}, "invoices": {5000, 8000}, "payments": {4500, 8000}, "refunds": {20, 200}, "tickets": {900, 1600}, "ticket_notes": {2000, 5000},
	} {
		if n := number(t, db, "SELECT count(*) FROM "+table); n < want[0] || n > want[1] {
			t.Errorf("%s: %d rows, want %v", table, n, want)
		}
	}
	for what, query := range map[string]string{
		"broken foreign keys":        "SELECT count(*) FROM pragma_foreign_key_check",
		"orders in the future":       "SELECT count(*) FROM orders WHERE ordered_at >= '2026-11-30'",
		"orders too old":             "SELECT count(*) FROM orders WHERE ordered_at < '2024-11-30'",
		"notes in the future":        "SELECT count(*) FROM ticket_notes WHERE written_at > '2026-11-30 23:59:59'",
		"open tickets with an end":   "SELECT count(*) FROM tickets WHERE status IN ('open', 'waiting') AND closed_at IS NOT NULL",
		"closed before opened":       "SELECT count(*) FROM tickets WHERE closed_at < opened_at",
		"paid invoices without":      "SELECT count(*) FROM invoices i WHERE status = 'paid' AND abs(total - (SELECT sum(amount) FROM payments WHERE invoice_id = i.id)) > 0.001",
		"unpaid invoices with":       "SELECT count(*) FROM invoices i WHERE status <> 'paid' AND EXISTS (SELECT 1 FROM payments WHERE invoice_id = i.id)",
		"cancelled without a reason": "SELECT count(*) FROM orders WHERE (status = 'cancelled') <> (cancel_reason IS NOT NULL)",
		"cancelled lines":            "SELECT count(*) FROM order_lines l JOIN orders o ON o.id = l.order_id WHERE l.cancelled <> (o.status = 'cancelled')",
		"refunds of no credit":       "SELECT count(*) FROM refunds r JOIN invoices i ON i.id = r.invoice_id WHERE i.status <> 'credited' OR i.total <> r.amount",
		"reports to themselves":      "SELECT count(*) FROM employees WHERE manager_id = id",
		"mail outside of .example":   "SELECT count(*) FROM customers WHERE email NOT LIKE '%.example'",
		"JSON that is none":          "SELECT count(*) FROM products WHERE NOT json_valid(details)",
		"totals that are not lines'": "SELECT count(*) FROM invoices i WHERE abs(total - (SELECT sum(round(quantity * unit_price * (100 - discount) / 100.0, 2)) FROM order_lines WHERE order_id = i.order_id)) > 0.05",
	} {
		if n := number(t, db, query); n != 0 {
			t.Errorf("%s: %d", what, n)
		}
	}
}

func TestTheAgentHasWork(t *testing.T) {
	t.Parallel()
	db := open(t)
	if n := number(t, db, "SELECT count(*) FROM employees WHERE id = ? AND department = 'support'", AgentID); n != 1 {
		t.Errorf("employee %d is no support agent", AgentID)
	}
	if n := number(t, db, "SELECT count(*) FROM customers WHERE support_rep_id = ?", AgentID); n < 40 || n > 150 {
		t.Errorf("%d customers of their own", n)
	}
	if n := number(t, db, "SELECT count(*) FROM customers WHERE support_rep_id = ? AND country = 'Norway'", AgentID); n < 5 {
		t.Errorf("%d Norwegian customers of their own", n)
	}
	if n := number(t, db, "SELECT count(*) FROM customers WHERE id = 6 AND support_rep_id = ?", AgentID); n != 1 {
		t.Error("the README's example, customer 6, is not one of their own")
	}
	injected := "SELECT count(*) FROM ticket_notes n JOIN tickets t ON t.id = n.ticket_id JOIN customers c ON c.id = t.customer_id WHERE body = ? AND c.support_rep_id = ?"
	if n := number(t, db, injected, Injected, AgentID); n != 1 {
		t.Errorf("%d notes with an instruction", n)
	}
}

func TestTheSameDayGivesTheSameRows(t *testing.T) {
	t.Parallel()
	one, two, other := newBusiness(monday()), newBusiness(monday().Add(5*time.Hour)), newBusiness(monday().AddDate(0, 0, 1))
	if !reflect.DeepEqual(one.tables, two.tables) {
		t.Error("two runs of one day differ")
	}
	if reflect.DeepEqual(one.tables, other.tables) {
		t.Error("another day gives the same rows")
	}
}

func TestAnEarlierSchemaIsReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "shop.db")
	old, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.ExecContext(t.Context(), "CREATE TABLE orders (id INTEGER PRIMARY KEY)"); err != nil || old.Close() != nil {
		t.Fatal(err)
	}
	if made, err := Create(t.Context(), path, monday()); err != nil || !made {
		t.Errorf("made %v, %v", made, err)
	}
	if made, err := Create(t.Context(), path, monday()); err != nil || made {
		t.Errorf("a second time: made %v, %v", made, err)
	}
}

func TestCreateFailsWhole(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "missing", "shop.db")
	if _, err := Create(t.Context(), path, monday()); err == nil {
		t.Error("no error for a folder that is not there")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("something was left behind")
	}
}

func BenchmarkCreate(b *testing.B) {
	for b.Loop() {
		if _, err := Create(b.Context(), filepath.Join(b.TempDir(), "shop.db"), monday()); err != nil {
			b.Fatal(err)
		}
	}
}
