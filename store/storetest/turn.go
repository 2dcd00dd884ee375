package storetest

import (
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/deputy"
)

func turnRoundTrip(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	given := full[deputy.Turn]()
	given.Conversation = "cnv_1"
	must(t, s.Conversations.Create(ctx, ana(), deputy.Conversation{ID: "cnv_1"}))
	who := ana()
	who.Roles, who.Attributes, who.Credential, who.Zone = []string{"r"}, map[string]string{"a": "b"}, "secret", time.UTC
	given.Person = who
	_, err := s.Turns.Start(ctx, who, given, nil, at(5))
	must(t, err)
	want := given
	// A turn starts running, whatever else is said; of the person is kept who they are.
	want.Person, want.State, want.Reason, want.Cancelled, want.FinishedAt = ana(), deputy.TurnRunning, "", false, time.Time{}
	same(t, "turn", get[deputy.Turn](t)(s.Turns.Get(ctx, ana(), given.ID)), want)

	must(t, s.Conversations.Create(ctx, ana(), deputy.Conversation{ID: "cnv_2"}))
	_, err = s.Turns.Start(ctx, ana(), deputy.Turn{ID: "bare", Conversation: "cnv_2"}, nil, time.Time{})
	must(t, err)
	bare := deputy.Turn{ID: "bare", Conversation: "cnv_2", Person: ana(), State: deputy.TurnRunning, NextEvent: 1}
	same(t, "bare turn", get[deputy.Turn](t)(s.Turns.Get(ctx, ana(), "bare")), bare)
}

func turnLife(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	l := begin(t, s, ana(), "cnv_1", "trn_1")
	same(t, "lease", l, deputy.Lease{Turn: "trn_1", Epoch: 1, Until: at(5)})
	same(t, "conversation", get[deputy.Conversation](t)(s.Conversations.Get(ctx, ana(), "cnv_1")).UpdatedAt, at(1))
	must(t, s.Turns.Commit(ctx, l, deputy.Step{
		Messages:  []deputy.Message{text("1"), text("2")},
		Events:    []deputy.Event{{Seq: 1, Name: "a", Data: json.RawMessage(`{}`)}, {Seq: 4, Name: "b", Data: json.RawMessage(`{}`)}},
		Proposals: []deputy.Proposal{proposal(ana(), "prp_1", "grp_1", 1)},
		Usage:     deputy.Usage{Input: 10, CachedInput: 4, Output: 3}, Steps: 1, At: at(2),
	}))
	must(t, s.Turns.Commit(ctx, l, deputy.Step{})) // renews
	must(t, s.Turns.Cancel(ctx, ana(), "trn_1"))
	must(t, s.Turns.Cancel(ctx, ana(), "trn_1"))
	want := deputy.Turn{
		ID: "trn_1", Conversation: "cnv_1", Person: ana(), Channel: deputy.Chat, State: deputy.TurnRunning, Cancelled: true, Step: 1, NextEvent: 5,
		Usage: deputy.Usage{Input: 10, CachedInput: 4, Output: 3}, StartedAt: at(1),
	}
	same(t, "running", get[deputy.Turn](t)(s.Turns.Get(ctx, ana(), "trn_1")), want)
	must(t, s.Turns.Commit(ctx, l, deputy.Step{
		Events: []deputy.Event{{Seq: 5, Name: "c"}}, Usage: deputy.Usage{Input: 1, Output: 1}, Steps: 2, Finish: deputy.Cancelled, At: at(3),
	}))
	want.State, want.Reason, want.FinishedAt, want.Step, want.NextEvent = deputy.TurnStopped, deputy.Cancelled, at(3), 3, 6
	want.Usage = deputy.Usage{Input: 11, CachedInput: 4, Output: 4}
	same(t, "ended", get[deputy.Turn](t)(s.Turns.Get(ctx, ana(), "trn_1")), want)
	same(t, "conversation", get[deputy.Conversation](t)(s.Conversations.Get(ctx, ana(), "cnv_1")).UpdatedAt, at(3))

	must(t, s.Turns.Cancel(ctx, ana(), "trn_1")) // does nothing
	refused(t, deputy.Conflict, s.Turns.Commit(ctx, l, deputy.Step{}))
	same(t, "still", get[deputy.Turn](t)(s.Turns.Get(ctx, ana(), "trn_1")), want)
	finish(t, s, begin(t, s, ana(), "cnv_1", "trn_2"))
}

