package query_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"example.com/deputy/query"
)

// asked is an analysis of orders, as texts: keys, measures "as: expr", having, order.
type asked struct {
	table          string
	where          string
	keys, measures []string
	having         string
	order          []string
	limit          int
}

// analysis checks the texts; the error is of the first that is wrong.
func analysis(t testing.TB, a asked) (query.Analysis, error) {
	t.Helper()
	if a.table == "" {
		a.table = "orders"
	}
	if a.limit == 0 {
		a.limit = 100
	}
	out := query.Analysis{Table: a.table, Limit: a.limit}
	e := env(t, a.table)
	read := func(text string, f func(context.Context, query.Env, *query.Source) (query.Expr, error)) (query.Expr, error) {
		src, err := query.Parse(text)
		if err != nil {
			return nil, err
		}
		return f(context.Background(), e, src)
	}
	var err error
	if a.where != "" {
		if out.Where, err = read(a.where, query.Condition); err != nil {
			return out, err
		}
	}
	for _, text := range a.keys {
		x, err := read(text, query.SortKey)
		if err != nil {
			return out, err
		}
		out.GroupBy = append(out.GroupBy, query.Column{As: text, Expr: x})
	}
	for _, m := range a.measures {
		e.Groups = &query.Groups{Keys: out.GroupBy, Measures: out.Measures}
		as, text, _ := strings.Cut(m, ": ")
		x, err := read(text, query.Check)
		if err != nil {
			return out, err
		}
		out.Measures = append(out.Measures, query.Column{As: as, Expr: x})
	}
	e.Groups = &query.Groups{Keys: out.GroupBy, Measures: out.Measures}
	if a.having != "" {
		if out.Having, err = read(a.having, query.Condition); err != nil {
			return out, err
		}
	}
	for _, text := range a.order {
		plain, desc := strings.CutSuffix(text, " desc")
		x, err := read(plain, query.SortKey)
		if err != nil {
			return out, err
		}
		out.Order = append(out.Order, query.Order{Expr: x, Desc: desc})
	}
	return out, nil
}

