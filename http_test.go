package deputy_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/store/sqlite"
	"example.com/deputy/transport/api"
)

// desk is a bench over a real database and a real store, behind HTTP. Its tickets may all be written.
func desk(t *testing.T) (*bench, *httptest.Server, *sql.DB) {
	t.Helper()
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "desk.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for _, text := range []string{"PRAGMA journal_mode = WAL", `CREATE TABLE tickets (id INTEGER PRIMARY KEY, title TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'open')`,
		`INSERT INTO tickets (id, title) VALUES (1, 'Printer'), (2, 'Phone')`} {
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	host, err := sqldb.Open(t.Context(), sqldb.Config{URL: "sqlite:" + filepath.Join(dir, "desk.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "deputy.db"))
	if err != nil {
		t.Fatal(err)
	}
	model := &oneCall{next: do("update_record", `{"table":"tickets","id":"1","values":[{"field":"title","value":"Big printer"}]}`)}
	b := setupModel(t, func(c *deputy.Config) {
		c.Host, c.Store = host, store
		c.Policy = deputy.Policy{Roles: map[string]deputy.Role{"support": {Tools: []string{"*"}, Tables: map[string]deputy.Access{"tickets": {Read: all(), Update: all()}}}}}
	}, model.answer)
	b.store = store
	srv := httptest.NewServer(api.New(b.door(), func(r *http.Request) (deputy.Caller, error) {
		return caller(r.Header.Get("Authorization"), "support"), nil
	}, api.Options{}))
	t.Cleanup(srv.Close)
	return b, srv, db
}

func post(t *testing.T, srv *httptest.Server, who, path string, body any) (int, string) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, srv.URL+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", who)
	r.Header.Set("Content-Type", "application/json")
	res, err := srv.Client().Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	return res.StatusCode, string(text)
}

func TestHundredConfirmsOverHTTP(t *testing.T) {
	t.Parallel()
	b, srv, db := desk(t)
	if _, err := db.Exec(`CREATE TABLE writes (n INTEGER); CREATE TRIGGER counted AFTER UPDATE ON tickets BEGIN INSERT INTO writes VALUES (1); END`); err != nil {
		t.Fatal(err)
	}
	b.ask(t, caller("ann", "support"), "", "call it Big printer")
	p := b.proposals(t, caller("ann", "support"))[0]
	path := "/v1/proposals/" + p.ID + "/confirm"
	if status, body := post(t, srv, "bob", path, map[string]string{"hash": p.Hash}); status != http.StatusNotFound {
		t.Errorf("another person: %d %s", status, body)
	}
	if status, body := post(t, srv, "ann", path, map[string]string{"hash": "old"}); status != http.StatusConflict || !strings.Contains(body, `"conflict"`) {
		t.Errorf("an old hash: %d %s", status, body)
	}
	var mu sync.Mutex
	got := map[string]int{}
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			status, body := post(t, srv, "ann", path, map[string]string{"hash": p.Hash})
			var r struct{ State, Code string }
			if err := json.Unmarshal([]byte(body), &r); err != nil {
				t.Error(err, status, body)
			}
			mu.Lock()
			defer mu.Unlock()
			got[http.StatusText(status)+" "+r.State+r.Code]++
		})
	}
	wg.Wait()
	if got["OK done"] != 1 || got["Conflict already_decided"] != 99 {
		t.Error(got)
	}
	if n := numbers(t, db, `SELECT count(*) FROM writes`); n != 1 {
		t.Errorf("%d writes", n)
	}
}

// TestChangedBetweenReadAndWrite holds the database's write lock while the confirmation is on its way to it, and changes the record.
func TestChangedBetweenReadAndWrite(t *testing.T) {
	t.Parallel()
	b, _, db := desk(t)
	who := caller("ann", "support")
	b.ask(t, who, "", "call it Big printer")
	p := b.proposals(t, who)[0]
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	type answer struct {
		d   deputy.Decision
		err error
	}
	answered := make(chan answer)
	go func() {
		d, err := b.door().Confirm(context.Background(), who, p.ID, shown(p))
		answered <- answer{d, err}
	}()
	for state := deputy.Pending; state != deputy.Confirming; { // claimed: from here on only the write is left
		ps, err := b.store.Proposals.Get(t.Context(), who.Person, p.ID)
		if err != nil {
			t.Fatal(err)
		}
		state = ps[0].State
	}
	for _, text := range []string{`UPDATE tickets SET title = 'Old printer' WHERE id = 1`, "COMMIT"} {
		if _, err := conn.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	got := <-answered
	code(t, got.err, deputy.Stale)
	if len(got.d.Renewed) != 1 || *got.d.Renewed[0].Lines[0].Before != "Old printer" || numbers(t, db, `SELECT count(*) FROM tickets WHERE title = 'Old printer'`) != 1 {
		t.Error(got.d)
	}
}

// counters is a database with a record for each worker, which belongs to one of three people, and a row for every write.
func counters(t *testing.T, workers int) (*sql.DB, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "counters.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for _, text := range []string{"PRAGMA journal_mode = WAL", "CREATE TABLE counters (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, n INTEGER)", "CREATE TABLE written (n INTEGER)",
		"CREATE TRIGGER counted AFTER UPDATE ON counters BEGIN INSERT INTO written VALUES (new.n); END",
		fmt.Sprintf("WITH RECURSIVE w (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM w WHERE i < %d) INSERT INTO counters SELECT i, 'p' || (i %% 3), 0 FROM w", workers-1)} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	return db, "sqlite:" + path
}
