package offline_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/demo"
)

// business is an assistant over the sample business as of a day.
func business(t testing.TB, adjust ...func(*sqldb.Host, *deputy.Config)) *shop {
	t.Helper()
	path := filepath.Join(t.TempDir(), "business.sqlite")
	if _, err := demo.Create(t.Context(), path, time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	return openAt(t, path, time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC), adjust...)
}

// figure is a question about many records: the view, and the groups and figures by hand-written SQL, in order.
type figure struct{ ask, view, right string }

// figures are asked of the sample business. What is an average or a share may differ by its rounding.
func figures() []figure {
	const (
		country = `FROM invoices i JOIN customers c ON c.id = i.customer_id`
		lines   = `FROM order_lines l JOIN products p ON p.id = l.product_id JOIN categories g ON g.id = p.category_id`
	)
	return []figure{
		// totals and averages
		{"what is the total of all invoices?", "number", `SELECT sum(total) FROM invoices`},
		{"total of invoices by country", "table", `SELECT country, sum(total) ` + country + ` GROUP BY 1 ORDER BY 2 DESC`},
		{"show me the total invoice amount per customer segment", "table", `SELECT segment, sum(total) ` + country + ` GROUP BY 1 ORDER BY 2 DESC`},
		{"what is the average invoice total", "number", `SELECT avg(total) FROM invoices`},
		{"what is the highest invoice total", "number", `SELECT max(total) FROM invoices`},
		{"average ticket age by status", "table", `SELECT status, avg(CAST(julianday('2026-03-10 09:00:00') - julianday(opened_at) AS INTEGER)) FROM tickets GROUP BY 1 ORDER BY 2 DESC`},
		{"what's the average age of open tickets?", "number", `SELECT avg(CAST(julianday('2026-03-10 09:00:00') - julianday(opened_at) AS INTEGER)) FROM tickets WHERE status = 'open'`},
		{"how old are open tickets on average", "number", `SELECT avg(CAST(julianday('2026-03-10 09:00:00') - julianday(opened_at) AS INTEGER)) FROM tickets WHERE status = 'open'`},
		{"average salary by department", "table", `SELECT department, avg(salary) FROM employees GROUP BY 1 ORDER BY 2 DESC`},
		{"highest salary per department", "table", `SELECT department, max(salary) FROM employees GROUP BY 1 ORDER BY 2 DESC`},
		{"total stock by category", "table", `SELECT g.name, sum(stock) FROM products p JOIN categories g ON g.id = p.category_id GROUP BY 1 ORDER BY 2 DESC`},
		{"maximum unit price per category", "table", `SELECT g.name, max(unit_price) FROM products p JOIN categories g ON g.id = p.category_id GROUP BY 1 ORDER BY 2 DESC`},
		{"cheapest product per category", "table", `SELECT g.name, min(unit_price) FROM products p JOIN categories g ON g.id = p.category_id GROUP BY 1 ORDER BY 2 DESC`},
		{"average discount of order lines", "number", `SELECT avg(discount) FROM order_lines`},
		{"total payments per method", "table", `SELECT method, sum(amount) FROM payments GROUP BY 1 ORDER BY 2 DESC`},
		{"average number of orders per customer", "number", `SELECT 1.0 * (SELECT count(*) FROM orders) / count(*) FROM customers`},
		{"average number of order lines per order", "number", `SELECT 1.0 * (SELECT count(*) FROM order_lines) / count(*) FROM orders`},
		{"total of paid invoices of customer 12", "number", `SELECT sum(total) FROM invoices WHERE status = 'paid' AND customer_id = 12`},
		{"how much revenue did we make in 2025?", "number", `SELECT sum(total) FROM invoices WHERE issued_on LIKE '2025%'`},
		{"sum of payments in 2025", "number", `SELECT sum(amount) FROM payments WHERE paid_on LIKE '2025%'`},
		{"what is the revenue of customer 12", "number", `SELECT sum(total) FROM invoices WHERE customer_id = 12`},
		{"total revenue from Norway in 2025", "number", `SELECT sum(total) ` + country + ` WHERE country = 'Norway' AND issued_on LIKE '2025%'`},
		{"average number of days to ship an order", "number", `SELECT avg(CAST(julianday(shipped_at) - julianday(ordered_at) AS INTEGER)) FROM orders`},
		{"what is the highest salary", "number", `SELECT max(salary) FROM employees`},

		// counts
		{"breakdown of tickets by priority", "table", `SELECT priority, count(*) FROM tickets GROUP BY 1 ORDER BY 2 DESC`},
		{"tickets broken down by status and priority", "table", `SELECT status, priority, count(*) FROM tickets GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`},
		{"tickets by status", "table", `SELECT status, count(*) FROM tickets GROUP BY 1 ORDER BY 2 DESC`},
		{"how many customers are there per country?", "table", `SELECT country, count(*) FROM customers GROUP BY 1 ORDER BY 2 DESC`},
		{"number of open tickets per employee", "table", `SELECT first_name || ' ' || last_name, count(*) FROM tickets LEFT JOIN employees e ON e.id = employee_id WHERE status = 'open' GROUP BY employee_id ORDER BY 2 DESC, employee_id`},
		{"how many tickets does each employee have", "table", `SELECT first_name || ' ' || last_name, count(*) FROM tickets LEFT JOIN employees e ON e.id = employee_id GROUP BY employee_id ORDER BY 2 DESC, employee_id`},
		{"invoices over 5000 per country", "table", `SELECT country, count(*) ` + country + ` WHERE total > 5000 GROUP BY 1 ORDER BY 2 DESC`},

		// over time
		{"monthly revenue", "table", `SELECT strftime('%Y-%m-01', issued_on), sum(total) FROM invoices GROUP BY 1 ORDER BY 1`},
		{"revenue by month", "table", `SELECT strftime('%Y-%m-01', issued_on), sum(total) FROM invoices GROUP BY 1 ORDER BY 1`},
		{"total revenue by quarter in 2025", "table", `SELECT printf('2025-%02d-01', (strftime('%m', issued_on) - 1) / 3 * 3 + 1), sum(total) FROM invoices WHERE issued_on LIKE '2025%' GROUP BY 1 ORDER BY 1`},
		{"invoices by year", "table", `SELECT strftime('%Y-01-01', issued_on), count(*) FROM invoices GROUP BY 1 ORDER BY 1`},
		{"how many orders were placed per month in 2025", "table", `SELECT strftime('%Y-%m-01', ordered_at), count(*) FROM orders WHERE ordered_at LIKE '2025%' GROUP BY 1 ORDER BY 1`},
		{"tickets closed per month", "table", `SELECT strftime('%Y-%m-01', closed_at), count(*) FROM tickets WHERE closed_at IS NOT NULL GROUP BY 1 ORDER BY 1`},
		{"tickets closed per week this year", "table", `SELECT date(closed_at, 'weekday 0', '-6 days'), count(*) FROM tickets WHERE closed_at >= '2026-01-01' GROUP BY 1 ORDER BY 1`},
		{"tickets by weekday", "table", `SELECT 1 + (strftime('%w', opened_at) + 6) % 7, count(*) FROM tickets GROUP BY 1 ORDER BY 1`},
		{"average time to close tickets by priority", "table", `SELECT priority, avg(CAST(julianday(closed_at) - julianday(opened_at) AS INTEGER)) FROM tickets WHERE closed_at IS NOT NULL GROUP BY 1 ORDER BY 2 DESC`},

		// the first ones
		{"top 5 customers by invoice total", "table", `SELECT c.name, sum(total) ` + country + ` GROUP BY c.id ORDER BY 2 DESC LIMIT 5`},
		{"top ten customers by revenue", "table", `SELECT c.name, sum(total) ` + country + ` GROUP BY c.id ORDER BY 2 DESC LIMIT 10`},
		{"top 10 products by quantity", "table", `SELECT p.name, sum(quantity) ` + lines + ` GROUP BY p.id ORDER BY 2 DESC, p.id LIMIT 10`},
		{"top 5 selling products", "table", `SELECT p.name, sum(quantity) ` + lines + ` GROUP BY p.id ORDER BY 2 DESC, p.id LIMIT 5`},
		{"best selling products", "table", `SELECT p.name, sum(quantity) ` + lines + ` GROUP BY p.id ORDER BY 2 DESC, p.id LIMIT 10`},
		{"top 3 countries by number of customers", "table", `SELECT country, count(*) FROM customers GROUP BY 1 ORDER BY 2 DESC LIMIT 3`},
		{"bottom 3 countries by customers", "table", `SELECT country, count(*) FROM customers GROUP BY 1 ORDER BY 2 LIMIT 3`},
		{"the 5 customers with the most orders", "table", `SELECT c.name, count(*) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY c.id ORDER BY 2 DESC, c.id LIMIT 5`},
		{"which customer has the most invoices", "table", `SELECT c.name, count(*) ` + country + ` GROUP BY c.id ORDER BY 2 DESC, c.id LIMIT 1`},
		{"which country has the highest average invoice total", "table", `SELECT country, avg(total) ` + country + ` GROUP BY 1 ORDER BY 2 DESC LIMIT 1`},
		{"which month had the most orders", "table", `SELECT strftime('%Y-%m-01', ordered_at), count(*) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 1`},
		{"which weekday has the most orders", "table", `SELECT 1 + (strftime('%w', ordered_at) + 6) % 7, count(*) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 1`},
		{"who has the most open tickets", "table", `SELECT first_name || ' ' || last_name, count(*) FROM tickets JOIN employees e ON e.id = employee_id WHERE status = 'open' GROUP BY e.id ORDER BY 2 DESC LIMIT 1`},
		{"which customer spent the most", "table", `SELECT c.name, sum(total) ` + country + ` GROUP BY c.id ORDER BY 2 DESC LIMIT 1`},
		{"which employee has the fewest open tickets", "record", `SELECT first_name, last_name, (SELECT count(*) FROM tickets WHERE employee_id = e.id AND status = 'open') FROM employees e ORDER BY 3, id LIMIT 1`},

		// what groups must have
		{"countries with more than 100 customers", "table", `SELECT country, count(*) FROM customers GROUP BY 1 HAVING count(*) > 100 ORDER BY 2 DESC`},
		{"segments with at least 87 customers", "table", `SELECT segment, count(*) FROM customers GROUP BY 1 HAVING count(*) >= 87 ORDER BY 2 DESC`},
		{"how many customers have more than 3 open tickets", "number", `SELECT count(*) FROM customers c WHERE (SELECT count(*) FROM tickets WHERE customer_id = c.id AND status = 'open') > 3`},
		{"how many customers have more than 1 urgent ticket", "number", `SELECT count(*) FROM customers c WHERE (SELECT count(*) FROM tickets WHERE customer_id = c.id AND priority = 'urgent') > 1`},
		{"how many customers have invoice total over 50000", "number", `SELECT count(*) FROM customers c WHERE (SELECT sum(total) FROM invoices WHERE customer_id = c.id) > 50000`},

		// shares
		{"share of tickets per status", "table", `SELECT status, count(*), 100.0 * count(*) / (SELECT count(*) FROM tickets) FROM tickets GROUP BY 1 ORDER BY 2 DESC`},
		{"what percentage of invoices is unpaid", "number", `SELECT count(*) FILTER (WHERE status <> 'paid'), count(*), 100.0 * count(*) FILTER (WHERE status <> 'paid') / count(*) FROM invoices`},
		{"what percentage of customers are in Norway", "number", `SELECT count(*) FILTER (WHERE country = 'Norway'), count(*), 100.0 * count(*) FILTER (WHERE country = 'Norway') / count(*) FROM customers`},
		{"what percent of open tickets are urgent", "number", `SELECT count(*) FILTER (WHERE priority = 'urgent'), count(*), 100.0 * count(*) FILTER (WHERE priority = 'urgent') / count(*) FROM tickets WHERE status = 'open'`},
		{"what percentage of orders was cancelled in 2025", "number", `SELECT count(*) FILTER (WHERE status = 'cancelled'), count(*), 100.0 * count(*) FILTER (WHERE status = 'cancelled') / count(*) FROM orders WHERE ordered_at LIKE '2025%'`},
		{"share of unpaid invoices per country", "table", `SELECT country, count(*) FILTER (WHERE status <> 'paid'), count(*), 100.0 * count(*) FILTER (WHERE status <> 'paid') / count(*) s ` + country + ` GROUP BY 1 ORDER BY round(s, 1) DESC, 1`},
		{"share of returned order lines per category", "table", `SELECT g.name, sum(returned), count(*), 100.0 * sum(returned) / count(*) s ` + lines + ` GROUP BY g.id ORDER BY round(s, 1) DESC, g.id`},
		{"share of invoices per status this year", "table", `SELECT status, count(*), 100.0 * count(*) / (SELECT count(*) FROM invoices WHERE issued_on >= '2026-01-01') FROM invoices WHERE issued_on >= '2026-01-01' GROUP BY 1 ORDER BY 2 DESC`},
		{"share of revenue per country in 2025", "table", `SELECT country, sum(total), 100.0 * sum(total) / (SELECT sum(total) FROM invoices WHERE issued_on LIKE '2025%') ` + country + ` WHERE issued_on LIKE '2025%' GROUP BY 1 ORDER BY 2 DESC`},
		{"which country has the highest share of unpaid invoices", "table", `SELECT country, count(*) FILTER (WHERE status <> 'paid'), count(*), 100.0 * count(*) FILTER (WHERE status <> 'paid') / count(*) s ` + country + ` GROUP BY 1 ORDER BY s DESC LIMIT 1`},
		{"what percentage of our revenue comes from Norway", "number", `SELECT sum(total) FILTER (WHERE country = 'Norway'), sum(total), 100.0 * sum(total) FILTER (WHERE country = 'Norway') / sum(total) ` + country},

		// charts
		{"number of customers by segment as a bar chart", "bar", `SELECT segment, count(*) FROM customers GROUP BY 1 ORDER BY 2 DESC`},
		{"pie chart of tickets by priority", "pie", `SELECT priority, count(*) FROM tickets GROUP BY 1 ORDER BY 2 DESC`},
		{"customers per country as a pie", "pie", `SELECT country, count(*) FROM customers GROUP BY 1 ORDER BY 2 DESC`},
		{"orders by month as a line chart", "line", `SELECT strftime('%Y-%m-01', ordered_at), count(*) FROM orders GROUP BY 1 ORDER BY 1`},
		{"plot invoices per month", "line", `SELECT strftime('%Y-%m-01', issued_on), count(*) FROM invoices GROUP BY 1 ORDER BY 1`},
		{"draw a line chart of revenue by month in 2025", "line", `SELECT strftime('%Y-%m-01', issued_on), sum(total) FROM invoices WHERE issued_on LIKE '2025%' GROUP BY 1 ORDER BY 1`},
		{"top 5 customers by invoice total as a chart", "bar", `SELECT c.name, sum(total) ` + country + ` GROUP BY c.id ORDER BY 2 DESC LIMIT 5`},

		// side by side
		{"invoices in 2025 compared to 2024", "table", `SELECT a, b, 100.0 * (a - b) / b FROM (SELECT sum(issued_on LIKE '2025%') a, sum(issued_on LIKE '2024%') b FROM invoices)`},
		{"compare revenue in 2025 and 2024", "table", `SELECT a, b, 100.0 * (a - b) / b FROM (SELECT sum(total) FILTER (WHERE issued_on LIKE '2025%') a, sum(total) FILTER (WHERE issued_on LIKE '2024%') b FROM invoices)`},
		{"number of tickets this month vs last month", "table", `SELECT a, b, 100.0 * (a - b) / b FROM (SELECT sum(opened_at LIKE '2026-03%') a, sum(opened_at LIKE '2026-02%') b FROM tickets)`},
		{"difference between orders in May 2025 and June 2025", "table", `SELECT a, b, 100.0 * (b - a) / a FROM (SELECT sum(ordered_at LIKE '2025-05%') a, sum(ordered_at LIKE '2025-06%') b FROM orders)`},
	}
}

