package hosttest

import (
	"strings"
	"time"

	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
)

// shop is what the examples of the language are about: docs/expressions.md shows its rows. It has two foreign keys to one table, a table that
// refers to itself, children of children, a foreign key of two columns, and NULLs wherever they may be.
func shop() ([]query.Table, map[string][]query.Row) {
	addresses := query.Table{Name: "addresses", Label: "Addresses", Key: []string{"id"}, Fields: []query.Field{
		field("id", query.Int, generated), field("city", query.String, required), field("country", query.String)},
		Relations: []query.Relation{many("orders_by_billing_id", "orders", "id", "billing_id"), many("orders_by_shipping_id", "orders", "id", "shipping_id")}}
	customers := query.Table{Name: "customers", Label: "Customers", Key: []string{"id"}, RecordLabel: "name", Fields: []query.Field{
		field("id", query.Int, generated), field("name", query.String, required), field("country", query.String), field("phone", query.String),
		field("credit", query.Dec, scale2), field("vip", query.Bool), field("born", query.Date), field("seen_at", query.Timestamp),
		field("support_rep_id", query.Int), field("profile", query.JSON)},
		Relations: []query.Relation{one("support_rep", "employees", "support_rep_id", "id"), many("orders", "orders", "id", "customer_id")}}
	employees := query.Table{Name: "employees", Label: "Employees", Key: []string{"id"}, RecordLabel: "name", Fields: []query.Field{
		field("id", query.Int, generated), field("name", query.String, required), field("reports_to", query.Int), field("hired", query.Date),
		field("salary", query.Dec, scale2)},
		Relations: []query.Relation{one("reports_to", "employees", "reports_to", "id"), many("customers", "customers", "id", "support_rep_id"),
			many("employees_by_reports_to", "employees", "id", "reports_to")}}
	items := query.Table{Name: "items", Label: "Items", Key: []string{"order_id", "line"}, Fields: []query.Field{
		field("order_id", query.Int, required), field("line", query.Int, required), field("product", query.String, required), field("quantity", query.Int),
		field("price", query.Dec, scale2), field("returned", query.Bool), field("store", query.String), field("shelf", query.Int)},
		Relations: []query.Relation{one("order", "orders", "order_id", "id"),
			{Name: "shelves", Label: "shelves", Table: "shelves", From: []string{"store", "shelf"}, To: []string{"store", "shelf"}}}}
	orders := query.Table{Name: "orders", Label: "Orders", Key: []string{"id"}, Fields: []query.Field{
		field("id", query.Int, generated), field("customer_id", query.Int, required), field("status", query.String, listed("open", "paid", "cancelled")),
		field("ordered_at", query.Timestamp), field("due", query.Date), field("total", query.Dec, scale2), field("billing_id", query.Int), field("shipping_id", query.Int)},
		Relations: []query.Relation{one("billing", "addresses", "billing_id", "id"), one("customer", "customers", "customer_id", "id"),
			one("shipping", "addresses", "shipping_id", "id"), many("items", "items", "id", "order_id")}}
	shelves := query.Table{Name: "shelves", Label: "Shelves", Key: []string{"store", "shelf"}, Fields: []query.Field{
		field("store", query.String, required), field("shelf", query.Int, required), field("place", query.String)},
		Relations: []query.Relation{{Name: "items", Label: "items", Table: "items", From: []string{"store", "shelf"}, To: []string{"store", "shelf"}, Many: true}}}
	tags := query.Table{Name: "posts", Label: "Posts", Key: []string{"id"}, Fields: []query.Field{field("id", query.Int, generated), field("tags", query.List)}}
	return []query.Table{addresses, customers, employees, items, orders, tags, shelves}, shopRows()
}

func listed(values ...string) func(*query.Field) {
	return func(f *query.Field) { f.Values = values }
}

