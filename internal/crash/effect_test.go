package crash

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/store/sqlite"
)

// TestEffectKilled kills a process before and after every write of a confirmation that saves analyses, outside the host's tables, between
// changes. Nothing is done twice and nothing out of order; what is told is so; and only what was sent and cannot be read again stays unknown.
func TestEffectKilled(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"7: s1", "7: u1 s1 u2 s2 u3"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "sqlite, wal")
			w.propose(text)
			start := func(t *testing.T) *world {
				next := newWorld(t, "sqlite, wal")
				next.copied(w)
				return next
			}
			whole := start(t)
			writes := whole.run(order{Do: "confirm"}).writes()
			if n := len(whole.analyses()); n != strings.Count(text, "s") {
				t.Fatalf("%d saved", n)
			}
			for n := range 2 * writes {
				at, after := n/2+1, n%2 == 1
				t.Run(fmt.Sprintf("%d after %v", at, after), func(t *testing.T) {
					t.Parallel()
					w := start(t)
					w.run(order{Do: "confirm", Kill: at, After: after})
					w.inOrder(w.run(order{Do: "next", Ahead: 3 * later}).dump())
				})
			}
		})
	}
}

// analyses are the names of those that are saved.
func (w *world) analyses() (names []string) {
	w.Helper()
	store, err := sqlite.Open(w.Context(), w.store)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	as, err := store.Analyses.List(w.Context(), pat().Person, deputy.AnalysisFilter{}, 0, 100)
	if err != nil {
		w.Fatal(err)
	}
	for _, a := range as {
		names = append(names, a.Name)
	}
	return names
}

// inOrder tests a group of changes and effects: each is done as it says, and nothing is behind what is not.
func (w *world) inOrder(d *dump) {
	w.Helper()
	saved, open := w.analyses(), false
	for _, p := range d.Proposals {
		made, effect := 0, len(p.Changes) == 0
		if effect {
			made = len(slices.DeleteFunc(slices.Clone(saved), func(name string) bool { return name != *p.Lines[0].After }))
		} else {
			made = w.made(p)
		}
		sent := slices.Contains(d.rowsOf(p.ID), deputy.InConfirm)
		switch {
		case made > 1, open && made > 0, made > 0 && !sent:
			w.Errorf("%s was done %d times, sent %v, behind one that is not done: %v", p.Summary, made, sent, open)
		case p.State == deputy.Done && made == 0, p.State == deputy.Failed && made > 0, p.State == deputy.Confirming, p.State == deputy.Pending && sent:
			w.Errorf("%s is %s, done %d times", p.Summary, p.State, made)
		case p.State == deputy.Unknown && (!effect || !sent):
			w.Errorf("%s is not known, though reading tells: %v", p.Summary, d)
		case p.State != deputy.Pending && len(d.notes(p)) != 1:
			w.Errorf("%s: told of in %d notes", p.Summary, len(d.notes(p)))
		}
		open = open || made == 0
	}
}