// TestFigures asks for figures over the sample business. What is shown is what the database says, and no number in the answer is another.
func TestFigures(t *testing.T) {
	t.Parallel()
	s := business(t)
	for _, c := range figures() {
		t.Run(c.ask, func(t *testing.T) {
			t.Parallel()
			h := s.ask(t, "", c.ask)
			if len(h.failed) > 0 || len(h.displays) != 1 || len(h.proposals) > 0 {
				t.Fatalf("%q: failed %q, %d displays, %d proposals; calls\n%s", h.text, h.failed, len(h.displays), len(h.proposals), said(h))
			}
			view, columns, rows := h.shown(t)
			right := s.rows(t, c.right)
			if view != c.view || len(rows) != min(len(right), 100) {
				t.Fatalf("a %s of %d rows; want a %s of %d; calls\n%s", view, len(rows), c.view, len(right), said(h))
			}
			for i, row := range rows {
				if !same(columns, row, right[i]) {
					t.Errorf("row %d: %q, want %q (%s)\n%s", i, row, right[i], columns, said(h))
				}
			}
			h.invents(t, c.ask, rows)
		})
	}
}

// shown is the view that a person got, with the rows behind it.
func (h heard) shown(t testing.TB) (view string, columns []string, rows [][]string) {
	t.Helper()
	var display struct {
		View   string
		CallID string `json:"call_id"`
	}
	for _, c := range h.calls {
		if c.Tool == "present_results" {
			if err := json.Unmarshal(c.Arguments, &display); err != nil {
				t.Fatal(err)
			}
		}
	}
	text := h.results[display.CallID]
	if !strings.Contains(text, "{") {
		t.Fatalf("nothing is shown: %q\n%s", h.text, said(h))
	}
	var body struct {
		Columns []struct{ Name string }
		Rows    [][]any
	}
	d := json.NewDecoder(strings.NewReader(text[strings.IndexByte(text, '{'):]))
	d.UseNumber()
	if err := d.Decode(&body); err != nil {
		t.Fatal(err, text)
	}
	for _, c := range body.Columns {
		columns = append(columns, c.Name)
	}
	for _, row := range body.Rows {
		var cells []string
		for _, v := range row {
			cells = append(cells, cell(v))
		}
		rows = append(rows, cells)
	}
	return display.View, columns, rows
}

