package query

import (
	"context"
	"errors"
	"strings"

	"github.com/google/cel-go/common/ast"

	"example.com/deputy/internal/near"
)

// unknownName says that there is no such name, hidden or missing, and what is near, of what the catalog shows.
func (c *checker) unknownName(v *Var, t *Table, hopped bool, s step) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if s.bracket {
		return failAt(s.at, `brackets go into JSON only: data["odd key"]`)
	}
	switch strings.ToLower(s.name) {
	case "null", "nil", "none", "undefined":
		return failAt(s.at, "write null instead of %s", s.name)
	case "true", "false":
		return failAt(s.at, "write %s instead of %s", strings.ToLower(s.name), s.name)
	}
	alike := near.Names(s.name, c.visible(t))
	if v == nil && !hopped {
		alike = append(c.loopFields(s.name), alike...)
	}
	alike = append(alike, c.parentFields(t, s.name)...)
	if len(alike) > 5 {
		alike = alike[:5]
	}
	message := "no field `" + s.name + "`"
	if hopped || v != nil {
		message += " in `" + t.Name + "`"
	}
	if len(alike) > 0 {
		message += "; near: " + strings.Join(alike, ", ")
	}
	return failAt(s.at, "%s", message)
}

// unquoted says how a text is written, of a name that is none and stands beside one.
func unquoted(err error, beside Expr, e ast.Expr) error {
	var unknown *Error
	if e.Kind() != ast.IdentKind || beside.Type() != String || !errors.As(err, &unknown) || unknown.Message != "no field `"+e.AsIdent()+"`" {
		return err
	}
	return failAt(unknown.At, "%s: a text stands in quotes: %q", unknown.Message, e.AsIdent())
}

// unknownFigure says that there is no such name over groups.
func (c *checker) unknownFigure(s step) error {
	known := c.visible(c.root)
	for _, m := range c.env.Groups.Measures {
		known = append(known, m.As)
	}
	if alike := near.Names(s.name, known); len(alike) > 0 {
		return failAt(s.at, "no measure, key or field `%s`; near: %s", s.name, strings.Join(alike[:min(len(alike), 5)], ", "))
	}
	return c.unknownName(nil, c.root, false, s)
}

// visible is every name of a table.
func (c *checker) visible(t *Table) []string {
	var list []string
	for _, f := range t.Fields {
		list = append(list, f.Name)
	}
	for _, r := range t.Relations {
		if _, ok := t.Field(r.Name); ok {
			continue
		}
		if _, ok := c.relation(t, r.Name); ok {
			list = append(list, r.Name)
		}
	}
	return list
}

// loopFields is the name as a field of a loop variable: inside exists, bare names are of the outermost row.
func (c *checker) loopFields(name string) []string {
	var list []string
	for _, l := range c.vars {
		if _, ok := l.table.Field(name); ok {
			list = append(list, l.v.Name+"."+name)
		}
	}
	return list
}

// parentFields is the name as a field of a parent.
func (c *checker) parentFields(t *Table, name string) []string {
	var list []string
	for _, r := range t.Relations {
		if r.Many || len(list) == 3 {
			continue
		}
		p, err := c.table(r.Table)
		if err != nil {
			continue
		}
		if _, ok := p.Field(name); ok {
			list = append(list, r.Name+"."+name)
		}
	}
	return list
}

// unknownTable is the answer for all.x.
func (c *checker) unknownTable(ctx context.Context, s step, err error) error {
	if !errors.Is(err, ErrUnknown) {
		return err
	}
	var list []string
	for after := ""; len(list) < 10*TablePage; {
		page, err := c.env.Catalog.Tables(ctx, "", after)
		if err != nil {
			return err
		}
		for _, t := range page {
			list = append(list, t.Name)
		}
		if len(page) < TablePage {
			break
		}
		after = page[len(page)-1].Name
	}
	return failAt(s.at, "no table `%s`%s", s.name, near.Hint(s.name, list))
}
