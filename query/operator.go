package query

import (
	"slices"

	"github.com/google/cel-go/common/ast"
)

// operator translates the parser's name of an operator.
func operator(name string) (string, bool) {
	switch name {
	case "_&&_":
		return "&&", true
	case "_||_":
		return "||", true
	case "!_":
		return "!", true
	case "_?_:_":
		return "?:", true
	case "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "_+_", "_-_", "_*_", "_/_", "_%_":
		return name[1 : len(name)-1], true
	case "-_":
		return "neg", true
	case "@in":
		return "in", true
	}
	return "", false
}

func (c *checker) operation(fn string, at int, args []ast.Expr) (Expr, error) {
	switch fn {
	case "&&", "||", "!":
		return c.logic(fn, args)
	case "?:":
		return c.choice(at, args)
	case "in":
		return c.in(at, args[0], args[1])
	case "neg":
		return c.negative(at, args[0])
	}
	a, err := c.expr(args[0])
	if err != nil {
		return nil, err
	}
	b, err := c.expr(args[1])
	if err != nil {
		return nil, unquoted(err, a, args[1])
	}
	switch fn {
	case "+", "-", "*", "/", "%":
		return c.arithmetic(fn, at, a, b)
	}
	return c.comparison(fn, at, a, b)
}

func (c *checker) logic(fn string, args []ast.Expr) (Expr, error) {
	op := Op{Fn: fn, T: Bool}
	for _, a := range args {
		x, err := c.condition(a)
		if err != nil {
			return nil, err
		}
		op.Args = append(op.Args, x)
	}
	return op, nil
}

func (c *checker) choice(at int, args []ast.Expr) (Expr, error) {
	cond, err := c.condition(args[0])
	if err != nil {
		return nil, err
	}
	branches, t, err := c.alike(at, args[1:])
	if err != nil {
		return nil, err
	}
	return Op{Fn: "?:", Args: append([]Expr{cond}, branches...), T: t}, nil
}

// alike gives several values one type: null takes that of the others, numbers mix, a date beside a timestamp becomes its start.
func (c *checker) alike(at int, args []ast.Expr) ([]Expr, Type, error) {
	list := make([]Expr, len(args))
	t := Null
	for i, a := range args {
		x, err := c.value(a)
		if err != nil {
			return nil, "", err
		}
		if x.Type() == List {
			return nil, "", failAt(c.src.at(a), "a list stands to the right of in only")
		}
		list[i] = x
		t = wider(t, x)
	}
	if t == Any && slices.ContainsFunc(list, isParam) {
		t = String
	}
	if t == Null {
		return nil, "", failAt(at, "null alone says nothing: at least one of the values must not be null")
	}
	for i, x := range list {
		y, err := c.as(x, t, c.src.at(args[i]))
		if err != nil {
			return nil, "", err
		}
		list[i] = y
	}
	return list, t, nil
}

// wider is the type that takes in x and what had type t. The text of a literal counts least: it may be a date.
func wider(t Type, x Expr) Type {
	y := x.Type()
	_, isLit := x.(Lit)
	switch {
	case y == Null, t == y:
		return t
	case t == Null, t == Any:
		return y
	case y == Any, y == String && isLit:
		return t
	case t == Int && y == Dec, t == Dec && y == Int:
		return Dec
	case t == Date && y == Timestamp, t == Timestamp && y == Date:
		return Timestamp
	case t == String:
		return y
	}
	return t
}

// as gives x the type t, where it can take it.
func (c *checker) as(x Expr, t Type, at int) (Expr, error) {
	if t == Any {
		return x, nil
	}
	x = c.settle(x, t)
	switch y := x.Type(); {
	case y == t, y == Int && t == Dec:
		return x, nil
	case y == Null:
		return Lit{T: t}, nil
	case y == Date && t == Timestamp:
		return c.op("timestamp", Timestamp, c.zone, x), nil
	}
	if l, ok := textLiteral(x); ok {
		y, err := c.literalAs(l, t, "<", at)
		if err != nil || y.Type() == t || y.Type() == Int && t == Dec {
			return y, err
		}
	}
	return nil, failAt(at, "`%s` is %s, %s is wanted here", Text(x), typeName(x.Type()), typeName(t))
}

func (c *checker) negative(at int, arg ast.Expr) (Expr, error) {
	x, err := c.expr(arg)
	if err != nil {
		return nil, err
	}
	if s, ok := x.(span); ok {
		return span{s.unit, c.op("neg", Int, nil, s.n)}, nil
	}
	if x, err = c.amount(x, at); err != nil {
		return nil, err
	}
	return c.op("neg", x.Type(), nil, x), nil
}

