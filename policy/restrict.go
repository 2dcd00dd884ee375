package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"example.com/deputy/query"
)

// Unknown is the one answer for a table or a field that is not there and for one that may not be read. It is query.ErrUnknown.
type Unknown struct{ Table, Field string }

// Error implements error.
func (u *Unknown) Error() string {
	if u.Field != "" {
		return fmt.Sprintf("no field `%s` in %s", u.Field, u.Table)
	}
	return "unknown table " + u.Table
}

// Is implements errors.Is.
func (u *Unknown) Is(target error) bool { return target == query.ErrUnknown }

func unknown(table string, err error) error {
	if errors.Is(err, query.ErrUnknown) {
		return &Unknown{Table: table}
	}
	return err
}

// Restrict writes the rule of every table that an expression touches into it, at every hop, child and label. One that touches what this
// person may not read is refused (*Unknown), wherever the expression came from. nil stays nil.
func (g *Grants) Restrict(ctx context.Context, e query.Expr) (query.Expr, error) {
	if e == nil {
		return nil, nil
	}
	r := restriction{g, map[string]query.Expr{}, nil}
	query.Walk(e, func(e query.Expr) {
		switch x := e.(type) {
		case query.Ref:
			r.field(ctx, x)
			r.hops(ctx, x.Hops)
		case query.Each:
			r.touch(ctx, x.Child.Table)
			r.hops(ctx, x.Hops)
		}
	})
	if r.refused != nil {
		return nil, r.refused
	}
	return query.Restrict(e, func(table string) query.Expr { return r.rules[table] }), nil
}

// restriction is what was met in one expression.
type restriction struct {
	g       *Grants
	rules   map[string]query.Expr
	refused error // the first refusal
}

func (r *restriction) refuse(err error) {
	if r.refused == nil {
		r.refused = err
	}
}

func (r *restriction) touch(ctx context.Context, table string) {
	t, err := r.g.Table(ctx, table)
	if err != nil {
		r.refuse(err)
		return
	}
	r.rules[table] = t.Before(Read)
}

func (r *restriction) hops(ctx context.Context, hops []query.Relation) {
	for _, h := range hops {
		r.touch(ctx, h.Table)
	}
}

func (r *restriction) field(ctx context.Context, x query.Ref) {
	r.touch(ctx, x.Table)
	if t, err := r.g.Table(ctx, x.Table); err == nil && !t.Sees(x.Field.Name) && !endOfHop(x) {
		r.refuse(&Unknown{x.Table, x.Field.Name})
	}
}

// endOfHop says whether a field is the one that the last hop arrives by: its value is that of the foreign key, which may be read, so it
// tells only whether there is a parent.
func endOfHop(x query.Ref) bool {
	return len(x.Hops) > 0 && slices.Contains(x.Hops[len(x.Hops)-1].To, x.Field.Name)
}
