package guard

import (
	"context"

	"example.com/deputy/policy"
	"example.com/deputy/query"
)

// Look says of a change that was sent and not answered whether the record shows it: done, failed (it was not made) or unknown.
func Look(ctx context.Context, v *View, c Change) State {
	t, err := v.Table(ctx, c.Table)
	if err != nil || c.Verb == policy.Create {
		return Unknown
	}
	is, ok := query.Keyed(t, c.Key)
	q := query.Query{Table: t.Name, Where: is, Limit: 1, Version: c.VersionOf, Select: []query.Column{{As: "found", Expr: query.Lit{V: true, T: query.Bool}}}}
	for _, a := range c.Values {
		f, there := t.Field(a.Field)
		ok = ok && there
		q.Select = append(q.Select, query.Column{As: f.Name, Expr: query.Ref{Table: t.Name, Field: f}})
	}
	if !ok {
		return Unknown
	}
	found, err := v.Query(ctx, q)
	switch {
	case err != nil:
		return Unknown
	case len(found.Rows) == 0 && c.Verb == policy.Delete && v.absent(ctx, t, is):
		return Done
	case len(found.Rows) == 0:
		return Unknown
	}
	set := 0
	for i, a := range c.Values {
		f, _ := t.Field(a.Field)
		if unchanged(f, found.Rows[0][i+1], a) {
			set++
		}
	}
	switch {
	case c.Verb == policy.Update && set == len(c.Values): // also where the database does not move the version on
		return Done
	case set == 0 && found.Versions[0] == c.Version:
		return Failed
	}
	return Unknown
}

// absent says whether a record is not there at all: one that may not be read any more is not one that was deleted.
func (v *View) absent(ctx context.Context, t *query.Table, is query.Expr) bool {
	rows, err := v.host.Query(ctx, v.who, query.Query{Table: t.Name, Where: is, Limit: 1, Select: []query.Column{{As: "found", Expr: query.Lit{V: true, T: query.Bool}}}})
	return err == nil && len(rows.Rows) == 0
}
