package sqldb

import (
	"slices"
	"strings"

	"example.com/deputy/query"
)

// token is one word of SQL text.
type token struct {
	kind byte   // 'w' bare word, 'q' quoted name, 's' text, 'n' number, 'p' anything else, one character
	text string // without quotes
}

func (t token) word(w string) bool { return t.kind == 'w' && strings.EqualFold(t.text, w) }
func (t token) is(p string) bool   { return t.kind == 'p' && t.text == p }

// tokens splits SQL text; comments and spaces are left out, and what is not closed ends with the text.
func tokens(text string) []token {
	var out []token
	for text != "" {
		var t token
		t, text = nextToken(text)
		if t.kind != 0 {
			out = append(out, t)
		}
	}
	return out
}

func nextToken(s string) (token, string) {
	switch c := s[0]; {
	case strings.HasPrefix(s, "--"):
		_, rest, _ := strings.Cut(s, "\n")
		return token{}, rest
	case strings.HasPrefix(s, "/*"):
		_, rest, _ := strings.Cut(s[2:], "*/")
		return token{}, rest
	case c == '\'':
		return quoted(s, 's', '\'')
	case c == '"' || c == '`':
		return quoted(s, 'q', c)
	case c == '[':
		name, rest, _ := strings.Cut(s[1:], "]")
		return token{'q', name}, rest
	case c <= ' ':
		return token{}, s[1:]
	case c >= '0' && c <= '9':
		return run(s, 'n', func(c byte) bool { return wordByte(c) || c == '.' })
	case wordByte(c):
		return run(s, 'w', wordByte)
	}
	return token{'p', s[:1]}, s[1:]
}

// wordByte takes every byte of a rune beyond ASCII for a letter, as SQLite does.
func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func run(s string, kind byte, in func(byte) bool) (token, string) {
	n := 1
	for n < len(s) && in(s[n]) {
		n++
	}
	return token{kind, s[:n]}, s[n:]
}

// quoted reads up to the closing quote; a doubled one stands for itself.
func quoted(s string, kind, quote byte) (token, string) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != quote {
			b.WriteByte(s[i])
			continue
		}
		if i+1 >= len(s) || s[i+1] != quote {
			return token{kind, b.String()}, s[i+1:]
		}
		b.WriteByte(quote)
		i++
	}
	return token{kind, b.String()}, ""
}

// addValueLists finds CHECK (column IN ('a', 'b')) and its like in the text that made a table.
func addValueLists(t *table, create string) {
	ts := tokens(create)
	for i := range ts {
		if ts[i].word("CHECK") && i+1 < len(ts) && ts[i+1].is("(") {
			t.addChecks(inside(ts[i+1:]))
		}
	}
}

// addChecks reads what a check demands of columns.
func (t *table) addChecks(check []token) {
	t.checks = append(t.checks, check)
	for _, part := range split(check, "AND") {
		name, values := valueList(part)
		cols, ok := t.fold([]string{name})
		if !ok || len(values) == 0 {
			continue
		}
		if f := &t.column(cols[0]).field; f.Values == nil && f.Type != query.Bool {
			f.Values = values
		}
	}
}

// inside gives what stands between the parenthesis that ts begins with and the one that closes it.
func inside(ts []token) []token {
	depth := 0
	for i, t := range ts {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			if depth--; depth == 0 {
				return ts[1:i]
			}
		}
	}
	return nil
}

// split cuts at a word that stands outside of all parentheses. A BETWEEN makes it give up: its AND is another.
func split(ts []token, word string) [][]token {
	ts = unwrap(ts)
	var out [][]token
	depth, start := 0, 0
	for i, t := range ts {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case t.word("BETWEEN"):
			return nil
		case depth == 0 && t.word(word):
			out = append(out, ts[start:i])
			start = i + 1
		}
	}
	return append(out, ts[start:])
}

// unwrap takes off parentheses around the whole.
func unwrap(ts []token) []token {
	for len(ts) > 1 && ts[0].is("(") && len(inside(ts)) == len(ts)-2 {
		ts = ts[1 : len(ts)-1]
	}
	return ts
}

// valueList reads `c IN (…)`, `c = 'x'`, and several of them on the same column joined by OR, also with `c IS NULL`.
func valueList(ts []token) (column string, values []string) {
	for _, part := range split(ts, "OR") {
		part = unwrap(part)
		if len(part) < 3 || part[0].kind != 'w' && part[0].kind != 'q' {
			return "", nil
		}
		if column != "" && !strings.EqualFold(column, part[0].text) {
			return "", nil
		}
		column = part[0].text
		more, ok := alternatives(part[1:])
		if !ok {
			return "", nil
		}
		for _, v := range more {
			if !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
	}
	return column, values
}

func alternatives(ts []token) ([]string, bool) {
	switch {
	case len(ts) == 2 && ts[0].word("IS") && ts[1].word("NULL"):
		return nil, true
	case ts[0].word("IN") && ts[1].is("(") && len(inside(ts[1:])) == len(ts)-3:
		var out []string
		for part := range slices.Values(commas(inside(ts[1:]))) {
			v, ok := literal(part)
			if !ok {
				return nil, false
			}
			out = append(out, v)
		}
		return out, true
	case ts[0].is("="):
		if ts = ts[1:]; ts[0].is("=") {
			ts = ts[1:]
		}
		v, ok := literal(ts)
		return []string{v}, ok
	}
	return nil, false
}

func commas(ts []token) [][]token {
	var out [][]token
	start := 0
	for i, t := range ts {
		if t.is(",") {
			out = append(out, ts[start:i])
			start = i + 1
		}
	}
	return append(out, ts[start:])
}

// literal reads a text, a number, or a name in double quotes, which SQLite takes for a text there.
func literal(ts []token) (string, bool) {
	switch {
	case len(ts) == 1 && (ts[0].kind == 's' || ts[0].kind == 'n' || ts[0].kind == 'q'):
		return ts[0].text, true
	case len(ts) == 2 && ts[0].is("-") && ts[1].kind == 'n':
		return "-" + ts[1].text, true
	}
	return "", false
}
