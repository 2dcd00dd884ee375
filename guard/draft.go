package guard

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/deputy/fault"
	"example.com/deputy/internal/jsondiff"
	"example.com/deputy/internal/plain"
	"example.com/deputy/policy"
	"example.com/deputy/query"
)

// maxLines bounds what a proposal shows: what cannot be shown whole cannot be confirmed.
const maxLines = 200

// maxValue bounds the text of one value, in bytes.
const maxValue = 64 << 10

// Earlier is a proposal that stands before in the group: a draft reads through what it will do.
type Earlier struct {
	Position int
	Changes  []Change
}

// Wanted is what a tool wants written, and what the engine knows of the call.
type Wanted struct {
	Title    string // of what is done, before the changes in the summary: an action's label. Empty: none
	Changes  []Change
	Warnings []string
	Ref      string // of the call, by which a model knows it: c3
	Group    []Earlier
	Source   func(text *string) Source // where a new value comes from
}

// Draft is a write made exact: records read as the person, values validated, unchanged ones dropped, versions taken, every line written.
type Draft struct {
	Changes  []Change
	Lines    []Line
	Warnings []string
	Summary  string
	Table    string // of what is changed first
	Record   string // its id; empty when it creates
}

// drafter makes one draft exact.
type drafter struct {
	v        *View
	ref      string
	position int // of the proposal in its group
	source   func(text *string) Source
	ahead    *ahead            // of this draft too, as far as it is made
	named    map[string]string // the ID of a change by what the tool calls it
	out      Draft
	going    map[string]bool // table and id of what is being deleted
	several  bool            // changes are wanted
}

// Prepare validates what a Propose tool wants as far as this person can see, and writes what they will be asked to confirm. It is no method of
// the view, as Admit and Look are none: tools have no use for them.
func Prepare(ctx context.Context, v *View, d Wanted) (Draft, error) {
	w := &drafter{v: v, ref: d.Ref, position: len(d.Group) + 1, source: d.Source, ahead: aheadOf(d.Group), named: map[string]string{}, going: map[string]bool{},
		out: Draft{Warnings: slices.Clone(d.Warnings)}}
	earlier := len(w.ahead.changes)
	if len(d.Changes) == 0 {
		return w.out, fault.Errorf(fault.Invalid, "Nothing would change.")
	}
	w.several = len(d.Changes) > 1
	var parts []part
	for _, c := range d.Changes {
		said, err := w.change(ctx, c)
		if err != nil {
			return w.out, err
		}
		parts = append(parts, said)
	}
	if len(w.out.Lines) > maxLines {
		return w.out, fault.Errorf(fault.Unprocessable, "This would change more than can be shown (%d values): ask for less at once.", maxLines)
	}
	if !slices.ContainsFunc(w.out.Changes, func(c Change) bool { return !c.Tests() }) {
		return w.out, fault.Errorf(fault.Invalid, "Nothing would change: the records have these values already.")
	}
	w.out.Summary = summary(d.Title, parts)
	if err := w.ahead.collides(earlier); err != nil {
		return w.out, err
	}
	writes, err := v.admit(ctx, w.ahead.changes[:earlier], w.out.Changes)
	if err != nil {
		return w.out, err
	}
	return w.out, w.rules(ctx, writes)
}

// keep takes a change that is exact.
func (w *drafter) keep(c Change) {
	w.out.Changes = append(w.out.Changes, c)
	w.ahead.add(c, w.position)
}

// id names a change that creates, so that later ones can build on it: the first of a draft c3, any other c3.line where the tool names it.
func (w *drafter) id(c Change) (id string) {
	id = w.ref
	if _, taken := w.ahead.made(id); taken && c.ID != "" {
		id += "." + c.ID
	}
	defer func() {
		if c.ID != "" {
			w.named[c.ID] = id
		}
	}()
	for n := 2; ; n++ {
		if _, taken := w.ahead.made(id); !taken {
			return id
		}
		id = fmt.Sprintf("%s.%d", w.ref, n)
	}
}

