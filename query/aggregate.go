package query

import (
	"slices"

	"github.com/google/cel-go/common/ast"
)

// Aggregate is the meaning of an aggregate over rows: count of rows, or of those where its argument is not NULL; count_distinct of the different
// values of its argument, NULL left out; sum, avg, min and max of the values that are not NULL, exact, NULL where there is none. Anything
// else is NULL.
func Aggregate(a Agg, rows []Row, data Data) Value {
	if a.Arg == nil {
		if a.Fn == "count" {
			return int64(len(rows))
		}
		return nil
	}
	seen := map[string]bool{}
	var n int64
	fold := folder{fn: a.Fn}
	for _, row := range rows {
		v := Eval(a.Arg, row, data)
		switch {
		case v == nil:
		case a.Fn == "count_distinct":
			seen[Version([]Value{v})] = true
		case a.Fn == "count":
			n++
		default:
			fold.add(v)
		}
	}
	switch a.Fn {
	case "count":
		return n
	case "count_distinct":
		return int64(len(seen))
	case "sum", "avg", "min", "max":
		return widen(fold.result(a.T), a.T)
	}
	return nil
}

// Groups is what an expression over groups may name, beside aggregates.
type Groups struct {
	Keys     []Column // what is grouped by; As is its text as it was asked, and that text stands for it
	Measures []Column // what is computed, and is named by As
}

// Aggregates lists what is computed of the rows of a group.
func Aggregates() []string {
	return []string{"count", "count_distinct", "count_if", "sum", "sum_if", "avg", "min", "max"}
}

func isAggregate(fn string) bool { return slices.Contains(Aggregates(), fn) }

// grouped says whether names are asked of a group where the checker stands: in a measure, but not within an aggregate.
func (c *checker) grouped() bool { return c.env.Groups != nil && !c.within }

// parseKeys reads the texts of the keys, to know them again.
func (c *checker) parseKeys() error {
	if c.env.Groups == nil {
		return nil
	}
	for _, k := range c.env.Groups.Keys {
		src, err := Parse(k.As)
		if err != nil {
			return err
		}
		c.keys = append(c.keys, src.ast.Expr())
	}
	return nil
}

// named finds the key or measure that an expression over groups is.
func (c *checker) named(e ast.Expr) (Expr, bool) {
	if !c.grouped() || e.Kind() == ast.LiteralKind || c.ofLoop(e) {
		return nil, false
	}
	for i, k := range c.keys {
		if col := c.env.Groups.Keys[i]; sameTree(e, k) {
			return GroupKey{N: i, As: col.As, T: col.Expr.Type()}, true
		}
	}
	if e.Kind() != ast.IdentKind {
		return nil, false
	}
	for _, m := range c.env.Groups.Measures {
		if m.As == e.AsIdent() {
			return m.Expr, true
		}
	}
	return nil, false
}

// ofLoop says whether a name of a loop variable begins an expression.
func (c *checker) ofLoop(e ast.Expr) bool {
	if len(c.vars) == 0 {
		return false
	}
	list, ok := c.steps(e)
	return !ok || slices.ContainsFunc(c.vars, func(l loop) bool { return l.v.Name == list[0].name })
}

// sameTree says whether two texts are the same but for their spaces.
func sameTree(a, b ast.Expr) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case ast.LiteralKind:
		return a.AsLiteral().Type() == b.AsLiteral().Type() && a.AsLiteral().Value() == b.AsLiteral().Value()
	case ast.IdentKind:
		return a.AsIdent() == b.AsIdent()
	case ast.SelectKind:
		x, y := a.AsSelect(), b.AsSelect()
		return x.FieldName() == y.FieldName() && x.IsTestOnly() == y.IsTestOnly() && sameTree(x.Operand(), y.Operand())
	case ast.ListKind:
		return slices.EqualFunc(a.AsList().Elements(), b.AsList().Elements(), sameTree)
	case ast.CallKind:
		x, y := a.AsCall(), b.AsCall()
		return x.FunctionName() == y.FunctionName() && x.IsMemberFunction() == y.IsMemberFunction() &&
			(!x.IsMemberFunction() || sameTree(x.Target(), y.Target())) && slices.EqualFunc(x.Args(), y.Args(), sameTree)
	}
	return false
}

