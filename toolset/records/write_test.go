package records_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
)

func replace(s, with string) string { return strings.ReplaceAll(s, "%", with) }

func replaceWord(s, word string) string { return strings.ReplaceAll(s, word, "%") }

func isError(s string) bool { return strings.HasPrefix(s, "Error: ") }

// assigned is what a change sets, as field=text.
func assigned(c deputy.Change) string {
	var out []string
	for _, a := range c.Values {
		text := "NULL"
		if a.Text != nil {
			text = *a.Text
		}
		out = append(out, a.Field+":"+string(a.Type)+"="+text)
	}
	return strings.Join(out, " ")
}

func TestWritesBecomeProposals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, role, tool, arguments, want string }{
		{"create, in the order of the fields", "manager", "create_record", `{"table":"customers","values":[{"field":"balance","value":12.50},{"field":"name","value":"Delta"},{"field":"active","value":true}]}`,
			"create customers [] name:string=Delta balance:decimal=12.50 active:bool=true"},
		{"every form", "manager", "update_record", `{"table":"customers","id":"2","values":[{"field":"balance","value":"1234567890123456789.01"},{"field":"active","value":"true"},` +
			`{"field":"since","value":"2026-01-31"},{"field":"seen_at","value":"2026-01-31T14:30:00+01:00"},{"field":"profile","value":"{\"a\":[1]}"},{"field":"name","value":47},{"field":"country_id","value":null}]}`,
			`update customers [2] name:string=47 country_id:int=NULL balance:decimal=1234567890123456789.01 active:bool=true since:date=2026-01-31 seen_at:timestamp=2026-01-31T13:30:00Z profile:json={"a":[1]}`},
		{"label of a parent", "manager", "update_record", `{"table":"customers","id":"2","values":[{"field":"country_id","value":"Norway"}]}`, "update customers [2] country_id:int=1"},
		{"id of a parent as text", "manager", "update_record", `{"table":"customers","id":"2","values":[{"field":"country_id","value":"1"}]}`, "update customers [2] country_id:int=1"},
		{"local time", "manager", "update_record", `{"table":"customers","id":"2","values":[{"field":"seen_at","value":"2026-01-31 14:30"}]}`, "update customers [2] seen_at:timestamp=2026-01-31T14:30:00Z"},
		{"unchanged fields go", "agent", "update_record", `{"table":"customers","id":"1","values":[{"field":"status","value":"vip"},{"field":"since","value":"2021-01-01"}],"reason":"asked"}`,
			"update customers [1] since:date=2021-01-01"},
		{"delete", "manager", "delete_record", `{"table":"order_lines","id":"[\"10\",\"b\"]"}`, "delete order_lines [10 b] "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, host := bench(t)
			r := b.Run(person(c.role), call(c.tool, c.arguments))
			if r.Outcomes[0] != deputy.Proposed || len(r.Proposals) != 1 || len(r.Proposals[0].Changes) != 1 {
				t.Fatalf("%s %q, %d proposals", r.Outcomes[0], r.Results[0], len(r.Proposals))
			}
			ch := r.Proposals[0].Changes[0]
			if got := string(ch.Verb) + " " + ch.Table + " [" + strings.Join(ch.Key, " ") + "] " + assigned(ch); got != c.want {
				t.Errorf("\ngot  %s\nwant %s", got, c.want)
			}
			for _, a := range host.Asked() {
				if a.Method == hosttest.Apply {
					t.Error("the host was asked to write")
				}
			}
		})
	}
}

