package query

import (
	"cmp"
	"slices"
)

// Analysis asks for figures over the rows of a table that meet a condition: one row a group, or one row over all of them where there is
// nothing to group by. Rows whose keys are the same are one group, NULL is a group of its own, and a group without rows is none.
type Analysis struct {
	Table    string
	Where    Expr     // nil: every row
	GroupBy  []Column // over a row; the first columns of the result
	Measures []Column // over a group: of Agg, GroupKey and whatever is computed from them; none: the different groups alone
	Having   Expr     // over a group; nil: every group
	Order    []Order  // over a group; groups that tie are ordered by their keys
	Limit    int      // most groups; without GroupBy there is at most one row whatever it is
}

// Columns are the columns of the result: the keys, then the measures.
func (a Analysis) Columns() []Column { return slices.Concat(a.GroupBy, a.Measures) }

// GroupKey stands for a key of the group, over groups: the one of index N of Analysis.GroupBy.
type GroupKey struct {
	N  int
	As string
	T  Type
}

// Type implements Expr.
func (e GroupKey) Type() Type { return e.T }

// group is rows that belong together, and their keys.
type group struct {
	keys []Value
	rows []Row
}

// Eval is the meaning of an analysis: its result, given all rows of the table.
func (a Analysis) Eval(rows []Row, data Data) Rows {
	type line struct{ values, order []Value }
	var lines []line
	for _, g := range a.groups(rows, data) {
		if a.Having != nil && !Truth(g.eval(a.Having, data)) {
			continue
		}
		l := line{values: slices.Clone(g.keys)}
		for _, m := range a.Measures {
			l.values = append(l.values, g.eval(m.Expr, data))
		}
		for _, o := range a.Order {
			l.order = append(l.order, g.eval(o.Expr, data))
		}
		l.order = append(l.order, g.keys...)
		lines = append(lines, l)
	}
	slices.SortStableFunc(lines, func(x, y line) int {
		for i := range x.order {
			if c := nullsLast(x.order[i], y.order[i], i < len(a.Order) && a.Order[i].Desc); c != 0 {
				return c
			}
		}
		return 0
	})
	most := len(lines)
	if len(a.GroupBy) > 0 {
		most = min(most, max(a.Limit, 0))
	}
	out := Rows{Columns: a.Columns(), HasMore: most < len(lines)}
	for _, l := range lines[:most] {
		out.Rows = append(out.Rows, l.values)
	}
	return out
}

func nullsLast(x, y Value, desc bool) int {
	if x == nil || y == nil {
		return cmp.Compare(boolRank(x == nil), boolRank(y == nil))
	}
	c, _ := Compare(x, y)
	if desc {
		c = -c
	}
	return c
}

func (a Analysis) groups(rows []Row, data Data) []*group {
	var all []*group
	if len(a.GroupBy) == 0 {
		all = append(all, &group{})
	}
	byKeys := map[string]*group{}
	for _, row := range rows {
		if a.Where != nil && !Truth(Eval(a.Where, row, data)) {
			continue
		}
		if len(a.GroupBy) == 0 {
			all[0].rows = append(all[0].rows, row)
			continue
		}
		keys := make([]Value, len(a.GroupBy))
		for i, k := range a.GroupBy {
			keys[i] = Eval(k.Expr, row, data)
		}
		id := Version(keys)
		if byKeys[id] == nil {
			byKeys[id] = &group{keys: keys}
			all = append(all, byKeys[id])
		}
		byKeys[id].rows = append(byKeys[id].rows, row)
	}
	return all
}

// eval is the value of an expression over a group.
func (g *group) eval(e Expr, data Data) Value {
	return Eval(Map(e, func(e Expr) Expr {
		switch x := e.(type) {
		case Agg:
			return Lit{V: Aggregate(x, g.rows, data), T: x.T}
		case GroupKey:
			if x.N < len(g.keys) {
				return Lit{V: g.keys[x.N], T: x.T}
			}
			return Lit{T: x.T}
		}
		return e
	}), nil, data)
}
