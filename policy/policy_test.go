package policy_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/policy"
	"example.com/deputy/query"
)

func catalog(t *testing.T) query.Catalog {
	t.Helper()
	field := func(name string) query.Field { return query.Field{Name: name, Label: name, Type: query.Int, Scale: -1} }
	orders := query.Table{Name: "orders", Label: "Orders", Key: []string{"id"}, RecordLabel: "secret", Fields: []query.Field{field("id"), field("customer_id"), field("secret")},
		Relations: []query.Relation{{Name: "customer", Table: "customers", From: []string{"customer_id"}, To: []string{"id"}}}}
	customers := query.Table{Name: "customers", Label: "Customers", Key: []string{"id"}, Fields: []query.Field{field("id"), field("rep"), field("limit")},
		Relations: []query.Relation{{Name: "orders", Table: "orders", From: []string{"id"}, To: []string{"customer_id"}, Many: true}}}
	report := query.Table{Name: "report", Label: "Report", View: true, Fields: []query.Field{field("n")}}
	c, err := hosttest.New([]query.Table{customers, orders, report}, nil).Catalog(t.Context(), deputy.Person{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func all() policy.Fields { return policy.Fields{All: true} }

// grants are the rights of somebody with roles of a policy whose attribute rep is 3.
func grants(t *testing.T, p policy.Policy, roles ...string) *policy.Grants {
	t.Helper()
	c, err := p.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return c.For(catalog(t), policy.Subject{Roles: roles, Lookup: func(path []string) (string, bool) { return "3", strings.Join(path, ".") == "person.attributes.rep" }})
}

func roles() policy.Policy {
	return policy.Policy{Roles: map[string]policy.Role{
		"agent":   {Hide: []string{"orders.secret"}, Tables: map[string]policy.Access{"customers": {Read: policy.Fields{Names: []string{"id", "rep"}}, Update: all(), Rows: "rep == person.attributes.rep"}, "orders": {Read: all()}}},
		"manager": {Tables: map[string]policy.Access{"*": {Read: all(), Create: all(), Update: all(), Delete: true}}},
		"lost":    {Tables: map[string]policy.Access{"customers": {Read: all(), Rows: "rep == person.attributes.nothing"}}},
		"viewer":  {Tables: map[string]policy.Access{"report": {Read: all(), Update: all(), Delete: true}}},
		"creator": {Tables: map[string]policy.Access{"orders": {Create: all()}}},
	}}
}

func TestGrants(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, table string
		roles       []string
		fields      string // that may be read; empty: the table is unknown
		rule        bool   // about reading
		words       string
	}{
		{"nobody", "customers", nil, "", false, ""},
		{"a role that is not there", "customers", []string{"ghost"}, "", false, ""},
		{"some fields, some rows", "customers", []string{"agent"}, "id rep", true, "Customers: read id, rep, only those meant for you; change."},
		{"what is hidden is not there", "orders", []string{"agent"}, "id customer_id", false, "Orders: read."},
		{"a table that no role names", "report", []string{"agent"}, "", false, ""},
		{"* is every base table", "orders", []string{"manager"}, "id customer_id secret", false, "Orders: read; add; change; delete."},
		{"* is no view", "report", []string{"manager"}, "", false, ""},
		{"a view is never written", "report", []string{"viewer"}, "n", false, "Report: read."},
		{"united, without a rule in one of them", "customers", []string{"agent", "manager"}, "id rep limit", false, "Customers: read; add; change; delete."},
		{"hide wins over every role", "orders", []string{"agent", "manager"}, "id customer_id", false, "Orders: read; add; change; delete."},
		{"an attribute that is absent", "customers", []string{"lost"}, "id rep limit", true, "Customers: read, only those meant for you."},
		{"what may only be created is unknown", "orders", []string{"creator"}, "", false, ""},
		{"a table that is not there", "nowhere", []string{"manager"}, "", false, ""},
	} {
		g := grants(t, roles(), c.roles...)
		shown, err := g.Catalog().Table(context.Background(), c.table)
		if c.fields == "" {
			var u *policy.Unknown
			if !errors.Is(err, query.ErrUnknown) || !errors.As(err, &u) || err.Error() != "unknown table "+c.table {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || strings.Join(shown.FieldNames(), " ") != c.fields {
			t.Errorf("%s: %v %v", c.name, err, shown)
			continue
		}
		grant, err := g.Table(t.Context(), c.table)
		if err != nil || grant.Limited != c.rule || (grant.Before(policy.Read) != nil) != c.rule {
			t.Errorf("%s: %v %v", c.name, err, grant.Before(policy.Read))
		}
		_, words, err := g.Abilities(t.Context())
		if err != nil || !strings.Contains(strings.Join(words, "\n"), c.words) {
			t.Errorf("%s: %q", c.name, words)
		}
	}
}

// TestRestrict: whatever an expression touches, the rule of its table is in it, and what may not be read is refused.
func TestRestrict(t *testing.T) {
	t.Parallel()
	check := func(text string) query.Expr {
		src, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := query.Check(t.Context(), query.Env{Catalog: catalog(t), Table: "orders"}, src)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	p := roles()
	for text, want := range map[string]string{"customer.rep == 1": "", "id > 1": "", "secret == 1": "no field `secret` in orders", "customer.limit > 1": "no field `limit` in customers", "customer.orders.exists(o, o.secret == 1)": "no field `secret` in orders"} {
		e := check(text)
		got, err := grants(t, p, "agent").Restrict(t.Context(), e)
		switch {
		case want != "" && (err == nil || err.Error() != want):
			t.Errorf("%s: %v", text, err)
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case strings.HasPrefix(text, "customer.rep") && reflect.DeepEqual(got, e):
			t.Errorf("%s: there is no rule in it", text)
		}
	}
	if _, err := grants(t, policy.Policy{Roles: map[string]policy.Role{"r": {Tables: map[string]policy.Access{"orders": {Read: all()}}}}}, "r").Restrict(t.Context(), check("customer.rep == 1")); !errors.Is(err, query.ErrUnknown) {
		t.Error(err)
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	c, err := roles().Compile()
	if err != nil {
		t.Fatal(err)
	}
	of := func(id string, attributes map[string]string, names ...string) string {
		return c.Fingerprint("token", id, names, attributes)
	}
	same := of("1", map[string]string{"a": "1", "b": "2"}, "agent", "manager")
	if same != of("1", map[string]string{"b": "2", "a": "1"}, "manager", "agent", "ghost", "agent") {
		t.Error("the same rights have two fingerprints")
	}
	seen := map[string]bool{same: true}
	for _, other := range []string{of("2", map[string]string{"a": "1", "b": "2"}, "agent", "manager"), of("1", map[string]string{"a": "1"}, "agent", "manager"), of("1", map[string]string{"a": "1", "b": "3"}, "agent", "manager"),
		of("1", map[string]string{"a": "1", "b": "2"}, "agent"), of("1", map[string]string{"a1": "", "b": "2"}, "agent", "manager"), c.Fingerprint("token1", "", []string{"agent", "manager"}, map[string]string{"a": "1", "b": "2"})} {
		if seen[other] {
			t.Error("other rights have the same fingerprint")
		}
		seen[other] = true
	}
	changed := roles()
	changed.Roles["agent"] = policy.Role{Tables: map[string]policy.Access{"customers": {Read: all()}}}
	now, err := changed.Compile()
	if err != nil || now.Fingerprint("token", "1", []string{"agent"}, nil) == of("1", nil, "agent") {
		t.Error("a role that has changed has the same fingerprint", err)
	}
}
