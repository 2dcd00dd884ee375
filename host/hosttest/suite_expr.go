package hosttest

import (
	"testing"

	"example.com/deputy/query"
)

// expressions over customers: every operator and function, over every type that it takes, with NULLs, and parents and children.
func expressions() []string {
	return []string{
		`id`, `name`, `email`, `region_code`, `parent_id`, `credit`, `score`, `active`, `born`, `seen`, `profile`, `42`, `-1.50`, `"x"`, `true`,
		`region_code.name`, `parent.name`, `parent.parent.name`, `parent.region_code.name`, `parent.parent.parent.credit`, `parent.profile.tier`,
		`profile.tier`, `profile.points`, `profile.tags`, `profile.vip`, `number(profile.points)`,
		`name + "!"`, `name + email`, `lower(name)`, `length(name)`, `blank(name)`, `blank(email)`, `substring(name, 2, 3)`, `substring(name, 3)`, `number(name)`,
		`score + 1`, `score - 1`, `score * 2`, `-score`, `abs(score)`, `score / 3`, `score % 4`, `id / 0`, `id % 0`, `id + credit`, `credit * credit`, `credit / 3`, `credit % 7`,
		`-credit`, `abs(credit)`, `round(credit)`, `round(credit / 3, 1)`, `round(score / 2)`, `credit + 0.205`, `1 / 3`, `number("12.5") + id`,
		`active ? credit : score`, `credit > 50 ? "rich" : name`, `coalesce(email, name, "none")`, `coalesce(credit, 0)`, `coalesce(parent.credit, credit, 7)`,
		`now()`, `today()`, `today() - days(3)`, `born + days(1)`, `born + months(1)`, `born - years(1)`, `seen + days(1)`, `seen + months(1)`, `seen - years(3)`,
		`start_of("month", born)`, `end_of("month", born)`, `start_of("week", seen)`, `end_of("quarter", seen)`, `start_of("hour", seen)`, `end_of("year", seen)`,
		`year(born)`, `quarter(born)`, `month(seen)`, `week(seen)`, `day(seen)`, `hour(seen)`, `year_of(seen)`, `month_of_year(born)`, `weekday(seen)`, `hour_of_day(seen)`,
		`days_between(born, today())`, `years_between(born, today())`, `days_between(seen, now())`, `date("2026-01-31")`, `timestamp("2026-01-31T12:00:00Z")`, `date(seen)`, `timestamp(born)`,
		`orders.count()`, `orders.count(o, o.total > 0)`, `orders.exists()`, `orders.exists(o, o.status == "paid")`, `orders.all(o, o.total > 0)`,
		`orders.sum(o, o.total)`, `orders.avg(o, o.total)`, `orders.min(o, o.total)`, `orders.max(o, o.total)`, `orders.min(o, o.placed)`, `orders.max(o, o.status)`, `orders.sum(o, o.id)`, `orders.avg(o, o.id)`,
		`orders.sum(o, credit)`, `orders.max(o, score)`, `orders.min(o, name)`, `orders.count(o, active)`, `orders.sum(o, o.lines.sum(l, l.quantity * l.price))`, `orders.max(o, o.lines.count(l, l.article == "bolt"))`,
		`parent.orders.count()`, `parent.orders.sum(o, o.total)`, `parent.parent.orders.exists()`, `parent.orders.all(o, o.total > 0)`, `region_code.customers.count()`,
		`customers_by_parent_id.count()`, `customers_by_parent_id.exists(c, c.credit > credit)`, `customers_by_parent_id.sum(c, c.orders.count())`,
		`all.customers.avg(c, c.credit)`, `all.orders.count()`, `all.orders.max(o, o.total)`, `all.lines.sum(l, l.price)`, `all.customers.count(c, c.region_code == region_code)`,
		`credit > all.customers.avg(c, c.credit)`, `orders.exists(o, o.lines.all(l, l.price < 1) && o.customer.name == name)`,
	}
}

