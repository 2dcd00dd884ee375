package records_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/present"
	"example.com/deputy/toolset/records"
)

// params are parameters by name.
type params = map[string]query.Parameter

func param(t query.Type) query.Parameter { return query.Parameter{Type: t, Optional: true} }

func asked() map[string]records.Widget {
	status := query.Parameter{Type: query.String, Enum: []string{"new", "vip"}}
	least := "0.50"
	balance := query.Parameter{Label: "Least balance", Type: query.Dec, Optional: true, Default: &least}
	return map[string]records.Widget{
		"customers_by_status": {Label: "Customers of a status", Parameters: params{"status": status},
			Question: records.Rows{Table: "customers", Where: "status == parameters.status", Select: []string{"id", "name"}, OrderBy: []string{"name desc"}}},
		"joined": {Label: "joined", Parameters: params{"since": param(query.Date), "until": param(query.Timestamp)},
			Question: records.Rows{Table: "customers", Select: []string{"id"}, Where: "since >= coalesce(parameters.since, date(\"2000-01-01\")) && (parameters.until == null || since < parameters.until)"}},
		"rich": {Label: "Who has most", Parameters: params{"least": balance},
			Question: records.Rows{Table: "customers", Select: []string{"id", "balance"}, Where: "balance >= parameters.least"}},
		"mine": {Question: records.Rows{Table: "customers", Select: []string{"name"}, Where: "rep == person.attributes.rep"}},
		"per_customer": {Label: "Orders and totals", Parameters: params{"many": param(query.Int), "few": param(query.Bool)},
			Question: analysis.Figures{Table: "orders", Where: "parameters.few != true || customer_id > 1", GroupBy: []string{"customer_id"},
				Measures: []analysis.Measure{{As: "orders", Expr: "count()"}, {As: "total", Expr: "sum(total)"}}, Having: "orders >= coalesce(parameters.many, 1)", OrderBy: []string{"total desc"}}},
	}
}

// widgetDesk has widgets, and the tools that go on with their rows.
func widgetDesk(t testing.TB, all map[string]records.Widget) *deputytest.Desk {
	t.Helper()
	return deputytest.New(t, deputytest.Config{Host: shop(), Policy: policy(), Toolsets: []deputy.Toolset{records.New(records.Config{Widgets: all}), analysis.New(), present.New()}})
}

