package deputy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/deputy/internal/near"
	"example.com/deputy/query"
)

// values validates what a change assigns, against the schema and the records this person may read: required, type, length, value list,
// uniqueness, the record a foreign key leads to. Unchanged fields are dropped; r is nil for a new record. targets are the labels of what
// foreign keys lead to, by field.
func (w *drafter) values(ctx context.Context, t *query.Table, c Change, r *record) (out []Assign, targets map[string]string, err error) {
	given := map[string]Assign{}
	for _, a := range c.Values {
		f, ok := t.Field(a.Field)
		if !ok {
			return nil, nil, Errorf(NotFound, "no field `%s` in %s%s", a.Field, t.Name, near.Hint(a.Field, t.FieldNames()))
		}
		if _, twice := given[a.Field]; twice {
			return nil, nil, Errorf(Invalid, "%s is given twice", a.Field)
		}
		if err := assignable(t, f, r == nil); err != nil {
			return nil, nil, err
		}
		exact := exactly
		if a.From != "" {
			exact = func(f query.Field, a Assign) (Assign, error) { return w.from(ctx, t, f, a) }
		}
		if given[a.Field], err = exact(f, a); err != nil {
			return nil, nil, err
		}
	}
	targets = map[string]string{}
	for _, f := range t.Fields {
		a, ok := given[f.Name]
		if !ok || r != nil && unchanged(f, r.values[f.Name], a) {
			continue
		}
		if targets[f.Name], err = w.consult(ctx, t, f, a, r); err != nil {
			return nil, nil, err
		}
		out = append(out, a)
	}
	return out, targets, nil
}

// assignable says whether a field takes a value at all.
func assignable(t *query.Table, f query.Field, creating bool) error {
	switch {
	case f.Generated:
		return Errorf(Invalid, "%s is set by the application: leave it out", f.Name)
	case f.Secret:
		return Errorf(Invalid, "%s is not written through the assistant", f.Name)
	case f.ReadOnly:
		return Errorf(Invalid, "%s is read-only", f.Name)
	case !creating && slices.Contains(t.Key, f.Name):
		return Errorf(Invalid, "%s is the key of the record and cannot be changed", f.Name)
	}
	return nil
}

// exactly gives a value the one text it has as a value of its field.
func exactly(f query.Field, a Assign) (Assign, error) {
	if a.Text == nil {
		if f.Required {
			return a, Errorf(Invalid, "%s needs a value", f.Name)
		}
		return Assign{Field: f.Name, Type: f.Type}, nil
	}
	if len(*a.Text) > maxValue {
		return a, Errorf(TooLarge, "%s: the value is longer than %d bytes", f.Name, maxValue)
	}
	v, err := query.ParseValue(f.Type, *a.Text)
	if err != nil {
		return a, Errorf(Invalid, "%s: %v", f.Name, err)
	}
	text, ok := query.FormatValue(v)
	if !ok {
		return a, Errorf(Invalid, "%s: not a value", f.Name)
	}
	if err := fits(f, text); err != nil {
		return a, err
	}
	return Assign{Field: f.Name, Type: f.Type, Text: &text}, nil
}

// from finds the change that makes the record a foreign key is to lead to: one of this draft, by the tool's name for it, or an earlier one of
// the turn.
func (w *drafter) from(ctx context.Context, t *query.Table, f query.Field, a Assign) (Assign, error) {
	id := w.ref + "." + a.From
	c, ok := w.ahead.made(id)
	if !ok {
		id = a.From
		c, ok = w.ahead.made(id)
	}
	rel, leads := t.Parent(f.Name)
	if !ok || !leads || rel.Table != c.Table {
		return a, Errorf(Invalid, "%s: %s%s is no record that an earlier change of this turn creates for it", f.Name, NewRecord, cut(a.From, maxName))
	}
	parent, err := w.v.Table(ctx, rel.Table)
	if err == nil && !slices.Equal(parent.Key, rel.To) {
		err = Errorf(Invalid, "%s leads to %s of %s, which is known only once the record is there", f.Name, rel.To[0], rel.Table)
	}
	return Assign{Field: f.Name, Type: f.Type, From: id}, err
}

func fits(f query.Field, text string) error {
	switch {
	case len(f.Values) > 0 && !slices.Contains(f.Values, text):
		return Errorf(Invalid, "%s: %s is not one of %s", f.Name, quoted(&text), strings.Join(f.Values[:min(len(f.Values), 20)], ", "))
	case f.Length > 0 && utf8.RuneCountInString(text) > f.Length:
		return Errorf(Invalid, "%s: at most %d characters, not %d", f.Name, f.Length, utf8.RuneCountInString(text))
	case f.Type == query.Dec && f.Scale >= 0 && decimals(text) > f.Scale:
		return Errorf(Invalid, "%s: at most %d digits after the point", f.Name, f.Scale)
	case f.Type == query.String && text == HasValue:
		return Errorf(Invalid, "%s: %q stands for a value that is not shown, it is none", f.Name, HasValue)
	}
	return nil
}

