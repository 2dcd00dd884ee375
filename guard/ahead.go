package guard

import (
	"context"
	"slices"

	"example.com/deputy/fault"
	"example.com/deputy/policy"
	"example.com/deputy/query"
)

// ahead is what the earlier changes of a group will make of the records: a proposal reads through it, so that what is shown of one is what
// it will meet when the group is applied.
type ahead struct {
	changes []Change
	at      map[string]int // the position of the proposal that a change with an ID belongs to
}

// aheadOf is what the proposals of a turn so far will make.
func aheadOf(group []Earlier) *ahead {
	out := &ahead{at: map[string]int{}}
	for _, p := range group {
		for _, c := range p.Changes {
			out.add(c, p.Position)
		}
	}
	return out
}

func (a *ahead) add(c Change, position int) {
	a.changes = append(a.changes, c)
	if c.ID != "" {
		a.at[c.ID] = position
	}
}

// made finds the change that creates a record, by its ID.
func (a *ahead) made(id string) (Change, bool) {
	i := slices.IndexFunc(a.changes, func(c Change) bool { return c.Verb == policy.Create && c.ID == id })
	if i < 0 {
		return Change{}, false
	}
	return a.changes[i], true
}

// keyed finds the change that creates the record which a foreign key leads to, by values that are given to it.
func (a *ahead) keyed(rel query.Relation, key []string) (Change, bool) {
	return keyed(a.changes, rel, key)
}

func keyed(changes []Change, rel query.Relation, key []string) (Change, bool) {
	for _, c := range changes {
		if c.Verb == policy.Create && c.Table == rel.Table && c.gives(rel.To, key) {
			return c, true
		}
	}
	return Change{}, false
}

// gives says whether a change sets fields to values, all of them.
func (c Change) gives(fields, texts []string) bool {
	for i, name := range fields {
		if !slices.ContainsFunc(c.Values, func(a Assign) bool { return a.Field == name && a.Text != nil && *a.Text == texts[i] }) {
			return false
		}
	}
	return true
}

// deletes says whether a record will be gone.
func (a *ahead) deletes(table string, key []string) bool {
	return slices.ContainsFunc(a.changes, func(c Change) bool {
		return c.Verb == policy.Delete && c.Table == table && slices.Equal(c.Key, key)
	})
}

// collides refuses a second change of one field, or of a record that is deleted, from a change on: a group is applied as one.
func (a *ahead) collides(from int) error {
	for i := from; i < len(a.changes); i++ {
		for _, old := range a.changes[:i] {
			if err := collide(old, a.changes[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func collide(old, c Change) error {
	if old.Table != c.Table || len(c.Key) == 0 || query.RecordID(old.Key) != query.RecordID(c.Key) {
		return nil
	}
	if old.Verb == policy.Delete || c.Verb == policy.Delete || old.conditional() || c.conditional() {
		return fault.Errorf(fault.Conflict, "%s %s has a proposal in this turn already.", c.Table, query.RecordID(c.Key))
	}
	for _, a := range old.Values {
		for _, b := range c.Values {
			if a.Field == b.Field {
				return fault.Errorf(fault.Conflict, "%s of %s %s has a proposal in this turn already.", b.Field, c.Table, query.RecordID(c.Key))
			}
		}
	}
	return nil
}

// over writes the values that a record will have over those it has; it says whether the group changes it at all.
func (a *ahead) over(r *record) (touched bool) {
	for _, c := range a.changes {
		if c.Verb == policy.Update && c.Table == r.t.Name && slices.Equal(c.Key, r.key) {
			r.assign(c.Values)
			touched = true
		}
	}
	return touched
}

// assign sets values. The key of a record that is not there yet is the text that a model names it by.
func (r *record) assign(values []Assign) {
	for _, a := range values {
		switch f, ok := r.t.Field(a.Field); {
		case !ok:
		case a.From != "":
			r.values[f.Name] = NewRecord + a.From
		case a.Text == nil:
			r.values[f.Name] = nil
		default:
			r.values[f.Name], _ = query.ParseValue(f.Type, *a.Text)
		}
		delete(r.labels, a.Field)
	}
}

// match is a record by the values of some of its fields.
type match []valued

type valued struct {
	field query.Field
	value query.Value
}

func (m match) condition(table string) (is query.Expr) {
	for _, one := range m {
		is = query.And(is, query.Equal(table, one.field, one.value))
	}
	return is
}

func (m match) holds(r *record) bool {
	return !slices.ContainsFunc(m, func(one valued) bool {
		have := r.values[one.field.Name]
		return have == nil || one.value == nil || !query.Same(have, one.value)
	})
}

// find reads records that match, as they are and as they will be: without what the group deletes or moves away, with what it moves here
// or creates. At most limit of those that match now are wanted.
func (w *drafter) find(ctx context.Context, t *query.Table, m match, limit int) (now, then []*record, err error) {
	if now, err = w.v.records(ctx, t, m.condition(t.Name), limit+len(w.ahead.changes)); err != nil {
		return nil, nil, err
	}
	moved, err := w.moved(ctx, t, now)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range slices.Concat(now, moved, w.created(t)) {
		if touched := w.ahead.over(r) || r.made; !w.ahead.deletes(t.Name, r.key) && (!touched || m.holds(r)) {
			then = append(then, r)
		}
	}
	return now, then, nil
}

// moved are the other records of a table that the group changes.
func (w *drafter) moved(ctx context.Context, t *query.Table, now []*record) (out []*record, err error) {
	for _, c := range w.ahead.changes {
		known := func(r *record) bool { return slices.Equal(r.key, c.Key) }
		if c.Verb != policy.Update || c.Table != t.Name || slices.ContainsFunc(now, known) || slices.ContainsFunc(out, known) {
			continue
		}
		is, ok := query.Keyed(t, c.Key)
		if !ok {
			continue
		}
		found, err := w.v.records(ctx, t, is, 1)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// created are the records that the group creates in a table.
func (w *drafter) created(t *query.Table) (out []*record) {
	for _, c := range w.ahead.changes {
		if c.Verb == policy.Create && c.Table == t.Name {
			r := &record{t: t, id: NewRecord + c.ID, values: query.Row{}, labels: map[string]string{}, made: true}
			r.assign(c.Values)
			out = append(out, r)
		}
	}
	return out
}
