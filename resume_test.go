package deputy_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
)

// people is a directory.
type people map[string]deputy.Person

func (p people) Lookup(_ context.Context, _, id string) (deputy.Person, error) {
	if who, ok := p[id]; ok {
		return who, nil
	}
	return deputy.Person{}, deputy.Errorf(deputy.NotFound, "nobody")
}

// lost is a turn of ann's whose worker is gone after a committed answer that asks for a query.
func lost(t *testing.T, b *bench) deputy.Turn {
	t.Helper()
	turn := abandoned(t, b)
	_, err := b.door().Start(t.Context(), ann(), deputy.TurnInput{Conversation: turn.Conversation, Text: "y"})
	code(t, err, deputy.Conflict)
	b.pass(2 * time.Minute)
	return turn
}

// abandoned is a turn like that as the store has it, its lease of a minute not over yet.
func abandoned(t *testing.T, b *bench) deputy.Turn {
	t.Helper()
	return abandonedAt(t, b, do("query_records", `{"table":"customers"}`))
}

// abandonedAt is one whose answer asks for something else.
func abandonedAt(t *testing.T, b *bench, asked scripted.Call) deputy.Turn {
	t.Helper()
	c := deputy.Conversation{ID: "cnv_lost", CreatedAt: b.clock(), UpdatedAt: b.clock()}
	if err := b.store.Conversations.Create(t.Context(), ann().Person, c); err != nil {
		t.Fatal(err)
	}
	turn := deputy.Turn{ID: "trn_lost", Conversation: c.ID, Person: ann().Person, Channel: deputy.Chat, State: deputy.TurnRunning, NextEvent: 1, StartedAt: b.clock()}
	first := deputy.Message{Role: deputy.FromPerson, Turn: turn.ID, Parts: []deputy.Part{{Text: "x"}}}
	lease, err := b.store.Turns.Start(t.Context(), ann().Person, turn, []deputy.Message{first}, b.clock().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	call := &deputy.ToolCall{ID: "tcl_lost", Ref: "c1", Tool: asked.Tool, Arguments: asked.Arguments.(json.RawMessage)}
	err = b.store.Turns.Commit(t.Context(), lease, deputy.Step{Steps: 1, Messages: []deputy.Message{{Role: deputy.FromModel, Turn: turn.ID, Parts: []deputy.Part{{Call: call}}}},
		Events: []deputy.Event{{Seq: 1, Name: deputy.EventTurnStarted, Data: json.RawMessage(`{"turn":"trn_lost"}`)}}})
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

func (b *bench) followed(t *testing.T, who deputy.Caller, turn string) (out told, seqs []int64) {
	t.Helper()
	for e, err := range b.door().Follow(t.Context(), who, turn, 0) {
		if err != nil {
			t.Fatal(err)
		}
		out.take(t, e)
		out.names = append(out.names, e.Name)
		seqs = append(seqs, e.Seq)
	}
	return out, seqs
}

// TestLostTurnIsTakenUp shows that the calls of the last committed answer run, and that the model is asked only for what comes next.
func TestLostTurnIsTakenUp(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *deputy.Config) { c.Directory = people{"ann": ann().Person, "bob": bob().Person} })
	turn := lost(t, b)
	_, err := b.door().Start(t.Context(), ann(), deputy.TurnInput{Conversation: turn.Conversation, Text: "z"})
	code(t, err, deputy.Conflict) // and the turn that stands in the way is looked at
	got, seqs := b.followed(t, ann(), turn.ID)
	if got.end.Reason != deputy.Answered || strings.Join(got.names, " ") != "turn.started reasoning.delta text.delta tool.started tool.finished text.delta usage turn.finished" || seqs[1] < 1000 {
		t.Error(got.end, got.names, seqs)
	}
	told := 0
	for _, r := range b.requests() {
		if raw, _ := json.Marshal(r.Messages); strings.Contains(string(raw), "Acme") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("%d of %d requests hold the result", told, len(b.requests()))
	}
	if rows := b.log(t); len(rows) != 1 || rows[0].ID != "tcl_lost" {
		t.Error(rows)
	}
	b.ask(t, ann(), turn.Conversation, "go on")
}

func TestLostTurnOfNobodyIsInterrupted(t *testing.T) {
	t.Parallel()
	for name, directory := range map[string]deputy.Directory{"nobody tells rights": nil, "the person is gone": people{"bob": bob().Person}} {
		b := setup(t, nil)
		turn := lost(t, b)
		// the next start of a process on the same store looks for lost turns by itself
		setup(t, func(c *deputy.Config) { c.Store, c.Clock, c.Directory = b.store, b.clock, directory })
		got := ended(t, b, turn.ID)
		if got.Reason != deputy.Interrupted || got.State != deputy.TurnFailed || len(b.log(t)) != 0 {
			t.Error(name, got)
		}
	}
}

// ended waits for the end of a turn of ann's.
func ended(t *testing.T, b *bench, id string) deputy.Turn {
	t.Helper()
	for {
		changed, err := b.store.Turns.Changed(t.Context(), ann().Person, id)
		if err != nil {
			t.Fatal(err)
		}
		got, err := b.store.Turns.Get(t.Context(), ann().Person, id)
		if err != nil {
			t.Fatal(err)
		}
		if got.State != deputy.TurnRunning {
			return got
		}
		<-changed
	}
}

// away is a directory that does not answer once, when it is asked to.
type away struct {
	people
	fails  atomic.Bool
	failed chan struct{}
}

func (d *away) Lookup(ctx context.Context, issuer, id string) (deputy.Person, error) {
	if d.fails.CompareAndSwap(true, false) {
		defer close(d.failed)
		return deputy.Person{}, deputy.Errorf(deputy.Unavailable, "It does not answer.")
	}
	return d.people.Lookup(ctx, issuer, id)
}

// TestDirectoryIsAwayForAMoment: a lost turn whose person's rights cannot be told now is looked at again later.
func TestDirectoryIsAwayForAMoment(t *testing.T) {
	t.Parallel()
	b := kept(t, nil, time.Minute)
	b.Stop() // it looks for lost turns too
	turn := abandoned(t, b)
	b.pass(2 * time.Minute)
	d := &away{people: people{"ann": ann().Person}, failed: make(chan struct{})}
	d.fails.Store(true)
	next := b.again(t, d) // it looks for lost turns as it starts
	<-d.failed
	next.Stop()
	b.pass(2 * time.Minute)
	if got, _ := b.again(t, d).followed(t, ann(), turn.ID); got.end.Reason != deputy.Answered {
		t.Error(got.end)
	}
}
