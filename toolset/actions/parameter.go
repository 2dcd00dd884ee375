package actions

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/internal/near"
	"example.com/deputy/internal/plain"
	"example.com/deputy/query"
)

// maxText bounds the text of one value, in bytes: no field takes more.
const maxText = 64 << 10

// idParameter is the parameter that every action has.
const idParameter = "id"

// schema is the JSON Schema of the parameters: the id, then the others by name.
func (a Action) schema() json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{"` + idParameter + `":{"description":` + quoted("id of the record of "+a.Table) + `,"type":"string"}`)
	required := []string{idParameter}
	for _, name := range slices.Sorted(maps.Keys(a.Parameters)) {
		p := a.Parameters[name]
		b.WriteString("," + quoted(name) + ":" + propertyOf(p))
		if !p.Optional {
			required = append(required, name)
		}
	}
	b.WriteString(`},"required":` + quoted(required) + `,"additionalProperties":false}`)
	return b.Bytes()
}

// quoted is the JSON of texts, which always marshal: & < > stay as they are.
func quoted(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return `""`
	}
	return strings.TrimSpace(b.String())
}

// propertyOf is the JSON Schema of one parameter.
func propertyOf(p query.Parameter) string {
	kind, form := "string", ""
	switch p.Type {
	case query.Int:
		kind = "integer"
	case query.Bool:
		kind = "boolean"
	case query.Dec:
		form = "a decimal number in quotes, like 12.50"
	case query.Date:
		form = "a date, like 2026-01-31"
	case query.Timestamp:
		form = "a timestamp, like 2026-01-31T14:30:00Z"
	}
	out, said := "{", strings.Trim(p.Label+"; "+form, "; ")
	if said != "" {
		out += `"description":` + quoted(said) + ","
	}
	out += `"type":"` + kind + `"`
	if len(p.Enum) > 0 {
		out += `,"enum":` + quoted(p.Enum)
	}
	return out + "}"
}

// arguments reads what a model gave: the id, and each parameter by its type.
func (a Action) arguments(raw json.RawMessage, zone *time.Location) (id string, given map[string]query.Lit, err error) {
	names := append(slices.Sorted(maps.Keys(a.Parameters)), idParameter)
	args, err := object(raw)
	if err != nil {
		return "", nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(names, name) {
			return "", nil, deputy.Errorf(deputy.Invalid, "arguments: unknown key `%s`%s", plain.Name(name), near.Hint(name, names))
		}
	}
	if json.Unmarshal(args[idParameter], &id) != nil || id == "" {
		return "", nil, deputy.Errorf(deputy.Invalid, "arguments: `%s` must be the id of a record of %s, a string in quotes", idParameter, a.Table)
	}
	given = map[string]query.Lit{}
	for name, p := range a.Parameters {
		if given[name], err = valueOf(p, name, args[name], zone); err != nil {
			return "", nil, err
		}
	}
	return id, given, nil
}

// object takes an object apart; a key that stands twice says two things.
func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	bad := deputy.Errorf(deputy.Invalid, "arguments: write one JSON object, like {\"%s\": \"17\"}", idParameter)
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, bad
	}
	out := map[string]json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		var v json.RawMessage
		if err != nil || !ok || d.Decode(&v) != nil {
			return nil, bad
		}
		if _, twice := out[name]; twice {
			return nil, deputy.Errorf(deputy.Invalid, "arguments: `%s` stands there twice: give it one value", plain.Name(name))
		}
		out[name] = v
	}
	if _, err := d.Token(); err != nil {
		return nil, bad
	}
	if _, err := d.Token(); err == nil {
		return nil, bad
	}
	return out, nil
}

// valueOf is the value of a parameter; one that may be left out is its default, or NULL, where it is not given, or null.
func valueOf(p query.Parameter, name string, raw json.RawMessage, zone *time.Location) (query.Lit, error) {
	if len(raw) == 0 || string(raw) == "null" {
		switch {
		case !p.Optional:
			return query.Lit{}, deputy.Errorf(deputy.Invalid, "arguments: `%s` is missing: give %s", name, wanted(p))
		case p.Default == nil:
			return query.Lit{T: p.Type}, nil
		}
		return p.Read(*p.Default, zone)
	}
	wrong := deputy.Errorf(deputy.Invalid, "arguments: `%s` must be %s, not %s", name, wanted(p), plain.Cut(string(raw), plain.MaxName))
	var text string
	switch isText := json.Unmarshal(raw, &text) == nil; {
	case !isText && p.Type == query.Bool && (string(raw) == "true" || string(raw) == "false"), !isText && (p.Type == query.Int || p.Type == query.Dec):
		text = string(raw)
	case !isText || p.Type == query.Bool:
		return query.Lit{}, wrong
	}
	if !p.Allows(text) {
		return query.Lit{}, wrong
	}
	if len(text) > maxText {
		return query.Lit{}, deputy.Errorf(deputy.TooLarge, "arguments: `%s` is longer than %d bytes", name, maxText)
	}
	v, err := p.Read(text, zone)
	if err != nil || v.V == nil {
		return query.Lit{}, wrong
	}
	return v, nil
}

// wanted says what a value must be.
func wanted(p query.Parameter) string {
	switch p.Type {
	case query.Int:
		return "a whole number"
	case query.Bool:
		return "true or false, without quotes"
	case query.Dec:
		return "a decimal number, like 12.50"
	case query.Date:
		return "a date, like \"2026-01-31\""
	case query.Timestamp:
		return "a timestamp, like \"2026-01-31T14:30:00Z\""
	}
	if len(p.Enum) > 0 {
		return "one of " + strings.Join(p.Enum, ", ")
	}
	return "a string in quotes"
}

// givenTo are the values of parameters as a change keeps them, by name: of those that may stand in its conditions. An action changes many records,
// and a long text is not to be kept with each.
func givenTo(given map[string]query.Lit, conditions ...string) (out []deputy.Assign) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.ContainsFunc(conditions, func(text string) bool { return mentions(text) && strings.Contains(text, name) }) {
			out = append(out, assign(name, given[name].T, given[name].V, false))
		}
	}
	return out
}

// assign is a value as a change keeps it.
func assign(name string, t query.Type, v query.Value, own bool) deputy.Assign {
	a := deputy.Assign{Field: name, Type: t, Own: own}
	if text, ok := query.FormatValue(v); ok {
		a.Text = &text
	}
	return a
}