func (w *drafter) change(ctx context.Context, c Change) (said part, err error) {
	t, err := w.v.Table(ctx, c.Table)
	if err != nil {
		return said, err
	}
	if t.View || len(t.Key) == 0 {
		return said, fault.Errorf(fault.Invalid, "%s can be read, not written: it has no primary key, or is a view", t.Name)
	}
	if err := w.v.may(ctx, c); err != nil {
		return said, err
	}
	switch c.Verb {
	case policy.Create:
		return w.create(ctx, t, c)
	case policy.Update:
		return w.update(ctx, t, c)
	case policy.Delete:
		said.text, err = w.delete(ctx, t, c)
		return said, err
	}
	return said, fault.Errorf(fault.Internal, "a change without a verb")
}

// part is what a summary says of a change. Updates that are alike are said as one where the whole has a title, new records always.
type part struct {
	text  string
	alike string // order lines: state. Empty: it deletes, or changes nothing
	verb  policy.Verb
}

// summary says what a draft comes to: "Cancel an order: update order 17: status; update 3 order lines: state".
func summary(title string, parts []part) string {
	var out []string
	for i, n := 0, 1; i < len(parts); i, n = i+n, 1 {
		said := parts[i]
		for (title != "" || said.verb == policy.Create) && said.alike != "" && i+n < len(parts) && parts[i+n].alike == said.alike && parts[i+n].verb == said.verb {
			n++
		}
		if n > 1 {
			said.text = fmt.Sprintf("%s%s %d %s", strings.ToUpper(string(said.verb[:1])), said.verb[1:], n, said.alike)
		}
		if said.text == "" {
			continue
		}
		if title != "" || len(out) > 0 {
			said.text = strings.ToLower(said.text[:1]) + said.text[1:]
		}
		out = append(out, said.text)
	}
	if title != "" {
		title += ": "
	}
	return title + strings.Join(out, "; ")
}

// named is the record for a sentence: 12 (Acme AS).
func (r *record) named() string {
	if r.label == "" || r.label == r.id {
		return plain.Text(r.id)
	}
	return fmt.Sprintf("%s (%s)", plain.Text(r.id), plain.Text(r.label))
}

func (w *drafter) record(ctx context.Context, t *query.Table, c Change) (*record, error) {
	is, ok := query.Keyed(t, c.Key)
	if !ok {
		return nil, noRecord(t.Name, query.RecordID(c.Key))
	}
	found, err := w.v.records(ctx, t, is, 1)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, noRecord(t.Name, query.RecordID(c.Key))
	}
	if c.Version != "" && c.Version != found[0].version {
		return nil, fault.Errorf(fault.Conflict, "%s %s has been changed while this was worked out: ask again.", t.Name, plain.Name(found[0].id))
	}
	if w.ahead.over(found[0]); w.v.free(c) {
		return found[0], nil
	}
	return found[0], w.v.permits(ctx, t, is, c.Verb)
}

// permits says whether a readable record may be written to: roles may grant that for fewer records.
func (v *View) permits(ctx context.Context, t *query.Table, is query.Expr, verb policy.Verb) error {
	g, err := v.g.Table(ctx, t.Name)
	if err != nil {
		return sayUnknown(err)
	}
	if g.Before(verb) == nil {
		return nil
	}
	key, _ := t.Field(t.Key[0])
	rows, err := v.host.Query(ctx, v.who, query.Query{Table: t.Name, Where: query.And(g.Before(policy.Read), g.Before(verb), is), Limit: 1,
		Select: []query.Column{{As: key.Name, Expr: query.Ref{Table: t.Name, Field: key}}}})
	if err != nil {
		return err
	}
	if len(rows.Rows) == 0 {
		return fault.Errorf(fault.PermissionDenied, "You may read this record of %s, but not %s it.", t.Name, verb)
	}
	return nil
}

// update proposes the record with other values. Where several changes are wanted, one that changes nothing still tests its record.
func (w *drafter) update(ctx context.Context, t *query.Table, c Change) (said part, err error) {
	r, err := w.record(ctx, t, c)
	if err != nil {
		return said, err
	}
	values, targets, err := w.values(ctx, t, c, r)
	if err != nil {
		return said, err
	}
	if len(values) == 0 && !w.several {
		return said, fault.Errorf(fault.Invalid, "Nothing would change: the record has these values already.")
	}
	w.add(r, Change{Verb: policy.Update, Table: t.Name, Key: r.key, Values: values, Version: r.version, VersionOf: r.of, When: c.When, Given: c.Given,
		Children: c.Children}, targets)
	if len(values) == 0 {
		return said, nil
	}
	fields := labels(t, values)
	return part{fmt.Sprintf("Update %s %s: %s", singular(t), r.named(), fields), fmt.Sprintf("%s: %s", strings.ToLower(t.Label), fields), policy.Update}, nil
}

