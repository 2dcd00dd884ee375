package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/mariatest"
	"example.com/deputy/query"
)

// mariaServer opens a host over a MariaDB database made by statements.
func mariaServer(t testing.TB, statements ...string) *sqldb.Host {
	t.Helper()
	url, _ := createMaria(t, statements...)
	return open(t, sqldb.Config{URL: url})
}

// mariaBusy returns once so many sessions of the host are answering a statement in which a text stands.
func mariaBusy(t *testing.T, db *sql.DB, with string, want int) {
	t.Helper()
	end := time.Now().Add(20 * time.Second)
	for n := -1; n != want; {
		if time.Now().After(end) {
			t.Errorf("%d sessions are busy with %s, want %d", n, with, want)
			return
		}
		if err := db.QueryRow(`SELECT count(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID() AND COMMAND IN ('Query', 'Execute') AND INFO LIKE ?`, "/* assistant%"+with+"%").Scan(&n); err != nil {
			t.Error(err)
			return
		}
	}
}

func TestMariaChangedWhileWaitingForTheLock(t *testing.T) {
	t.Parallel()
	for end, want := range map[string]struct {
		state deputy.State
		why   string
		kept  []string
	}{"COMMIT": {deputy.Outdated, "The record has changed since.", []string{"2"}}, "ROLLBACK": {deputy.Done, "", []string{"5"}}} {
		url, db := createMaria(t, oneRow, `INSERT INTO x VALUES (1, 1)`)
		h := open(t, sqldb.Config{URL: url, Busy: time.Minute, Statement: time.Minute})
		w := versioned(t, h, "5")
		other := holdPostgres(t, db, "UPDATE x SET n = 2")
		answers := apply(h, w)
		mariaBusy(t, db, "FOR UPDATE", 1)
		run(t, other, end)
		if got := <-answers; got.err != nil || got.out[0].State != want.state || got.out[0].Error != want.why {
			t.Errorf("%s: %+v, want %s", end, got, want.state)
		}
		wantList(t, end, ask(t, h, "x", "", nil, "n"), want.kept)
	}
}

func TestMariaDeletedWhileWaitingForTheLock(t *testing.T) {
	t.Parallel()
	url, db := createMaria(t, oneRow, `INSERT INTO x VALUES (1, 1)`)
	h := open(t, sqldb.Config{URL: url})
	w := versioned(t, h, "5")
	other := holdPostgres(t, db, "DELETE FROM x")
	answers := apply(h, w)
	mariaBusy(t, db, "FOR UPDATE", 1)
	run(t, other, "COMMIT")
	if got := <-answers; got.err != nil || got.out[0].State != deputy.Outdated || got.out[0].Error != "The record is gone." {
		t.Errorf("%+v", got)
	}
}

func TestMariaBusyWritesNothing(t *testing.T) {
	t.Parallel()
	url, db := createMaria(t, oneRow, `INSERT INTO x VALUES (1, 1)`)
	h := open(t, sqldb.Config{URL: url, Busy: time.Millisecond})
	w := versioned(t, h, "5")
	other := holdPostgres(t, db, "UPDATE x SET n = 2")
	out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w})
	if deputy.CodeOf(err) != deputy.Unavailable || out != nil || !strings.Contains(deputy.MessageOf(err), "Nothing was written") {
		t.Errorf("%v %v, want unavailable", out, err)
	}
	wantList(t, "reading beside a writer", ask(t, h, "x", "", nil, "n"), []string{"1"})
	run(t, other, "ROLLBACK")
	if out, err = h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w}); err != nil || out[0].State != deputy.Done {
		t.Errorf("once the lock is free: %v %v", out, err)
	}
}

