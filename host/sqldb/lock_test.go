package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/query"
)

// hold takes the write lock as another program would, and gives its connection.
func hold(t *testing.T, db *sql.DB) *sql.Conn {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	run(t, conn, "BEGIN IMMEDIATE")
	return conn
}

func run(t *testing.T, conn *sql.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := conn.ExecContext(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// versioned is a change of a field of record 1 as it is now; of is what its version is made of.
func versioned(t *testing.T, h deputy.Host, text string, of ...string) deputy.Write {
	t.Helper()
	if of == nil {
		of = []string{"n"}
	}
	f, _ := tableOf(t, h, "x").Field("n")
	rows, err := h.Query(t.Context(), deputy.Person{}, query.Query{Table: "x", Limit: 1, Version: of, Select: []query.Column{{As: "n", Expr: query.Ref{Table: "x", Field: f}}}})
	if err != nil {
		t.Fatal(err)
	}
	c := set("x", "1", "n", query.Int, text)
	c.Version, c.VersionOf = rows.Versions[0], of
	return deputy.Write{Change: c}
}

func TestChangedWhileWaitingForTheLock(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"DELETE", "WAL"} {
		path, db := create(t, `PRAGMA journal_mode = `+mode, `CREATE TABLE x (id INTEGER PRIMARY KEY, n INT)`, `INSERT INTO x VALUES (1, 1)`)
		h := open(t, sqldb.Config{URL: "sqlite:" + path, Busy: time.Minute})
		w := versioned(t, h, "5")
		other := hold(t, db)
		run(t, other, "UPDATE x SET n = 2")
		type answer struct {
			out []deputy.Applied
			err error
		}
		answers := make(chan answer)
		go func() {
			out, err := h.Apply(context.Background(), deputy.Person{}, "key", []deputy.Write{w})
			answers <- answer{out, err}
		}()
		run(t, other, "COMMIT")
		got := <-answers
		if got.err != nil || got.out[0].State != deputy.Outdated {
			t.Errorf("%s: %+v, want stale", mode, got)
		}
		if n := ask(t, h, "x", "", nil, "n"); n[0] != "2" {
			t.Errorf("%s: n is %s", mode, n[0])
		}
	}
}

func TestBusyWritesNothing(t *testing.T) {
	t.Parallel()
	path, db := create(t, `PRAGMA journal_mode = WAL`, `CREATE TABLE x (id INTEGER PRIMARY KEY, n INT)`, `INSERT INTO x VALUES (1, 1)`)
	h := open(t, sqldb.Config{URL: "sqlite:" + path, Busy: time.Millisecond})
	w := versioned(t, h, "5")
	other := hold(t, db)
	out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w})
	if deputy.CodeOf(err) != deputy.Unavailable || out != nil {
		t.Errorf("%v %v, want unavailable", out, err)
	}
	if n := ask(t, h, "x", "", nil, "n"); n[0] != "1" {
		t.Errorf("reading beside a writer: n is %s", n[0])
	}
	run(t, other, "ROLLBACK")
	if out, err = h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w}); err != nil || out[0].State != deputy.Done {
		t.Errorf("once the lock is free: %v %v", out, err)
	}
}

func TestCancelledWhileWaitingForTheLock(t *testing.T) {
	t.Parallel()
	path, db := create(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, n INT)`, `INSERT INTO x VALUES (1, 1)`)
	h := open(t, sqldb.Config{URL: "sqlite:" + path, Busy: time.Minute})
	w := versioned(t, h, "5")
	other := hold(t, db)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := h.Apply(ctx, deputy.Person{}, "key", []deputy.Write{w})
	var known *deputy.Error // that nothing was written
	if !errors.As(err, &known) || known.Code != deputy.Timeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want a timeout", err)
	}
	run(t, other, "ROLLBACK")
	if out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w}); err != nil || out[0].State != deputy.Done {
		t.Errorf("afterwards: %v %v", out, err)
	}
}

func TestDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	path, db := create(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, n INT)`, `INSERT INTO x VALUES (1, 1)`)
	h := open(t, sqldb.Config{URL: "sqlite:" + path})
	w := versioned(t, h, "5")
	if _, err := db.Exec(`DELETE FROM x`); err != nil {
		t.Fatal(err)
	}
	out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w})
	if err != nil || out[0].State != deputy.Outdated || out[0].Error != "The record is gone." {
		t.Errorf("%+v %v", out, err)
	}
}
