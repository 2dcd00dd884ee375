package sqldb

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"example.com/deputy"
)

// lockAll waits until no other transaction is writing one of the records, and keeps them from then on: in one order everywhere, so that
// two groups never wait for each other.
func (g *group) lockAll(ctx context.Context, ws []deputy.Write) error {
	if g.h.db.lock() == "" {
		return nil
	}
	ws = slices.Clone(ws)
	slices.SortFunc(ws, func(a, b deputy.Write) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), slices.Compare(a.Key, b.Key))
	})
	for _, w := range ws {
		if t := g.target(w); t != nil && w.Verb != deputy.Create {
			if err := g.lock(ctx, t, w.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *group) lock(ctx context.Context, t *table, key []string) error {
	which, ok := keyCondition(t, key)
	if !ok {
		return nil
	}
	c := g.h.compiler()
	defer g.h.db.forget(c)
	s := c.open(t, nil, nil)
	where := c.condition(which, s)
	if c.err != nil {
		return c.err
	}
	_, err := lines(ctx, g.conn, "SELECT 1 FROM "+c.from(s)+" WHERE "+where+g.h.db.lock(), c.args, nil)
	return err
}
