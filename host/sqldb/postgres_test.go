package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/pgtest"
	"example.com/deputy/query"
)

// holdPostgres begins a transaction as another program would, and gives its connection.
func holdPostgres(t *testing.T, db *sql.DB, statements ...string) *sql.Conn {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	run(t, conn, append([]string{"BEGIN"}, statements...)...)
	return conn
}

// waiting returns once a session of the host waits for a lock.
func waiting(t *testing.T, db *sql.DB) {
	t.Helper()
	for n := 0; n == 0; {
		if err := db.QueryRow(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'assistant%' AND wait_event_type = 'Lock'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
}

const oneRow = `CREATE TABLE x (id int PRIMARY KEY, n int)`

func apply(h deputy.Host, ws ...deputy.Write) <-chan answered {
	out := make(chan answered, 1)
	go func() {
		done, err := h.Apply(context.Background(), deputy.Person{}, "key", ws)
		out <- answered{done, err}
	}()
	return out
}

type answered struct {
	out []deputy.Applied
	err error
}

func TestPostgresChangedWhileWaitingForTheLock(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"COMMIT", "ROLLBACK"} {
		url, db := createPostgres(t, oneRow, `INSERT INTO x VALUES (1, 1)`)
		h := open(t, sqldb.Config{URL: url, Busy: time.Minute, Statement: time.Minute})
		w := versioned(t, h, "5")
		other := holdPostgres(t, db, "UPDATE x SET n = 2")
		answers := apply(h, w)
		waiting(t, db)
		run(t, other, end)
		want, kept := deputy.Outdated, "2"
		if end == "ROLLBACK" {
			want, kept = deputy.Done, "5"
		}
		if got := <-answers; got.err != nil || got.out[0].State != want {
			t.Errorf("%s: %+v, want %s", end, got, want)
		}
		wantList(t, end, ask(t, h, "x", "", nil, "n"), []string{kept})
	}
}

func TestPostgresDeletedWhileWaitingForTheLock(t *testing.T) {
	t.Parallel()
	url, db := createPostgres(t, oneRow, `INSERT INTO x VALUES (1, 1)`)
	h := open(t, sqldb.Config{URL: url})
	w := versioned(t, h, "5")
	other := holdPostgres(t, db, "DELETE FROM x")
	answers := apply(h, w)
	waiting(t, db)
	run(t, other, "COMMIT")
	if got := <-answers; got.err != nil || got.out[0].State != deputy.Outdated || got.out[0].Error != "The record is gone." {
		t.Errorf("%+v", got)
	}
}

func TestPostgresBusyWritesNothing(t *testing.T) {
	t.Parallel()
	url, db := createPostgres(t, oneRow, `INSERT INTO x VALUES (1, 1)`)
	h := open(t, sqldb.Config{URL: url, Busy: time.Millisecond})
	w := versioned(t, h, "5")
	other := holdPostgres(t, db, "UPDATE x SET n = 2")
	out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w})
	if deputy.CodeOf(err) != deputy.Unavailable || out != nil {
		t.Errorf("%v %v, want unavailable", out, err)
	}
	wantList(t, "reading beside a writer", ask(t, h, "x", "", nil, "n"), []string{"1"})
	run(t, other, "ROLLBACK")
	if out, err = h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w}); err != nil || out[0].State != deputy.Done {
		t.Errorf("once the lock is free: %v %v", out, err)
	}
}

func TestPostgresCancelledWhileWaitingForTheLock(t *testing.T) {
	t.Parallel()
	url, db := createPostgres(t, oneRow, `INSERT INTO x VALUES (1, 1)`)
	h := open(t, sqldb.Config{URL: url, Busy: time.Minute})
	w := versioned(t, h, "5")
	other := holdPostgres(t, db, "UPDATE x SET n = 2")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := h.Apply(ctx, deputy.Person{}, "key", []deputy.Write{w})
	var known *deputy.Error // that nothing was written
	if !errors.As(err, &known) || known.Code != deputy.Timeout {
		t.Errorf("%v, want a timeout", err)
	}
	run(t, other, "ROLLBACK")
	if out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w}); err != nil || out[0].State != deputy.Done {
		t.Errorf("afterwards: %v %v", out, err)
	}
}

// TestPostgresGroupsDoNotWaitForEachOther: two groups that write the same records in opposite orders both end, without an error.
func TestPostgresGroupsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	url, _ := createPostgres(t, oneRow, `INSERT INTO x VALUES (1, 1), (2, 1)`)
	h := open(t, sqldb.Config{URL: url})
	for range 50 {
		one, two := deputy.Write{Change: set("x", "1", "n", query.Int, "1")}, deputy.Write{Change: set("x", "2", "n", query.Int, "2")}
		a, b := apply(h, one, two), apply(h, two, one)
		for _, got := range []answered{<-a, <-b} {
			if got.err != nil || got.out[0].State != deputy.Done || got.out[1].State != deputy.Done {
				t.Fatalf("%+v", got)
			}
		}
	}
}

