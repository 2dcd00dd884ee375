package offline_test

import (
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/query"
	"example.com/deputy/toolset/actions"
)

// changes are what the sample business calls its own changes.
func changes() map[string]actions.Action {
	reason := func(values ...string) query.Parameter { return query.Parameter{Type: query.String, Enum: values} }
	return map[string]actions.Action{
		"cancel_order": {Label: "Cancel an order", Table: "orders", When: `status == "pending"`,
			Parameters: map[string]query.Parameter{"reason": reason("no longer needed", "ordered by mistake", "delivery takes too long")},
			Set:        map[string]string{"status": `"cancelled"`, "cancel_reason": "parameters.reason"},
			Then:       []actions.Step{{Update: &actions.Update{Children: "order_lines", Set: map[string]string{"cancelled": "true"}}}}},
		"refund_invoice": {Label: "Refund an invoice", Table: "invoices", When: `status == "paid"`,
			Parameters: map[string]query.Parameter{"reason": reason("returned", "damaged", "never arrived", "goodwill")},
			Set:        map[string]string{"status": `"credited"`}},
		"reassign_customer": {Label: "Reassign a customer", Table: "customers",
			Parameters: map[string]query.Parameter{"employee_id": {Type: query.Int, Label: "employees.id of the support agent who takes over"}},
			Set:        map[string]string{"support_rep_id": "parameters.employee_id"}},
	}
}

// acting adds the changes to an assistant, and gives them to everybody.
func acting(t testing.TB) func(*sqldb.Host, *deputy.Config) {
	return func(h *sqldb.Host, c *deputy.Config) {
		full, err := h.Catalog(t.Context(), deputy.Person{})
		if err != nil {
			t.Fatal(err)
		}
		set, err := actions.New(t.Context(), full, changes())
		if err != nil {
			t.Fatal(err)
		}
		c.Toolsets = append(c.Toolsets, set)
		role := c.Policy.Roles["all"]
		role.Actions = []string{"cancel_order", "refund_invoice", "reassign_customer"}
		c.Policy.Roles["all"] = role
	}
}

// TestRealActions has the sample business's own changes proposed, as tools of the assistant.
func TestRealActions(t *testing.T) {
	t.Parallel()
	s := business(t, acting(t))
	pending := s.figure(t, "SELECT id FROM orders WHERE status = 'pending' ORDER BY id LIMIT 1")
	number := s.figure(t, "SELECT number FROM orders WHERE id = "+pending)
	shipped := s.figure(t, "SELECT id FROM orders WHERE status = 'delivered' ORDER BY id LIMIT 1")
	paid := s.figure(t, "SELECT id FROM invoices WHERE status = 'paid' ORDER BY id LIMIT 1")
	rep := s.figure(t, "SELECT id FROM employees WHERE first_name = 'Nils' AND last_name = 'Tveitmo'")
	for _, c := range []struct{ ask, call, text string }{
		{"cancel order " + pending + " because it was ordered by mistake", `cancel_order {"id":"` + pending + `","reason":"ordered by mistake"}`, "until you confirm"},
		{"please cancel the order " + number + ", it is no longer needed", `cancel_order {"id":"` + pending + `","reason":"no longer needed"}`, "until you confirm"},
		{"cancel order " + pending, "", "For that I also need the reason (no longer needed, ordered by mistake, delivery takes too long)."},
		{"cancel order " + shipped + ", delivery takes too long", `cancel_order {"id":"` + shipped + `","reason":"delivery takes too long"}`, "That did not work"},
		{"refund invoice " + paid + " because it was damaged", `refund_invoice {"id":"` + paid + `","reason":"damaged"}`, "until you confirm"},
		{"refund invoice " + paid + ", it never arrived", `refund_invoice {"id":"` + paid + `","reason":"never arrived"}`, "until you confirm"},
		{"refund invoice " + paid, "", "For that I also need the reason (returned, damaged, never arrived, goodwill)."},
		{"reassign customer 12 to Nils Tveitmo", `reassign_customer {"employee_id":` + rep + `,"id":"12"}`, "until you confirm"},
	} {
		h := s.ask(t, "", c.ask)
		got := ""
		for _, call := range h.calls {
			if _, ok := changes()[call.Tool]; ok {
				got = call.Tool + " " + string(call.Arguments)
			}
		}
		want := 0
		if strings.Contains(c.text, "until you confirm") {
			want = 1
		}
		if got != c.call || !strings.Contains(h.text, c.text) || len(h.proposals) != want {
			t.Errorf("%q: %q, %d proposals; failed %q\n%s", c.ask, h.text, len(h.proposals), h.failed, said(h))
		}
	}
}

// TestSetsThatAreNotActive has the model ask for the sets of figures and of actions, each when a sentence needs it, in the turn that needs it.
func TestSetsThatAreNotActive(t *testing.T) {
	t.Parallel()
	s := business(t, acting(t), func(_ *sqldb.Host, c *deputy.Config) { c.Core = []string{"records", "present", "kernel"} })
	pending := s.figure(t, "SELECT id FROM orders WHERE status = 'pending' ORDER BY id LIMIT 1")
	for _, c := range []struct{ ask, calls, text string }{
		{"tickets by status", "enable_toolset analyze_records present_results", "Number of tickets per status"},
		{"show customer 12", "get_record present_results", "Here is customer 12."},
		{"cancel order " + pending + " because it was ordered by mistake", "enable_toolset cancel_order", "until you confirm"},
		{"close ticket 7", "enable_toolset update_record", ""},
		{"how many open tickets are there", "count_records present_results", "tickets"},
	} {
		h := s.ask(t, "", c.ask)
		var calls []string
		for _, call := range h.calls {
			if !strings.HasSuffix(call.Tool, "_tables") && !strings.HasSuffix(call.Tool, "_table") {
				calls = append(calls, call.Tool)
			}
		}
		if strings.Join(calls, " ") != c.calls || !strings.Contains(h.text, c.text) {
			t.Errorf("%q: %q\n%s", c.ask, h.text, said(h))
		}
	}
	talk := s.ask(t, "", "tickets by status").conversation
	if h := s.ask(t, talk, "orders by month"); len(h.displays) != 1 || strings.Contains(said(h), "enable_toolset") {
		t.Errorf("asked for what is active: %q\n%s", h.text, said(h))
	}
}
