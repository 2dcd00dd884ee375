package sqldb

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

// figures are what an analysis computes of groups. Its statement has three layers: the rows, with every key and every argument of an aggregate as
// a column (k0, v0); the groups, with every aggregate as a column (a0); and what is computed from those, labels of what a key leads to among it.
type figures struct {
	rows   *scope
	late   *scope   // of the groups: of the row, only fields that are keys are known there
	keys   []part   // as they are named outside
	inside []string // columns of the rows
	groups []string // columns of the groups
	by     []string // what is grouped by
	known  []known  // aggregates without children, which may stand in several places
}

type known struct {
	agg query.Agg
	as  part
}

// Analyze implements deputy.Host.
func (h *Host) Analyze(ctx context.Context, _ deputy.Person, a query.Analysis) (query.Rows, error) {
	t, err := h.catalog.find(a.Table)
	if err != nil {
		return query.Rows{}, err
	}
	if n := max(len(a.GroupBy)+len(a.Measures), len(a.GroupBy)+len(a.Order)); n > mostColumns {
		return query.Rows{}, tooMany(n)
	}
	if len(a.GroupBy)+len(a.Measures) == 0 {
		return query.Rows{}, deputy.Errorf(deputy.Invalid, "The analysis asks for nothing.")
	}
	c := h.compiler()
	defer h.db.forget(c)
	text, outs := c.analysis(t, a)
	if c.err != nil {
		return query.Rows{}, c.err
	}
	lines, err := h.db.ask(ctx, question{text, c.args, outs, false})
	if err != nil {
		return query.Rows{}, h.readError(ctx, a.Table, err)
	}
	out := query.Rows{Columns: a.Columns(), Rows: lines}
	if len(a.GroupBy) > 0 && len(lines) > a.Limit {
		out.Rows, out.HasMore = lines[:a.Limit], true
	}
	return out, nil
}

func (c *compiler) analysis(t *table, a query.Analysis) (text string, outs []output) {
	f := &figures{rows: c.open(t, nil, nil), late: &scope{joined: map[string]node{}, known: map[string]part{}}}
	f.late.root = node{f.late, "g", t}
	c.figures = f
	f.group(c, a.GroupBy)
	over := &scope{joined: map[string]node{}} // over groups no name stands for a row
	for _, k := range f.keys {
		outs = append(outs, c.output(k))
	}
	for _, m := range a.Measures {
		outs = append(outs, c.output(c.expr(m.Expr, over)))
	}
	having := c.condition(a.Having, over)
	var order []string
	if len(a.GroupBy) > 0 { // else there is nothing to order
		order = c.groupOrder(a, over)
	}
	where := c.condition(a.Where, f.rows)
	text = "SELECT " + list(outs) + " FROM (" + f.text(c, where) + ") AS g" + strings.Join(f.late.joins, "") + " WHERE " + having
	if len(a.GroupBy) == 0 {
		return text, outs
	}
	return c.dialect.page(text, c.bind(int64(max(a.Limit, 0))+1), c.bind(int64(0)), order), outs
}

func (c *compiler) groupOrder(a query.Analysis, over *scope) (order []string) {
	for _, o := range a.Order {
		p := c.expr(o.Expr, over)
		order = append(order, c.dialect.sort(c.sql(p), p.t, o.Desc, true))
	}
	for _, k := range c.figures.keys {
		order = append(order, c.dialect.sort(k.text, k.t, false, true))
	}
	return order
}

// group adds the keys. What a key that is a field leads to, its label, is the same for a whole group: it is looked up for each group, not for
// each row.
func (f *figures) group(c *compiler, keys []query.Column) {
	for i, k := range keys {
		if ref, ok := k.Expr.(query.Ref); ok && ofField(ref) {
			f.late.known[ref.Field.Name] = part{text: fmt.Sprintf("g.k%d", i), t: ref.Field.Type}
		}
	}
	for i, k := range keys {
		if ref, ok := k.Expr.(query.Ref); ok && ofField(ref) || !f.follows(k.Expr) {
			f.add(c, i, c.expr(k.Expr, f.rows))
			continue
		}
		f.keys = append(f.keys, c.expr(k.Expr, f.late))
	}
}

// ofField says whether a key is a field of the row whose value all rows of its group have.
func ofField(x query.Ref) bool {
	return x.Var == nil && len(x.Hops) == 0 && x.Path == nil && x.Field.Type != query.Dec && x.Field.Type != query.JSON && !x.Field.Secret
}