func TestWritesAreRefused(t *testing.T) {
	t.Parallel()
	values := func(list string) string { return `{"table":"customers","id":"1","values":[` + list + `]}` }
	run(t, []try{
		{"unknown field", "manager", "update_record", values(`{"field":"staus","value":"vip"}`), refused, "Error: no field `staus` in customers; near: status"},
		{"hidden field", "agent", "update_record", values(`{"field":"balance","value":1}`), refused, "Error: no field `balance` in customers"},
		{"twice", "manager", "update_record", values(`{"field":"status","value":"vip"},{"field":"status","value":"new"}`), refused, "Error: field `status` stands twice in `values`: give it one value"},
		{"none", "manager", "update_record", values(``), refused, "Error: `values` is empty: name at least one field and its value"},
		{"comma", "manager", "update_record", values(`{"field":"balance","value":"12,50"}`), refused, "Error: field `balance` of type decimal: \"12,50\" is not a number like 1234.50"},
		{"exponent", "manager", "update_record", values(`{"field":"balance","value":1e3}`), refused, "Error: field `balance` of type decimal: \"1e3\" is not a number like 1234.50"},
		{"date", "manager", "update_record", values(`{"field":"since","value":"31.01.2026"}`), refused, "Error: field `since` of type date: \"31.01.2026\" is not a date like 2026-01-31"},
		{"no such day", "manager", "update_record", values(`{"field":"since","value":"2026-02-30"}`), refused, "Error: field `since` of type date: \"2026-02-30\" is not a date like 2026-01-31"},
		{"boolean for a text", "manager", "update_record", values(`{"field":"name","value":true}`), refused, "Error: field `name` is of type string, not a boolean"},
		{"number for a boolean", "manager", "update_record", values(`{"field":"active","value":1}`), refused, "Error: field `active` of type bool: \"1\" is neither true nor false"},
		{"fraction for an integer", "manager", "update_record", values(`{"field":"rep","value":1.5}`), refused, "Error: field `rep` of type int: \"1.5\" is not a whole number like 42"},
		{"label of nothing", "manager", "update_record", values(`{"field":"country_id","value":"Norwegen"}`), refused,
			"Error: field `country_id`: no record of countries has this id or is called \"Norwegen\": look its id up first"},
		{"label that means two", "manager", "update_record", `{"table":"orders","id":"10","values":[{"field":"customer_id","value":"Twin"}]}`, refused,
			"Error: field `customer_id`: \"Twin\" may mean several records of customers: give the id, one of 4, 5"},
		{"label in a forbidden table", "agent", "update_record", values(`{"field":"country_id","value":"Norway"}`), refused,
			"Error: field `country_id` of type int: \"Norway\" is not a whole number like 42"},
		{"label of another's record", "teller", "update_record", `{"table":"orders","id":"10","values":[{"field":"customer_id","value":"Beta"}]}`, refused,
			"Error: field `customer_id`: no record of customers has this id or is called \"Beta\": look its id up first"},
		{"plain text for JSON", "manager", "update_record", values(`{"field":"profile","value":"plain"}`), refused, "Error: field `profile` of type json: \"plain\" is not JSON"},
		{"object", "manager", "update_record", values(`{"field":"profile","value":{"a":1}}`), refused, "Error: arguments: `values[0].value` must be one string, number, boolean or null, not an object: send it as JSON text in a string"},
		{"another's record", "agent", "update_record", `{"table":"customers","id":"2","values":[{"field":"status","value":"vip"}]}`, refused, "Error: No such record: customers 2"},
		{"no such record", "agent", "update_record", `{"table":"customers","id":"99","values":[{"field":"status","value":"vip"}]}`, refused, "Error: No such record: customers 99"},
		{"forbidden table", "agent", "update_record", `{"table":"countries","id":"1","values":[{"field":"name","value":"x"}]}`, refused, "Error: Unknown table: countries"},
		{"no creating at all", "agent", "create_record", `{"table":"customers","values":[{"field":"name","value":"x"}]}`, refused, "Error: Unknown tool: create_record"},
		{"no deleting at all", "agent", "delete_record", `{"table":"customers","id":"1"}`, refused, "Error: Unknown tool: delete_record"},
		{"delete what is not there", "manager", "delete_record", `{"table":"customers","id":"99"}`, refused, "Error: No such record: customers 99"},
		{"delete without a table", "manager", "delete_record", `{"table":"nothing","id":"99"}`, refused, "Error: Unknown table: nothing"},
		{"create without a table", "manager", "create_record", `{"table":"nothing","values":[]}`, refused, "Error: Unknown table: nothing"},
		{"nested", "manager", "create_record", `{"table":"customers","values":[{"field":"name","value":"x","more":{}}]}`, refused, "Error: arguments: unknown key `values[0].more`: the keys are field, value"},
	})
}

// The reason is part of the arguments, and so of the hash, and of nothing else.
func TestReasonStaysInTheArguments(t *testing.T) {
	t.Parallel()
	b, _ := bench(t)
	r := b.Run(person("agent"), call("update_record", `{"reason":"they asked","table":"customers","id":"1","values":[{"field":"status","value":"new"}]}`))
	if len(r.Proposals) != 1 || !strings.Contains(string(r.Proposals[0].Arguments), `"reason":"they asked"`) {
		t.Fatalf("%+v", r)
	}
	if changes, err := json.Marshal(r.Proposals[0].Changes); err != nil || strings.Contains(string(changes), "they asked") {
		t.Errorf("%s %v", changes, err)
	}
}

