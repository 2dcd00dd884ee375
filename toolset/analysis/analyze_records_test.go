package analysis_test

import (
	"encoding/json"
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
)

func field(name string, t query.Type) query.Field {
	return query.Field{Name: name, Label: strings.ToUpper(name[:1]) + name[1:], Type: t, Scale: -1}
}

func one(name, table, from, to string) query.Relation {
	return query.Relation{Name: name, Label: name, Table: table, From: []string{from}, To: []string{to}}
}

// shop has orders with a customer, whose country is known or not; one order has no customer.
func shop() *hosttest.Fake {
	countries := query.Table{Name: "countries", Label: "Countries", Key: []string{"code"}, RecordLabel: "name", Fields: []query.Field{field("code", query.String), field("name", query.String)}}
	customers := query.Table{Name: "customers", Label: "Customers", Key: []string{"id"}, RecordLabel: "name",
		Relations: []query.Relation{one("country", "countries", "country_code", "code")},
		Fields:    []query.Field{field("id", query.Int), field("name", query.String), field("country_code", query.String), field("rep", query.Int), field("password", query.String)}}
	customers.Fields[4].Secret = true
	orders := query.Table{Name: "orders", Label: "Orders", Key: []string{"id"},
		Relations: []query.Relation{one("customer", "customers", "customer_id", "id")},
		Fields:    []query.Field{field("id", query.Int), field("customer_id", query.Int), field("total", query.Dec), field("status", query.String), field("placed", query.Timestamp), field("margin", query.Dec)}}
	order := func(id int64, customer, total, status, placed query.Value) query.Row {
		at, err := query.ParseValue(query.Timestamp, placed.(string))
		if err != nil {
			panic(err)
		}
		return query.Row{"id": id, "customer_id": customer, "total": total, "status": status, "placed": at, "margin": query.Decimal("1.00")}
	}
	return hosttest.New([]query.Table{countries, customers, orders}, map[string][]query.Row{
		"countries": {{"code": "NO", "name": "Norway"}, {"code": "SE", "name": "Sweden"}},
		"customers": {
			{"id": int64(1), "name": "Acme", "country_code": "NO", "rep": int64(3)}, {"id": int64(2), "name": "Beta", "country_code": "SE", "rep": int64(4)},
			{"id": int64(3), "name": "Gamma", "rep": int64(3)},
		},
		"orders": {
			order(10, int64(1), query.Decimal("0.10"), "paid", "2026-01-31T22:30:00Z"), order(11, int64(1), query.Decimal("0.20"), "open", "2026-01-31T23:30:00Z"),
			order(12, int64(2), query.Decimal("9007199254740993.50"), "paid", "2026-02-10T12:00:00Z"), order(13, nil, query.Decimal("5.00"), nil, "2025-12-31T12:00:00Z"),
			order(14, int64(3), nil, "open", "2026-02-11T12:00:00Z"),
		},
	})
}

func policy() deputy.Policy {
	all := deputy.Fields{All: true}
	return deputy.Policy{Roles: map[string]deputy.Role{
		"manager": {Tools: []string{"*"}, Tables: map[string]deputy.Access{"*": {Read: all}}},
		"agent": {Tools: []string{"*"}, Hide: []string{"orders.margin"}, Tables: map[string]deputy.Access{
			"orders": {Read: all}, "customers": {Read: all, Rows: "rep == 3"},
		}},
		"nobody": {Tools: []string{"*"}},
	}}
}

func ask(t *testing.T, role string, calls ...string) deputytest.Turn {
	t.Helper()
	desk := deputytest.New(t, deputytest.Config{Host: shop(), Policy: policy(), Toolsets: []deputy.Toolset{analysis.New(), present.New()}})
	who := deputytest.Person(role, role)
	zone, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	who.Zone = zone
	var script []scripted.Answer
	for i, c := range calls {
		tool := "analyze_records"
		if i > 0 {
			tool = "present_results"
		}
		script = append(script, deputytest.Call(tool, c))
	}
	return desk.Run(who, script...)
}

