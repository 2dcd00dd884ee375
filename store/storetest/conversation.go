package storetest

import (
	"sync"
	"testing"
	"time"

	"example.com/deputy"
)

func titles(cs []deputy.Conversation) []string {
	return pluck(cs, func(c deputy.Conversation) string { return c.Title })
}

func conversations(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	want := full[deputy.Conversation]()
	must(t, s.Conversations.Create(ctx, ana(), want))
	got := get[deputy.Conversation](t)(s.Conversations.Get(ctx, ana(), want.ID))
	if got.Seq == 0 {
		t.Error("no number was given")
	}
	want.Seq = got.Seq
	same(t, "round trip", got, want)
	refused(t, deputy.Conflict, s.Conversations.Create(ctx, ana(), want))
	must(t, s.Conversations.Create(ctx, ana(), deputy.Conversation{ID: "zero"}))
	if z := get[deputy.Conversation](t)(s.Conversations.Get(ctx, ana(), "zero")); !z.CreatedAt.IsZero() || !z.UpdatedAt.IsZero() {
		t.Errorf("zero times came back as %v and %v", z.CreatedAt, z.UpdatedAt)
	}
	late := time.Date(2026, 1, 31, 23, 0, 0, 123456789, time.FixedZone("", -8*3600))
	must(t, s.Conversations.Create(ctx, ana(), deputy.Conversation{ID: "precise", CreatedAt: late}))
	same(t, "time", get[deputy.Conversation](t)(s.Conversations.Get(ctx, ana(), "precise")).CreatedAt, late.UTC().Truncate(time.Microsecond))

	for _, title := range []string{"b", "a ØRE", "c 100%", "d"} {
		must(t, s.Conversations.Create(ctx, bo(), deputy.Conversation{ID: "cnv_" + title, Title: title}))
	}
	list := func(term string, before int64, limit int) []deputy.Conversation {
		return get[[]deputy.Conversation](t)(s.Conversations.List(ctx, bo(), term, before, limit))
	}
	all := list("", 0, 10)
	same(t, "newest first", titles(all), []string{"d", "c 100%", "a ØRE", "b"})
	same(t, "first page", titles(list("", 0, 3)), []string{"d", "c 100%", "a ØRE"})
	same(t, "second page", titles(list("", all[2].Seq, 3)), []string{"b"})
	same(t, "past the end", len(list("", all[3].Seq, 3)), 0)
	same(t, "no limit is nothing", len(list("", 0, 0))+len(list("", 0, -1)), 0)
	same(t, "term ignores case", titles(list("øre", 0, 10)), []string{"a ØRE"})
	same(t, "term is no pattern", titles(list("0%", 0, 10)), []string{"c 100%"})
	same(t, "term is no pattern either", len(list("_", 0, 10)), 0)

	must(t, s.Conversations.Rename(ctx, bo(), "cnv_b", "Große Ähre"))
	same(t, "not by the old title", len(list("b", 0, 10)), 0)
	same(t, "found by the new title", titles(list("äHRE", 0, 10)), []string{"Große Ähre"})
	refused(t, deputy.NotFound, s.Conversations.Rename(ctx, bo(), "cnv_x", "x"))
}

// choices are kept one for each toolset and each half of a conversation: before it began, and since.
func choices(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	must(t, s.Conversations.Create(ctx, ana(), deputy.Conversation{ID: "cnv_1"}))
	must(t, s.Conversations.Create(ctx, bo(), deputy.Conversation{ID: "cnv_1"}))
	a := deputy.Choice{Toolset: "a", Active: true, From: at(1), At: at(2), Opening: true}
	b := deputy.Choice{Toolset: "b", Active: true, From: at(3), At: at(3)}
	later := deputy.Choice{Toolset: "a", From: at(4), At: at(4)}
	for _, c := range []deputy.Choice{a, b, later} {
		must(t, s.Conversations.Choose(ctx, ana(), "cnv_1", c))
	}
	kept := func(as deputy.Person) []deputy.Choice {
		return get[deputy.Conversation](t)(s.Conversations.Get(ctx, as, "cnv_1")).Choices
	}
	same(t, "kept", kept(ana()), []deputy.Choice{a, b, later})
	b.Active, b.At = false, at(5)
	must(t, s.Conversations.Choose(ctx, ana(), "cnv_1", b))
	same(t, "replaced", kept(ana()), []deputy.Choice{a, later, b})
	same(t, "another person's", len(kept(bo())), 0)
	refused(t, deputy.NotFound, s.Conversations.Choose(ctx, ana(), "cnv_2", a))
	if list := get[[]deputy.Conversation](t)(s.Conversations.List(ctx, ana(), "", 0, 1)); len(list) != 1 || len(list[0].Choices) != 3 {
		t.Errorf("listed with %v", list)
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			must(t, s.Conversations.Choose(ctx, bo(), "cnv_1", deputy.Choice{Toolset: string(rune('a' + i)), Active: true, At: at(i), From: at(i)}))
		})
	}
	all.Wait()
	same(t, "chosen at once", len(kept(bo())), 20)
}

