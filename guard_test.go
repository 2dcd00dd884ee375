package deputy_test

import (
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/query"
)

func TestGuardAgainstAModelOfItself(t *testing.T) {
	t.Parallel()
	worlds := 100
	if raced {
		worlds = 20
	}
	hosttest.Guard(t, func(_ testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host {
		return hosttest.New(tables, rows)
	}, worlds, 30)
}

func TestRulesOverThePerson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule  string
		roles []string
		want  string
	}{
		{`"boss" in person.roles`, []string{"support", "boss"}, "[[3]]"},
		{`"boss" in person.roles`, []string{"support"}, "[[0]]"},
		{`person.id == "ann" && country == "NO"`, []string{"support"}, "[[2]]"},
		{`rep_id == person.attributes.missing`, []string{"support"}, "[[0]]"},
		{`!(rep_id == person.attributes.missing)`, []string{"support"}, "[[0]]"}, // a missing attribute denies, also inside a negation
		{`rep_id != person.attributes.text`, []string{"support"}, "[[0]]"},       // so does one of the wrong type
	} {
		model := &oneCall{next: do("count_records", `{"table":"customers"}`)}
		b := setupModel(t, func(cfg *deputy.Config) {
			cfg.Policy = deputy.Policy{Roles: map[string]deputy.Role{"boss": {},
				"support": {Tools: []string{"*"}, Tables: map[string]deputy.Access{"customers": {Read: all(), Rows: c.rule}}}}}
		}, model.answer)
		who := caller("ann", c.roles...)
		who.Attributes["text"] = "three"
		b.ask(t, who, "", "x")
		if got := rowsOf(t, b.results()[0]); got != c.want {
			t.Errorf("%s as %v: %s, want %s", c.rule, c.roles, got, c.want)
		}
	}
}

// TestRolesAreUnited shows that several roles are a union, verb by verb, and that what one of them hides stays hidden.
func TestRolesAreUnited(t *testing.T) {
	t.Parallel()
	model := &oneCall{next: do("query_records", `{"table":"customers","select":["id"]}`)}
	b := setupModel(t, func(cfg *deputy.Config) {
		cfg.Policy = deputy.Policy{Roles: map[string]deputy.Role{
			"norway": {Tools: []string{"query_records"}, Tables: map[string]deputy.Access{"customers": {Read: all(), Rows: `country == "NO"`}}},
			"second": {Tools: []string{"count_records"}, Hide: []string{"customers.phone"}, Tables: map[string]deputy.Access{"customers": {Read: some("id", "phone"), Rows: "id == 2"}}},
		}}
	}, model.answer)
	for roles, want := range map[string]string{"norway": "[[1],[3]]", "norway second": "[[1],[2],[3]]"} {
		b.ask(t, caller("ann", strings.Fields(roles)...), "", "x")
		if got := rowsOf(t, b.results()[0]); got != want {
			t.Errorf("%s: %s, want %s", roles, got, want)
		}
	}
	model.next = do("query_records", `{"table":"customers","select":["phone"]}`)
	b.ask(t, caller("ann", "norway"), "", "x")
	if got := b.results()[0]; !strings.Contains(got, "+47 1") {
		t.Error(got)
	}
	b.ask(t, caller("ann", "norway", "second"), "", "x")
	if got := b.results()[0]; !strings.HasPrefix(got, "Error: ") {
		t.Error(got)
	}
}
