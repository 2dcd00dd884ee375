package hosttest

import (
	"time"

	"example.com/deputy/query"
)

// sample is the small shop that the suite asks about: every type, NULLs, a parent that is missing, a table that refers to itself, a
// composite key, children that go with their parent, a table without a key.
func sample() ([]query.Table, map[string][]query.Row) {
	regions := query.Table{Name: "regions", Label: "Regions", Key: []string{"code"}, Fields: []query.Field{
		field("code", query.String, required), field("name", query.String, required)},
		Relations: []query.Relation{many("customers", "customers", "code", "region_code")}, RecordLabel: "name"}
	customers := query.Table{Name: "customers", Label: "Customers", Key: []string{"id"}, Fields: []query.Field{
		field("id", query.Int, generated), field("name", query.String, required), field("email", query.String, unique),
		field("region_code", query.String), field("parent_id", query.Int), field("credit", query.Dec, scale2), field("score", query.Int),
		field("active", query.Bool), field("born", query.Date), field("seen", query.Timestamp), field("profile", query.JSON)},
		Relations: []query.Relation{one("region_code", "regions", "region_code", "code"), one("parent", "customers", "parent_id", "id"),
			many("customers_by_parent_id", "customers", "id", "parent_id"), many("orders", "orders", "id", "customer_id")},
		RecordLabel: "name"}
	orders := query.Table{Name: "orders", Label: "Orders", Key: []string{"id"}, Fields: []query.Field{
		field("id", query.Int, generated), field("customer_id", query.Int, required), field("status", query.String, states),
		field("total", query.Dec, scale2), field("placed", query.Timestamp), field("revision", query.Int)},
		Relations:   []query.Relation{one("customer", "customers", "customer_id", "id"), cascade(many("lines", "lines", "id", "order_id"))},
		RecordLabel: ""}
	lines := query.Table{Name: "lines", Label: "Lines", Key: []string{"order_id", "line"}, Fields: []query.Field{
		field("order_id", query.Int, required), field("line", query.Int, required), field("article", query.String, required),
		field("quantity", query.Int), field("price", query.Dec, scale2)},
		Relations: []query.Relation{one("order", "orders", "order_id", "id")}}
	events := query.Table{Name: "events", Label: "Events", Fields: []query.Field{
		field("happened", query.Timestamp, readOnly), field("note", query.String, readOnly)}}
	return []query.Table{customers, events, lines, orders, regions}, sampleRows()
}

func field(name string, t query.Type, more ...func(*query.Field)) query.Field {
	f := query.Field{Name: name, Label: name, Type: t, Scale: -1}
	for _, m := range more {
		m(&f)
	}
	return f
}

func required(f *query.Field)  { f.Required = true }
func generated(f *query.Field) { f.Generated = true }
func unique(f *query.Field)    { f.Unique = true }
func readOnly(f *query.Field)  { f.ReadOnly = true }
func scale2(f *query.Field)    { f.Scale = 2 }
func states(f *query.Field) {
	f.Values, f.Default = []string{"open", "paid", "it's void"}, "'open'"
}

func one(name, table, from, to string) query.Relation {
	return query.Relation{Name: name, Label: name, Table: table, From: []string{from}, To: []string{to}}
}

func many(name, table, from, to string) query.Relation {
	return query.Relation{Name: name, Label: name, Table: table, From: []string{from}, To: []string{to}, Many: true}
}

func cascade(r query.Relation) query.Relation {
	r.Cascade = true
	return r
}

func at(text string) query.Value {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil
	}
	return t.UTC()
}

func sampleRows() map[string][]query.Row {
	customer := func(id int64, name string, email, region, parent, credit, score, active, born, seen, profile query.Value) query.Row {
		return query.Row{"id": id, "name": name, "email": email, "region_code": region, "parent_id": parent, "credit": credit,
			"score": score, "active": active, "born": born, "seen": seen, "profile": profile}
	}
	order := func(id, customer int64, status, total, placed query.Value) query.Row {
		return query.Row{"id": id, "customer_id": customer, "status": status, "total": total, "placed": placed, "revision": int64(1)}
	}
	line := func(order, n int64, article string, quantity, price query.Value) query.Row {
		return query.Row{"order_id": order, "line": n, "article": article, "quantity": quantity, "price": price}
	}
	return map[string][]query.Row{
		"regions": {
			{"code": "N", "name": "North"}, {"code": "S", "name": "South"}, {"code": "n", "name": "Élan 50%_x"}},
		"customers": {
			customer(1, "Ærlig AS", "post@aerlig.example", "N", nil, query.Decimal("100.10"), int64(7), true, query.Day("1990-01-31"), at("2026-01-31T23:30:00Z"), query.Doc(`{"tier":"gold","points":12.50,"tags":["a","b"],"vip":true}`)),
			customer(2, "beta", nil, "S", int64(1), query.Decimal("0.30"), int64(-9223372036854775808), false, query.Day("2000-02-29"), at("2026-03-29T01:30:00Z"), query.Doc(`{"tier":null,"points":"12","tags":[]}`)),
			customer(3, "Beta", "BETA@EXAMPLE.COM", "n", int64(1), nil, int64(9223372036854775807), nil, nil, nil, nil),
			customer(4, "straße 50%", "", nil, int64(3), query.Decimal("-5.00"), nil, true, query.Day("0001-01-01"), at("1969-12-31T23:59:59Z"), query.Doc(`[1,{"x":2}]`)),
			customer(5, "", "x@example.com", "S", int64(5), query.Decimal("100.10"), int64(7), false, query.Day("9999-12-31"), at("2026-07-01T12:00:00Z"), query.Doc(`"text"`)),
			customer(6, "it's \"quoted\"; DROP TABLE customers --", "y@example.com", "N", nil, query.Decimal("99999999999.99"), int64(0), nil, nil, at("2026-07-01T12:00:00Z"), query.Doc(`{}`))},
		"orders": {
			order(10, 1, "open", query.Decimal("0.10"), at("2026-01-01T00:00:00Z")), order(11, 1, "paid", query.Decimal("0.20"), at("2026-02-01T10:00:00Z")),
			order(12, 2, "it's void", nil, nil), order(13, 3, "open", query.Decimal("1234567.89"), at("2025-12-31T23:59:59Z")),
			order(14, 1, nil, query.Decimal("-7.00"), at("2026-02-28T12:00:00Z"))},
		"lines": {
			line(10, 1, "bolt", int64(3), query.Decimal("0.03")), line(10, 2, "nut", int64(1), query.Decimal("0.01")),
			line(11, 1, "bolt", nil, query.Decimal("0.10")), line(13, 1, "engine", int64(2), query.Decimal("617283.95")),
			line(13, 2, "bolt", int64(9), nil)},
		"events": {
			{"happened": at("2026-01-01T08:00:00Z"), "note": "start"}, {"happened": nil, "note": nil}, {"happened": at("2026-01-02T08:00:00Z"), "note": "stop"}},
	}
}
