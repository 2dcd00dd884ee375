package crash

import (
	"fmt"
	"testing"
	"time"

	"example.com/deputy"
)

// later is when every lease has run out.
const later = 2 * time.Minute

// TestTurnKilled kills a process before and after every write of a turn with reads and with two proposals. Another one that starts on the same
// files afterwards ends the turn, as if nothing had been; who has followed it from the first process on reads each word once.
func TestTurnKilled(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			const text = "7: u1 u2"
			w := newWorld(t, engine)
			whole := w.run(order{Do: "turn", Text: text})
			want := w.run(order{Do: "resume"}).dump()
			if err := want.inTurn(whole.accepted().Turn); err != nil || len(want.Proposals) != 2 || len(want.Log) != 4 {
				t.Fatal(err, want)
			}
			for n := range 2 * whole.writes() {
				at, after := n/2+1, n%2 == 1
				t.Run(fmt.Sprintf("%d after %v", at, after), func(t *testing.T) {
					t.Parallel()
					killTurn(newWorld(t, engine), order{Do: "turn", Text: text, Kill: at, After: after}, want)
				})
			}
		})
	}
}

func killTurn(w *world, o order, want *dump) {
	w.Helper()
	first := w.run(o)
	next := order{Do: "resume", Ahead: later}
	seen := first.events()
	if a := first.accepted(); a != nil {
		next.Turn = a.Turn
	}
	if len(seen) > 0 {
		next.Seen = seen[len(seen)-1].Seq
	}
	second := w.run(next)
	got := second.dump()
	if len(got.Turns) == 0 {
		w.nothing(got, first.accepted())
		return
	}
	id := got.one(w)
	if have, wish := scrubbed(w, got.Messages[id]), scrubbed(w, want.Messages[want.one(w)]); have != wish {
		w.Errorf("messages:\n%s\nwant\n%s", have, wish)
	}
	for turn, stored := range got.Turns {
		if stored.State != deputy.TurnCompleted {
			w.Errorf("the turn is %s, %s", stored.State, stored.Reason)
		}
		if err := got.inTurn(turn); err != nil {
			w.Error(err)
		}
		if next.Turn != "" {
			w.followed(append(seen, second.events()...), want)
		}
		w.followed(got.Events[turn], want)
	}
	for i, p := range got.Proposals {
		if p.State != deputy.Pending || p.Group != got.Proposals[0].Group || p.Position != i+1 {
			w.Errorf("proposal %d: %s, %s %d", i, p.State, p.Group, p.Position)
		}
	}
	for _, call := range got.calls(first.turn(got)) {
		if n := len(got.rowsOfCall(call)); n > 2 {
			w.Errorf("call %s has %d rows", call, n)
		}
	}
	if n := w.count("SELECT count(*) FROM written"); n != 0 {
		w.Errorf("a turn has made %d writes", n)
	}
	if title := got.Conversations[0].Title; title != want.Conversations[0].Title {
		w.Errorf("the conversation is called %q", title)
	}
}

// turn is the only one there is.
func (p *process) turn(d *dump) string {
	for id := range d.Turns {
		return id
	}
	return ""
}

// nothing is what is there where the process died before it had taken the person's message.
func (w *world) nothing(d *dump, a *accepted) {
	w.Helper()
	if a != nil || len(d.Proposals) > 0 || len(d.Log) > 0 {
		w.Errorf("accepted %v, proposals %v, rows %v", a, d.Proposals, d.Log)
	}
	for _, ms := range d.Messages {
		if len(ms) > 0 {
			w.Errorf("messages without a turn: %v", ms)
		}
	}
}

// followed compares what a reader was told, from one process or from several, with what there was to tell.
func (w *world) followed(events []deputy.Event, want *dump) {
	w.Helper()
	j, err := replay(events)
	if err != nil {
		w.Error(err)
		return
	}
	for _, events := range want.Events {
		whole, err := replay(events)
		if err != nil {
			w.Fatal(err)
		}
		if err := j.same(whole); err != nil {
			w.Error(err)
		}
	}
}
