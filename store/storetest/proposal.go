package storetest

import (
	"fmt"
	"testing"

	"example.com/deputy"
)

func ids(ps []deputy.Proposal) []string {
	return pluck(ps, func(p deputy.Proposal) string { return p.ID })
}

func proposalRoundTrip(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	want := full[deputy.Proposal]()
	nothing := ""
	want.Lines[0].Before, want.Lines[0].After = nil, &nothing // NULL and empty text are different
	want.Changes[0].Values[0].Text, want.Changes[0].Values[1].Text = nil, &nothing
	bare := deputy.Proposal{ID: "bare", Owner: ana(), State: deputy.Pending}
	l := begin(t, s, ana(), "cnv_1", "trn_1")
	must(t, s.Turns.Commit(ctx, l, deputy.Step{Proposals: []deputy.Proposal{want, bare}}))
	for _, want := range []deputy.Proposal{want, bare} {
		got := get[[]deputy.Proposal](t)(s.Proposals.Get(ctx, ana(), want.ID))[0]
		if got.Seq == 0 {
			t.Error("no number was given")
		}
		want.Seq = got.Seq
		same(t, "proposal", got, want)
	}
}

func proposalLists(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	elsewhere := proposal(ana(), "prp_4", "grp_2", 1)
	elsewhere.Conversation, elsewhere.Turn = "cnv_2", "trn_2"
	propose(t, s, ana(), proposal(ana(), "prp_1", "grp_1", 2), proposal(ana(), "prp_2", "grp_1", 1), proposal(ana(), "prp_3", "grp_1", 3), elsewhere)
	must(t, s.Proposals.Close(ctx, ana(), []string{"prp_3"}, deputy.Rejected, "no", at(4)))

	same(t, "group, in order", ids(get[[]deputy.Proposal](t)(s.Proposals.Get(ctx, ana(), "grp_1"))), []string{"prp_2", "prp_1", "prp_3"})
	same(t, "one", ids(get[[]deputy.Proposal](t)(s.Proposals.Get(ctx, ana(), "prp_1"))), []string{"prp_1"})
	for _, id := range []string{"", "prp_9"} {
		_, err := s.Proposals.Get(ctx, ana(), id)
		refused(t, deputy.NotFound, err)
	}
	list := func(f deputy.ProposalFilter, before int64, limit int) []deputy.Proposal {
		return get[[]deputy.Proposal](t)(s.Proposals.List(ctx, ana(), f, before, limit))
	}
	all := list(deputy.ProposalFilter{}, 0, 10)
	same(t, "newest first", ids(all), []string{"prp_4", "prp_3", "prp_2", "prp_1"})
	same(t, "first page", ids(list(deputy.ProposalFilter{}, 0, 2)), []string{"prp_4", "prp_3"})
	same(t, "second page", ids(list(deputy.ProposalFilter{}, all[1].Seq, 9)), []string{"prp_2", "prp_1"})
	same(t, "no limit is nothing", len(list(deputy.ProposalFilter{}, 0, 0)), 0)
	same(t, "state", ids(list(deputy.ProposalFilter{State: deputy.Rejected}, 0, 10)), []string{"prp_3"})
	same(t, "conversation", ids(list(deputy.ProposalFilter{Conversation: "cnv_2"}, 0, 10)), []string{"prp_4"})
	same(t, "turn", ids(list(deputy.ProposalFilter{Turn: "trn_1"}, 0, 10)), []string{"prp_3", "prp_2", "prp_1"})
	same(t, "all of it", ids(list(deputy.ProposalFilter{State: deputy.Pending, Conversation: "cnv_1", Turn: "trn_1"}, all[2].Seq, 10)), []string{"prp_1"})
}