// TestMariaDeadlock: a group that the server ends because another waits for it, and it for the other, has written nothing and can be tried again.
func TestMariaDeadlock(t *testing.T) {
	t.Parallel()
	url, db := createMaria(t, oneRow, `CREATE TABLE y (id int PRIMARY KEY, n int)`, `CREATE TABLE big (id int PRIMARY KEY, t varchar(200))`, `INSERT INTO x VALUES (1, 1)`, `INSERT INTO y VALUES (1, 1)`, `INSERT INTO big SELECT seq, repeat('x', 100) FROM seq_1_to_1000`)
	h := open(t, sqldb.Config{URL: url, Busy: time.Minute, Statement: time.Minute})
	w := versioned(t, h, "5")
	other := holdPostgres(t, db, "UPDATE big SET t = 'much, so that the server ends the lighter one'", "UPDATE y SET n = 7")
	answers := apply(h, w, deputy.Write{Change: set("y", "1", "n", query.Int, "6")})
	mariaBusy(t, db, `"y"%FOR UPDATE`, 1)
	run(t, other, "UPDATE x SET n = 8", "ROLLBACK")
	if got := <-answers; deputy.CodeOf(got.err) != deputy.Unavailable || !strings.Contains(deputy.MessageOf(got.err), "Nothing was written") {
		t.Errorf("%+v", got)
	}
	wantList(t, "afterwards", ask(t, h, "x", "", nil, "n"), []string{"1"})
	if out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w}); err != nil || out[0].State != deputy.Done {
		t.Errorf("once more: %v %v", out, err)
	}
}

func TestMariaCancelledWhileWaitingForTheLock(t *testing.T) {
	t.Parallel()
	url, db := createMaria(t, oneRow, `INSERT INTO x VALUES (1, 1)`)
	h := open(t, sqldb.Config{URL: url, Busy: time.Minute})
	w := versioned(t, h, "5")
	other := holdPostgres(t, db, "UPDATE x SET n = 2")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := h.Apply(ctx, deputy.Person{}, "key", []deputy.Write{w})
	var known *deputy.Error // that nothing was written
	if !errors.As(err, &known) || known.Code != deputy.Timeout {
		t.Errorf("%v, want a timeout", err)
	}
	mariaBusy(t, db, "FOR UPDATE", 0)
	run(t, other, "ROLLBACK")
	if out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w}); err != nil || out[0].State != deputy.Done {
		t.Errorf("afterwards: %v %v", out, err)
	}
}

// TestMariaGroupsDoNotWaitForEachOther: two groups that write the same records in opposite orders both end, without an error.
func TestMariaGroupsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	url, _ := createMaria(t, oneRow, `INSERT INTO x VALUES (1, 1), (2, 1)`)
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

