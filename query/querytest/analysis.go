package querytest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/deputy/query"
)

// Analysis is what an analysis is asked with: texts. Measures are named by As, those beyond its end m0, m1 and so on.
type Analysis struct {
	Table, Where               string
	GroupBy, Measures, OrderBy []string
	As                         []string
	Having                     string
	Limit                      int
}

// Name is how the measure of index i is called.
func (a Analysis) Name(i int) string {
	if i < len(a.As) && a.As[i] != "" {
		return a.As[i]
	}
	return fmt.Sprintf("m%d", i)
}

// Analysis makes a random analysis of a table. depth bounds how deep its expressions are nested; 2 is plenty.
func (w *World) Analysis(r *rand.Rand, table string, depth int) Analysis {
	a := Analysis{Table: table, Limit: 1 + r.IntN(5)}
	types := Types()
	if r.IntN(2) == 0 {
		a.Where = w.Condition(r, table, depth)
	}
	var keys []key
	for range r.IntN(3) {
		t := pick(r, types)
		text := w.Value(r, table, t, depth)
		if (t == query.Date || t == query.Timestamp) && r.IntN(2) == 0 {
			text, t = pick(r, []string{"year", "quarter", "month", "week", "day"})+"("+text+")", query.Date
		}
		if !slices.Contains(a.GroupBy, text) {
			a.GroupBy, keys = append(a.GroupBy, text), append(keys, key{text, t})
		}
	}
	for range r.IntN(3) + 1 - min(len(a.GroupBy), 1) {
		a.Measures = append(a.Measures, w.figure(r, table, keys, pick(r, types), depth))
	}
	if r.IntN(2) == 0 {
		a.Having = w.figure(r, table, keys, query.Bool, depth)
	}
	for range r.IntN(3) {
		text := w.figure(r, table, keys, pick(r, types), depth)
		if n := len(a.Measures); n > 0 && r.IntN(2) == 0 {
			text = fmt.Sprintf("m%d", r.IntN(n))
		}
		a.OrderBy = append(a.OrderBy, text+pick(r, []string{"", " desc"}))
	}
	return a
}

// figure makes a random expression of a type over groups.
func (w *World) figure(r *rand.Rand, table string, keys []key, t query.Type, depth int) string {
	for {
		g := &figures{generator{w: w, r: r}, keys}
		g.rows = []place{{"", g.table(table)}}
		text := g.of(t, depth)
		if _, err := query.Parse(text); err == nil {
			return text // else it is beyond the bounds
		}
	}
}

// figures makes expressions over groups.
type figures struct {
	generator
	keys []key
}

// key is a group key and its type.
type key struct {
	text string
	t    query.Type
}

func (g *figures) of(t query.Type, depth int) string {
	d := depth - 1
	if depth <= 0 {
		return g.aggregate(t, 1)
	}
	for _, k := range g.keys {
		if k.t == t && g.r.IntN(3) == 0 {
			return k.text
		}
	}
	switch g.r.IntN(6) {
	case 0:
		return fmt.Sprintf("coalesce(%s, %s)", g.of(t, d), g.literal(t))
	case 1:
		return fmt.Sprintf("(%s ? %s : %s)", g.of(query.Bool, d), g.of(t, d), g.of(t, d))
	case 2:
		switch t {
		case query.Int:
			return fmt.Sprintf("(%s %s %s)", g.of(t, d), pick(g.r, []string{"+", "-", "*", "%"}), g.of(t, d))
		case query.Dec:
			return fmt.Sprintf("(%s %s %s)", g.of(pick(g.r, []query.Type{t, query.Int}), d), pick(g.r, []string{"+", "-", "*", "/"}), g.of(t, d))
		case query.Bool:
			of := pick(g.r, []query.Type{query.Int, query.Dec, query.String, query.Date, query.Timestamp})
			return fmt.Sprintf("(%s %s %s)", g.of(of, d), pick(g.r, []string{"==", "!=", "<", ">="}), g.of(of, d))
		case query.String:
			return fmt.Sprintf("lower(%s)", g.of(t, d))
		}
	}
	return g.aggregate(t, d)
}