// TestPostgresRefusals: what the database refuses is said in a sentence that names fields, never what a trigger says, and nothing is written.
func TestPostgresRefusals(t *testing.T) {
	t.Parallel()
	h := server(t, `CREATE TABLE p (id int PRIMARY KEY)`, `INSERT INTO p VALUES (1)`,
		`CREATE TABLE x (id int PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY, "My Code" text UNIQUE, n int CHECK (n > 0), must int NOT NULL DEFAULT 1, p_id int REFERENCES p DEFERRABLE INITIALLY DEFERRED, q_id int REFERENCES p, a int, b int, UNIQUE (a, b), during int4range, EXCLUDE USING gist (during WITH &&), late int UNIQUE DEFERRABLE INITIALLY DEFERRED)`,
		`CREATE TABLE kept (id int PRIMARY KEY, x_id int REFERENCES x ON DELETE RESTRICT)`,
		`CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF new.n = 13 THEN RAISE EXCEPTION 'secret of row 7'; ELSIF new.n = 14 THEN RAISE SQLSTATE '40001'; ELSIF new.n = 15 THEN RETURN NULL; END IF; RETURN new; END $$`,
		`CREATE TRIGGER no BEFORE UPDATE ON x FOR EACH ROW EXECUTE FUNCTION no()`, `INSERT INTO x VALUES (1, 'one', 1, 1, 1, 1, 1, 2, '[1,2)', 1), (2, 'two', 2, 1, 1, 1, 1, 3, '[5,6)', 2)`, `INSERT INTO kept VALUES (1, 2)`)
	for _, tt := range []struct {
		field, text, want string
		state             deputy.State
	}{
		{"my_code", "two", "Another record has this value already: my_code.", deputy.Failed}, {"n", "-1", "The database's own rules refuse these values: n.", deputy.Failed},
		{"n", "13", "The database's own rules refuse this change.", deputy.Failed}, {"n", "14", "The record has changed since.", deputy.Outdated}, {"n", "15", "The database's own rules refuse this change.", deputy.Failed},
		{"p_id", "9", "The records refer to one that does not exist.", deputy.Failed}, {"q_id", "9", "There is no such record: q_id.", deputy.Failed}, {"b", "3", "Another record has this value already: a, b.", deputy.Failed},
		{"during", "[5,9)", "The database's own rules refuse these values.", deputy.Failed}, {"late", "2", "The database's own rules refuse this change.", deputy.Failed},
	} {
		f, _ := tableOf(t, h, "x").Field(tt.field)
		if got := write(t, h, tt.state, set("x", "1", tt.field, f.Type, tt.text)); got.Error != tt.want {
			t.Errorf("%s = %s: %s, want %s", tt.field, tt.text, got.Error, tt.want)
		}
	}
	null := set("x", "1", "must", query.Int, "")
	null.Values[0].Text = nil
	if got := write(t, h, deputy.Failed, null); got.Error != "must must have a value." {
		t.Errorf("%+v", got)
	}
	if got := write(t, h, deputy.Failed, deputy.Change{Verb: deputy.Delete, Table: "x", Key: []string{"2"}}); !strings.Contains(got.Error, "Other records refer to this one") {
		t.Errorf("%+v", got)
	}
	wantList(t, "nothing was written", ask(t, h, "x", "", nil, "my_code", "n", "must", "p_id", "q_id", "b", "during", "late"), []string{"one|1|1|1|1|2|[1,2)|1", "two|2|1|1|1|3|[5,6)|2"})
}

// TestPostgresUnknownOnlyAtCommit: a session that is ended before COMMIT has written nothing, and says so; one that is ended while it commits
// is not known.
func TestPostgresUnknownOnlyAtCommit(t *testing.T) {
	t.Parallel()
	h := server(t, oneRow, `INSERT INTO x VALUES (1, 1)`, `CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN new; END $$`,
		`CREATE TRIGGER early BEFORE UPDATE ON x FOR EACH ROW WHEN (new.n = 2) EXECUTE FUNCTION die()`,
		`CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON x DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.n = 3) EXECUTE FUNCTION die()`)
	for n, known := range map[string]bool{"2": true, "3": false} {
		out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{versioned(t, h, n)})
		var said *deputy.Error
		if errors.As(err, &said) != known || err == nil || out != nil || known && said.Code != deputy.Unavailable {
			t.Errorf("n = %s: %v %v, want known: %v", n, out, err, known)
		}
		wantList(t, "afterwards", ask(t, h, "x", "", nil, "n"), []string{"1"})
	}
	if out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{versioned(t, h, "4")}); err != nil || out[0].State != deputy.Done {
		t.Errorf("afterwards: %v %v", out, err)
	}
}

