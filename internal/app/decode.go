package app

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"example.com/deputy/internal/near"
)

// document is a configuration that was read: the values, and where each key stands in the file, for mistakes that are found later.
type document struct {
	Config
	file     string
	keys     map[string]position // by dotted key: of the key, or of the item of a list
	values   map[string]position
	mistakes Mistakes
	env      func(string) (string, bool)
}

// bad notes a mistake at a key, or at the nearest key around it that stands in the file.
func (d *document) bad(key, format string, args ...any) { d.badAt(d.keys, key, format, args...) }

// badValue notes a mistake at the value of a key.
func (d *document) badValue(key, format string, args ...any) {
	d.badAt(d.values, key, format, args...)
}

// badAt keeps the first mistake of a key: what follows from it is no news.
func (d *document) badAt(where map[string]position, key, format string, args ...any) {
	if slices.ContainsFunc(d.mistakes, func(m Mistake) bool { return m.Key == key }) {
		return
	}
	at, ok := where[key]
	for outer := key; !ok && outer != ""; at, ok = where[outer] {
		outer = outer[:max(0, strings.LastIndexAny(outer, ".["))]
	}
	d.mistakes = append(d.mistakes, Mistake{File: d.file, at: at, Key: key, Text: fmt.Sprintf(format, args...)})
}

// parser is a value that is written as one text.
type parser interface{ parse(text string) error }

// decode reads a node into a value and notes every mistake on the way. tag is of the struct field the value stands in.
func (d *document) decode(n ast.Node, v reflect.Value, key string, tag reflect.StructTag) {
	d.values[key] = place(n)
	if _, ok := n.(ast.MapNode); ok {
		d.values[key] = d.keys[key] // what is said of a mapping is said of its name
	}
	if v.Type() == reflect.TypeFor[notYet]() {
		d.bad(key, "not supported yet: remove it")
		return
	}
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		d.badValue(key, "anchors, aliases and tags are not supported: write the value out, in quotes if it begins with !, & or *")
		return
	case *ast.NullNode:
		if strings.ContainsAny(key, "()") { // the rest of an expression
			d.badValue(key, "no value: within braces a comma ends a value, so quote the one before")
			return
		}
		d.badValue(key, "no value: write one, or remove the key")
		return
	}
	if p, ok := v.Addr().Interface().(parser); ok {
		d.scalar(n, key, oneValue, p.parse)
		return
	}
	if target, ok := v.Addr().Interface().(*FieldList); ok {
		d.fieldList(n, target, key)
		return
	}
	d.decodeKind(n, v, key, tag)
}

func (d *document) decodeKind(n ast.Node, v reflect.Value, key string, tag reflect.StructTag) {
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v, key)
	case reflect.Map:
		d.mapping(n, v, key)
	case reflect.Slice:
		d.list(n, v, key, tag)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.decodeKind(n, v.Elem(), key, tag)
	case reflect.String:
		d.scalar(n, key, oneValue, func(text string) error {
			v.SetString(text)
			if enum := tag.Get("enum"); enum != "" {
				return oneOf(text, enum, tag.Get("later"))
			}
			return nil
		})
	case reflect.Bool:
		d.scalar(n, key, "write true or false", func(text string) error {
			b, err := parseBool(text)
			v.SetBool(b)
			return err
		})
	case reflect.Int:
		d.scalar(n, key, oneValue, func(text string) error {
			i, err := parseCount(text)
			v.SetInt(i)
			return err
		})
	default:
		panic("a configuration key of type " + v.Type().String())
	}
}

// oneValue is what to do about a list or a mapping where one value belongs.
const oneValue = "write one value here, no list and no mapping"

// scalar hands the text of a value, environment variables replaced, to parse; wanted is what to say of a list or a mapping.
func (d *document) scalar(n ast.Node, key, wanted string, parse func(string) error) {
	text, ok := scalarText(n)
	if !ok {
		d.badValue(key, "%s", wanted)
		return
	}
	text, err := expand(text, d.env)
	if err == nil {
		err = parse(text)
	}
	if err != nil {
		d.badValue(key, "%v", err)
	}
}

