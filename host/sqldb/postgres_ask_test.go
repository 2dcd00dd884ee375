package sqldb

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"

	"example.com/deputy/internal/pgtest"
	"example.com/deputy/query"
)

// onOne opens a host that asks on one connection only.
func onOne(t *testing.T) (*Host, *postgres) {
	t.Helper()
	h, err := Open(t.Context(), Config{URL: pgtest.Database(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	db, ok := h.db.(*postgres)
	if !ok {
		t.Fatalf("%T", h.db)
	}
	db.reads.SetMaxOpenConns(1)
	return h, db
}

func asked(t *testing.T, db *postgres, text string, args ...any) string {
	t.Helper()
	out := output{read: func(raw any) query.Value { return raw }}
	rows, err := db.ask(t.Context(), question{text, args, []output{out}, true})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%s: %v %v", text, rows, err)
	}
	return fmt.Sprint(rows[0][0])
}

func onConn(t *testing.T, db *postgres, do func(*sql.Conn) error) {
	t.Helper()
	conn, err := db.reads.Conn(t.Context())
	if err == nil {
		err = do(conn)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
}

// preparedThere counts the statements that the server keeps.
func preparedThere(t *testing.T, db *postgres) (n int) {
	t.Helper()
	onConn(t, db, func(c *sql.Conn) error {
		return c.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'assistant%'`).Scan(&n)
	})
	return n
}

// TestPostgresKeepsStatements: what is asked again is kept, by its text and not by its values, and not without end. What fails is not kept.
func TestPostgresKeepsStatements(t *testing.T) {
	t.Parallel()
	_, db := onOne(t)
	for _, text := range []string{"a", "b's", `\`, ""} {
		if got := asked(t, db, "SELECT $1::text", text); got != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	if n := preparedThere(t, db); n != 2 { // with that of the settings
		t.Errorf("%d statements", n)
	}
	for _, text := range []string{"SELECT 1 / $1::bigint", "SELECT nothing, $1::bigint"} {
		if _, err := db.ask(t.Context(), question{text, []any{int64(0)}, nil, true}); err == nil || db.fault(err) == lost {
			t.Errorf("%s: %v", text, err)
		}
	}
	if n := preparedThere(t, db); n != 2 {
		t.Errorf("%d statements after errors", n)
	}
	for i := range 2 * mostKept {
		if got := asked(t, db, fmt.Sprintf("SELECT $1::bigint + %d", i), int64(1)); got != fmt.Sprint(i+1) {
			t.Errorf("%s, want %d", got, i+1)
		}
	}
	if n := preparedThere(t, db); n != mostKept {
		t.Errorf("%d statements, want %d", n, mostKept)
	}
}

// TestPostgresBehindAPooler: where one session's statements are another's, questions are answered all the same, and none is kept any more.
func TestPostgresBehindAPooler(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(c *sql.Conn) error{
		"another session": func(c *sql.Conn) error {
			_, err := c.ExecContext(t.Context(), "DEALLOCATE ALL")
			return err
		},
		"a session that has them already": func(c *sql.Conn) error {
			return c.Raw(func(c any) error {
				clear(c.(*stdlib.Conn).Conn().PgConn().CustomData())
				return nil
			})
		},
	} {
		_, db := onOne(t)
		asked(t, db, "SELECT $1::bigint", int64(1))
		onConn(t, db, change)
		for n := range int64(3) {
			if got := asked(t, db, "SELECT $1::bigint", n); got != fmt.Sprint(n) {
				t.Errorf("%s: %s, want %d", what, got, n)
			}
		}
		if !db.unnamed.Load() {
			t.Errorf("%s: statements are kept still", what)
		}
		if _, err := db.ask(t.Context(), question{text: "CREATE TABLE x ()"}); err == nil || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestPostgresChangedUnderAStatement: a kept statement whose result has changed its type is asked anew.
func TestPostgresChangedUnderAStatement(t *testing.T) {
	t.Parallel()
	_, db := onOne(t)
	for _, kind := range []string{"bigint", "text"} {
		if _, err := db.writes.ExecContext(t.Context(), "DROP TABLE IF EXISTS x; CREATE TABLE x AS SELECT 7::"+kind+" AS n"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := asked(t, db, "SELECT n FROM x WHERE $1::bigint = 1", int64(1)); got != "7" {
				t.Errorf("%s: %s", kind, got)
			}
		}
	}
	if db.unnamed.Load() {
		t.Error("statements are not kept any more")
	}
}

// TestPostgresAsksAgainOnAnotherConnection: one that the server has ended is no reason to fail.
func TestPostgresAsksAgainOnAnotherConnection(t *testing.T) {
	t.Parallel()
	_, db := onOne(t)
	for range 2 {
		pid := asked(t, db, "SELECT pg_backend_pid()::bigint")
		if _, err := db.writes.ExecContext(t.Context(), "SELECT pg_terminate_backend($1::text::int, 5000)", pid); err != nil {
			t.Fatal(err)
		}
		if again := asked(t, db, "SELECT pg_backend_pid()::bigint"); again == pid {
			t.Error("the same session")
		}
	}
}