func TestRenderWidget(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role, arguments string
		outcome         deputy.Outcome
		text            string
	}{
		{"manager", `{"widget":"customers_by_status","parameters":["status=new"]}`, deputy.Ran,
			`{"columns":[{"name":"id","label":"id","type":"int"},{"name":"name","label":"Full name","type":"string"}],"rows":[[3,"Gamma"],[2,"Beta"]],"returned":2,"has_more":false,"truncated":false,"label":"Customers of a status"}`},
		{"agent", `{"widget":"customers_by_status","parameters":["status=new"]}`, deputy.Ran,
			`{"columns":[{"name":"id","label":"id","type":"int"},{"name":"name","label":"Full name","type":"string"}],"rows":[[3,"Gamma"]],"returned":1,"has_more":false,"truncated":false,"label":"Customers of a status"}`},
		{"manager", `{"widget":"joined"}`, deputy.Ran, `{"columns":[{"name":"id","label":"id","type":"int"}],"rows":[[1]],"returned":1,"has_more":false,"truncated":false}`},
		{"manager", `{"widget":"joined","parameters":["until=2020-02-29", "since=2020-01-01"]}`, deputy.Ran, `{"columns":[{"name":"id","label":"id","type":"int"}],"rows":[],"returned":0,"has_more":false,"truncated":false}`},
		{"manager", `{"widget":"joined","parameters":["until=2020-03-01 10:30","since=2020-02-29"]}`, deputy.Ran, `{"columns":[{"name":"id","label":"id","type":"int"}],"rows":[[1]],"returned":1,"has_more":false,"truncated":false}`},
		{"manager", `{"widget":"rich"}`, deputy.Ran,
			`{"columns":[{"name":"id","label":"id","type":"int"},{"name":"balance","label":"balance","type":"decimal"}],"rows":[[1,"100.10"]],"returned":1,"has_more":false,"truncated":false,"label":"Who has most"}`},
		{"manager", `{"widget":"rich","parameters":["least=0.20"]}`, deputy.Ran,
			`{"columns":[{"name":"id","label":"id","type":"int"},{"name":"balance","label":"balance","type":"decimal"}],"rows":[[1,"100.10"],[2,"0.20"]],"returned":2,"has_more":false,"truncated":false,"label":"Who has most"}`},
		{"manager", `{"widget":"per_customer"}`, deputy.Ran,
			`{"columns":[{"name":"customer_id","label":"customer_id","type":"int"},{"name":"customer_id.label","label":"customer_id","type":"string"},{"name":"orders","label":"orders","type":"int"},{"name":"total","label":"total","type":"decimal"}],"rows":[[2,"Beta",1,"9007199254740993.5"],[1,"Acme AS",2,"12.25"]],"returned":2,"has_more":false,"truncated":false,"label":"Orders and totals"}`},
		{"agent", `{"widget":"per_customer","parameters":["many=2","few=false"]}`, deputy.Ran,
			`{"columns":[{"name":"customer_id","label":"customer_id","type":"int"},{"name":"customer_id.label","label":"customer_id","type":"string"},{"name":"orders","label":"orders","type":"int"},{"name":"total","label":"total","type":"decimal"}],"rows":[[1,"Acme AS",2,"12.25"]],"returned":1,"has_more":false,"truncated":false,"label":"Orders and totals"}`},
		{"manager", `{}`, deputy.Ran,
			`{"columns":[{"name":"widget","label":"Widget","type":"string"},{"name":"label","label":"Label","type":"string"},{"name":"parameters","label":"Parameters","type":"string"}],"rows":[` +
				`["customers_by_status","Customers of a status","status: string, one of new, vip, required"],["joined","joined","since: date; until: timestamp"],["mine","",""],["per_customer","Orders and totals","few: bool; many: int"],["rich","Who has most","least: decimal, 0.50 if not given (Least balance)"]],"returned":5,"has_more":false,"truncated":false}`},
		{"agent", `{"widget":""}`, deputy.Ran,
			`{"columns":[{"name":"widget","label":"Widget","type":"string"},{"name":"label","label":"Label","type":"string"},{"name":"parameters","label":"Parameters","type":"string"}],"rows":[` +
				`["customers_by_status","Customers of a status","status: string, one of new, vip, required"],["joined","joined","since: date; until: timestamp"],["mine","",""],["per_customer","Orders and totals","few: bool; many: int"]],"returned":4,"has_more":false,"truncated":false}`},
		{"manager", `{"widget":"customers_by_status"}`, deputy.Refused, "Error: parameters: customers_by_status needs `status`: give it like \"status=new\""},
		{"manager", `{"widget":"customers_by_status","parameters":["status=old"]}`, deputy.Refused, "Error: parameters: `status` is one of new, vip, not \"old\""},
		{"manager", `{"widget":"customers_by_status","parameters":["staus=new"]}`, deputy.Refused, "Error: parameters: customers_by_status has no `staus`; near: status"},
		{"manager", `{"widget":"joined","parameters":["x=1"]}`, deputy.Refused, "Error: parameters: joined has no `x`; it has since, until"},
		{"manager", `{"widget":"mine","parameters":["x=1"]}`, deputy.Refused, "Error: parameters: mine has none"},
		{"manager", `{"widget":"joined","parameters":["since"]}`, deputy.Refused, "Error: parameters: write a name, = and a value, like \"since=2026-01-31\", not \"since\""},
		{"manager", `{"widget":"joined","parameters":["since=2020-01-01","since=2020-01-02"]}`, deputy.Refused, "Error: parameters: `since` is given twice"},
		{"manager", `{"widget":"joined","parameters":["since=1.1.2020"]}`, deputy.Refused, "Error: parameters: `since`: \"1.1.2020\" is not a date like 2026-01-31"},
		{"manager", `{"widget":"joined","parameters":["until=soon"]}`, deputy.Refused, "Error: parameters: `until`: \"soon\" is not a timestamp like 2026-01-31T14:30:00Z"},
		{"manager", `{"widget":"rich","parameters":["least=1e3"]}`, deputy.Refused, "Error: parameters: `least`: \"1e3\" is not a number like 1234.50"},
		{"manager", `{"widget":"per_customer","parameters":["many=2.5"]}`, deputy.Refused, "Error: parameters: `many`: \"2.5\" is not a whole number like 42"},
		{"manager", `{"widget":"riches"}`, deputy.Refused, "Error: Unknown widget: riches; near: rich"},
		{"manager", `{"widget":"zzz"}`, deputy.Refused, "Error: Unknown widget: zzz; there are customers_by_status, joined, mine, per_customer, rich"},
		{"clerk", `{"widget":"rich"}`, deputy.Refused, "Error: Unknown tool: render_widget"},
		{"nobody", `{}`, deputy.Refused, "Error: Unknown tool: render_widget"},
	} {
		t.Run(c.role+c.arguments, func(t *testing.T) {
			t.Parallel()
			r := widgetDesk(t, asked()).Run(person(c.role), call("render_widget", c.arguments))
			got := r.Results[0]
			if r.Outcomes[0] == deputy.Ran {
				got = without(string(r.Data(t, 0)))
			}
			if r.Outcomes[0] != c.outcome || got != c.text {
				t.Errorf("%s\n got %s\nwant %s", r.Outcomes[0], got, c.text)
			}
		})
	}
}

