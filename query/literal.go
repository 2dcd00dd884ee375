package query

import (
	"slices"
	"strings"
)

// readLiterals reads a text that stands in a comparison as a value of the other side's type, and checks it against the other side's value list.
func (c *checker) readLiterals(fn string, at int, a, b Expr) (Expr, Expr, error) {
	var err error
	if l, ok := textLiteral(a); ok {
		a, err = c.literalFor(l, b, fn, at)
	} else if l, ok := textLiteral(b); ok {
		b, err = c.literalFor(l, a, fn, at)
	}
	return a, b, err
}

func textLiteral(e Expr) (Lit, bool) {
	l, ok := e.(Lit)
	_, isText := l.V.(string)
	return l, ok && l.T == String && isText
}

// literalFor reads a text as a value of what it meets; for a foreign key it may be a label.
func (c *checker) literalFor(l Lit, other Expr, fn string, at int) (Expr, error) {
	ref, isRef := other.(Ref)
	isRef = isRef && ref.Path == nil
	if other.Type() == String {
		if isRef && !ordered(fn) {
			return c.oneOf(l, ref.Field, at)
		}
		return l, nil
	}
	v, err := c.literalAs(l, other.Type(), fn, at)
	if err == nil || !isRef || ordered(fn) || c.env.Label == nil {
		return v, err
	}
	t, tableErr := c.table(ref.Table)
	if tableErr != nil {
		return v, err
	}
	if rel, ok := t.Parent(ref.Field.Name); ok {
		if _, shown := c.relation(t, rel.Name); shown {
			return c.label(ref, rel, l, at)
		}
	}
	return v, err
}

// literalAs reads a text as a value of a type.
func (c *checker) literalAs(l Lit, t Type, fn string, at int) (Expr, error) {
	text, _ := l.V.(string)
	switch t {
	case Timestamp:
		return c.timestampLiteral(text, fn, at)
	case Date:
		if _, isDay := civil(Day(text)); !isDay {
			if _, ok := readTimestamp(text, c.zone); ok {
				return nil, failAt(at, "%s is a timestamp, a date is wanted: %s", quote(text), quote(text[:10]))
			}
		}
	case Int:
		t = Dec
		if _, err := ParseValue(Int, text); err == nil {
			t = Int
		}
	case Bool, Dec:
	default:
		return l, nil // the types do not go together: whoever compares them says so
	}
	v, err := ParseValue(t, text)
	if err != nil {
		return nil, failAt(at, "%s", err.Error())
	}
	return Lit{V: v, T: t}, nil
}

func (c *checker) timestampLiteral(text, fn string, at int) (Expr, error) {
	t, ok := readTimestamp(text, c.zone)
	v := instant(t)
	if !ok || v == nil {
		return nil, failAt(at, `%s is not a timestamp like "2026-01-31T14:30:00Z"`, quote(text))
	}
	if _, isDay := civil(Day(text)); isDay && !ordered(fn) {
		return nil, failAt(at, "a timestamp is never a whole date: write day(x) == date(%s)", quote(text))
	}
	return Lit{V: v, T: Timestamp}, nil
}

// oneOf takes a text for the value of a value list that it is, ignoring case where only one is.
func (c *checker) oneOf(l Lit, f Field, at int) (Expr, error) {
	text, _ := l.V.(string)
	if len(f.Values) == 0 || slices.Contains(f.Values, text) {
		return l, nil
	}
	var found []string
	for _, v := range f.Values {
		if strings.EqualFold(v, text) {
			found = append(found, v)
		}
	}
	if len(found) == 1 {
		return Lit{V: found[0], T: String}, nil
	}
	shown := f.Values
	more := ""
	if len(shown) > 10 {
		shown, more = shown[:10], " and others"
	}
	list := make([]string, len(shown))
	for i, v := range shown {
		list[i] = quote(v)
	}
	return nil, failAt(at, "%s is no value of `%s`: it is one of %s%s", quote(text), f.Name, strings.Join(list, ", "), more)
}

// labelled is a parent compared with the label of a record.
func (c *checker) labelled(fn string, at int, r record, other Expr) (Expr, error) {
	if ordered(fn) {
		return nil, failAt(at, "`%s` is a record and has no order: name a field of it, like %s.%s", Text(r), Text(r), c.exampleField(r.rel))
	}
	x, y, err := c.labelPair(at, r, other)
	if err != nil {
		return nil, err
	}
	return Op{Fn: fn, Args: []Expr{x, y}, T: Bool}, nil
}

// labelPair is the foreign key and the key that the label means.
func (c *checker) labelPair(at int, r record, other Expr) (Expr, Expr, error) {
	l, isText := textLiteral(other)
	switch {
	case len(r.rel.From) != 1:
		return nil, nil, failAt(at, "`%s` has a key of several fields: compare a field of it, like %s.%s", Text(r), Text(r), c.exampleField(r.rel))
	case !isText:
		return nil, nil, failAt(at, "`%s` is a record: compare its key, `%s`, or a field of it", Text(r), c.keyName(r))
	case c.env.Label == nil:
		return nil, nil, failAt(at, "labels are not understood here: compare the key, `%s`, or a field of `%s`", c.keyName(r), Text(r))
	}
	f, ok := r.table.Field(r.rel.From[0])
	if !ok {
		return nil, nil, failAt(at, "`%s` can be compared with null only; or compare a field of it", Text(r))
	}
	ref := Ref{Var: r.v, Hops: r.hops, Table: r.table.Name, Field: f}
	key, err := c.label(ref, r.rel, l, at)
	return ref, key, err
}

// label finds the one record that a text means.
func (c *checker) label(ref Ref, rel Relation, l Lit, at int) (Expr, error) {
	text, _ := l.V.(string)
	list, err := c.env.Label(c.ctx, rel, text)
	if err != nil {
		return nil, err
	}
	if len(list) == 1 {
		v, err := ParseValue(ref.Field.Type, list[0].Key)
		if err != nil {
			return nil, failAt(at, "the key of %s cannot be read: %s", quote(text), err)
		}
		return Lit{V: v, T: ref.Field.Type}, nil
	}
	if len(list) == 0 {
		return nil, failAt(at, "no record of `%s` is called %s: compare the key, `%s`, or a field of it", rel.Table, quote(text), Text(ref))
	}
	shown, more := list, ""
	if len(shown) > 10 {
		shown, more = shown[:10], " and others"
	}
	forms := make([]string, len(shown))
	for i, cand := range shown {
		forms[i] = Text(ref) + " == " + keyText(ref.Field.Type, cand.Key) + " (" + cand.Label + ")"
	}
	return nil, failAt(at, "%s may mean several records: write %s%s", quote(text), strings.Join(forms, " or "), more)
}

func keyText(t Type, key string) string {
	if isNumber(t) {
		return key
	}
	return quote(key)
}
