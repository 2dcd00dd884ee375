package app

import (
	"encoding/json"
	"reflect"
	"strings"
)

// jsonSchema is the JSON Schema of the configuration, made of the same structs that read it.
func jsonSchema() ([]byte, error) {
	s := schemaOf(reflect.TypeFor[Config](), "")
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "Configuration of Deputy"
	return json.MarshalIndent(s, "", "  ")
}

func schemaOf(t reflect.Type, tag reflect.StructTag) map[string]any {
	out := schemaOfType(t, tag)
	if doc := tag.Get("doc"); doc != "" {
		out["description"] = doc
	}
	return out
}

func schemaOfType(t reflect.Type, tag reflect.StructTag) map[string]any {
	switch t {
	case reflect.TypeFor[FieldList]():
		names := map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
		return map[string]any{"oneOf": []any{map[string]any{"type": "boolean"}, names}}
	case reflect.TypeFor[Duration]():
		return map[string]any{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`}
	case reflect.TypeFor[Bytes]():
		return map[string]any{"type": []string{"integer", "string"}, "pattern": `^[0-9]+ ?(KiB|MiB|KB|MB)?$`, "minimum": 1}
	case reflect.TypeFor[Decimal]():
		return map[string]any{"type": []string{"number", "string"}, "pattern": decimalText.String(), "minimum": 0}
	}
	switch t.Kind() {
	case reflect.Struct:
		return schemaOfStruct(t)
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem(), "")}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem(), withoutDoc(tag))}
	case reflect.Pointer:
		return schemaOfType(t.Elem(), tag)
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
		return map[string]any{"type": "integer", "minimum": 1}
	}
	if enum := tag.Get("enum"); enum != "" {
		return map[string]any{"type": "string", "enum": strings.Split(enum, ",")}
	}
	return map[string]any{"type": []string{"string", "number", "boolean"}}
}

func schemaOfStruct(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == reflect.TypeFor[notYet]() {
			continue
		}
		properties[keyName(f)] = schemaOf(f.Type, f.Tag)
		if !strings.Contains(f.Tag.Get("json"), ",omitempty") {
			required = append(required, keyName(f))
		}
	}
	out := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// withoutDoc leaves the description to the list itself.
func withoutDoc(tag reflect.StructTag) reflect.StructTag {
	return reflect.StructTag(`enum:"` + tag.Get("enum") + `"`)
}
