package sqldb

import (
	"context"
	"strings"

	"example.com/deputy"
)

// follower is a foreign key whose rows go or change along with the row that they refer to.
type follower struct {
	rows   string                     // what to write after FROM, by the name child
	link   func(parent string) string // the condition that a child refers to a parent, and is not the parent itself
	hidden bool                       // not all of its rows can be seen
}

// along tests, just before a record is deleted, what would go or change along with it.
func (g *group) along(ctx context.Context, t *table, w deputy.Write) (deputy.Applied, error) {
	ok, err := g.holds(ctx, t, w.Key, w.Check)
	switch {
	case err != nil:
		return deputy.Applied{}, err
	case ok:
		ok, err = g.alone(ctx, t, w.Key)
	default: // of one that is gone, the statement says so
		ok, err = g.holds(ctx, t, w.Key, nil)
		ok = !ok
	}
	if err != nil || ok {
		return deputy.Applied{}, err
	}
	return refuse(deputy.Failed, notAlong), nil
}

// alone asks the database itself whether nothing refers to a record that would follow it.
func (g *group) alone(ctx context.Context, t *table, key []string) (bool, error) {
	all, known := g.followers[t]
	if !known {
		var err error
		if all, err = g.h.db.followers(ctx, g.conn, t); err != nil {
			return false, err
		}
		g.followers[t] = all
	}
	for _, f := range all {
		if f.hidden {
			return false, nil
		}
		found, err := g.followed(ctx, t, key, f)
		if err != nil && ctx.Err() == nil && g.h.db.fault(err) == denied {
			return false, nil
		}
		if err != nil || found {
			return false, err
		}
	}
	return true, nil
}

func (g *group) followed(ctx context.Context, t *table, key []string, f follower) (bool, error) {
	which, ok := keyCondition(t, key)
	if !ok {
		return false, nil
	}
	c := g.h.compiler()
	defer g.h.db.forget(c)
	s := c.open(t, nil, nil)
	where := c.condition(which, s)
	if c.err != nil {
		return false, c.err
	}
	text := "SELECT 1 FROM " + c.from(s) + ", " + f.rows + " AS child WHERE " + where + " AND " + f.link(s.root.alias) + " LIMIT 1"
	rows, err := lines(ctx, g.conn, text, c.args, nil)
	return len(rows) > 0, err
}

// links joins the conditions of a foreign key's columns, and leaves out the parent itself where one is given that says so.
func links(all []func(parent string) string, itself func(parent string) string) func(string) string {
	return func(parent string) string {
		var out []string
		for _, one := range all {
			out = append(out, one(parent))
		}
		text := strings.Join(out, " AND ")
		if itself != nil {
			text += " AND NOT (" + itself(parent) + ")"
		}
		return "(" + text + ")"
	}
}