func cell(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// rows are what the database says.
func (s *shop) rows(t testing.TB, query string) (out [][]string) {
	t.Helper()
	rows, err := s.db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(query, err)
	}
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		cells := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := make([]string, len(columns))
		for i, c := range cells {
			row[i] = c.String
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// same says whether a row has the cells that are right, in order; ids stand between them.
func same(columns, row, right []string) bool {
	at := 0
	for i, v := range row {
		if at < len(right) && alike(v, right[at]) && (columns[i] != "id" && !slices.Contains(columns, columns[i]+".label")) {
			at++
		}
	}
	return at == len(right)
}

func alike(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	if err1 != nil || err2 != nil {
		return a == b
	}
	return math.Abs(x-y) <= 0.0501
}

var digits = regexp.MustCompile(`\d[\d.]*\d|\d`)

// invents holds an answer to the rows: each number in it is in a row or in the question, or counts the rows.
func (h heard) invents(t testing.TB, ask string, rows [][]string) {
	t.Helper()
	known := ask + fmt.Sprint(" ", len(rows), " ", len(rows)-5, " ", rows)
	for _, n := range digits.FindAllString(h.text, -1) {
		if !strings.Contains(known, strings.TrimSuffix(n, ".")) && !strings.Contains(h.text, " Q"+n) {
			t.Errorf("%q: where does %s come from? rows %q", h.text, n, rows)
		}
	}
	if len(rows) > 0 && len(rows[0]) > 0 && !strings.Contains(h.text, rows[0][len(rows[0])-1]) {
		t.Errorf("%q does not say %q", h.text, rows[0][len(rows[0])-1])
	}
}

// TestFiguresGoOn goes on with a conversation about figures.
func TestFiguresGoOn(t *testing.T) {
	t.Parallel()
	s := business(t)
	const country = `FROM invoices i JOIN customers c ON c.id = i.customer_id`
	talk := ""
	for _, c := range []figure{
		{"total of invoices by country", "table", `SELECT country, sum(total) ` + country + ` GROUP BY 1 ORDER BY 2 DESC`},
		{"and by month?", "table", `SELECT strftime('%Y-%m-01', issued_on), sum(total) FROM invoices GROUP BY 1 ORDER BY 1`},
		{"and in 2025", "table", `SELECT strftime('%Y-%m-01', issued_on), sum(total) FROM invoices WHERE issued_on LIKE '2025%' GROUP BY 1 ORDER BY 1`},
		{"only paid ones", "table", `SELECT strftime('%Y-%m-01', issued_on), sum(total) FROM invoices WHERE issued_on LIKE '2025%' AND status = 'paid' GROUP BY 1 ORDER BY 1`},
		{"what about 2024?", "table", `SELECT strftime('%Y-%m-01', issued_on), sum(total) FROM invoices WHERE issued_on LIKE '2024%' AND status = 'paid' GROUP BY 1 ORDER BY 1`},
		{"now per customer segment as a pie", "pie", `SELECT segment, sum(total) ` + country + ` WHERE issued_on LIKE '2024%' AND status = 'paid' GROUP BY 1 ORDER BY 2 DESC`},
		{"show it as a bar chart please", "bar", `SELECT segment, sum(total) ` + country + ` WHERE issued_on LIKE '2024%' AND status = 'paid' GROUP BY 1 ORDER BY 2 DESC`},
		{"how many are there?", "number", `SELECT count(*) FROM invoices WHERE issued_on LIKE '2024%' AND status = 'paid'`},
		{"open tickets", "table", `SELECT subject FROM tickets WHERE status = 'open' ORDER BY id`},
		{"how many per employee", "table", `SELECT first_name || ' ' || last_name, count(*) FROM tickets LEFT JOIN employees e ON e.id = employee_id WHERE status = 'open' GROUP BY employee_id ORDER BY 2 DESC, employee_id`},
		{"average age", "number", `SELECT avg(CAST(julianday('2026-03-10 09:00:00') - julianday(opened_at) AS INTEGER)) FROM tickets`},
		{"average invoice total", "number", `SELECT avg(total) FROM invoices`},
		{"and in 2025?", "number", `SELECT avg(total) FROM invoices WHERE issued_on LIKE '2025%'`},
		{"and in Norway?", "number", `SELECT avg(total) ` + country + ` WHERE issued_on LIKE '2025%' AND country = 'Norway'`},
	} {
		h := s.ask(t, talk, c.ask)
		talk = h.conversation
		view, columns, rows := h.shown(t)
		right := s.rows(t, c.right)
		if view != c.view || len(rows) != len(right) || len(h.failed) > 0 {
			t.Fatalf("%q: a %s of %d rows; want a %s of %d: %q\n%s", c.ask, view, len(rows), c.view, len(right), h.text, said(h))
		}
		for i, row := range rows {
			if !same(columns, row, right[i]) {
				t.Errorf("%q: row %d: %q, want %q\n%s", c.ask, i, row, right[i], said(h))
			}
		}
	}
}

// TestLists asks for lists of the sample business in the words of people; how many there are is in the answer.
func TestLists(t *testing.T) {
	t.Parallel()
	s := business(t)
	for _, c := range []struct{ ask, right string }{
		{"high, urgent or low tickets", `SELECT count(*) FROM tickets WHERE priority IN ('high', 'urgent', 'low')`},
		{"tickets with high or urgent priority", `SELECT count(*) FROM tickets WHERE priority IN ('high', 'urgent')`},
		{"open or high tickets", `SELECT count(*) FROM tickets WHERE priority = 'high' OR status = 'open'`},
		{"tickets not open or waiting", `SELECT count(*) FROM tickets WHERE status NOT IN ('open', 'waiting')`},
		{"how many orders came in last week", `SELECT count(*) FROM orders WHERE ordered_at >= '2026-03-02' AND ordered_at < '2026-03-09'`},
		{"tickets assigned to Nils Tveitmo", `SELECT count(*) FROM tickets JOIN employees e ON e.id = employee_id WHERE last_name = 'Tveitmo' AND first_name = 'Nils'`},
		{"products out of stock", `SELECT count(*) FROM products WHERE stock <= 0`},
		{"customers who joined in 2023", `SELECT count(*) FROM customers WHERE since LIKE '2023%'`},
		{"orders in Q1 2025", `SELECT count(*) FROM orders WHERE ordered_at >= '2025-01-01' AND ordered_at < '2025-04-01'`},
		{"orders in the first quarter of 2025", `SELECT count(*) FROM orders WHERE ordered_at >= '2025-01-01' AND ordered_at < '2025-04-01'`},
		{"sort customers by name", `SELECT count(*) FROM customers`},
		{"show all orders of customer 12 sorted by date", `SELECT count(*) FROM orders WHERE customer_id = 12`},
		{"customers with more than 2 urgent tickets", `SELECT count(*) FROM customers c WHERE (SELECT count(*) FROM tickets WHERE customer_id = c.id AND priority = 'urgent') > 2`},
		{"customers with invoice total over 50000", `SELECT count(*) FROM customers c WHERE (SELECT sum(total) FROM invoices WHERE customer_id = c.id) > 50000`},
		{"employees with more than 150 tickets", `SELECT count(*) FROM employees e WHERE (SELECT count(*) FROM tickets WHERE employee_id = e.id) > 150`},
		{"top 5 products by unit price", `SELECT 5`},
		{"the 3 newest tickets", `SELECT 3`},
		{"what is the email of Brandvik Outdoor Group AS", `SELECT email FROM customers WHERE name = 'Brandvik Outdoor Group AS'`},
		{"is customer 12 active", `SELECT CASE active WHEN 1 THEN 'yes' ELSE 'no' END FROM customers WHERE id = 12`},
		{"which product has the most stock", `SELECT stock FROM products ORDER BY stock DESC LIMIT 1`},
		{"employee with the highest salary", `SELECT salary FROM employees ORDER BY salary DESC LIMIT 1`},
		{"cheapest product", `SELECT name FROM products ORDER BY unit_price LIMIT 1`},
	} {
		t.Run(c.ask, func(t *testing.T) {
			t.Parallel()
			h := s.ask(t, "", c.ask)
			right := s.figure(t, c.right)
			told := strings.Contains(" "+h.text, " "+right+" ") || strings.Contains(h.text, " "+right+".") || strings.Contains(h.text, ": "+right+",")
			if !told || len(h.failed) > 0 || len(h.displays) != 1 {
				t.Errorf("%q; right is %s; failed %q, %d displays\n%s", h.text, right, h.failed, len(h.displays), said(h))
			}
		})
	}
}

// TestDocumented asks the examples of the documents.
func TestDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/connect-your-model.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Without a model")
	section, _, _ = strings.Cut(section, "\n## ")
	s, asked, talk := business(t), 0, ""
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z].+?) \| (.+) \|$`).FindAllStringSubmatch(section, -1) {
		for _, example := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			if row[1] == "going on" || row[1] == "charts" {
				if talk == "" {
					talk = s.ask(t, "", "total of invoices by country").conversation
				}
			} else {
				talk = ""
			}
			ask := strings.ReplaceAll(example[1], "…", "Tent torn")
			h := s.ask(t, talk, ask)
			none := strings.HasPrefix(h.text, "There are no ")
			if asked++; len(h.failed) > 0 || len(h.displays)+len(h.proposals) != 1 && !none {
				t.Errorf("%q: %q; failed %q, %d displays, %d proposals\n%s", ask, h.text, h.failed, len(h.displays), len(h.proposals), said(h))
			}
		}
	}
	if asked < 35 {
		t.Errorf("only %d examples", asked)
	}
}