func (d *document) structure(n ast.Node, v reflect.Value, key string) {
	fields := map[string]int{}
	for i := range v.NumField() {
		fields[keyName(v.Type().Field(i))] = i
	}
	d.each(n, key, func(name string, value ast.Node, at string) {
		i, ok := fields[name]
		if !ok {
			d.bad(at, "unknown key%s%s", near.Hint(name, supported(v.Type())), ofARule(name))
			if key == "" {
				d.mistakes[len(d.mistakes)-1].first = true
			}
			return
		}
		d.decode(value, v.Field(i), at, v.Type().Field(i).Tag)
	})
}

// ofARule says how to mend a rule that a comma in a flow mapping has cut in two, where a key looks like the rest of one.
func ofARule(name string) string {
	if strings.ContainsAny(name, "()=<>&|!\"'") {
		return "; if it is a part of a rule, quote the rule: rows: '…'"
	}
	return ""
}

func (d *document) mapping(n ast.Node, v reflect.Value, key string) {
	v.Set(reflect.MakeMap(v.Type()))
	d.each(n, key, func(name string, value ast.Node, at string) {
		item := reflect.New(v.Type().Elem()).Elem()
		d.decode(value, item, at, "")
		v.SetMapIndex(reflect.ValueOf(name), item)
	})
}

func (d *document) list(n ast.Node, v reflect.Value, key string, tag reflect.StructTag) {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		d.badValue(key, "write a list here: [a, b], or one line with - for each")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(s.Values), len(s.Values)))
	for i, item := range s.Values {
		at := fmt.Sprintf("%s[%d]", key, i)
		d.keys[at] = place(item)
		d.decode(item, v.Index(i), at, tag)
	}
}

func (d *document) fieldList(n ast.Node, into *FieldList, key string) {
	if _, ok := n.(*ast.SequenceNode); ok {
		d.list(n, reflect.ValueOf(&into.Names).Elem(), key, "")
		return
	}
	d.scalar(n, key, "write true, false or a list of fields", func(text string) error {
		all, err := parseBool(text)
		if err != nil {
			return fmt.Errorf("write true, false or a list of fields")
		}
		into.All = all
		return nil
	})
}

// each calls f for every entry of a mapping.
func (d *document) each(n ast.Node, key string, f func(name string, value ast.Node, at string)) {
	m, ok := n.(ast.MapNode)
	if !ok {
		d.badValue(key, "write a mapping here: one line `name: value` for each entry")
		return
	}
	seen := map[string]bool{}
	for it := m.MapRange(); it.Next(); {
		name, ok := scalarText(it.Key())
		at := strings.TrimPrefix(key+"."+name, ".")
		if !ok || strings.ContainsRune(name, openBrace) {
			d.badAt(map[string]position{at: place(it.Key())}, at, "a key must be a plain name")
			continue
		}
		if seen[name] {
			d.badAt(map[string]position{at: place(it.Key())}, at, "this key stands here twice")
			continue
		}
		seen[name] = true
		d.keys[at] = place(it.Key())
		f(name, it.Value(), at)
	}
}

// scalarText is the text of a value as it stands in the file, without quotes.
func scalarText(n ast.Node) (string, bool) {
	switch x := n.(type) {
	case *ast.StringNode:
		return x.Value, true
	case *ast.LiteralNode:
		return x.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return x.GetToken().Value, true
	}
	return "", false
}

// place is where a node begins: for a mapping in block style, its first key.
func place(n ast.Node) position {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	t := n.GetToken()
	if t == nil || t.Position == nil {
		return position{}
	}
	return position{t.Position.Line, t.Position.Column}
}

// keyName is the key of a struct's field.
func keyName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// supported are the keys of a struct whose features are built.
func supported(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		if t.Field(i).Type != reflect.TypeFor[notYet]() {
			out = append(out, keyName(t.Field(i)))
		}
	}
	slices.Sort(out)
	return out
}
