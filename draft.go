package deputy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"example.com/deputy/query"
)

// maxLines bounds what a proposal shows: what cannot be shown whole cannot be confirmed.
const maxLines = 200

// maxValue bounds the text of one value, in bytes.
const maxValue = 64 << 10

// drafted is a draft made exact: records read as the person, values validated, unchanged ones dropped, versions taken, every line written.
type drafted struct {
	changes  []Change
	lines    []Line
	warnings []string
	summary  string
	table    string
	record   string
}

// drafter makes one draft exact.
type drafter struct {
	v      *View
	source func(text *string) Source
	out    drafted
}

// draft validates what a Propose tool wants as far as this person can see, and writes what they will be asked to confirm.
func (v *View) draft(ctx context.Context, d Draft, source func(*string) Source) (drafted, error) {
	w := &drafter{v: v, source: source, out: drafted{warnings: slices.Clone(d.Warnings)}}
	if len(d.Changes) == 0 {
		return w.out, Errorf(Invalid, "Nothing would change.")
	}
	var parts []string
	for _, c := range d.Changes {
		said, err := w.change(ctx, c)
		if err != nil {
			return w.out, err
		}
		parts = append(parts, said)
	}
	if len(w.out.lines) > maxLines {
		return w.out, Errorf(Unprocessable, "This would change more than can be shown (%d values): ask for less at once.", maxLines)
	}
	w.out.summary = strings.Join(parts, "; ")
	_, err := v.admit(ctx, w.out.changes)
	return w.out, err
}

func (w *drafter) change(ctx context.Context, c Change) (string, error) {
	t, err := w.v.Table(ctx, c.Table)
	if err != nil {
		return "", err
	}
	if t.View || len(t.Key) == 0 {
		return "", Errorf(Invalid, "%s can be read, not written: it has no primary key, or is a view", t.Name)
	}
	if err := w.v.may(ctx, c); err != nil {
		return "", err
	}
	switch c.Verb {
	case Create:
		return w.create(ctx, t, c)
	case Update:
		return w.update(ctx, t, c)
	case Delete:
		return w.delete(ctx, t, c)
	}
	return "", Errorf(Internal, "a change without a verb")
}

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
}

// named is the record for a sentence: 12 (Acme AS).
func (r *record) named() string {
	if r.label == "" || r.label == r.id {
		return plainly(r.id)
	}
	return fmt.Sprintf("%s (%s)", plainly(r.id), plainly(r.label))
}

// plainly is a text from the data inside a sentence of ours. What could end its place in the sentence puts it into quotes; what cannot be
// seen is shown as what it is.
func plainly(text string) string {
	var b strings.Builder
	odd := false
	for _, c := range cut(text, 120) {
		switch {
		case unicode.Is(unicode.C, c) || unicode.Is(unicode.Zl, c) || unicode.Is(unicode.Zp, c):
			fmt.Fprintf(&b, "[U+%04X]", c)
			odd = true
		case strings.ContainsRune("“”\"", c):
			b.WriteRune('\'')
			odd = true
		default:
			b.WriteRune(c)
			odd = odd || strings.ContainsRune("():;", c)
		}
	}
	if odd {
		return "“" + b.String() + "”"
	}
	return b.String()
}

func (w *drafter) record(ctx context.Context, t *query.Table, c Change) (*record, error) {
	is, ok := query.Expr(nil), false
	if len(c.Key) == len(t.Key) {
		is, ok = keyed(t, c.Key)
	}
	if !ok {
		return nil, noRecord(t.Name, RecordID(c.Key))
	}
	found, err := w.v.records(ctx, t, is, 1)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, noRecord(t.Name, RecordID(c.Key))
	}
	return found[0], w.v.permits(ctx, t, is, c.Verb)
}

