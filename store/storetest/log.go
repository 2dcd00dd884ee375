package storetest

import (
	"encoding/json"
	"testing"

	"example.com/deputy"
)

func logRows(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	row := full[deputy.Entry]()
	row.Phase = "turn"
	confirm := row
	confirm.Phase, confirm.Outcome = "confirm", "confirmed"
	again := deputy.Entry{ID: "again", Person: ana(), Phase: "turn", Outcome: deputy.CallFailed}
	bare := deputy.Entry{ID: "again", Person: ana(), Phase: "turn"}
	must(t, s.Log.Append(ctx, row, confirm, again))
	must(t, s.Log.Append(ctx, bare))
	must(t, s.Log.Append(ctx))
	must(t, s.Log.Append(ctx, deputy.Entry{ID: "bos", Person: bo(), Phase: "turn"}))
	want := []deputy.Entry{bare, again, confirm, row}
	got := get[[]deputy.Entry](t)(s.Log.List(ctx, ana(), deputy.LogFilter{}, 0, 10))
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i, e := range got {
		if i > 0 && e.Seq >= got[i-1].Seq || e.Seq <= 0 {
			t.Errorf("row %d has the number %d", i, e.Seq)
		}
		want[i].Seq = e.Seq
	}
	same(t, "newest first", got, want)
	same(t, "first page", get[[]deputy.Entry](t)(s.Log.List(ctx, ana(), deputy.LogFilter{}, 0, 2)), want[:2])
	same(t, "second page", get[[]deputy.Entry](t)(s.Log.List(ctx, ana(), deputy.LogFilter{}, want[1].Seq, 9)), want[2:])
	same(t, "no limit is nothing", len(get[[]deputy.Entry](t)(s.Log.List(ctx, ana(), deputy.LogFilter{}, 0, 0))), 0)
	same(t, "of the turn", get[deputy.Entry](t)(s.Log.Get(ctx, ana(), row.ID)), want[3])
	same(t, "the newest", get[deputy.Entry](t)(s.Log.Get(ctx, ana(), "again")), want[0])
	_, err := s.Log.Get(ctx, ana(), "absent")
	refused(t, deputy.NotFound, err)
	all := get[[]deputy.Entry](t)(s.Log.All(ctx, deputy.LogFilter{}, 0, 10))
	same(t, "everybody's", pluck(all, func(e deputy.Entry) string { return e.Person.ID }), []string{"bo", "ana", "ana", "ana", "ana"})
	same(t, "everybody's, a page", get[[]deputy.Entry](t)(s.Log.All(ctx, deputy.LogFilter{}, all[3].Seq, 5)), want[3:])
}

func logFilters(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	row := func(id string, as deputy.Person, conversation, turn, tool string, o deputy.Outcome) deputy.Entry {
		return deputy.Entry{ID: id, Person: as, Conversation: conversation, Turn: turn, Tool: tool, Outcome: o, Phase: "turn"}
	}
	must(t, s.Log.Append(ctx,
		row("1", ana(), "cnv_1", "trn_1", "query_records", deputy.Ran),
		row("2", ana(), "cnv_1", "trn_2", "query_records", deputy.Refused),
		row("3", ana(), "cnv_2", "trn_3", "update_record", deputy.Proposed),
		row("4", bo(), "cnv_1", "trn_4", "query_records", deputy.Ran),
		row("5", twin(), "cnv_3", "trn_5", "query_records", deputy.Ran)))
	for _, c := range []struct {
		name     string
		filter   deputy.LogFilter
		own, all []string
	}{
		{"none", deputy.LogFilter{}, []string{"3", "2", "1"}, []string{"5", "4", "3", "2", "1"}},
		{"conversation", deputy.LogFilter{Conversation: "cnv_1"}, []string{"2", "1"}, []string{"4", "2", "1"}},
		{"turn", deputy.LogFilter{Turn: "trn_4"}, []string{}, []string{"4"}},
		{"person", deputy.LogFilter{PersonID: "ana"}, []string{"3", "2", "1"}, []string{"5", "3", "2", "1"}},
		{"another person", deputy.LogFilter{PersonID: "bo"}, []string{}, []string{"4"}},
		{"tool", deputy.LogFilter{Tool: "update_record"}, []string{"3"}, []string{"3"}},
		{"outcome", deputy.LogFilter{Outcome: deputy.Ran}, []string{"1"}, []string{"5", "4", "1"}},
		{"all of it", deputy.LogFilter{Conversation: "cnv_1", Turn: "trn_1", PersonID: "ana", Tool: "query_records", Outcome: deputy.Ran}, []string{"1"}, []string{"1"}},
	} {
		id := func(e deputy.Entry) string { return e.ID }
		same(t, c.name, pluck(get[[]deputy.Entry](t)(s.Log.List(ctx, ana(), c.filter, 0, 10)), id), c.own)
		same(t, c.name+", everybody's", pluck(get[[]deputy.Entry](t)(s.Log.All(ctx, c.filter, 0, 10)), id), c.all)
	}
}

func settings(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	_, err := s.Settings.Get(ctx, "kill_switch")
	refused(t, deputy.NotFound, err)
	for _, value := range []string{`{ "all": true, "reason": "<é😀>" }`, `null`, `""`, `1.50`} {
		must(t, s.Settings.Put(ctx, "kill_switch", json.RawMessage(value)))
		same(t, "value", string(get[json.RawMessage](t)(s.Settings.Get(ctx, "kill_switch"))), value)
	}
	for _, value := range []string{``, `{`, `nope`} {
		refused(t, deputy.Invalid, s.Settings.Put(ctx, "kill_switch", json.RawMessage(value)))
	}
	same(t, "value", string(get[json.RawMessage](t)(s.Settings.Get(ctx, "kill_switch"))), `1.50`)
	_, err = s.Settings.Get(ctx, odd)
	refused(t, deputy.NotFound, err)
}
