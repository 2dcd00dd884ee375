package query

import (
	"slices"

	"github.com/google/cel-go/common/ast"
)

// Folds lists what is asked of children and of other rows, orders.f(o, …).
func Folds() []string {
	return []string{"exists", "all", "count", "sum", "avg", "min", "max"}
}

func isEach(fn string) bool { return slices.Contains(Folds(), fn) }

// each checks orders.exists(o, …) and its like.
func (c *checker) each(e ast.Expr, call ast.CallExpr) (Expr, error) {
	fn, at := call.FunctionName(), c.src.nameAt(e)
	x, table, err := c.children(call.Target(), fn)
	if err != nil {
		return nil, err
	}
	x.Fn = fn
	args := call.Args()
	if len(args) == 0 && (fn == "exists" || fn == "count") {
		x.Var = &Var{Name: "x"}
		x.T = eachType(fn, Null)
		return x, nil
	}
	of := c.text(call.Target())
	if len(args) != 2 || args[0].Kind() != ast.IdentKind {
		return nil, failAt(at, "write %s", usage(fn, of, table))
	}
	name := args[0].AsIdent()
	if name == "all" || slices.Contains(c.env.Params, name) || name == "parameters" && c.env.Given != nil || name[0] == '.' {
		return nil, failAt(c.src.at(args[0]), "`%s` cannot be a variable: write %s", name, usage(fn, of, table))
	}
	x.Var = &Var{Name: name}
	c.vars = append(c.vars, loop{x.Var, table})
	defer func() { c.vars = c.vars[:len(c.vars)-1] }()
	return c.body(x, args[1])
}

func usage(fn, of string, t *Table) string {
	text := of + "." + fn + "(x, x." + firstField(t)
	switch fn {
	case "exists", "all", "count":
		text += " …"
	}
	return text + ")"
}

func (c *checker) body(x Each, body ast.Expr) (Expr, error) {
	switch x.Fn {
	case "exists", "count", "all":
		cond, err := c.condition(body)
		if err != nil {
			return nil, err
		}
		if x.T = eachType(x.Fn, Bool); x.Fn == "all" {
			x.Body = cond
		} else {
			x.Where = cond
		}
		return x, nil
	}
	v, err := c.value(body)
	if err != nil {
		return nil, err
	}
	at := c.src.at(body)
	if x.Fn == "sum" || x.Fn == "avg" {
		if v, err = c.amount(v, at); err != nil {
			return nil, err
		}
	}
	v = c.settle(v, String)
	switch v.Type() {
	case Int, Dec, String, Date, Timestamp:
		x.Body, x.T = v, eachType(x.Fn, v.Type())
		return x, nil
	}
	return nil, failAt(at, "`%s` is %s: %s wants numbers, texts or dates", Text(v), typeName(v.Type()), x.Fn)
}

func eachType(fn string, body Type) Type {
	switch fn {
	case "exists", "all":
		return Bool
	case "count":
		return Int
	case "avg":
		return Dec
	}
	return body
}

// children reads what stands before .exists: the name of children, over parents or not, or all.table.
func (c *checker) children(target ast.Expr, fn string) (Each, *Table, error) {
	list, ok := c.steps(target)
	if !ok || slices.ContainsFunc(list, func(s step) bool { return s.bracket }) {
		return Each{}, nil, failAt(c.src.at(target), "%s stands after the name of children: orders.%s(o, …)", fn, fn)
	}
	if list[0].name == "all" {
		return c.everyRow(list)
	}
	v, t, rest, err := c.start(list)
	if err != nil {
		return Each{}, nil, err
	}
	v, hops, t, rest, err := c.parents(v, t, rest)
	if err != nil {
		return Each{}, nil, err
	}
	s := rest[0]
	rel, ok := c.relation(t, s.name)
	_, isField := t.Field(s.name)
	switch {
	case ok && rel.Many && len(rest) == 1:
		child, err := c.table(rel.Table)
		return Each{From: v, Hops: hops, Child: rel}, child, err
	case ok && rel.Many:
		return Each{}, nil, failAt(s.at, "`%s` are the records of a list: write %s.exists(x, x.%s …)", s.name, s.name, rest[1].name)
	case ok:
		return Each{}, nil, failAt(s.at, "`%s` is one record, %s wants children: name a field of it, like %s.%s", s.name, fn, s.name, c.exampleField(rel))
	case isField:
		return Each{}, nil, failAt(s.at, "`%s` is a field, %s wants children%s", s.name, fn, c.childNames(t))
	}
	return Each{}, nil, c.unknownName(v, t, len(hops) > 0, s)
}

func (c *checker) everyRow(list []step) (Each, *Table, error) {
	if len(list) != 2 {
		return Each{}, nil, failAt(list[0].at, "write all.table.count() or all.table.exists(x, …)")
	}
	t, err := c.table(list[1].name)
	if err != nil {
		return Each{}, nil, c.unknownTable(c.ctx, list[1], err)
	}
	return Each{Child: Relation{Name: t.Name, Table: t.Name, Many: true}}, t, nil
}

// childNames says what children a table has, as far as they are shown.
func (c *checker) childNames(t *Table) string {
	var list []string
	for _, r := range t.Relations {
		if _, ok := c.relation(t, r.Name); ok && r.Many && len(list) < 10 {
			list = append(list, r.Name)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return ": " + names(list)
}