func turnRefused(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	begin(t, s, ana(), "cnv_1", "trn_1")
	start := func(turn, conversation string) error {
		_, err := s.Turns.Start(ctx, ana(), deputy.Turn{ID: turn, Conversation: conversation}, []deputy.Message{text("no")}, at(5))
		return err
	}
	refused(t, deputy.Conflict, start("trn_2", "cnv_1"))
	refused(t, deputy.NotFound, start("trn_2", "cnv_2"))
	must(t, s.Conversations.Create(ctx, ana(), deputy.Conversation{ID: "cnv_3"}))
	refused(t, deputy.Conflict, start("trn_1", "cnv_3")) // an id is taken once
	refused(t, deputy.Conflict, s.Conversations.Create(ctx, ana(), deputy.Conversation{ID: "cnv_3"}))
	_, err := s.Turns.Get(ctx, ana(), "trn_2")
	refused(t, deputy.NotFound, err)
	same(t, "messages", len(get[[]deputy.Message](t)(s.Messages.Page(ctx, ana(), "cnv_1", 0, 10))), 1)
	refused(t, deputy.NotFound, s.Turns.Cancel(ctx, ana(), "trn_2"))
	_, err = s.Turns.Changed(ctx, ana(), "trn_2")
	refused(t, deputy.NotFound, err)
	refused(t, deputy.Conflict, s.Turns.Commit(ctx, deputy.Lease{Turn: "trn_2", Epoch: 1}, deputy.Step{}))
}

// race runs f many times at once and counts who won; the others must have been refused with the code.
func race(t *testing.T, times int, code deputy.Code, f func(n int) error) {
	t.Helper()
	var won atomic.Int64
	var all sync.WaitGroup
	gun := make(chan struct{})
	for n := range times {
		all.Go(func() {
			<-gun
			if err := f(n); err == nil {
				won.Add(1)
			} else if deputy.CodeOf(err) != code {
				t.Errorf("refused with %v, want the code %s", err, code)
			}
		})
	}
	close(gun)
	all.Wait()
	same(t, "winners", won.Load(), int64(1))
}

func turnContention(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	must(t, s.Conversations.Create(ctx, ana(), deputy.Conversation{ID: "cnv_1"}))
	race(t, 30, deputy.Conflict, func(n int) error {
		_, err := s.Turns.Start(ctx, ana(), deputy.Turn{ID: "trn_" + string(rune('a'+n)), Conversation: "cnv_1"}, []deputy.Message{text("x")}, at(5))
		return err
	})
	same(t, "messages", len(get[[]deputy.Message](t)(s.Messages.Page(ctx, ana(), "cnv_1", 0, 100))), 1)
	race(t, 30, deputy.NotFound, func(int) error {
		_, _, err := s.Turns.Claim(ctx, at(6), at(10))
		return err
	})
}

func stepWhole(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	l := begin(t, s, ana(), "cnv_1", "trn_1")
	before := get[deputy.Turn](t)(s.Turns.Get(ctx, ana(), "trn_1"))
	good := deputy.Step{
		Messages: []deputy.Message{text("no")}, Events: []deputy.Event{{Seq: 1, Name: "no"}},
		Proposals: []deputy.Proposal{proposal(ana(), "prp_1", "grp_1", 1)}, Usage: deputy.Usage{Input: 1}, Steps: 1, Finish: deputy.Answered, At: at(2),
	}
	stale := l
	stale.Epoch = 2
	refused(t, deputy.Conflict, s.Turns.Commit(ctx, stale, good))
	backwards := good
	backwards.Events = []deputy.Event{{Seq: 2}, {Seq: 2}}
	refused(t, deputy.Invalid, s.Turns.Commit(ctx, l, backwards))
	foreign := good
	foreign.Proposals = []deputy.Proposal{proposal(ana(), "prp_1", "grp_1", 1), proposal(bo(), "prp_2", "grp_1", 2)}
	refused(t, deputy.Invalid, s.Turns.Commit(ctx, l, foreign))

	same(t, "turn", get[deputy.Turn](t)(s.Turns.Get(ctx, ana(), "trn_1")), before)
	same(t, "messages", len(get[[]deputy.Message](t)(s.Messages.Page(ctx, ana(), "cnv_1", 0, 10))), 1)
	same(t, "events", len(get[[]deputy.Event](t)(s.Turns.Events(ctx, ana(), "trn_1", 0, 10))), 0)
	same(t, "proposals", len(get[[]deputy.Proposal](t)(s.Proposals.List(ctx, ana(), deputy.ProposalFilter{}, 0, 10))), 0)
	must(t, s.Turns.Commit(ctx, l, good))
}