// follows says whether an expression says nothing of the row but by way of fields that are keys, and is worth to be looked up late.
func (f *figures) follows(e query.Expr) bool {
	follows, leads := true, false
	from := func(v *query.Var, hops []query.Relation, fields ...string) {
		if v != nil {
			return
		}
		if len(hops) > 0 {
			fields, leads = hops[0].From, true
		}
		for _, name := range fields {
			_, known := f.late.known[name]
			follows = follows && known
		}
	}
	query.Walk(e, func(e query.Expr) {
		switch x := e.(type) {
		case query.Ref:
			from(x.Var, x.Hops, x.Field.Name)
		case query.Each:
			from(x.From, x.Hops, x.Child.From...)
		}
	})
	return follows && leads
}

// add adds a key that is computed of each row. Every value of a group is the same, but a decimal may be written in several ways: then one of
// them is shown.
func (f *figures) add(c *compiler, n int, p part) {
	name := fmt.Sprintf("k%d", n)
	if p.t != query.Dec {
		f.inside = append(f.inside, c.dialect.distinct(c.sql(p), p.t)+" AS "+name)
		f.groups = append(f.groups, "r."+name+" AS "+name)
		f.by = append(f.by, "r."+name)
	} else {
		text := c.sql(p)
		f.inside = append(f.inside, text+" AS "+name)
		f.groups = append(f.groups, c.dialect.fold(c, "min", c.oneOf("r."+name, text), p.t, p.t)+" AS "+name)
		f.by = append(f.by, c.dialect.distinct("r."+name, p.t))
	}
	f.keys = append(f.keys, part{text: "g." + name, t: p.t})
}

// key is a key over groups.
func (f *figures) key(c *compiler, x query.GroupKey) part {
	if f == nil || x.N < 0 || x.N >= len(f.keys) {
		c.fail("no group key %s", x.As)
		return part{text: c.dialect.constant(c, nil, x.T), t: x.T}
	}
	return f.keys[x.N]
}

// aggregate is an aggregate over groups.
func (f *figures) aggregate(c *compiler, x query.Agg) part {
	if f == nil {
		c.fail("%s stands where there are no groups", query.Text(x))
		return part{text: c.dialect.constant(c, nil, x.T), t: x.T}
	}
	simple := true // two of the same text with children in them need not be the same
	query.Walk(x.Arg, func(e query.Expr) {
		_, isEach := e.(query.Each)
		simple = simple && !isEach
	})
	if simple {
		for _, k := range f.known {
			if reflect.DeepEqual(k.agg, x) {
				return k.as
			}
		}
	}
	as := f.column(c, x)
	if simple {
		f.known = append(f.known, known{x, as})
	}
	return as
}

// column computes an aggregate as a column of the groups.
func (f *figures) column(c *compiler, x query.Agg) part {
	text := "count(*)"
	if x.Arg != nil {
		value := fmt.Sprintf("v%d", len(f.inside))
		c.computed = true
		p := c.expr(x.Arg, f.rows)
		c.computed = false
		inner := c.sql(p)
		f.inside = append(f.inside, c.dialect.carry(c, x.Fn, p, inner, value)...)
		switch value = c.oneOf("r."+value, inner); x.Fn {
		case "count":
			text = "count(" + value + ")"
		case "count_distinct":
			text = "count(DISTINCT " + c.dialect.distinct(value, p.t) + ")"
		case "sum", "avg", "min", "max":
			text = c.dialect.fold(c, x.Fn, value, p.t, x.T)
		default:
			c.fail("no aggregate %s", x.Fn)
		}
	}
	name := fmt.Sprintf("a%d", len(f.groups))
	f.groups = append(f.groups, text+" AS "+name)
	return part{text: c.oneOf("g."+name, text), t: x.T}
}

// text is the statement of the groups; asked for once everything that is computed of them is compiled.
func (f *figures) text(c *compiler, where string) string {
	if len(f.groups) == 0 {
		f.groups = append(f.groups, "count(*) AS a0") // makes one group of all rows
	}
	if len(f.inside) == 0 {
		f.inside = append(f.inside, "1 AS v0")
	}
	text := "SELECT " + strings.Join(f.groups, ", ") + " FROM (SELECT " + strings.Join(f.inside, ", ") + " FROM " + c.from(f.rows) + " WHERE " + where + ") AS r"
	if len(f.by) > 0 {
		text += " GROUP BY " + strings.Join(f.by, ", ")
	}
	return text
}
