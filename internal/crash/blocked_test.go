package crash

import (
	"context"
	"database/sql"
	"slices"
	"testing"

	"example.com/deputy"
)

// blocked is a process whose confirmed write waits for another program's transaction.
type blocked struct {
	*process
	other *sql.Conn
}

// block lets another program write the item first, without an end, and starts a process that confirms.
func block(w *world) *blocked {
	w.Helper()
	w.propose("7: u1 u2")
	other, err := w.db.Conn(context.Background())
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = other.Close() })
	b := &blocked{other: other}
	begin := "BEGIN IMMEDIATE"
	if w.engine == "postgres" {
		begin = "BEGIN"
	}
	b.do(w, begin)
	b.do(w, "UPDATE items SET n = 99 WHERE id = 1")
	b.process = w.start(order{Do: "confirm"})
	if !b.read(func(l line) bool { return l.At == "apply" }) {
		w.Fatal("it does not ask the host")
	}
	const waits = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	for i := 0; w.engine == "postgres" && w.count(waits) == 0; i++ {
		if i > 100_000 {
			w.Fatal("it does not wait")
		}
	}
	return b
}

func (b *blocked) do(w *world, statement string) {
	w.Helper()
	if _, err := b.other.ExecContext(context.Background(), statement); err != nil {
		w.Fatal(err)
	}
}

// TestBlockedWrite: while a write waits for another program, a second process that starts leaves its proposals as they are and cannot confirm them.
// Once the other program has changed the record, nothing is written.
func TestBlockedWrite(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, engine)
			b := block(w)
			second := w.run(order{Do: "watch"})
			if got := second.states()[0]; !slices.Equal(got, []deputy.State{deputy.Confirming, deputy.Confirming}) {
				t.Errorf("the second process finds %v", got)
			}
			for _, l := range second.lines {
				if l.At == "apply" || l.Code != "" && l.Code != deputy.AlreadyDecided {
					t.Errorf("the second process is told %+v", l)
				}
			}
			b.do(w, "COMMIT")
			if b.end() {
				t.Fatal("the first process was killed")
			}
			if got := b.states()[0]; !slices.Equal(got, []deputy.State{deputy.Outdated, deputy.Outdated}) {
				t.Errorf("released: %v", got)
			}
			w.unwritten(1)
			d := w.run(order{Do: "next"}).dump()
			w.decided(d)
			if len(d.Proposals) != 4 || d.Proposals[3].State != deputy.Pending {
				t.Errorf("nothing is proposed in its place: %v", d)
			}
		})
	}
}

// TestBlockedWriterKilled kills the process whose write waits: it is not made, neither then nor once the way is free.
func TestBlockedWriterKilled(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		for end, want := range map[string]deputy.State{"ROLLBACK": deputy.Failed, "COMMIT": deputy.Unknown} {
			t.Run(engine+", "+end, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, engine)
				b := block(w)
				if err := b.cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				b.read(never) // it is gone
				b.do(w, end)
				if !b.end() {
					t.Fatal("it was not killed")
				}
				d := w.run(order{Do: "look"}).dump()
				w.decided(d)
				for _, p := range d.Proposals {
					if p.State != want {
						t.Errorf("%s is %s, want %s", p.Summary, p.State, want)
					}
				}
				w.unwritten(map[string]int{"COMMIT": 1}[end])
			})
		}
	}
}

// unwritten says whether only the other program has written.
func (w *world) unwritten(others int) {
	w.Helper()
	if n := w.count("SELECT count(*) FROM written"); n != others {
		w.Errorf("%d writes, %d of them the other program's", n, others)
	}
}
