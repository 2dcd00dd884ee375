package offline_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/deputy"
)

// actionTools are tools as an application's own actions come: named after a verb and a table, with the id of a record.
func actionTools() []deputy.ToolSpec {
	spec := func(name, description, parameters, required string) deputy.ToolSpec {
		return deputy.ToolSpec{Name: name, Description: description,
			Schema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}` + parameters + `},"required":["id"` + required + `],"additionalProperties":false}`)}
	}
	return []deputy.ToolSpec{
		spec("cancel_order", "Cancel an order.", `,"reason":{"type":"string","enum":["no longer needed","ordered by mistake"]}`, `,"reason"`),
		spec("refund_invoice", "Refund an invoice.", `,"note":{"type":["string","null"]}`, ``),
		spec("reassign_customer", "Give a customer another representative.", `,"rep_id":{"type":"integer"}`, `,"rep_id"`),
		spec("extend_ticket", "Extend a ticket.", `,"days":{"type":"integer"},"urgent":{"type":"boolean"}`, `,"days"`),
		spec("ship_order", "Ship an order.", `,"on":{"description":"a date, like 2026-01-31","type":"string"},"fee":{"description":"what it costs; a decimal number in quotes, like 12.50","type":"string"}`, ``),
		spec("hand_over_ticket", "Hand a ticket over.", `,"to":{"description":"id of the employee who takes over","type":"integer"}`, `,"to"`),
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ask, call, text string }{
		{"cancel order 3 because it was ordered by mistake", `cancel_order {"id":"3","reason":"ordered by mistake"}`, "I have prepared it: cancel order 3, reason ordered by mistake. Nothing is written until you confirm it."},
		{"please cancel the order O-3, it is no longer needed", `cancel_order {"id":"3","reason":"no longer needed"}`, "until you confirm"},
		{"cancel order 3", "", "For that I also need the reason (no longer needed, ordered by mistake)."},
		{"cancel order", "", "Which order do you mean? Please say its id or its name."},
		{"refund invoice 98", `refund_invoice {"id":"98"}`, "I have prepared it: refund invoice 98. Nothing"},
		{`refund invoice 98 with note "goods came back"`, `refund_invoice {"id":"98","note":"goods came back"}`, "note “goods came back”"},
		{"refund invoice 98 because the goods came back", `refund_invoice {"id":"98","note":"the goods came back"}`, "until you confirm"},
		{"reassign customer 12 to Jane", `reassign_customer {"id":"12","rep_id":3}`, "reassign customer 12, rep employee 3"},
		{"reassign customer Acme AS to Jane Peacock", `reassign_customer {"id":"12","rep_id":3}`, "rep employee 3"},
		{"reassign customer 12 to employee 3", `reassign_customer {"id":"12","rep_id":3}`, "rep employee 3"},
		{"reassign customer 12", "", "For that I also need the rep."},
		{"extend ticket 7 by 5 days", `extend_ticket {"days":5,"id":"7"}`, "days 5"},
		{"extend ticket 7, days: 14, urgent", `extend_ticket {"days":14,"id":"7","urgent":true}`, "days 14, urgent yes"},
		{"ship order 3 on 5 March 2026", `ship_order {"id":"3","on":"2026-03-05"}`, "on 2026-03-05"},
		{"ship order 3 on 2026-03-05 with fee 12.50", `ship_order {"fee":"12.50","id":"3","on":"2026-03-05"}`, "fee 12.50"},
		{"ship order 3", `ship_order {"id":"3"}`, "ship order 3."},
		{"hand over ticket 7 to Jane Peacock", `hand_over_ticket {"id":"7","to":3}`, "to employee 3"},
		{"cancel ticket 7", "", "I do not know how to cancel a support ticket"},
	} {
		h := readDesk(t, "shop")
		h.tools = append(tools(), actionTools()...)
		said, calls, _ := h.turn(t, nil, c.ask)
		var got []string
		for _, call := range calls {
			if call.Tool != "list_tables" && call.Tool != "describe_table" && call.Tool != "query_records" {
				got = append(got, call.Tool+" "+string(call.Arguments))
			}
		}
		if strings.Join(got, "\n") != c.call || !strings.Contains(said, c.text) {
			t.Errorf("%q: %q, %q; want %s, %q", c.ask, said, got, c.call, c.text)
		}
	}
}

// TestActionsGoOn has a person say what was still missing.
func TestActionsGoOn(t *testing.T) {
	t.Parallel()
	h := readDesk(t, "shop")
	h.tools = append(tools(), actionTools()...)
	_, _, talk := h.turn(t, nil, "cancel order 3")
	_, calls, _ := h.turn(t, talk, "it was ordered by mistake")
	if n := len(calls); n == 0 || calls[n-1].Tool != "cancel_order" || string(calls[n-1].Arguments) != `{"id":"3","reason":"ordered by mistake"}` {
		t.Errorf("%v", calls)
	}
}

// TestEnablesActions asks for the set where it is not active and a sentence reads like an action, once, and for nothing else.
func TestEnablesActions(t *testing.T) {
	t.Parallel()
	const system = "Rules.\n\n## Toolsets\nNamed groups.\n\nACTIVE\n(none)\n\nINACTIVE call enable_toolset({\"names\": [\"X\"]}) to add\nactions — Cancel an order; refund an invoice\nbulk — Files\n"
	for ask, want := range map[string]string{
		"cancel order 3 because it was ordered by mistake": `enable_toolset {"names":["actions"]}, cancel_order {"id":"3","reason":"ordered by mistake"}`,
		"frobnicate order 3":                    `enable_toolset {"names":["actions"]}`,
		"show order 3":                          `get_record {"table":"orders","id":"3"}, present_results {"view":"record","call_id":"c3"}`,
		"set the status of order 3 to shipped":  `update_record {"table":"orders","id":"3","values":[{"field":"status","value":"shipped"}]}`,
		"cancelled orders":                      `query_records {"table":"orders","where":"status == \"cancelled\""}, present_results {"view":"record","call_id":"c3"}`,
		"what is the status of ticket 7 please": `get_record {"table":"tickets","id":"7"}, present_results {"view":"record","call_id":"c3"}`,
	} {
		h := readDesk(t, "shop")
		h.system, h.tools = system, append(tools(), deputy.ToolSpec{Name: "enable_toolset"})
		h.enabled = actionTools()
		_, calls, _ := h.turn(t, nil, ask)
		var got []string
		for _, call := range calls {
			if call.Tool != "list_tables" && call.Tool != "describe_table" {
				got = append(got, call.Tool+" "+string(call.Arguments))
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %q; want %s", ask, got, want)
		}
	}
}