// aggregate checks sum(total) and its like.
func (c *checker) aggregate(fn string, at int, args []ast.Expr) (Expr, error) {
	least, most := 1, 1
	switch fn {
	case "count":
		least = 0
	case "sum_if":
		least, most = 2, 2
	}
	if len(args) < least || len(args) > most {
		return nil, failAt(at, "%s takes %s: write %s", fn, count(least, most), aggregateUsage(fn))
	}
	if c.within {
		return nil, failAt(at, "%s stands within another aggregate: figures of children are written as orders.sum(o, o.total)", fn)
	}
	vars := c.vars
	c.within, c.vars = true, nil
	defer func() { c.within, c.vars = false, vars }()
	switch {
	case len(args) == 0:
		return Agg{Fn: fn, T: Int}, nil
	case fn == "count_if":
		cond, err := c.condition(args[0])
		if err != nil {
			return nil, err
		}
		return Agg{Fn: "count", Arg: where(cond, Lit{V: true, T: Bool}), T: Int}, nil
	case fn == "count", fn == "count_distinct":
		return c.counted(fn, args[0])
	}
	return c.folded(fn, args)
}

func aggregateUsage(fn string) string {
	switch fn {
	case "count":
		return "count(), or count(x) for the rows where x is not null"
	case "count_if":
		return `count_if(status == "paid")`
	case "sum_if":
		return `sum_if(total, status == "paid")`
	}
	return fn + "(total)"
}

// where is the value of those rows that meet a condition; NULL of the others, which aggregates leave out.
func where(cond, then Expr) Expr {
	return Op{Fn: "?:", Args: []Expr{cond, then, Lit{T: then.Type()}}, T: then.Type()}
}

// counted checks what count and count_distinct are of; of a parent, it is its key.
func (c *checker) counted(fn string, arg ast.Expr) (Expr, error) {
	x, err := c.expr(arg)
	if err != nil {
		return nil, err
	}
	at := c.src.at(arg)
	if r, ok := x.(record); ok {
		x = c.keyOf(r)
	}
	if x, err = c.plain(x, at); err != nil {
		return nil, err
	}
	x = c.settle(x, String)
	op, isOp := x.(Op)
	switch {
	case x.Type() == Null, x.Type() == List:
		return nil, failAt(at, "`%s` is %s: %s counts values", Text(x), typeName(x.Type()), fn)
	case fn == "count" && isOp && op.T == Bool && op.Fn != "?:" && op.Fn != "coalesce":
		return nil, failAt(at, "a condition is never null, so this counts every row: write count_if(%s)", Text(x))
	}
	return Agg{Fn: fn, Arg: x, T: Int}, nil
}

// folded checks what sum, avg, min and max are of.
func (c *checker) folded(fn string, args []ast.Expr) (Expr, error) {
	at := c.src.at(args[0])
	x, err := c.value(args[0])
	if err != nil {
		return nil, err
	}
	if fn == "sum" || fn == "avg" || fn == "sum_if" {
		if x.Type() == Bool {
			return nil, failAt(at, "`%s` is true or false: write count_if(%s), for a share 100 * count_if(%s) / count()", Text(x), Text(x), Text(x))
		}
		if x, err = c.amount(x, at); err != nil {
			return nil, err
		}
	}
	x = c.settle(x, String)
	switch x.Type() {
	case Int, Dec, String, Date, Timestamp:
	default:
		return nil, failAt(at, "`%s` is %s: %s wants numbers, texts or dates", Text(x), typeName(x.Type()), fn)
	}
	if fn == "sum_if" {
		cond, err := c.condition(args[1])
		if err != nil {
			return nil, err
		}
		x, fn = where(cond, x), "sum"
	}
	return Agg{Fn: fn, Arg: x, T: eachType(fn, x.Type())}, nil
}

// ofRow says that a name is of single rows, where groups are asked.
func (c *checker) ofRow(s step) error {
	f, isField := c.root.Field(s.name)
	if _, isRelation := c.relation(c.root, s.name); !isField && !isRelation {
		return c.unknownFigure(s)
	}
	example := "count_distinct(" + s.name + ")"
	switch {
	case !isField:
		example = "count_distinct(" + s.name + ".…)"
	case isNumber(f.Type):
		example = "sum(" + s.name + ")"
	case isWhen(Ref{Field: f}):
		example = "max(" + s.name + ")"
	case f.Type == Bool:
		example = "count_if(" + s.name + ")"
	}
	return failAt(s.at, "`%s` is of single rows, here groups are asked: write an aggregate, like %s, or add it to group_by as it stands here", s.name, example)
}
