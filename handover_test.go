package deputy_test

import (
	"context"
	"testing"
	"time"

	"example.com/deputy"
)

// begun is a turn that somebody works on, for a minute.
func (b *bench) begun(t *testing.T, who deputy.Caller, id string) (conversation string) {
	t.Helper()
	c, err := b.door().NewConversation(t.Context(), who, deputy.Conversation{})
	if err != nil {
		t.Fatal(err)
	}
	turn := deputy.Turn{ID: id, Conversation: c.ID, Person: who.Person, Channel: deputy.Chat, State: deputy.TurnRunning, NextEvent: 1, StartedAt: b.clock()}
	first := deputy.Message{Role: deputy.FromPerson, Turn: id, Parts: []deputy.Part{{Text: "x"}}}
	if _, err := b.store.Turns.Start(t.Context(), who.Person, turn, []deputy.Message{first}, b.clock().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return c.ID
}

// held is a directory that tells of ann when it is let, or once nobody waits any more.
type held struct {
	people
	arrived, let chan struct{}
}

func (h held) Lookup(ctx context.Context, issuer, id string) (deputy.Person, error) {
	if id == "ann" {
		h.arrived <- struct{}{}
		select {
		case <-h.let:
		case <-ctx.Done():
			return deputy.Person{}, ctx.Err()
		}
	}
	return h.people.Lookup(ctx, issuer, id)
}

// TestTakingUpIsBrokenOff: a turn that is found by way of another person's request does not end with that request, and one that is found while
// the assistant is stopped is left to the next.
func TestTakingUpIsBrokenOff(t *testing.T) {
	t.Parallel()
	for _, stops := range []bool{false, true} {
		dir := held{people{"ann": ann().Person, "bob": bob().Person}, make(chan struct{}, 9), make(chan struct{})}
		b := kept(t, dir, time.Millisecond)
		conversation := b.begun(t, bob(), "trn_bob")
		c := deputy.Conversation{ID: "cnv_ann", CreatedAt: b.clock(), UpdatedAt: b.clock()}
		turn := deputy.Turn{ID: "trn_ann", Conversation: c.ID, Person: ann().Person, Channel: deputy.Chat, State: deputy.TurnRunning, NextEvent: 1, StartedAt: b.clock()}
		if err := b.store.Conversations.Create(t.Context(), ann().Person, c); err != nil {
			t.Fatal(err)
		}
		if _, err := b.store.Turns.Start(t.Context(), ann().Person, turn, nil, b.clock().Add(-time.Second)); err != nil {
			t.Fatal(err)
		}
		ctx, goes := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			if _, err := b.door().Start(ctx, bob(), deputy.TurnInput{Conversation: conversation, Text: "y"}); err == nil { // a conflict, unless bob or the assistant was gone before
				t.Error("a second turn runs")
			}
		}()
		<-dir.arrived
		if goes(); stops {
			b.Stop()
		}
		close(dir.let)
		<-done
		got, err := b.store.Turns.Get(t.Context(), ann().Person, turn.ID)
		if err != nil || got.Reason == deputy.Interrupted {
			t.Error(stops, err, got)
		}
	}
}
