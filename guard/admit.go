package guard

import (
	"context"
	"fmt"
	"slices"

	"example.com/deputy/fault"
	"example.com/deputy/policy"
	"example.com/deputy/query"
)

// may says whether the roles grant a change: its verb and its fields. A table that may not be read is unknown.
func (v *View) may(ctx context.Context, c Change) error {
	t, err := v.g.Table(ctx, c.Table)
	if err != nil {
		return sayUnknown(err)
	}
	of := t.Written(c.Verb)
	if v.free(c) {
		of = policy.Fields{All: true}
	}
	if of.None() {
		return fault.Errorf(fault.PermissionDenied, "You may not %s records of %s.", c.Verb, c.Table)
	}
	for _, a := range c.Values {
		if t.Sees(a.Field) && !of.Has(a.Field) {
			return fault.Errorf(fault.PermissionDenied, "You may not set %s of %s.", a.Field, c.Table)
		}
		if !t.Sees(a.Field) {
			return fault.Errorf(fault.NotFound, "no field `%s` in %s", a.Field, c.Table)
		}
	}
	return nil
}

// Admit checks changes against the rights of now and makes the writes of them, with every rule inside. earlier are those of their group that
// come before: they may be admitted through another view, which lends something else.
func Admit(ctx context.Context, v *View, earlier, cs []Change) ([]Write, error) {
	return v.admit(ctx, earlier, cs)
}

