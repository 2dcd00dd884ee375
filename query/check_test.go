package query_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.com/deputy/query"
)

// lessons are wrong expressions about customers, and their errors.
var lessons = []struct{ text, want string }{
	// syntax
	{``, "the expression is empty"},
	{`status = "Active"`, "column 8: write == instead of ="},
	{"name == \"a\"\n&& id = 1", "column 19: write == instead of ="},
	{`name == "a = b" && id = 1`, "column 23: write == instead of ="},
	{`id === 1`, "column 4: write == or != instead of ==="},
	{`id <> 1`, "column 4: write != instead of <>"},
	{`active and id == 1`, "column 8: write && instead of and"},
	{`active OR id == 1`, "column 8: write || instead of OR"},
	{`not active`, "column 1: write ! instead of not"},
	{`not(active)`, "column 1: no function `not`: write !(x)"},
	{`active & active`, "column 8: write && instead of &"},
	{`active | active`, "column 8: write || instead of |"},
	{`name LIKE "%a%"`, `column 6: write x.contains("…"), x.startsWith("…") or x.endsWith("…") instead of LIKE`},
	{`name is not null`, "column 6: write x != null instead of is not null"},
	{`name IS NULL`, "column 6: write x == null instead of IS NULL"},
	{`id not in [1]`, "column 4: write !(x in [1, 2]) instead of not in"},
	{`id in (1, 2)`, "column 7: write a list in square brackets: x in [1, 2]"},
	{`id IN [1, 2]`, "column 4: write in instead of IN"},
	{`id between 1 and 3`, "column 4: write x >= 1 && x <= 5 instead of between"},
	{`name == “a”`, "column 9: write straight quotes instead of “"},
	{"`name` == 1", "column 1: write a name without `"},
	{`name == "a`, "column 9: the text that begins here has no closing quote"},
	{`(id == 1`, "column 9: a `)` is missing"},
	{`id ==`, "column 6: the expression ends too early"},
	{`id == 1;`, "column 8: leave ; out"},
	{`id desc`, "column 4: `desc` belongs to order_by"},
	{`case when id == 1 then 2 end`, "column 1: write condition ? a : b instead of case"},
	{`{"a": 1}`, "column 1: {…} is not part of the language"},
	{`id == 99999999999999999999`, "column 7: the number does not fit 64 bits; written with a point (…0.0) it is a decimal"},
	{`id == 1u`, "column 7: write the number without u"},
	{`name == b"x"`, `column 9: write the text without b: "…"`},
	{`id == 0.123456789012345678901`, "column 7: the number is too large or has more than 20 digits after the point"},
	{`id == 1e99`, "column 7: the number is too large or has more than 20 digits after the point"},
	{`as == 1`, "column 1: `as` is a reserved word; a field of that name is written `as_`"},
	// names
	{`name == "x" && contry == "x"`, "column 16: no field `contry`; near: country"},
	{`NULL == name`, "column 1: write null instead of NULL"},
	{`active == True`, "column 11: write true instead of True"},
	{`support_rep.nam == "x"`, "column 13: no field `nam` in `employees`; near: name"},
	{`zzz == 1`, "column 1: no field `zzz`"},
	{`name == zzz`, "column 9: no field `zzz`: a text stands in quotes: \"zzz\""},
	{`name in ["Ada", zzz]`, "column 17: no field `zzz`: a text stands in quotes: \"zzz\""},
	{`name == contry`, "column 9: no field `contry`; near: country"},
	{`id == zzz`, "column 7: no field `zzz`"},
	{`reports_to == 1`, "column 1: no field `reports_to`; near: support_rep.reports_to"},
	{`orders.exists(o, total > 1)`, "column 18: no field `total`; near: o.total"},
	{`orders.exists(o, o.ghost.id == 1)`, "column 20: no field `ghost` in `orders`"},
	{`orders.exists(o, o.ghos.id == 1)`, "column 20: no field `ghos` in `orders`"},
	{`orders.exists(o, o > 1)`, "column 18: `o` is a record of `orders`: write o.id"},
	{`support_rep_id.name == "x"`, "column 16: `support_rep_id` is a whole number, there is nothing in it: write support_rep.name"},
	{`orders.exists(o, o.customer_id.name == "x")`, "column 32: `o.customer_id` is a whole number, there is nothing in it: write o.customer.name"},
	{`name.first == "x"`, "column 6: `name` is text, there is nothing in it"},
	{`orders.total > 1`, "column 1: `orders` are the records of a list: write orders.exists(x, x.id …), .count(x, …) or .sum(x, …)"},
	{`orders`, "column 1: `orders` are the records of a list: write orders.exists(x, x.id …), .count(x, …) or .sum(x, …)"},
	{`support_rep`, "column 1: `support_rep` is a record, not a condition: write support_rep != null"},
	{`person.age == 1`, "column 8: `person` has person.id, person.roles and person.attributes.x"},
	{`all.order.count()`, "column 5: no table `order`; near: orders, order_lines"},
	{`all.orders == 1`, "column 1: `all.orders` stands for every row: write all.orders.count() or all.orders.exists(x, …)"},
	{`token == "x"`, "column 7: `token` is secret: only `token == null` and `token != null` can be asked"},
	{`token`, "column 1: `token` is secret: only `token == null` and `token != null` can be asked"},
	{`token.contains("x")`, "column 1: `token` is secret: only `token == null` and `token != null` can be asked"},
	{`name[0] == "x"`, "column 5: `name` is text, there is nothing in it"},
	// types
	{`year(created_at) == 2014`, "column 18: `year(created_at)` is a date and cannot be compared with a number: year(…) is the start of the period, the number is year_of(created_at)"},
	{`2014 == year(created_at)`, "column 6: `year(created_at)` is a date and cannot be compared with a number: year(…) is the start of the period, the number is year_of(created_at)"},
	{`code > 5`, "column 6: `code` is text: write number(code) to compare it with a number, or a text in quotes"},
	{`born > 5`, "column 6: `born` is a date and cannot be compared with a number: write a date, like date(\"2026-01-31\"), or year_of(born) for its year"},
	{`created_at == date("2026-01-31")`, "column 12: a timestamp is never a whole date: write day(created_at) == date(\"2026-01-31\")"},
	{`created_at == "2026-01-31"`, "column 12: a timestamp is never a whole date: write day(x) == date(\"2026-01-31\")"},
	{`created_at > "yesterday"`, "column 12: \"yesterday\" is not a timestamp like \"2026-01-31T14:30:00Z\""},
	{`born > "31.01.2026"`, "column 6: \"31.01.2026\" is not a date like 2026-01-31"},
	{`id == "x"`, "column 4: \"x\" is not a number like 1234.50"},
	{`active == "yes"`, "column 8: \"yes\" is neither true nor false"},
	{`active == 1`, "column 8: `active` is true or false: write == true or == false"},
	{`active < true`, "column 8: true and false have no order: write == or !=, or && between conditions"},
	{`1 < id < 5`, "column 8: write a < b && b < c instead of a < b < c"},
	{`status == "open"`, `column 8: "open" is no value of ` + "`status`" + `: it is one of "Active", "Closed", "On hold"`},
	{`status in ["active", "open"]`, `column 8: "open" is no value of ` + "`status`" + `: it is one of "Active", "Closed", "On hold"`},
	{`id`, "column 1: a condition is wanted, `id` is a whole number: compare it, like id > 0"},
	{`name && active`, "column 1: a condition is wanted, `name` is text: compare it, like name == \"…\", or !blank(name)"},
	{`support_rep && active`, "column 1: `support_rep` is a record, not a condition: write support_rep != null"},
	{`!name == "x"`, "column 2: a condition is wanted, `name` is text: compare it, like name == \"…\", or !blank(name)"},
	{`name < null`, "column 6: null is neither less nor more: write == null or != null"},
	{`null in [1]`, "column 6: null is in no list: write x == null"},
	{`id in [1, null]`, "column 11: null in a list matches nothing: write x == null || x in […]"},
	{`id in [1, "x"]`, "column 4: \"x\" is not a number like 1234.50"},
	{`"a" in name`, "column 5: write name.contains(\"a\") to look for a text in a text"},
	{`id in 1`, "column 4: a list in square brackets is wanted to the right of in: id in [1]"},
	{`id == [1]`, "column 7: a list stands to the right of in only: x in [1, 2]"},
	{`person.roles == "x"`, "column 14: a list is asked with in: \"x\" in person.roles"},
	{`data == "x"`, "column 6: JSON is compared by a path in it, like data.name == \"…\""},
	{`data.contains("x")`, "column 1: `data` is JSON, text is wanted, as in name.contains(\"ab\"): read JSON by a path, like data.name"},
	{`created_at + 1 > now()`, "column 12: write created_at + days(1)"},
	{`now() - created_at > 7`, "column 7: write days_between(created_at, timestamp(\"2026-02-10T22:30:00Z\")) for the days between two dates"},
	{`days(7) == 1`, "column 9: days(7) stands beside a date only: today() - days(7)"},
	{`id + days(7) == 1`, "column 4: days(7) stands beside a date, `id` is a whole number: write date(id) or timestamp(id)"},
	{`days(1.5) + born == born`, "column 6: `1.5` is a number, a whole number is wanted, as in days(7)"},
	{`name + 1 == "x"`, "column 6: + joins two texts or adds two numbers, `1` is a whole number: write number(…) around a text that holds a number"},
	{`name * 2 == 1`, "column 6: `name` is text, a number is wanted: write number(name)"},
	{`balance + null == 1`, "column 9: null is no number: write coalesce(x, 0) where a field may be null"},
	{`coalesce(null, null) == 1`, "column 1: null alone says nothing: at least one of the values must not be null"},
	{`null`, "column 1: null alone says nothing: write x == null"},
	{`hour(born) == now()`, "column 6: `born` is a date and has no hours"},
	{`active ? 1 : "x"`, "column 14: \"x\" is not a number like 1234.50"},
	// functions
	{`contians(name, "x")`, "column 1: no function `contians`; near: contains"},
	{`has(support_rep.name)`, "column 1: no function `has`: write x != null"},
	{`name.matches("x")`, `column 6: no function ` + "`matches`" + `: write x.contains("…"), x.startsWith("…") or x.endsWith("…")`},
	{`length() == 1`, "column 1: length takes one argument: write length(name)"},
	{`substring(name) == "x"`, "column 1: substring takes two or three arguments: write substring(name, 1, 3)"},
	{`name.contains(1)`, "column 15: `1` is a whole number, text is wanted, as in name.contains(\"ab\")"},
	{`start_of("decade", born) == born`, "column 10: the first argument is year, quarter, month, week, day or hour, in quotes, as in start_of(\"month\", ordered_at)"},
	{`year(name) == born`, "column 6: `name` is text, a date is wanted: write date(name) or timestamp(name)"},
	{`coalesce(name) == "x"`, "column 1: coalesce takes two arguments or more: write coalesce(nickname, name)"},
	{`number() == 1`, "column 1: number takes one argument: write number(code)"},
	// children
	{`orders.exists(o.total > 1)`, "column 8: write orders.exists(x, x.id …)"},
	{`orders.sum(total) > 1`, "column 8: write orders.sum(x, x.id)"},
	{`orders.sum() > 1`, "column 8: write orders.sum(x, x.id)"},
	{`orders.sum(o, o.ordered_at) > 1`, "column 15: `o.ordered_at` is a timestamp, a number is wanted"},
	{`orders.exists(o, o.id)`, "column 18: a condition is wanted, `o.id` is a whole number: compare it, like o.id > 0"},
	{`orders.exists(all, all.id == 1)`, "column 15: `all` cannot be a variable: write orders.exists(x, x.id …)"},
	{`orders.exists(person, true)`, "column 15: `person` cannot be a variable: write orders.exists(x, x.id …)"},
	{`support_rep.exists(o, o.id == 1)`, "column 1: `support_rep` is one record, exists wants children: name a field of it, like support_rep.id"},
	{`name.count() == 1`, "column 1: `name` is a field, count wants children: `orders`"},
	{`orders.filter(o, o.id == 1)`, "column 8: children have no filter: write orders.exists(x, …), .all .count .sum .avg .min or .max"},
	{`count(orders) > 1`, "column 1: count stands after the name of children: write orders.count(x, x.total > 100); over all rows it is a measure, and what groups must meet is having"},
	{`lower(name).count() > 1`, "column 6: count stands after the name of children: orders.count(o, …)"},
	{`order.exists()`, "column 1: no field `order`; near: orders"},
	// labels
	{`support_rep == 1`, "column 13: `support_rep` is a record: compare its key, `support_rep_id`, or a field of it"},
	{`support_rep == "Zoe"`, "column 13: no record of `employees` is called \"Zoe\": compare the key, `support_rep_id`, or a field of it"},
	{`support_rep == "B"`, "column 13: \"B\" may mean several records: write support_rep_id == 2 (Bob) or support_rep_id == 3 (Ben)"},
	{`support_rep_id in ["Ada", "B"]`, "column 16: \"B\" may mean several records: write support_rep_id == 2 (Bob) or support_rep_id == 3 (Ben)"},
	{`support_rep > "Ada"`, "column 13: `support_rep` is a record and has no order: name a field of it, like support_rep.id"},
}