func decimals(text string) int {
	_, after, _ := strings.Cut(text, ".")
	return len(strings.TrimRight(after, "0"))
}

func unchanged(f query.Field, old query.Value, a Assign) bool {
	if a.From != "" {
		return false
	}
	if a.Text == nil {
		return old == nil
	}
	v, err := query.ParseValue(f.Type, *a.Text)
	return err == nil && old != nil && query.Same(old, v)
}

// consult asks the host what the schema alone does not tell; it gives the label of the record that a foreign key would lead to.
func (w *drafter) consult(ctx context.Context, t *query.Table, f query.Field, a Assign, r *record) (label string, err error) {
	if a.From != "" {
		return w.toCome(a.From), nil
	}
	if a.Text == nil {
		return "", nil
	}
	if rel, ok := t.Parent(f.Name); ok {
		if w.ahead.deletes(rel.Table, []string{*a.Text}) {
			return "", Errorf(Conflict, "%s: %s %s is deleted by an earlier change of this turn.", f.Name, rel.Table, cut(*a.Text, maxName))
		}
		if label, err = w.v.reached(ctx, rel, []string{*a.Text}); err != nil {
			return "", err
		}
	}
	if f.Unique || len(t.Key) == 1 && t.Key[0] == f.Name {
		err = w.unique(ctx, t, f, *a.Text, r)
	}
	return label, err
}

// toCome is what a record is called that is not there yet.
func (w *drafter) toCome(id string) string {
	c, _ := w.ahead.made(id)
	if at := w.ahead.at[id]; at != w.position {
		return fmt.Sprintf("the record of %s that proposal %d creates", c.Table, at)
	}
	return "the record of " + c.Table + " that is created with it"
}

// unique looks among the records this person may read, and only there.
func (w *drafter) unique(ctx context.Context, t *query.Table, f query.Field, text string, r *record) error {
	v, err := query.ParseValue(f.Type, text)
	if err != nil {
		return err
	}
	_, found, err := w.find(ctx, t, match{{f, v}}, 2)
	if err != nil {
		return err
	}
	for _, other := range found {
		if other.made || r == nil || other.id != r.id {
			err := Errorf(Unprocessable, "%s: another record of %s has %s already: %s", f.Name, t.Name, quoted(&text), other.named())
			err.Quotes = true
			return err
		}
	}
	return nil
}

// may says whether the roles grant a change: its verb and its fields. A table that may not be read is unknown.
func (v *View) may(ctx context.Context, c Change) error {
	t, err := v.g.Table(ctx, c.Table)
	if err != nil {
		return sayUnknown(err)
	}
	of := t.Written(c.Verb)
	if of.None() {
		return Errorf(PermissionDenied, "You may not %s records of %s.", c.Verb, c.Table)
	}
	for _, a := range c.Values {
		if t.Sees(a.Field) && !of.Has(a.Field) {
			return Errorf(PermissionDenied, "You may not set %s of %s.", a.Field, c.Table)
		}
		if !t.Sees(a.Field) {
			return Errorf(NotFound, "no field `%s` in %s", a.Field, c.Table)
		}
	}
	return nil
}

