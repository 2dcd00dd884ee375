package jsondiff

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

type kind int

const (
	null kind = iota
	boolean
	number
	str
	array
	object
)

// value is a JSON value. Those of one kind that are neither arrays nor objects are equal where same is.
type value struct {
	kind    kind
	text    string // a string as it is meant, any other scalar as it is written
	same    string
	items   []*value
	keys    []string // in the order of the document
	members map[string]*value
}

// at is an element; nil past the end.
func (v *value) at(i int) *value {
	if i < len(v.items) {
		return v.items[i]
	}
	return nil
}

// write is the value as compact JSON.
func (v *value) write(b *strings.Builder) {
	switch v.kind {
	case object:
		for i, k := range v.keys {
			b.WriteString(separator("{", i) + quote(k) + ":")
			v.members[k].write(b)
		}
		b.WriteString(closing("{}", len(v.keys)))
	case array:
		for i, e := range v.items {
			b.WriteString(separator("[", i))
			e.write(b)
		}
		b.WriteString(closing("[]", len(v.items)))
	case str:
		b.WriteString(quote(v.text))
	default:
		b.WriteString(v.text)
	}
}

func separator(opening string, i int) string {
	if i == 0 {
		return opening
	}
	return ","
}

// closing is the end of a list of n; an empty one has not been opened.
func closing(both string, n int) string {
	if n == 0 {
		return both
	}
	return both[1:]
}

// parser reads a text that is known to be JSON.
type parser struct {
	text string
	d    *json.Decoder
}

// parse reads a document; an empty text is none, nil.
func parse(text string) (*value, error) {
	switch {
	case text == "":
		return nil, nil
	case !utf8.ValidString(text):
		return nil, errors.New("this is not UTF-8")
	case !json.Valid([]byte(text)):
		return nil, errors.New("this is not JSON")
	}
	p := &parser{text, json.NewDecoder(strings.NewReader(text))}
	p.d.UseNumber()
	return p.value(1)
}

// token is the next one; a string of half a character, which a decoder would replace, is an error.
func (p *parser) token() (json.Token, error) {
	from := p.d.InputOffset()
	t, err := p.d.Token()
	if err != nil {
		return nil, err
	}
	if _, ok := t.(string); ok && halfCharacter(p.text[from:p.d.InputOffset()]) {
		return nil, fmt.Errorf("the text at byte %d escapes half a character", from)
	}
	return t, nil
}

func (p *parser) value(depth int) (*value, error) {
	t, err := p.token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if depth > MaxDepth {
			return nil, fmt.Errorf("this nests deeper than %d", MaxDepth)
		}
		if t == '{' {
			return p.object(depth)
		}
		return p.array(depth)
	case string:
		return &value{kind: str, text: t, same: t}, nil
	case json.Number:
		return &value{kind: number, text: t.String(), same: exact(t.String())}, nil
	case bool:
		return &value{kind: boolean, text: strconv.FormatBool(t), same: strconv.FormatBool(t)}, nil
	}
	return &value{kind: null, text: "null"}, nil
}

func (p *parser) array(depth int) (*value, error) {
	out := &value{kind: array}
	for p.d.More() {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out.items = append(out.items, v)
	}
	_, err := p.token()
	return out, err
}

func (p *parser) object(depth int) (*value, error) {
	out := &value{kind: object, members: map[string]*value{}}
	for p.d.More() {
		t, err := p.token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string) // JSON has nothing else here
		if out.members[key] != nil {
			return nil, fmt.Errorf("the key %s stands twice in one object", quote(key))
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out.keys, out.members[key] = append(out.keys, key), v
	}
	_, err := p.token()
	return out, err
}

// exact writes a JSON number so that two of one value are written alike: digits without zeros at either end, and the power of ten after them.
func exact(n string) string {
	mantissa, power, _ := strings.Cut(strings.ToLower(n), "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, frac, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+frac, "0")
	if digits == "" {
		return "0"
	}
	e, ok := new(big.Int).SetString(strings.TrimPrefix(power, "+"), 10)
	if !ok { // there is none
		e = new(big.Int)
	}
	significant := strings.TrimRight(digits, "0")
	e.Add(e, big.NewInt(int64(len(digits)-len(significant)-len(frac))))
	if negative {
		significant = "-" + significant
	}
	return significant + "e" + e.String()
}

// halfCharacter says whether a JSON string escapes one half of a surrogate pair alone.
func halfCharacter(raw string) bool {
	for i := strings.IndexByte(raw, '\\'); i >= 0 && i+1 < len(raw); {
		r, ok := escaped(raw[i:])
		switch {
		case ok && utf16.IsSurrogate(r):
			low, _ := escaped(raw[i+6:])
			if utf16.DecodeRune(r, low) == utf8.RuneError {
				return true
			}
			i += 12
		case ok:
			i += 6
		default:
			i += 2
		}
		next := strings.IndexByte(raw[i:], '\\')
		if next < 0 {
			return false
		}
		i += next
	}
	return false
}

// escaped reads \uXXXX at the start of a text.
func escaped(raw string) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(raw[2:6], 16, 16)
	return rune(n), err == nil
}
