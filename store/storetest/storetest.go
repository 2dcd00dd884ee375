// Package storetest is the contract of deputy.Store as a test suite: what every store has to pass.
package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"example.com/deputy"
)

// Run holds stores to the contract. open makes an empty store; it closes it, if need be, in t.Cleanup. It is called many times, also in
// parallel.
func Run(t *testing.T, open func(t *testing.T) deputy.Store) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, s deputy.Store)
	}{
		{"conversations", conversations},
		{"choices of toolsets", choices},
		{"conversation deleted", conversationDeleted},
		{"conversation busy", conversationBusy},
		{"round trip of messages", messageRoundTrip},
		{"messages", messagePages},
		{"round trip of turns", turnRoundTrip},
		{"turn", turnLife},
		{"turn refused", turnRefused},
		{"one turn at a time", turnContention},
		{"steps are whole", stepWhole},
		{"events", eventPages},
		{"takeover", takeover},
		{"changed", changed},
		{"round trip of proposals", proposalRoundTrip},
		{"proposals", proposalLists},
		{"claim", claim},
		{"claim contention", claimContention},
		{"claim expiry", claimExpiry},
		{"settle", settle},
		{"close", closed},
		{"log", logRows},
		{"log filters", logFilters},
		{"settings", settings},
		{"attempts", attempts},
		{"attempts left half way", attemptTakenOver},
		{"attempts expire", attemptExpiry},
		{"one works on an attempt", attemptContention},
		{"round trip of analyses", analysisRoundTrip},
		{"analyses refused", analysisRefused},
		{"analyses", analysisLists},
		{"one replaces an analysis", analysisContention},
		{"isolation", isolation},
		{"cancelled contexts", cancelled},
		{"nothing is shared", copied},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, open(t))
		})
	}
}

// The people of the tests. The twin has Ana's id from another issuer: another person. None has anything that a store does not keep.
func ana() deputy.Person { return deputy.Person{Issuer: "token", ID: "ana", Name: "Ana Ødegård"} }
func bo() deputy.Person  { return deputy.Person{Issuer: "token", ID: "bo", Name: "Bo"} }
func twin() deputy.Person {
	return deputy.Person{Issuer: "https://id.example.com", ID: "ana", Name: "Ana Ødegård"}
}

// at is a moment of the tests, some minutes after their beginning.
func at(minutes int) time.Time {
	return time.Date(2026, 3, 1, 12, minutes, 0, 123456000, time.UTC)
}

// must fails the test where something went wrong.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// get is what a call returns that must not fail: got(call()) reads well.
func get[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// refused fails the test where an error has not the code.
func refused(t *testing.T, want deputy.Code, err error) {
	t.Helper()
	if err == nil || deputy.CodeOf(err) != want {
		t.Errorf("error is %v, want the code %s", err, want)
	}
}

// same fails the test where two values differ.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", what, show(got), show(want))
	}
}

func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%+v", v)
	}
	return string(b)
}

// pluck takes one thing of each.
func pluck[T, U any](list []T, of func(T) U) []U {
	out := []U{}
	for _, v := range list {
		out = append(out, of(v))
	}
	return out
}

// text makes a message of the person's.
func text(s string) deputy.Message {
	return deputy.Message{Role: deputy.FromPerson, At: at(0), Parts: []deputy.Part{{Text: s}}}
}

// begin makes a conversation, if there is none, and starts a turn in it.
func begin(t *testing.T, s deputy.Store, as deputy.Person, conversation, turn string) deputy.Lease {
	t.Helper()
	ctx := t.Context()
	if _, err := s.Conversations.Get(ctx, as, conversation); err != nil {
		must(t, s.Conversations.Create(ctx, as, deputy.Conversation{ID: conversation, Title: conversation, CreatedAt: at(0), UpdatedAt: at(0)}))
	}
	first := text("hello")
	first.Turn = turn
	l, err := s.Turns.Start(ctx, as, deputy.Turn{ID: turn, Conversation: conversation, Channel: deputy.Chat, StartedAt: at(1)}, []deputy.Message{first}, at(5))
	must(t, err)
	return l
}

// finish ends a turn.
func finish(t *testing.T, s deputy.Store, l deputy.Lease) {
	t.Helper()
	must(t, s.Turns.Commit(t.Context(), l, deputy.Step{Finish: deputy.Answered, At: at(3)}))
}

// proposal makes one that waits.
func proposal(as deputy.Person, id, group string, position int) deputy.Proposal {
	return deputy.Proposal{
		ID: id, Group: group, Position: position, Owner: as, Conversation: "cnv_1", Turn: "trn_1", Tool: "update_record",
		Arguments: json.RawMessage(`{}`), Hash: "hash of " + id, State: deputy.Pending, CreatedAt: at(2), ExpiresAt: at(30),
	}
}

// propose stores proposals of a turn, that of the first, which has ended.
func propose(t *testing.T, s deputy.Store, as deputy.Person, ps ...deputy.Proposal) {
	t.Helper()
	l := begin(t, s, as, "cnv_1", ps[0].Turn)
	must(t, s.Turns.Commit(t.Context(), l, deputy.Step{Proposals: ps, Finish: deputy.Answered, At: at(3)}))
}

// confirming claims proposals.
func confirming(ids ...string) deputy.Claim {
	c := deputy.Claim{Now: at(10), Until: at(11)}
	for _, id := range ids {
		c.Shown = append(c.Shown, deputy.Shown{ID: id, Hash: "hash of " + id})
	}
	return c
}

// state is the state of a proposal.
func state(t *testing.T, s deputy.Store, as deputy.Person, id string) deputy.State {
	t.Helper()
	return get[[]deputy.Proposal](t)(s.Proposals.Get(t.Context(), as, id))[0].State
}

// awaken fails the test unless a channel of Changed is closed in time.
func awaken(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	select {
	case <-c:
	case <-ctx.Done():
		t.Fatalf("%s: nobody was woken", what)
	}
}
