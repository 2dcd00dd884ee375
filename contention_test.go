package deputy_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/store/sqlite"
)

// TestContention lets many workers of three people ask and confirm at once, over a real database and a real store: every call has its row,
// every confirmed change is made exactly once, and nothing is left running.
func TestContention(t *testing.T) {
	before := runtime.NumGoroutine()
	workers, turns := 32, 40
	if raced {
		turns = 4
	}
	contend(t, workers, turns)
	for i := 0; runtime.NumGoroutine() > before+2; i++ { // those of the database's pool end in their own time
		if i > 1e7 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		runtime.Gosched()
	}
}

func contend(t *testing.T, workers, turns int) {
	t.Helper()
	db, url := counters(t, workers)
	host, err := sqldb.Open(t.Context(), sqldb.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "deputy.db"))
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	model := scripted.New(func(r deputy.Request) scripted.Answer {
		if scripted.Step(r) == 1 {
			return calls(do("query_records", `{"table":"counters"}`), do("count_records", `{"table":"counters"}`),
				do("update_record", fmt.Sprintf(`{"table":"counters","id":%q,"values":[{"field":"n","value":%d}]}`, scripted.User(r), n.Add(1))))
		}
		return scripted.Answer{Text: "done"}
	})
	a, err := deputy.New(t.Context(), deputy.Config{Host: host, Store: store, Models: []deputy.Model{model}, Toolsets: tools(), Limits: deputy.Limits{TurnsPerMinute: -1},
		Policy: deputy.Policy{Roles: map[string]deputy.Role{"support": {Tools: []string{"*"}, Tables: map[string]deputy.Access{"counters": {Read: all(), Update: all(), Rows: "owner == person.id"}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var done, stale atomic.Int64
	for w := range workers {
		wg.Go(func() {
			who := caller(fmt.Sprintf("p%d", w%3), "support")
			for range turns {
				work(t, a.Door(deputy.Chat), who, fmt.Sprint(w), &done, &stale)
			}
		})
	}
	wg.Wait()
	logged, err := store.Log.All(context.Background(), deputy.LogFilter{}, 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[deputy.Outcome]int{}
	for _, e := range logged {
		rows[e.Outcome]++
	}
	all := workers * turns
	written := numbers(t, db, "SELECT count(*) FROM written")
	if rows[deputy.Ran] != 2*all || rows[deputy.InConfirm] != all || int64(rows[deputy.WasConfirmed]) != done.Load() || written != int(done.Load()) || done.Load()+stale.Load() != int64(all) {
		t.Errorf("%d turns: %d done, %d stale, %d written, rows %v", all, done.Load(), stale.Load(), written, rows)
	}
	if stale.Load() != 0 {
		t.Errorf("%d stale, though every worker has a record of its own", stale.Load())
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if err := host.Close(); err != nil {
		t.Error(err)
	}
}

// work is one turn and the confirmation of what it proposes, clicked twice at once.
func work(t *testing.T, door *deputy.Door, who deputy.Caller, record string, done, stale *atomic.Int64) {
	turn := ""
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
				done.Add(1)
			case deputy.CodeOf(err) == deputy.Stale:
				stale.Add(1)
			case err == nil || deputy.CodeOf(err) != deputy.AlreadyDecided:
				t.Error(err, d)
			}
		})
	}
	wg.Wait()
}
