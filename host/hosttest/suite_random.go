package hosttest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
)

// How many random worlds are asked how many random questions each.
const (
	worlds    = 100
	questions = 25
)

// testRandom asks random questions over random small databases, as a value, as a condition and as an order, with random row rules written
// into them or not; what comes back is what query.Eval says.
func testRandom(t *testing.T, open Open) {
	const seed = 1
	for n := range worlds {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		w := querytest.NewWorld(r)
		var tables []query.Table
		for _, table := range w.Tables {
			tables = append(tables, *table)
		}
		host := open(t, tables, w.Rows)
		rules, err := w.CheckRules(w.Rules(r, 1))
		if err != nil {
			t.Fatal(err)
		}
		b := &bench{TB: t, host: host, fake: New(tables, w.Rows), tables: tables}
		for q := range questions {
			b.randomQuestion(r, w, rules, fmt.Sprintf("world %d, question %d", n, q))
			if t.Failed() {
				return
			}
		}
	}
}

func (b *bench) randomQuestion(r *rand.Rand, w *querytest.World, rules query.Rules, name string) {
	b.Helper()
	table := w.Tables[r.IntN(len(w.Tables))]
	types := querytest.Types()
	compiled := func(t query.Type) query.Expr {
		text := w.Value(r, table.Name, t, 3)
		e, err := w.Check(table.Name, text, t == query.Bool)
		if err != nil {
			b.Fatalf("%s: %s: %v", name, text, err)
		}
		if name += "\n" + text; r.IntN(2) == 0 {
			name += " (with rules)"
			return query.Restrict(e, rules)
		}
		return e
	}
	q := query.Query{Table: table.Name, Limit: 1 + r.IntN(6), Offset: r.IntN(2)}
	for _, k := range table.Key {
		f, _ := table.Field(k)
		q.Select = append(q.Select, query.Column{As: k, Expr: query.Ref{Table: table.Name, Field: f}})
	}
	q.Select = append(q.Select, query.Column{As: "x", Expr: compiled(types[r.IntN(len(types))])})
	if r.IntN(2) == 0 {
		q.Where = compiled(query.Bool)
	}
	if r.IntN(2) == 0 {
		q.Order = []query.Order{{Expr: compiled(types[r.IntN(len(types))]), Desc: r.IntN(2) == 0}}
	}
	b.same(q, name)
	a := query.Analysis{Table: table.Name, Where: q.Where, Measures: []query.Column{
		{As: "n", Expr: query.Agg{Fn: "count", Arg: q.Select[len(table.Key)].Expr, T: query.Int}},
		{As: "d", Expr: query.Agg{Fn: "count_distinct", Arg: q.Select[len(table.Key)].Expr, T: query.Int}}}}
	b.sameFigures(a, name)
}
