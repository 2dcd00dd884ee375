package policy

import (
	"context"
	"slices"
	"strings"

	"example.com/deputy/query"
)

// Catalog is the host's catalog narrowed to what the person may read, lazily: tables, fields, and relations between them.
func (g *Grants) Catalog() query.Catalog { return narrowed{g: g} }

// Label is the expression that names a record of a table; nil where the person may read none.
func (g *Grants) Label(ctx context.Context, table string) query.Expr {
	t, err := g.grant(ctx, table)
	if err != nil {
		return nil
	}
	return narrowed{g: g}.label(ctx, t)
}

// label is what names the records of a table for one person; nil where nothing may.
type label struct{ e query.Expr }

// narrowed is a catalog as one person may see it, lazily. A bare one does not ask whether a table's label may be read; a lone one shows no
// relations.
type narrowed struct {
	g          *Grants
	bare, lone bool
}

// Features implements query.Catalog.
func (n narrowed) Features() query.Features { return n.g.full.Features() }

// Tables implements query.Catalog. The first page of all is asked for once: every tool that is offered to who may read anything looks at it.
func (n narrowed) Tables(ctx context.Context, term, after string) ([]query.Summary, error) {
	if term != "" || after != "" {
		return n.page(ctx, term, after)
	}
	if first := n.g.first.Load(); first != nil {
		return slices.Clone(*first), nil
	}
	page, err := n.page(ctx, "", "")
	if err == nil {
		n.g.first.Store(&page)
	}
	return slices.Clone(page), err
}

// page is what is left of a page of the host's. One may hold nothing that this person may read: then the next one is asked for.
func (n narrowed) page(ctx context.Context, term, after string) ([]query.Summary, error) {
	for {
		page, err := n.g.full.Tables(ctx, term, after)
		if err != nil || len(page) == 0 {
			return nil, err
		}
		var out []query.Summary
		for _, s := range page {
			if n.g.mentions(s.Name, s.View) && n.found(ctx, &s) {
				out = append(out, s)
			}
		}
		if len(out) > 0 {
			return out, nil
		}
		after = page[len(page)-1].Name
	}
}

// found says whether a table was found by something that this person may read, and leaves out of the summary what they may not.
func (n narrowed) found(ctx context.Context, s *query.Summary) bool {
	if s.Fields == nil {
		return true
	}
	read, seen := n.g.reading(ctx, s.Name), []string{}
	for _, f := range s.Fields {
		if n.g.sees(s.Name, read, f) {
			seen = append(seen, f)
		}
	}
	s.Fields = seen
	return len(seen) > 0
}

// Table implements query.Catalog.
func (n narrowed) Table(ctx context.Context, name string) (*query.Table, error) {
	t, err := n.g.grant(ctx, name)
	if err != nil {
		return nil, err
	}
	if n.bare {
		return n.table(ctx, t), nil
	}
	return n.shown(ctx, t), nil
}

// shown is worked out once for each view of the host.
func (n narrowed) shown(ctx context.Context, t *Grant) *query.Table {
	if s := t.shown.Load(); s != nil {
		return s
	}
	s := n.table(ctx, t)
	if n.label(ctx, t) == nil {
		s.RecordLabel = ""
	}
	t.shown.Store(s)
	return s
}

// label is the expression that names a record, worked out once; nil where there is none, or a field in it is hidden from this person.
func (n narrowed) label(ctx context.Context, t *Grant) query.Expr {
	if l := t.label.Load(); l != nil {
		return l.e
	}
	l := &label{}
	if text := t.Full.RecordLabel; text != "" {
		if src, err := n.g.policy.labels.Parse(text); err == nil {
			alone := narrowed{g: n.g, bare: true, lone: !strings.Contains(text, ".")} // without a path it stays in its table
			env := query.Env{Catalog: alone, Table: t.Full.Name, Now: n.g.who.Now, Zone: n.g.who.Zone}
			if l.e, err = query.Check(ctx, env, src); err != nil {
				l.e = nil
			}
		}
	}
	t.label.Store(l)
	return l.e
}

func (n narrowed) table(ctx context.Context, t *Grant) *query.Table {
	c := *t.Full
	c.Fields, c.Relations, c.Search, c.Unique, c.Checks = nil, nil, nil, nil, nil
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
	for _, fields := range t.Full.Unique {
		if all(fields, t.Sees) {
			c.Unique = append(c.Unique, fields)
		}
	}
	for _, check := range t.Full.Checks {
		if all(check.Fields, t.Sees) {
			c.Checks = append(c.Checks, check)
		}
	}
	if !t.Sees(c.Version) {
		c.Version = ""
	}
	if n.lone {
		return &c
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
	if !all(r.From, from.Sees) {
		return false
	}
	read := n.g.reading(ctx, r.Table)
	return !read.None() && (!r.Many || all(r.To, func(f string) bool { return n.g.sees(r.Table, read, f) }))
}

func all(names []string, is func(string) bool) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !is(n) })
}
