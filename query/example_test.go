package query_test

import (
	"context"
	"fmt"
	"time"

	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
)

// An expression is parsed once, checked against what somebody may see, restricted by the rules of the tables it reaches, and run.
func Example() {
	tables := querytest.Tables{
		{Name: "customers", Fields: []query.Field{{Name: "id", Type: query.Int}, {Name: "name", Type: query.String}},
			Relations: []query.Relation{{Name: "orders", Table: "orders", From: []string{"id"}, To: []string{"customer_id"}, Many: true}}},
		{Name: "orders", Fields: []query.Field{{Name: "customer_id", Type: query.Int}, {Name: "total", Type: query.Dec}, {Name: "draft", Type: query.Bool}}},
	}
	rows := querytest.Rows{
		"customers": {{"id": int64(1), "name": "Acme"}, {"id": int64(2), "name": "Bolt"}},
		"orders":    {{"customer_id": int64(1), "total": query.Decimal("150.00"), "draft": true}, {"customer_id": int64(2), "total": query.Decimal("120.50")}},
	}
	condition := func(table, text string) query.Expr {
		src, err := query.Parse(text)
		if err != nil {
			panic(err)
		}
		e, err := query.Condition(context.Background(), query.Env{Catalog: tables, Table: table, Now: time.Now()}, src)
		if err != nil {
			panic(err)
		}
		return e
	}
	rule := condition("orders", `!draft`)
	where := query.Restrict(condition("customers", `orders.exists(o, o.total > 100)`), func(table string) query.Expr {
		if table == "orders" {
			return rule
		}
		return nil
	})
	for _, row := range rows["customers"] {
		if query.Truth(query.Eval(where, row, rows.Data)) {
			fmt.Println(row["name"])
		}
	}
	src, _ := query.Parse(`nme == "Acme"`)
	_, err := query.Condition(context.Background(), query.Env{Catalog: tables, Table: "customers"}, src)
	fmt.Println(err)
	// Output:
	// Bolt
	// column 1: no field `nme`; near: name
}
