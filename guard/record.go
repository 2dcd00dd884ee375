package guard

import (
	"context"
	"strings"

	"example.com/deputy/query"
)

// record is a record as this person reads it.
type record struct {
	t       *query.Table
	key     []string
	id      string
	label   string
	values  query.Row
	labels  map[string]string // of foreign keys
	version string
	of      []string
	made    bool // by an earlier change of the group: it is not there yet
}

// records reads records whole, with labels and versions.
func (v *View) records(ctx context.Context, t *query.Table, where query.Expr, limit int) ([]*record, error) {
	cols, err := v.Columns(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	label := v.g.Label(ctx, t.Name)
	if label == nil {
		label = query.Lit{T: query.String}
	}
	of := versionOf(t)
	rows, err := v.Query(ctx, query.Query{Table: t.Name, Where: where, Select: append(cols, query.Column{As: ".label", Expr: label}), Limit: limit, Version: of})
	if err != nil {
		return nil, err
	}
	out := make([]*record, len(rows.Rows))
	for i, row := range rows.Rows {
		out[i] = newRecord(t, cols, row)
		if out[i].of = of; i < len(rows.Versions) {
			out[i].version = rows.Versions[i]
		}
	}
	return out, nil
}

// VersionOf names the fields of a table's version, to ask for with a query (query.Query.Version) of what a change is worked out from: a Change
// with that Version is drafted only of the record that was read.
func (v *View) VersionOf(t *query.Table) []string { return versionOf(t) }

// versionOf names the fields whose values tell whether a record has changed: the table's version, else all that may be read.
func versionOf(t *query.Table) []string {
	if _, ok := t.Field(t.Version); ok {
		return []string{t.Version}
	}
	var out []string
	for _, f := range t.Fields {
		if !f.Secret {
			out = append(out, f.Name)
		}
	}
	return out
}

func newRecord(t *query.Table, cols []query.Column, row []query.Value) *record {
	r := &record{t: t, values: query.Row{}, labels: map[string]string{}}
	for i, c := range cols {
		if field, ok := strings.CutSuffix(c.As, ".label"); ok {
			r.labels[field], _ = query.FormatValue(row[i])
			continue
		}
		r.values[c.As] = row[i]
	}
	for _, k := range t.Key {
		text, _ := query.FormatValue(r.values[k])
		r.key = append(r.key, text)
	}
	r.id = query.RecordID(r.key)
	r.label, _ = query.FormatValue(row[len(cols)])
	return r
}
