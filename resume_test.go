package deputy_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
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
	c, err := b.door().NewConversation(t.Context(), ann(), "")
	if err != nil {
		t.Fatal(err)
	}
	turn := deputy.Turn{ID: "trn_lost", Conversation: c.ID, Person: ann().Person, Channel: deputy.Chat, State: deputy.TurnRunning, NextEvent: 1, StartedAt: b.clock()}
	first := deputy.Message{Role: deputy.FromPerson, Turn: turn.ID, Parts: []deputy.Part{{Text: "x"}}}
	lease, err := b.store.Turns.Start(t.Context(), ann().Person, turn, []deputy.Message{first}, b.clock().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	call := &deputy.ToolCall{ID: "tcl_lost", Ref: "c1", Tool: "query_records", Arguments: json.RawMessage(`{"table":"customers"}`)}
	err = b.store.Turns.Commit(t.Context(), lease, deputy.Step{Steps: 1, Messages: []deputy.Message{{Role: deputy.FromModel, Turn: turn.ID, Parts: []deputy.Part{{Call: call}}}},
		Events: []deputy.Event{{Seq: 1, Name: deputy.EventTurnStarted, Data: json.RawMessage(`{"turn":"trn_lost"}`)}}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.door().Start(t.Context(), ann(), deputy.TurnInput{Conversation: c.ID, Text: "y"})
	code(t, err, deputy.Conflict)
	b.pass(2 * time.Minute)
	b.ask(t, bob(), "", "somebody starts another")
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
	got, seqs := b.followed(t, ann(), turn.ID)
	if got.end.Reason != deputy.Answered || strings.Join(got.names, " ") != "turn.started tool.started tool.finished text.delta usage turn.finished" || seqs[1] < 1000 {
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

// later is one directory, and then another.
type later struct {
	first, then deputy.Directory
	now         func() time.Time
	at          time.Time
}

func (l later) Lookup(ctx context.Context, issuer, id string) (deputy.Person, error) {
	if l.now().Before(l.at) {
		return l.first.Lookup(ctx, issuer, id)
	}
	return l.then.Lookup(ctx, issuer, id)
}

func TestLostTurnOfNobodyIsInterrupted(t *testing.T) {
	t.Parallel()
	var b *bench
	both, gone := people{"ann": ann().Person, "bob": bob().Person}, people{"bob": bob().Person}
	b = setup(t, func(c *deputy.Config) {
		c.Directory = later{both, gone, func() time.Time { return b.clock() }, c.Clock().Add(time.Minute)}
	})
	interrupted(t, b, lost(t, b))
	b = setup(t, nil) // nobody tells rights: those of the caller are gone with the worker
	interrupted(t, b, lost(t, b))
}

func interrupted(t *testing.T, b *bench, turn deputy.Turn) {
	t.Helper()
	got, err := b.store.Turns.Get(t.Context(), ann().Person, turn.ID)
	if err != nil || got.Reason != deputy.Interrupted || got.State != deputy.TurnFailed || len(b.log(t)) != 0 {
		t.Error(err, got)
	}
}
