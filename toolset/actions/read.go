package actions

import (
	"context"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

// plan is an action as one person may ask it: its texts read against what they may see.
type plan struct {
	table *query.Table
	when  query.Expr // nil: none
	set   []value
	then  []planned // one for each step
}

// planned is a step of a plan.
type planned struct {
	table    *query.Table
	relation query.Relation // to children; without a name it creates
	where    query.Expr     // about a child; nil: all
	text     string         // of where
	set      []value
}

// value is what a field is to become.
type value struct {
	field query.Field
	expr  query.Expr
	own   bool // no parameter stands in it
	now   bool // now() stands in it: a moment is written to the second, which is what many columns keep
}

// read reads the texts of an action. What the person may not see is not found.
func (a Action) read(ctx context.Context, v *deputy.View) (p plan, err error) {
	if p.table, err = v.Table(ctx, a.Table); err != nil {
		return p, err
	}
	if p.when, err = v.Condition(ctx, a.Table, a.When); err != nil {
		return p, err
	}
	if p.set, err = values(ctx, v, a.Table, p.table, a.Set); err != nil {
		return p, err
	}
	for _, s := range a.Then {
		var step planned
		if s.Create != nil {
			step, err = s.Create.read(ctx, v, a.Table)
		} else {
			step, err = s.Update.read(ctx, v, p.table)
		}
		if err != nil {
			return p, err
		}
		p.then = append(p.then, step)
	}
	return p, nil
}

func (c Create) read(ctx context.Context, v *deputy.View, about string) (s planned, err error) {
	if s.table, err = v.Table(ctx, c.Table); err != nil {
		return s, err
	}
	s.set, err = values(ctx, v, about, s.table, c.Values)
	return s, err
}

func (u Update) read(ctx context.Context, v *deputy.View, parent *query.Table) (s planned, err error) {
	rel, ok := parent.Relation(u.Children)
	if !ok {
		return s, deputy.Errorf(deputy.NotFound, "no field `%s` in %s", u.Children, parent.Name)
	}
	s.relation, s.text = rel, u.Where
	if s.table, err = v.Table(ctx, rel.Table); err != nil {
		return s, err
	}
	if s.where, err = v.Condition(ctx, rel.Table, u.Where); err != nil {
		return s, err
	}
	s.set, err = values(ctx, v, rel.Table, s.table, u.Set)
	return s, err
}

// values reads what fields are to become, in the order of the table's fields: expressions about the rows of another table, or of the same.
func values(ctx context.Context, v *deputy.View, about string, t *query.Table, texts map[string]string) (out []value, err error) {
	for _, f := range t.Fields {
		text, ok := texts[f.Name]
		if !ok {
			continue
		}
		one := value{field: f, expr: query.Lit{T: f.Type}, own: !mentions(text), now: strings.Contains(text, "now(")}
		if !isNull(text) {
			if one.expr, err = v.Expr(ctx, about, text); err != nil {
				return nil, err
			}
		}
		out = append(out, one)
	}
	if len(out) < len(texts) {
		return nil, deputy.Errorf(deputy.NotFound, "%s has not all fields that are set", t.Name)
	}
	return out, nil
}

// isNull says whether a text is the literal null, which alone is no expression: the field becomes empty.
func isNull(text string) bool { return strings.TrimSpace(text) == "null" }

// mentions says whether a parameter may stand in a text.
func mentions(text string) bool { return strings.Contains(text, "parameters") }

// bare are the fields of the record itself that an expression names, each once, but for secret ones.
func bare(e query.Expr) (out []query.Ref) {
	query.Walk(e, func(e query.Expr) {
		r, ok := e.(query.Ref)
		if ok && r.Var == nil && len(r.Hops) == 0 && r.Path == nil && !r.Field.Secret &&
			!slices.ContainsFunc(out, func(o query.Ref) bool { return o.Field.Name == r.Field.Name }) {
			out = append(out, r)
		}
	})
	return out
}