// TestWidgetsShineNothing: one that names what a person may not read is for them as if it were not there, in every answer.
func TestWidgetsShineNothing(t *testing.T) {
	t.Parallel()
	all := asked()
	all["stock"] = records.Widget{Question: records.Rows{Table: "visits"}}
	all["balances"] = records.Widget{Question: records.Rows{Table: "customers", OrderBy: []string{"balance"}}}
	all["lands"] = records.Widget{Question: records.Rows{Table: "customers", Where: `country.name == "Norway"`}}
	all["order_sums"] = records.Widget{Question: analysis.Figures{Table: "orders", Measures: []analysis.Measure{{As: "n", Expr: "sum(order_lines.count())"}}}}
	all["of_another"] = records.Widget{Question: records.Rows{Table: "customers", Where: `rep == person.attributes.nothing`}}
	all["wrong"] = records.Widget{Question: records.Rows{Table: "customers", Where: `nonsense`}}
	for _, name := range []string{"stock", "balances", "lands", "order_sums", "of_another", "wrong", "rich", "is_not_there"} {
		for _, with := range []string{`{"widget":%q}`, `{"widget":%q,"parameters":["a=b"]}`} {
			r := widgetDesk(t, all).Run(person("agent"), call("render_widget", fmt.Sprintf(with, name)))
			if want := "Error: Unknown widget: " + name + "; there are customers_by_status, joined, mine, per_customer"; r.Outcomes[0] != deputy.Refused || r.Results[0] != want {
				t.Errorf("%s: %s %q", name, r.Outcomes[0], r.Results[0])
			}
		}
	}
	r := widgetDesk(t, all).Run(person("agent"), call("render_widget", `{}`))
	if got := string(r.Data(t, 0)); !strings.Contains(got, `"returned":4,"has_more":false`) || strings.Contains(got, "balances") {
		t.Error(got)
	}
	none := map[string]records.Widget{"rich": all["rich"], "stock": all["stock"]}
	if r := widgetDesk(t, none).Run(person("agent")); strings.Contains(strings.Join(r.Offered(), " "), "render_widget") {
		t.Error("it is offered to who has none of the widgets")
	}
	if r := widgetDesk(t, none).Run(person("manager")); !strings.Contains(strings.Join(r.Offered(), " "), "render_widget") {
		t.Error("it is not offered to who has them all")
	}
	if r := widgetDesk(t, nil).Run(person("manager")); strings.Contains(strings.Join(r.Offered(), " "), "render_widget") {
		t.Error("it is offered where there are no widgets")
	}
}

