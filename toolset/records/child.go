package records

import (
	"context"
	"errors"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

// parentID is what the changes of a draft call the record that the call is about.
const parentID = "parent"

// child is a record that is created with its parent.
type child struct {
	name   string // lines[0], as the model wrote it
	rel    query.Relation
	values []valueIn
}

// byRecord sorts values by the record that they are of: lines[0].quantity is a field of a child.
func byRecord(t *query.Table, values []valueIn) (own []valueIn, children []*child, err error) {
	for _, v := range values {
		name, field, ok := strings.Cut(v.Field, "].")
		relation, _, indexed := strings.Cut(name, "[")
		if !ok || !indexed {
			own = append(own, v)
			continue
		}
		name += "]"
		i := slices.IndexFunc(children, func(c *child) bool { return c.name == name })
		if i < 0 {
			rel, err := below(t, relation)
			if err != nil {
				return nil, nil, err
			}
			i, children = len(children), append(children, &child{name: name, rel: rel})
		}
		children[i].values = append(children[i].values, valueIn{field, v.Value})
	}
	return own, children, nil
}

// below finds a relation to children, by its name or, where only one leads there, by that of their table.
func below(t *query.Table, name string) (query.Relation, error) {
	var names []string
	var there []query.Relation
	for _, r := range t.Relations {
		switch {
		case r.Many && r.Name == name:
			return r, nil
		case r.Many && r.Table == name:
			there = append(there, r)
		}
		if r.Many {
			names = append(names, r.Name)
		}
	}
	if len(there) == 1 {
		return there[0], nil
	}
	return query.Relation{}, unknownName("no children", name, t.Name, names)
}

// draft is the change that creates the child, tied to the parent.
func (c *child) draft(ctx context.Context, s *deputy.Scope, t *query.Table, parent deputy.Change) (deputy.Change, error) {
	out := deputy.Change{ID: c.name, Verb: deputy.Create, Table: c.rel.Table}
	of, err := s.View().Table(ctx, c.rel.Table)
	if err != nil {
		return out, err
	}
	for _, v := range c.values {
		if slices.Contains(c.rel.To, v.Field) {
			return out, deputy.Errorf(deputy.Invalid, "leave `%s.%s` out: it is of the record that is created with it", c.name, v.Field)
		}
	}
	if out.Values, err = assigns(ctx, s, of, c.values); err != nil {
		return out, within(c.name, err)
	}
	for i, from := range c.rel.From {
		tie, err := c.tie(t, of, from, c.rel.To[i], parent)
		if err != nil {
			return out, err
		}
		out.Values = append(out.Values, tie)
	}
	return out, nil
}

// tie sets a field of the child to that of its parent: a value that is given, or the key that the parent will have.
func (c *child) tie(t, of *query.Table, from, to string, parent deputy.Change) (deputy.Assign, error) {
	f, ok := of.Field(to)
	if !ok {
		return deputy.Assign{}, deputy.Errorf(deputy.NotFound, "no field `%s` in %s", to, of.Name)
	}
	out := deputy.Assign{Field: to, Type: f.Type}
	if i := slices.IndexFunc(parent.Values, func(a deputy.Assign) bool { return a.Field == from }); i >= 0 {
		out.Text, out.From, out.Own = parent.Values[i].Text, parent.Values[i].From, true
		if out.Text == nil && out.From == "" {
			return out, deputy.Errorf(deputy.Invalid, "`%s` is NULL, so that no children belong to the record: give it a value", from)
		}
		return out, nil
	}
	made, _ := t.Field(from)
	if len(t.Key) != 1 || t.Key[0] != from || !made.Generated && made.Default == "" {
		return out, deputy.Errorf(deputy.Invalid, "%s is tied to `%s`: give it a value, so that children can be created along with the record", c.name, from)
	}
	out.From = parentID
	return out, nil
}

// within says in which child a mistake is.
func within(name string, err error) error {
	var e *deputy.Error
	if !errors.As(err, &e) {
		return err
	}
	said := *e
	said.Message = name + ": " + e.Message
	return &said
}
