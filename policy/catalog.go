package policy

import (
	"context"

	"example.com/deputy/query"
)

// Catalog is the host's catalog narrowed to what the person may read, lazily: tables, fields, and relations between them.
func (g *Grants) Catalog() query.Catalog { return narrowed{g: g} }

// Label is the expression that names a record of a table; nil where the person may read none.
func (g *Grants) Label(ctx context.Context, table string) query.Expr {
	t, err := g.Table(ctx, table)
	if err != nil {
		return nil
	}
	return narrowed{g: g}.shown(ctx, t).label
}

// shown is a table as one person may see it, and what names its records for them; nil where nothing may.
type shown struct {
	table *query.Table
	label query.Expr
}

// narrowed is a catalog as one person may see it, lazily. A bare one does not ask whether a table's label may be read.
type narrowed struct {
	g    *Grants
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
			if n.g.mentions(s.Name, s.View) {
				out = append(out, s)
			}
		}
		if len(out) > 0 {
			return out, nil
		}
		after = page[len(page)-1].Name
	}
}

// Table implements query.Catalog.
func (n narrowed) Table(ctx context.Context, name string) (*query.Table, error) {
	t, err := n.g.Table(ctx, name)
	if err != nil {
		return nil, err
	}
	if n.bare {
		return n.table(ctx, t), nil
	}
	return n.shown(ctx, t).table, nil
}

// shown is worked out once for each view of the host.
func (n narrowed) shown(ctx context.Context, t *Grant) *shown {
	if s := t.shown.Load(); s != nil {
		return s
	}
	s := &shown{table: n.table(ctx, t)}
	if s.label = n.label(ctx, s.table); s.label == nil {
		s.table.RecordLabel = ""
	}
	t.shown.Store(s)
	return s
}

// label is the expression that names a record; nil where there is none, or a field in it is hidden from this person.
func (n narrowed) label(ctx context.Context, t *query.Table) query.Expr {
	if t.RecordLabel == "" {
		return nil
	}
	src, err := query.Parse(t.RecordLabel)
	if err != nil {
		return nil
	}
	e, err := query.Check(ctx, query.Env{Catalog: narrowed{n.g, true}, Table: t.Name, Now: n.g.who.Now, Zone: n.g.who.Zone}, src)
	if err != nil {
		return nil
	}
	return e
}

func (n narrowed) table(ctx context.Context, t *Grant) *query.Table {
	c := *t.Full
	c.Fields, c.Relations, c.Search = nil, nil, nil
	for _, f := range t.Full.Fields {
		if t.Sees(f.Name) {
			c.Fields = append(c.Fields, f)
		}
	}
	for _, k := range c.Key {
		if !t.Sees(k) {
			c.Key = nil
			break
		}
	}
	for _, f := range t.Full.Search {
		if t.Sees(f) {
			c.Search = append(c.Search, f)
		}
	}
	if !t.Sees(c.Version) {
		c.Version = ""
	}
	for _, r := range t.Full.Relations {
		if n.leads(ctx, t, r) {
			c.Relations = append(c.Relations, r)
		}
	}
	return &c
}

// leads says whether a relation may be followed: the other table may be read, and so may the fields that tie them.
func (n narrowed) leads(ctx context.Context, from *Grant, r query.Relation) bool {
	to, err := n.g.Table(ctx, r.Table)
	if err != nil {
		return false
	}
	for _, f := range r.From {
		if !from.Sees(f) {
			return false
		}
	}
	for _, f := range r.To {
		if r.Many && !to.Sees(f) {
			return false
		}
	}
	return true
}
