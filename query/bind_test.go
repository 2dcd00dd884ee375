package query_test

import (
	"strings"
	"testing"

	"example.com/deputy/query"
)

func TestBind(t *testing.T) {
	t.Parallel()
	attributes := map[string]string{
		"person.id": "1", "person.roles": `["agent","admin"]`, "person.attributes.country": "NO", "person.attributes.since": "2026-01-01", "person.attributes.limit": "99.5",
		"person.attributes.on": "true", "person.attributes.ids": `["1","5"]`, "person.attributes.word": "many", "person.attributes.made": "2026-01-01T00:00:00Z",
	}
	lookup := func(path []string) (string, bool) {
		text, ok := attributes[strings.Join(path, ".")]
		return text, ok
	}
	env, rows := env(t, "customers"), rows(t)
	for _, tt := range []struct {
		text    string
		want    bool
		missing bool
	}{
		{`id == person.id`, true, false},
		{`person.id == id`, true, false},
		{`country == person.attributes.country`, true, false},
		{`balance > person.attributes.limit`, true, false},
		{`born < person.attributes.since`, true, false},
		{`created_at > person.attributes.made`, true, false},
		{`person.attributes.on && id == 1`, true, false},
		{`active == person.attributes.on`, true, false},
		{`id + person.attributes.limit > 100`, true, false},
		{`name.contains("a") == person.attributes.on`, true, false},
		{`"agent" in person.roles`, true, false},
		{`"boss" in person.roles`, false, false},
		{`country in person.roles`, false, false},
		{`id in person.attributes.ids`, true, false},
		{`person.id in [id]`, true, false},
		{`person.attributes.country in ["NO", "SE"]`, true, false},
		{`person.id == person.attributes.country`, false, false},
		{`person.id != null`, true, false},
		{`lower(person.attributes.country) == "no"`, true, false},
		{`data.address.city != person.attributes.country`, true, false},
		{`coalesce(person.attributes.country, "x") == "NO"`, true, false},
		{`(active ? person.attributes.country : person.id) == "NO"`, true, false},
		{`orders.exists(o, o.customer_id == person.id)`, true, false},
		// absent, or of another type: the whole rule is false
		{`id == person.attributes.word`, false, true},
		{`country != person.attributes.nothing`, false, true},
		{`active || country == person.attributes.nothing`, false, true},
		{`id in person.attributes.word`, false, true},
		{`born > person.attributes.word`, false, true},
		{`id in person.roles`, false, true},
	} {
		bound, missing := query.Bind(check(t, env, tt.text), lookup)
		if missing != tt.missing {
			t.Errorf("%s: missing = %v", tt.text, missing)
		}
		query.Walk(bound, func(e query.Expr) {
			if p, ok := e.(query.Param); ok {
				t.Errorf("%s: %v is not bound", tt.text, p.Path)
			}
		})
		got := query.Truth(query.Eval(bound, rows["customers"][0], rows.Data))
		if !missing && got != tt.want {
			t.Errorf("%s = %v, want %v", tt.text, got, tt.want)
		}
	}
}

// TestHiddenIsMissing: an error says the same of a name that is hidden and of one that never was.
func TestHiddenIsMissing(t *testing.T) {
	t.Parallel()
	whole := env(t, "orders")
	narrowed := shop()
	customers := *narrowed[1]
	customers.Fields = append([]query.Field{}, customers.Fields...)
	for i, f := range customers.Fields {
		if f.Name == "balance" {
			customers.Fields = append(customers.Fields[:i], customers.Fields[i+1:]...)
			break
		}
	}
	narrowed[1] = &customers
	for _, pair := range [][2]string{{"customer.balance > 1", "customer.balanze > 1"}, {"ghost.id == 1", "ghozt.id == 1"}, {"ghost == null", "ghozt == null"}, {"all.hidden.exists()", "all.hiddem.exists()"}} {
		env := whole
		env.Catalog = narrowed
		hidden, never := fails(t, env, pair[0]), fails(t, env, pair[1])
		norm := strings.NewReplacer("balanze", "balance", "ghozt", "ghost", "hiddem", "hidden")
		if norm.Replace(never) != hidden {
			t.Errorf("%s: %s\n%s: %s", pair[0], hidden, pair[1], never)
		}
	}
}
