package present_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/query"
	"example.com/deputy/toolset/present"
)

type nothing struct{}

// figures is a Read tool with rows of its own.
func figures() deputy.Toolset {
	lit := func(t query.Type) query.Expr { return query.Lit{T: t} }
	columns := []query.Column{{As: "month", Label: "Month", Expr: lit(query.Date)}, {As: "revenue", Label: "Revenue", Expr: lit(query.Dec)}, {As: "orders", Label: "Orders", Expr: lit(query.Int)}}
	tool := func(name string, rows ...[]query.Value) deputy.Tool {
		return deputy.ReadTool(deputy.Definition{Name: name, NoHost: true}, func(context.Context, *deputy.Scope, nothing) (deputy.Result, error) {
			return deputy.Result{Rows: &query.Rows{Columns: columns, Rows: rows}}, nil
		})
	}
	words := deputy.ReadTool(deputy.Definition{Name: "words", NoHost: true}, func(context.Context, *deputy.Scope, nothing) (deputy.Result, error) {
		return deputy.Result{Value: map[string]string{"said": "nothing"}}, nil
	})
	return deputy.Toolset{Name: "figures", Tools: []deputy.Tool{words, tool("empty"),
		tool("figures", []query.Value{query.Day("2026-01-01"), query.Decimal("10.50"), int64(2)}, []query.Value{query.Day("2026-02-01"), nil, int64(0)})}}
}

func show(t *testing.T, read, arguments string) deputytest.Turn {
	t.Helper()
	policy := deputy.Policy{Roles: map[string]deputy.Role{"clerk": {Tools: []string{"figures", "empty", "words"}}}}
	b := deputytest.New(t, deputytest.Config{Policy: policy, Toolsets: []deputy.Toolset{figures(), present.New()}})
	return b.Run(deputytest.Person("1", "clerk"), deputytest.Call(read, ""), deputytest.Call("present_results", arguments))
}

func TestShows(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string]string{
		"table":  `{"view":"table","call_id":"c1","title":"Revenue","note":"so far"}`,
		"bar":    `{"view":"bar","call_id":"c1","x":"month","y":["revenue","orders"]}`,
		"line":   `{"view":"line","call_id":"c1","x":"month","y":["revenue"]}`,
		"pie":    `{"view":"pie","call_id":"c1","x":"month","y":["orders"]}`,
		"number": `{"view":"number","call_id":"c1","y":["revenue"]}`,
		"record": `{"view":"record","call_id":"c1"}`,
		"list":   `{"view":"list","call_id":"c1","columns":["month","revenue"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := show(t, "figures", arguments)
			if len(r.Displays) != 1 {
				t.Fatalf("%q", r.Results)
			}
			var want, got map[string]any
			if err := json.Unmarshal([]byte(arguments), &want); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(r.Displays[0].View, &got); err != nil {
				t.Fatal(err)
			}
			for k, v := range want {
				if k != "call_id" && k != "columns" && sprint(v) != sprint(got[k]) {
					t.Errorf("%s is %v, want %v", k, got[k], v)
				}
			}
			if got["call_id"] == "c1" || r.Displays[0].Call == "" || r.Displays[0].Call == "c1" {
				t.Errorf("a model's id reached the person: %s %s", r.Displays[0].Call, r.Displays[0].View)
			}
			if !strings.Contains(r.Results[1], "2 rows of c1") {
				t.Errorf("%q", r.Results[1])
			}
		})
	}
}

func sprint(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ read, arguments, want string }{
		{"figures", `{"view":"bar","call_id":"c1","x":"month","y":["revenu"]}`, "Error: c1 has no column `revenu`; near: revenue"},
		{"figures", `{"view":"table","call_id":"c1","columns":["zzz"]}`, "Error: c1 has no column `zzz`; it has month, revenue, orders"},
		{"figures", `{"view":"bar","call_id":"c1","x":"quarter","y":["revenue"]}`, "Error: c1 has no column `quarter`; it has month, revenue, orders"},
		{"figures", `{"view":"bar","call_id":"c1","y":["revenue"]}`, "Error: a bar chart needs `x` and `y`"},
		{"figures", `{"view":"pie","call_id":"c1","x":"month","y":["revenue","orders"]}`, "Error: a pie shows one `y`; 2 are named: use bar"},
		{"figures", `{"view":"line","call_id":"c1","x":"revenue","y":["month"]}`, "Error: `y` must be numbers; month is of type date"},
		{"figures", `{"view":"number","call_id":"c1"}`, "Error: a number shows one column: name it in `y`"},
		{"empty", `{"view":"number","call_id":"c1","y":["revenue"]}`, "Error: c1 has no row: there is no number to show"},
		{"empty", `{"view":"record","call_id":"c1"}`, "Error: c1 has no row: there is no record to show"},
		{"figures", `{"view":"map","call_id":"c1"}`, "Error: arguments: `view` must be one of table, bar, line, pie, number, record, list, not `map`"},
		{"figures", `{"view":"table","call_id":"c1","rows":[[1]]}`, "Error: arguments: unknown key `rows`: the keys are view, call_id, title, x, y, columns, note"},
	} {
		if r := show(t, c.read, c.arguments); len(r.Displays) != 0 || r.Results[1] != c.want {
			t.Errorf("%s: %d displays\ngot  %q\nwant %q", c.arguments, len(r.Displays), r.Results[1], c.want)
		}
	}
	for _, call := range []string{"c2", "c9", "", "tcl_x"} {
		if r := show(t, "figures", `{"view":"table","call_id":"`+call+`"}`); len(r.Displays) != 0 || r.Outcomes[1] != deputy.Refused {
			t.Errorf("call %q: %d displays, %s", call, len(r.Displays), r.Results[1])
		}
	}
	if r := show(t, "words", `{"view":"table","call_id":"c1"}`); len(r.Displays) != 0 || r.Outcomes[1] != deputy.Refused {
		t.Errorf("a call without rows: %d displays, %s", len(r.Displays), r.Results[1])
	}
}

// It is offered whatever the policy's tool list says.
func TestAlwaysOffered(t *testing.T) {
	t.Parallel()
	if r := show(t, "figures", `{"view":"table","call_id":"c1"}`); !strings.Contains(strings.Join(r.Offered(), " "), "present_results") {
		t.Errorf("%v", r.Offered())
	}
}