func TestAnalyzeRecords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, role, arguments, want string }{
		{"one row", "manager", `{"table":"orders","measures":[{"as":"n","expr":"count()"},{"as":"revenue","expr":"sum(total)"},{"as":"mean","expr":"avg(total)"}]}`,
			`[{"name":"n","label":"n","type":"int"},{"name":"revenue","label":"revenue","type":"decimal"},{"name":"mean","label":"mean","type":"decimal"}] [[5,"9007199254740998.80","2251799813685249.7"]] more=false`},
		{"a foreign key is named", "manager", `{"table":"orders","group_by":["customer_id"],"measures":[{"as":"n","expr":"count()"}],"order_by":["n desc"]}`,
			`[{"name":"customer_id","label":"Customer_id","type":"int"},{"name":"customer_id.label","label":"Customer_id","type":"string"},{"name":"n","label":"n","type":"int"}] [[1,"Acme",2],[2,"Beta",1],[3,"Gamma",1],[null,null,1]] more=false`},
		{"over a parent too", "manager", `{"table":"orders","group_by":["customer.country_code"],"measures":[{"as":"revenue","expr":"sum(total)"}]}`,
			`[{"name":"customer.country_code","label":"customer.country_code","type":"string"},{"name":"customer.country_code.label","label":"customer.country_code","type":"string"},{"name":"revenue","label":"revenue","type":"decimal"}] [["NO","Norway","0.30"],["SE","Sweden","9007199254740993.50"],[null,null,"5.00"]] more=false`},
		{"by the parent, as its foreign key", "manager", `{"table":"orders","group_by":["customer","customer.country"],"measures":[{"as":"n","expr":"count()"}],"order_by":["customer desc"],"limit":2}`,
			`[{"name":"customer","label":"Customer_id","type":"int"},{"name":"customer.label","label":"Customer_id","type":"string"},{"name":"customer.country","label":"customer.country","type":"string"},{"name":"customer.country.label","label":"customer.country","type":"string"},{"name":"n","label":"n","type":"int"}] [[3,"Gamma",null,null,1],[2,"Beta","SE","Sweden",1]] more=true`},
		{"by the label", "manager", `{"table":"orders","group_by":["customer_id.label","customer_id"],"order_by":["customer_id.label desc"],"limit":2}`,
			`[{"name":"customer_id","label":"Customer_id","type":"int"},{"name":"customer_id.label","label":"Customer_id","type":"string"}] [[3,"Gamma"],[2,"Beta"]] more=true`},
		{"a month of the person's", "manager", `{"table":"orders","group_by":["month(placed)"],"measures":[{"as":"n","expr":"count()"}],"order_by":["month(placed) desc"]}`,
			`[{"name":"month(placed)","label":"month(placed)","type":"date"},{"name":"n","label":"n","type":"int"}] [["2026-02-01",3],["2026-01-01",1],["2025-12-01",1]] more=false`},
		{"a share, filtered and bounded", "manager", `{"table":"orders","where":"status != null","group_by":["status"],"measures":[{"as":"n","expr":"count()"},{"as":"share","expr":"100 * count_if(customer.country_code == \"NO\") / n"}],"having":"n > 1","order_by":["share desc"],"limit":1}`,
			`[{"name":"status","label":"Status","type":"string"},{"name":"n","label":"n","type":"int"},{"name":"share","label":"share","type":"decimal"}] [["open",2,"50"]] more=true`},
		{"rows one may not read are not there", "agent", `{"table":"orders","group_by":["customer_id"],"measures":[{"as":"n","expr":"count()"},{"as":"reps","expr":"max(customer.rep)"}]}`,
			`[{"name":"customer_id","label":"Customer_id","type":"int"},{"name":"customer_id.label","label":"Customer_id","type":"string"},{"name":"n","label":"n","type":"int"},{"name":"reps","label":"reps","type":"int"}] [[1,"Acme",2,3],[2,null,1,null],[3,"Gamma",1,3],[null,null,1,null]] more=false`},
		{"nor in having and order", "agent", `{"table":"orders","group_by":["id"],"having":"max(customer.name) != null","order_by":["max(customer.name) desc"]}`,
			`[{"name":"id","label":"Id","type":"int"}] [[14],[10],[11]] more=false`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := ask(t, c.role, c.arguments)
			if r.Outcomes[0] != deputy.Ran {
				t.Fatal(r.Results[0])
			}
			var got struct {
				Columns, Rows json.RawMessage
				More          bool `json:"has_more"`
			}
			if err := json.Unmarshal(r.Data(t, 0), &got); err != nil {
				t.Fatal(err)
			}
			more := "false"
			if got.More {
				more = "true"
			}
			if text := string(got.Columns) + " " + string(got.Rows) + " more=" + more; text != c.want {
				t.Errorf("\n got %s\nwant %s", text, c.want)
			}
		})
	}
}

