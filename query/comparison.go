package query

import (
	"github.com/google/cel-go/common/ast"
)

// comparison checks == != < <= > >=.
func (c *checker) comparison(fn string, at int, a, b Expr) (Expr, error) {
	if a.Type() == Null || b.Type() == Null {
		return c.nullTest(fn, at, a, b)
	}
	if r, ok := a.(record); ok {
		return c.labelled(fn, at, r, b)
	}
	if r, ok := b.(record); ok {
		return c.labelled(fn, at, r, a)
	}
	a, err := c.plain(a, at)
	if err != nil {
		return nil, err
	}
	if b, err = c.plain(b, at); err != nil {
		return nil, err
	}
	if op, ok := a.(Op); ok && isComparison(op.Fn) && isComparison(fn) && b.Type() != Bool {
		return nil, failAt(at, "write a < b && b < c instead of a < b < c")
	}
	a, b, err = c.pair(fn, at, a, b)
	if err != nil {
		return nil, err
	}
	return c.op(fn, Bool, nil, a, b), nil
}

func isComparison(fn string) bool {
	switch fn {
	case "==", "!=", "<", "<=", ">", ">=":
		return true
	}
	return false
}

func ordered(fn string) bool { return fn != "==" && fn != "!=" && fn != "in" }

// nullTest is a comparison with the literal null.
func (c *checker) nullTest(fn string, at int, a, b Expr) (Expr, error) {
	if ordered(fn) {
		return nil, failAt(at, "null is neither less nor more: write == null or != null")
	}
	if a.Type() == Null {
		a, b = b, a
	}
	switch x := a.(type) {
	case Lit:
		return Lit{V: (x.V == nil) == (fn == "=="), T: Bool}, nil
	case record:
		a = c.keyOf(x)
	case span:
		return c.plain(a, at)
	}
	if a.Type() == List && !isListField(a) {
		return nil, failAt(at, "a list is never null")
	}
	return Op{Fn: fn, Args: []Expr{c.settle(a, JSON), b}, T: Bool}, nil
}

// keyOf is the field of a parent that its children point to: it is NULL where the parent is missing or may not be read.
func (c *checker) keyOf(r record) Expr {
	f := Field{Type: String}
	if len(r.rel.From) > 0 {
		if own, ok := r.table.Field(r.rel.From[0]); ok {
			f.Type = own.Type
		}
	}
	if len(r.rel.To) > 0 {
		f.Name = r.rel.To[0]
	}
	if t, err := c.table(r.rel.Table); err == nil {
		if known, ok := t.Field(f.Name); ok {
			f = known
		}
	}
	return Ref{Var: r.v, Hops: append(append([]Relation{}, r.hops...), r.rel), Table: r.rel.Table, Field: f}
}

// pair gives both sides of a comparison types that can be compared: equal ones, or numbers.
func (c *checker) pair(fn string, at int, a, b Expr) (Expr, Expr, error) {
	switch {
	case a.Type() == Any && b.Type() == Any:
		a, b = c.settle(a, String), c.settle(b, String)
	case a.Type() == Any:
		a = c.settle(a, b.Type())
	case b.Type() == Any:
		b = c.settle(b, a.Type())
	}
	a, b, err := c.readLiterals(fn, at, a, b)
	if err != nil {
		return nil, nil, err
	}
	ta, tb := a.Type(), b.Type()
	switch {
	case ta == JSON, tb == JSON:
		return nil, nil, failAt(at, "JSON is compared by a path in it, like data.name == \"…\"")
	case ta == List, tb == List:
		return nil, nil, failAt(at, "a list is asked with in: \"x\" in person.roles")
	case isNumber(ta) && isNumber(tb):
		return a, b, nil
	case ta == tb && ta == Bool && ordered(fn):
		return nil, nil, failAt(at, "true and false have no order: write == or !=, or && between conditions")
	case ta == tb:
		return a, b, nil
	case isWhen(a) && isWhen(b) && ordered(fn):
		if ta == Date {
			return c.op("timestamp", Timestamp, c.zone, a), b, nil
		}
		return a, c.op("timestamp", Timestamp, c.zone, b), nil
	}
	return nil, nil, mismatch(at, a, b)
}

func isNumber(t Type) bool { return t == Int || t == Dec }

