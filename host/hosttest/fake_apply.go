package hosttest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

// Apply implements deputy.Host. It keeps to required fields, value lists, unique fields, keys and foreign keys as a database does.
func (f *Fake) Apply(ctx context.Context, as deputy.Person, key string, ws []deputy.Write) ([]deputy.Applied, error) {
	a := Asked{Person: as, Method: Apply, Key: key, Writes: ws}
	if len(ws) > 0 {
		a.Table = ws[0].Table
	}
	if err := f.record(ctx, a); err != nil && ctx.Err() != nil {
		return nil, &deputy.Error{Code: deputy.Timeout, Message: "The change was stopped. Nothing was written.", Cause: err}
	} else if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.apply(ws)
	lost := f.lose
	f.lose = nil
	if lost != nil {
		return nil, lost
	}
	return out, nil
}

func (f *Fake) apply(ws []deputy.Write) []deputy.Applied {
	out := make([]deputy.Applied, len(ws))
	for i := range out {
		out[i].State = deputy.Pending
	}
	changed := false
	for i, w := range ws {
		if a := f.unchanged(w); a.State != "" {
			out[i], changed = a, true
		}
	}
	if changed {
		return out
	}
	before, made := clone(f.rows), deputy.Made{}
	for i, w := range ws {
		undo := clone(f.rows)
		w, there := made.Fill(w)
		if out[i] = refuse(deputy.Failed, "It belongs to a record that no earlier change of this group has created."); there {
			out[i] = f.write(w)
		}
		if made.Add(w, out[i]); out[i].State == deputy.Done {
			continue
		}
		f.rows = undo
		if f.features.Transactions {
			f.rows = before
			for k := range i {
				out[k] = deputy.Applied{State: deputy.Pending}
			}
		}
		break
	}
	return out
}

// unchanged answers stale where the record is not as it was shown.
func (f *Fake) unchanged(w deputy.Write) deputy.Applied {
	if t, err := f.table(w.Table); err != nil || len(t.Key) == 0 || t.View {
		return refuse(deputy.Failed, "There is no table %s that can be written.", w.Table)
	}
	if w.Verb == deputy.Create {
		return deputy.Applied{}
	}
	row := f.find(w.Table, w.Key)
	switch {
	case row == nil:
		return refuse(deputy.Outdated, "The record is gone.")
	case w.VersionOf != nil && version(row, w.VersionOf) != w.Version:
		return refuse(deputy.Outdated, "The record has changed since.")
	case !f.holds(w.When, row):
		return refuse(deputy.Outdated, "The condition of this change does not hold any more.")
	}
	return deputy.Applied{}
}

func refuse(s deputy.State, format string, args ...any) deputy.Applied {
	return deputy.Applied{State: s, Error: fmt.Sprintf(format, args...)}
}

func (f *Fake) find(table string, key []string) query.Row {
	t, err := f.table(table)
	if err != nil {
		return nil
	}
	for _, row := range f.rows[table] {
		if len(key) > 0 && slices.Equal(keyOf(t, row), key) {
			return row
		}
	}
	return nil
}

func keyOf(t *query.Table, row query.Row) []string {
	var out []string
	for _, name := range t.Key {
		out = append(out, text(row[name]))
	}
	return out
}

func text(v query.Value) string {
	s, _ := query.FormatValue(v)
	return s
}

func (f *Fake) write(w deputy.Write) deputy.Applied {
	t, err := f.table(w.Table)
	if err != nil {
		return refuse(deputy.Failed, "There is no table %s that can be written.", w.Table)
	}
	row := query.Row{}
	if w.Verb != deputy.Create {
		if row = f.find(w.Table, w.Key); row == nil {
			return refuse(deputy.Failed, "An earlier change of this group has removed the record.")
		}
	}
	if w.Verb != deputy.Create && !f.holds(w.Still, row) {
		return refuse(deputy.Failed, "The condition of this change does not hold any more once what goes before it in the group is made.")
	}
	if w.Tests() {
		return deputy.Applied{State: deputy.Done, Key: w.Key}
	}
	if w.Verb == deputy.Delete {
		if !f.holds(w.Check, row) {
			return refuse(deputy.Failed, "Records would go with it that you may not delete, or that are no part of this.")
		}
		return f.delete(t, row)
	}
	if a := f.assign(t, row, w); a.State != "" {
		return a
	}
	if a := f.constraints(t, row); a.State != "" {
		return a
	}
	if !f.holds(w.Check, row) {
		return refuse(deputy.Failed, "You may not write such a record.")
	}
	return deputy.Applied{State: deputy.Done, Key: keyOf(t, row)}
}

