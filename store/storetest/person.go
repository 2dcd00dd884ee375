package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"example.com/deputy"
)

// things names one of each.
type things struct{ conversation, turn, proposal, group, call, analysis string }

// method is one call of the store that names a thing.
type method struct {
	name string
	call func(ctx context.Context, as deputy.Person) error
}

// methods are all that take a person and name something of theirs.
func methods(s deputy.Store, of things) []method {
	p := proposal(ana(), of.proposal, of.group, 1)
	p.State = deputy.Done
	return []method{
		{"Conversations.Get", func(ctx context.Context, as deputy.Person) error {
			_, err := s.Conversations.Get(ctx, as, of.conversation)
			return err
		}},
		{"Conversations.Rename", func(ctx context.Context, as deputy.Person) error {
			return s.Conversations.Rename(ctx, as, of.conversation, "mine")
		}},
		{"Conversations.Choose", func(ctx context.Context, as deputy.Person) error {
			return s.Conversations.Choose(ctx, as, of.conversation, deputy.Choice{Toolset: "mine"})
		}},
		{"Conversations.Delete", func(ctx context.Context, as deputy.Person) error {
			return s.Conversations.Delete(ctx, as, of.conversation)
		}},
		{"Turns.Start", func(ctx context.Context, as deputy.Person) error {
			_, err := s.Turns.Start(ctx, as, deputy.Turn{ID: "trn_new", Conversation: of.conversation}, []deputy.Message{text("mine")}, at(9))
			return err
		}},
		{"Turns.Get", func(ctx context.Context, as deputy.Person) error { _, err := s.Turns.Get(ctx, as, of.turn); return err }},
		{"Turns.Cancel", func(ctx context.Context, as deputy.Person) error { return s.Turns.Cancel(ctx, as, of.turn) }},
		{"Turns.Events", func(ctx context.Context, as deputy.Person) error {
			_, err := s.Turns.Events(ctx, as, of.turn, 0, 10)
			return err
		}},
		{"Turns.Changed", func(ctx context.Context, as deputy.Person) error {
			_, err := s.Turns.Changed(ctx, as, of.turn)
			return err
		}},
		{"Messages.Page", func(ctx context.Context, as deputy.Person) error {
			_, err := s.Messages.Page(ctx, as, of.conversation, 0, 10)
			return err
		}},
		{"Proposals.Get", func(ctx context.Context, as deputy.Person) error {
			_, err := s.Proposals.Get(ctx, as, of.proposal)
			return err
		}},
		{"Proposals.Get, group", func(ctx context.Context, as deputy.Person) error {
			_, err := s.Proposals.Get(ctx, as, of.group)
			return err
		}},
		{"Proposals.Claim", func(ctx context.Context, as deputy.Person) error {
			return s.Proposals.Claim(ctx, as, confirming(of.proposal))
		}},
		{"Proposals.Settle", func(ctx context.Context, as deputy.Person) error {
			return s.Proposals.Settle(ctx, as, []deputy.Proposal{p}, nil)
		}},
		{"Proposals.Close", func(ctx context.Context, as deputy.Person) error {
			return s.Proposals.Close(ctx, as, []string{of.proposal}, deputy.Rejected, "mine", at(9))
		}},
		{"Analyses.Get", func(ctx context.Context, as deputy.Person) error {
			_, err := s.Analyses.Get(ctx, as, of.analysis)
			return err
		}},
		{"Analyses.Put", func(ctx context.Context, as deputy.Person) error {
			_, err := s.Analyses.Put(ctx, as, versioned(of.analysis, "mine", 1))
			return err
		}},
		{"Analyses.Delete", func(ctx context.Context, as deputy.Person) error { return s.Analyses.Delete(ctx, as, of.analysis) }},
		{"Log.Get", func(ctx context.Context, as deputy.Person) error { _, err := s.Log.Get(ctx, as, of.call); return err }},
	}
}

// lists are how much a person sees in each list.
func lists(t *testing.T, s deputy.Store, as deputy.Person) map[string]int {
	t.Helper()
	ctx := t.Context()
	return map[string]int{
		"conversations": len(get[[]deputy.Conversation](t)(s.Conversations.List(ctx, as, "", 0, 10))),
		"proposals":     len(get[[]deputy.Proposal](t)(s.Proposals.List(ctx, as, deputy.ProposalFilter{}, 0, 10))),
		"analyses":      len(get[[]deputy.SavedAnalysis](t)(s.Analyses.List(ctx, as, deputy.AnalysisFilter{}, 0, 10))),
		"log":           len(get[[]deputy.Entry](t)(s.Log.List(ctx, as, deputy.LogFilter{}, 0, 10))),
	}
}