// admit checks changes against the rights of now and makes the writes of them. It runs at proposal, after the earlier
// changes of the group, and again at confirm, for all of them: that is possible because a change is data.
func (v *View) admit(ctx context.Context, earlier, cs []Change) ([]Write, error) {
	out := make([]Write, len(cs))
	for i, c := range cs {
		if err := v.may(ctx, c); err != nil {
			return nil, err
		}
		t, err := v.g.Table(ctx, c.Table)
		if err != nil {
			return nil, sayUnknown(err)
		}
		when, err := v.when(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("condition of a change: %w", err)
		}
		out[i] = Write{Change: c}
		before, after := t.Before(c.Verb), t.After(c.Verb)
		if v.free(c) {
			before, after = nil, nil
		}
		if c.Verb != policy.Delete {
			out[i].Check = after
		}
		if c.Verb != policy.Create {
			below, err := v.below(ctx, c)
			if err != nil {
				return nil, err
			}
			out[i].When = query.And(t.Before(policy.Read), before, when, below)
			if i == 0 && len(earlier) > 0 { // what a proposal stands on holds when its turn comes
				out[i].Still = when
			}
		}
		if err := v.targets(ctx, t.Full, c, slices.Concat(earlier, cs[:i])); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// when is the condition of a change, as this person may ask it.
func (v *View) when(ctx context.Context, c Change) (query.Expr, error) {
	given, err := c.given()
	if err != nil {
		return nil, err
	}
	when, err := v.Given(given).Condition(ctx, c.Table, c.When)
	if err != nil {
		return nil, err
	}
	return v.g.Restrict(ctx, when)
}

// below is the condition that as many readable children stand below a record as were shown.
func (v *View) below(ctx context.Context, c Change) (query.Expr, error) {
	t, err := v.Table(ctx, c.Table)
	if err != nil {
		return nil, err
	}
	given, err := c.given()
	if err != nil {
		return nil, err
	}
	var out query.Expr
	for _, n := range c.Children {
		rel, ok := t.Relation(n.Relation)
		if !ok || !rel.Many {
			return nil, fault.Errorf(fault.Conflict, "What stands below the record cannot be read any more.")
		}
		which, err := v.Given(given).Condition(ctx, rel.Table, n.Where)
		if err != nil {
			return nil, fmt.Errorf("condition on the children of a change: %w", err)
		}
		child := &query.Var{Name: "child"}
		count := query.Each{Fn: "count", Child: rel, Var: child, Where: query.Rebase(which, child, nil), T: query.Int}
		out = query.And(out, query.Op{Fn: "==", Args: []query.Expr{count, query.Lit{V: int64(n.N), T: query.Int}}, T: query.Bool})
	}
	return v.g.Restrict(ctx, out)
}

// targets looks at the records that a change's foreign keys would lead to, with the rights of now. One that may not be read answers like one
// that is not there.
func (v *View) targets(ctx context.Context, full *query.Table, c Change, earlier []Change) error {
	given := map[string]Assign{} // of the record, by the group so far
	for _, old := range earlier {
		if old.Verb == policy.Update && old.Table == c.Table && slices.Equal(old.Key, c.Key) {
			for _, a := range old.Values {
				given[a.Field] = a
			}
		}
	}
	for _, a := range c.Values {
		if a.From != "" && !slices.ContainsFunc(earlier, func(c Change) bool { return c.Verb == policy.Create && c.ID == a.From }) {
			return fault.Errorf(fault.Conflict, "%s is to be of a record that is not created after all: the change that creates it is not confirmed with this one.", a.Field)
		}
		given[a.Field] = a
	}
	for _, rel := range full.Relations {
		if rel.Many || !slices.ContainsFunc(rel.From, func(f string) bool { return given[f].Text != nil }) {
			continue
		}
		if err := v.target(ctx, full, rel, given, c, earlier); err != nil {
			return err
		}
	}
	return nil
}

func (v *View) target(ctx context.Context, full *query.Table, rel query.Relation, given map[string]Assign, c Change, earlier []Change) error {
	key, whole, err := v.leads(ctx, full, rel, given, c)
	if err != nil || !whole {
		return err
	}
	if _, made := keyed(earlier, rel, key); made {
		return nil
	}
	if _, err = v.reached(ctx, rel, key); fault.CodeOf(err) == fault.NotFound { // names no table and no part of a key that they may not read
		i := slices.IndexFunc(rel.From, func(f string) bool { return given[f].Text != nil })
		err = noRecord(rel.From[i], *given[rel.From[i]].Text)
	}
	return err
}

// reached is the label of the record that a foreign key leads to. One that may not be read answers like one that is not there.
func (v *View) reached(ctx context.Context, rel query.Relation, key []string) (label string, err error) {
	missing := noRecord(rel.Table, query.RecordID(key))
	t, err := v.Table(ctx, rel.Table)
	if fault.CodeOf(err) == fault.NotFound {
		return "", missing
	}
	if err != nil {
		return "", err
	}
	var is query.Expr
	for i, to := range rel.To {
		f, ok := t.Field(to)
		val, err := query.ParseValue(f.Type, key[i])
		if !ok || err != nil {
			return "", missing
		}
		is = query.And(is, query.Equal(t.Name, f, val))
	}
	label, there, err := v.labelWhere(ctx, t.Name, is)
	if err == nil && !there {
		err = missing
	}
	return label, err
}

// leads is where a foreign key would lead: values that are given, and for the rest those of the record. A key that is NULL in part leads
// nowhere.
func (v *View) leads(ctx context.Context, full *query.Table, rel query.Relation, given map[string]Assign, c Change) (key []string, whole bool, err error) {
	var old query.Row
	for _, name := range rel.From {
		if a, ok := given[name]; ok {
			if a.Text == nil {
				return nil, false, nil
			}
			key = append(key, *a.Text)
			continue
		}
		if c.Verb == policy.Create {
			return nil, false, nil
		}
		if old == nil {
			if old, err = v.old(ctx, full, rel.From, c.Key); err != nil {
				return nil, false, err
			}
		}
		text, ok := query.FormatValue(old[name])
		if !ok {
			return nil, false, nil
		}
		key = append(key, text)
	}
	return key, true, nil
}

// old reads fields of a record that a change is about, for the guard itself: also those that are hidden.
func (v *View) old(ctx context.Context, full *query.Table, names []string, key []string) (query.Row, error) {
	is, ok := query.Keyed(full, key)
	if !ok {
		return nil, noRecord(full.Name, query.RecordID(key))
	}
	var cols []query.Column
	for _, n := range names {
		f, _ := full.Field(n)
		cols = append(cols, query.Column{As: n, Expr: query.Ref{Table: full.Name, Field: f}})
	}
	g, err := v.g.Table(ctx, full.Name)
	if err != nil {
		return nil, sayUnknown(err)
	}
	rows, err := v.host.Query(ctx, v.who, query.Query{Table: full.Name, Where: query.And(g.Before(policy.Read), is), Limit: 1, Select: cols})
	if err != nil {
		return nil, err
	}
	if len(rows.Rows) == 0 {
		return nil, noRecord(full.Name, query.RecordID(key))
	}
	out := query.Row{}
	for i, c := range cols {
		out[c.As] = rows.Rows[0][i]
	}
	return out, nil
}