// TestOfferingAWidgetAsksForNoRow: what is offered is decided by rights.
func TestOfferingAWidgetAsksForNoRow(t *testing.T) {
	t.Parallel()
	desk := widgetDesk(t, asked())
	desk.Run(person("agent"))
	for _, a := range desk.Host.Asked() {
		if a.Method == hosttest.Query || a.Method == hosttest.Analyze {
			t.Errorf("the host was asked: %+v", a)
		}
	}
}

// TestWidgetsAreHandles: its rows are shown and counted like those of any call, all of them, read again with the rights of now.
func TestWidgetsAreHandles(t *testing.T) {
	t.Parallel()
	desk := widgetDesk(t, map[string]records.Widget{
		"lines": {Parameters: params{"least": param(query.Int)}, Question: records.Rows{Table: "order_lines", Where: "quantity >= parameters.least", Select: []string{"order_id", "quantity"}}},
		"top":   {Question: analysis.Figures{Table: "orders", GroupBy: []string{"customer_id"}, Measures: []analysis.Measure{{As: "total", Expr: "sum(total)"}}, OrderBy: []string{"total desc"}, Limit: 1}},
	})
	desk.Host.Change("order_lines", func(rows []query.Row) []query.Row {
		for i := range 300 {
			rows = append(rows, query.Row{"order_id": int64(11), "line": fmt.Sprint(i), "quantity": int64(i)})
		}
		return rows
	})
	manager := person("manager")
	r := desk.Run(manager,
		call("render_widget", `{"widget":"lines","parameters":["least=100"]}`), call("present_results", `{"view":"table","call_id":"c1","columns":["quantity"]}`),
		call("render_widget", `{"widget":"top"}`), call("present_results", `{"view":"bar","call_id":"c3","x":"customer_id.label","y":["total"]}`))
	if r.Outcomes[0] != deputy.Ran || !strings.Contains(r.Results[0], `"returned":25,"has_more":true`) || !strings.Contains(r.Results[1], "table of 201 rows of c1") || !strings.Contains(r.Results[3], "bar of 1 rows of c3") {
		t.Fatalf("%.300q", r.Results)
	}
	id := desk.Log()[0].ID
	page, err := desk.Door.Result(t.Context(), manager, id, 150, 100)
	if err != nil || len(page.Rows.Rows) != 51 || page.Next != 0 || page.Truncated {
		t.Errorf("%d rows, %+v %v", len(page.Rows.Rows), page.Next, err)
	}
	less := manager
	less.Roles = []string{"clerk"}
	if _, err := desk.Door.Result(t.Context(), less, id, 0, 100); deputy.CodeOf(err) != deputy.NotFound {
		t.Errorf("who may not read its table any more: %v", err)
	}
}

// TestWidgetTimesAreThePersons: a date is the start of the day on the person's clock.
func TestWidgetTimesAreThePersons(t *testing.T) {
	t.Parallel()
	desk := widgetDesk(t, map[string]records.Widget{"seen": {Parameters: params{"at": param(query.Timestamp)},
		Question: records.Rows{Table: "customers", Select: []string{"id"}, Where: "seen_at >= parameters.at"}}})
	desk.Host.Change("customers", func(rows []query.Row) []query.Row {
		rows[0]["seen_at"] = time.Date(2026, 1, 30, 23, 30, 0, 0, time.UTC)
		return rows
	})
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	for zone, want := range map[*time.Location]string{time.UTC: `"rows":[]`, oslo: `"rows":[[1]]`} {
		who := person("manager")
		who.Zone = zone
		if r := desk.Run(who, scripted.Answer(call("render_widget", `{"widget":"seen","parameters":["at=2026-01-31"]}`))); !strings.Contains(r.Results[0], want) {
			t.Errorf("%s: %s", zone, r.Results[0])
		}
	}
}
