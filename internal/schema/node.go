package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// MaxDepth is how deep arguments may be nested.
const MaxDepth = 32

// node is a JSON value as it was written: what encoding/json forgives (duplicate keys, other case) is still visible in it.
type node struct {
	kind   string // object, list, text, number, boolean, null
	raw    []byte
	text   string   // of a text
	keys   []string // of an object
	values []node   // of an object or a list
}

// parse reads one JSON value.
func parse(raw []byte) (node, error) {
	if !utf8.Valid(raw) {
		return node{}, errors.New("not valid UTF-8: send one JSON object in UTF-8")
	}
	if err := checkSyntax(raw); err != nil {
		return node{}, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return (&reader{d: d, raw: raw}).value("", 1)
}

func checkSyntax(raw []byte) error {
	var v json.RawMessage
	err := json.Unmarshal(raw, &v)
	var at *json.SyntaxError
	if errors.As(err, &at) {
		return fmt.Errorf("not valid JSON at byte %d (%v): send one JSON object and nothing else", at.Offset, at)
	}
	return err
}

type reader struct {
	d   *json.Decoder
	raw []byte
}

// next gives a token and the text it was written as.
func (r *reader) next() (json.Token, []byte, error) {
	from := r.d.InputOffset()
	t, err := r.d.Token()
	if err != nil {
		return nil, nil, err
	}
	return t, bytes.TrimLeft(r.raw[from:r.d.InputOffset()], " \t\r\n:,"), nil
}

func (r *reader) value(path string, depth int) (node, error) {
	if depth > MaxDepth {
		return node{}, fmt.Errorf("%s is nested deeper than %d levels: send a flatter value", where(path), MaxDepth)
	}
	t, raw, err := r.next()
	if err != nil {
		return node{}, err
	}
	switch x := t.(type) {
	case json.Delim:
		if x == '{' {
			return r.object(path, depth)
		}
		return r.list(path, depth)
	case string:
		return node{kind: "text", raw: raw, text: x}, nil
	case json.Number:
		return node{kind: "number", raw: raw}, nil
	case bool:
		return node{kind: "boolean", raw: raw}, nil
	}
	return node{kind: "null", raw: raw}, nil
}

func (r *reader) object(path string, depth int) (node, error) {
	n := node{kind: "object"}
	seen := map[string]bool{}
	for r.d.More() {
		t, _, err := r.next()
		if err != nil {
			return n, err
		}
		key, _ := t.(string)
		if seen[key] {
			return n, fmt.Errorf("`%s` stands twice: give each key once", short(join(path, key)))
		}
		seen[key] = true
		v, err := r.value(join(path, key), depth+1)
		if err != nil {
			return n, err
		}
		n.keys, n.values = append(n.keys, key), append(n.values, v)
	}
	_, _, err := r.next()
	return n, err
}

func (r *reader) list(path string, depth int) (node, error) {
	n := node{kind: "list"}
	for r.d.More() {
		v, err := r.value(item(path, len(n.values)), depth+1)
		if err != nil {
			return n, err
		}
		n.values = append(n.values, v)
	}
	_, _, err := r.next()
	return n, err
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func item(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// where names a place in a sentence.
func where(path string) string {
	if path == "" {
		return "the whole"
	}
	return "`" + short(path) + "`"
}

// short cuts what may be long: an error never repeats a whole argument.
func short(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