// given fills a store with one of each for Ana.
func given(t *testing.T, s deputy.Store) (things, deputy.Lease) {
	t.Helper()
	l := begin(t, s, ana(), "cnv_1", "trn_1")
	must(t, s.Turns.Commit(t.Context(), l, deputy.Step{
		Events: []deputy.Event{{Seq: 1, Name: "hers"}}, Proposals: []deputy.Proposal{proposal(ana(), "prp_1", "grp_1", 1)},
	}))
	must(t, s.Log.Append(t.Context(), deputy.Entry{ID: "tcl_1", Person: ana(), Phase: "turn"}))
	put(t, s, ana(), analysis("ana_1", "Revenue", false))
	return things{"cnv_1", "trn_1", "prp_1", "grp_1", "tcl_1", "ana_1"}, l
}

// snapshot is everything of Ana's that a stranger could have touched.
func snapshot(t *testing.T, s deputy.Store, of things) []any {
	t.Helper()
	ctx := t.Context()
	return []any{
		get[deputy.Conversation](t)(s.Conversations.Get(ctx, ana(), of.conversation)),
		get[deputy.Turn](t)(s.Turns.Get(ctx, ana(), of.turn)),
		get[[]deputy.Event](t)(s.Turns.Events(ctx, ana(), of.turn, 0, 10)),
		get[[]deputy.Message](t)(s.Messages.Page(ctx, ana(), of.conversation, 0, 10)),
		get[[]deputy.Proposal](t)(s.Proposals.Get(ctx, ana(), of.group)),
		get[[]deputy.Entry](t)(s.Log.List(ctx, ana(), deputy.LogFilter{}, 0, 10)),
		get[[]deputy.SavedAnalysis](t)(s.Analyses.List(ctx, ana(), deputy.AnalysisFilter{}, 0, 10)),
	}
}

func isolation(t *testing.T, s deputy.Store) {
	hers, _ := given(t, s)
	before := snapshot(t, s, hers)
	absent := methods(s, things{"cnv_x", "trn_x", "prp_x", "grp_x", "tcl_x", "ana_x"})
	for _, stranger := range []deputy.Person{bo(), twin()} {
		for i, m := range methods(s, hers) {
			err, want := m.call(t.Context(), stranger), absent[i].call(t.Context(), stranger)
			refused(t, deputy.NotFound, err)
			if err == nil || want == nil || err.Error() != want.Error() {
				t.Errorf("%s as %s: %v, but for what does not exist: %v", m.name, stranger.Key(), err, want)
			}
		}
		same(t, "lists", lists(t, s, stranger), map[string]int{"conversations": 0, "proposals": 0, "analyses": 0, "log": 0})
	}
	same(t, "untouched", snapshot(t, s, hers), before)
	same(t, "own lists", lists(t, s, ana()), map[string]int{"conversations": 1, "proposals": 1, "analyses": 1, "log": 1})

	// Another person may have a conversation of the same id, and a name decides nothing.
	must(t, s.Conversations.Create(t.Context(), bo(), deputy.Conversation{ID: "cnv_1", Title: "his"}))
	renamed := ana()
	renamed.Name = "Ana Berg"
	same(t, "title", get[deputy.Conversation](t)(s.Conversations.Get(t.Context(), renamed, "cnv_1")).Title, "cnv_1")
}

