package deputy

import (
	"context"

	"example.com/deputy/query"
)

// narrowed is a catalog as one person may see it, lazily. A bare one does not ask whether a table's label may be read.
type narrowed struct {
	g    *grants
	bare bool
}

// Features implements query.Catalog.
func (n narrowed) Features() query.Features { return n.g.full.Features() }

// Tables implements query.Catalog. A page of the host's may hold nothing this person may read: then the next one is asked for.
func (n narrowed) Tables(ctx context.Context, term, after string) ([]query.Summary, error) {
	for {
		page, err := n.g.full.Tables(ctx, term, after)
		if err != nil || len(page) == 0 {
			return nil, err
		}
		var out []query.Summary
		for _, s := range page {
			if n.readable(s) {
				out = append(out, s)
			}
		}
		if len(out) > 0 {
			return out, nil
		}
		after = page[len(page)-1].Name
	}
}

func (n narrowed) readable(s query.Summary) bool {
	for _, r := range n.g.roles {
		if a, ok := r.access(s.Name, s.View); ok && a.allows(Read) {
			return true
		}
	}
	return false
}

// Table implements query.Catalog.
func (n narrowed) Table(ctx context.Context, name string) (*query.Table, error) {
	t, err := n.g.table(ctx, name)
	if err != nil {
		return nil, err
	}
	if shown := t.shown.Load(); shown != nil {
		return shown, nil
	}
	c := n.table(ctx, t)
	if n.bare || c.RecordLabel == "" {
		return c, nil
	}
	src, err := query.Parse(c.RecordLabel)
	if err == nil {
		_, err = query.Check(ctx, query.Env{Catalog: narrowed{n.g, true}, Table: name, Now: n.g.clock.Now, Zone: n.g.clock.Zone}, src)
	}
	if err != nil { // a field in it is hidden from this person
		c.RecordLabel = ""
	}
	t.shown.Store(c)
	return c, nil
}

func (n narrowed) table(ctx context.Context, t *tableGrant) *query.Table {
	c := *t.full
	c.Fields, c.Relations = nil, nil
	for _, f := range t.full.Fields {
		if n.g.sees(t, f.Name) {
			c.Fields = append(c.Fields, f)
		}
	}
	for _, k := range c.Key {
		if !n.g.sees(t, k) {
			c.Key = nil
			break
		}
	}
	if !n.g.sees(t, c.Version) {
		c.Version = ""
	}
	for _, r := range t.full.Relations {
		if n.leads(ctx, t, r) {
			c.Relations = append(c.Relations, r)
		}
	}
	return &c
}

// leads says whether a relation may be followed: the other table may be read, and so may the fields that tie them.
func (n narrowed) leads(ctx context.Context, from *tableGrant, r query.Relation) bool {
	to, err := n.g.table(ctx, r.Table)
	if err != nil {
		return false
	}
	for _, f := range r.From {
		if !n.g.sees(from, f) {
			return false
		}
	}
	for _, f := range r.To {
		if r.Many && !n.g.sees(to, f) {
			return false
		}
	}
	return true
}
