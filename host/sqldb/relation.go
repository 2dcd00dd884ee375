package sqldb

import (
	"fmt"
	"slices"
	"strings"

	"example.com/deputy/query"
)

// link is a way from a child to its parent, in offered names; both ends know it.
type link struct {
	child, parent   *table
	from, to        []string
	cascade         bool
	nullify         bool
	name, childName string // given by the configuration; empty: by the rules
}

// relate collects the foreign keys and the relations of the configuration. One of the configuration that says what a foreign key says
// only names it.
func relate(s *schema, all map[string]*table, c Config) ([]*link, []error) {
	var links []*link
	for _, t := range s.tables {
		for _, f := range t.foreign {
			parent := s.find(f.space, f.table)
			links = append(links, &link{child: t, parent: parent, from: t.fields(f.from), to: parent.fields(f.to), cascade: f.cascade, nullify: f.nullify})
		}
	}
	var errs []error
	for i, r := range c.Relations {
		path := fmt.Sprintf("host.relations[%d]", i)
		child, from, err1 := end(all, path+".from", r.From)
		parent, to, err2 := end(all, path+".to", r.To)
		if err1 != nil || err2 != nil {
			errs = appendErrors(errs, err1, err2)
			continue
		}
		l := &link{child: child, parent: parent, from: []string{from}, to: []string{to}}
		if k := slices.IndexFunc(links, l.same); k >= 0 {
			l = links[k]
		} else {
			links = append(links, l)
		}
		errs = appendErrors(errs, badName(path+".name", r.Name), badName(path+".children", r.Children))
		l.name, l.childName = r.Name, r.Children
	}
	return slices.DeleteFunc(links, func(l *link) bool { return l.child.hidden || l.parent.hidden }), errs
}

func (l *link) same(o *link) bool {
	return l.child == o.child && l.parent == o.parent && slices.Equal(l.from, o.from) && slices.Equal(l.to, o.to)
}

// protect makes fields read-only that records of another table would follow. Those of a key stay as they are: a new record needs them, and
// the key of one that is there is not changed.
func protect(s *schema) {
	for _, t := range s.tables {
		for _, f := range t.foreign {
			parent := s.find(f.space, f.table)
			for _, name := range f.to {
				field := &parent.column(name).field
				field.ReadOnly = field.ReadOnly || f.follows && !slices.Contains(parent.key, name)
			}
		}
	}
}

// nameRelations gives both ends of every link their relation.
func nameRelations(c *catalog, links []*link) {
	up, down := map[*table][]*link{}, map[*table][]*link{}
	for _, l := range links {
		up[l.child], down[l.parent] = append(up[l.child], l), append(down[l.parent], l)
	}
	for _, t := range c.list {
		n := names{}
		for i, name := range parentNames(t, up[t]) {
			n[name] = true
			l := up[t][i]
			t.offered.Relations = append(t.offered.Relations, query.Relation{
				Name: name, Label: parentLabel(l), Table: l.parent.offered.Name, From: l.from, To: l.to})
		}
		addChildren(t, down[t], n)
	}
}

// parentNames: the column without a trailing _id, several columns by the parent table; where two would have one name, or a field of
// another meaning has it, the column's full name.
func parentNames(t *table, up []*link) []string {
	out := make([]string, len(up))
	count := map[string]int{}
	for i, l := range up {
		out[i] = shortName(l)
		count[out[i]]++
	}
	taken := names{}
	for i, l := range up {
		_, isField := t.byField[out[i]]
		ownField := len(l.from) == 1 && l.from[0] == out[i]
		if l.name == "" && !ownField && (isField || count[out[i]] > 1) {
			out[i] = strings.Join(l.from, "_")
		}
		if taken[out[i]] {
			out[i] = taken.number(out[i], 2)
		}
		taken[out[i]] = true
	}
	return out
}

func shortName(l *link) string {
	switch {
	case l.name != "":
		return l.name
	case len(l.from) > 1:
		return l.parent.offered.Name
	}
	if short, ok := strings.CutSuffix(l.from[0], "_id"); ok && snake(short) == short {
		return short
	}
	return l.from[0]
}

func parentLabel(l *link) string {
	if len(l.from) > 1 {
		return l.parent.offered.Label
	}
	return withoutID(l.child.byField[l.from[0]].field.Label)
}

// addChildren: children by the child table's name, as child_by_column where it has several links here or refers to itself.
func addChildren(t *table, down []*link, taken names) {
	links := map[*table]int{}
	for _, l := range down {
		links[l.child]++
	}
	for _, l := range down {
		name, title := l.child.offered.Name, l.child.offered.Label
		long := name + "_by_" + strings.Join(l.from, "_")
		_, isField := t.byField[name]
		switch {
		case l.childName != "":
			name = l.childName
		case links[l.child] > 1 || l.child == t || taken[name] || isField:
			name, title = long, title+" by "+strings.ToLower(parentLabel(l))
		}
		if taken[name] {
			name = taken.number(name, 2)
		}
		taken[name] = true
		t.offered.Relations = append(t.offered.Relations, query.Relation{
			Name: name, Label: title, Table: l.child.offered.Name, From: l.to, To: l.from, Many: true, Cascade: l.cascade, Nullify: l.nullify})
	}
}