// records reads records whole, with labels and versions.
func (v *View) records(ctx context.Context, t *query.Table, where query.Expr, limit int) ([]*record, error) {
	cols, err := v.Columns(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	label := v.labelOf(ctx, t)
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
	r.id = RecordID(r.key)
	r.label, _ = query.FormatValue(row[len(cols)])
	return r
}

// permits says whether a readable record may be written to: roles may grant that for fewer records.
func (v *View) permits(ctx context.Context, t *query.Table, is query.Expr, verb Verb) error {
	g, err := v.g.table(ctx, t.Name)
	if err != nil {
		return sayUnknown(t.Name, err)
	}
	if g.before[verb] == nil {
		return nil
	}
	key, _ := t.Field(t.Key[0])
	rows, err := v.host.Query(ctx, v.who, query.Query{Table: t.Name, Where: query.And(g.before[Read], g.before[verb], is), Limit: 1,
		Select: []query.Column{{As: key.Name, Expr: query.Ref{Table: t.Name, Field: key}}}})
	if err != nil {
		return err
	}
	if len(rows.Rows) == 0 {
		return Errorf(PermissionDenied, "You may read this record of %s, but not %s it.", t.Name, verb)
	}
	return nil
}

func (w *drafter) update(ctx context.Context, t *query.Table, c Change) (string, error) {
	r, err := w.record(ctx, t, c)
	if err != nil {
		return "", err
	}
	values, targets, err := w.values(ctx, t, c, r)
	if err != nil {
		return "", err
	}
	if len(values) == 0 {
		return "", Errorf(Invalid, "Nothing would change: the record has these values already.")
	}
	w.add(r, Change{Verb: Update, Table: t.Name, Key: r.key, Values: values, Version: r.version, VersionOf: r.of, When: c.When}, targets)
	return fmt.Sprintf("Update %s %s: %s", singular(t), r.named(), labels(t, values)), nil
}

func (w *drafter) create(ctx context.Context, t *query.Table, c Change) (string, error) {
	values, targets, err := w.values(ctx, t, c, nil)
	if err != nil {
		return "", err
	}
	if missing := missing(t, values); len(missing) > 0 {
		return "", Errorf(Invalid, "A new record of %s needs a value for: %s", t.Name, strings.Join(missing, ", "))
	}
	w.add(&record{t: t}, Change{Verb: Create, Table: t.Name, Values: values, When: c.When}, targets)
	if len(values) == 0 {
		return "Create " + singular(t), nil
	}
	return fmt.Sprintf("Create %s: %s", singular(t), labels(t, values)), nil
}

// add keeps a change and writes its lines.
func (w *drafter) add(r *record, c Change, targets map[string]string) {
	w.out.changes = append(w.out.changes, c)
	if w.out.table == "" {
		w.out.table, w.out.record = c.Table, r.id
	}
	for _, a := range c.Values {
		f, _ := r.t.Field(a.Field)
		l := Line{Table: c.Table, Record: r.id, RecordLabel: r.label, Verb: c.Verb, Field: f.Name, Label: f.Label, After: a.Text, Source: w.source(a.Text)}
		if old, ok := query.FormatValue(r.values[f.Name]); ok {
			l.Before, l.BeforeLabel = &old, r.labels[f.Name]
		}
		l.AfterLabel = targets[f.Name]
		w.out.lines = append(w.out.lines, l)
		if l.Source == SourceModel {
			w.out.warnings = append(w.out.warnings, fmt.Sprintf("%s: %s stands neither in your messages nor in the data.", f.Label, quoted(a.Text)))
		}
	}
}

func quoted(text *string) string {
	if text == nil {
		return "no value"
	}
	return "“" + strings.Trim(plainly(*text), "“”") + "”"
}

func labels(t *query.Table, values []Assign) string {
	out := make([]string, len(values))
	for i, a := range values {
		f, _ := t.Field(a.Field)
		out[i] = strings.ToLower(f.Label)
	}
	return strings.Join(out, ", ")
}

// singular is what one record of a table is called.
func singular(t *query.Table) string {
	name := strings.ToLower(t.Label)
	switch {
	case strings.HasSuffix(name, "ies"):
		return strings.TrimSuffix(name, "ies") + "y"
	case strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "ss") && !strings.HasSuffix(name, "us"):
		return strings.TrimSuffix(name, "s")
	}
	return name
}

func missing(t *query.Table, values []Assign) (out []string) {
	for _, f := range t.Fields {
		given := slices.ContainsFunc(values, func(a Assign) bool { return a.Field == f.Name })
		if f.Required && f.Default == "" && !f.Generated && !given {
			out = append(out, f.Name)
		}
	}
	return out
}

