package sqldb

import (
	"regexp"
	"slices"

	"example.com/deputy/query"
)

// searched says what is wrong with a field that the configuration names for searches.
func (t *table) searched(path, name string, before []string) error {
	col, ok := t.byField[name]
	switch {
	case !ok:
		return unknown(path, "field", name, sortedKeys(t.byField))
	case slices.Contains(before, name):
		return mistake(path, "`%s` stands twice; write it once", name)
	case col.field.Secret:
		return mistake(path, "`%s` is secret and is never searched; take it out", name)
	case !findable(col.field):
		return mistake(path, "`%s` is of type %s; only texts and whole numbers are searched", name, col.field.Type)
	}
	return nil
}

// findable says whether a search can look in a field.
func findable(f query.Field) bool {
	return !f.Secret && (f.Type == query.String || f.Type == query.Int)
}

// bareNames finds the fields that an expression may name: a name behind a point is one of another table.
var bareNames = regexp.MustCompile(`(?:^|[^.\w])([a-z_]\w*)`)

// searchFields guesses what a search looks in: the fields of the record label, then texts that alone tell a record from all others. Never nil.
func (t *table) searchFields() []string {
	out := []string{}
	add := func(f query.Field) {
		if findable(f) && !slices.Contains(out, f.Name) {
			out = append(out, f.Name)
		}
	}
	for _, m := range bareNames.FindAllStringSubmatch(t.offered.RecordLabel, -1) {
		if f, ok := t.offered.Field(m[1]); ok {
			add(f)
		}
	}
	for _, f := range t.offered.Fields {
		if f.Type == query.String && t.isUnique([]string{f.Name}) {
			add(f)
		}
	}
	return out
}