func eventPages(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	l := begin(t, s, ana(), "cnv_1", "trn_1")
	other := begin(t, s, ana(), "cnv_2", "trn_2")
	first, second := full[deputy.Event](), full[deputy.Event]()
	first.Seq, second.Seq = 3, 9
	must(t, s.Turns.Commit(ctx, l, deputy.Step{Events: []deputy.Event{first, second}}))
	must(t, s.Turns.Commit(ctx, other, deputy.Step{Events: []deputy.Event{{Seq: 4, Name: "other"}}}))
	third := deputy.Event{Seq: 10, Name: "bare"}
	must(t, s.Turns.Commit(ctx, l, deputy.Step{Events: []deputy.Event{third}}))
	events := func(after int64, limit int) []deputy.Event {
		return get[[]deputy.Event](t)(s.Turns.Events(ctx, ana(), "trn_1", after, limit))
	}
	same(t, "all", events(0, 10), []deputy.Event{first, second, third})
	same(t, "a page", events(0, 2), []deputy.Event{first, second})
	same(t, "after", events(3, 1), []deputy.Event{second})
	same(t, "between", events(5, 10), []deputy.Event{second, third})
	same(t, "past the end", len(events(10, 10)), 0)
	same(t, "no limit is nothing", len(events(0, 0)), 0)
}

func takeover(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	first := begin(t, s, ana(), "cnv_1", "trn_1")
	must(t, s.Turns.Commit(ctx, first, deputy.Step{Events: []deputy.Event{{Seq: 7}}}))
	_, _, err := s.Turns.Claim(ctx, at(5).Add(-time.Microsecond), at(20))
	refused(t, deputy.NotFound, err)
	_, _, err = s.Turns.Claim(ctx, first.Until, at(20)) // it ends now: not before
	refused(t, deputy.NotFound, err)
	first.Until = at(8)
	must(t, s.Turns.Commit(ctx, first, deputy.Step{})) // renewed
	_, _, err = s.Turns.Claim(ctx, at(7), at(20))
	refused(t, deputy.NotFound, err)

	turn, second, err := s.Turns.Claim(ctx, at(9), at(20))
	must(t, err)
	same(t, "lease", second, deputy.Lease{Turn: "trn_1", Epoch: 2, Until: at(20)})
	same(t, "turn", turn, get[deputy.Turn](t)(s.Turns.Get(ctx, ana(), "trn_1")))
	same(t, "next event", turn.NextEvent, int64(1008))
	refused(t, deputy.Conflict, s.Turns.Commit(ctx, first, deputy.Step{}))
	must(t, s.Turns.Commit(ctx, second, deputy.Step{Finish: deputy.Interrupted, At: at(10)}))
	same(t, "ended", get[deputy.Turn](t)(s.Turns.Get(ctx, ana(), "trn_1")).State, deputy.TurnFailed)
	_, _, err = s.Turns.Claim(ctx, at(50), at(51)) // what has ended is not taken over
	refused(t, deputy.NotFound, err)
}

func changed(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	l := begin(t, s, ana(), "cnv_1", "trn_1")
	other := begin(t, s, ana(), "cnv_2", "trn_2")
	wait := func() <-chan struct{} { return get[<-chan struct{}](t)(s.Turns.Changed(ctx, ana(), "trn_1")) }
	one, two := wait(), wait()
	must(t, s.Turns.Commit(ctx, other, deputy.Step{}))
	select {
	case <-one:
		t.Error("woken by another turn")
	default:
	}
	must(t, s.Turns.Commit(ctx, l, deputy.Step{Events: []deputy.Event{{Seq: 1}}}))
	awaken(t, "commit, one", one)
	awaken(t, "commit, two", two)
	one = wait()
	must(t, s.Turns.Cancel(ctx, ana(), "trn_1"))
	awaken(t, "cancel", one)
	one = wait()
	must(t, s.Turns.Commit(ctx, l, deputy.Step{Finish: deputy.Cancelled, At: at(3)}))
	awaken(t, "the end", one)
	one = wait()
	must(t, s.Conversations.Delete(ctx, ana(), "cnv_1"))
	awaken(t, "deleted", one)
	one = get[<-chan struct{}](t)(s.Turns.Changed(ctx, ana(), "trn_2"))
	must(t, s.Close())
	awaken(t, "closed", one)
}