// aggregate makes one aggregate, or what is made of one where no aggregate is of the type.
func (g *figures) aggregate(t query.Type, d int) string {
	least := pick(g.r, []string{"min", "max"})
	switch t {
	case query.Bool:
		return fmt.Sprintf("%s %s", g.aggregate(query.Int, d), pick(g.r, []string{"> 1", "!= null", "<= 2"}))
	case query.Int:
		return g.oneOf(func() string { return "count()" },
			func() string {
				return fmt.Sprintf("count_distinct(%s)", g.expr(pick(g.r, Types()), d))
			},
			func() string { return "count_if(" + g.expr(query.Bool, d) + ")" },
			func() string { return "count(" + g.expr(pick(g.r, Types()[1:]), d) + ")" },
			func() string { return pick(g.r, []string{"sum", "min", "max"}) + "(" + g.expr(t, d) + ")" },
			func() string { return fmt.Sprintf("sum_if(%s, %s)", g.expr(t, d), g.expr(query.Bool, d)) })
	case query.Dec:
		return g.oneOf(func() string { return pick(g.r, []string{"sum", "avg", "min", "max"}) + "(" + g.expr(t, d) + ")" },
			func() string { return "avg(" + g.expr(query.Int, d) + ")" },
			func() string { return fmt.Sprintf("sum_if(%s, %s)", g.expr(t, d), g.expr(query.Bool, d)) })
	}
	return least + "(" + g.expr(t, d) + ")"
}

// CheckAnalysis checks the texts of an analysis, and writes row rules into it where there are some.
func (w *World) CheckAnalysis(a Analysis, rules query.Rules) (query.Analysis, error) {
	out := query.Analysis{Table: a.Table, Limit: a.Limit}
	env := w.Env(a.Table)
	check := func(text string, f func(context.Context, query.Env, *query.Source) (query.Expr, error)) (query.Expr, error) {
		src, err := query.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		e, err := f(context.Background(), env, src)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		return e, nil
	}
	var err error
	if a.Where != "" {
		if out.Where, err = check(a.Where, query.Condition); err != nil {
			return out, err
		}
	}
	for _, text := range a.GroupBy {
		e, err := check(text, query.SortKey)
		if err != nil {
			return out, err
		}
		out.GroupBy = append(out.GroupBy, query.Column{As: text, Expr: e})
	}
	env.Groups = &query.Groups{Keys: out.GroupBy}
	for i, text := range a.Measures {
		e, err := check(text, query.Check)
		if err != nil {
			return out, err
		}
		out.Measures = append(out.Measures, query.Column{As: a.Name(i), Expr: e})
		env.Groups = &query.Groups{Keys: out.GroupBy, Measures: out.Measures}
	}
	if a.Having != "" {
		if out.Having, err = check(a.Having, query.Condition); err != nil {
			return out, err
		}
	}
	for _, text := range a.OrderBy {
		plain, desc := strings.CutSuffix(text, " desc")
		e, err := check(plain, query.SortKey)
		if err != nil {
			return out, err
		}
		out.Order = append(out.Order, query.Order{Expr: e, Desc: desc})
	}
	return restrict(out, rules), nil
}

func restrict(a query.Analysis, rules query.Rules) query.Analysis {
	if rules == nil {
		return a
	}
	a.Where, a.Having = query.Restrict(a.Where, rules), query.Restrict(a.Having, rules)
	for i := range a.GroupBy {
		a.GroupBy[i].Expr = query.Restrict(a.GroupBy[i].Expr, rules)
	}
	for i := range a.Measures {
		a.Measures[i].Expr = query.Restrict(a.Measures[i].Expr, rules)
	}
	for i := range a.Order {
		a.Order[i].Expr = query.Restrict(a.Order[i].Expr, rules)
	}
	return a
}