// result evaluates an analysis over the rows of the tests: a line a group.
func result(t testing.TB, a asked) string {
	t.Helper()
	compiled, err := analysis(t, a)
	if err != nil {
		return "error: " + err.Error()
	}
	data := rows(t)
	out := compiled.Eval(data[compiled.Table], data.Data)
	var lines []string
	for _, row := range out.Rows {
		var cells []string
		for _, v := range row {
			text, ok := query.FormatValue(v)
			if !ok {
				text = "null"
			}
			cells = append(cells, text)
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	text := strings.Join(lines, " | ")
	if out.HasMore {
		text += " | …"
	}
	return text
}

// TestAnalyses: orders are 1 (10.10 of customer 1, in January), 2 (0.20 of 1, in March), 3 (nothing but customer 1) and 4 (5, nothing else).
func TestAnalyses(t *testing.T) {
	t.Parallel()
	list := func(texts ...string) []string { return texts }
	for _, c := range []struct {
		asked
		want string
	}{
		{asked{measures: list("n: count()", "t: count(total)", "s: sum(total)", "a: avg(total)", "i: sum(quantity)", "lo: min(total)", "hi: max(ordered_at)")}, "4 3 15.30 5.1 6 0.20 2026-03-29T12:00:00Z"},
		{asked{measures: list("n: count()", "s: sum(total)", "d: count_distinct(total)"), where: "false"}, "0 null 0"},
		{asked{keys: list("customer_id"), measures: list("n: count()", "s: sum(total)")}, "1 3 10.30 | null 1 5"},
		{asked{keys: list("customer_id"), measures: list("s: sum(total)"), order: list("s")}, "null 5 | 1 10.30"},
		{asked{keys: list("customer_id"), measures: list("s: sum(total)"), order: list("customer_id desc")}, "1 10.30 | null 5"},
		{asked{keys: list("customer_id"), where: "false", measures: list("n: count()")}, ""},
		{asked{keys: list("customer.name")}, "Ærlig AS | null"},
		{asked{keys: list("month(ordered_at)"), measures: list("n: count()"), where: "ordered_at != null"}, "2026-01-01 1 | 2026-03-01 1"},
		{asked{keys: list("year(ordered_at)", "quarter(ordered_at)"), measures: list("n: count()")}, "2026-01-01 2026-01-01 2 | null null 2"},
		{asked{keys: list("day(ordered_at)"), measures: list("n: count()"), having: "day( ordered_at ) != null", order: list("day(ordered_at) desc"), limit: 1}, "2026-03-29 1 | …"},
		{asked{measures: list("paid: sum_if(total, quantity > 2)", "share: 100 * sum_if(total, quantity > 2) / sum(total)", "n: count_if(quantity > 1)", "none: sum_if(total, false)")}, "0.20 1.3071895424836601 2 null"},
		{asked{measures: list("zero: sum(total) / (count() - 4)", "rest: count() % 0")}, "null null"},
		{asked{measures: list("n: count()", "twice: n * 2", "share: 100 * twice / n")}, "4 8 200"},
		{asked{measures: list("n: count()"), having: "n > 4"}, ""},
		{asked{measures: list("n: count()"), having: "n > 3 && sum(total) > 15"}, "4"},
		{asked{keys: list("quantity"), measures: list("n: count()"), having: "n >= all.orders.min(o, o.quantity)", order: list("count() desc", "quantity desc")}, "3 1 | 2 1 | 1 1 | null 1"},
		{asked{keys: list("total > 1"), measures: list("n: count()")}, "false 2 | true 2"},
		{asked{keys: list("order_lines.count()"), measures: list("value: sum(order_lines.sum(l, l.quantity * l.price))", "some: count_if(order_lines.exists(l, l.product == \"nut\"))")}, "0 null 0 | 1 10.30 1"},
		{asked{table: "customers", measures: list("c: count_distinct(country)", "reps: count(support_rep)", "d: count_distinct(support_rep)", "x: min(number(data.n))", "s: sum(data.n)")}, "1 1 1 1.50 1.50"},
		{asked{table: "customers", keys: list("data.address.city"), measures: list("n: count()")}, "Oslo 1 | null 1"},
		{asked{keys: list("customer_id"), limit: 1}, "1 | …"},
		{asked{keys: list("customer_id"), limit: 2}, "1 | null"},
	} {
		if got := result(t, c.asked); got != c.want {
			t.Errorf("%+v\n got %s\nwant %s", c.asked, got, c.want)
		}
	}
}

// TestAnalysisLessons: what is wrong, where, and how to mend it.
func TestAnalysisLessons(t *testing.T) {
	t.Parallel()
	list := func(texts ...string) []string { return texts }
	grouped := func(measure string) asked {
		return asked{keys: list("customer_id"), measures: list("n: count()", "m: "+measure)}
	}
	for _, c := range []struct {
		asked
		want string
	}{
		{grouped("total"), "column 1: `total` is of single rows, here groups are asked: write an aggregate, like sum(total), or add it to group_by as it stands here"},
		{grouped("sum(total) * quantity"), "column 14: `quantity` is of single rows, here groups are asked: write an aggregate, like sum(quantity), or add it to group_by as it stands here"},
		{grouped("customer.name"), "column 1: `customer` is of single rows, here groups are asked: write an aggregate, like count_distinct(customer.…), or add it to group_by as it stands here"},
		{grouped("order_lines.count()"), "column 1: `order_lines` is of single rows, here groups are asked: write an aggregate, like count_distinct(order_lines.…), or add it to group_by as it stands here"},
		{grouped("month(ordered_at)"), "column 7: `ordered_at` is of single rows, here groups are asked: write an aggregate, like max(ordered_at), or add it to group_by as it stands here"},
		{grouped("summ(total)"), "column 1: no function `summ`; near: sum"},
		{grouped("sum(totl)"), "column 5: no field `totl`; near: total"},
		{grouped("sum(sum(total))"), "column 5: sum stands within another aggregate: figures of children are written as orders.sum(o, o.total)"},
		{grouped("sum()"), "column 1: sum takes one argument: write sum(total)"},
		{grouped("sum(total, quantity)"), "column 1: sum takes one argument: write sum(total)"},
		{grouped("sum_if(total)"), `column 1: sum_if takes two arguments: write sum_if(total, status == "paid")`},
		{grouped("count(*)"), "column 7: write count() instead of count(*)"},
		{grouped("COUNT(DISTINCT total)"), "column 7: write count_distinct(x) instead of count(DISTINCT x)"},
		{grouped("sum(total) as revenue"), "column 12: an expression takes no `as`: a measure is named beside its expr"},
		{grouped("sum(total) over (quantity)"), "column 12: there are no windows: a share of the whole is a second question, or a comparison with all.orders.sum(o, o.total)"},
		{grouped("count(total > 1)"), "column 13: a condition is never null, so this counts every row: write count_if(total > 1)"},
		{grouped("sum(total > 1)"), "column 11: `total > 1` is true or false: write count_if(total > 1), for a share 100 * count_if(total > 1) / count()"},
		{grouped("sum(ordered_at)"), "column 5: `ordered_at` is a timestamp, a number is wanted"},
		{grouped("max(total > 1)"), "column 11: `total > 1` is true or false: max wants numbers, texts or dates"},
		{grouped("count_if(total)"), "column 10: a condition is wanted, `total` is a number: compare it, like total > 0"},
		{grouped("sum(customer)"), "column 5: `customer` is a record: write `customer_id`, or a field of it"},
		{grouped("all.orders.sum(o, sum(o.total))"), "column 23: no field `o`"},
		{grouped("count_distinct(null)"), "column 16: `null` is null: count_distinct counts values"},
		{asked{keys: list("customer_id"), measures: list("n: count()"), having: "nn > 1"}, "column 1: no measure, key or field `nn`; near: n"},
		{asked{keys: list("customer_id"), measures: list("n: count()"), having: "n"}, "column 1: a condition is wanted, `count()` is a whole number: compare it, like count() > 0"},
		{asked{keys: list("customer_id"), measures: list("n: count()"), order: list("total desc")}, "column 1: `total` is of single rows, here groups are asked: write an aggregate, like sum(total), or add it to group_by as it stands here"},
		{asked{table: "customers", keys: list("token")}, "column 1: `token` is secret: only `token == null` and `token != null` can be asked"},
		{asked{table: "customers", measures: list("t: max(token)")}, "column 5: `token` is secret: only `token == null` and `token != null` can be asked"},
		{asked{table: "customers", keys: list("data")}, "JSON has no order: name a path in it, like data.name"},
		{asked{keys: list("sum(total)")}, "column 1: sum stands after the name of children: write order_lines.sum(x, x.price); over all rows it is a measure, and what groups must meet is having"},
		{asked{where: "count() > 1", keys: list("customer_id")}, "column 1: count stands after the name of children: write order_lines.count(x, x.price > 100); over all rows it is a measure, and what groups must meet is having"},
	} {
		if got := result(t, c.asked); got != "error: "+c.want {
			t.Errorf("%+v\n got %s\nwant error: %s", c.asked, got, c.want)
		}
	}
}

// TestAliasBeforeField: in having and order a measure's name is meant, within an aggregate the field.
func TestAliasBeforeField(t *testing.T) {
	t.Parallel()
	a := asked{keys: []string{"customer_id"}, measures: []string{"total: sum(quantity)", "again: sum(total)"}, having: "total > 1", order: []string{"total"}}
	if got, want := result(t, a), "1 5 10.30"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestRestrictedAnalysis: rules hold inside of every aggregate and key.
func TestRestrictedAnalysis(t *testing.T) {
	t.Parallel()
	rule := check(t, env(t, "customers"), `name != "Ærlig AS"`)
	rules := func(table string) query.Expr {
		if table == "customers" {
			return rule
		}
		return nil
	}
	a, err := analysis(t, asked{keys: []string{"customer.name"}, measures: []string{"n: count_if(customer != null)", "m: max(customer.name)"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.GroupBy {
		a.GroupBy[i].Expr = query.Restrict(a.GroupBy[i].Expr, rules)
	}
	for i := range a.Measures {
		a.Measures[i].Expr = query.Restrict(a.Measures[i].Expr, rules)
	}
	data := rows(t)
	if got := fmt.Sprint(a.Eval(data["orders"], data.Data).Rows); got != "[[<nil> 0 <nil>]]" {
		t.Error(got)
	}
}
