package hosttest

import (
	"context"
	"strings"
	"testing"
	"time"

	"example.com/deputy/query"
)

// Fuzz asks a host whatever text parses and checks, with row rules written into it: what comes back is what query.Eval says.
func Fuzz(f *testing.F, open Open) {
	b := newBench(f, open)
	for _, text := range append(expressions(), conditions()...) {
		f.Add(text)
	}
	rules := map[string]query.Expr{"orders": b.compile("orders", `status != "paid" && customer.id != 2`), "regions": b.compile("regions", `code != "S"`),
		"customers": b.compile("customers", `credit == null || orders.count() != 1`)}
	env := query.Env{Catalog: catalog{b.fake}, Table: "customers", Zone: time.UTC, Now: time.Date(2026, 2, 1, 0, 30, 0, 0, time.UTC)}
	f.Fuzz(func(t *testing.T, text string) {
		if folds := strings.Count(text, "("); folds > 12 || len(text) > 500 {
			t.Skip("too much to compute")
		}
		src, err := query.Parse(text)
		if err != nil {
			return
		}
		e, err := query.Check(context.Background(), env, src)
		if err != nil {
			return
		}
		restricted := query.Restrict(e, func(table string) query.Expr { return rules[table] })
		at := *b
		at.TB = t
		q := query.Query{Table: "customers", Limit: 100, Select: []query.Column{{As: "plain", Expr: e}, {As: "restricted", Expr: restricted}}}
		at.same(q, text)
		if e.Type() == query.Bool {
			q.Where = restricted
		}
		q.Order = []query.Order{{Expr: restricted}}
		at.same(q, "ordered: "+text)
	})
}
