// Package strictrules is what vendors publish of the schemas of strict tools, written down for tests, without a look at how strict forms are made.
//
// OpenAI's is that of structured outputs ("Supported schemas") and of function calling ("Strict mode"); Anthropic's that of structured outputs
// ("JSON Schema limitations", "Schema complexity limits") and of strict tool use. What a page does not name as supported is taken as not.
package strictrules

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// keywords of JSON Schema that a vendor takes, by the type that they belong to; "" are those of all.
type keywords map[string][]string

// node is a schema inside a schema.
type node struct {
	path     string
	depth    int // levels of objects and lists above it
	types    []string
	of       map[string]any
	optional bool // it is a property that its object does not require
}

func (n node) is(kind string) bool { return slices.Contains(n.types, kind) }

// nodes are all schemas of one, the outermost first. What is no schema is said.
func nodes(schema json.RawMessage) (out []node, wrong []string) {
	var walk func(path string, depth int, raw any, optional bool)
	walk = func(path string, depth int, raw any, optional bool) {
		of, ok := raw.(map[string]any)
		if !ok {
			wrong = append(wrong, path+": it is no schema")
			return
		}
		n := node{path, depth, texts(of["type"]), of, optional}
		out = append(out, n)
		if len(n.types) == 0 {
			wrong = append(wrong, path+": it has no type")
		}
		if items, ok := of["items"]; ok || n.is("array") {
			walk(path+"[]", depth+1, items, false)
		}
		properties, _ := of["properties"].(map[string]any)
		required := texts(of["required"])
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			walk(path+"."+name, depth+1, properties[name], !slices.Contains(required, name))
		}
	}
	var raw any
	if err := json.Unmarshal(schema, &raw); err != nil {
		return nil, []string{"it is no JSON: " + err.Error()}
	}
	walk("", 0, raw, false)
	return out, wrong
}

func texts(raw any) (out []string) {
	if one, ok := raw.(string); ok {
		return []string{one}
	}
	list, _ := raw.([]any)
	for _, v := range list {
		text, _ := v.(string)
		out = append(out, text)
	}
	return out
}

// shape is what both vendors want of every schema: an object at the root, closed objects, keywords and types that they know.
func shape(all []node, known keywords, formats []string) (wrong []string) {
	say := func(n node, format string, args ...any) {
		wrong = append(wrong, n.path+": "+fmt.Sprintf(format, args...))
	}
	if len(all) > 0 && !slices.Equal(all[0].types, []string{"object"}) {
		say(all[0], "the root is no object")
	}
	for _, n := range all {
		for _, key := range slices.Sorted(maps.Keys(n.of)) {
			if !slices.ContainsFunc(append([]string{""}, n.types...), func(t string) bool { return slices.Contains(known[t], key) }) {
				say(n, "%s is not supported here", key)
			}
		}
		for _, kind := range n.types {
			if !slices.Contains([]string{"string", "number", "boolean", "integer", "object", "array", "null"}, kind) {
				say(n, "there is no type %q", kind)
			}
		}
		if n.is("object") && n.of["additionalProperties"] != false {
			say(n, "additionalProperties is not false")
		}
		if format, ok := n.of["format"]; ok && !slices.Contains(formats, fmt.Sprint(format)) {
			say(n, "the format %v is not supported", format)
		}
		properties, _ := n.of["properties"].(map[string]any)
		for _, name := range texts(n.of["required"]) {
			if _, ok := properties[name]; !ok {
				say(n, "it requires %s, which it does not have", name)
			}
		}
	}
	return wrong
}
