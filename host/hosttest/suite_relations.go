package hosttest

import (
	"fmt"
	"slices"
	"testing"

	"example.com/deputy/query"
)

// related are expressions over relations of every kind, by table: two foreign keys to one table, a table that refers to itself, in both
// directions, children of children, a foreign key of several columns, and parents that are NULL on the way.
func related() map[string][]string {
	return map[string][]string{
		"orders": {`billing.city`, `shipping.city`, `billing.city == shipping.city`, `billing != null`, `shipping == null`, `billing_id == shipping_id`, `customer.support_rep.reports_to.name`,
			`customer.support_rep == null`, `items.exists(i, i.shelves.place == "top")`, `items.sum(i, i.shelves.items.count())`, `billing.orders_by_shipping_id.count()`, `billing.orders_by_billing_id.sum(o, o.total)`,
			`shipping.orders_by_billing_id.exists(o, o.billing.city != o.shipping.city)`, `coalesce(shipping.country, billing.country, customer.country)`, `all.addresses.count(a, a.id == billing_id || a.id == shipping_id)`},
		"addresses": {`orders_by_billing_id.count()`, `orders_by_shipping_id.count()`, `orders_by_billing_id.all(o, o.shipping_id == id)`, `orders_by_billing_id.sum(o, o.items.sum(i, i.quantity * i.price))`,
			`orders_by_shipping_id.max(o, o.customer.name)`, `orders_by_billing_id.exists(o, o.shipping.orders_by_billing_id.exists(p, p.id == o.id))`},
		"employees": {`reports_to`, `reports_to.name`, `reports_to.reports_to.name`, `reports_to.reports_to == null`, `employees_by_reports_to.count()`, `employees_by_reports_to.exists(e, e.reports_to.reports_to == null)`,
			`employees_by_reports_to.sum(e, e.employees_by_reports_to.count())`, `employees_by_reports_to.sum(e, e.customers.sum(c, c.orders.count()))`, `reports_to.employees_by_reports_to.max(e, e.salary)`,
			`reports_to.reports_to.employees_by_reports_to.exists(e, e.id == reports_to)`, `employees_by_reports_to.all(e, e.employees_by_reports_to.all(f, f.salary < salary))`, `customers.min(c, c.orders.max(o, o.total))`},
		"customers": {`support_rep.name`, `support_rep.reports_to.name`, `support_rep.reports_to.reports_to != null`, `orders.sum(o, o.items.sum(i, i.quantity))`, `orders.exists(o, o.items.exists(i, i.shelves != null && i.price > credit))`,
			`support_rep.customers.count(c, c.id != id)`, `orders.count(o, o.billing.country == country)`, `orders.max(o, o.shipping.city)`},
		"items": {`shelves.place`, `shelves != null`, `shelves.store == store`, `shelves.items.count()`, `shelves.items.sum(i, i.order.total)`, `order.customer.support_rep.reports_to.name`, `order.items.count(i, i.store == store)`,
			`order.billing.orders_by_billing_id.exists(o, o.items.exists(i, i.shelf == shelf))`},
		"shelves": {`items.count()`, `items.sum(i, i.quantity)`, `items.max(i, i.order.customer.name)`, `items.exists(i, i.order.shipping == null)`, `items.all(i, i.shelves.place == place)`},
	}
}

// testRelations: relations are named and mean what they should, with rules on every table, so that a parent that may not be read is none.
func testRelations(t *testing.T, open Open) {
	tables, rows := shop()
	tables = slices.DeleteFunc(tables, func(t query.Table) bool { return t.Name == "posts" })
	b := &bench{TB: t, host: open(t, tables, rows), fake: New(tables, rows), tables: tables}
	for _, want := range tables {
		if got := b.table(want.Name); !slices.Equal(shapes(got), shapes(&want)) {
			t.Errorf("%s:\n got %q\nwant %q", want.Name, shapes(got), shapes(&want))
		}
	}
	ruled := map[string]query.Expr{}
	for table, text := range map[string]string{"addresses": `city != "Malmö"`, "employees": `reports_to == null || reports_to.reports_to == null || customers.exists()`, "orders": `status != "cancelled" && customer.id != 2`,
		"shelves": `items.count() < 2`, "items": `returned != true`, "customers": `support_rep.name != "Cy"`} {
		ruled[table] = b.compile(table, text)
	}
	rules := func(table string) query.Expr { return ruled[table] }
	for _, table := range tables {
		for _, text := range related()[table.Name] {
			x := b.compile(table.Name, text)
			for how, x := range map[string]query.Expr{"": x, " (with rules)": query.Restrict(x, rules)} {
				b.relate(table, fmt.Sprintf("%s: %s%s", table.Name, text, how), x)
			}
		}
	}
}

// relate asks an expression as a value, a condition, an order, and a key of groups.
func (b *bench) relate(t query.Table, name string, x query.Expr) {
	b.Helper()
	q := query.Query{Table: t.Name, Limit: 100, Select: append(b.columns(t.Name, t.Key...), query.Column{As: "x", Expr: x}), Order: []query.Order{{Expr: x, Desc: true}}}
	b.same(q, name)
	if x.Type() == query.Bool {
		q.Where = x
		b.same(q, name+", as a condition")
	}
	b.sameFigures(query.Analysis{Table: t.Name, GroupBy: []query.Column{{As: "x", Expr: x}}, Measures: []query.Column{{As: "n", Expr: query.Agg{Fn: "count", T: query.Int}}}, Limit: 100}, name+", as a key")
}