func (f *Fake) assign(t *query.Table, row query.Row, w deputy.Write) deputy.Applied {
	for _, a := range w.Values {
		v, err := value(a)
		if err != nil {
			return refuse(deputy.Failed, "%s: %v", a.Field, err)
		}
		row[a.Field] = v
	}
	if w.Verb == deputy.Create {
		for _, fd := range t.Fields {
			f.fill(t, row, fd)
		}
		f.rows[t.Name] = append(f.rows[t.Name], row)
	}
	return deputy.Applied{}
}

func value(a deputy.Assign) (query.Value, error) {
	if a.Text == nil {
		return nil, nil
	}
	return query.ParseValue(a.Type, *a.Text)
}

// fill gives a field of a new record its default, or the next key.
func (f *Fake) fill(t *query.Table, row query.Row, fd query.Field) {
	if _, given := row[fd.Name]; given {
		return
	}
	row[fd.Name] = nil
	if v, err := query.ParseValue(fd.Type, strings.Trim(fd.Default, "'")); err == nil && fd.Default != "" {
		row[fd.Name] = v
	}
	if len(t.Key) == 1 && t.Key[0] == fd.Name && fd.Type == query.Int && row[fd.Name] == nil {
		for _, other := range f.rows[t.Name] {
			if n, ok := other[fd.Name].(int64); ok {
				f.next = max(f.next, n)
			}
		}
		f.next++
		row[fd.Name] = f.next
	}
}

func (f *Fake) constraints(t *query.Table, row query.Row) deputy.Applied {
	for _, fd := range t.Fields {
		v := row[fd.Name]
		switch {
		case v == nil && (fd.Required || slices.Contains(t.Key, fd.Name)):
			return refuse(deputy.Failed, "%s must have a value.", fd.Name)
		case v != nil && fd.Values != nil && !slices.Contains(fd.Values, text(v)):
			return refuse(deputy.Failed, "%s must be one of: %s.", fd.Name, strings.Join(fd.Values, ", "))
		case v != nil && fd.Unique && f.taken(t, row, fd.Name):
			return refuse(deputy.Failed, "Another record has this value already: %s.", fd.Name)
		}
	}
	if len(t.Key) > 0 && f.taken(t, row, t.Key...) {
		return refuse(deputy.Failed, "Another record has this value already: %s.", strings.Join(t.Key, ", "))
	}
	for _, r := range t.Relations {
		if !r.Many && complete(row, r.From) && len(f.data(row, r)) == 0 {
			return refuse(deputy.Failed, "There is no such record: %s.", strings.Join(r.From, ", "))
		}
	}
	return deputy.Applied{}
}

func complete(row query.Row, fields []string) bool {
	return !slices.ContainsFunc(fields, func(name string) bool { return row[name] == nil })
}

func (f *Fake) taken(t *query.Table, row query.Row, fields ...string) bool {
	alike := 0
	for _, other := range f.rows[t.Name] {
		if !slices.ContainsFunc(fields, func(name string) bool { return !query.Same(row[name], other[name]) }) {
			alike++
		}
	}
	return alike > 1
}

// delete takes a record away; where another is left that refers to it, it is refused: nothing goes or changes along with it.
func (f *Fake) delete(t *query.Table, row query.Row) deputy.Applied {
	key := keyOf(t, row)
	f.rows[t.Name] = slices.DeleteFunc(f.rows[t.Name], func(r query.Row) bool { return slices.Equal(keyOf(t, r), key) })
	out := deputy.Applied{State: deputy.Done, Key: key}
	for _, r := range t.Relations {
		if !r.Many || len(r.From) == 0 || len(f.data(row, r)) == 0 {
			continue
		}
		if r.Cascade || r.Nullify {
			return refuse(deputy.Failed, "Records would go with it that you may not delete, or that are no part of this.")
		}
		out = refuse(deputy.Failed, "Other records refer to this one, so it cannot be deleted.")
	}
	return out
}