// TestPostgresReadsCannotWrite: a question that would write, by a function behind a view, is refused by the server.
func TestPostgresReadsCannotWrite(t *testing.T) {
	t.Parallel()
	url, db := createPostgres(t, oneRow, `CREATE FUNCTION sly() RETURNS int LANGUAGE sql AS $$ INSERT INTO x VALUES (7, 7) RETURNING n $$`, `CREATE VIEW v AS SELECT sly() AS n`)
	h := open(t, sqldb.Config{URL: url})
	f, _ := tableOf(t, h, "v").Field("n")
	if _, err := h.Query(t.Context(), deputy.Person{}, query.Query{Table: "v", Limit: 1, Select: []query.Column{{As: "n", Expr: query.Ref{Table: "v", Field: f}}}}); err == nil || !strings.Contains(err.Error(), "read-only transaction") {
		t.Errorf("%v", err)
	}
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM x`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows, %v", n, err)
	}
}

// TestPostgresMarksItsTurn: the server sees for which turn it is asked, in reads and in writes.
func TestPostgresMarksItsTurn(t *testing.T) {
	t.Parallel()
	url, db := createPostgres(t, `CREATE TABLE x (id int PRIMARY KEY, n int, by text DEFAULT current_setting('application_name'))`, `CREATE VIEW who AS SELECT current_setting('application_name') AS name, pg_backend_pid() AS pid`)
	h := open(t, sqldb.Config{URL: url})
	f, _ := tableOf(t, h, "who").Field("name")
	for _, turn := range []string{"trn_1", "", "it's"} {
		ctx, want := t.Context(), "assistant"
		if turn != "" {
			ctx, want = deputy.WithTurn(ctx, turn), "assistant/"+turn
		}
		rows, err := h.Query(ctx, deputy.Person{}, query.Query{Table: "who", Limit: 1, Select: []query.Column{{As: "n", Expr: query.Ref{Table: "who", Field: f}}}})
		if err != nil || rows.Rows[0][0] != want {
			t.Errorf("%v %v, want %s", rows.Rows, err, want)
		}
	}
	c := deputy.Change{Verb: deputy.Create, Table: "x", Values: set("", "", "id", query.Int, "1").Values}
	if _, err := h.Apply(deputy.WithTurn(t.Context(), "trn_2"), deputy.Person{}, "key", []deputy.Write{{Change: c}}); err != nil {
		t.Fatal(err)
	}
	var by string
	if err := db.QueryRow(`SELECT by FROM x`).Scan(&by); err != nil || by != "assistant/trn_2" {
		t.Errorf("%s %v", by, err)
	}
}

func slowQuestion(t *testing.T, h deputy.Host) query.Query {
	t.Helper()
	f, _ := tableOf(t, h, "slow").Field("n")
	return query.Query{Table: "slow", Limit: 1, Select: []query.Column{{As: "n", Expr: query.Ref{Table: "slow", Field: f}}}}
}

const slowView = `CREATE VIEW slow AS SELECT 1 AS n FROM pg_sleep(60)`

func TestPostgresTakesItsTime(t *testing.T) {
	t.Parallel()
	url, db := createPostgres(t, slowView)
	h := open(t, sqldb.Config{URL: url, Statement: 20 * time.Millisecond})
	_, err := h.Query(t.Context(), deputy.Person{}, slowQuestion(t, h))
	if deputy.CodeOf(err) != deputy.Timeout || !strings.Contains(deputy.MessageOf(err), "Ask for less") {
		t.Errorf("beyond the limit of a statement: %v", err)
	}
	h = open(t, sqldb.Config{URL: url})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := h.Query(ctx, deputy.Person{}, slowQuestion(t, h)); deputy.CodeOf(err) != deputy.Timeout {
		t.Errorf("beyond the context: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		active(t, db, 1)
		stop()
	}()
	if _, err := h.Query(ctx, deputy.Person{}, slowQuestion(t, h)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	active(t, db, 0)
}

// active returns once so many questions of the host are being answered.
func active(t *testing.T, db *sql.DB, want int) {
	for n := -1; n != want; {
		if err := db.QueryRow(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'assistant%' AND state = 'active' AND wait_event = 'PgSleep'`).Scan(&n); err != nil {
			t.Error(err)
			return
		}
	}
}