func cancelled(t *testing.T, s deputy.Store) {
	hers, lease := given(t, s)
	before := snapshot(t, s, hers)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	calls := append(methods(s, hers),
		method{"Conversations.Create", func(ctx context.Context, as deputy.Person) error {
			return s.Conversations.Create(ctx, as, deputy.Conversation{ID: "cnv_2"})
		}},
		method{"Conversations.List", func(ctx context.Context, as deputy.Person) error {
			_, err := s.Conversations.List(ctx, as, "", 0, 10)
			return err
		}},
		method{"Turns.Commit", func(ctx context.Context, _ deputy.Person) error {
			return s.Turns.Commit(ctx, lease, deputy.Step{Messages: []deputy.Message{text("late")}})
		}},
		method{"Turns.Claim", func(ctx context.Context, _ deputy.Person) error {
			_, _, err := s.Turns.Claim(ctx, at(50), at(51))
			return err
		}},
		method{"Proposals.List", func(ctx context.Context, as deputy.Person) error {
			_, err := s.Proposals.List(ctx, as, deputy.ProposalFilter{}, 0, 10)
			return err
		}},
		method{"Log.Append", func(ctx context.Context, as deputy.Person) error { return s.Log.Append(ctx, deputy.Entry{Person: as}) }},
		method{"Log.List", func(ctx context.Context, as deputy.Person) error {
			_, err := s.Log.List(ctx, as, deputy.LogFilter{}, 0, 10)
			return err
		}},
		method{"Log.All", func(ctx context.Context, _ deputy.Person) error {
			_, err := s.Log.All(ctx, deputy.LogFilter{}, 0, 10)
			return err
		}},
		method{"Attempts.Begin", func(ctx context.Context, as deputy.Person) error {
			_, _, err := s.Attempts.Begin(ctx, as, attempt("k", "late", 5), at(0))
			return err
		}},
		method{"Attempts.End", func(ctx context.Context, as deputy.Person) error {
			return s.Attempts.End(ctx, as, attempt("k", "late", 5))
		}},
		method{"Attempts.Forget", func(ctx context.Context, as deputy.Person) error {
			return s.Attempts.Forget(ctx, as, attempt("k", "late", 5))
		}},
		method{"Analyses.List", func(ctx context.Context, as deputy.Person) error {
			_, err := s.Analyses.List(ctx, as, deputy.AnalysisFilter{}, 0, 10)
			return err
		}},
		method{"Analyses.Put, new", func(ctx context.Context, as deputy.Person) error {
			_, err := s.Analyses.Put(ctx, as, analysis("ana_2", "late", false))
			return err
		}},
		method{"Settings.Get", func(ctx context.Context, _ deputy.Person) error { _, err := s.Settings.Get(ctx, "x"); return err }},
		method{"Settings.Put", func(ctx context.Context, _ deputy.Person) error { return s.Settings.Put(ctx, "x", []byte(`1`)) }},
	)
	for _, m := range calls {
		if err := m.call(ctx, ana()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", m.name, err)
		}
	}
	same(t, "untouched", snapshot(t, s, hers), before)
	same(t, "lists", lists(t, s, ana()), map[string]int{"conversations": 1, "proposals": 1, "analyses": 1, "log": 1})
	_, err := s.Settings.Get(t.Context(), "x")
	refused(t, deputy.NotFound, err)
}

// copied changes what went in and what came out; the store must not notice.
func copied(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	l := begin(t, s, ana(), "cnv_1", "trn_1")
	step := deputy.Step{
		Messages: []deputy.Message{{Role: deputy.FromModel, Parts: parts()}}, Events: []deputy.Event{full[deputy.Event]()},
		Proposals: []deputy.Proposal{full[deputy.Proposal]()},
	}
	of := things{"cnv_1", "trn_1", step.Proposals[0].ID, step.Proposals[0].Group, "", ""}
	must(t, s.Turns.Commit(ctx, l, step))
	row := full[deputy.Entry]()
	must(t, s.Log.Append(ctx, row))
	value := []byte(`"a"`)
	must(t, s.Settings.Put(ctx, "x", value))
	before := show(snapshot(t, s, of))

	spoil(step.Messages[0], step.Events[0], step.Proposals[0], row)
	value[1] = 'b'
	same(t, "after the caller wrote into what it gave", show(snapshot(t, s, of)), before)
	spoil(get[[]deputy.Message](t)(s.Messages.Page(ctx, ana(), "cnv_1", 1, 1))[0], get[[]deputy.Event](t)(s.Turns.Events(ctx, ana(), "trn_1", 0, 1))[0],
		get[[]deputy.Proposal](t)(s.Proposals.Get(ctx, ana(), of.proposal))[0], get[[]deputy.Entry](t)(s.Log.List(ctx, ana(), deputy.LogFilter{}, 0, 1))[0])
	get[json.RawMessage](t)(s.Settings.Get(ctx, "x"))[1] = 'c'
	same(t, "after the caller wrote into what it got", show(snapshot(t, s, of)), before)
	same(t, "setting", string(get[json.RawMessage](t)(s.Settings.Get(ctx, "x"))), `"a"`)
}

// spoil writes into everything that a caller could still hold.
func spoil(m deputy.Message, e deputy.Event, p deputy.Proposal, row deputy.Entry) {
	for i := range m.Parts {
		if c := m.Parts[i].Call; c != nil {
			c.Tool, c.Arguments[0] = "spoilt", '['
		}
		if r := m.Parts[i].Result; r != nil {
			r.Text = "spoilt"
		}
		m.Parts[i].Text = "spoilt"
	}
	e.Data[0], p.Arguments[0], p.Prepared[0], row.Arguments[0] = '[', '[', '[', '['
	p.Changes[0].Key[0], *p.Changes[0].Values[0].Text, *p.Lines[0].Before, p.Warnings[0] = "spoilt", "spoilt", "spoilt", "spoilt"
}
