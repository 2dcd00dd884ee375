package sqldb

import (
	"slices"
	"strconv"
	"strings"

	"example.com/deputy/query"
)

// A check of the database's is said in the language, as far as that has the same meaning: comparisons, lists, BETWEEN, lengths and tests for
// NULL over columns of the row, joined by AND, OR and NOT. What cannot be said is left to the database.

// demands reads checks: each part that must hold is one of its own.
func (t *table) demands() (out []query.Constraint) {
	for _, check := range t.checks {
		t.note(check)
		for _, part := range conjuncts(check) {
			r := &reader{t: t, left: part}
			rule, ok := r.or()
			if !ok || len(r.left) > 0 || len(r.fields) == 0 || r.listed(rule) {
				continue
			}
			out = append(out, query.Constraint{Fields: r.fields, Rule: rule})
		}
	}
	return out
}

// note keeps which columns a check is about.
func (t *table) note(check []token) {
	for _, word := range check {
		if word.kind != 'w' && word.kind != 'q' {
			continue
		}
		if names, ok := t.fold([]string{word.text}); ok && !slices.Contains(t.checked, names[0]) {
			t.checked = append(t.checked, names[0])
		}
	}
}

// conjuncts cuts at each AND that stands outside of all parentheses and is not of a BETWEEN.
func conjuncts(ts []token) (out [][]token) {
	ts = unwrap(ts)
	depth, start, between := 0, 0, false
	for i, t := range ts {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case depth == 0 && t.word("OR"):
			return [][]token{ts}
		case depth == 0 && t.word("BETWEEN"):
			between = true
		case depth == 0 && t.word("AND") && between:
			between = false
		case depth == 0 && t.word("AND"):
			out = append(out, conjuncts(ts[start:i])...)
			start = i + 1
		}
	}
	if start == 0 {
		return [][]token{ts}
	}
	return append(out, conjuncts(ts[start:])...)
}

// reader reads one part of a check, from left to right.
type reader struct {
	t      *table
	left   []token
	fields []string
}

// side is one of a comparison.
type side struct {
	text  string
	typ   query.Type // empty: a constant text or number, by its token
	kind  byte       // of a constant
	exact bool       // texts are equal only where they are the same
}

func (r *reader) word(w string) bool { return r.next(func(t token) bool { return t.word(w) }) }
func (r *reader) is(p string) bool   { return r.next(func(t token) bool { return t.is(p) }) }

func (r *reader) next(is func(token) bool) bool {
	if len(r.left) == 0 || !is(r.left[0]) {
		return false
	}
	r.left = r.left[1:]
	return true
}

func (r *reader) or() (string, bool)  { return r.joined("OR", " || ", r.and) }
func (r *reader) and() (string, bool) { return r.joined("AND", " && ", r.not) }

func (r *reader) joined(word, as string, part func() (string, bool)) (string, bool) {
	var parts []string
	for {
		text, ok := part()
		if !ok {
			return "", false
		}
		if parts = append(parts, text); !r.word(word) {
			break
		}
	}
	if len(parts) == 1 {
		return parts[0], true
	}
	return "(" + strings.Join(parts, as) + ")", true
}

func (r *reader) not() (string, bool) {
	if r.word("NOT") {
		text, ok := r.not()
		return "!(" + text + ")", ok
	}
	if before, fields := r.left, r.fields; r.is("(") {
		if text, ok := r.or(); ok && r.is(")") {
			return text, true
		}
		r.left, r.fields = before, fields
	}
	return r.predicate()
}

func (r *reader) predicate() (string, bool) {
	a, ok := r.operand()
	if !ok || a.typ == "" {
		return "", false
	}
	if r.word("IS") {
		not := r.word("NOT")
		if not {
			return a.text + " != null", r.word("NULL")
		}
		return a.text + " == null", r.word("NULL")
	}
	not := r.word("NOT")
	switch {
	case r.word("IN"):
		text, ok := r.list(a)
		return negated(text, not), ok
	case r.word("BETWEEN"):
		low, ok1 := r.operand()
		and := r.word("AND")
		high, ok2 := r.operand()
		low, high = a.like(low), a.like(high)
		ok := ok1 && and && ok2 && a.meets(low, ">=") && a.meets(high, "<=")
		return negated("("+a.text+" >= "+low.text+" && "+a.text+" <= "+high.text+")", not), ok
	case not:
		return "", false
	}
	op := r.comparison()
	b, ok := r.operand()
	b = a.like(b)
	return a.text + " " + op + " " + b.text, ok && op != "" && a.meets(b, op)
}