func claim(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	propose(t, s, ana(), proposal(ana(), "prp_1", "grp_1", 1), proposal(ana(), "prp_2", "grp_1", 2), proposal(ana(), "prp_3", "grp_1", 3))
	must(t, s.Proposals.Close(ctx, ana(), []string{"prp_3"}, deputy.Rejected, "no", at(4)))

	wrong := confirming("prp_1", "prp_2")
	wrong.Shown[1].Hash = "hash of another"
	refused(t, deputy.AlreadyDecided, s.Proposals.Claim(ctx, ana(), wrong))
	wrong.Shown[1] = deputy.Shown{ID: "prp_1", Hash: "hash of another"}
	refused(t, deputy.AlreadyDecided, s.Proposals.Claim(ctx, ana(), wrong))
	refused(t, deputy.AlreadyDecided, s.Proposals.Claim(ctx, ana(), confirming("prp_1", "prp_3")))
	refused(t, deputy.NotFound, s.Proposals.Claim(ctx, ana(), confirming("prp_1", "prp_9")))
	refused(t, deputy.NotFound, s.Proposals.Claim(ctx, ana(), confirming("grp_1")))
	refused(t, deputy.Invalid, s.Proposals.Claim(ctx, ana(), confirming()))
	same(t, "none or all", state(t, s, ana(), "prp_1"), deputy.Pending)

	must(t, s.Proposals.Claim(ctx, ana(), confirming("prp_1", "prp_2", "prp_1"))) // twice the same is once
	for _, id := range []string{"prp_1", "prp_2"} {
		p := get[[]deputy.Proposal](t)(s.Proposals.Get(ctx, ana(), id))[0]
		same(t, "claimed", p.State, deputy.Confirming)
		same(t, "lease", p.ClaimedUntil, at(11))
	}
	refused(t, deputy.AlreadyDecided, s.Proposals.Claim(ctx, ana(), confirming("prp_1", "prp_2")))
}

func claimContention(t *testing.T, s deputy.Store) {
	propose(t, s, ana(), proposal(ana(), "prp_1", "grp_1", 1), proposal(ana(), "prp_2", "grp_1", 2))
	race(t, 100, deputy.AlreadyDecided, func(n int) error {
		if n%10 == 0 {
			return s.Proposals.Close(t.Context(), ana(), []string{"prp_1", "prp_2"}, deputy.Rejected, "no", at(9))
		}
		return s.Proposals.Claim(t.Context(), ana(), confirming("prp_1", "prp_2"))
	})
	same(t, "both have one fate", state(t, s, ana(), "prp_1"), state(t, s, ana(), "prp_2"))
}

func claimExpiry(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	propose(t, s, ana(), proposal(ana(), "prp_1", "grp_1", 1))
	c := confirming("prp_1")
	for _, minute := range []int{31, 30} { // at the very moment it has expired
		c.Now = at(minute)
		refused(t, deputy.AlreadyDecided, s.Proposals.Claim(ctx, ana(), c))
		same(t, "state", state(t, s, ana(), "prp_1"), deputy.Pending)
	}
	c.Now = at(29)
	must(t, s.Proposals.Claim(ctx, ana(), c))
}

// settled is a proposal as it is after a decision.
func settled(p deputy.Proposal, to deputy.State) deputy.Proposal {
	p.State, p.DecidedAt, p.Outcome, p.Record = to, at(12), fmt.Sprintf("It is %s.", to), "17"
	return p
}

// decision is a row that tells of one.
func decision(proposal string) deputy.Entry {
	return deputy.Entry{ID: "tcl_" + proposal, Person: ana(), Phase: "confirm", Proposal: proposal}
}

// recorded compares the rows of the log, newest first.
func recorded(t *testing.T, s deputy.Store, what string, proposals ...string) {
	t.Helper()
	rows := get[[]deputy.Entry](t)(s.Log.List(t.Context(), ana(), deputy.LogFilter{}, 0, 10))
	same(t, what, pluck(rows, func(e deputy.Entry) string { return e.Proposal }), append([]string{}, proposals...))
}