func TestErrorsTeach(t *testing.T) {
	t.Parallel()
	env := env(t, "customers")
	for _, tt := range lessons {
		src, err := query.Parse(tt.text)
		if err == nil {
			_, err = query.Condition(context.Background(), env, src)
			if err != nil && strings.Contains(err.Error(), "a condition is wanted") && !strings.Contains(tt.want, "a condition is wanted") {
				_, err = query.Check(context.Background(), env, src)
			}
		}
		var e *query.Error
		switch {
		case err == nil:
			t.Errorf("%s: no error, want %s", tt.text, tt.want)
		case !errors.As(err, &e):
			t.Errorf("%s: %T, want a *query.Error", tt.text, err)
		case err.Error() != tt.want:
			t.Errorf("%s:\n got %s\nwant %s", tt.text, err, tt.want)
		}
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"longer than 4096 characters": `name == "` + strings.Repeat("x", 4096) + `"`,
		"nested deeper than 32":       strings.Repeat("!(", 33) + "active" + strings.Repeat(")", 33),
		"levels":                      strings.Repeat("(", 2000) + "active" + strings.Repeat(")", 2000),
		"more than 64 names":          strings.TrimSuffix(strings.Repeat("active || ", 65), " || "),
		"more than 200 items":         "id in [" + strings.TrimSuffix(strings.Repeat("1, ", 201), ", ") + "]",
		"not valid UTF-8":             "name == \"\xff\"",
	} {
		text = strings.Replace(text, "!(!(", "!(active && !(", 1)
		if _, err := query.Parse(text); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%.40s…: %v, want an error about %s", text, err, name)
		}
	}
	fits := strings.TrimSuffix(strings.Repeat("active || ", 64), " || ")
	if _, err := query.Parse(fits); err != nil {
		t.Errorf("64 names: %v", err)
	}
}