// conditions over customers.
func conditions() []string {
	return []string{
		`id == 1`, `id != 1`, `id in [1, 3, 99]`, `!(id in [1, 3])`, `id in []`, `score == 7`, `score != 7`, `score > 7`, `score >= 9223372036854775807`, `score < 0`, `score == 7.0`, `score < 7.5`,
		`email == null`, `email != null`, `email == ""`, `email != ""`, `null == credit`, `credit == 100.1`, `credit != 100.10`, `credit > 0.3`, `credit >= 0.30`, `credit in [0.3, 100.100]`, `credit == score`, `credit < id`,
		`name == "beta"`, `name == "Beta"`, `name != "Beta"`, `name < "b"`, `name >= "beta"`, `name in ["beta", "", "x"]`, `name == "it's \"quoted\"; DROP TABLE customers --"`, `region_code == "n"`, `region_code in ["N", "S"]`,
		`name.contains("BETA")`, `name.contains("ær")`, `name.contains("STRASSE")`, `name.contains("%")`, `name.contains("")`, `name.startsWith("BE")`, `name.endsWith("50%")`, `email.contains("example")`, `region_code.name.contains("élan 50%_")`,
		`active`, `!active`, `active == true`, `active != true`, `active == false`, `active || score == 7`, `active && !(credit > 0)`, `!(active && credit > 0)`, `blank(email)`,
		`born == date("2000-02-29")`, `born < date("2000-01-01")`, `born != date("2000-02-29")`, `born in [date("1990-01-31")]`, `seen > timestamp("2026-01-01T00:00:00Z")`, `seen == timestamp("2026-07-01T14:00:00+02:00")`, `seen >= today()`, `seen < now()`, `born < today() - years(30)`,
		`year_of(seen) == 2026`, `month(seen) == date("2026-02-01")`, `date(seen) == date("2026-02-01")`,
		`region_code.name == "North"`, `region_code.name != "North"`, `parent.name == "Beta"`, `parent.name != "Beta"`, `parent != null`, `parent == null`, `parent.parent != null`, `parent.parent.region_code == "n"`, `parent.id == parent_id`, `parent_id == id`,
		`profile.tier == "gold"`, `profile.tier != "gold"`, `profile.points > 12`, `profile.vip == true`, `profile.tags != null`, `profile == null`, `number(profile.points) == 12`,
		`orders.exists()`, `!orders.exists()`, `orders.exists(o, o.status != "paid")`, `orders.all(o, o.status == "open")`, `orders.count() > 1`, `orders.sum(o, o.total) == -6.7`, `orders.max(o, o.placed) > timestamp("2026-01-15T00:00:00Z")`,
		`orders.exists(o, o.lines.exists(l, l.article == "bolt" && l.quantity > 2))`, `orders.exists(o, o.total > parent.credit)`, `parent.orders.count() > 2`, `customers_by_parent_id.exists(c, c.id != id)`,
		`(active ? "A" : "a ") == "a"`, `(active ? "A" : "É") in ["a", "é", "e"]`, `(active ? "q" : "É") > "é"`, `substring("qA", id) == "a"`, `(active ? "A" : "a") != (score == 7 ? "a" : "A")`,
		`(active ? credit : 0) > 1`, `coalesce(credit, 0) == 0`, `credit > all.customers.avg(c, c.credit)`, `all.regions.exists(r, r.code == region_code && r.name.startsWith("n"))`, `score in [id, 7]`, `credit in [score, 0.30]`, `true`, `false`, `name == region_code.name || credit == null`,
	}
}

func testExpressions(t *testing.T, open Open) {
	b := newBench(t, open)
	for _, text := range expressions() {
		b.same(query.Query{Table: "customers", Limit: 100, Select: b.columns("customers", "id", text)}, text)
	}
	b.same(query.Query{Table: "customers", Limit: 100, Select: b.columns("customers", expressions()...)}, "all expressions at once")
	for _, text := range []string{`customer.region_code.name`, `customer.parent.name`, `lines.sum(l, l.quantity * l.price)`, `lines.avg(l, l.quantity)`, `customer.orders.count(o, o.total > total)`} {
		b.same(query.Query{Table: "orders", Limit: 100, Select: b.columns("orders", "id", text)}, text)
	}
}

func testConditions(t *testing.T, open Open) {
	b := newBench(t, open)
	for _, text := range conditions() {
		where := b.compile("customers", text)
		b.same(query.Query{Table: "customers", Where: where, Limit: 100, Select: b.columns("customers", "id")}, text)
		not := query.Op{Fn: "!", Args: []query.Expr{where}, T: query.Bool}
		b.same(query.Query{Table: "customers", Where: not, Limit: 100, Select: b.columns("customers", "id")}, "not "+text)
		b.same(query.Query{Table: "customers", Limit: 100, Select: []query.Column{{As: text, Expr: where}}}, "the value of "+text)
	}
}