func (w *drafter) delete(ctx context.Context, t *query.Table, c Change) (string, error) {
	r, err := w.record(ctx, t, c)
	if err != nil {
		return "", err
	}
	change := Change{Verb: Delete, Table: t.Name, Key: r.key, Version: r.version, VersionOf: r.of, When: c.When}
	w.add(r, change, nil)
	w.gone(r)
	when, along, err := w.children(ctx, r, 0)
	if err != nil {
		return "", err
	}
	last := &w.out.changes[len(w.out.changes)-1]
	last.When = strings.Join(append(slices.DeleteFunc([]string{last.When}, func(s string) bool { return s == "" }), when...), " && ")
	said := fmt.Sprintf("Delete %s %s", singular(t), r.named())
	if len(along) > 0 {
		w.out.warnings = append(w.out.warnings, "With it go: "+strings.Join(along, ", ")+".")
		said += " and " + strings.Join(along, ", ")
	}
	return said, nil
}

// gone writes the lines of a record that is deleted.
func (w *drafter) gone(r *record) {
	for _, f := range r.t.Fields {
		if old, ok := query.FormatValue(r.values[f.Name]); ok {
			w.out.lines = append(w.out.lines, Line{Table: r.t.Name, Record: r.id, RecordLabel: r.label, Verb: Delete,
				Field: f.Name, Label: f.Label, Before: &old, BeforeLabel: r.labels[f.Name]})
		}
	}
}

// maxCascade bounds how deep a delete follows children.
const maxCascade = 8

// children shows the readable records that a delete takes along, and refuses where they stand in its way or may not be deleted. when are
// the conditions under which what is shown is still all; those that may not be read are looked at by the guard, at confirm.
func (w *drafter) children(ctx context.Context, r *record, depth int) (when, along []string, err error) {
	for _, rel := range r.t.Relations {
		if !rel.Many {
			continue
		}
		t, err := w.v.Table(ctx, rel.Table)
		if err != nil {
			return nil, nil, err
		}
		found, err := w.v.records(ctx, t, tied(t, rel, r), maxLines+1)
		if err != nil {
			return nil, nil, err
		}
		if depth == 0 {
			when = append(when, fmt.Sprintf("%s.count() == %d", rel.Name, len(found)))
		}
		if len(found) == 0 {
			continue
		}
		more, err := w.along(ctx, t, rel, found, depth)
		if err != nil {
			return nil, nil, err
		}
		along = append(along, append([]string{fmt.Sprintf("%d %s", len(found), strings.ToLower(t.Label))}, more...)...)
	}
	return when, along, nil
}

func (w *drafter) along(ctx context.Context, t *query.Table, rel query.Relation, found []*record, depth int) (more []string, err error) {
	rights, err := w.v.Rights(ctx, t.Name)
	switch {
	case err != nil:
		return nil, err
	case !rel.Cascade:
		return nil, Errorf(Unprocessable, "It cannot be deleted: %d %s belong to it (%s). Delete or move them first.", len(found), strings.ToLower(t.Label), ids(found))
	case !rights.Delete:
		return nil, Errorf(PermissionDenied, "It cannot be deleted: %s would go with it, and you may not delete those.", strings.ToLower(t.Label))
	case len(found) > maxLines || depth >= maxCascade:
		return nil, Errorf(Unprocessable, "It cannot be deleted: more would go with it than can be shown.")
	}
	for _, child := range found {
		if len(t.Key) > 0 {
			is, _ := keyed(t, child.key)
			if err := w.v.permits(ctx, t, is, Delete); err != nil {
				return nil, err
			}
		}
		w.gone(child)
		_, deeper, err := w.children(ctx, child, depth+1)
		if err != nil {
			return nil, err
		}
		more = append(more, deeper...)
	}
	return more, nil
}

func tied(t *query.Table, rel query.Relation, r *record) query.Expr {
	var is query.Expr
	for i, to := range rel.To {
		f, _ := t.Field(to)
		is = query.And(is, query.Equal(t.Name, f, r.values[rel.From[i]]))
	}
	return is
}

func ids(rs []*record) string {
	var out []string
	for _, r := range rs[:min(len(rs), 5)] {
		out = append(out, r.named())
	}
	if len(rs) > 5 {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}