func (w *drafter) create(ctx context.Context, t *query.Table, c Change) (said part, err error) {
	if c.When != "" {
		return said, fault.Errorf(fault.Internal, "a condition on a record that is not there yet")
	}
	values, targets, err := w.values(ctx, t, c, nil)
	if err != nil {
		return said, err
	}
	if missing := missing(t, values); len(missing) > 0 {
		return said, fault.Errorf(fault.Invalid, "A new record of %s needs a value for: %s", t.Name, strings.Join(missing, ", "))
	}
	created := Change{ID: w.id(c), Verb: policy.Create, Table: t.Name, Values: values}
	w.add(&record{t: t}, created, targets)
	w.given(t, created)
	if len(values) == 0 {
		return part{"Create " + singular(t), strings.ToLower(t.Label), policy.Create}, nil
	}
	fields := labels(t, values)
	return part{fmt.Sprintf("Create %s: %s", singular(t), fields), fmt.Sprintf("%s: %s", strings.ToLower(t.Label), fields), policy.Create}, nil
}

// add keeps a change and writes its lines.
func (w *drafter) add(r *record, c Change, targets map[string]string) {
	w.keep(c)
	if w.out.Table == "" {
		w.out.Table, w.out.Record = c.Table, r.id
	}
	for _, a := range shown(c) {
		f, _ := r.t.Field(a.Field)
		l := Line{Table: c.Table, Record: r.id, RecordLabel: r.label, Verb: c.Verb, Field: f.Name, Label: f.Label, After: a.Text}
		if old, ok := query.FormatValue(r.values[f.Name]); ok {
			l.Before, l.BeforeLabel = &old, r.labels[f.Name]
		}
		l.AfterLabel = targets[f.Name]
		if a.From != "" {
			l.After, l.Source = new("new"), SourceData
			w.out.Lines = append(w.out.Lines, l)
			continue
		}
		for _, d := range l.byPath(r.t, f) {
			if !a.Own {
				d.Source = w.source(d.After)
			}
			w.out.Lines = append(w.out.Lines, d.Line)
			if d.Source == SourceModel {
				w.out.Warnings = append(w.out.Warnings, unsourced(d.Line))
			}
			if said := leap(d.Line); d.amounts && said != "" {
				w.out.Warnings = append(w.out.Warnings, said)
			}
		}
	}
}

// shown is what a change assigns, in the order it is shown: of a new record first what ties it to another one, so that each record begins with
// the same line.
func shown(c Change) []Assign {
	if c.Verb != policy.Create {
		return c.Values
	}
	tie := func(a Assign) bool { return a.From != "" || a.Own }
	rest := slices.DeleteFunc(slices.Clone(c.Values), tie)
	return append(slices.DeleteFunc(slices.Clone(c.Values), func(a Assign) bool { return !tie(a) }), rest...)
}

// difference is one line of a change.
type difference struct {
	Line
	amounts bool // both sides are numbers that say how much
}

// byPath shows the difference of two JSON values path by path; any other line is itself.
func (l Line) byPath(t *query.Table, f query.Field) []difference {
	whole := []difference{{l, counts(t, f)}}
	if f.Type != query.JSON || l.Before == nil || l.After == nil {
		return whole
	}
	changes, err := jsondiff.Diff(*l.Before, *l.After)
	if err != nil || len(changes) == 0 {
		return whole
	}
	var out []difference
	for _, c := range changes {
		part := l
		part.Before, part.After = c.Before, c.After
		if c.Path != "" {
			part.Field = l.Field + "." + c.Path
			if c.Path[0] == '[' {
				part.Field = l.Field + c.Path
			}
			part.Label = l.Label + " · " + c.Path
		}
		out = append(out, difference{part, c.Numbers})
	}
	return out
}

func quoted(text *string) string {
	if text == nil {
		return "that it becomes empty"
	}
	return plain.Quoted(*text)
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
