package records

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/internal/near"
	"example.com/deputy/query"
)

// valueIn is one field and what it is to be. Numbers stay as they were written: no value goes through a float.
type valueIn struct {
	Field string          `json:"field"`
	Value json.RawMessage `json:"value"`
}

// assigns turns values into assignments, each by the type of its field, in the order of the table's fields.
func assigns(ctx context.Context, s *deputy.Scope, t *query.Table, values []valueIn) ([]deputy.Assign, error) {
	if len(values) == 0 {
		return nil, deputy.Errorf(deputy.Invalid, "`values` is empty: name at least one field and its value")
	}
	var out []deputy.Assign
	place := map[string]int{}
	for i, f := range t.Fields {
		place[f.Name] = i
	}
	for _, v := range values {
		f, ok := t.Field(v.Field)
		switch {
		case !ok:
			return nil, unknownName("no field", v.Field, t.Name, t.FieldNames())
		case slices.ContainsFunc(out, func(a deputy.Assign) bool { return a.Field == f.Name }):
			return nil, deputy.Errorf(deputy.Invalid, "field `%s` stands twice in `values`: give it one value", f.Name)
		}
		a, err := assign(ctx, s, t, f, v.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b deputy.Assign) int { return cmp.Compare(place[a.Field], place[b.Field]) })
	return out, nil
}

// assign is one value for a field: for a foreign key also the record that an earlier change of the turn creates, new:c3.
func assign(ctx context.Context, s *deputy.Scope, t *query.Table, f query.Field, raw json.RawMessage) (deputy.Assign, error) {
	a := deputy.Assign{Field: f.Name, Type: f.Type}
	var given string
	if json.Unmarshal(raw, &given) == nil {
		id, made := strings.CutPrefix(given, deputy.NewRecord)
		if _, leads := t.Parent(f.Name); made && leads {
			a.From = id
			return a, nil
		}
	}
	var err error
	a.Text, err = valueText(ctx, s, t, f, raw)
	return a, err
}

// unknownName refuses a name, with the one that was probably meant: only among those this person may see.
func unknownName(what, name, table string, names []string) error {
	return deputy.Errorf(deputy.NotFound, "%s `%s` in %s%s", what, name, table, near.Hint(name, names))
}

// valueText is the exact text of a JSON scalar for a field; nil is NULL.
func valueText(ctx context.Context, s *deputy.Scope, t *query.Table, f query.Field, raw json.RawMessage) (*string, error) {
	given := strings.TrimSpace(string(raw))
	if given == "null" {
		return nil, nil
	}
	text, quoted, err := unquote(f, given)
	if err != nil {
		return nil, err
	}
	v, err := parseValue(f, text, s.Clock().Zone)
	if err != nil && quoted {
		if rel, ok := t.Parent(f.Name); ok {
			return labelled(ctx, s.View(), f, rel, text)
		}
	}
	if err != nil {
		return nil, deputy.Errorf(deputy.Invalid, "field `%s` of type %s: %v", f.Name, f.Type, err)
	}
	if out, ok := query.FormatValue(v); ok {
		return &out, nil
	}
	return nil, deputy.Errorf(deputy.Invalid, "field `%s` of type %s cannot be given a value here", f.Name, f.Type)
}

// unquote is the text of a JSON scalar, and whether it was a string. A boolean fits no text, a bare number no date.
func unquote(f query.Field, given string) (text string, quoted bool, err error) {
	quoted = strings.HasPrefix(given, `"`)
	bare := given == "true" || given == "false"
	switch {
	case quoted:
		if err := json.Unmarshal([]byte(given), &text); err != nil {
			return "", true, deputy.Errorf(deputy.Invalid, "field `%s`: %v", f.Name, err)
		}
		return text, true, nil
	case bare && f.Type != query.Bool && f.Type != query.JSON:
		return "", false, deputy.Errorf(deputy.Invalid, "field `%s` is of type %s, not a boolean", f.Name, f.Type)
	}
	return given, false, nil
}

// parseValue reads a text by the field's type. A timestamp without a zone is in the person's.
func parseValue(f query.Field, text string, zone *time.Location) (query.Value, error) {
	if f.Type == query.Timestamp && zone != nil {
		for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
			if at, err := time.ParseInLocation(layout, text, zone); err == nil {
				return at.UTC(), nil
			}
		}
	}
	return query.ParseValue(f.Type, text)
}

// labelled takes the label of a record for a foreign key, as a condition would: it must mean exactly one record that the person may read.
func labelled(ctx context.Context, v *deputy.View, f query.Field, rel query.Relation, label string) (*string, error) {
	ids, err := called(ctx, v, rel, label)
	if err != nil {
		return nil, err
	}
	switch len(ids) {
	case 0:
		return nil, deputy.Errorf(deputy.Invalid, "field `%s`: no record of %s has this id or is called %q: look its id up first", f.Name, rel.Table, label)
	case 1:
		return &ids[0], nil
	}
	return nil, deputy.Errorf(deputy.Invalid, "field `%s`: %q may mean several records of %s: give the id, one of %s", f.Name, label, rel.Table, strings.Join(ids, ", "))
}

// called finds the keys of the readable records that a label names, a few at most.
func called(ctx context.Context, v *deputy.View, rel query.Relation, label string) ([]string, error) {
	const candidates = 5
	parent, err := v.Table(ctx, rel.Table)
	if err != nil {
		return nil, err
	}
	key, ok := parent.Field(rel.To[0])
	literal, err := json.Marshal(label)
	if !ok || err != nil || parent.RecordLabel == "" {
		return nil, err
	}
	is, err := v.Condition(ctx, parent.Name, "("+parent.RecordLabel+") == "+string(literal))
	if err != nil { // a field of the label is hidden from this person
		return nil, nil // so no record has a name for them
	}
	rows, err := v.Query(ctx, query.Query{Table: parent.Name, Where: is, Limit: candidates,
		Select: []query.Column{{As: key.Name, Expr: query.Ref{Table: parent.Name, Field: key}}}})
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range rows.Rows {
		if text, ok := query.FormatValue(r[0]); ok {
			out = append(out, text)
		}
	}
	return out, nil
}
