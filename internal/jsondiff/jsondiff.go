// Package jsondiff says where two JSON documents differ, path by path, so that a person can read it.
package jsondiff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

const (
	// MaxDepth is how deep a document may nest.
	MaxDepth = 64
	// MaxPath is the longest path, in bytes. What would have a longer one is given as part of the value around it.
	MaxPath = 256
)

// Change is one place where two documents differ. Nil is a value that is not there; JSON's null is the text null.
//
// A value is compact JSON, but a string that stands alone is its plain text, unless it would then be read as a value of another type: the
// other side is there and no string, or is not there and the text is itself JSON (`null`, `12`).
type Change struct {
	Path    string // as address.city, items[0].color or ["odd key"]; empty for the whole document
	Before  *string
	After   *string
	Numbers bool // both sides are numbers
}

// Diff lists the differences in the order of before; what is new follows in the order of after. An empty text is no document at all.
// Objects are compared by key, whatever their order; arrays by index, so that more or fewer elements are changes at the end; numbers by
// their exact value (1.0 is 1). An error says which document is not JSON, has a key twice, text that is not Unicode, or nests too deep.
func Diff(before, after string) ([]Change, error) {
	b, err := parse(before)
	if err != nil {
		return nil, fmt.Errorf("before: %w", err)
	}
	a, err := parse(after)
	if err != nil {
		return nil, fmt.Errorf("after: %w", err)
	}
	return diff(nil, "", b, a), nil
}

// diff appends what differs between two values at a path; nil is a value that is not there.
func diff(out []Change, path string, b, a *value) []Change {
	switch {
	case b == nil && a == nil:
		return out
	case b == nil || a == nil || b.kind != a.kind:
	case b.kind == object && roomForKeys(path, b, a):
		return diffObjects(out, path, b, a)
	case b.kind == array && len(index(path, max(len(b.items), len(a.items)))) <= MaxPath:
		return diffArrays(out, path, b, a)
	case equal(b, a):
		return out
	}
	return append(out, Change{path, render(b, a), render(a, b), b != nil && a != nil && b.kind == number && a.kind == number})
}

func diffObjects(out []Change, path string, b, a *value) []Change {
	for _, k := range b.keys {
		out = diff(out, member(path, k), b.members[k], a.members[k])
	}
	for _, k := range a.keys {
		if _, both := b.members[k]; !both {
			out = diff(out, member(path, k), nil, a.members[k])
		}
	}
	return out
}

func diffArrays(out []Change, path string, b, a *value) []Change {
	for i := range max(len(b.items), len(a.items)) {
		out = diff(out, index(path, i), b.at(i), a.at(i))
	}
	return out
}

// equal compares two values of one kind.
func equal(b, a *value) bool {
	if b.kind != a.kind || len(b.items) != len(a.items) || len(b.keys) != len(a.keys) || b.same != a.same {
		return false
	}
	for i := range b.items {
		if !equal(b.items[i], a.items[i]) {
			return false
		}
	}
	for k, v := range b.members {
		if w := a.members[k]; w == nil || !equal(v, w) {
			return false
		}
	}
	return true
}

// roomForKeys says whether the paths of all members are short enough.
func roomForKeys(path string, objects ...*value) bool {
	for _, o := range objects {
		for _, k := range o.keys {
			if len(path)+len(k) > MaxPath || len(member(path, k)) > MaxPath {
				return false
			}
		}
	}
	return true
}

func member(path, key string) string {
	switch {
	case !identifier(key):
		return path + "[" + quote(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// identifier says whether a key can stand in a path as it is.
func identifier(key string) bool {
	for i, r := range key {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return key != ""
}

// render is a value as a person reads it next to the other one.
func render(v, other *value) *string {
	if v == nil {
		return nil
	}
	var text string
	switch {
	case v.kind == str && other == nil && !json.Valid([]byte(v.text)), v.kind == str && other != nil && other.kind == str:
		text = v.text
	default:
		var b strings.Builder
		v.write(&b)
		text = b.String()
	}
	return &text
}

// quote is a JSON string, with <, > and & as they are.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always marshals, into memory
	return strings.TrimSuffix(b.String(), "\n")
}