func TestNavigate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, role, arguments, view, text string }{
		{"record", "agent", `{"target":"customers","id":"1"}`, `{"target":"customers","id":"1","label":"Acme AS","link":"/customers/1"}`, "Offered the person a link to customers 1 (Acme AS): /customers/1"},
		{"escaped key", "manager", `{"target":"order_lines","id":"[10, \"a/1\"]"}`, `{"target":"order_lines","id":"[\"10\",\"a/1\"]","link":"/lines?id=%5B%2210%22%2C%22a%2F1%22%5D"}`, ""},
		{"condition", "agent", `{"target":"orders","where":"total > 5"}`, `{"target":"orders","where":"total \u003e 5","link":"/orders?q=total%20%3E%205"}`, ""},
		{"missing", "agent", `{"target":"customers","id":"99"}`, "", "Error: No such record: customers 99"},
		{"another's", "agent", `{"target":"customers","id":"2"}`, "", "Error: No such record: customers 2"},
		{"no id", "agent", `{"target":"customers"}`, "", "Error: the page for customers shows one record: give its `id`"},
		{"no place for an id", "agent", `{"target":"orders","id":"10"}`, "", "Error: the page for orders shows no single record: leave out `id`"},
		{"no place for a condition", "agent", `{"target":"customers","id":"1","where":"id == 1"}`, "", "Error: the page for customers takes no condition: leave out `where`"},
		{"no page", "manager", `{"target":"countries","id":"1"}`, "", "Error: the application has no page for countries"},
		{"forbidden table", "agent", `{"target":"order_lines","id":"[\"10\",\"b\"]"}`, "", "Error: Unknown table: order_lines"},
		{"not offered", "clerk", `{"target":"countries","id":"1"}`, "", "Error: Unknown tool: navigate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, _ := bench(t)
			r := b.Run(person(c.role), call("navigate", c.arguments))
			if c.view == "" {
				if len(r.Displays) > 0 || r.Results[0] != c.text {
					t.Errorf("%d displays, %q, want %q", len(r.Displays), r.Results[0], c.text)
				}
				return
			}
			if len(r.Displays) != 1 || !sameJSON(t, string(r.Displays[0].View), c.view) || r.Displays[0].Call != "" {
				t.Fatalf("%q %+v", r.Results[0], r.Displays)
			}
			if want := "<data call=\"c1\">\n" + c.text + "\n</data>"; c.text != "" && r.Results[0] != want {
				t.Errorf("got %q, want %q", r.Results[0], want)
			}
		})
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	one, _ := json.Marshal(x)
	two, _ := json.Marshal(y)
	return string(one) == string(two)
}

func TestOffered(t *testing.T) {
	t.Parallel()
	for role, want := range map[string]string{
		"manager": "count_records create_record delete_record describe_table get_record list_possible_values list_tables navigate query_records update_record",
		"agent":   "count_records describe_table get_record list_possible_values list_tables navigate query_records update_record",
		"clerk":   "count_records describe_table get_record list_tables query_records",
		"nobody":  "",
	} {
		b, _ := bench(t)
		if got := strings.Join(b.Run(person(role)).Offered(), " "); got != want {
			t.Errorf("%s: %s, want %s", role, got, want)
		}
	}
}

// TestLeapsAreWarnedOf: a number that is far from what it was, also one within JSON; what tells one record from another is no amount.
func TestLeapsAreWarnedOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ arguments, want string }{
		{`{"table":"customers","id":"1","values":[{"field":"balance","value":"10010.00"},{"field":"rep","value":4}]}`, "balance: “10010.00” is more than ten times “100.10”."},
		{`{"table":"customers","id":"1","values":[{"field":"profile","value":"{\"size\":31,\"kind\":\"a\"}"}]}`, "profile · size: “31” is more than ten times “3”."},
		{`{"table":"customers","id":"1","values":[{"field":"profile","value":"{\"size\":30,\"kind\":\"b\"}"}]}`, ""},
		{`{"table":"orders","id":"10","values":[{"field":"customer_id","value":5},{"field":"total","value":"-5"}]}`, "total: the sign changes, from “5.00” to “-5”."},
		{`{"table":"order_lines","id":"[\"10\",\"b\"]","values":[{"field":"quantity","value":20}]}`, ""},
		{`{"table":"order_lines","id":"[\"10\",\"b\"]","values":[{"field":"quantity","value":0}]}`, ""},
	} {
		b, _ := bench(t)
		r := b.Run(person("manager"), call("update_record", c.arguments))
		if len(r.Proposals) != 1 {
			t.Fatalf("%s: %v", c.arguments, r.Results)
		}
		var got []string
		for _, w := range r.Proposals[0].Warnings {
			if !strings.Contains(w, "stands neither") {
				got = append(got, w)
			}
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s:\ngot  %q\nwant %q", c.arguments, got, c.want)
		}
	}
}
