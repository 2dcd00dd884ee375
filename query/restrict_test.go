package query_test

import (
	"math/rand/v2"
	"testing"

	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
)

func rulesOf(t *testing.T, texts map[string]string) query.Rules {
	t.Helper()
	rules := map[string]query.Expr{}
	for table, text := range texts {
		env := env(t, table)
		env.Label = nil
		rules[table] = check(t, env, text)
	}
	return func(table string) query.Expr { return rules[table] }
}

// TestRestrict asks about the first customer, whose support rep is Bob, whose boss is Ada.
func TestRestrict(t *testing.T) {
	t.Parallel()
	env, rows := env(t, "customers"), rows(t)
	noBob := map[string]string{"employees": `name != "Bob"`}
	small := map[string]string{"orders": `total < 5`}
	for _, tt := range []struct {
		rules      map[string]string
		text, want string
	}{
		{noBob, `support_rep.name`, "null"},
		{noBob, `support_rep.reports_to.name`, "null"},
		{noBob, `support_rep_id`, "2"},
		{noBob, `support_rep == null`, "true"},
		{noBob, `support_rep != null`, "false"},
		{noBob, `support_rep.name != "Bob"`, "true"},
		{noBob, `support_rep.customers.count()`, "0"},
		{noBob, `support_rep.customers.all(c, false)`, "true"},
		{noBob, `support_rep.customers.exists()`, "false"},
		{noBob, `support_rep.customers.max(c, c.name)`, "null"},
		{noBob, `all.employees.count()`, "1"},
		{noBob, `all.employees.exists(e, e.reports_to != null)`, "false"},
		{noBob, `orders.exists(o, o.customer.support_rep.name == "Bob")`, "false"},
		{noBob, `name`, "Ærlig AS"},
		{small, `orders.count()`, "1"},
		{small, `orders.sum(o, o.total)`, "0.20"},
		{small, `orders.all(o, o.total < 5)`, "true"},
		{small, `orders.exists(o, o.order_lines.exists(l, l.product == "nut"))`, "false"},
		{small, `all.order_lines.count(l, l.order != null)`, "1"},
		{small, `all.order_lines.count(l, l.order == null)`, "1"},
		{small, `all.order_lines.count()`, "2"},
		{map[string]string{"orders": `order_lines.exists(l, l.product == "nut")`}, `orders.sum(o, o.id)`, "1"},
		{map[string]string{"orders": `customer.support_rep.name == "Ada"`}, `orders.exists()`, "false"},
		{map[string]string{"employees": `customers.exists(c, c.id == 1)`, "customers": `false`}, `support_rep.name`, "Bob"}, // rules see all rows
		{map[string]string{"employees": `reports_to == null`}, `all.employees.max(e, e.name)`, "Ada"},
		{map[string]string{"customers": `false`}, `name`, "Ærlig AS"}, // the outermost row's rule is not in it
		{map[string]string{"customers": `false`}, `all.customers.count()`, "0"},
	} {
		e := query.Restrict(check(t, env, tt.text), rulesOf(t, tt.rules))
		got, ok := query.FormatValue(query.Eval(e, rows["customers"][0], rows.Data))
		if !ok {
			got = "null"
		}
		if got != tt.want {
			t.Errorf("%s with %v = %s, want %s (as %s)", tt.text, tt.rules, got, tt.want, query.Text(e))
		}
	}
	e := check(t, env, `name`)
	if got := query.Restrict(e, nil); query.Text(got) != "name" {
		t.Errorf("without rules: %s", query.Text(got))
	}
}

// TestRestrictRulesThemselves restricts the very expressions that are the rules: a rule inside itself must not take its own loop variable for
// another's.
func TestRestrictRulesThemselves(t *testing.T) {
	t.Parallel()
	differed := 0
	for seed := range uint64(rounds(1000)) {
		r := rand.New(rand.NewPCG(seed, 3))
		w := querytest.NewWorld(r)
		texts := w.Rules(r, 3)
		rules, err := w.CheckRules(texts)
		if err != nil {
			t.Fatal(err)
		}
		kept := w.Rows.Keep(rules)
		for table := range texts {
			rule := rules(table)
			restricted := query.Restrict(rule, rules)
			for _, row := range w.Rows[table] {
				want, got := query.Eval(rule, row, kept.Data), query.Eval(restricted, row, w.Rows.Data)
				if !query.Same(want, got) {
					t.Fatalf("seed %d: %s over %v with %v: %v, want %v", seed, texts[table], row, texts, got, want)
				}
				if !query.Same(got, query.Eval(rule, row, w.Rows.Data)) {
					differed++
				}
			}
		}
	}
	if differed == 0 {
		t.Error("no rule ever changed anything: the test shows nothing")
	}
}

func TestRebase(t *testing.T) {
	t.Parallel()
	env := env(t, "customers")
	rule := check(t, env, `orders.exists(o, o.total > balance) && all.orders.count() > 1 && support_rep.name == "x"`)
	v := &query.Var{Name: "c"}
	hop := query.Relation{Name: "customer", Table: "customers", From: []string{"customer_id"}, To: []string{"id"}}
	one, other := query.Rebase(rule, v, []query.Relation{hop}), query.Rebase(rule, v, nil)
	vars := map[*query.Var]int{}
	for _, e := range []query.Expr{rule, one, other} {
		query.Walk(e, func(e query.Expr) {
			if x, ok := e.(query.Each); ok {
				vars[x.Var]++
				if len(x.Child.From) == 0 && (x.From != nil || x.Hops != nil) {
					t.Errorf("all.orders is asked of a row: %s", query.Text(x))
				}
			}
		})
	}
	if len(vars) != 6 {
		t.Errorf("%d variables for 6 loops: %v", len(vars), vars)
	}
	want := `(c.customer.orders.exists(o, o.total > c.customer.balance) && (all.orders.count() > 1)) && (c.customer.support_rep.name == "x")`
	if got := query.Text(one); got != want {
		t.Errorf("rebased: %s, want %s", got, want)
	}
}

// TestRuleInsideItself: with one variable for both loops, the inner one would compare each employee with themselves.
func TestRuleInsideItself(t *testing.T) {
	t.Parallel()
	rules := rulesOf(t, map[string]string{"employees": `all.employees.exists(e, e.reports_to == id)`})
	rows := querytest.Rows{"employees": {{"id": int64(1)}, {"id": int64(2), "reports_to": int64(1)}, {"id": int64(3), "reports_to": int64(2)}}}
	e := query.Restrict(rules("employees"), rules)
	for i, want := range []bool{true, false, false} {
		if got := query.Truth(query.Eval(e, rows["employees"][i], rows.Data)); got != want {
			t.Errorf("employee %d: %v, want %v", i+1, got, want)
		}
	}
}