// admit checks changes against the rights of now and makes the writes of them, with every rule inside. It runs at proposal, after the earlier
// changes of the group, and again at confirm, for all of them: that is possible because a change is data.
func (v *View) admit(ctx context.Context, earlier, cs []Change) ([]Write, error) {
	out := make([]Write, len(cs))
	for i, c := range cs {
		if err := v.may(ctx, c); err != nil {
			return nil, err
		}
		t, err := v.g.Table(ctx, c.Table)
		if err != nil {
			return nil, sayUnknown(err)
		}
		when, err := v.Condition(ctx, c.Table, c.When)
		if err == nil {
			when, err = v.g.Restrict(ctx, when)
		}
		if err != nil {
			return nil, fmt.Errorf("condition of a change: %w", err)
		}
		out[i] = Write{Change: c}
		switch c.Verb {
		case Create:
			out[i].Check = t.After(Create)
		case Update:
			out[i].When, out[i].Check = query.And(t.Before(Read), t.Before(Update), when), t.After(Update)
		case Delete:
			below, err := v.below(ctx, c)
			if err != nil {
				return nil, err
			}
			out[i].When = query.And(t.Before(Read), t.Before(Delete), when, below)
		}
		if err := v.targets(ctx, t.Full, c, slices.Concat(earlier, cs[:i])); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// below is the condition that as many readable children stand below a record as were shown.
func (v *View) below(ctx context.Context, c Change) (query.Expr, error) {
	t, err := v.Table(ctx, c.Table)
	if err != nil {
		return nil, err
	}
	var out query.Expr
	for _, n := range c.Children {
		rel, ok := t.Relation(n.Relation)
		if !ok {
			return nil, Errorf(Conflict, "What stands below the record cannot be read any more.")
		}
		count := query.Each{Fn: "count", Child: rel, Var: &query.Var{Name: "child"}, T: query.Int}
		out = query.And(out, query.Op{Fn: "==", Args: []query.Expr{count, query.Lit{V: int64(n.N), T: query.Int}}, T: query.Bool})
	}
	return v.g.Restrict(ctx, out)
}

// targets looks at the records that a change's foreign keys would lead to, with the rights of now. One that may not be read answers like one
// that is not there.
func (v *View) targets(ctx context.Context, full *query.Table, c Change, earlier []Change) error {
	given := map[string]Assign{} // of the record, by the group so far
	for _, old := range earlier {
		if old.Verb == Update && old.Table == c.Table && slices.Equal(old.Key, c.Key) {
			for _, a := range old.Values {
				given[a.Field] = a
			}
		}
	}
	for _, a := range c.Values {
		if a.From != "" && !slices.ContainsFunc(earlier, func(c Change) bool { return c.Verb == Create && c.ID == a.From }) {
			return Errorf(Conflict, "%s is to be of a record that is not created after all: the change that creates it is not confirmed with this one.", a.Field)
		}
		given[a.Field] = a
	}
	for _, rel := range full.Relations {
		if rel.Many || !slices.ContainsFunc(rel.From, func(f string) bool { return given[f].Text != nil }) {
			continue
		}
		if err := v.target(ctx, full, rel, given, c); err != nil {
			return err
		}
	}
	return nil
}

func (v *View) target(ctx context.Context, full *query.Table, rel query.Relation, given map[string]Assign, c Change) error {
	key, whole, err := v.leads(ctx, full, rel, given, c)
	if err != nil || !whole {
		return err
	}
	if _, err = v.reached(ctx, rel, key); CodeOf(err) == NotFound { // names no table and no part of a key that they may not read
		i := slices.IndexFunc(rel.From, func(f string) bool { return given[f].Text != nil })
		err = noRecord(rel.From[i], *given[rel.From[i]].Text)
	}
	return err
}

// reached is the label of the record that a foreign key leads to. One that may not be read answers like one that is not there.
func (v *View) reached(ctx context.Context, rel query.Relation, key []string) (label string, err error) {
	missing := noRecord(rel.Table, query.RecordID(key))
	t, err := v.Table(ctx, rel.Table)
	if CodeOf(err) == NotFound {
		return "", missing
	}
	if err != nil {
		return "", err
	}
	var is query.Expr
	for i, to := range rel.To {
		f, ok := t.Field(to)
		val, err := query.ParseValue(f.Type, key[i])
		if !ok || err != nil {
			return "", missing
		}
		is = query.And(is, query.Equal(t.Name, f, val))
	}
	label, there, err := v.labelWhere(ctx, t.Name, is)
	if err == nil && !there {
		err = missing
	}
	return label, err
}

// leads is where a foreign key would lead: values that are given, and for the rest those of the record. A key that is NULL in part leads
// nowhere.
func (v *View) leads(ctx context.Context, full *query.Table, rel query.Relation, given map[string]Assign, c Change) (key []string, whole bool, err error) {
	var old query.Row
	for _, name := range rel.From {
		if a, ok := given[name]; ok {
			if a.Text == nil {
				return nil, false, nil
			}
			key = append(key, *a.Text)
			continue
		}
		if c.Verb == Create {
			return nil, false, nil
		}
		if old == nil {
			if old, err = v.old(ctx, full, rel.From, c.Key); err != nil {
				return nil, false, err
			}
		}
		text, ok := query.FormatValue(old[name])
		if !ok {
			return nil, false, nil
		}
		key = append(key, text)
	}
	return key, true, nil
}

// old reads fields of a record that a change is about, for the guard itself: also those that are hidden.
func (v *View) old(ctx context.Context, full *query.Table, names []string, key []string) (query.Row, error) {
	is, ok := query.Keyed(full, key)
	if !ok {
		return nil, noRecord(full.Name, query.RecordID(key))
	}
	var cols []query.Column
	for _, n := range names {
		f, _ := full.Field(n)
		cols = append(cols, query.Column{As: n, Expr: query.Ref{Table: full.Name, Field: f}})
	}
	g, err := v.g.Table(ctx, full.Name)
	if err != nil {
		return nil, sayUnknown(err)
	}
	rows, err := v.host.Query(ctx, v.who, query.Query{Table: full.Name, Where: query.And(g.Before(Read), is), Limit: 1, Select: cols})
	if err != nil {
		return nil, err
	}
	if len(rows.Rows) == 0 {
		return nil, noRecord(full.Name, query.RecordID(key))
	}
	out := query.Row{}
	for i, c := range cols {
		out[c.As] = rows.Rows[0][i]
	}
	return out, nil
}
