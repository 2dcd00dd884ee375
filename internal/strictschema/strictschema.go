// Package strictschema turns the schema of a tool's parameters into the form that a vendor can hold a model to while it writes a call, and
// turns what the model wrote back into what the tool takes. The order of everything is kept, so that the same schema gives the same bytes.
package strictschema

import (
	"encoding/json"
	"slices"
)

// form is what one kind of strictness wants.
type form struct {
	nullable bool // optional properties are required and may be null; else they stay optional
	limits   bool // bounds of numbers and lists may be said
	bounded  bool // the schema itself may have so much and no more: see size
	formats  []string
	count    Count
	size     size
}

// Count is what a vendor limits in all strict schemas of a request together.
type Count struct {
	Optional int // properties that are not required
	Unions   int // properties of several types
}

// Nullable is the form in which every property is required, the optional ones nullable, and nothing else allowed. Limits that it does not
// know (lengths, defaults) are left out: the tool checks its arguments anyway. False where a schema has no such form: open objects,
// unions, references, more than fits. WithoutNulls undoes it.
func Nullable(schema json.RawMessage) (json.RawMessage, bool) {
	f := form{nullable: true, limits: true, bounded: true, formats: []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}}
	return f.root(schema)
}

// Closed is the form in which nothing else is allowed than what the schema names; optional properties stay so, and no limits are said.
// False where a schema has no such form.
func Closed(schema json.RawMessage) (json.RawMessage, Count, bool) {
	f := form{formats: []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}}
	out, ok := f.root(schema)
	return out, f.count, ok
}

func (f *form) root(schema json.RawMessage) (json.RawMessage, bool) {
	o, ok := parseObject(schema)
	if !ok || !slices.Equal(typesOf(o), []string{"object"}) {
		return nil, false
	}
	return f.node(schema, false, 0)
}

// node is one schema below so many others; optional says that it is of a property that is not required.
func (f *form) node(schema json.RawMessage, optional bool, depth int) (json.RawMessage, bool) {
	in, ok := parseObject(schema)
	types := typesOf(in)
	if !ok || in.twice() || !knownTypes(types) {
		return nil, false
	}
	out, ok := f.known(in, types)
	if !ok || !f.values(in) || f.bounded && !f.size.add(in, depth) {
		return nil, false
	}
	f.tally(types, optional)
	if slices.Contains(types, "object") {
		if out, ok = f.object(in, out, depth); !ok {
			return nil, false
		}
	}
	if slices.Contains(types, "array") {
		items, ok := f.node(in.get("items"), false, depth+1)
		if !ok {
			return nil, false
		}
		out = out.set("items", items)
	}
	if optional && f.nullable {
		if out, ok = withNull(out, types); !ok {
			return nil, false
		}
	}
	return out.encode(), true
}

func (f *form) tally(types []string, optional bool) {
	if optional {
		f.count.Optional++
	}
	if len(types) > 1 {
		f.count.Unions++
	}
}

// known leaves out what a strict schema may not say and does not need, or says of other types than these, and gives up on what changes its
// meaning.
func (f *form) known(in object, types []string) (object, bool) {
	var out object
	for _, m := range in {
		if slices.Contains(leftOut(), m.name) {
			continue
		}
		of, ok := about(m.name)
		switch {
		case !ok:
			return nil, false
		case of != nil && !slices.ContainsFunc(of, func(t string) bool { return slices.Contains(types, t) }):
		case m.name == "format" && !f.knownFormat(m.value), isLimit(m.name) && !f.limits:
		default:
			out = append(out, m)
		}
	}
	return out, true
}

func (f *form) knownFormat(raw json.RawMessage) bool {
	var s string
	return json.Unmarshal(raw, &s) == nil && slices.Contains(f.formats, s)
}

func (f *form) object(in, out object, depth int) (object, bool) {
	more := in.get("additionalProperties")
	closed := string(more) == "false"
	properties, ok := parseObject(in.get("properties"))
	if properties.twice() || (!ok || more != nil) && !closed { // anything may be in it
		return nil, false
	}
	required := requiredOf(in)
	names := []string{}
	for i, p := range properties {
		value, ok := f.node(p.value, !slices.Contains(required, p.name), depth+1)
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
	if f.nullable {
		out = out.set("required", quote(names))
	}
	return out.set("additionalProperties", json.RawMessage("false")), true
}
