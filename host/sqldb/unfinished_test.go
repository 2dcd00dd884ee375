package sqldb_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"example.com/deputy/host/sqldb"
)

// unfinished copies a database as a program leaves it that dies while it writes: some changes stand in the file, and a journal beside it undoes them.
func unfinished(t *testing.T, path string, db *sql.DB, into string) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	run(t, conn, "PRAGMA cache_size = 5", "PRAGMA cache_spill = 1", "BEGIN", "UPDATE x SET n = n + 1000, s = upper(s)")
	for _, suffix := range []string{"", "-journal"} {
		text, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(into+suffix, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
}

// TestAWriterThatDied shows that what another program has left half written is undone: at the start, and while the host is open.
func TestAWriterThatDied(t *testing.T) {
	t.Parallel()
	path, db := create(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, n INT, s TEXT)`,
		`WITH RECURSIVE i (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 2000) INSERT INTO x SELECT i, 1, 'some text that takes room' FROM i`)
	left := filepath.Join(t.TempDir(), "left.db")
	unfinished(t, path, db, left)
	if _, err := plainly(t, left); err == nil {
		t.Fatal("a connection that cannot write reads it: this tests nothing")
	}
	h := open(t, sqldb.Config{URL: "sqlite:" + left})
	if n := ask(t, h, "x", "n != 1", nil, "n"); len(n) != 0 {
		t.Errorf("%d half written records at the start", len(n))
	}
	unfinished(t, path, db, left)
	if n := ask(t, h, "x", "n != 1", nil, "n"); len(n) != 0 {
		t.Errorf("%d half written records later", len(n))
	}
	if n := ask(t, h, "x", "id < 10", nil, "n"); len(n) != 9 {
		t.Errorf("%d records", len(n))
	}
}

// plainly counts the records on a connection that cannot write.
func plainly(t *testing.T, path string) (n int, err error) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	return n, db.QueryRowContext(t.Context(), "SELECT count(*) FROM x").Scan(&n)
}
