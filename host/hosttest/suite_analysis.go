package hosttest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
)

// sameFigures asks both hosts and compares.
func (b *bench) sameFigures(a query.Analysis, name string) {
	b.Helper()
	if !b.catalog().Features().Aggregates {
		return
	}
	want, err := b.fake.Analyze(context.Background(), deputy.Person{}, a)
	if err != nil {
		b.Fatal(err)
	}
	got, err := b.host.Analyze(context.Background(), deputy.Person{}, a)
	switch {
	case err != nil:
		b.Errorf("%s: %v", name, err)
	case got.HasMore != want.HasMore || !slices.EqualFunc(got.Rows, want.Rows, sameLine):
		b.Errorf("%s: %s (more: %v), want %s (more: %v)", name, show(got.Rows), got.HasMore, show(want.Rows), want.HasMore)
	case !slices.EqualFunc(got.Columns, a.Columns(), func(x, y query.Column) bool { return x.As == y.As && x.Label == y.Label }):
		b.Errorf("%s: columns %v", name, query.Headings(got.Columns))
	}
}

// sampled is the sample as a world in which texts are checked.
func (b *bench) sampled() *querytest.World {
	b.Helper()
	zone, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		b.Fatal(err)
	}
	w := &querytest.World{Zone: zone, Now: time.Date(2026, 2, 1, 0, 30, 0, 0, time.UTC)}
	for i := range b.tables {
		w.Tables = append(w.Tables, &b.tables[i])
	}
	return w
}

// analyses are of the sample: every aggregate over every type, keys of every kind, and every place that an expression may stand in.
func analyses() []querytest.Analysis {
	m := func(texts ...string) []string { return texts }
	return []querytest.Analysis{
		{Table: "customers", Measures: m("count()", "count(credit)", "count_distinct(credit)", "sum(credit)", "avg(credit)", "min(credit)", "max(credit)")},
		{Table: "customers", Measures: m("sum(score)", "avg(score)", "min(score)", "max(score)", "sum(id)", "avg(id)", "sum(id * 1.5)", "sum(score % 10)")},
		{Table: "customers", Measures: m("min(name)", "max(name)", "min(born)", "max(born)", "min(seen)", "max(seen)", "max(email)", "min(profile.tier)", "sum(profile.points)")},
		{Table: "customers", Measures: m("count_if(active)", "count_if(!active)", "count_if(credit > 0)", "sum_if(credit, active)", "sum_if(score, score > 100)", "sum_if(id, false)", "100 * count_if(active) / count()")},
		{Table: "customers", Where: "false", Measures: m("count()", "sum(credit)", "avg(score)", "min(name)", "count_if(active)", "count_distinct(name)", "sum(id) / count()")},
		{Table: "customers", Where: "false", GroupBy: m("name"), Measures: m("count()")},
		{Table: "customers", Measures: m("count()", "7", `"x"`), Having: "m0 > 6"},
		{Table: "customers", Measures: m("count()"), Having: "m0 > 5 && sum(id) == 21"},
		{Table: "customers", GroupBy: m("region_code"), Measures: m("count()", "sum(credit)", "max(name)"), OrderBy: m("m1 desc")},
		{Table: "customers", GroupBy: m("region_code"), Measures: m("count()"), OrderBy: m("m0 desc", "region_code desc")},
		{Table: "customers", GroupBy: m("credit"), Measures: m("count()", "credit * 2", "credit == null")},
		{Table: "customers", GroupBy: m("credit * 1.00"), Measures: m("count()")},
		{Table: "customers", GroupBy: m("active"), Measures: m("count()", "!active")},
		{Table: "customers", GroupBy: m("active", "region_code.name"), Measures: m("count()", "count_distinct(score)")},
		{Table: "customers", GroupBy: m("lower(name)"), Measures: m("count()")},
		{Table: "customers", GroupBy: m("name"), Measures: m("count()"), Having: `name != "" && count() == 1`, OrderBy: m("lower(name) desc")},
		{Table: "customers", GroupBy: m("born"), OrderBy: m("born desc")},
		{Table: "customers", GroupBy: m("seen"), Measures: m("count()")},
		{Table: "customers", GroupBy: m("month(seen)"), Measures: m("count()", "sum(credit)"), OrderBy: m("month(seen) desc")},
		{Table: "customers", GroupBy: m("year(seen)", "quarter(seen)"), Measures: m("count()")},
		{Table: "customers", GroupBy: m("hour(seen)"), Measures: m("count()", "day(min(seen))", "days_between(min(seen), now())")},
		{Table: "customers", GroupBy: m("week(seen)", "weekday(seen)", "hour_of_day(seen)"), Measures: m("count()")},
		{Table: "customers", GroupBy: m("profile.tier"), Measures: m("count()")},
		{Table: "customers", GroupBy: m("parent.region_code.name"), Measures: m("count()", "sum(parent.credit)")},
		{Table: "customers", GroupBy: m("parent_id"), Measures: m("count(parent_id)", "count_if(parent != null)", "count_distinct(parent)")},
		{Table: "customers", GroupBy: m("orders.exists()"), Measures: m("count()", "sum(orders.sum(o, o.total))", "avg(orders.count())", "count_if(orders.exists(o, o.total > 0))")},
		{Table: "customers", GroupBy: m("orders.count()"), Measures: m("count()")},
		{Table: "customers", GroupBy: m("credit > 50 ? \"rich\" : \"poor\""), Measures: m("count()", "avg(credit)")},
		{Table: "customers", GroupBy: m("7", "true"), Measures: m("count()")},
		{Table: "orders", GroupBy: m("status"), Measures: m("count()", "sum(total)", "100 * sum_if(total, status == \"paid\") / sum(total)"), Having: "m0 >= 1 && m1 != null", OrderBy: m("sum(total) desc"), Limit: 2},
		{Table: "orders", GroupBy: m("customer.name", "month(placed)"), Measures: m("sum(total)", "round(avg(total), 2)", "max(placed)"), OrderBy: m("m0")},
		{Table: "orders", GroupBy: m("customer.region_code.name"), Measures: m("sum(lines.sum(l, l.quantity * l.price))"), OrderBy: m("m0 desc")},
		{Table: "orders", GroupBy: m("status"), Having: "sum(total) > all.orders.avg(o, o.total) || all.lines.exists(l, l.quantity == count())"},
		{Table: "orders", Measures: m("sum(total) / sum(id - id)", "count() % 0", "sum(total) / count(total)", "coalesce(sum(total), 0.0) * 1.1", "m0 == null ? m3 : m0", "m1 == null")},
		{Table: "orders", GroupBy: m("status"), Limit: 1}, {Table: "orders", GroupBy: m("status"), Limit: 4}, {Table: "orders", GroupBy: m("status"), Measures: m("count()"), OrderBy: m("m0 desc"), Limit: 1},
		{Table: "lines", GroupBy: m("article"), Measures: m("sum(quantity * price)", "sum(quantity)", "min(price)", "count_distinct(order.customer.region_code)"), OrderBy: m("m0 desc")},
		{Table: "lines", GroupBy: m("order.customer.name", "article"), Measures: m("sum(price * 100)", "max(order.placed)")},
		{Table: "lines", Measures: m("sum(price) * sum(quantity)", "avg(price * quantity)", "sum(price + 99999999999999999999999999999999999999.0)", "sum(9223372036854775807)", "avg(9223372036854775807)")},
		{Table: "customers", GroupBy: m(`name + "0"`, `name + "1"`, `name + "2"`, `name + "3"`, `name + "4"`, `name + "5"`, `name + "6"`, `name + "7"`, `name + "8"`, `email + ""`), Measures: m("min(email)", "max(email)"), OrderBy: m("m0", "m1 desc")},
		{Table: "customers", GroupBy: m(`active ? "É" : "e"`), Measures: m(`count_distinct(active ? "A" : "a")`, `min(active ? "b" : "A")`, `max(active ? "é" : "z")`), OrderBy: m(`max(active ? "A" : "a ")`)},
		{Table: "events", GroupBy: m("month(happened)", "note"), Measures: m("count()")},
	}
}

