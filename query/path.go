package query

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"example.com/deputy/internal/near"
)

// step is one name of a dotted path, or what stands in brackets after it.
type step struct {
	name    string
	bracket bool
	at      int
}

// steps takes a dotted path apart; ok is false for what is none.
func (c *checker) steps(e ast.Expr) (list []step, ok bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return []step{{name: e.AsIdent(), at: c.src.at(e)}}, true
	case ast.SelectKind:
		list, ok = c.steps(e.AsSelect().Operand())
		return append(list, step{name: e.AsSelect().FieldName(), at: c.src.nameAt(e)}), ok && !e.AsSelect().IsTestOnly()
	case ast.CallKind:
		call := e.AsCall()
		if call.FunctionName() != "_[_]" || len(call.Args()) != 2 || call.Args()[1].Kind() != ast.LiteralKind {
			return nil, false
		}
		list, ok = c.steps(call.Args()[0])
		switch v := call.Args()[1].AsLiteral().(type) {
		case types.String:
			return append(list, step{string(v), true, c.src.markAt(e)}), ok
		case types.Int:
			return append(list, step{strconv.FormatInt(int64(v), 10), true, c.src.markAt(e)}), ok && v >= 0
		}
	}
	return nil, false
}

// path reads a name: a field, a parent, a path into JSON, a parameter.
func (c *checker) path(e ast.Expr) (Expr, error) {
	list, ok := c.steps(e)
	if !ok {
		return nil, failAt(c.src.at(e), `only names have parts: write customer.country for a parent's field, data.items[0].name or data["odd key"] for JSON`)
	}
	root := list[0]
	if slices.Contains(c.env.Params, root.name) {
		return c.param(list)
	}
	if root.name == "parameters" && c.env.Given != nil && !c.hides(root.name) {
		return c.given(list)
	}
	v, t, list, err := c.start(list)
	if err != nil {
		return nil, err
	}
	return c.walk(v, t, list)
}

// start finds the row that a path begins at.
func (c *checker) start(list []step) (*Var, *Table, []step, error) {
	root := list[0]
	for _, l := range slices.Backward(c.vars) {
		if l.v.Name != root.name {
			continue
		}
		if len(list) == 1 {
			return nil, nil, nil, failAt(root.at, "`%s` is a record of `%s`: write %s.%s", root.name, l.table.Name, root.name, firstField(l.table))
		}
		return l.v, l.table, list[1:], nil
	}
	if root.name == "all" && len(list) > 1 {
		return nil, nil, nil, failAt(root.at, "`all.%s` stands for every row: write all.%s.count() or all.%s.exists(x, …)", list[1].name, list[1].name, list[1].name)
	}
	if c.grouped() {
		return nil, nil, nil, c.ofRow(root)
	}
	return nil, c.root, list, nil
}

func firstField(t *Table) string {
	if len(t.Fields) == 0 {
		return "…"
	}
	return t.Fields[0].Name
}

func (c *checker) param(list []step) (Expr, error) {
	p := Param{Want: Any}
	for _, s := range list {
		p.Path = append(p.Path, s.name)
	}
	if list[0].name != "person" {
		return p, nil
	}
	switch {
	case len(list) == 2 && list[1].name == "roles":
		p.Want = List
		return p, nil
	case len(list) == 2 && list[1].name == "id", len(list) == 3 && list[1].name == "attributes":
		return p, nil
	}
	return nil, failAt(list[len(list)-1].at, "`person` has person.id, person.roles and person.attributes.x")
}

// hides says whether a loop variable or a field of the table has the name already.
func (c *checker) hides(name string) bool {
	_, field := c.root.Field(name)
	return field || slices.ContainsFunc(c.vars, func(l loop) bool { return l.v.Name == name })
}

// given is the value of a parameter.
func (c *checker) given(list []step) (Expr, error) {
	names := slices.Sorted(maps.Keys(c.env.Given))
	if len(list) != 2 {
		return nil, failAt(list[0].at, "`parameters` has %s", strings.Join(names, ", "))
	}
	l, ok := c.env.Given[list[1].name]
	if !ok {
		return nil, failAt(list[1].at, "no parameter `%s`%s", list[1].name, near.Hint(list[1].name, names))
	}
	return l, nil
}

// walk follows parents from a row, and then reads a field.
func (c *checker) walk(v *Var, t *Table, list []step) (Expr, error) {
	v, hops, t, list, err := c.parents(v, t, list)
	if err != nil {
		return nil, err
	}
	s := list[0]
	if f, ok := t.Field(s.name); ok && !s.bracket {
		ref := Ref{Var: v, Hops: hops, Table: t.Name, Field: f}
		if len(list) == 1 {
			return ref, nil
		}
		return c.inside(ref, list[1:])
	}
	if r, ok := c.relation(t, s.name); ok && !r.Many && len(list) == 1 {
		return record{v, hops, t, r}, nil
	} else if ok {
		return nil, failAt(s.at, "`%s` are the records of a list: write %s.exists(x, x.%s …), .count(x, …) or .sum(x, …)", s.name, s.name, c.exampleField(r))
	}
	return nil, c.unknownName(v, t, len(hops) > 0, s)
}

// parents goes over the parents at the beginning of a path; at least one step is left.
func (c *checker) parents(v *Var, t *Table, list []step) (*Var, []Relation, *Table, []step, error) {
	var hops []Relation
	for len(list) > 1 && !list[1].bracket && !list[0].bracket {
		r, ok := c.relation(t, list[0].name)
		if !ok || r.Many {
			break
		}
		p, err := c.table(r.Table)
		if err != nil {
			return nil, nil, nil, nil, err
		}
		hops, t, list = append(hops, r), p, list[1:]
	}
	return v, hops, t, list, c.ctx.Err()
}

// relation finds a relation whose table is shown.
func (c *checker) relation(t *Table, name string) (Relation, bool) {
	r, ok := t.Relation(name)
	if !ok {
		return r, false
	}
	if _, err := c.table(r.Table); errors.Is(err, ErrUnknown) {
		return r, false
	}
	return r, true
}

func (c *checker) exampleField(r Relation) string {
	t, err := c.table(r.Table)
	if err != nil {
		return "…"
	}
	return firstField(t)
}

// beyond is what to write for a field of the record that a foreign key leads to; empty where it leads nowhere.
func (c *checker) beyond(ref Ref, s step) string {
	t, err := c.table(ref.Table)
	if err != nil || s.bracket {
		return ""
	}
	for _, r := range t.Relations {
		if _, seen := c.relation(t, r.Name); seen && !r.Many && len(r.From) == 1 && r.From[0] == ref.Field.Name {
			return ": write " + strings.TrimSuffix(Text(ref), ref.Field.Name) + r.Name + "." + s.name
		}
	}
	return ""
}

// inside goes into a JSON field.
func (c *checker) inside(ref Ref, list []step) (Expr, error) {
	if ref.Field.Type != JSON {
		return nil, failAt(list[0].at, "`%s` is %s, there is nothing in it%s", Text(ref), typeName(ref.Field.Type), c.beyond(ref, list[0]))
	}
	if ref.Field.Secret {
		return c.plain(ref, list[0].at)
	}
	ref.As = Any
	for _, s := range list {
		ref.Path = append(ref.Path, s.name)
	}
	return ref, nil
}