// TestPostgresPoolIsBounded: whatever the number of questions, so many sessions and no more; none is left once the host is closed.
func TestPostgresPoolIsBounded(t *testing.T) {
	t.Parallel()
	url, db := createPostgres(t, oneRow, `INSERT INTO x VALUES (1, 1)`, `CREATE VIEW slow AS SELECT 1 AS n FROM pg_sleep(0.01)`)
	h, err := sqldb.Open(t.Context(), sqldb.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	q := slowQuestion(t, h)
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if _, err := h.Query(t.Context(), deputy.Person{}, q); err != nil {
				t.Error(err)
			}
		})
	}
	sessions := func() (n int) {
		if err := db.QueryRow(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'assistant%'`).Scan(&n); err != nil {
			t.Error(err)
		}
		return n
	}
	most, done := 0, make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
			most = max(most, sessions())
		}
	}
	if most < 2 || most > 8 {
		t.Errorf("%d sessions", most)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	for sessions() > 0 { // the server takes notice a little later
	}
}

// TestPostgresRestarts: while the server is down questions and writes say that they cannot reach it, and nothing was written; once it is back
// the first of each works.
func TestPostgresRestarts(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	url := s.Database(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(oneRow + `; INSERT INTO x VALUES (1, 1)`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	h := open(t, sqldb.Config{URL: url})
	w := versioned(t, h, "5")
	for round := range 2 {
		var all sync.WaitGroup
		for range 8 { // so that there are many connections to lose
			all.Go(func() { ask(t, h, "x", "", nil, "n") })
		}
		all.Wait()
		if w.Values[0].Text = ptr(fmt.Sprint(round + 5)); round > 0 {
			w.Version = versioned(t, h, "5").Version
		}
		s.Stop(t)
		env := query.Env{Catalog: catalogOf(t, h), Table: "x"}
		_, err := h.Query(t.Context(), deputy.Person{}, query.Query{Table: "x", Limit: 1, Select: []query.Column{{As: "n", Expr: compile(t, env, "n")}}})
		if deputy.CodeOf(err) != deputy.Unavailable || !strings.Contains(deputy.MessageOf(err), "cannot be reached") {
			t.Errorf("a question while it is down: %v", err)
		}
		if out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w}); deputy.CodeOf(err) != deputy.Unavailable || out != nil || !strings.Contains(deputy.MessageOf(err), "Nothing was written") {
			t.Errorf("a write while it is down: %v %v", out, err)
		}
		s.Again(t)
		if got := ask(t, h, "x", "", nil, "n"); !slices.Equal(got, []string{[]string{"1", "5"}[round]}) {
			t.Errorf("afterwards: %v", got)
		}
		if out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w}); err != nil || out[0].State != deputy.Done {
			t.Errorf("a write afterwards: %v %v", out, err)
		}
	}
}

// TestPostgresTooMuchToAsk: what the server's limits do not allow is said so that one can ask for less.
func TestPostgresTooMuchToAsk(t *testing.T) {
	t.Parallel()
	h := server(t, oneRow, `INSERT INTO x VALUES (1, 1)`)
	env := query.Env{Catalog: catalogOf(t, h), Table: "x"}
	n, deep := compile(t, env, `n + 1`), compile(t, env, `n == 1`)
	for range 20000 {
		deep = query.Op{Fn: "!", Args: []query.Expr{deep}, T: query.Bool}
	}
	q := query.Query{Table: "x", Limit: 1, Select: []query.Column{{As: "n", Expr: n}}, Where: deep}
	if _, err := h.Query(t.Context(), deputy.Person{}, q); deputy.CodeOf(err) != deputy.Invalid || !strings.Contains(deputy.MessageOf(err), "ask for fewer") {
		t.Errorf("a deep condition: %v", err)
	}
	w := deputy.Write{Change: deputy.Change{Verb: deputy.Delete, Table: "x", Key: []string{"1"}}, When: deep}
	if _, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w}); deputy.CodeOf(err) != deputy.Invalid {
		t.Errorf("a deep condition of a change: %v", err)
	}
	q.Where = nil
	for len(q.Select) < 1500 {
		q.Select = append(q.Select, query.Column{As: fmt.Sprint("c", len(q.Select)), Expr: n})
	}
	if rows, err := h.Query(t.Context(), deputy.Person{}, q); err != nil || len(rows.Rows[0]) != 1500 {
		t.Errorf("1,500 columns: %v", err)
	}
}

func ptr(s string) *string { return &s }