// testAnalyses: what comes back is what query.Analysis.Eval says.
func testAnalyses(t *testing.T, open Open) {
	b := newBench(t, open)
	w := b.sampled()
	if !b.catalog().Features().Aggregates {
		t.Skip("the host has no aggregates")
	}
	ruled := map[string]query.Expr{"orders": b.compile("orders", `status != "paid" && customer.id != 2`), "regions": b.compile("regions", `code != "S"`),
		"customers": b.compile("customers", `credit == null || orders.count() != 1`)}
	for _, asked := range analyses() {
		if asked.Limit == 0 {
			asked.Limit = 100
		}
		for name, rules := range map[string]query.Rules{"": nil, " (with rules)": func(table string) query.Expr { return ruled[table] }} {
			a, err := w.CheckAnalysis(asked, rules)
			if err != nil {
				t.Fatal(err)
			}
			b.sameFigures(a, fmt.Sprintf("%+v%s", asked, name))
		}
	}
}

// testRandomAnalyses asks random analyses of random small databases, with random row rules written into them or not.
func testRandomAnalyses(t *testing.T, open Open) {
	const seed, worlds = 2, 40
	for n := range worlds {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		w := querytest.NewWorld(r)
		var tables []query.Table
		for _, table := range w.Tables {
			tables = append(tables, *table)
		}
		rules, err := w.CheckRules(w.Rules(r, 1))
		if err != nil {
			t.Fatal(err)
		}
		b := &bench{TB: t, host: open(t, tables, w.Rows), fake: New(tables, w.Rows), tables: tables}
		for q := range questions {
			asked, with := w.Analysis(r, w.Tables[r.IntN(len(w.Tables))].Name, 2), query.Rules(nil)
			if r.IntN(2) == 0 {
				with = rules
			}
			a, err := w.CheckAnalysis(asked, with)
			if err != nil {
				t.Fatalf("world %d, analysis %d: %+v: %v", n, q, asked, err)
			}
			if b.sameFigures(a, fmt.Sprintf("world %d, analysis %d (rules: %v): %+v", n, q, with != nil, asked)); t.Failed() {
				return
			}
		}
	}
}
