package sqldb

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"example.com/deputy/query"
)

// catalog is the schema as it is offered. It is made once and never changes.
type catalog struct {
	list   []*table // by offered name, without hidden ones
	byName map[string]*table
}

// newCatalog names tables, fields and relations, and applies the configuration.
func newCatalog(s *schema, c Config) (*catalog, error) {
	nameTables(s)
	protect(s)
	cat := &catalog{byName: map[string]*table{}}
	all := map[string]*table{}
	for _, t := range s.tables {
		all[t.offered.Name] = t
	}
	errs := configureTables(all, c)
	links, linkErrs := relate(s, all, c)
	if errs = append(errs, linkErrs...); len(errs) > 0 {
		return nil, joined(errs)
	}
	for _, t := range s.tables {
		if t.hidden {
			continue
		}
		t.finish()
		cat.list = append(cat.list, t)
		cat.byName[t.offered.Name] = t
	}
	nameRelations(cat, links)
	slices.SortFunc(cat.list, func(a, b *table) int { return cmp.Compare(a.offered.Name, b.offered.Name) })
	return cat, joined(checkLabels(cat, c))
}

// nameTables gives every table and column its offered name. The order of schemas, then of the
// database's own names decides who gets the plain one.
func nameTables(s *schema) {
	if !slices.ContainsFunc(s.tables, func(t *table) bool { return t.space != "" }) {
		slices.SortFunc(s.tables, func(a, b *table) int { return cmp.Compare(a.name, b.name) })
	}
	taken, spaces := names{}, map[string]string{}
	for _, t := range s.tables {
		t.offered = query.Table{Name: taken.among(spaces, t.space, t.name), Label: label(t.name), Comment: t.comment, View: t.view}
		t.byField = map[string]*column{}
		fields := names{}
		for _, c := range t.columns {
			c.field.Name, c.field.Label = fields.take(c.name, "field"), label(c.name)
			t.byField[c.field.Name] = c
		}
		for _, f := range t.foreign {
			for _, name := range f.from {
				t.column(name).field.Label = withoutID(t.column(name).field.Label)
			}
		}
	}
}

// finish fills the offered table from what is known of its columns.
func (t *table) finish() {
	t.offered.Key = t.fields(t.key)
	var within []string
	t.words = spoken(t.offered.Name, t.offered.Label, t.offered.Comment)
	for _, c := range t.columns {
		if t.view || len(t.key) == 0 {
			c.field.ReadOnly = true
		}
		t.offered.Fields = append(t.offered.Fields, c.field)
		c.words = spoken(c.field.Name, c.field.Label, c.field.Comment)
		within = append(within, c.words)
	}
	t.within = strings.Join(within, "\n")
	if t.offered.Checks, t.checks = t.demands(), nil; t.view {
		t.offered.Checks = nil
	}
	for _, columns := range t.unique {
		if len(columns) > 1 {
			t.offered.Unique = append(t.offered.Unique, t.fields(columns))
		}
	}
	if t.offered.RecordLabel == "" {
		t.offered.RecordLabel = recordLabel(&t.offered)
	}
	if t.offered.Search == nil && !t.view {
		t.offered.Search = t.searchFields()
	}
}

// isUnique says whether some fields, in any order, hold the whole of the key or of a unique index.
func (t *table) isUnique(fields []string) bool {
	has := func(columns []string) bool {
		return len(columns) > 0 && !slices.ContainsFunc(t.fields(columns), func(f string) bool { return !slices.Contains(fields, f) })
	}
	return has(t.key) || slices.ContainsFunc(t.unique, has)
}

// recordLabel guesses which fields name a record for people.
func recordLabel(t *query.Table) string {
	text := func(names ...string) string {
		for _, name := range names {
			if f, ok := t.Field(name); ok && !f.Secret && (f.Type == query.String || f.Type == query.Int && name == "number") {
				return name
			}
		}
		return ""
	}
	first, last := text("first_name", "firstname", "given_name"), text("last_name", "lastname", "surname", "family_name")
	if first == "" || last == "" {
		first, last = "", ""
	}
	return cmp.Or(text("name", "full_name", "display_name"), whole(t, first, last),
		text("title", "label", "subject", t.Name+"_name", t.Name+"_title", "number", t.Name+"_number", "code", "company", "username", "email"))
}

func whole(t *query.Table, first, last string) string {
	if first == "" {
		return ""
	}
	if f, _ := t.Field(first); f.Required {
		return first + ` + " " + ` + last
	}
	return `coalesce(` + first + ` + " ", "") + ` + last
}

// Features implements query.Catalog.
func (c *catalog) Features() query.Features {
	return query.Features{Transactions: true, Aggregates: true}
}

// Table implements query.Catalog.
func (c *catalog) Table(_ context.Context, name string) (*query.Table, error) {
	t, err := c.find(name)
	if err != nil {
		return nil, err
	}
	return &t.offered, nil
}

func (c *catalog) find(name string) (*table, error) {
	t, ok := c.byName[name]
	if !ok {
		return nil, query.ErrUnknown
	}
	return t, nil
}

// Tables implements query.Catalog: it finds tables by what they are called and said to be, and by their fields.
func (c *catalog) Tables(_ context.Context, term, after string) ([]query.Summary, error) {
	out := make([]query.Summary, 0, query.TablePage)
	term = strings.ToLower(term)
	from, _ := slices.BinarySearchFunc(c.list, after+"\x00", func(t *table, name string) int { return cmp.Compare(t.offered.Name, name) })
	for _, t := range c.list[from:] {
		fields, ok := t.found(term)
		if !ok {
			continue
		}
		o := &t.offered
		out = append(out, query.Summary{Name: o.Name, Label: o.Label, Comment: o.Comment, View: o.View, Fields: fields})
		if len(out) == query.TablePage {
			break
		}
	}
	return out, nil
}

// found says whether a term in small letters is in what a table is called, or else in which of its fields.
func (t *table) found(term string) (fields []string, ok bool) {
	if strings.Contains(t.words, term) {
		return nil, true
	}
	if !strings.Contains(t.within, term) {
		return nil, false
	}
	for _, c := range t.columns {
		if strings.Contains(c.words, term) {
			fields = append(fields, c.field.Name)
		}
	}
	return fields, len(fields) > 0
}

// spoken is what a term is looked for in.
func spoken(texts ...string) string { return strings.ToLower(strings.Join(texts, "\n")) }