// amount is a number.
func (c *checker) amount(x Expr, at int) (Expr, error) {
	x, err := c.plain(x, at)
	if err != nil {
		return nil, err
	}
	x = c.settle(x, Dec)
	switch x.Type() {
	case Int, Dec:
		return x, nil
	case String:
		return nil, failAt(at, "`%s` is text, a number is wanted: write number(%s)", Text(x), Text(x))
	case Null:
		return nil, failAt(at, "null is no number: write coalesce(x, 0) where a field may be null")
	}
	return nil, failAt(at, "`%s` is %s, a number is wanted%s", Text(x), typeName(x.Type()), periodHint(x))
}

// periodHint names the function that gives the number of a period.
func periodHint(x Expr) string {
	op, ok := x.(Op)
	if !ok || len(op.Args) != 1 {
		return ""
	}
	arg := Text(op.Args[0])
	start := ": " + op.Fn + "(…) is the start of the period, "
	switch op.Fn {
	case "year":
		return start + "the number is year_of(" + arg + ")"
	case "month", "quarter":
		return start + "the number of the month is month_of_year(" + arg + ")"
	case "week", "day":
		return start + "the number of the weekday is weekday(" + arg + ")"
	case "hour":
		return start + "the number is hour_of_day(" + arg + ")"
	}
	return ""
}

func (c *checker) arithmetic(fn string, at int, a, b Expr) (Expr, error) {
	if s, ok := b.(span); ok {
		return c.shifted(fn, at, a, s)
	}
	if s, ok := a.(span); ok && fn == "+" {
		return c.shifted(fn, at, b, s)
	}
	a, err := c.plain(a, at)
	if err != nil {
		return nil, err
	}
	if b, err = c.plain(b, at); err != nil {
		return nil, err
	}
	if fn == "+" && (a.Type() == String || b.Type() == String) {
		return c.concatenation(at, a, b)
	}
	if isWhen(a) || isWhen(b) {
		return nil, c.dateArithmetic(fn, at, a, b)
	}
	if a, err = c.amount(a, at); err != nil {
		return nil, err
	}
	if b, err = c.amount(b, at); err != nil {
		return nil, err
	}
	t := Dec
	if a.Type() == Int && b.Type() == Int && fn != "/" {
		t = Int
	}
	return c.op(fn, t, nil, a, b), nil
}

func isWhen(x Expr) bool { return x.Type() == Date || x.Type() == Timestamp }

func (c *checker) dateArithmetic(fn string, at int, a, b Expr) error {
	switch {
	case fn == "-" && isWhen(a) && isWhen(b):
		return failAt(at, "write days_between(%s, %s) for the days between two dates", Text(b), Text(a))
	case (fn == "+" || fn == "-") && isWhen(a) && b.Type() == Int:
		return failAt(at, "write %s %s days(%s)", Text(a), fn, Text(b))
	case isWhen(a):
		return failAt(at, "`%s` is %s, `%s` wants numbers%s", Text(a), typeName(a.Type()), fn, periodHint(a))
	}
	return failAt(at, "`%s` is %s, `%s` wants numbers%s", Text(b), typeName(b.Type()), fn, periodHint(b))
}

func (c *checker) concatenation(at int, a, b Expr) (Expr, error) {
	a, b = c.settle(a, String), c.settle(b, String)
	for _, x := range []Expr{a, b} {
		if x.Type() != String {
			return nil, failAt(at, "+ joins two texts or adds two numbers, `%s` is %s: write number(…) around a text that holds a number", Text(x), typeName(x.Type()))
		}
	}
	return c.op("+", String, nil, a, b), nil
}

// shifted is a date or timestamp and a number of days, months or years.
func (c *checker) shifted(fn string, at int, x Expr, s span) (Expr, error) {
	if _, ok := x.(span); ok {
		return nil, failAt(at, "add one after the other: today() - days(1) - months(1)")
	}
	x, err := c.plain(x, at)
	if err != nil {
		return nil, err
	}
	if fn != "+" && fn != "-" {
		return nil, failAt(at, "%s can be added to a date, or taken from one", Text(s))
	}
	if !isWhen(x) {
		return nil, failAt(at, "%s stands beside a date, `%s` is %s: write date(%s) or timestamp(%s)", Text(s), Text(x), typeName(x.Type()), Text(x), Text(x))
	}
	n := s.n
	if fn == "-" {
		n = c.op("neg", Int, nil, n)
	}
	return c.op("add_"+s.unit, x.Type(), c.zoneOf(x), x, n), nil
}

func isParam(e Expr) bool {
	_, ok := e.(Param)
	return ok
}
