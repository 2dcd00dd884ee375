// Package schema makes the JSON Schema of a parameters struct, one byte sequence per type, and decodes arguments as strictly as that schema says.
//
// It is own code because every model request pays for each byte of a schema, and because arguments come from a model: an error must say
// what is wrong, where, and how to mend it, and nothing may be guessed (key case, duplicates, numbers in texts).
//
// A parameters struct has exported fields with a json tag: string, bool, int and its sizes, json.RawMessage (any scalar, kept as it was
// written), slices and structs of these. A field is optional where its tag says omitzero or where it is a pointer. The tag `desc` describes it
// to the model; `enum` (a|b) lists the only texts allowed, of the field or of its items.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Of writes the schema of a struct type, fields in the order of the source. Maps, interfaces, floats and types that contain themselves are refused.
func Of(t reflect.Type) (json.RawMessage, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("schema: parameters are a struct, not %s", t)
	}
	var b bytes.Buffer
	if err := object(&b, t, "", nil); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// field is one parameter.
type field struct {
	name     string
	index    int
	typ      reflect.Type // without the pointer
	pointer  bool
	optional bool
	desc     string
	enum     []string
}

// isRaw finds json.RawMessage, which stands for any scalar.
func isRaw(t reflect.Type) bool { return t == reflect.TypeFor[json.RawMessage]() }

func isInt(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64 }

// fields reads the tags of a struct.
func fields(t reflect.Type) ([]field, error) {
	var out []field
	for i := range t.NumField() {
		f, err := fieldOf(t.Field(i))
		if err != nil {
			return nil, fmt.Errorf("schema: %s.%s: %w", t, t.Field(i).Name, err)
		}
		if slices.ContainsFunc(out, func(o field) bool { return o.name == f.name }) {
			return nil, fmt.Errorf("schema: %s: two fields are named %s", t, f.name)
		}
		f.index = i
		out = append(out, f)
	}
	return out, nil
}

func fieldOf(s reflect.StructField) (field, error) {
	name, opts, _ := strings.Cut(s.Tag.Get("json"), ",")
	f := field{name: name, typ: s.Type, desc: s.Tag.Get("desc"), pointer: s.Type.Kind() == reflect.Pointer}
	if f.pointer {
		f.typ = s.Type.Elem()
	}
	f.optional = f.pointer || opts == "omitzero"
	if e := s.Tag.Get("enum"); e != "" {
		f.enum = strings.Split(e, "|")
	}
	switch {
	case s.Anonymous || !s.IsExported() || name == "" || name == "-":
		return f, fmt.Errorf("a parameter is an exported field with a json name")
	case opts != "" && opts != "omitzero":
		return f, fmt.Errorf("the only option of a json tag is omitzero")
	case f.enum != nil && f.typ.Kind() != reflect.String && f.typ != reflect.TypeFor[[]string]():
		return f, fmt.Errorf("only a string or a list of strings has an enum")
	}
	return f, nil
}

func object(b *bytes.Buffer, t reflect.Type, desc string, above []reflect.Type) error {
	if slices.Contains(above, t) {
		return fmt.Errorf("schema: %s contains itself", t)
	}
	fs, err := fields(t)
	if err != nil {
		return err
	}
	required := []string{}
	b.WriteString(`{"type":"object",`)
	describe(b, desc)
	b.WriteString(`"properties":{`)
	for i, f := range fs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quote(f.name))
		b.WriteByte(':')
		if err := write(b, f, append(slices.Clip(above), t)); err != nil {
			return fmt.Errorf("%w (%s.%s)", err, t, f.name)
		}
		if !f.optional {
			required = append(required, f.name)
		}
	}
	b.WriteByte('}')
	if len(required) > 0 {
		b.WriteString(`,"required":`)
		b.Write(quote(required))
	}
	b.WriteString(`,"additionalProperties":false}`)
	return nil
}

func write(b *bytes.Buffer, f field, above []reflect.Type) error {
	t, kind := f.typ, ""
	switch {
	case isRaw(t):
		kind = `["string","number","boolean","null"]`
	case t.Kind() == reflect.String:
		kind = `"string"`
	case t.Kind() == reflect.Bool:
		kind = `"boolean"`
	case isInt(t):
		kind = `"integer"`
	case t.Kind() == reflect.Struct:
		return object(b, t, f.desc, above)
	case t.Kind() == reflect.Slice:
		b.WriteString(`{"type":"array",`)
		describe(b, f.desc)
		b.WriteString(`"items":`)
		err := write(b, field{typ: t.Elem(), enum: f.enum}, above)
		b.WriteByte('}')
		return err
	default:
		return fmt.Errorf("schema: %s cannot be a parameter", t)
	}
	b.WriteString(`{`)
	describe(b, f.desc)
	fmt.Fprintf(b, `"type":%s`, kind)
	if f.enum != nil {
		b.WriteString(`,"enum":`)
		b.Write(quote(f.enum))
	}
	b.WriteByte('}')
	return nil
}

func describe(b *bytes.Buffer, desc string) {
	if desc != "" {
		fmt.Fprintf(b, `"description":%s,`, quote(desc))
	}
}

// quote is the shortest JSON of a text or a list of texts: & < > stay as they are.
func quote(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("schema: " + err.Error()) // texts always marshal
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
