package query_test

import (
	"testing"

	"example.com/deputy/query"
)

// meanings are expressions about the first customer, and the text of their values; null is NULL.
var meanings = []struct{ text, want string }{
	// names
	{`name`, "Ærlig AS"},
	{`support_rep.name`, "Bob"},
	{`support_rep.reports_to.name`, "Ada"},
	{`support_rep.reports_to`, "1"},
	{`support_rep`, "2"},
	{`support_rep.reports_to.reports_to.name`, "null"},
	{`support_rep != null`, "true"},
	{`support_rep.reports_to.reports_to == null`, "true"},
	// comparison
	{`status == "active"`, "true"},
	{`status != "CLOSED"`, "true"},
	{`name == "ærlig as"`, "false"},
	{`balance == 100.1`, "true"},
	{`balance > 100`, "true"},
	{`balance > "100.09"`, "true"},
	{`id == "1"`, "true"},
	{`country in ["NO", "SE"]`, "true"},
	{`id in [2, 1.0]`, "true"},
	{`!(id in [])`, "true"},
	{`active == true`, "true"},
	{`active && !(name == "x")`, "true"},
	{`null == null`, "true"},
	{`token != null`, "true"},
	// NULL, two-valued: the second order has no total
	{`orders.count(o, o.total == null)`, "1"},
	{`orders.count(o, o.total != null)`, "2"},
	{`orders.count(o, o.total == 10.1)`, "1"},
	{`orders.count(o, o.total != 10.1)`, "2"},
	{`orders.count(o, !(o.total == 10.1))`, "2"},
	{`orders.count(o, o.total > 0)`, "2"},
	{`orders.count(o, !(o.total > 0))`, "1"},
	{`orders.count(o, o.total <= 10.1)`, "2"},
	{`orders.count(o, o.total in [10.1, 0.2])`, "2"},
	{`orders.count(o, o.total in [o.total])`, "2"},
	{`orders.count(o, o.total + 1 == null)`, "1"},
	{`all.customers.count(c, c.active)`, "1"},
	{`all.customers.count(c, !c.active)`, "1"},
	{`all.customers.count(c, c.active == false)`, "0"},
	{`all.customers.count(c, c.active != true)`, "1"},
	{`all.customers.count(c, c.country.contains("n"))`, "1"},
	{`all.customers.count(c, !c.country.contains("n"))`, "1"},
	// arithmetic
	{`1 + 2 * 3`, "7"},
	{`7 / 2`, "3.5"},
	{`1 / 3`, "0.3333333333333333"},
	{`-2 / 3`, "-0.6666666666666667"},
	{`1 / 0`, "null"},
	{`7 % -3`, "1"},
	{`-7 % 3`, "-1"},
	{`7.5 % 2`, "1.5"},
	{`1 % 0`, "null"},
	{`9223372036854775807 + 1`, "null"},
	{`9223372036854775807 + 1.0`, "9223372036854775808.0"},
	{`-(-9223372036854775808)`, "null"},
	{`0.1 + 0.20`, "0.30"},
	{`1.10 * 2.0`, "2.200"},
	{`balance * 2`, "200.20"},
	{`99999999999999999999999999999999999999.0 + 1`, "null"},
	{`1e3`, "1000"},
	{`-1.50`, "-1.50"},
	{`- 2.5 + 0`, "-2.5"},
	{`3 -1.5`, "1.5"},
	{`"😀" == "😀" ? 0.10 : 1`, "0.10"},
	{`round(2.5)`, "3"},
	{`round(-2.45, 1)`, "-2.5"},
	{`round(2.5, 21)`, "null"},
	{`round(2.5, -1)`, "null"},
	{`abs(-5)`, "5"},
	{`abs(-0.5)`, "0.5"},
	{`number(code)`, "12.50"},
	{`number("1e3")`, "null"},
	{`number("+5.")`, "5"},
	{`number(".5")`, "0.5"},
	{`number("+-5")`, "null"},
	{`number("")`, "null"},
	{`number(5)`, "5"},
	// text
	{`name.contains("ÆRLIG")`, "true"},
	{`name.startsWith("ær")`, "true"},
	{`name.endsWith("%s")`, "false"},
	{`name.endsWith("As")`, "true"},
	{`lower(name)`, "ærlig as"},
	{`length(name)`, "8"},
	{`blank(" \t")`, "true"},
	{`blank(name)`, "false"},
	{`name + "!" + code`, "Ærlig AS! 12.50 "},
	{`substring(name, 1, 2)`, "Ær"},
	{`substring(name, 7)`, "AS"},
	{`substring(name, 99, 2)`, ""},
	{`substring(name, 0, 2)`, "null"},
	{`substring(name, 1, -1)`, "null"},
	{`coalesce(support_rep.reports_to.reports_to, 7)`, "7"},
	{`coalesce(null, balance, 1)`, "100.10"},
	{`balance > 1 ? "rich" : null`, "rich"},
	{`active ? 1 : 2.5`, "1"},
	// dates: 2026-02-10 23:30 in Oslo
	{`now()`, "2026-02-10T22:30:00Z"},
	{`today()`, "2026-02-10"},
	{`today() - days(11)`, "2026-01-30"},
	{`born + years(1)`, "2001-02-28"},
	{`born + years(4)`, "2004-02-29"},
	{`born - months(1)`, "2000-01-29"},
	{`date("2026-01-31") + months(1)`, "2026-02-28"},
	{`days(1) + born`, "2000-03-01"},
	{`born + days(-1)`, "2000-02-28"},
	{`born + -days(1)`, "2000-02-28"},
	{`born + years(9999)`, "null"},
	{`born - days(9223372036854775807)`, "null"},
	{`created_at > "2026-02-01"`, "true"},
	{`created_at >= "2026-02-01T00:30:00"`, "true"},
	{`created_at == "2026-01-31T23:30:00Z"`, "true"},
	{`created_at > date("2026-02-01")`, "true"},
	{`day(created_at) == date("2026-02-01")`, "true"},
	{`date(created_at)`, "2026-02-01"},
	{`born < "2000-03-01"`, "true"},
	{`timestamp("2026-03-28 12:00") + days(1)`, "2026-03-29T10:00:00Z"}, // the clock went forward
	{`timestamp("2026-03-29T02:30:00") + days(0)`, "2026-03-29T01:30:00Z"},
	{`timestamp(born)`, "2000-02-28T23:00:00Z"},
	{`start_of("month", created_at)`, "2026-01-31T23:00:00Z"},
	{`end_of("month", created_at)`, "2026-02-28T22:59:59.999999Z"},
	{`end_of("hour", created_at)`, "2026-01-31T23:59:59.999999Z"},
	{`end_of("day", timestamp("2026-03-29T12:00:00Z"))`, "2026-03-29T21:59:59.999999Z"},
	{`end_of("month", born)`, "2000-02-29"},
	{`end_of("week", date("2026-02-10"))`, "2026-02-15"},
	{`start_of("week", date("2026-02-15"))`, "2026-02-09"},
	{`end_of("year", date("9999-05-05"))`, "9999-12-31"},
	{`year(created_at)`, "2026-01-01"},
	{`quarter(date("2026-08-10"))`, "2026-07-01"},
	{`month(created_at)`, "2026-02-01"},
	{`week(date("2026-02-10"))`, "2026-02-09"},
	{`hour(created_at)`, "2026-01-31T23:00:00Z"},
	{`year_of(created_at)`, "2026"},
	{`month_of_year(created_at)`, "2"},
	{`weekday(created_at)`, "7"},
	{`weekday(date("2026-02-09"))`, "1"},
	{`hour_of_day(created_at)`, "0"},
	{`days_between(date("2026-01-31"), today())`, "10"},
	{`days_between(today(), date("2026-01-31"))`, "-10"},
	{`days_between(created_at, now())`, "9"},
	{`days_between(now(), created_at)`, "-9"},
	{`days_between(created_at, today())`, "9"},
	{`days_between(date("0001-01-01"), date("9999-12-31"))`, "3652058"},
	{`years_between(born, date("2026-02-28"))`, "25"},
	{`years_between(born, date("2026-03-01"))`, "26"},
	{`years_between(date("2026-03-01"), born)`, "-26"},
	{`years_between(born, null == null ? today() : null)`, "25"},
	// children
	{`orders.exists()`, "true"},
	{`orders.count()`, "3"},
	{`orders.exists(o, o.total > 10 && o.customer.name == name)`, "true"},
	{`orders.all(o, o.total > 0)`, "false"},
	{`orders.all(o, o.id > 0)`, "true"},
	{`orders.sum(o, o.total)`, "10.30"},
	{`orders.sum(o, o.quantity)`, "5"},
	{`orders.sum(o, o.quantity * o.total)`, "20.80"},
	{`orders.avg(o, o.quantity)`, "2.5"},
	{`orders.min(o, o.total)`, "0.20"},
	{`orders.max(o, o.ordered_at)`, "2026-03-29T12:00:00Z"},
	{`orders.max(o, o.shipped_on)`, "2026-01-05"},
	{`orders.sum(o, o.order_lines.sum(l, l.quantity * l.price))`, "10.30"},
	{`orders.exists(o, o.order_lines.exists(l, l.product == "nut" && l.order.customer.id == id))`, "true"},
	{`orders.exists(o, o.order_lines.exists(o, o.product == "nut"))`, "true"},
	{`orders.exists(status, status.quantity == 3)`, "true"},
	{`support_rep.customers.count()`, "1"},
	{`support_rep.reports_to.employees_by_reports_to.count()`, "1"},
	{`support_rep.reports_to.reports_to.customers.exists()`, "false"},
	{`support_rep.reports_to.reports_to.customers.all(c, false)`, "true"},
	{`support_rep.reports_to.reports_to.customers.count()`, "0"},
	{`support_rep.reports_to.reports_to.customers.sum(c, c.id)`, "null"},
	{`support_rep.reports_to.reports_to.customers.max(c, c.name)`, "null"},
	{`all.orders.count()`, "4"},
	{`all.orders.avg(o, o.total)`, "5.1"},
	{`balance > all.orders.max(o, o.total)`, "true"},
	{`all.customers.exists(c, c.id != id && c.support_rep == null)`, "true"},
	// labels
	{`support_rep == "Ada"`, "false"},
	{`support_rep != "Ada"`, "true"},
	{`support_rep in ["Ada"]`, "false"},
	{`support_rep_id == "Ada"`, "false"},
	{`support_rep.reports_to == "Ada"`, "true"},
	// JSON
	{`data.address.city`, `"Oslo"`},
	{`data.address.city == "Oslo"`, "true"},
	{`data["odd key"].x`, "true"},
	{`data["odd key"].x ? 1 : 2`, "1"},
	{`data.items[0].name == "x"`, "true"},
	{`data.items[0].n + 1`, "4"},
	{`data.items[1].n == null`, "true"},
	{`data.nil == null`, "true"},
	{`data.address == null`, "false"},
	{`data.n == 1.5`, "true"},
	{`data.n == "1.5"`, "false"},
	{`data.due < today()`, "true"},
	{`data.due + "x"`, "2026-02-01x"},
	{`data.t == data.t`, "true"},
	{`data.n == data.n`, "false"},
	{`number(data.t)`, "7"},
	{`number(data.n)`, "1.50"},
	{`length(data.due)`, "10"},
	{`coalesce(data.none, data.due) == "2026-02-01"`, "true"},
	{`coalesce(data.none, data.n) > 1`, "true"},
	{`date(data.due)`, "2026-02-01"},
	{`"Oslo" in [data.address.city]`, "true"},
}

func TestEval(t *testing.T) {
	t.Parallel()
	env, rows := env(t, "customers"), rows(t)
	for _, tt := range meanings {
		e := check(t, env, tt.text)
		got, ok := query.FormatValue(query.Eval(e, rows["customers"][0], rows.Data))
		if !ok {
			got = "null"
		}
		if got != tt.want {
			t.Errorf("%s = %s, want %s (as %s)", tt.text, got, tt.want, query.Text(e))
		}
	}
}

func TestAggregate(t *testing.T) {
	t.Parallel()
	env, rows := env(t, "orders"), rows(t)
	for _, tt := range []struct {
		fn, arg string
		want    int64
	}{{"count", "", 4}, {"count", "total", 3}, {"count_distinct", "total", 3}, {"count_distinct", "customer_id", 1}, {"count_distinct", "quantity % 2", 2}, {"count", "customer.country", 3}} {
		a := query.Agg{Fn: tt.fn, T: query.Int}
		if tt.arg != "" {
			a.Arg = check(t, env, tt.arg)
		}
		if got := query.Aggregate(a, rows["orders"], rows.Data); got != tt.want {
			t.Errorf("%s(%s) = %v, want %d", tt.fn, tt.arg, got, tt.want)
		}
	}
}
