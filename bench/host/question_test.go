package host

import (
	"fmt"
	"strings"
	"time"
)

// The shop: 500 customers and 24,000 orders, of which 20,000 are of the north. Totals have two digits after the point; SQLite keeps them as floats.
const (
	sqliteShop = `CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, region TEXT NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INT REFERENCES customers, region TEXT NOT NULL, status TEXT, quantity INT, total NUMERIC(12,2), placed TIMESTAMP);
CREATE INDEX orders_customer ON orders (customer_id);
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 500) INSERT INTO customers SELECT i, 'Customer ' || i, iif(i % 100, 'north', 'south') FROM c;
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 24000) INSERT INTO orders SELECT i, 1 + i % 400, iif(i % 6, 'north', 'south'), iif(i % 17, substr('newopenpaidsentback', 1 + i % 5 * 4, 4), NULL), 1 + i % 9, (i * 7919 % 1000000) / 100.0, datetime('2024-01-01', '+' || (i * 41) || ' minutes') FROM c;
ANALYZE`
	postgresShop = `CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, region text NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers, region text NOT NULL, status text, quantity int, total numeric(12,2), placed timestamptz);
CREATE INDEX orders_customer ON orders (customer_id);
INSERT INTO customers SELECT i, 'Customer ' || i, CASE WHEN i % 100 > 0 THEN 'north' ELSE 'south' END FROM generate_series(1, 500) i;
INSERT INTO orders SELECT i, 1 + i % 400, CASE WHEN i % 6 > 0 THEN 'north' ELSE 'south' END, CASE WHEN i % 17 > 0 THEN substr('newopenpaidsentback', 1 + i % 5 * 4, 4) END, 1 + i % 9, (i::bigint * 7919 % 1000000) / 100.0, timestamptz '2024-01-01Z' + i * 41 * interval '1 minute' FROM generate_series(1, 24000) i;
VACUUM ANALYZE`
	mariaShop = `CREATE TABLE customers (id int PRIMARY KEY, name varchar(80) NOT NULL, region varchar(20) NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers (id), region varchar(20) NOT NULL, status varchar(20), quantity int, total decimal(12,2), placed datetime, KEY (customer_id));
INSERT INTO customers SELECT seq, CONCAT('Customer ', seq), IF(seq % 100, 'north', 'south') FROM seq_1_to_500;
INSERT INTO orders SELECT seq, 1 + seq % 400, IF(seq % 6, 'north', 'south'), IF(seq % 17, SUBSTR('newopenpaidsentback', 1 + seq % 5 * 4, 4), NULL), 1 + seq % 9, (seq * 7919 % 1000000) / 100.0, '2024-01-01' + INTERVAL (seq * 41) MINUTE FROM seq_1_to_24000;
ANALYZE TABLE customers, orders`
)

// question is asked through a tool, and directly as somebody who knows SQL and the shop would write it. naive is what they would write first,
// where that is not exact.
type question struct {
	name, tool, arguments string
	bare, naive           map[string]string
	values                []any // that bare binds, as every program does whose values are not its own
}

// says is a text in which {1}, {2}, {sum}, {month}, {osloMonth}, {label} and {byStatus} stand for what engines write differently.
func says(text string, exact bool) map[string]string {
	out := map[string]string{}
	for engine, words := range map[string][]string{
		"sqlite": {"{money(", "sum(CAST(round(100 * ", ")}", ") AS INTEGER)) / 100.0", "{byStatus}", "status NULLS LAST", "{month}", "strftime('%Y-%m-01', placed)", "{osloMonth}", "strftime('%Y-%m-01', placed, " + offsetCase("'+%d hours'") + ")"},
		"postgres": {"{money(", "sum(", ")}", ")", "{byStatus}", "status NULLS LAST", "{month}", "date_trunc('month', placed AT TIME ZONE 'UTC')::date::text",
			"{osloMonth}", "date_trunc('month', placed AT TIME ZONE 'Europe/Oslo')::date::text"},
		"mariadb": {"{money(", "sum(", ")}", ")", "{byStatus}", "status IS NULL, status", "{month}", "DATE_FORMAT(placed, '%Y-%m-01')", "{osloMonth}", "DATE_FORMAT(placed + INTERVAL " + offsetCase("%d") + " HOUR, '%Y-%m-01')"},
	} {
		if engine == "sqlite" && !exact {
			words = append([]string{"{money(", "sum(", ")}", ")"}, words[4:]...)
		}
		marks := []string{"{1}", "?", "{2}", "?"}
		if engine == "postgres" {
			marks = []string{"{1}", "$1", "{2}", "$2"}
		}
		out[engine] = strings.NewReplacer(append(words, marks...)...).Replace(text)
	}
	return out
}

