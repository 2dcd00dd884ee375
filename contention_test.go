package deputy_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/pgtest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/store/memory"
	"example.com/deputy/store/sqlite"
)

// contenders are many workers of three people.
const contenders = 64

// contended is how many turns each of them has, that read and write: every second one a record of the worker's own, the others one that all
// workers of a person share. Under the race detector they are 5,056 in all.
func contended() int {
	if raced {
		return 79
	}
	return 10
}

// TestContention lets them ask and confirm at once, over a real database and a real store: every call has its row, every confirmation one
// outcome, every confirmed change is made exactly once, and neither a goroutine nor a connection is left.
func TestContention(t *testing.T) {
	file := func(t *testing.T) (deputy.Store, error) {
		return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "deputy.db"))
	}
	for name, c := range map[string]struct {
		counters func(*testing.T, int) (*sql.DB, string)
		store    func(*testing.T) (deputy.Store, error)
	}{
		"sqlite": {counters, file}, "postgres": {postgresCounters, func(*testing.T) (deputy.Store, error) { return memory.New(), nil }},
	} {
		t.Run(name, func(t *testing.T) {
			db, url := c.counters(t, contenders)
			before := runtime.NumGoroutine()
			newContest(t, db, url, c.store).run(t)
			for i := 0; runtime.NumGoroutine() > before+2; i++ { // those of the database's pools end in their own time
				if i > 1e7 {
					t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
				}
				runtime.Gosched()
			}
			left(t, db, url)
		})
	}
}

// left says what is still connected to a database.
func left(t *testing.T, db *sql.DB, url string) {
	t.Helper()
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		db.Close()
		for _, fd := range openFiles(t) {
			if strings.HasPrefix(fd, path) {
				t.Errorf("%s is still open", fd)
			}
		}
		return
	}
	for i := 0; numbers(t, db, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state IS NOT NULL") > 0; i++ { // a server process ends a moment after its connection
		if i > 1000 {
			t.Fatal("a connection is left")
		}
	}
}

// openFiles are the paths of what this process has open; none where the system does not tell.
func openFiles(t *testing.T) (out []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if path, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err == nil {
			out = append(out, path)
		}
	}
	return out
}

func postgresCounters(t *testing.T, workers int) (*sql.DB, string) {
	t.Helper()
	url := pgtest.Database(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(t.Context(), fmt.Sprintf(`
		CREATE TABLE counters (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, n INTEGER);
		CREATE TABLE written (n INTEGER);
		CREATE FUNCTION count_it() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO written VALUES (new.n); RETURN new; END';
		CREATE TRIGGER counted AFTER UPDATE ON counters FOR EACH ROW EXECUTE FUNCTION count_it();
		INSERT INTO counters SELECT i, 'p' || (i %% 3), 0 FROM generate_series(0, %d) i`, workers-1)); err != nil {
		t.Fatal(err)
	}
	return db, url
}

// contest is the assistant that they use, and what became of what they confirmed.
type contest struct {
	*deputy.Assistant
	host        *sqldb.Host
	store       deputy.Store
	db          *sql.DB
	n           atomic.Int64 // the value written last
	done, stale atomic.Int64
}

func newContest(t *testing.T, db *sql.DB, url string, store func(*testing.T) (deputy.Store, error)) *contest {
	t.Helper()
	c := &contest{db: db}
	var err error
	if c.host, err = sqldb.Open(t.Context(), sqldb.Config{URL: url}); err != nil {
		t.Fatal(err)
	}
	if c.store, err = store(t); err != nil {
		t.Fatal(err)
	}
	model := scripted.New(func(r deputy.Request) scripted.Answer {
		if scripted.Step(r) == 1 {
			return calls(do("query_records", `{"table":"counters"}`), do("count_records", `{"table":"counters"}`),
				do("update_record", fmt.Sprintf(`{"table":"counters","id":%q,"values":[{"field":"n","value":%d}]}`, scripted.User(r), c.n.Add(1))))
		}
		return scripted.Answer{Text: "done"}
	})
	c.Assistant, err = deputy.New(t.Context(), deputy.Config{Host: c.host, Store: c.store, Models: []deputy.Model{model}, Toolsets: tools(), Limits: deputy.Limits{TurnsPerMinute: -1},
		Policy: deputy.Policy{Roles: map[string]deputy.Role{"support": {Tools: []string{"*"}, Tables: map[string]deputy.Access{"counters": {Read: all(), Update: all(), Rows: "owner == person.id"}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *contest) run(t *testing.T) {
	t.Helper()
	var wg sync.WaitGroup
	for w := range contenders {
		wg.Go(func() {
			who := caller(fmt.Sprintf("p%d", w%3), "support")
			for i := range contended() {
				record := w // of the worker's own
				if i%2 == 1 {
					record = w % 3 // of all workers of the person
				}
				c.work(t, who, strconv.Itoa(record))
			}
		})
	}
	wg.Wait()
	c.count(t, contenders*contended())
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := c.host.Close(); err != nil {
		t.Error(err)
	}
}

// count compares the log with what was done and with what the database has.
func (c *contest) count(t *testing.T, turns int) {
	t.Helper()
	logged, err := c.store.Log.All(context.Background(), deputy.LogFilter{}, 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[deputy.Outcome]int{}
	decided := map[string]int{}
	for _, e := range logged {
		rows[e.Outcome]++
		if e.Outcome == deputy.WasConfirmed || e.Outcome == deputy.Outcome(deputy.Outdated) {
			decided[e.Proposal]++
		}
	}
	done, stale, written := int(c.done.Load()), int(c.stale.Load()), numbers(t, c.db, "SELECT count(*) FROM written")
	t.Logf("%d turns: %d done, %d stale", turns, done, stale)
	want := map[deputy.Outcome]int{deputy.Ran: 2 * turns, deputy.Proposed: turns + stale, deputy.InConfirm: turns, deputy.WasConfirmed: done, deputy.Outcome(deputy.Outdated): stale}
	for outcome, n := range want {
		if rows[outcome] != n {
			t.Errorf("%d rows say %s, not %d", rows[outcome], outcome, n)
		}
		delete(rows, outcome)
	}
	for id, n := range decided {
		if n != 1 {
			t.Errorf("%s has %d outcomes", id, n)
		}
	}
	if done+stale != turns || written != done || len(decided) != turns || len(rows) != 0 || stale == 0 {
		t.Errorf("%d turns: %d done, %d stale, %d written, %d decided, also %v", turns, done, stale, written, len(decided), rows)
	}
}

// work is one turn and the confirmation of what it proposes, clicked twice at once.
func (c *contest) work(t *testing.T, who deputy.Caller, record string) {
	door, turn := c.Door(deputy.Chat), ""
	for e, err := range door.Turn(context.Background(), who, deputy.TurnInput{Text: record}) {
		if err != nil {
			t.Error(err)
			return
		}
		if turn == "" {
			var o told
			o.take(t, e)
			turn = o.turn
		}
	}
	ps, err := door.Proposals(context.Background(), who, deputy.ProposalFilter{Turn: turn}, 0, 10)
	if err != nil || len(ps) != 1 {
		t.Error(err, ps)
		return
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			switch d, err := door.Confirm(context.Background(), who, ps[0].ID, shown(ps[0])); {
			case err == nil && d.Proposals[0].State == deputy.Done:
				c.done.Add(1)
			case deputy.CodeOf(err) == deputy.Stale:
				c.stale.Add(1)
			case err == nil || deputy.CodeOf(err) != deputy.AlreadyDecided:
				t.Error(err, d)
			}
		})
	}
	wg.Wait()
}
