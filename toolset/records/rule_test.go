package records_test

import (
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/toolset/records"
)

// TestRowRulesBeforeAnybodyIsAsked: what a rule about the record as it will be forbids is not proposed, and the answer tells nothing of the rule.
func TestRowRulesBeforeAnybodyIsAsked(t *testing.T) {
	t.Parallel()
	rules := deputy.Policy{Roles: map[string]deputy.Role{"agent": {Tools: []string{"*"}, Hide: []string{"customers.rep"}, Tables: map[string]deputy.Access{
		"customers": {Read: all(), Create: all(), Update: all(), Rows: "rep == person.attributes.rep || name == \"Mine\""},
		"orders":    {Read: all(), Create: all(), Update: all(), Rows: "customer.rep == person.attributes.rep && total < 100"},
	}}}}
	for name, c := range map[string]struct {
		tool, arguments string
		allowed         bool
	}{
		"a parent of one's own":     {"create_record", `{"table":"orders","values":[{"field":"id","value":30},{"field":"customer_id","value":1},{"field":"total","value":5}]}`, true},
		"too much":                  {"create_record", `{"table":"orders","values":[{"field":"id","value":30},{"field":"customer_id","value":1},{"field":"total","value":500}]}`, false},
		"no parent":                 {"create_record", `{"table":"orders","values":[{"field":"id","value":30},{"field":"total","value":5}]}`, false},
		"a parent to come":          {"create_record", `{"table":"customers","values":[{"field":"name","value":"Mine"},{"field":"orders[0].id","value":30},{"field":"orders[0].total","value":5}]}`, true},
		"which does not help":       {"create_record", `{"table":"customers","values":[{"field":"name","value":"Mine"},{"field":"orders[0].id","value":30},{"field":"orders[0].total","value":500}]}`, false},
		"nobody's":                  {"create_record", `{"table":"customers","values":[{"field":"name","value":"Other"}]}`, false},
		"by a field that is hidden": {"update_record", `{"table":"customers","id":"1","values":[{"field":"name","value":"New"}]}`, true},
		"a change to too much":      {"update_record", `{"table":"orders","id":"10","values":[{"field":"total","value":100}]}`, false},
		"a change":                  {"update_record", `{"table":"orders","id":"10","values":[{"field":"total","value":99}]}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := deputytest.New(t, deputytest.Config{Host: shop(), Policy: rules, Toolsets: []deputy.Toolset{records.New(records.Config{})}})
			turn := b.Run(person("agent"), call(c.tool, c.arguments))
			if proposed := len(turn.Proposals) == 1; proposed != c.allowed || !proposed && turn.Results[0] != "Error: You may not write such a record." {
				t.Errorf("%d proposals, %s", len(turn.Proposals), turn.Results[0])
			}
		})
	}
}