// mismatch teaches what to write instead of a comparison between types.
func mismatch(at int, a, b Expr) error {
	if isNumber(a.Type()) || a.Type() == Date && b.Type() == Timestamp {
		a, b = b, a
	}
	switch {
	case isWhen(a) && isWhen(b):
		return failAt(at, "a timestamp is never a whole date: write day(%s) == %s", Text(a), Text(b))
	case a.Type() == String && isNumber(b.Type()):
		return failAt(at, "`%s` is text: write number(%s) to compare it with a number, or a text in quotes", Text(a), Text(a))
	case isWhen(a) && isNumber(b.Type()):
		return failAt(at, "`%s` is %s and cannot be compared with a number%s", Text(a), typeName(a.Type()), orElse(periodHint(a), ": write a date, like date(\"2026-01-31\"), or year_of("+Text(a)+") for its year"))
	case a.Type() == Bool && isNumber(b.Type()):
		return failAt(at, "`%s` is true or false: write == true or == false", Text(a))
	case isWhen(a) && b.Type() == String:
		return failAt(at, "`%s` is %s, `%s` is text: write date(%s)", Text(a), typeName(a.Type()), Text(b), Text(b))
	case isWhen(b) && a.Type() == String:
		return failAt(at, "`%s` is %s, `%s` is text: write date(%s)", Text(b), typeName(b.Type()), Text(a), Text(a))
	}
	return failAt(at, "`%s` is %s and `%s` is %s: they cannot be compared", Text(a), typeName(a.Type()), Text(b), typeName(b.Type()))
}

func orElse(text, other string) string {
	if text != "" {
		return text
	}
	return other
}

// in checks x in [a, b] and x in person.roles.
func (c *checker) in(at int, left, right ast.Expr) (Expr, error) {
	x, err := c.expr(left)
	if err != nil {
		return nil, err
	}
	if x.Type() == Null {
		return nil, failAt(at, "null is in no list: write x == null")
	}
	if right.Kind() == ast.ListKind {
		return c.inItems(at, x, right.AsList().Elements())
	}
	if x, err = c.plain(x, at); err != nil {
		return nil, err
	}
	list, err := c.list(at, x, right)
	if err != nil {
		return nil, err
	}
	switch x = c.settle(x, String); {
	case x.Type() == List, x.Type() == JSON:
		return nil, failAt(at, "`%s` is %s: one value is wanted to the left of in", Text(x), typeName(x.Type()))
	case isListField(list) && isWhen(x):
		return nil, failAt(at, "`%s` is %s, a list holds texts, numbers, true and false: write a text, like \"2026-01-31\" in %s", Text(x), typeName(x.Type()), Text(list))
	}
	return Op{Fn: "in", Args: []Expr{x, list}, T: Bool}, nil
}

// isListField says whether a list is what a field of a row holds.
func isListField(e Expr) bool {
	ref, ok := e.(Ref)
	return ok && ref.Type() == List
}

// list is a parameter or a field to the right of in.
func (c *checker) list(at int, x Expr, right ast.Expr) (Expr, error) {
	list, err := c.expr(right)
	if err != nil {
		return nil, err
	}
	if p, ok := list.(Param); ok {
		p.Want = List
		return p, nil
	}
	if list, err = c.plain(list, at); err != nil {
		return nil, err
	}
	switch list.Type() {
	case List:
		return list, nil
	case String:
		return nil, failAt(at, "write %s.contains(%s) to look for a text in a text", Text(list), Text(x))
	case Any:
		return nil, failAt(at, "JSON arrays cannot be searched: name the item, like %s[0] == %s", Text(list), Text(x))
	}
	return nil, failAt(at, "a list in square brackets is wanted to the right of in: %s in [%s]", Text(x), Text(list))
}

func (c *checker) inItems(at int, x Expr, items []ast.Expr) (Expr, error) {
	list := Op{Fn: "list", T: List}
	rec, isRecord := x.(record)
	if isRecord && len(items) == 0 {
		return nil, failAt(at, "the list is empty")
	}
	for _, item := range items {
		y, err := c.expr(item)
		if err != nil {
			return nil, unquoted(err, x, item)
		}
		if y.Type() == Null {
			return nil, failAt(c.src.at(item), "null in a list matches nothing: write x == null || x in […]")
		}
		if isRecord {
			x, y, err = c.labelPair(at, rec, y)
		} else {
			x, y, err = c.itemPair(at, x, y)
		}
		if err != nil {
			return nil, err
		}
		list.Args = append(list.Args, y)
	}
	x, err := c.plain(x, at)
	if err != nil {
		return nil, err
	}
	return Op{Fn: "in", Args: []Expr{c.settle(x, String), list}, T: Bool}, nil
}

// itemPair pairs x with one item. x takes its type from the first.
func (c *checker) itemPair(at int, x, item Expr) (Expr, Expr, error) {
	x, err := c.plain(x, at)
	if err != nil {
		return nil, nil, err
	}
	if item, err = c.plain(item, at); err != nil {
		return nil, nil, err
	}
	return c.pair("in", at, x, item)
}
