package guard

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/deputy/fault"
	"example.com/deputy/internal/decimal"
	"example.com/deputy/internal/near"
	"example.com/deputy/internal/plain"
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
			return nil, nil, fault.Errorf(fault.NotFound, "no field `%s` in %s%s", a.Field, t.Name, near.Hint(a.Field, t.FieldNames()))
		}
		if _, twice := given[a.Field]; twice {
			return nil, nil, fault.Errorf(fault.Invalid, "%s is given twice", a.Field)
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
	return out, targets, w.constraints(ctx, t, out, r)
}

// assignable says whether a field takes a value at all.
func assignable(t *query.Table, f query.Field, creating bool) error {
	switch {
	case f.Generated:
		return fault.Errorf(fault.Invalid, "%s is set by the application: leave it out", f.Name)
	case f.Secret:
		return fault.Errorf(fault.Invalid, "%s is not written through the assistant", f.Name)
	case f.ReadOnly:
		return fault.Errorf(fault.Invalid, "%s is read-only", f.Name)
	case !creating && slices.Contains(t.Key, f.Name):
		return fault.Errorf(fault.Invalid, "%s is the key of the record and cannot be changed", f.Name)
	}
	return nil
}

// exactly gives a value the one text it has as a value of its field.
func exactly(f query.Field, a Assign) (Assign, error) {
	if a.Text == nil {
		if f.Required || f.NotNull {
			return a, fault.Errorf(fault.Invalid, "%s needs a value", f.Name)
		}
		return Assign{Field: f.Name, Type: f.Type, Own: a.Own}, nil
	}
	if len(*a.Text) > maxValue {
		return a, fault.Errorf(fault.TooLarge, "%s: the value is longer than %d bytes", f.Name, maxValue)
	}
	v, err := query.ParseValue(f.Type, *a.Text)
	if err != nil {
		return a, fault.Errorf(fault.Invalid, "%s: %v", f.Name, err)
	}
	text, ok := query.FormatValue(v)
	if !ok {
		return a, fault.Errorf(fault.Invalid, "%s: not a value", f.Name)
	}
	if err := fits(f, text); err != nil {
		return a, err
	}
	return Assign{Field: f.Name, Type: f.Type, Text: &text, Own: a.Own}, nil
}

// from finds the change that makes the record a foreign key is to lead to: one of this draft, by the tool's name for it, or an earlier one of
// the turn.
func (w *drafter) from(ctx context.Context, t *query.Table, f query.Field, a Assign) (Assign, error) {
	id, own := w.named[a.From]
	if !own {
		id = a.From
	}
	c, ok := w.ahead.made(id)
	rel, leads := t.Parent(f.Name)
	if !ok || !leads || rel.Table != c.Table {
		return a, fault.Errorf(fault.Invalid, "%s: %s%s is no record that an earlier change of this turn creates for it", f.Name, NewRecord, plain.Name(a.From))
	}
	parent, err := w.v.Table(ctx, rel.Table)
	if err == nil && !slices.Equal(parent.Key, rel.To) {
		err = fault.Errorf(fault.Invalid, "%s leads to %s of %s, which is known only once the record is there", f.Name, rel.To[0], rel.Table)
	}
	return Assign{Field: f.Name, Type: f.Type, From: id}, err
}

func fits(f query.Field, text string) error {
	switch {
	case len(f.Values) > 0 && !slices.Contains(f.Values, text):
		return fault.Errorf(fault.Invalid, "%s: %s is not one of %s", f.Name, quoted(&text), strings.Join(f.Values[:min(len(f.Values), 20)], ", "))
	case f.Length > 0 && utf8.RuneCountInString(text) > f.Length:
		return fault.Errorf(fault.Invalid, "%s: at most %d characters, not %d", f.Name, f.Length, utf8.RuneCountInString(text))
	case f.Type == query.Dec && f.Scale >= 0 && decimals(text) > f.Scale:
		return fault.Errorf(fault.Invalid, "%s: at most %d digits after the point", f.Name, f.Scale)
	case f.Min != "" && below(text, f.Min):
		return fault.Errorf(fault.Invalid, "%s: at least %s, not %s", f.Name, f.Min, plain.Name(text))
	case f.Max != "" && below(f.Max, text):
		return fault.Errorf(fault.Invalid, "%s: at most %s, not %s", f.Name, f.Max, plain.Name(text))
	case f.Type == query.String && text == HasValue:
		return fault.Errorf(fault.Invalid, "%s: %q stands for a value that is not shown, it is none", f.Name, HasValue)
	}
	return nil
}

// below compares numbers.
func below(text, bound string) bool {
	a, ok := decimal.Parse(text)
	b, too := decimal.Parse(bound)
	return ok && too && decimal.Cmp(a, b) < 0
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
			return "", fault.Errorf(fault.Conflict, "%s: %s %s is deleted by an earlier change of this turn.", f.Name, rel.Table, plain.Name(*a.Text))
		}
		if made, ok := w.ahead.keyed(rel, []string{*a.Text}); ok {
			label = w.toCome(made.ID)
		} else if label, err = w.v.reached(ctx, rel, []string{*a.Text}); err != nil {
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
			err := fault.Errorf(fault.Unprocessable, "%s: another record of %s has %s already: %s", f.Name, t.Name, quoted(&text), other.named())
			err.Quotes = true
			return err
		}
	}
	return nil
}
