package actions_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/query"
	"example.com/deputy/toolset/actions"
)

func create(table string, values ...string) []actions.Step {
	return []actions.Step{{Create: &actions.Create{Table: table, Values: pairs(values)}}}
}

func update(children, where string, values ...string) []actions.Step {
	return []actions.Step{{Update: &actions.Update{Children: children, Where: where, Set: pairs(values)}}}
}

func pairs(values []string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(values); i += 2 {
		out[values[i]] = values[i+1]
	}
	return out
}

func TestMistakesAreFoundBeforeTheStart(t *testing.T) {
	t.Parallel()
	host := shop()
	full, err := host.Catalog(t.Context(), deputy.Person{})
	if err != nil {
		t.Fatal(err)
	}
	one := map[string]query.Parameter{"n": {Type: query.Int}, "day": {Type: query.Date}, "why": {Type: query.String, Enum: []string{"pending", "lost"}}}
	for want, a := range map[string]actions.Action{
		"actions.x.label: no label: write what it does, such as Cancel an order":                                    {Table: "orders", Set: pairs([]string{"reason", `"x"`})},
		"actions.x.table: no table: write the name of one":                                                          {Label: "X", Set: pairs([]string{"reason", `"x"`})},
		"actions.x.set.status: column 1: no field `cancelled`: a text stands in quotes of its own: '\"cancelled\"'": {Label: "X", Table: "orders", Set: pairs([]string{"status", `cancelled`})},
		"actions.x.table: no table `order`; near: orders":                                                           {Label: "X", Table: "order"},
		"actions.x: it changes nothing: write set: { field: expression }, or steps in then":                         {Label: "X", Table: "orders"},
		"actions.x.when: column 1: no field `state`; near: status":                                                  {Label: "X", Table: "orders", When: `state == "pending"`, Set: pairs([]string{"reason", `"x"`})},
		"actions.x.when: column 18: no parameter `m`":                                                               {Label: "X", Table: "orders", When: `id == parameters.m`, Set: pairs([]string{"reason", `"x"`})},
		"actions.x.set.statu: no field `statu` in orders; near: status":                                             {Label: "X", Table: "orders", Set: pairs([]string{"statu", `"x"`})},
		"actions.x.set.id: id is set by the application: leave it out":                                              {Label: "X", Table: "orders", Set: pairs([]string{"id", `1`})},
		"actions.x.set.status: \"done\" is not one of the values of status: pending, shipped, cancelled":            {Label: "X", Table: "orders", Set: pairs([]string{"status", `"done"`})},
		"actions.x.set.status: status needs a value":                                                                {Label: "X", Table: "orders", Set: pairs([]string{"status", `null`})},
		"actions.x.set.total: total is of type decimal, and the expression gives string: write number(…)":           {Label: "X", Table: "orders", Set: pairs([]string{"total", `number`})},
		"actions.x.set.reason: reason is of type string, and the expression gives int":                              {Label: "X", Table: "orders", Set: pairs([]string{"reason", `parameters.n`})},
		"actions.x.set.status: \"lost\" of the parameter why is not one of the values of status":                    {Label: "X", Table: "orders", Set: pairs([]string{"status", `parameters.why`})},
		"actions.x.then.0: write one thing that it does":                                                            {Label: "X", Table: "orders", Then: []actions.Step{{}}},
		"actions.x.then.0.create.table: no table `refund`; near: refunds":                                           {Label: "X", Table: "orders", Then: create("refund", "amount", "total")},
		"actions.x.then.0.create.values: a new record of refunds needs a value for: order_id":                       {Label: "X", Table: "orders", Then: create("refunds", "amount", "total")},
		"actions.x.then.0.create.values.day: day is of type date, and the expression gives decimal":                 {Label: "X", Table: "orders", Then: create("refunds", "amount", "total", "order_id", "id", "day", "total")},
		"actions.x.then.0.update.children: orders has no children `item`; near: items":                              {Label: "X", Table: "orders", Then: update("item", "", "state", `"x"`)},
		"actions.x.then.0.update.where: column 1: no field `ship`":                                                  {Label: "X", Table: "orders", Then: update("items", "ship == null", "state", `"x"`)},
		"actions.x.then.0.update.set: it changes nothing":                                                           {Label: "X", Table: "orders", Then: update("items", "")},
		"actions.x.then.0.update.set.shipped: shipped is of type date, and the expression gives bool":               {Label: "X", Table: "orders", Then: update("items", "", "shipped", "true")},
	} {
		if a.Parameters == nil {
			a.Parameters = one
		}
		_, err := actions.New(t.Context(), full, map[string]actions.Action{"x": a})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	for name, p := range map[string]query.Parameter{"id": {Type: query.Int}, "N": {Type: query.Int}, "n": {Type: "list"}, "m": {Type: query.Int, Enum: []string{"1"}}} {
		a := actions.Action{Label: "X", Table: "orders", Set: pairs([]string{"reason", `"x"`}), Parameters: map[string]query.Parameter{name: p}}
		if _, err := actions.New(t.Context(), full, map[string]actions.Action{"x": a}); err == nil || !strings.HasPrefix(err.Error(), "actions.x.parameters."+name) {
			t.Errorf("parameter %s: %v", name, err)
		}
	}
	if set, err := actions.New(t.Context(), full, ways()); err != nil || len(set.Tools) != len(ways()) || len(host.Asked()) != 0 {
		t.Errorf("%d tools, %v", len(set.Tools), err)
	}
}

func TestParametersOfEveryWrongKind(t *testing.T) {
	t.Parallel()
	b := open(t, ways(), nil)
	chief := deputytest.Person("one", "chief")
	for _, c := range []struct{ tool, arguments, want string }{
		{"cancel_order", `[]`, `arguments: write one JSON object, like {"id": "17"}`},
		{"cancel_order", `{"id":"1","reason":"no longer needed"} {}`, `arguments: write one JSON object`},
		{"cancel_order", `{"reason":"no longer needed"}`, "arguments: `id` must be the id of a record of orders, a string in quotes"},
		{"cancel_order", `{"id":1,"reason":"no longer needed"}`, "arguments: `id` must be the id"},
		{"cancel_order", `{"id":"1"}`, "arguments: `reason` is missing: give one of no longer needed, ordered by mistake"},
		{"cancel_order", `{"id":"1","reason":null}`, "arguments: `reason` is missing"},
		{"cancel_order", `{"id":"1","reason":"bored"}`, "arguments: `reason` must be one of no longer needed, ordered by mistake, not \"bored\""},
		{"cancel_order", `{"id":"1","reason":7}`, "arguments: `reason` must be one of"},
		{"cancel_order", `{"id":"1","reason":"no longer needed","reason":"ordered by mistake"}`, "arguments: `reason` stands there twice"},
		{"cancel_order", `{"id":"1","reason":"no longer needed","reasons":"x"}`, "arguments: unknown key `reasons`; near: reason"},
		{"refund", `{"id":"3","amount":"five"}`, "arguments: `amount` must be a decimal number, like 12.50, not \"five\""},
		{"refund", `{"id":"3","amount":true}`, "arguments: `amount` must be a decimal"},
		{"refund", `{"id":"3","amount":{"x":1}}`, "arguments: `amount` must be a decimal"},
		{"refund", `{"id":"3","amount":"1","day":"tomorrow"}`, "arguments: `day` must be a date, like \"2026-01-31\", not \"tomorrow\""},
		{"refund", `{"id":"3","amount":"1","day":20260131}`, "arguments: `day` must be a date"},
		{"ship_items", `{"id":"1","n":1.5}`, "arguments: `n` must be a whole number, not 1.5"},
		{"ship_items", `{"id":"1","n":99999999999999999999}`, "arguments: `n` must be a whole number"},
		{"ship_items", `{"id":"1","at":"noon"}`, "arguments: `at` must be a timestamp"},
		{"ship_items", `{"id":"1","sure":"yes"}`, "arguments: `sure` must be true or false"},
		{"ship_items", `{"id":"1","sure":"true"}`, "arguments: `sure` must be true or false, without quotes"},
		{"ship_items", `{"id":"1","note":5}`, "arguments: `note` must be a string in quotes, not 5"},
	} {
		turn := b.Run(chief, call(c.tool, c.arguments))
		if turn.Outcomes[0] != deputy.Refused || !strings.HasPrefix(turn.Results[0], "Error: "+c.want) {
			t.Errorf("%s %s: %s %q, want %q", c.tool, c.arguments, turn.Outcomes[0], turn.Results[0], c.want)
		}
	}
	if b.writes() != 0 {
		t.Error("the host was asked to write")
	}
	for _, arguments := range []string{`{"id":"1","n":"10"}`, `{"id":"1","n":10,"at":"2026-01-02T03:04","sure":false,"note":"x"}`} {
		if turn := b.Run(chief, call("ship_items", arguments)); len(turn.Proposals) != 1 || len(turn.Proposals[0].Lines) != 4 {
			t.Errorf("%s: %q", arguments, turn.Results)
		}
	}
}

func TestNoMoreThanFiftyRecordsAtOnce(t *testing.T) {
	t.Parallel()
	b := open(t, ways(), nil)
	b.host.Change("items", func(rows []query.Row) []query.Row {
		for i := range actions.Most - len(rows) + 1 {
			rows = append(rows, query.Row{"id": int64(100 + i), "order_id": int64(1), "state": "new"})
		}
		return rows
	})
	chief := deputytest.Person("one", "chief")
	turn := b.Run(chief, call("ship_items", `{"id":"1"}`)) // 49 of the order are left, and the order itself
	if len(turn.Proposals) != 1 || len(turn.Proposals[0].Changes) != actions.Most {
		t.Fatalf("%q", turn.Results)
	}
	b.host.Change("items", func(rows []query.Row) []query.Row {
		return append(rows, query.Row{"id": int64(200), "order_id": int64(1)})
	})
	turn = b.Run(chief, call("ship_items", `{"id":"1"}`))
	if turn.Results[0] != fmt.Sprintf("Error: Ship what is left would change more than %d records here: it cannot be done at once.", actions.Most) {
		t.Errorf("%q", turn.Results)
	}
}

func TestTheToolOfAnAction(t *testing.T) {
	t.Parallel()
	host := shop()
	full, err := host.Catalog(t.Context(), deputy.Person{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := actions.New(t.Context(), full, ways())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][2]string{
		"cancel_order": {"Cancel an order. Acts on one record of orders, only while status == \"pending\". Sets reason, status; creates a record of refunds; sets state of its items. The person is shown every change and confirms it.",
			`{"type":"object","properties":{"id":{"description":"id of the record of orders","type":"string"},"reason":{"type":"string","enum":["no longer needed","ordered by mistake"]}},"required":["id","reason"],"additionalProperties":false}`},
		"ship_items": {"Ship what is left. Acts on one record of orders. Sets shipped, state of its items. The person is shown every change and confirms it.",
			`{"type":"object","properties":{"id":{"description":"id of the record of orders","type":"string"},"at":{"description":"a timestamp, like 2026-01-31T14:30:00Z","type":"string"},"n":{"type":"integer"},"note":{"description":"what to note","type":"string"},"sure":{"type":"boolean"}},"required":["id"],"additionalProperties":false}`},
	} {
		for _, tool := range set.Tools {
			if tool.Name() != name {
				continue
			}
			if tool.Definition().Description != want[0] || string(tool.Schema()) != want[1] || tool.Kind() != deputy.KindPropose || !json.Valid(tool.Schema()) {
				t.Errorf("%s: %s\n%s", name, tool.Definition().Description, tool.Schema())
			}
		}
	}
}

// FuzzArguments: whatever a model writes is a proposal or a refusal with a sentence.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{cancel, `{"id":"1","n":3}`, `{"id":"1","at":"2026-01-02T03:04","sure":true}`, `{"id":"3","amount":1e3}`, `{}`, `[`, `{"id":"1","id":"2"}`} {
		f.Add("ship_items", seed)
		f.Add("refund", seed)
	}
	b := open(f, ways(), nil)
	f.Fuzz(func(t *testing.T, tool, arguments string) {
		if _, ok := ways()[tool]; !ok || !json.Valid([]byte(arguments)) {
			return // no call
		}
		turn := b.For(t).Run(deputytest.Person("one", "chief"), call(tool, arguments))
		if o := turn.Outcomes[0]; o != deputy.Proposed && o != deputy.Refused {
			t.Errorf("%s: %s %q", arguments, o, turn.Results[0])
		}
	})
}
