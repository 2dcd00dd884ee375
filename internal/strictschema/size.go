package strictschema

import (
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// about says which types a keyword is about; nil: all. False for one that a strict schema cannot have.
func about(keyword string) ([]string, bool) {
	switch keyword {
	case "type", "description", "enum", "const":
		return nil, true
	case "properties", "required", "additionalProperties":
		return []string{"object"}, true
	case "items", "minItems", "maxItems":
		return []string{"array"}, true
	case "pattern", "format":
		return []string{"string"}, true
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return []string{"number", "integer"}, true
	}
	return nil, false
}

// isLimit says whether a keyword bounds values.
func isLimit(keyword string) bool {
	of, ok := about(keyword)
	return ok && of != nil && !slices.Contains([]string{"properties", "required", "additionalProperties", "items", "format"}, keyword)
}

// leftOut are the keywords without which a schema means the same to a model, or which the tool sees to.
func leftOut() []string {
	return []string{"title", "default", "examples", "$schema", "$comment", "$id", "minLength", "maxLength", "uniqueItems", "minProperties",
		"maxProperties", "deprecated", "readOnly", "writeOnly"}
}

// knownTypes says whether there are types, and each is one of JSON's.
func knownTypes(types []string) bool {
	return len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool {
		return !slices.Contains([]string{"string", "number", "integer", "boolean", "object", "array", "null"}, t)
	})
}

// values says whether the values that are listed are no objects and no lists.
func (f *form) values(in object) bool {
	var list []json.RawMessage
	if raw := in.get("enum"); raw != nil && (json.Unmarshal(raw, &list) != nil || list == nil) {
		return false
	}
	if c := in.get("const"); c != nil {
		list = append(list, c)
	}
	return !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return raw[0] == '{' || raw[0] == '[' })
}

// size is what a vendor limits in one schema.
type size struct{ properties, characters, values int }

// Limits of a schema; characters are those of names and values.
const (
	mostDeep       = 10
	mostProperties = 5000
	mostCharacters = 120_000
	mostValues     = 1000
	manyValues     = 250 // with more in one list, they have at most …
	mostOfMany     = 15_000
)

// add counts one schema; false where there is more than may be.
func (s *size) add(in object, depth int) bool {
	properties, _ := parseObject(in.get("properties"))
	for _, p := range properties {
		s.characters += utf8.RuneCountInString(p.name)
	}
	var list []json.RawMessage
	_ = json.Unmarshal(in.get("enum"), &list) // values has seen it
	long := utf8.RuneCount(in.get("const"))
	for _, v := range list {
		long += utf8.RuneCount(v)
	}
	s.properties, s.characters, s.values = s.properties+len(properties), s.characters+long, s.values+len(list)
	return depth <= mostDeep && s.properties <= mostProperties && s.characters <= mostCharacters && s.values <= mostValues &&
		(len(list) <= manyValues || long <= mostOfMany)
}
