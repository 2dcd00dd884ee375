package query_test

import (
	"context"
	"testing"
	"time"

	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
)

func fields(list ...query.Field) []query.Field { return list }

func field(name string, t query.Type) query.Field { return query.Field{Name: name, Type: t} }

func parent(name, from, table, to string) query.Relation {
	return query.Relation{Name: name, Table: table, From: []string{from}, To: []string{to}}
}

func children(name, table, to string) query.Relation {
	return query.Relation{Name: name, Table: table, From: []string{"id"}, To: []string{to}, Many: true}
}

// shop is the catalog of the tests.
func shop() querytest.Tables {
	status := query.Field{Name: "status", Type: query.String, Values: []string{"Active", "Closed", "On hold"}}
	return querytest.Tables{
		{Name: "employees", Key: []string{"id"}, Fields: fields(field("id", query.Int), field("name", query.String), field("reports_to", query.Int)),
			Relations: []query.Relation{parent("reports_to", "reports_to", "employees", "id"), children("employees_by_reports_to", "employees", "reports_to"),
				children("customers", "customers", "support_rep_id")}},
		{Name: "customers", Key: []string{"id"}, Fields: fields(field("id", query.Int), field("name", query.String), status, field("country", query.String),
			field("balance", query.Dec), field("active", query.Bool), field("born", query.Date), field("created_at", query.Timestamp), field("data", query.JSON),
			query.Field{Name: "token", Type: query.String, Secret: true}, field("support_rep_id", query.Int), field("code", query.String)),
			Relations: []query.Relation{parent("support_rep", "support_rep_id", "employees", "id"), children("orders", "orders", "customer_id")}},
		{Name: "orders", Key: []string{"id"}, Fields: fields(field("id", query.Int), field("customer_id", query.Int), field("total", query.Dec), field("quantity", query.Int),
			field("ordered_at", query.Timestamp), field("shipped_on", query.Date)),
			Relations: []query.Relation{parent("customer", "customer_id", "customers", "id"), children("order_lines", "order_lines", "order_id"),
				parent("ghost", "customer_id", "hidden", "id")}},
		{Name: "order_lines", Key: []string{"order_id", "line"}, Fields: fields(field("order_id", query.Int), field("line", query.Int), field("product", query.String),
			field("quantity", query.Int), field("price", query.Dec)),
			Relations: []query.Relation{parent("order", "order_id", "orders", "id")}},
	}
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return v.UTC()
}

func rows(t testing.TB) querytest.Rows {
	return querytest.Rows{
		"employees": {
			{"id": int64(1), "name": "Ada", "reports_to": nil},
			{"id": int64(2), "name": "Bob", "reports_to": int64(1)},
		},
		"customers": {
			{"id": int64(1), "name": "Ærlig AS", "status": "Active", "country": "NO", "balance": query.Decimal("100.10"), "active": true,
				"born": query.Day("2000-02-29"), "created_at": at(t, "2026-01-31T23:30:00Z"), "token": "secret", "support_rep_id": int64(2), "code": " 12.50 ",
				"data": query.Doc(`{"address":{"city":"Oslo"},"items":[{"name":"x","n":3}],"odd key":{"x":true},"n":1.50,"due":"2026-02-01","nil":null,"t":"7"}`)},
			{"id": int64(2), "name": "Beta", "status": "Closed", "country": nil, "active": nil, "support_rep_id": nil},
		},
		"orders": {
			{"id": int64(1), "customer_id": int64(1), "total": query.Decimal("10.10"), "quantity": int64(2), "ordered_at": at(t, "2026-01-01T00:30:00Z"),
				"shipped_on": query.Day("2026-01-05")},
			{"id": int64(2), "customer_id": int64(1), "total": query.Decimal("0.20"), "quantity": int64(3), "ordered_at": at(t, "2026-03-29T12:00:00Z")},
			{"id": int64(3), "customer_id": int64(1), "total": nil, "quantity": nil},
			{"id": int64(4), "customer_id": nil, "total": query.Decimal("5"), "quantity": int64(1)},
		},
		"order_lines": {
			{"order_id": int64(1), "line": int64(1), "product": "nut", "quantity": int64(2), "price": query.Decimal("5.05")},
			{"order_id": int64(2), "line": int64(1), "product": "bolt", "quantity": int64(2), "price": query.Decimal("0.10")},
		},
	}
}

func oslo(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Skip("no zone data:", err)
	}
	return zone
}

func env(t testing.TB, table string) query.Env {
	return query.Env{Catalog: shop(), Table: table, Params: []string{"person"}, Now: at(t, "2026-02-10T22:30:00Z"), Zone: oslo(t),
		Label: func(_ context.Context, rel query.Relation, text string) ([]query.Candidate, error) {
			switch text {
			case "Ada":
				return []query.Candidate{{Key: "1", Label: "Ada"}}, nil
			case "B":
				return []query.Candidate{{Key: "2", Label: "Bob"}, {Key: "3", Label: "Ben"}}, nil
			}
			return nil, nil
		}}
}

func check(t testing.TB, env query.Env, text string) query.Expr {
	t.Helper()
	src, err := query.Parse(text)
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	e, err := query.Check(context.Background(), env, src)
	if err != nil {
		t.Fatalf("Check(%s): %v", text, err)
	}
	return e
}
