package app

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"example.com/deputy/query"
)

//go:embed init.yaml
var initYAML string

// draft is a configuration made of a schema. The same schema gives the same text but for the token.
type draft struct {
	database, store, token string
	tables                 []*query.Table
	byName                 map[string]*query.Table
	granted                map[string]bool // what the example role reads
	owner                  owner
	brief                  bool // of tables that are not granted only the names
}

func newDraft(tables []*query.Table) *draft {
	d := &draft{tables: tables, byName: map[string]*query.Table{}, owner: findOwner(tables)}
	for _, t := range tables {
		d.byName[t.Name] = t
	}
	d.granted = choose(tables, d.byName, d.owner)
	return d
}

// fit is the whole text, with less said of each table where it would be too large to be read again.
func (d *draft) fit(most int) (string, error) {
	text := d.text()
	if len(text) > most {
		d.brief = true
		text = d.text()
	}
	if len(text) > most {
		return "", fmt.Errorf("%d tables are more than one configuration holds; write it by hand, with the tables that are to be read", len(d.tables))
	}
	return text, nil
}

func (d *draft) text() string {
	return strings.NewReplacer("@store@", yamlText(d.store), "@database@", yamlText(d.database), "@token@", yamlText(d.token),
		"@pages@", d.pages(), "@relations@", d.undeclared(), "@tables@", d.tableList(), "@attributes@", d.attributes(), "@grants@", d.grants(),
	).Replace(initYAML)
}

// pages is an example over a table that is there.
func (d *draft) pages() string {
	name := d.tables[0].Name
	for _, t := range d.tables {
		if d.granted[t.Name] && len(t.Key) > 0 && !t.View {
			name = t.Name
			break
		}
	}
	return fmt.Sprintf(`#pages: { %s: "/%s/{id}" }`, yamlText(name), name)
}

// tableList says of every table how it is offered; those that are not granted are commented out.
func (d *draft) tableList() string {
	var p page
	p.words(2, "Every table and view, by the name that rules use, with how people call it and its records (record_label: an expression over its fields). "+
		"Those that the example role does not read are commented out. What a field looks like is a guess by its name and type, for you to judge; "+
		"classes are no keys of this file yet.")
	p.line(2, len(d.granted) == 0, "tables:")
	for _, t := range d.tables {
		if off := !d.granted[t.Name]; off && d.brief {
			p.line(4, off, "%s: { label: %s }", yamlText(t.Name), yamlText(t.Label))
		} else {
			d.describeTable(&p, t, off)
		}
	}
	return p.String()
}

func (d *draft) describeTable(p *page, t *query.Table, off bool) {
	p.line(4, off, "%s:", yamlText(t.Name))
	p.line(6, off, "label: %s", yamlText(t.Label))
	if t.RecordLabel != "" {
		p.line(6, off, "record_label: %s", yamlText(t.RecordLabel))
	}
	switch {
	case t.View:
		p.words(6, "a view: may be read, never written")
	case len(t.Key) == 0:
		p.words(6, "no primary key: may be read, never written, and its records cannot be named one by one")
	}
	byLooks := map[looks][]string{}
	for _, f := range t.Fields {
		l := guess(t, f)
		byLooks[l] = append(byLooks[l], f.Name)
	}
	for l := secret; l >= ordinary; l-- {
		if names := byLooks[l]; len(names) > 0 {
			p.words(6, l.say()+": "+strings.Join(names, ", "))
		}
	}
	if r := relationWords(t); r != "" {
		p.words(6, "relations: "+r)
	}
}

// relationWords names the relations of a table and where they lead.
func relationWords(t *query.Table) string {
	var out []string
	for _, r := range t.Relations {
		switch {
		case len(r.From) == 0:
		case r.Many:
			out = append(out, fmt.Sprintf("%s (many of %s)", r.Name, r.Table))
		default:
			out = append(out, fmt.Sprintf("%s (one of %s, by %s)", r.Name, r.Table, strings.Join(r.From, ", ")))
		}
	}
	return strings.Join(out, ", ")
}

// undeclared are relations that names suggest and the schema does not declare, commented out.
func (d *draft) undeclared() string {
	var p page
	for _, t := range d.tables {
		for _, f := range t.Fields {
			if to := d.suggests(t, f); to != "" && !d.brief {
				p.line(4, true, "- { from: %s.%s, to: %s }", t.Name, f.Name, to)
			}
		}
	}
	if p.Len() == 0 {
		return ""
	}
	var head page
	head.words(2, "Relations that names suggest and the schema does not declare:")
	head.line(2, true, "relations:")
	return head.String() + p.String()
}

// suggests is the key that customer_id means by its name, as table.field; empty where there is none or where it is a foreign key already.
func (d *draft) suggests(t *query.Table, f query.Field) string {
	base, ok := strings.CutSuffix(f.Name, "_id")
	if _, declared := t.Parent(f.Name); !ok || declared || base == "" {
		return ""
	}
	for _, name := range []string{base, base + "s", base + "es", strings.TrimSuffix(base, "y") + "ies"} {
		to := d.byName[name]
		if to == nil || to == t || to.View || len(to.Key) != 1 {
			continue
		}
		if key, _ := to.Field(to.Key[0]); key.Type == f.Type {
			return name + "." + key.Name
		}
	}
	return ""
}

// attributes is what the rules of the example ask of the person.
func (d *draft) attributes() string {
	if d.owner.table == nil {
		return ""
	}
	var p page
	p.words(6, "Which of "+d.owner.to+" the person is, for the rules below.")
	p.line(6, true, `attributes: { %s: "1" }`, d.owner.attribute())
	return p.String()
}

// grants is the example role's tables, those it reads first.
func (d *draft) grants() string {
	if len(d.granted) == 0 {
		return "      tables: {}\n"
	}
	var p page
	p.line(6, false, "tables:")
	ruled := false
	for _, t := range d.tables {
		if d.granted[t.Name] {
			d.grant(&p, t, &ruled)
		}
	}
	if d.brief {
		return p.String()
	}
	for i, t := range slices.DeleteFunc(slices.Clone(d.tables), func(t *query.Table) bool { return d.granted[t.Name] || len(harmless(t)) == 0 }) {
		if i == 0 {
			p.words(8, "Not granted:")
		}
		p.line(8, true, "%s: { read: %s }", yamlText(t.Name), readable(t))
	}
	return p.String()
}

func (d *draft) grant(p *page, t *query.Table, ruled *bool) {
	p.line(8, false, "%s:", yamlText(t.Name))
	p.line(10, false, "read: %s", readable(t))
	rule := d.owner.rule(t, d.byName)
	if rule == "" {
		return
	}
	if !*ruled {
		p.words(10, "Only the records that belong to the person; needs the attribute above.")
		*ruled = true
	}
	p.line(10, true, "rows: %s", yamlText(rule))
}

// readable is true, or the list of what the example may read of a table.
func readable(t *query.Table) string {
	left := harmless(t)
	if len(left) == len(t.Fields) {
		return "true"
	}
	return flow(left)
}