// TestMariaRefusals: what the database refuses is said in a sentence that names fields, never what a trigger says, and nothing is written.
func TestMariaRefusals(t *testing.T) {
	t.Parallel()
	h := mariaServer(t, `CREATE TABLE p (id int PRIMARY KEY)`, `INSERT INTO p VALUES (1)`,
		`CREATE TABLE x (id int PRIMARY KEY AUTO_INCREMENT, "My Code" varchar(20) UNIQUE, n int CHECK (n > 0), must int NOT NULL DEFAULT 1, q_id int REFERENCES p (id), a int, b int, tiny tinyint, unsig int unsigned, mood enum('ok', 'sad'), UNIQUE "a for key 'b'" (a, b), FOREIGN KEY (q_id) REFERENCES p (id))`,
		`CREATE TABLE kept (id int PRIMARY KEY, x_id int, FOREIGN KEY (x_id) REFERENCES x (id))`,
		`CREATE TRIGGER no BEFORE UPDATE ON x FOR EACH ROW BEGIN IF new.n = 13 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'secret of row 7'; ELSEIF new.n = 14 THEN SET new.n = 15; END IF; END`,
		`INSERT INTO x (id, "My Code", n, q_id, a, b) VALUES (1, 'one', 1, 1, 1, 2), (2, 'two', 2, 1, 1, 3)`, `INSERT INTO kept VALUES (1, 2)`)
	for _, tt := range []struct{ field, text, want string }{
		{"my_code", "two", "Another record has this value already: my_code."}, {"n", "-1", "The database's own rules refuse these values: n."},
		{"n", "13", "The database's own rules refuse this change."}, {"n", "14", "n: the column cannot keep this exactly."},
		{"q_id", "9", "There is no such record: q_id."}, {"b", "3", "Another record has this value already: a, b."},
		{"tiny", "128", "tiny: a whole number from -128 to 127."}, {"unsig", "-1", "unsig: a whole number from 0 to 4294967295."}, {"mood", "glad", "The database takes no such value for mood."},
		{"my_code", strings.Repeat("x", 21), "my_code: at most 20 characters."},
	} {
		f, _ := tableOf(t, h, "x").Field(tt.field)
		if got := write(t, h, deputy.Failed, set("x", "1", tt.field, f.Type, tt.text)); got.Error != tt.want {
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
	wantList(t, "nothing was written", ask(t, h, "x", "", nil, "my_code", "n", "must", "q_id", "b"), []string{"one|1|1|1|2", "two|2|1|1|3"})
	write(t, h, deputy.Done, set("x", "1", "n", query.Int, "1")) // found, though nothing changes
}

// TestMariaReadsCannotWrite: a question that would write, by a function behind a view, is refused by the server.
func TestMariaReadsCannotWrite(t *testing.T) {
	t.Parallel()
	url, db := createMaria(t, oneRow, `CREATE FUNCTION sly() RETURNS int MODIFIES SQL DATA BEGIN INSERT INTO x VALUES (7, 7); RETURN 1; END`, `CREATE VIEW v AS SELECT sly() AS n`)
	h := open(t, sqldb.Config{URL: url})
	if _, err := h.Query(t.Context(), deputy.Person{}, fieldOf(t, h, "v", "n")); err == nil || !strings.Contains(err.Error(), "READ ONLY transaction") {
		t.Errorf("%v", err)
	}
	if n := count(t, db, `SELECT count(*) FROM x`); n != 0 {
		t.Errorf("%d rows", n)
	}
}

func fieldOf(t testing.TB, h deputy.Host, table, field string) query.Query {
	t.Helper()
	f, _ := tableOf(t, h, table).Field(field)
	return query.Query{Table: table, Limit: 1, Select: []query.Column{{As: field, Expr: query.Ref{Table: table, Field: f}}}}
}

// TestMariaMarksItsTurn: the server sees for which turn it is asked, in reads and in writes; nothing of an id can end the comment.
func TestMariaMarksItsTurn(t *testing.T) {
	t.Parallel()
	url, db := createMaria(t, `CREATE VIEW who AS SELECT INFO AS name FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()`, `CREATE TABLE x (id int PRIMARY KEY, n int, said text)`,
		`CREATE TRIGGER says BEFORE INSERT ON x FOR EACH ROW SET new.said = (SELECT INFO FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID())`)
	h := open(t, sqldb.Config{URL: url})
	for turn, want := range map[string]string{"trn_1": "/* assistant/trn_1 */ SELECT", "": "/* assistant */ SELECT", "*/ DROP TABLE x; /*!": "/* assistant/___DROP_TABLE_x_____ */ SELECT"} {
		ctx := t.Context()
		if turn != "" {
			ctx = deputy.WithTurn(ctx, turn)
		}
		rows, err := h.Query(ctx, deputy.Person{}, fieldOf(t, h, "who", "name"))
		if err != nil || !strings.HasPrefix(rows.Rows[0][0].(string), want) {
			t.Errorf("%v %v, want %s", rows.Rows, err, want)
		}
	}
	c := deputy.Change{Verb: deputy.Create, Table: "x", Values: set("", "", "id", query.Int, "1").Values}
	if _, err := h.Apply(deputy.WithTurn(t.Context(), "trn_2"), deputy.Person{}, "key", []deputy.Write{{Change: c}}); err != nil {
		t.Fatal(err)
	}
	var said string
	if err := db.QueryRow(`SELECT said FROM x`).Scan(&said); err != nil || !strings.HasPrefix(said, "/* assistant/trn_2 */ INSERT") {
		t.Errorf("%s %v", said, err)
	}
}

const mariaSlow = `CREATE VIEW slow AS SELECT sleep(60) AS n`

func TestMariaTakesItsTime(t *testing.T) {
	t.Parallel()
	url, db := createMaria(t, mariaSlow)
	h := open(t, sqldb.Config{URL: url, Statement: 50 * time.Millisecond})
	_, err := h.Query(t.Context(), deputy.Person{}, fieldOf(t, h, "slow", "n"))
	if deputy.CodeOf(err) != deputy.Timeout || !strings.Contains(deputy.MessageOf(err), "Ask for less") {
		t.Errorf("beyond the limit of a statement: %v", err)
	}
	h = open(t, sqldb.Config{URL: url})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := h.Query(ctx, deputy.Person{}, fieldOf(t, h, "slow", "n")); deputy.CodeOf(err) != deputy.Timeout {
		t.Errorf("beyond the context: %v", err)
	}
	mariaBusy(t, db, "sleep", 0)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		mariaBusy(t, db, "slow", 1)
		stop()
	}()
	if _, err := h.Query(ctx, deputy.Person{}, fieldOf(t, h, "slow", "n")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	mariaBusy(t, db, "slow", 0)
}

// TestMariaStopsOnlyItsOwn: questions that are stopped, among others on the same few connections, stop no other.
func TestMariaStopsOnlyItsOwn(t *testing.T) {
	t.Parallel()
	h := mariaServer(t, oneRow, `INSERT INTO x VALUES (1, 1)`, `CREATE VIEW slow AS SELECT sleep(0.004) AS n`)
	q, plain := fieldOf(t, h, "slow", "n"), fieldOf(t, h, "x", "n")
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			defer time.AfterFunc(time.Duration(i%10)*time.Millisecond, cancel).Stop()
			if _, err := h.Query(ctx, deputy.Person{}, q); err != nil && ctx.Err() == nil {
				t.Errorf("stopped too early: %v", err)
			}
			if rows, err := h.Query(t.Context(), deputy.Person{}, plain); err != nil || rows.Rows[0][0] != int64(1) {
				t.Errorf("another: %v %v", rows.Rows, err)
			}
		})
	}
	all.Wait()
}

