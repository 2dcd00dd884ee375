package sqldb_test

import (
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/query"
)

// BenchmarkQuestions asks a database of 20,000 order lines.
func BenchmarkQuestions(b *testing.B) {
	path, _ := create(b, `CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT)`, `CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INT REFERENCES customers, placed DATETIME, status TEXT)`,
		`CREATE TABLE lines (id INTEGER PRIMARY KEY, order_id INT REFERENCES orders, price NUMERIC(10,2), quantity INT)`, `CREATE INDEX l ON lines (order_id)`, `CREATE INDEX o ON orders (customer_id)`,
		`WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 500) INSERT INTO customers SELECT i, 'Customer ' || i, char(65 + i % 26) FROM c`,
		`WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 6000) INSERT INTO orders SELECT i, 1 + i % 500, datetime('2024-01-01', '+' || (i * 3) || ' hours'), iif(i % 3, 'open', 'paid') FROM c`,
		`WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20000) INSERT INTO lines SELECT i, 1 + i % 6000, (i * 7 % 10000) / 100.0, 1 + i % 9 FROM c`)
	benchmarkQuestions(b, open(b, sqldb.Config{URL: "sqlite:" + path}))
}

// BenchmarkPostgresQuestions asks the same of a server.
func BenchmarkPostgresQuestions(b *testing.B) {
	url, _ := createPostgres(b, `CREATE TABLE customers (id int PRIMARY KEY, name text, country text)`, `CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers, placed timestamptz, status text)`,
		`CREATE TABLE lines (id int PRIMARY KEY, order_id int REFERENCES orders, price numeric(10,2), quantity int)`, `CREATE INDEX l ON lines (order_id)`, `CREATE INDEX o ON orders (customer_id)`,
		`INSERT INTO customers SELECT i, 'Customer ' || i, chr(65 + i % 26) FROM generate_series(1, 500) i`,
		`INSERT INTO orders SELECT i, 1 + i % 500, timestamptz '2024-01-01Z' + i * 3 * interval '1 hour', CASE WHEN i % 3 > 0 THEN 'open' ELSE 'paid' END FROM generate_series(1, 6000) i`,
		`INSERT INTO lines SELECT i, 1 + i % 6000, (i * 7 % 10000) / 100.0, 1 + i % 9 FROM generate_series(1, 20000) i`, `ANALYZE`)
	benchmarkQuestions(b, open(b, sqldb.Config{URL: url}))
}

func benchmarkQuestions(b *testing.B, h *sqldb.Host) {
	for _, bb := range []struct{ name, table, where, order, column string }{
		{"key", "orders", "id == 77", "", "customer.name"},
		{"parent", "orders", `customer.country == "B" && status == "open"`, "placed", "customer.name"},
		{"text", "customers", `name.contains("ER 49")`, "name", "country"},
		{"decimals", "lines", `price > 99.5`, "price", "quantity * price"},
		{"children", "customers", `orders.exists(o, o.lines.exists(l, l.price > 99.5))`, "", "orders.sum(o, o.lines.sum(l, l.quantity * l.price))"},
		{"all", "customers", `id == 1`, "", "all.lines.sum(l, l.quantity * l.price)"},
		{"period", "orders", `month(placed) == date("2025-02-01")`, "", "placed"},
	} {
		env := query.Env{Catalog: catalogOf(b, h), Table: bb.table}
		q := query.Query{Table: bb.table, Limit: 100, Where: compile(b, env, bb.where), Select: []query.Column{{As: "x", Expr: compile(b, env, bb.column)}}}
		if bb.order != "" {
			q.Order = []query.Order{{Expr: compile(b, env, bb.order)}}
		}
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				rows, err := h.Query(b.Context(), deputy.Person{}, q)
				if err != nil || len(rows.Rows) == 0 {
					b.Fatal(len(rows.Rows), err)
				}
			}
		})
	}
}
