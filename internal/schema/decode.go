package schema

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/deputy/internal/near"
)

// Decode reads arguments into a pointer to a struct as Of describes it. Empty input and null are an empty object. null for an optional
// parameter is the same as leaving it out; a required json.RawMessage keeps it. An error is a sentence for the model that wrote the
// arguments; into is then undefined.
func Decode(raw []byte, into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("schema: decoding needs a pointer to a struct, not %T", into)
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		raw = []byte("{}")
	}
	n, err := parse(raw)
	if err != nil {
		return err
	}
	if n.kind == "null" {
		n = node{kind: "object"}
	}
	return setObject(v.Elem(), n, "")
}

// setObject fills a struct.
func setObject(v reflect.Value, n node, path string) error {
	if n.kind != "object" {
		return wrong(path, "an object like {\"key\": value}", n)
	}
	fs, err := fields(v.Type())
	if err != nil {
		return err
	}
	if err := checkKeys(fs, n, path); err != nil {
		return err
	}
	for _, f := range fs {
		i := slices.Index(n.keys, f.name)
		given := i >= 0 && !(n.values[i].kind == "null" && f.optional)
		switch {
		case given:
			if err := setField(v.Field(f.index), f, n.values[i], join(path, f.name)); err != nil {
				return err
			}
		case !f.optional:
			return fmt.Errorf("`%s` is missing: it is required", join(path, f.name))
		default:
			v.Field(f.index).SetZero()
		}
	}
	return nil
}

// checkKeys refuses a key that is none of the fields, naming the one that was meant.
func checkKeys(fs []field, n node, path string) error {
	var names []string
	for _, f := range fs {
		names = append(names, f.name)
	}
	for _, k := range n.keys {
		if slices.Contains(names, k) {
			continue
		}
		mend := "the keys are " + strings.Join(names, ", ")
		if alike := near.Names(k, names); len(alike) > 0 {
			mend = "write " + alike[0]
		} else if len(names) == 0 {
			mend = "send {}"
		}
		return fmt.Errorf("unknown key `%s`: %s", short(join(path, k)), mend)
	}
	return nil
}

func setField(v reflect.Value, f field, n node, path string) error {
	if f.pointer {
		p := reflect.New(f.typ)
		v.Set(p)
		v = p.Elem()
	}
	return set(v, f.enum, n, path)
}

func set(v reflect.Value, enum []string, n node, path string) error {
	t := v.Type()
	switch {
	case isRaw(t):
		return setRaw(v, n, path)
	case t.Kind() == reflect.String:
		return setString(v, enum, n, path)
	case t.Kind() == reflect.Bool:
		if n.kind != "boolean" {
			return wrong(path, "true or false, without quotes", n)
		}
		v.SetBool(string(n.raw) == "true")
		return nil
	case isInt(t):
		return setInt(v, n, path)
	case t.Kind() == reflect.Slice:
		return setList(v, enum, n, path)
	case t.Kind() == reflect.Struct:
		return setObject(v, n, path)
	}
	return fmt.Errorf("schema: %s cannot be a parameter", t)
}

func setRaw(v reflect.Value, n node, path string) error {
	if n.kind == "object" || n.kind == "list" {
		return fmt.Errorf("`%s` must be one string, number, boolean or null, not %s: send it as JSON text in a string", short(path), n.name())
	}
	v.SetBytes(bytes.Clone(n.raw))
	return nil
}

func setString(v reflect.Value, enum []string, n node, path string) error {
	if n.kind != "text" {
		return wrong(path, "a string in quotes", n)
	}
	if enum != nil && !slices.Contains(enum, n.text) {
		return fmt.Errorf("`%s` must be one of %s, not `%s`", short(path), strings.Join(enum, ", "), short(n.text))
	}
	v.SetString(n.text)
	return nil
}

func setInt(v reflect.Value, n node, path string) error {
	if n.kind != "number" {
		return wrong(path, "a whole number without quotes", n)
	}
	i, err := strconv.ParseInt(string(n.raw), 10, v.Type().Bits())
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("`%s` is out of range: %s", short(path), short(string(n.raw)))
	case err != nil:
		return fmt.Errorf("`%s` must be a whole number without point or exponent, not %s", short(path), short(string(n.raw)))
	}
	v.SetInt(i)
	return nil
}

func setList(v reflect.Value, enum []string, n node, path string) error {
	if n.kind != "list" {
		return wrong(path, "a list like [ … ]", n)
	}
	out := reflect.MakeSlice(v.Type(), len(n.values), len(n.values))
	for i, x := range n.values {
		if err := set(out.Index(i), enum, x, item(path, i)); err != nil {
			return err
		}
	}
	v.Set(out)
	return nil
}

func wrong(path, want string, n node) error {
	if path == "" {
		return fmt.Errorf("they must be one JSON object, not %s", n.name())
	}
	return fmt.Errorf("`%s` must be %s, not %s", short(path), want, n.name())
}

// name says what a value is.
func (n node) name() string {
	switch n.kind {
	case "null":
		return "null"
	case "object":
		return "an object"
	case "boolean", "number":
		return fmt.Sprintf("the %s %s", n.kind, short(string(n.raw)))
	case "text":
		return "the text " + short(string(quote(n.text)))
	}
	return "a " + n.kind
}
