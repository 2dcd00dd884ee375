package records_test

import (
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/toolset/records"
)

func field(name string, t query.Type) query.Field {
	return query.Field{Name: name, Label: name, Type: t, Scale: -1}
}

func one(name, table, from, to string) query.Relation {
	return query.Relation{Name: name, Label: name, Table: table, From: []string{from}, To: []string{to}}
}

func many(name, table, from, to string) query.Relation {
	r := one(name, table, from, to)
	r.Many = true
	return r
}

// shop is a small business: every kind of field, a foreign key that is a text, a composite key, and a table without one.
func shop() *hosttest.Fake {
	customers := query.Table{Name: "customers", Label: "Customers", Comment: "Who buys.\nMore.", Key: []string{"id"}, RecordLabel: "name",
		Relations: []query.Relation{one("country", "countries", "country_id", "id"), many("orders", "orders", "id", "customer_id")},
		Fields: []query.Field{field("id", query.Int), field("name", query.String), field("country_id", query.Int), field("balance", query.Dec),
			field("active", query.Bool), field("since", query.Date), field("seen_at", query.Timestamp), field("profile", query.JSON),
			field("status", query.String), field("password", query.String), field("rep", query.Int)}}
	customers.Fields[0].Generated = true
	customers.Fields[1].Label, customers.Fields[1].Required = "Full name", true
	customers.Fields[8].Values, customers.Fields[8].Default = []string{"new", "vip"}, "new"
	customers.Fields[9].Secret = true
	countries := query.Table{Name: "countries", Label: "Countries", Key: []string{"id"}, RecordLabel: "name",
		Relations: []query.Relation{many("customers", "customers", "id", "country_id")},
		Fields:    []query.Field{field("id", query.Int), field("name", query.String)}}
	orders := query.Table{Name: "orders", Label: "Sales orders", Key: []string{"id"},
		Relations: []query.Relation{one("customer", "customers", "customer_id", "id"), many("order_lines", "order_lines", "id", "order_id")},
		Fields:    []query.Field{field("id", query.Int), field("customer_id", query.Int), field("total", query.Dec)}}
	lines := query.Table{Name: "order_lines", Label: "Order lines", Key: []string{"order_id", "line"},
		Relations: []query.Relation{one("order", "orders", "order_id", "id")},
		Fields:    []query.Field{field("order_id", query.Int), field("line", query.String), field("quantity", query.Int)}}
	visits := query.Table{Name: "visits", Label: "Visits", Fields: []query.Field{field("page", query.String)}}
	rows := map[string][]query.Row{
		"countries": {{"id": int64(1), "name": "Norway"}, {"id": int64(2), "name": "Sweden"}},
		"customers": {
			{"id": int64(1), "name": "Acme AS", "country_id": int64(1), "balance": query.Decimal("100.10"), "active": true, "since": query.Day("2020-02-29"),
				"profile": query.Doc(`{"size":3,"kind":"a"}`), "status": "vip", "password": "hunter2", "rep": int64(3)},
			{"id": int64(2), "name": "Beta", "country_id": int64(2), "balance": query.Decimal("0.20"), "active": false, "status": "new", "rep": int64(4)},
			{"id": int64(3), "name": "Gamma", "status": "new", "rep": int64(3)},
			{"id": int64(4), "name": "Twin", "status": "old", "rep": int64(5)}, {"id": int64(5), "name": "Twin", "status": "old", "rep": int64(5)},
		},
		"orders": {{"id": int64(10), "customer_id": int64(1), "total": query.Decimal("5.00")}, {"id": int64(11), "customer_id": int64(1), "total": query.Decimal("7.25")},
			{"id": int64(12), "customer_id": int64(2), "total": query.Decimal("9007199254740993.5")}},
		"order_lines": {{"order_id": int64(10), "line": "a/1", "quantity": int64(9007199254740993)}, {"order_id": int64(10), "line": "b", "quantity": int64(2)}},
		"visits":      {{"page": "/"}, {"page": "/"}, {}},
	}
	return hosttest.New([]query.Table{customers, countries, orders, lines, visits}, rows)
}

func all() deputy.Fields { return deputy.Fields{All: true} }

func policy() deputy.Policy {
	everything := deputy.Access{Read: all(), Create: all(), Update: all(), Delete: true}
	return deputy.Policy{Roles: map[string]deputy.Role{
		"manager": {Tools: []string{"*"}, Tables: map[string]deputy.Access{"*": everything}},
		"agent": {Tools: []string{"*"}, Hide: []string{"customers.balance"}, Tables: map[string]deputy.Access{
			"customers": {Read: all(), Update: deputy.Fields{Names: []string{"status", "since"}}, Rows: "rep == person.attributes.rep"},
			"orders":    {Read: all(), Rows: "customer.rep == person.attributes.rep"},
		}},
		"teller": {Tools: []string{"*"}, Tables: map[string]deputy.Access{
			"customers": {Read: all(), Rows: "rep == person.attributes.rep"}, "orders": {Read: all(), Update: all()},
		}},
		"cashier": {Tools: []string{"*"}, Tables: map[string]deputy.Access{"orders": everything, "order_lines": {Read: all()}}},
		"seller":  {Tools: []string{"*"}, Tables: map[string]deputy.Access{"orders": everything}},
		"clerk":   {Tools: []string{"*"}, Tables: map[string]deputy.Access{"countries": {Read: all()}}},
		"nobody":  {Tools: []string{"*"}},
	}}
}

func person(role string) deputy.Caller {
	who := deputytest.Person(role, role)
	who.Attributes["rep"] = "3"
	return who
}

func bench(t testing.TB) (*deputytest.Desk, *hosttest.Fake) {
	t.Helper()
	set := records.New(records.Config{Pages: map[string]string{"customers": "/customers/{id}", "order_lines": "/lines?id={id}", "orders": "/orders?q={where}"}})
	desk := deputytest.New(t, deputytest.Config{Host: shop(), Policy: policy(), Toolsets: []deputy.Toolset{set}})
	return desk, desk.Host
}

func call(tool, arguments string) scripted.Answer { return deputytest.Call(tool, arguments) }

// try is one call in a turn of its own, and what it must come to.
type try struct {
	name, role, tool, arguments string
	outcome                     deputy.Outcome
	text                        string // the error, or the data without call_id
}

func run(t *testing.T, tries []try) {
	t.Helper()
	for _, c := range tries {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, host := bench(t)
			r := b.Run(person(c.role), call(c.tool, c.arguments))
			if r.Outcomes[0] != c.outcome {
				t.Fatalf("%s %s: %s %q, want %s", c.tool, c.arguments, r.Outcomes[0], r.Results[0], c.outcome)
			}
			got := r.Results[0]
			if c.outcome == deputy.Ran {
				got = without(string(r.Data(t, 0)))
			}
			if got != c.text {
				t.Errorf("%s %s:\ngot  %s\nwant %s", c.tool, c.arguments, got, c.text)
			}
			for _, a := range host.Asked() {
				if a.Method == hosttest.Apply {
					t.Error("the host was asked to write")
				}
			}
		})
	}
}

// without drops the call id, which comes first.
func without(data string) string {
	const id = `{"call_id":"c1",`
	if len(data) > len(id) && data[:len(id)] == id {
		return "{" + data[len(id):]
	}
	return data
}