func settle(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	one, two := proposal(ana(), "prp_1", "grp_1", 1), proposal(ana(), "prp_2", "grp_1", 2)
	propose(t, s, ana(), one, two)
	refused(t, deputy.AlreadyDecided, s.Proposals.Settle(ctx, ana(), []deputy.Proposal{settled(one, deputy.Done)}, nil)) // not claimed
	must(t, s.Proposals.Claim(ctx, ana(), confirming("prp_1")))
	renewed := proposal(ana(), "prp_3", "grp_3", 1)
	both := []deputy.Proposal{settled(one, deputy.Outdated), settled(two, deputy.Outdated)}
	refused(t, deputy.AlreadyDecided, s.Proposals.Settle(ctx, ana(), both, []deputy.Proposal{renewed}))
	refused(t, deputy.Invalid, s.Proposals.Settle(ctx, ana(), []deputy.Proposal{settled(one, deputy.Pending)}, nil))
	refused(t, deputy.NotFound, s.Proposals.Settle(ctx, ana(), []deputy.Proposal{settled(one, deputy.Done), settled(renewed, deputy.Done)}, nil))
	refused(t, deputy.Invalid, s.Proposals.Settle(ctx, ana(), both[:1], []deputy.Proposal{proposal(bo(), "prp_4", "grp_3", 1)}))
	refused(t, deputy.AlreadyDecided, s.Proposals.Settle(ctx, ana(), both, nil, decision("prp_1")))
	same(t, "all or none", state(t, s, ana(), "prp_1"), deputy.Confirming)
	recorded(t, s, "none of what was refused")
	_, err := s.Proposals.Get(ctx, ana(), "prp_3")
	refused(t, deputy.NotFound, err)

	both[0].Renewed = "prp_3"
	changed := both[0]
	changed.Hash, changed.Arguments, changed.Summary = "other", nil, "other" // what was shown stays
	must(t, s.Proposals.Settle(ctx, ana(), []deputy.Proposal{changed}, []deputy.Proposal{renewed}, decision("prp_1"), decision("prp_3")))
	recorded(t, s, "settled", "prp_3", "prp_1")
	got := get[[]deputy.Proposal](t)(s.Proposals.Get(ctx, ana(), "prp_1"))[0]
	both[0].Seq, both[0].ClaimedUntil = got.Seq, at(11)
	same(t, "settled", got, both[0])
	same(t, "renewed", state(t, s, ana(), "prp_3"), deputy.Pending)
	refused(t, deputy.AlreadyDecided, s.Proposals.Settle(ctx, ana(), both[:1], nil))
	must(t, s.Proposals.Claim(ctx, ana(), confirming("prp_3")))
	must(t, s.Proposals.Settle(ctx, ana(), []deputy.Proposal{settled(renewed, deputy.Unknown)}, nil))
	refused(t, deputy.AlreadyDecided, s.Proposals.Settle(ctx, ana(), []deputy.Proposal{settled(renewed, deputy.Outdated)}, nil))
	must(t, s.Proposals.Settle(ctx, ana(), []deputy.Proposal{settled(renewed, deputy.Done)}, nil)) // once it is known
	refused(t, deputy.AlreadyDecided, s.Proposals.Settle(ctx, ana(), []deputy.Proposal{settled(renewed, deputy.Failed)}, nil))
}

func closed(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	propose(t, s, ana(), proposal(ana(), "prp_1", "grp_1", 1), proposal(ana(), "prp_2", "grp_1", 2), proposal(ana(), "prp_3", "grp_1", 3))
	refused(t, deputy.Invalid, s.Proposals.Close(ctx, ana(), []string{"prp_1"}, deputy.Done, "no", at(9)))
	must(t, s.Proposals.Close(ctx, ana(), []string{"prp_1"}, deputy.Expired, "It has expired.", at(9)))
	refused(t, deputy.AlreadyDecided, s.Proposals.Close(ctx, ana(), []string{"prp_2", "prp_1"}, deputy.Rejected, "no", at(10)))
	refused(t, deputy.NotFound, s.Proposals.Close(ctx, ana(), []string{"prp_2", "prp_9"}, deputy.Rejected, "no", at(10), decision("prp_2")))
	recorded(t, s, "none of what was refused")
	same(t, "all or none", state(t, s, ana(), "prp_2"), deputy.Pending)
	must(t, s.Proposals.Close(ctx, ana(), []string{"prp_2", "prp_3"}, deputy.Rejected, "no", at(10), decision("prp_2"), decision("prp_3")))
	recorded(t, s, "closed", "prp_3", "prp_2")
	got := get[[]deputy.Proposal](t)(s.Proposals.Get(ctx, ana(), "prp_1"))[0]
	same(t, "state", got.State, deputy.Expired)
	same(t, "outcome", got.Outcome, "It has expired.")
	same(t, "decided", got.DecidedAt, at(9))
	refused(t, deputy.AlreadyDecided, s.Proposals.Claim(ctx, ana(), confirming("prp_2")))
	must(t, s.Proposals.Close(ctx, ana(), nil, deputy.Rejected, "no", at(10))) // none is done at once
}