func conversationDeleted(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	propose(t, s, ana(), proposal(ana(), "prp_1", "grp_1", 1))
	must(t, s.Log.Append(ctx, deputy.Entry{ID: "tcl_1", Person: ana(), Phase: "turn", Conversation: "cnv_1", Turn: "trn_1"}))
	his := proposal(bo(), "prp_2", "grp_2", 1)
	his.Turn = "trn_2"
	propose(t, s, bo(), his)
	must(t, s.Conversations.Delete(ctx, ana(), "cnv_1"))

	_, err := s.Conversations.Get(ctx, ana(), "cnv_1")
	refused(t, deputy.NotFound, err)
	_, err = s.Turns.Get(ctx, ana(), "trn_1")
	refused(t, deputy.NotFound, err)
	_, err = s.Turns.Events(ctx, ana(), "trn_1", 0, 10)
	refused(t, deputy.NotFound, err)
	_, err = s.Messages.Page(ctx, ana(), "cnv_1", 0, 10)
	refused(t, deputy.NotFound, err)
	_, err = s.Proposals.Get(ctx, ana(), "prp_1")
	refused(t, deputy.NotFound, err)
	refused(t, deputy.NotFound, s.Conversations.Delete(ctx, ana(), "cnv_1"))
	if _, err := s.Log.Get(ctx, ana(), "tcl_1"); err != nil {
		t.Errorf("the log does not stay: %v", err)
	}
	if _, err := s.Proposals.Get(ctx, bo(), "prp_2"); err != nil {
		t.Errorf("another's conversation of the same id: %v", err)
	}
	// The same id again is a new conversation.
	begin(t, s, ana(), "cnv_1", "trn_3")
	same(t, "messages", len(get[[]deputy.Message](t)(s.Messages.Page(ctx, ana(), "cnv_1", 0, 10))), 1)
}

func conversationBusy(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	l := begin(t, s, ana(), "cnv_1", "trn_1")
	refused(t, deputy.Conflict, s.Conversations.Delete(ctx, ana(), "cnv_1"))
	must(t, s.Turns.Commit(ctx, l, deputy.Step{Proposals: []deputy.Proposal{proposal(ana(), "prp_1", "grp_1", 1)}, Finish: deputy.Answered, At: at(3)}))
	must(t, s.Proposals.Claim(ctx, ana(), confirming("prp_1")))
	refused(t, deputy.Conflict, s.Conversations.Delete(ctx, ana(), "cnv_1"))
	same(t, "proposal", state(t, s, ana(), "prp_1"), deputy.Confirming)
	done := proposal(ana(), "prp_1", "grp_1", 1)
	done.State = deputy.Done
	must(t, s.Proposals.Settle(ctx, ana(), []deputy.Proposal{done}, nil))
	must(t, s.Conversations.Delete(ctx, ana(), "cnv_1"))
}

func messageRoundTrip(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	first := full[deputy.Message]()
	first.Parts = parts()
	must(t, s.Conversations.Create(ctx, ana(), deputy.Conversation{ID: "cnv_1"}))
	l, err := s.Turns.Start(ctx, ana(), deputy.Turn{ID: "trn_1", Conversation: "cnv_1"}, []deputy.Message{first}, at(5))
	must(t, err)
	empty := deputy.Message{Role: deputy.FromNote}
	must(t, s.Turns.Commit(ctx, l, deputy.Step{Messages: []deputy.Message{first, empty}}))
	want := []deputy.Message{first, first, empty}
	for i := range want {
		want[i].Seq = int64(i) + 1
	}
	same(t, "messages", get[[]deputy.Message](t)(s.Messages.Page(ctx, ana(), "cnv_1", 0, 10)), want)
}

func messagePages(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	const count = 1000
	l := begin(t, s, ana(), "cnv_1", "trn_1")
	other := begin(t, s, ana(), "cnv_2", "trn_2")
	for i := 1; i < count; i += 3 { // begin has said one
		ms := []deputy.Message{text("x"), text("x"), text("x")}
		must(t, s.Turns.Commit(ctx, l, deputy.Step{Messages: ms}))
	}
	must(t, s.Turns.Commit(ctx, other, deputy.Step{Messages: []deputy.Message{text("y")}}))
	var last int64
	for {
		page := get[[]deputy.Message](t)(s.Messages.Page(ctx, ana(), "cnv_1", last, 128))
		for _, m := range page {
			if last++; m.Seq != last {
				t.Fatalf("message %d stands where %d should", m.Seq, last)
			}
		}
		if len(page) < 128 {
			break
		}
	}
	same(t, "messages", last, int64(count))
	same(t, "other conversation", len(get[[]deputy.Message](t)(s.Messages.Page(ctx, ana(), "cnv_2", 0, 10))), 2)
	same(t, "past the end", len(get[[]deputy.Message](t)(s.Messages.Page(ctx, ana(), "cnv_1", count, 10))), 0)
	same(t, "no limit is nothing", len(get[[]deputy.Message](t)(s.Messages.Page(ctx, ana(), "cnv_1", 0, 0))), 0)
}
