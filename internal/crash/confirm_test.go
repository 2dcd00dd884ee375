package crash

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/deputy"
)

// TestConfirmKilled kills a process before and after every write of a confirmation, the host's among them. What was written was written once and
// whole; another process leaves it alone while it may be under way, and afterwards settles it by reading, where that tells.
func TestConfirmKilled(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		for name, text := range map[string]string{"told by reading": "7: u1 u2 d100", "one create": "7: c u1", "creates": "7: c c", "changed since": "7: u1 u2"} {
			t.Run(engine+", "+name, func(t *testing.T) {
				t.Parallel()
				changed := name == "changed since"
				w := newWorld(t, engine)
				w.propose(text)
				start := func(t *testing.T) *world {
					next := newWorld(t, engine)
					next.copied(w)
					if changed {
						next.exec("UPDATE items SET n = 99 WHERE id = 1")
					}
					return next
				}
				whole := start(t)
				writes := whole.run(order{Do: "confirm"}).writes()
				for n := range 2 * writes {
					at, after := n/2+1, n%2 == 1
					t.Run(fmt.Sprintf("%d after %v", at, after), func(t *testing.T) {
						t.Parallel()
						killConfirm(start(t), order{Do: "confirm", Kill: at, After: after}, changed)
					})
				}
			})
		}
	}
}

func killConfirm(w *world, o order, changed bool) {
	w.Helper()
	w.run(o)
	next := order{Do: "next", Ahead: later}
	if o.After {
		next = order{Do: "look"}
	}
	second := w.run(next)
	d := second.dump()
	w.decided(d)
	if o.After {
		w.leftAlone(second.states())
	}
	for _, p := range d.Proposals {
		if p.State == deputy.Unknown && !changed && !d.creates(p) {
			w.Errorf("a doubt that reading settles is not settled: %v", d)
		}
		if o.Kill == 1 && !o.After && p.State != deputy.Pending {
			w.Errorf("nobody has claimed it: %v", d)
		}
	}
}

// leftAlone says whether the first look, while the lease of a claim lasts, has left open what was open, and the second has not.
func (w *world) leftAlone(states [][]deputy.State) {
	w.Helper()
	if len(states) != 2 || len(states[0]) == 0 {
		w.Fatalf("%v", states)
	}
	for i, before := range states[0] {
		if after := states[1][i]; (after != before) != (before == deputy.Confirming) {
			w.Errorf("%s, then %s", before, after)
		}
		if before == deputy.Failed {
			w.Errorf("settled while it may be under way")
		}
	}
}

// decided tests every proposal, whatever became of it: what is said is so, and is said in its outcome, in the log, and in the conversation.
func (w *world) decided(d *dump) {
	w.Helper()
	for _, p := range d.Proposals {
		if err := w.one(d, p); err != nil {
			w.Errorf("%s %s, %q, rows %v: %v", p.Summary, p.State, p.Outcome, d.rowsOf(p.ID), err)
		}
	}
	written := 0
	for _, group := range d.groups() {
		for _, p := range group {
			written += w.made(p)
			if w.made(p) != w.made(group[0]) || p.State != group[0].State {
				w.Errorf("a group that is not whole: %v", d)
			}
		}
	}
	if n := w.count("SELECT count(*) FROM written WHERE n <> 99"); n != written {
		w.Errorf("%d writes, %d of them proposed", n, written)
	}
}

// made says how often the changes of a proposal were made.
func (w *world) made(p deputy.Proposal) int {
	w.Helper()
	return w.written(p.Changes[0])
}

func (w *world) one(d *dump, p deputy.Proposal) error {
	w.Helper()
	rows, made, notes := d.rowsOf(p.ID), w.made(p), d.notes(p)
	begun := slices.Index(rows, deputy.InConfirm)
	switch {
	case made > 1:
		return fmt.Errorf("written %d times", made)
	case made == 1 && begun < 0:
		return fmt.Errorf("written without a row before")
	case p.State == deputy.Pending:
		return when(made == 0 && len(notes) == 0 && (len(rows) == 0 || len(rows) == 1 && rows[0] == deputy.Proposed), "not untouched: %d, %v", made, notes)
	case p.State == deputy.Confirming:
		return fmt.Errorf("open for ever")
	case (p.State == deputy.Done && made == 0) || (p.State == deputy.Failed || p.State == deputy.Outdated) && made > 0:
		return fmt.Errorf("written %d times", made)
	case p.Outcome == "" || p.DecidedAt.IsZero():
		return fmt.Errorf("not said")
	case len(notes) != 1 || !strings.Contains(notes[0], fmt.Sprintf("%q:%q", "state", p.State)):
		return fmt.Errorf("told of in %d notes", len(notes))
	}
	want := []deputy.Outcome{deputy.InConfirm, outcome(p.State)}
	if begun < 0 {
		want = want[1:]
	}
	if len(rows) > 0 && rows[0] == deputy.Proposed {
		want = append([]deputy.Outcome{deputy.Proposed}, want...)
	}
	return when(slices.Equal(rows, want), "want rows %v", want)
}

func when(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// outcome is the row that tells of a state.
func outcome(s deputy.State) deputy.Outcome {
	if s == deputy.Done {
		return deputy.WasConfirmed
	}
	return deputy.Outcome(s)
}

func (d *dump) groups() map[string][]deputy.Proposal {
	out := map[string][]deputy.Proposal{}
	for _, p := range d.Proposals {
		out[p.Group] = append(out[p.Group], p)
	}
	return out
}

// creates says whether any of a proposal's group creates a record: no reading tells whether that was done.
func (d *dump) creates(p deputy.Proposal) bool {
	return slices.ContainsFunc(d.groups()[p.Group], func(p deputy.Proposal) bool { return p.Changes[0].Verb == deputy.Create })
}
