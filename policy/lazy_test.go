package policy_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/deputy/policy"
	"example.com/deputy/query"
)

// noting is a catalog of tables that notes which of them are described.
type noting struct {
	tables map[string]*query.Table
	asked  []string
}

func (n *noting) Features() query.Features { return query.Features{} }

func (n *noting) Tables(context.Context, string, string) ([]query.Summary, error) { return nil, nil }

func (n *noting) Table(_ context.Context, name string) (*query.Table, error) {
	n.asked = append(n.asked, name)
	if t, ok := n.tables[name]; ok {
		return t, nil
	}
	return nil, query.ErrUnknown
}

// star is a table that three others and a view refer to, and that has a parent; its label is the parent's name where path says so.
func star(path bool) *noting {
	field := func(name string) query.Field { return query.Field{Name: name, Type: query.String} }
	n := &noting{tables: map[string]*query.Table{}}
	hub := &query.Table{Name: "hub", Key: []string{"id"}, RecordLabel: "name", Fields: []query.Field{field("id"), field("name"), field("up_id")},
		Relations: []query.Relation{{Name: "up", Table: "up", From: []string{"up_id"}, To: []string{"id"}}}}
	if path {
		hub.RecordLabel = "up.name"
	}
	for i := range 3 {
		name := fmt.Sprintf("child_%d", i)
		hub.Relations = append(hub.Relations, query.Relation{Name: name, Table: name, From: []string{"id"}, To: []string{"hub_id"}, Many: true})
		n.tables[name] = &query.Table{Name: name, Key: []string{"id"}, Fields: []query.Field{field("id"), field("hub_id")}}
	}
	hub.Relations = append(hub.Relations, query.Relation{Name: "seen", Table: "seen", From: []string{"id"}, To: []string{"hub_id"}, Many: true})
	n.tables["hub"], n.tables["up"] = hub, &query.Table{Name: "up", Key: []string{"id"}, Fields: []query.Field{field("id"), field("name")}}
	n.tables["seen"] = &query.Table{Name: "seen", View: true, Fields: []query.Field{field("hub_id")}}
	return n
}

// TestWhatATableIsTiedTo: which relations are shown, and which tables that takes a look at.
func TestWhatATableIsTiedTo(t *testing.T) {
	t.Parallel()
	read, rule := policy.Access{Read: all()}, policy.Access{Read: all(), Rows: `name == "a" || missing == 1`} // a rule that does not fit
	of := func(tables map[string]policy.Access, hide ...string) policy.Policy {
		return policy.Policy{Roles: map[string]policy.Role{"r": {Tables: tables, Hide: hide}}}
	}
	for _, tt := range []struct {
		name         string
		policy       policy.Policy
		path         bool
		shown, asked string
	}{
		{"every base table", of(map[string]policy.Access{"*": read}), false, "up child_0 child_1 child_2 name", "child_0 child_1 child_2 hub seen up"},
		{"every base table and the view", of(map[string]policy.Access{"*": read, "seen": read}), false, "up child_0 child_1 child_2 seen name", "child_0 child_1 child_2 hub up"},
		{"named, by a rule that does not fit", of(map[string]policy.Access{"hub": rule, "child_1": rule, "seen": read, "up": rule}), false, "up child_1 seen name", "hub"},
		{"named, but for one", of(map[string]policy.Access{"*": read, "child_0": {}, "child_1": {Create: all()}, "child_2": {Read: policy.Fields{Names: []string{"id"}}}, "up": read, "seen": {}}), false, "up name", "hub"},
		{"what ties them is hidden", of(map[string]policy.Access{"hub": read, "child_0": read, "child_1": {Read: policy.Fields{Names: []string{"hub_id"}}}, "up": read}, "child_0.hub_id", "child_1.hub_id", "hub.up_id", "hub.name"), false, "", "hub"},
		{"a label by a path", of(map[string]policy.Access{"hub": read, "child_0": read, "up": read}), true, "up child_0 up.name", "hub up"},
		{"a label by a path that is hidden", of(map[string]policy.Access{"hub": read, "child_0": read, "up": read}, "up.name"), true, "up child_0", "hub up"},
	} {
		c, err := tt.policy.Compile()
		if err != nil {
			t.Fatal(err)
		}
		n := star(tt.path)
		hub, err := c.For(n, policy.Subject{Roles: []string{"r"}}).Catalog().Table(t.Context(), "hub")
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var shown []string
		for _, r := range hub.Relations {
			shown = append(shown, r.Name)
		}
		if hub.RecordLabel != "" {
			shown = append(shown, hub.RecordLabel)
		}
		slices.Sort(n.asked)
		if got, asked := strings.Join(shown, " "), strings.Join(n.asked, " "); got != tt.shown || asked != tt.asked {
			t.Errorf("%s: shown %q, want %q; asked for %q, want %q", tt.name, got, tt.shown, asked, tt.asked)
		}
	}
}

// TestRulesAreCompiledWhenNeeded: rights are told without them, and once they are needed, one that does not fit is said.
func TestRulesAreCompiledWhenNeeded(t *testing.T) {
	t.Parallel()
	p := policy.Policy{Roles: map[string]policy.Role{"r": {Tables: map[string]policy.Access{"hub": {Read: all(), Update: all(), Rows: "missing == 1"}, "up": {Read: all()}}}}}
	c, err := p.Compile()
	if err != nil {
		t.Fatal(err)
	}
	g := c.For(star(false), policy.Subject{Roles: []string{"r"}})
	rights, err := g.Rights(t.Context(), "hub")
	if err != nil || !rights.Read.All || !rights.Update.All || !rights.Create.None() || rights.Delete || !rights.Limited {
		t.Errorf("%+v %v", rights, err)
	}
	if up, err := g.Rights(t.Context(), "up"); err != nil || up.Limited {
		t.Errorf("%+v %v", up, err)
	}
	if _, err := g.Table(t.Context(), "hub"); err == nil || !strings.HasPrefix(err.Error(), "the policy does not fit the database any more: a rule about hub: ") {
		t.Error(err)
	}
	for v, want := range map[policy.Verb]bool{policy.Read: true, policy.Update: true, policy.Create: false, policy.Delete: false} {
		if g.Writable(v) != want {
			t.Errorf("%s is granted: %v", v, !want)
		}
	}
}
