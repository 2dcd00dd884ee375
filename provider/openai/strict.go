package openai

import (
	"encoding/json"
	"slices"
)

// strictForm is what a vendor can hold a model to: every property required, the optional ones nullable, nothing else allowed. Limits that
// it does not know (lengths, defaults) are left out: the tool checks its arguments anyway. False where a schema has no such form: open
// objects, unions, references.
func strictForm(schema json.RawMessage) (json.RawMessage, bool) {
	o, ok := parseObject(schema)
	if !ok || !slices.Equal(typesOf(o), []string{"object"}) {
		return nil, false
	}
	return strictNode(schema, false)
}

func strictNode(schema json.RawMessage, nullable bool) (json.RawMessage, bool) {
	in, ok := parseObject(schema)
	types := typesOf(in)
	if !ok || len(types) == 0 {
		return nil, false
	}
	out, ok := known(in)
	if !ok {
		return nil, false
	}
	if slices.Contains(types, "object") {
		if out, ok = strictObject(in, out); !ok {
			return nil, false
		}
	}
	if slices.Contains(types, "array") {
		items, ok := strictNode(in.get("items"), false)
		if !ok {
			return nil, false
		}
		out = out.set("items", items)
	}
	if nullable {
		if out, ok = withNull(out, types); !ok {
			return nil, false
		}
	}
	return out.encode(), true
}

// known leaves out what a strict schema may not say and does not need, and gives up on what changes its meaning.
func known(in object) (object, bool) {
	var out object
	for _, m := range in {
		switch m.name {
		case "type", "description", "properties", "required", "additionalProperties", "items", "enum", "const", "pattern",
			"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems":
			out = append(out, m)
		case "format":
			if knownFormat(m.value) {
				out = append(out, m)
			}
		case "title", "default", "examples", "$schema", "$comment", "$id", "minLength", "maxLength", "uniqueItems", "minProperties",
			"maxProperties", "deprecated", "readOnly", "writeOnly":
		default:
			return nil, false
		}
	}
	return out, true
}

func knownFormat(raw json.RawMessage) bool {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return false
	}
	return slices.Contains([]string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}, s)
}

func strictObject(in, out object) (object, bool) {
	more := in.get("additionalProperties")
	closed := string(more) == "false"
	properties, ok := parseObject(in.get("properties"))
	if (!ok || more != nil) && !closed { // anything may be in it
		return nil, false
	}
	required := requiredOf(in)
	names := []string{}
	for i, p := range properties {
		value, ok := strictNode(p.value, !slices.Contains(required, p.name))
		if !ok {
			return nil, false
		}
		properties[i].value = value
		names = append(names, p.name)
	}
	if slices.ContainsFunc(required, func(r string) bool { return !slices.Contains(names, r) }) {
		return nil, false
	}
	out = out.set("properties", properties.encode())
	return out.set("required", quote(names)).set("additionalProperties", json.RawMessage("false")), true
}

// withNull adds null to the types and to the list of values.
func withNull(out object, types []string) (object, bool) {
	if out.get("const") != nil {
		return nil, false
	}
	if !slices.Contains(types, "null") {
		out = out.set("type", quote(append(slices.Clone(types), "null")))
	}
	raw := out.get("enum")
	if raw == nil {
		return out, true
	}
	var values []json.RawMessage
	if json.Unmarshal(raw, &values) != nil {
		return nil, false
	}
	if !slices.ContainsFunc(values, isNull) {
		values = append(values, json.RawMessage("null"))
	}
	return out.set("enum", list(values)), true
}

// list writes a list of values, each as it was.
func list(values []json.RawMessage) json.RawMessage {
	b := []byte{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}

func typesOf(o object) []string {
	raw := o.get("type")
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	var many []string
	if json.Unmarshal(raw, &many) != nil {
		return nil
	}
	return many
}

func requiredOf(o object) []string {
	var out []string
	if raw := o.get("required"); json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// withoutNulls drops the nulls that stand for "absent": those of properties that the schema as it was given leaves optional. All else
// keeps its bytes.
func withoutNulls(args, schema json.RawMessage) json.RawMessage {
	if !json.Valid(args) {
		return args
	}
	return prune(args, schema)
}

func prune(value, schema json.RawMessage) json.RawMessage {
	s, _ := parseObject(schema)
	var items []json.RawMessage
	if o, ok := parseObject(value); ok {
		return pruneObject(value, o, s)
	}
	if s.get("items") == nil || json.Unmarshal(value, &items) != nil || items == nil {
		return value
	}
	changed := false
	for i, v := range items {
		items[i] = prune(v, s.get("items"))
		changed = changed || len(items[i]) != len(v)
	}
	if !changed {
		return value
	}
	return list(items)
}

func pruneObject(value json.RawMessage, o, s object) json.RawMessage {
	properties, _ := parseObject(s.get("properties"))
	required := requiredOf(s)
	out, changed := object{}, false
	for _, m := range o {
		property := properties.get(m.name)
		switch {
		case property == nil:
		case isNull(m.value) && !slices.Contains(required, m.name):
			changed = true
			continue
		default:
			kept := prune(m.value, property)
			changed = changed || len(kept) != len(m.value)
			m.value = kept
		}
		out = append(out, m)
	}
	if !changed {
		return value
	}
	return out.encode()
}
