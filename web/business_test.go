package web_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

const businessTables = `
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, phone TEXT, note TEXT, details JSON);
CREATE TABLE tickets (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id), subject TEXT NOT NULL, status TEXT NOT NULL);
CREATE TABLE ticket_notes (id INTEGER PRIMARY KEY, ticket_id INTEGER NOT NULL REFERENCES tickets (id), body TEXT NOT NULL);
CREATE TABLE months (id INTEGER PRIMARY KEY, month DATE NOT NULL, revenue NUMERIC(12,2) NOT NULL, orders INTEGER NOT NULL, region TEXT NOT NULL);
INSERT INTO customers VALUES (1, 'Acme AS', '+47 555 01 200', NULL, '{"address":{"city":"Oslo","zip":"0150"},"tags":["a","b"]}'), (2, 'Globex', '+47 555 01 300', 'calls on Mondays', NULL), (3, 'Initech', NULL, NULL, NULL);
INSERT INTO tickets VALUES (1, 1, 'Leaking seam', 'open'), (2, 2, 'Wrong size', 'open'), (3, 3, 'Late parcel', 'closed');
INSERT INTO ticket_notes VALUES (1, 1, 'First note'), (2, 2, 'Second note');
INSERT INTO months VALUES (1,'2026-01-01','18250.50',41,'North'),(2,'2026-02-01','16900.00',38,'South'),(3,'2026-03-01','21480.75',52,'West'),(4,'2026-04-01','19875.20',47,'East'),(5,'2026-05-01','24310.00',58,'Centre'),(6,'2026-06-01','26995.95',63,'Islands');
`

// columns are those of the wide table, beside its key.
const wideColumns, wideRows = 59, 1000

// business makes a database of three customers, some months and a wide table; with rows of the test's own.
func business(t *testing.T, statements ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	db := openBusiness(t, dir)
	names := make([]string, wideColumns)
	for i := range names {
		names[i] = fmt.Sprintf("c%02d INTEGER", i+1)
	}
	fill := fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < %d) INSERT INTO wide SELECT i%s FROM n`, wideRows, strings.Repeat(", (i * 7919) % 1009", wideColumns))
	for _, s := range append([]string{businessTables, "CREATE TABLE wide (id INTEGER PRIMARY KEY, " + strings.Join(names, ", ") + ")", fill}, statements...) {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return dir
}

func openBusiness(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "business.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

const ownConfig = `
listen: 127.0.0.1:0
store: "sqlite:%[1]s/served.db"
host: { database: "sqlite:%[1]s/business.db", tables: { customers: { record_label: name }, tickets: { record_label: subject, label: %[3]s } } }
models: [ { name: teller, provider: openai, model: test, base_url: "%[2]s/v1", api_key: none } ]
auth: { tokens: [ { token: boss-token, id: boss, name: Boss, roles: [boss] }, { token: clerk-token, id: clerk, name: Clerk, roles: [clerk] } ] }
policy:
  roles:
    boss: { tools: ["*"], tables: { "*": { read: true, create: true, update: true, delete: true } } }
    clerk: { tools: ["*"], tables: { customers: { read: [id, name] } } }
limits: { handle_rows: 1000, tool_timeout: 60s }
budgets: { rate: { turns_per_minute: 100000 } }
`

// serveBusiness starts a server over a business, with a model of the test's own.
func serveBusiness(t *testing.T, binary, dir string, m *teller, ticketsLabel string) string {
	t.Helper()
	label, _ := json.Marshal(ticketsLabel) // a text always marshals
	file := filepath.Join(dir, "deputy.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, ownConfig, dir, m.URL, label), 0o600); err != nil {
		t.Fatal(err)
	}
	return start(t, binary, "serve", "--config", file)
}

// as signs in with a token.
func (b *browser) as(token string) {
	b.t.Helper()
	b.typed("#token", token+"\r")
	b.until(`document.querySelector('.words li')`)
}

// post sends to the server past the page, as the boss.
func post[T any](t *testing.T, url string, body any) (out T) {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", url, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer boss-token")
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= 300 {
		t.Fatalf("%s: %s", url, res.Status)
	}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}
