package guard

import (
	"context"
	"slices"
	"strings"

	"example.com/deputy/fault"
	"example.com/deputy/policy"
	"example.com/deputy/query"
)

// later is a record as it will be after a change, as far as that is known before.
type later struct {
	row  query.Row
	open map[string]bool // fields whose value is to come: made by the host, or by an earlier change
}

// after is what a change makes of a record; old is nil where it creates.
func after(t *query.Table, old query.Row, values ...[]Assign) later {
	out := later{query.Row{}, map[string]bool{}}
	for _, f := range t.Fields {
		v, known := old[f.Name], !f.Generated || slices.Contains(t.Key, f.Name)
		if old == nil {
			v, known = initial(f)
		}
		if out.row[f.Name] = v; !known || f.Secret {
			out.open[f.Name] = true
		}
	}
	for _, a := range slices.Concat(values...) {
		f, ok := t.Field(a.Field)
		if !ok {
			continue
		}
		delete(out.open, a.Field)
		out.row[a.Field] = nil
		if a.Text != nil {
			out.row[a.Field], _ = query.ParseValue(f.Type, *a.Text)
		}
		if a.From != "" {
			out.row[a.Field], out.open[a.Field] = NewRecord+a.From, true
		}
	}
	return out
}

// constraints tests what the schema says of more than one field, or of the record as a whole.
func (w *drafter) constraints(ctx context.Context, t *query.Table, values []Assign, r *record) error {
	var old query.Row
	if r != nil {
		old = r.values
	}
	will := after(t, old, values)
	sets := func(name string) bool {
		return slices.ContainsFunc(values, func(a Assign) bool { return a.Field == name })
	}
	for _, c := range t.Checks {
		if !slices.ContainsFunc(c.Fields, sets) {
			continue
		}
		rule, err := w.v.Condition(ctx, t.Name, c.Rule)
		if err != nil { // it cannot be said of what this person may see: the host tests it
			continue
		}
		null := func(x query.Ref, test bool) bool {
			return will.open[x.Field.Name] || will.row[x.Field.Name] == nil && !test
		}
		if query.Refutes(rule, will.row, nil, null) {
			return fault.Errorf(fault.Invalid, "%s: in %s this must hold: %s", strings.Join(slices.DeleteFunc(slices.Clone(c.Fields), func(f string) bool { return !sets(f) }), ", "), t.Name, c.Rule)
		}
	}
	groups := t.Unique
	if len(t.Key) > 1 {
		groups = append([][]string{t.Key}, groups...)
	}
	for _, fields := range groups {
		if !slices.ContainsFunc(fields, sets) {
			continue
		}
		if err := w.together(ctx, t, fields, will, r); err != nil {
			return err
		}
	}
	return nil
}

// together looks for another record with the same values of several fields, among those that this person may read.
func (w *drafter) together(ctx context.Context, t *query.Table, fields []string, will later, r *record) error {
	var m match
	made := false
	for _, name := range fields {
		f, ok := t.Field(name)
		text, from := will.row[name].(string)
		from = from && will.open[name] && strings.HasPrefix(text, NewRecord)
		if !ok || will.row[name] == nil || will.open[name] && !from {
			return nil
		}
		made = made || from
		m = append(m, valued{f, will.row[name]})
	}
	found := slices.DeleteFunc(w.created(t), func(o *record) bool { return !m.holds(o) })
	if !made {
		var err error
		if _, found, err = w.find(ctx, t, m, 2); err != nil {
			return err
		}
	}
	for _, other := range found {
		if !other.made && r != nil && other.id == r.id {
			continue
		}
		if other.made {
			return fault.Errorf(fault.Conflict, "%s: another record of %s that is proposed in this turn has the same.", strings.Join(fields, ", "), t.Name)
		}
		err := fault.Errorf(fault.Unprocessable, "%s: another record of %s has the same already: %s", strings.Join(fields, ", "), t.Name, other.named())
		err.Quotes = true
		return err
	}
	return nil
}

// rules refuses what a row rule forbids of the records as they will be, as far as that is known. The answer tells nothing of the rule.
func (w *drafter) rules(ctx context.Context, writes []Write) error {
	for i, wr := range writes {
		if wr.Check == nil || wr.Verb == policy.Delete {
			continue
		}
		forbidden, err := w.forbidden(ctx, wr, w.out.Changes[:i])
		if err != nil {
			return err
		}
		if forbidden {
			return fault.Errorf(fault.PermissionDenied, "You may not write such a record.")
		}
	}
	return nil
}

func (w *drafter) forbidden(ctx context.Context, wr Write, before []Change) (bool, error) {
	g, err := w.v.g.Table(ctx, wr.Table)
	if err != nil {
		return false, sayUnknown(err)
	}
	var old query.Row
	var earlier [][]Assign
	if wr.Verb == policy.Update {
		if old, err = w.v.old(ctx, g.Full, legible(g.Full), wr.Key); err != nil {
			return false, err
		}
		for _, c := range w.ahead.changes {
			if c.Verb == policy.Update && c.Table == wr.Table && slices.Equal(c.Key, wr.Key) {
				earlier = append(earlier, c.Values)
			}
		}
	}
	will := after(g.Full, old, append(earlier, wr.Values)...)
	rule, err := w.withParents(ctx, g.Full, wr.Check, will)
	return query.Refutes(rule, will.row, nil, func(x query.Ref, _ bool) bool { return len(x.Hops) > 0 || will.open[x.Field.Name] }), err
}

// withParents puts into a rule what it asks of the parents that a record will have, whatever the person may see of them. What the group changes
// is left: it is to come.
func (w *drafter) withParents(ctx context.Context, full *query.Table, rule query.Expr, will later) (query.Expr, error) {
	var err error
	rule = query.Map(rule, func(e query.Expr) query.Expr {
		x, ok := e.(query.Ref)
		if !ok || x.Var != nil || len(x.Hops) == 0 || err != nil || x.Field.Secret || slices.ContainsFunc(x.Hops, w.ahead.touches) {
			return e
		}
		var is query.Expr
		for k, from := range x.Hops[0].From {
			f, _ := full.Field(from)
			if will.open[from] {
				return e
			}
			if will.row[from] == nil {
				return query.Lit{T: x.Type()}
			}
			is = query.And(is, query.Equal(x.Hops[0].Table, query.Field{Name: x.Hops[0].To[k], Type: f.Type, Scale: f.Scale}, will.row[from]))
		}
		var v query.Value
		v, err = w.v.first(ctx, x, is)
		return query.Lit{V: v, T: x.Type()}
	})
	return rule, err
}

// first is what the guard itself reads of the parent that meets a condition; nil where there is none.
func (v *View) first(ctx context.Context, x query.Ref, is query.Expr) (query.Value, error) {
	table := x.Hops[0].Table
	x.Hops = x.Hops[1:]
	rows, err := v.host.Query(ctx, v.who, query.Query{Table: table, Where: is, Limit: 1, Select: []query.Column{{As: "value", Expr: x}}})
	if err != nil || len(rows.Rows) == 0 {
		return nil, err
	}
	return rows.Rows[0][0], nil
}

// touches says whether the group changes the table that a relation leads to.
func (a *ahead) touches(r query.Relation) bool {
	return slices.ContainsFunc(a.changes, func(c Change) bool { return c.Table == r.Table })
}

// legible are the fields of a table that can be read at all.
func legible(t *query.Table) (out []string) {
	for _, f := range t.Fields {
		if !f.Secret {
			out = append(out, f.Name)
		}
	}
	return out
}
