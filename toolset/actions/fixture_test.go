package actions_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/toolset/actions"
	"example.com/deputy/toolset/records"
)

func field(name string, t query.Type, more ...func(*query.Field)) query.Field {
	f := query.Field{Name: name, Label: name, Type: t, Scale: -1}
	for _, m := range more {
		m(&f)
	}
	return f
}

func relation(name, table, from, to string, many bool) query.Relation {
	return query.Relation{Name: name, Label: name, Table: table, From: []string{from}, To: []string{to}, Many: many}
}

// shop has orders with items and refunds.
func shop() *hosttest.Fake {
	generated := func(f *query.Field) { f.Generated = true }
	required := func(f *query.Field) { f.Required = true }
	orders := query.Table{Name: "orders", Label: "Orders", Key: []string{"id"}, RecordLabel: "number",
		Relations: []query.Relation{relation("items", "items", "id", "order_id", true), relation("refunds", "refunds", "id", "order_id", true)},
		Fields: []query.Field{field("id", query.Int, generated), field("number", query.String, required), field("owner", query.String),
			field("status", query.String, required, func(f *query.Field) { f.Values = []string{"pending", "shipped", "cancelled"} }),
			field("total", query.Dec), field("reason", query.String), field("margin", query.Dec), field("parent_id", query.Int)}}
	items := query.Table{Name: "items", Label: "Items", Key: []string{"id"},
		Relations: []query.Relation{relation("order", "orders", "order_id", "id", false)},
		Fields: []query.Field{field("id", query.Int, generated), field("order_id", query.Int, required), field("state", query.String),
			field("shipped", query.Date), field("owner", query.String)}}
	refunds := query.Table{Name: "refunds", Label: "Refunds", Key: []string{"id"},
		Relations: []query.Relation{relation("order", "orders", "order_id", "id", false)},
		Fields: []query.Field{field("id", query.Int, generated), field("order_id", query.Int, required, func(f *query.Field) { f.Unique = true }),
			field("amount", query.Dec, required), field("day", query.Date), field("owner", query.String)}}
	item := func(id, order int64, state string, shipped query.Value, owner string) query.Row {
		return query.Row{"id": id, "order_id": order, "state": state, "shipped": shipped, "owner": owner}
	}
	order := func(id int64, number, owner, status string) query.Row {
		return query.Row{"id": id, "number": number, "owner": owner, "status": status, "total": query.Decimal("90.10"), "margin": query.Decimal("7.77")}
	}
	return hosttest.New([]query.Table{orders, items, refunds}, map[string][]query.Row{
		"orders": {order(1, "SO-1", "ann", "pending"), order(2, "SO-2", "ann", "shipped"), order(3, "SO-3", "bob", "pending")},
		"items": {item(10, 1, "new", nil, "ann"), item(11, 1, "packed", nil, "ann"), item(12, 1, "gone", query.Day("2026-01-01"), "ann"),
			item(13, 3, "new", nil, "bob"), item(14, 1, "kept back", nil, "bob")},
		"refunds": {{"id": int64(5), "order_id": int64(2), "amount": query.Decimal("1.00"), "owner": "bob"}},
	})
}