func TestLabelsAreRefusedWithoutLookup(t *testing.T) {
	t.Parallel()
	env := env(t, "customers")
	env.Label = nil
	src, err := query.Parse(`support_rep == "Ada"`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = query.Check(context.Background(), env, src); err == nil || !strings.Contains(err.Error(), "`support_rep_id`") {
		t.Errorf("%v, want a refusal that names the key", err)
	}
}

func TestUnknownTable(t *testing.T) {
	t.Parallel()
	env := env(t, "nothing")
	src, _ := query.Parse(`id == 1`)
	if _, err := query.Check(context.Background(), env, src); err == nil || err.Error() != "no table `nothing`" {
		t.Errorf("%v", err)
	}
}

func TestParseOrder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, want string
		desc       bool
	}{{"opened_at desc", "opened_at", true}, {" a.b  ASC ", "a.b", false}, {"x", "x", false}, {"desc", "desc", false}, {"a + b Desc", "a + b", true}} {
		src, desc, err := query.ParseOrder(tt.text)
		if err != nil || desc != tt.desc || strings.TrimSpace(src.String()) != tt.want {
			t.Errorf("ParseOrder(%q) = %q, %v, %v", tt.text, src, desc, err)
		}
	}
	if _, _, err := query.ParseOrder("x nulls last"); err == nil || !strings.Contains(err.Error(), "null comes last") {
		t.Errorf("nulls last: %v", err)
	}
}

func TestSortKey(t *testing.T) {
	t.Parallel()
	env := env(t, "customers")
	for text, want := range map[string]query.Type{"data.address.city": query.String, "balance": query.Dec, "data": "", "support_rep": ""} {
		src, _ := query.Parse(text)
		e, err := query.SortKey(context.Background(), env, src)
		if (err != nil) != (want == "") || err == nil && e.Type() != want {
			t.Errorf("SortKey(%s) = %v, %v", text, e, err)
		}
	}
}