// shopRows are the rows, a line each, as the document has them.
func shopRows() map[string][]query.Row {
	return map[string][]query.Row{
		"addresses": rows("id city country", []any{1, "Oslo", "NO"}, []any{2, "Malmö", "SE"}, []any{3, "Bergen", "NO"}),
		"employees": rows("id name reports_to hired salary",
			[]any{1, "Ada", nil, query.Day("2019-03-01"), query.Decimal("5200.00")}, []any{2, "Bo", 1, query.Day("2022-02-28"), query.Decimal("4100.50")},
			[]any{3, "Cy", 1, query.Day("2024-02-29"), nil}, []any{4, "Di", 2, query.Day("2026-01-31"), query.Decimal("3900.00")}),
		"customers": rows("id name country phone credit vip born seen_at support_rep_id profile",
			[]any{1, "Ærlig AS", "NO", "22 55", query.Decimal("100.10"), true, query.Day("1990-01-31"), at("2026-01-31T23:30:00Z"), 2,
				query.Doc(`{"tier":"gold","points":12.50,"address":{"city":"Oslo"},"tags":["a","b"],"odd key":true}`)},
			[]any{2, "Beta", "SE", "0450", query.Decimal("0.30"), false, query.Day("2000-02-29"), at("2025-12-31T22:59:59Z"), 2, query.Doc(`{"tier":null,"points":"12"}`)},
			[]any{3, "beta 50%", "no", "", nil, nil, nil, nil, 3, nil},
			[]any{4, "Café Éva", nil, nil, query.Decimal("-5.00"), false, query.Day("1969-12-31"), at("2026-03-29T01:30:00Z"), nil, query.Doc(`{}`)}),
		"orders": rows("id customer_id status ordered_at due total billing_id shipping_id",
			[]any{10, 1, "paid", at("2026-01-15T09:00:00Z"), query.Day("2026-01-29"), query.Decimal("120.00"), 1, 1},
			[]any{11, 1, "open", at("2026-01-31T23:30:00Z"), query.Day("2026-02-14"), query.Decimal("80.50"), 1, 3},
			[]any{12, 2, "paid", at("2025-12-20T12:00:00Z"), query.Day("2026-01-03"), query.Decimal("40.25"), 2, nil},
			[]any{13, 3, "cancelled", nil, nil, nil, nil, 2},
			[]any{14, 2, "open", at("2026-02-09T23:15:00Z"), query.Day("2026-02-24"), query.Decimal("0.05"), 2, 2}),
		"items": rows("order_id line product quantity price returned store shelf",
			[]any{10, 1, "bolt", 100, query.Decimal("0.70"), false, "N", 1}, []any{10, 2, "hammer", 2, query.Decimal("25.00"), true, "N", 2},
			[]any{11, 1, "bolt", 115, query.Decimal("0.70"), false, "S", 1}, []any{12, 1, "saw", 1, query.Decimal("40.25"), nil, nil, nil},
			[]any{14, 1, "nut", nil, query.Decimal("0.05"), false, "N", 1}),
		"shelves": rows("store shelf place", []any{"N", 1, "by the door"}, []any{"N", 2, "top"}, []any{"S", 1, nil}),
		"posts":   rows("id tags", []any{1, []query.Value{"new", "sale"}}, []any{2, []query.Value{}}, []any{3, nil}),
	}
}

// rows reads lines of values in the order of the names.
func rows(names string, lines ...[]any) []query.Row {
	var out []query.Row
	for _, line := range lines {
		row := query.Row{}
		for i, name := range strings.Fields(names) {
			row[name] = line[i]
			if n, ok := line[i].(int); ok {
				row[name] = int64(n)
			}
		}
		out = append(out, row)
	}
	return out
}

// shopWorld is the shop as what texts are checked against: when and where the document says that its examples are asked.
func shopWorld(tables []query.Table, rows map[string][]query.Row) (*querytest.World, error) {
	zone, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		return nil, err
	}
	w := &querytest.World{Zone: zone, Now: time.Date(2026, 2, 10, 11, 0, 0, 0, time.UTC), Rows: rows}
	for i := range tables {
		w.Tables = append(w.Tables, &tables[i])
	}
	return w, nil
}