// offsetCase is Oslo's offset from UTC in the years of the shop: SQLite has no zones, MariaDB has them only where somebody has loaded them.
func offsetCase(form string) string {
	zone, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		panic(err)
	}
	text := "CASE"
	for at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2026; {
		_, end := at.In(zone).ZoneBounds()
		_, offset := at.In(zone).Zone()
		text += fmt.Sprintf(" WHEN placed < '%s' THEN "+form, end.UTC().Format("2006-01-02 15:04:05"), offset/3600)
		at = end.UTC()
	}
	return text + " END"
}

func analyses() []question {
	return []question{
		{"count by text", "analyze_records", `{"table":"orders","group_by":["status"],"measures":[{"as":"n","expr":"count()"}]}`,
			says(`SELECT status, count(*) FROM orders WHERE region = 'north' GROUP BY status ORDER BY {byStatus}`, true), nil, nil},
		{"sum by key with labels", "analyze_records", `{"table":"orders","group_by":["customer_id"],"measures":[{"as":"revenue","expr":"sum(total)"}],"order_by":["revenue desc"]}`,
			says(`SELECT o.customer_id, max(c.name), {money(total)} AS revenue FROM orders o LEFT JOIN customers c ON c.id = o.customer_id AND c.region = 'north' WHERE o.region = 'north' GROUP BY o.customer_id ORDER BY revenue DESC, o.customer_id LIMIT 100`, true),
			says(`SELECT o.customer_id, max(c.name), {money(total)} AS revenue FROM orders o LEFT JOIN customers c ON c.id = o.customer_id AND c.region = 'north' WHERE o.region = 'north' GROUP BY o.customer_id ORDER BY revenue DESC, o.customer_id LIMIT 100`, false), nil},
		{"month in UTC", "analyze_records", `{"table":"orders","group_by":["month(placed)UTC"],"measures":[{"as":"n","expr":"count()"},{"as":"revenue","expr":"sum(total)"}]}`,
			says(`SELECT {month} AS m, count(*), {money(total)} FROM orders WHERE region = 'north' GROUP BY m ORDER BY m`, true), says(`SELECT {month} AS m, count(*), {money(total)} FROM orders WHERE region = 'north' GROUP BY m ORDER BY m`, false), nil},
		{"month in Oslo", "analyze_records", `{"table":"orders","group_by":["month(placed)"],"measures":[{"as":"n","expr":"count()"},{"as":"revenue","expr":"sum(total)"}]}`,
			says(`SELECT {osloMonth} AS m, count(*), {money(total)} FROM orders WHERE region = 'north' GROUP BY m ORDER BY m`, true), says(`SELECT {osloMonth} AS m, count(*), {money(total)} FROM orders WHERE region = 'north' GROUP BY m ORDER BY m`, false), nil},
		{"share", "analyze_records", `{"table":"orders","group_by":["quantity"],"measures":[{"as":"n","expr":"count()"},{"as":"paid","expr":"round(100 * sum_if(total, status == \"paid\") / sum(total), 2)"}]}`,
			says(`SELECT quantity, count(*), round(100.0 * {money(CASE WHEN status = 'paid' THEN total END)} / {money(total)}, 2) FROM orders WHERE region = 'north' GROUP BY quantity ORDER BY quantity`, true),
			says(`SELECT quantity, count(*), round(100.0 * {money(CASE WHEN status = 'paid' THEN total END)} / {money(total)}, 2) FROM orders WHERE region = 'north' GROUP BY quantity ORDER BY quantity`, false), nil},
		{"having and order", "analyze_records", `{"table":"orders","group_by":["customer_id"],"measures":[{"as":"n","expr":"count()"},{"as":"mean","expr":"round(avg(total), 2)"}],"having":"sum(total) > 300000","order_by":["sum(total) desc"],"limit":10}`,
			says(`SELECT o.customer_id, max(c.name), count(*), round({money(total)} * 1.0 / count(total), 2) FROM orders o LEFT JOIN customers c ON c.id = o.customer_id AND c.region = 'north' WHERE o.region = 'north' GROUP BY o.customer_id HAVING {money(total)} > 300000 ORDER BY {money(total)} DESC, o.customer_id LIMIT 10`, true), nil, nil},
		{"sum of products", "analyze_records", `{"table":"orders","group_by":["status"],"measures":[{"as":"value","expr":"sum(quantity * total)"}]}`,
			says(`SELECT status, {money(quantity * total)} FROM orders WHERE region = 'north' GROUP BY status ORDER BY {byStatus}`, true), nil, nil},
	}
}

func lists() []question {
	return []question{{"50 by an index", "query_records", `{"table":"orders","where":"customer_id == 77","limit":50}`,
		says(`SELECT o.id, o.customer_id, c.name, o.region, o.status, o.quantity, o.total FROM orders o LEFT JOIN customers c ON c.id = o.customer_id AND c.region = 'north' WHERE o.region = {1} AND o.customer_id = {2} ORDER BY o.id LIMIT 50`, true), nil, []any{"north", 77}}}
}