func TestAnalyzeRecordsTeaches(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`{"table":"orders"}`:                                                                                                     "name what is wanted",
		`{"table":"nothing","group_by":["id"]}`:                                                                                  "Unknown table: nothing",
		`{"table":"orders","group_by":["totl"]}`:                                                                                 "group_by: in `totl`: column 1: no field `totl`; near: total",
		`{"table":"orders","group_by":["total desc"]}`:                                                                           "`desc` belongs to order_by",
		`{"table":"orders","measures":[{"as":"Total revenue","expr":"sum(total)"}]}`:                                             "`as` names a measure in letters, digits and _",
		`{"table":"orders","measures":[{"as":"a","expr":"sum(total)"},{"as":"a","expr":"count()"}]}`:                             "two measures are named a",
		`{"table":"orders","group_by":["status"],"measures":[{"as":"status","expr":"count()"}]}`:                                 "both named status",
		`{"table":"orders","measures":[{"as":"a","expr":"total"}]}`:                                                              "measure a: in `total`: column 1: `total` is of single rows",
		`{"table":"orders","group_by":["status"],"measures":[{"as":"n","expr":"count()"}],"having":"n = 1"}`:                     "having: in `n = 1`: column 3: write == instead of =",
		`{"table":"orders","group_by":["status"],"order_by":["total desc"]}`:                                                     "order_by: in `total`: column 1: `total` is of single rows",
		`{"table":"orders","where":"sum(total) > 5","group_by":["status"]}`:                                                      "what groups must meet is having",
		`{"table":"customers","group_by":["password"]}`:                                                                          "`password` is secret",
		`{"table":"customers","measures":[{"as":"p","expr":"max(password)"}]}`:                                                   "`password` is secret",
		`{"table":"orders","group_by":["status"],"limit":-1}`:                                                                    "`limit` must not be negative",
		`{"table":"orders","group_by":["id"],"measures":[{"as":"a","expr":"count()","Label":"x"}]}`:                              "unknown key `measures[0].Label`",
		`{"table":"orders","group_by":["id"],"having":"customer.name == \"Acme\""}`:                                              "`customer` is of single rows",
		`{"table":"orders","group_by":["id"],"measures":[{"as":"a","expr":"person.attributes.nothing == \"x\" ? count() : 0"}]}`: "the person has no such attribute",
	} {
		r := ask(t, "manager", arguments)
		if r.Outcomes[0] != deputy.Refused || !strings.Contains(r.Results[0], want) {
			t.Errorf("%s: %s %q, want %q", arguments, r.Outcomes[0], r.Results[0], want)
		}
	}
}

// TestAnalyzeRecordsShinesNothing: what one may not read answers like what is not there.
func TestAnalyzeRecordsShinesNothing(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{`{"table":"orders","group_by":["%s"]}`, `{"table":"orders","measures":[{"as":"m","expr":"sum(%s)"}]}`,
		`{"table":"orders","group_by":["id"],"having":"max(%s) > 1"}`, `{"table":"orders","group_by":["id"],"order_by":["min(%s)"]}`, `{"table":"orders","group_by":["id"],"order_by":["%s"]}`} {
		hidden, missing := ask(t, "agent", strings.ReplaceAll(arguments, "%s", "margin")), ask(t, "agent", strings.ReplaceAll(arguments, "%s", "mxrgyn"))
		if got, want := strings.ReplaceAll(hidden.Results[0], "margin", "*"), strings.ReplaceAll(missing.Results[0], "mxrgyn", "*"); got != want || hidden.Outcomes[0] != deputy.Refused {
			t.Errorf("%s\n%s\n%s", arguments, got, want)
		}
	}
	if r := ask(t, "nobody", `{"table":"orders","group_by":["id"]}`); r.Outcomes[0] != deputy.Refused || !strings.Contains(r.Results[0], "Unknown tool") {
		t.Errorf("%q", r.Results)
	}
}

// TestAnalysisIsPresented: the rows behind a call id are computed again, all of them.
func TestAnalysisIsPresented(t *testing.T) {
	t.Parallel()
	r := ask(t, "manager", `{"table":"orders","group_by":["customer_id"],"measures":[{"as":"revenue","expr":"sum(total)"}],"order_by":["revenue desc"]}`,
		`{"view":"bar","call_id":"c1","x":"customer_id.label","y":["revenue"],"title":"Revenue"}`)
	if len(r.Displays) != 1 || !strings.Contains(r.Results[1], "4 rows of c1") {
		t.Fatalf("%q", r.Results)
	}
}
