package toolset_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/query"
	"example.com/deputy/store/memory"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/kernel"
	"example.com/deputy/toolset/present"
	"example.com/deputy/toolset/records"
)

func things() *hosttest.Fake {
	return hosttest.New([]query.Table{{
		Name: "things", Label: "Things", Key: []string{"id"}, RecordLabel: "name", Search: []string{"name", "id"},
		Fields: []query.Field{{Name: "id", Label: "ID", Type: query.Int, Generated: true}, {Name: "name", Label: "Name", Type: query.String},
			{Name: "price", Label: "Price", Type: query.Dec, Scale: -1}, {Name: "data", Label: "Data", Type: query.JSON}},
	}}, map[string][]query.Row{"things": {{"id": int64(1), "name": "one", "price": query.Decimal("1.50")}}})
}

// prepared are widgets with parameters.
func prepared() map[string]records.Widget {
	return map[string]records.Widget{
		"named": {Parameters: map[string]query.Parameter{"name": {Type: query.String, Optional: true}, "least": {Type: query.Dec, Optional: true}},
			Question: records.Rows{Table: "things", Where: "name == parameters.name || price > parameters.least"}},
		"totals": {Parameters: map[string]query.Parameter{"since": {Type: query.Timestamp, Optional: true}},
			Question: analysis.Figures{Table: "things", Where: "now() > parameters.since", Measures: []analysis.Measure{{As: "total", Expr: "sum(price)"}}}},
	}
}

// FuzzArguments: whatever a model sends, a tool runs or refuses with a sentence; it never breaks and nothing is ever written. What it takes
// is free of doubles and of other case.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{
		`{}`, ``, `null`, `[]`, `"{}"`, `{"table":"things"}`, `{"Table":"things"}`, `{"TABLE":"things","table":"things"}`, `{"table":"things","table":"x"}`,
		`{"table":"things","id":"1","values":[{"field":"price","value":12.50}]}`, `{"table":"things","values":[{"field":"data","value":"{\"a\":1}"}]}`,
		`{"table":"things","values":[{"field":"name","value":null,"Value":1}]}`, `{"table":"things","where":"name == \"one\"","order_by":["price desc"],"limit":1000}`,
		`{"tables":["things"],"extra":{"a":[[[[[[{}]]]]]]}}`, `{"expr":"1/3"}`, `{"zone":"UTC"}`, `{"view":"table","call_id":"c1"}`, `{"target":"things","id":"1"}`,
		`{"table":"things","id":"1","children":["x"]}`,
		`{"term":"ONE"}`, `{"term":"1 o%_' \u0000\u200b","tables":["things"],"limit":-1}`, `{"table":"things","field":"name","term":"x"}`, strings.Repeat(`{"table":`, 60) + `1` + strings.Repeat(`}`, 60), "{\"table\":\"\xff\"}", `{"table":"th\u0069ngs","id":"\ud800"}`,
		`{"widget":"named","parameters":["name=one","least=-0.5"]}`, `{"widget":"named","parameters":["=","least","name=\u0000%_'"]}`, `{"widget":"totals","parameters":["since=2026-01-31"]}`,
		`{"table":"things","group_by":["name"],"measures":[{"as":"n","expr":"count()"}],"having":"n > 0","order_by":["n desc"]}`, `{"table":"things","measures":[{"as":"n","expr":"sum(sum(price))"}]}`,
		`{"analysis_id":"ana_1","limit":1}`, `{"name":"n","call_id":"c1"}`, `{"name":" ","call_id":"c1","analysis_id":"ana_1","description":"\u0000","shared":true}`,
	} {
		for tool := range withAnalysis() {
			f.Add(uint8(tool), s)
		}
	}
	host, store := things(), memory.New()
	desk := deputytest.New(f, deputytest.Config{Host: host, Policy: deputytest.AllowAll("all"), Toolsets: []deputy.Toolset{
		records.New(records.Config{Pages: map[string]string{"things": "/things/{id}"}, Widgets: prepared()}), present.New(), kernel.New(), analysis.Saving(store.Analyses)},
		Adjust: func(c *deputy.Config) { c.Store = store }})
	who := deputytest.Person("1", "all")
	tools := withAnalysis()
	f.Fuzz(func(t *testing.T, n uint8, arguments string) {
		tool := tools[int(n)%len(tools)]
		host.Forget()
		r := desk.For(t).Run(who, deputytest.Call(tool.Name(), arguments))
		switch r.Outcomes[0] {
		case deputy.Ran, deputy.Proposed:
			if twice(arguments) {
				t.Fatalf("%s took %q", tool.Name(), arguments)
			}
		case deputy.Refused:
			if len(r.Results[0]) < len("Error: x") || len(r.Proposals) > 0 || len(r.Displays) > 0 {
				t.Fatalf("%s %q: %q", tool.Name(), arguments, r.Results[0])
			}
		default:
			t.Fatalf("%s %q: %s %q", tool.Name(), arguments, r.Outcomes[0], r.Results[0])
		}
		for _, a := range host.Asked() {
			if a.Method == hosttest.Apply {
				t.Fatalf("%s %q: the host was asked to write", tool.Name(), arguments)
			}
		}
	})
}

// twice says whether an object on the first level has one key twice, or two that differ in case only.
func twice(arguments string) bool {
	d := json.NewDecoder(bytes.NewReader([]byte(arguments)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	seen := map[string]bool{}
	for d.More() {
		k, err := d.Token()
		key, ok := k.(string)
		if err != nil || !ok {
			return false
		}
		if seen[strings.ToLower(key)] {
			return true
		}
		seen[strings.ToLower(key)] = true
		var skip json.RawMessage
		if d.Decode(&skip) != nil {
			return false
		}
	}
	return false
}
