package strictschema

import (
	"encoding/json"
	"slices"
)

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

// WithoutNulls drops the nulls that stand for "absent": those of properties that the schema as it was given leaves optional. All else
// keeps its bytes.
func WithoutNulls(args, schema json.RawMessage) json.RawMessage {
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