// TestMariaPoolIsBounded: whatever the number of questions, so many sessions and no more; none is left once the host is closed.
func TestMariaPoolIsBounded(t *testing.T) {
	t.Parallel()
	url, db := createMaria(t, `CREATE VIEW slow AS SELECT sleep(0.01) AS n`)
	h, err := sqldb.Open(t.Context(), sqldb.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	q := fieldOf(t, h, "slow", "n")
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if _, err := h.Query(t.Context(), deputy.Person{}, q); err != nil {
				t.Error(err)
			}
		})
	}
	sessions := func() int {
		return count(t, db, `SELECT count(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID()`)
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
	if got := h.Pools(); len(got) != 2 || got["reads"].OpenConnections == 0 {
		t.Errorf("%+v", got)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	for sessions() > 0 { // the server takes notice a little later
	}
}

// TestMariaRestarts: while the server is down questions and writes say that they cannot reach it, and nothing was written; once it is back
// the first of each works.
func TestMariaRestarts(t *testing.T) {
	t.Parallel()
	s := mariatest.Start(t)
	url := s.Database(t)
	db := mariatest.Open(t, url)
	exec(t, db, oneRow, `INSERT INTO x VALUES (1, 1)`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	h := open(t, sqldb.Config{URL: url})
	w := versioned(t, h, "5")
	for round := range 2 {
		if round > 0 {
			w.Version = versioned(t, h, "5").Version
		}
		s.Stop(t)
		_, err := h.Query(t.Context(), deputy.Person{}, fieldOf(t, h, "x", "n"))
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

// TestMariaEndedSession: a session that is ended before COMMIT has written nothing, and says so.
func TestMariaEndedSession(t *testing.T) {
	t.Parallel()
	url, db := createMaria(t, oneRow, `INSERT INTO x VALUES (1, 1)`)
	h := open(t, sqldb.Config{URL: url, Busy: time.Minute})
	w := versioned(t, h, "5")
	other := holdPostgres(t, db, "UPDATE x SET n = 2")
	answers := apply(h, w)
	mariaBusy(t, db, "FOR UPDATE", 1)
	var id int
	if err := db.QueryRow(`SELECT ID FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND INFO LIKE '/* assistant%FOR UPDATE%'`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`KILL ?`, id); err != nil {
		t.Fatal(err)
	}
	if got := <-answers; deputy.CodeOf(got.err) != deputy.Unavailable || !strings.Contains(deputy.MessageOf(got.err), "Nothing was written") {
		t.Errorf("%+v", got)
	}
	run(t, other, "ROLLBACK")
	if out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w}); err != nil || out[0].State != deputy.Done {
		t.Errorf("afterwards: %v %v", out, err)
	}
}

// TestMariaTooMuchToAsk: what the server's limits do not allow is said so that one can ask for less.
func TestMariaTooMuchToAsk(t *testing.T) {
	t.Parallel()
	h := mariaServer(t, oneRow, `INSERT INTO x VALUES (1, 1)`)
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
		q.Select = append(q.Select, query.Column{As: "c", Expr: n})
	}
	if rows, err := h.Query(t.Context(), deputy.Person{}, q); err != nil || len(rows.Rows[0]) != 1500 {
		t.Errorf("1,500 columns: %v", err)
	}
}
