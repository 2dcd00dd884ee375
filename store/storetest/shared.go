package storetest

import (
	"encoding/json"
	"testing"

	"example.com/deputy"
)

// RunShared holds stores to what they promise where several handles, or processes, open one: open opens the store that is kept in a
// folder, empty at first. Who opens closes.
func RunShared(t *testing.T, open func(t *testing.T, dir string) deputy.Store) {
	t.Run("restart", func(t *testing.T) {
		t.Parallel()
		restart(t, open)
	})
	for name, run := range map[string]func(t *testing.T, here, there deputy.Store){
		"two see each other": together, "two claim": claimTogether, "two wait": changedElsewhere,
		"two begin": attemptTogether,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			here, there := open(t, dir), open(t, dir)
			defer func() {
				must(t, here.Close())
				must(t, there.Close())
			}()
			run(t, here, there)
		})
	}
}

func restart(t *testing.T, open func(t *testing.T, dir string) deputy.Store) {
	ctx, dir := t.Context(), t.TempDir()
	s := open(t, dir)
	hers, lease := given(t, s)
	must(t, s.Settings.Put(ctx, "x", json.RawMessage(`{"a":1}`)))
	before := snapshot(t, s, hers)
	begun, _, err := s.Attempts.Begin(ctx, ana(), attempt("k", "trn_1", 5), at(0))
	must(t, err)
	must(t, s.Close())
	must(t, s.Close()) // twice is once
	if _, err := s.Conversations.Get(ctx, ana(), hers.conversation); err == nil {
		t.Error("a closed store answers")
	}
	if err := s.Turns.Cancel(ctx, ana(), hers.turn); err == nil {
		t.Error("a closed store takes writes")
	}

	s = open(t, dir)
	defer func() { must(t, s.Close()) }()
	same(t, "everything", snapshot(t, s, hers), before)
	same(t, "setting", string(get[json.RawMessage](t)(s.Settings.Get(ctx, "x"))), `{"a":1}`)
	stands(t, s, ana(), begun, at(1))
	// The turn goes on where it was, with the lease it had.
	must(t, s.Turns.Commit(ctx, lease, deputy.Step{Messages: []deputy.Message{text("on")}, Events: []deputy.Event{{Seq: 2}}}))
	turn, taken, err := s.Turns.Claim(ctx, at(50), at(51))
	must(t, err)
	same(t, "taken over", []int64{taken.Epoch, turn.NextEvent}, []int64{2, 1003})
	ms := get[[]deputy.Message](t)(s.Messages.Page(ctx, ana(), hers.conversation, 0, 10))
	same(t, "numbers go on", ms[len(ms)-1].Seq, int64(2))
}

func together(t *testing.T, here, there deputy.Store) {
	ctx := t.Context()
	hers, lease := given(t, here)
	same(t, "the same", snapshot(t, there, hers), snapshot(t, here, hers))
	_, err := there.Turns.Start(ctx, ana(), deputy.Turn{ID: "trn_2", Conversation: hers.conversation}, nil, at(9))
	refused(t, deputy.Conflict, err)
	refused(t, deputy.Conflict, there.Conversations.Delete(ctx, ana(), hers.conversation))
	_, taken, err := there.Turns.Claim(ctx, at(50), at(60))
	must(t, err)
	refused(t, deputy.Conflict, here.Turns.Commit(ctx, lease, deputy.Step{}))
	must(t, there.Turns.Commit(ctx, taken, deputy.Step{Finish: deputy.Answered, At: at(51)}))
	same(t, "ended", get[deputy.Turn](t)(here.Turns.Get(ctx, ana(), hers.turn)).State, deputy.TurnCompleted)
	must(t, there.Settings.Put(ctx, "x", json.RawMessage(`2`)))
	same(t, "setting", string(get[json.RawMessage](t)(here.Settings.Get(ctx, "x"))), `2`)
}

func claimTogether(t *testing.T, here, there deputy.Store) {
	given(t, here)
	race(t, 40, deputy.AlreadyDecided, func(n int) error {
		s := here
		if n%2 == 0 {
			s = there
		}
		return s.Proposals.Claim(t.Context(), ana(), confirming("prp_1"))
	})
}

func changedElsewhere(t *testing.T, here, there deputy.Store) {
	ctx := t.Context()
	hers, lease := given(t, here)
	wait := func() <-chan struct{} { return get[<-chan struct{}](t)(there.Turns.Changed(ctx, ana(), hers.turn)) }
	c := wait()
	must(t, here.Turns.Commit(ctx, lease, deputy.Step{Events: []deputy.Event{{Seq: 2}}}))
	awaken(t, "commit", c)
	same(t, "events", len(get[[]deputy.Event](t)(there.Turns.Events(ctx, ana(), hers.turn, 1, 10))), 1)
	c = wait()
	must(t, here.Turns.Cancel(ctx, ana(), hers.turn))
	awaken(t, "cancel", c)
	c = wait()
	finish(t, here, lease)
	awaken(t, "the end", c)
	c = wait()
	must(t, here.Conversations.Delete(ctx, ana(), hers.conversation))
	awaken(t, "deleted", c)
}