func negated(text string, not bool) string {
	if not {
		return "!(" + text + ")"
	}
	return text
}

// comparison reads = == <> != < <= > >=.
func (r *reader) comparison() string {
	sign := ""
	for len(r.left) > 0 && r.left[0].kind == 'p' && strings.Contains("=<>!", r.left[0].text) {
		sign += r.left[0].text
		r.left = r.left[1:]
	}
	switch sign {
	case "=", "==":
		return "=="
	case "<>", "!=":
		return "!="
	case "<", "<=", ">", ">=":
		return sign
	}
	return ""
}

func (r *reader) list(a side) (string, bool) {
	if !r.is("(") {
		return "", false
	}
	var items []string
	for {
		item, ok := r.operand()
		item = a.like(item)
		if !ok || item.typ != "" || !a.meets(item, "==") {
			return "", false
		}
		if items = append(items, item.text); !r.is(",") {
			break
		}
	}
	return a.text + " in [" + strings.Join(items, ", ") + "]", r.is(")")
}

// like reads a number that stands in quotes as one, where it meets a number.
func (o side) like(b side) side {
	text, err := strconv.Unquote(b.text)
	if b.kind == 's' && err == nil && o.number() {
		if _, err := query.ParseValue(query.Dec, text); err == nil {
			return side{text: text, kind: 'n'}
		}
	}
	return b
}

func (o side) number() bool { return o.typ == query.Int || o.typ == query.Dec || o.kind == 'n' }

// meets says whether a comparison has one meaning here and there: of numbers, of dates, and of texts whether they are the same.
func (o side) meets(b side, op string) bool {
	text := func(o side) bool { return o.typ == query.String && o.exact || o.kind == 's' }
	equality := op == "==" || op == "!="
	return o.number() && b.number() || text(o) && text(b) && equality || o.typ == query.Date && b.typ == query.Date || o.typ == query.Timestamp && b.typ == query.Timestamp && !equality
}

func (r *reader) operand() (side, bool) {
	if r.is("(") {
		o, ok := r.operand()
		return o, ok && r.is(")")
	}
	minus := r.is("-")
	if len(r.left) == 0 {
		return side{}, false
	}
	first := r.left[0]
	r.left = r.left[1:]
	switch {
	case first.kind == 'n' && !strings.ContainsAny(first.text, "eExX"):
		if minus {
			first.text = "-" + first.text
		}
		return side{text: first.text, kind: 'n'}, true
	case minus:
		return side{}, false
	case first.kind == 's':
		return side{text: strconv.Quote(first.text), kind: 's'}, true
	case first.kind == 'w' && len(r.left) > 0 && r.left[0].is("("):
		return r.length(first.text)
	case first.kind == 'w' || first.kind == 'q':
		return r.column(first.text)
	}
	return side{}, false
}

// length reads char_length(c): LENGTH counts bytes where the table says so.
func (r *reader) length(function string) (side, bool) {
	names := []string{"CHAR_LENGTH", "CHARACTER_LENGTH"}
	if !r.t.bytes {
		names = append(names, "LENGTH")
	}
	r.is("(")
	o, ok := r.operand()
	ok = ok && r.is(")") && o.typ == query.String && slices.Contains(names, strings.ToUpper(function))
	return side{text: "length(" + o.text + ")", typ: query.Int}, ok
}

func (r *reader) column(name string) (side, bool) {
	names, ok := r.t.fold([]string{name})
	if !ok {
		return side{}, false
	}
	c := r.t.column(names[0])
	if c.field.Secret || c.field.Generated && !slices.Contains(r.t.key, c.name) {
		return side{}, false
	}
	if !slices.Contains(r.fields, c.field.Name) {
		r.fields = append(slices.Clone(r.fields), c.field.Name)
	}
	return side{text: c.field.Name, typ: c.field.Type, exact: r.t.sameText(c)}, true
}

// sameText says whether two texts of a column are equal only where they are the same: not by a collation that ignores case.
func (t *table) sameText(c *column) bool {
	switch {
	case t.bytes:
		return strings.HasSuffix(c.collation, "_bin")
	case t.create != "":
		return !strings.Contains(strings.ToUpper(t.create), "COLLATE")
	}
	return c.exact
}

// listed says whether a rule is no more than the list of values that its field has.
func (r *reader) listed(rule string) bool {
	if len(r.fields) != 1 {
		return false
	}
	return r.t.byField[r.fields[0]].field.Values != nil && strings.HasPrefix(rule, r.fields[0]+" in [") && strings.Count(rule, " in [") == 1
}
