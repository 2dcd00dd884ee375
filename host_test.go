package deputy_test

import (
	"testing"

	"example.com/deputy"
)

// TestHostKnowsTheTurn: every request to a host, in a turn and when a proposal is confirmed, is marked with the turn it is made for.
func TestHostKnowsTheTurn(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, calls(do("query_records", `{"table":"customers"}`), do("update_record", `{"table":"customers","id":"1","values":[{"field":"phone","value":"1"}]}`)))
	got := b.ask(t, ann(), "", "x")
	ps := b.proposals(t, ann())
	if _, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps[0])); err != nil {
		t.Fatal(err)
	}
	for _, e := range b.log(t) {
		if e.Tool != "query_records" {
			continue
		}
		if _, err := b.door().Result(t.Context(), ann(), e.ID, 0, 10); err != nil {
			t.Fatal(err)
		}
	}
	methods := map[string]bool{}
	for _, a := range b.host.Asked() {
		if methods[string(a.Method)] = true; a.Turn != got.turn {
			t.Errorf("%s of %s is marked %q, want %q", a.Method, a.Table, a.Turn, got.turn)
		}
	}
	if !methods["query"] || !methods["apply"] {
		t.Errorf("asked %v", methods)
	}
	if turn := deputy.TurnOf(t.Context()); turn != "" {
		t.Errorf("a context of no turn has %q", turn)
	}
}