// ways are the actions of the shop.
func ways() map[string]actions.Action {
	return map[string]actions.Action{
		"cancel_order": {Label: "Cancel an order", Table: "orders", When: `status == "pending"`,
			Parameters: map[string]query.Parameter{"reason": {Type: query.String, Enum: []string{"no longer needed", "ordered by mistake"}}},
			Set:        map[string]string{"status": `"cancelled"`, "reason": "parameters.reason"},
			Then: []actions.Step{{Create: &actions.Create{Table: "refunds", Values: map[string]string{"order_id": "id", "amount": "total", "day": "today()", "owner": "owner"}}},
				{Update: &actions.Update{Children: "items", Where: "shipped == null", Set: map[string]string{"state": `"cancelled"`}}}}},
		"refund": {Label: "Refund an order", Table: "orders", When: "refunds.count() == 0",
			Parameters: map[string]query.Parameter{"amount": {Type: query.Dec}, "day": {Type: query.Date, Optional: true}},
			Then: []actions.Step{{Create: &actions.Create{Table: "refunds", Values: map[string]string{"order_id": "id", "amount": "parameters.amount",
				"day": "parameters.day", "owner": "person.id"}}}}},
		"hide_margin": {Label: "Hide the margin", Table: "orders", When: "margin > 5", Set: map[string]string{"reason": `"margin was " + status`}},
		"ship_items": {Label: "Ship what is left", Table: "orders",
			Parameters: map[string]query.Parameter{"n": {Type: query.Int, Optional: true}, "at": {Type: query.Timestamp, Optional: true},
				"sure": {Type: query.Bool, Optional: true}, "note": {Type: query.String, Optional: true, Label: "what to note"}},
			Then: []actions.Step{{Update: &actions.Update{Children: "items", Where: "shipped == null && (parameters.n == null || id > parameters.n)",
				Set: map[string]string{"shipped": "today()", "state": `order.number + " shipped"`}}}}},
	}
}

func all() deputy.Fields { return deputy.Fields{All: true} }

// rules: ann and bob are agents, who see their own; chief sees all.
func rules() deputy.Policy {
	names := []string{"cancel_order", "refund", "hide_margin", "ship_items"}
	own := deputy.Access{Read: all(), Rows: "owner == person.id"}
	return deputy.Policy{Roles: map[string]deputy.Role{
		"agent":    {Tools: []string{"*"}, Actions: names, Hide: []string{"orders.margin"}, Tables: map[string]deputy.Access{"orders": own, "items": own, "refunds": own}},
		"chief":    {Tools: []string{"*"}, Actions: names, Tables: map[string]deputy.Access{"*": {Read: all()}}},
		"reader":   {Tools: []string{"*"}, Tables: map[string]deputy.Access{"*": {Read: all()}}},
		"owner":    {Tools: []string{"*"}, Tables: map[string]deputy.Access{"*": {Read: all(), Create: all(), Update: all(), Delete: true}}},
		"operator": {Operate: true},
		"narrow":   {Tools: []string{"*"}, Actions: names, Tables: map[string]deputy.Access{"orders": {Read: all()}}},
	}}
}

type bench struct {
	*deputytest.Desk
	host *hosttest.Fake
}

func open(t testing.TB, all map[string]actions.Action, adjust func(*deputy.Config)) bench {
	t.Helper()
	host := shop()
	full, err := host.Catalog(t.Context(), deputy.Person{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := actions.New(t.Context(), full, all)
	if err != nil {
		t.Fatal(err)
	}
	host.Forget()
	return bench{deputytest.New(t, deputytest.Config{Host: host, Policy: rules(), Toolsets: []deputy.Toolset{records.New(records.Config{}), set}, Adjust: adjust}), host}
}

func call(tool, arguments string) scripted.Answer { return deputytest.Call(tool, arguments) }

// row is a record of the shop by its id.
func (b bench) row(t testing.TB, table string, id int64) query.Row {
	t.Helper()
	rows := b.host.Rows(table)
	i := slices.IndexFunc(rows, func(r query.Row) bool { return r["id"] == id })
	if i < 0 {
		t.Fatalf("no record %d of %s", id, table)
	}
	return rows[i]
}

// writes is how often the host was asked to write.
func (b bench) writes() (n int) {
	for _, a := range b.host.Asked() {
		if a.Method == hosttest.Apply {
			n++
		}
	}
	return n
}

// people is a directory whose roles change.
type people struct {
	mu    sync.Mutex
	roles map[string][]string
}

func (p *people) set(id string, roles ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.roles[id] = roles
}

// Lookup implements deputy.Directory.
func (p *people) Lookup(_ context.Context, issuer, id string) (deputy.Person, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return deputy.Person{Issuer: issuer, ID: id, Name: id, Roles: p.roles[id], Attributes: map[string]string{}}, nil
}
