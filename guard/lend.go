package guard

import (
	"context"
	"fmt"
	"slices"

	"example.com/deputy/fault"
	"example.com/deputy/policy"
	"example.com/deputy/query"
)

// Grant is a write that a tool lends whoever may use it, for its own changes alone: a verb, and the fields it may set. What a role may read
// still holds for every record and every field; what it may write does not matter then.
type Grant struct {
	Table  string
	Verb   policy.Verb
	Fields []string // none for a delete
}

// Lend is the same view for the changes of a tool that lends: Prepare and Admit allow those, whatever the person's roles say of the verb. It is
// no method of the view: a tool cannot lend itself anything.
func Lend(v *View, grants []Grant) *View {
	lent := *v
	lent.lent = grants
	return &lent
}

// lends says whether a change is lent whole.
func (v *View) lends(c Change) bool {
	return slices.ContainsFunc(v.lent, func(g Grant) bool {
		return g.Table == c.Table && g.Verb == c.Verb && !slices.ContainsFunc(c.Values, func(a Assign) bool { return !slices.Contains(g.Fields, a.Field) })
	})
}

// Tests says whether a change makes none: an update without values only tests that its record is as it was shown, before the others of its
// group are made. To read the record is all it takes.
func (c Change) Tests() bool { return c.Verb == policy.Update && len(c.Values) == 0 }

// Untested takes back the answers to what only tests, where not all of its group was done: nothing was made of it.
func Untested(ws []Write, done []Applied) {
	if !slices.ContainsFunc(done, func(a Applied) bool { return a.State != Done }) {
		return
	}
	for i := range done {
		if ws[i].Tests() && done[i].State == Done {
			done[i] = Applied{State: Pending}
		}
	}
}

// free says whether the rules of a role about writing do not matter to a change.
func (v *View) free(c Change) bool { return c.Tests() || v.lends(c) }

// conditional says whether a change stands on more than its own record's values.
func (c Change) conditional() bool {
	return c.When != "" || c.Verb == policy.Update && (len(c.Children) > 0 || len(c.Values) == 0)
}

// given are the parameters that the conditions of a change may name.
func (c Change) given() (map[string]query.Lit, error) {
	out := map[string]query.Lit{}
	for _, a := range c.Given {
		l := query.Lit{T: a.Type}
		if a.Text != nil {
			var err error
			if l.V, err = query.ParseValue(a.Type, *a.Text); err != nil {
				return nil, err
			}
		}
		out[a.Field] = l
	}
	return out, nil
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
