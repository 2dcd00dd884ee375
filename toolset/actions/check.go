package actions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/internal/near"
	"example.com/deputy/query"
)

// maxSteps bounds what stands in then.
const maxSteps = 20

// checker finds the mistakes of one action against the whole catalog, and what it has to lend.
type checker struct {
	ctx  context.Context
	full query.Catalog
	name string
	Action
	given  map[string]query.Lit
	grants []deputy.Grant
	errs   []error
}

// bad notes a mistake; at is the key below the action's, empty for its own.
func (c *checker) bad(at, format string, args ...any) {
	path := "actions." + c.name
	if at != "" {
		path += "." + at
	}
	c.errs = append(c.errs, &deputy.ConfigError{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) check() {
	if !query.Identifier(c.name) {
		c.bad("", "name an action in lower-case letters, digits and _, beginning with a letter, at most 60")
	}
	if c.title() == "" {
		c.bad("label", "no label: write what it does, such as Cancel an order")
	}
	before := len(c.errs)
	if c.parameters(); len(c.errs) > before { // what reads them would be told of again
		return
	}
	t := c.written("table", c.Table)
	if t == nil {
		return
	}
	c.condition("when", t.Name, c.When)
	if len(c.Set) > 0 {
		c.sets("set", t.Name, t, deputy.Update, c.Set)
	}
	switch {
	case len(c.Set)+len(c.Then) == 0:
		c.bad("", "it changes nothing: write set: { field: expression }, or steps in then")
	case len(c.Then) > maxSteps:
		c.bad("then", "more than %d steps: that is more than one action", maxSteps)
	}
	for i, s := range c.Then {
		c.step(fmt.Sprintf("then.%d", i), t, s)
	}
}

func (c *checker) parameters() {
	c.given = query.Blank(c.Parameters)
	for _, name := range slices.Sorted(maps.Keys(c.Parameters)) {
		p, at := c.Parameters[name], "parameters."+name
		switch {
		case name == idParameter:
			c.bad(at, "%s is the record's own: take another name", idParameter)
		case !query.Identifier(name):
			c.bad(at, "name a parameter in lower-case letters, digits and _, beginning with a letter, at most 60")
		case !slices.Contains(query.ParameterTypes(), p.Type):
			c.bad(at+".type", "no such type: write string, int, decimal, bool, date or timestamp")
		case len(p.Enum) > 0 && p.Type != query.String:
			c.bad(at+".enum", "only a string has a list of values: remove it, or write type: string")
		case len(slices.Compact(slices.Sorted(slices.Values(p.Enum)))) < len(p.Enum):
			c.bad(at+".enum", "a value stands there twice")
		}
	}
}

// written finds a table that can be written to.
func (c *checker) written(at, name string) *query.Table {
	if name == "" {
		c.bad(at, "no table: write the name of one")
		return nil
	}
	t, err := c.full.Table(c.ctx, name)
	switch {
	case errors.Is(err, query.ErrUnknown):
		c.bad(at, "no table `%s`%s", name, near.Hint(name, c.tables()))
		return nil
	case err != nil:
		c.errs = append(c.errs, err)
		return nil
	case t.View || len(t.Key) == 0:
		c.bad(at, "%s can be read, not written: it is a view, or has no primary key", name)
		return nil
	}
	return t
}

func (c *checker) tables() (out []string) {
	for after := ""; ; after = out[len(out)-1] {
		page, err := c.full.Tables(c.ctx, "", after)
		if err != nil || len(page) == 0 {
			return out
		}
		for _, s := range page {
			out = append(out, s.Name)
		}
	}
}

func (c *checker) env(table string) query.Env {
	return query.Env{Catalog: c.full, Table: table, Params: []string{"person"}, Given: c.given}
}

func (c *checker) condition(at, table, text string) {
	if text == "" {
		return
	}
	src, err := query.Parse(text)
	if err == nil {
		_, err = query.Condition(c.ctx, c.env(table), src)
	}
	if err != nil {
		c.bad(at, "%v", err)
	}
}

func (c *checker) step(at string, t *query.Table, s Step) {
	switch {
	case (s.Create == nil) == (s.Update == nil):
		c.bad(at, "write one thing that it does: create: { table: …, values: … } or update: { children: …, set: … }")
	case s.Create != nil:
		if made := c.written(at+".create.table", s.Create.Table); made != nil {
			c.sets(at+".create.values", t.Name, made, deputy.Create, s.Create.Values)
			c.complete(at+".create.values", made, s.Create.Values)
		}
	default:
		c.update(at+".update", t, *s.Update)
	}
}

func (c *checker) update(at string, t *query.Table, u Update) {
	var names []string
	for _, r := range t.Relations {
		if r.Many {
			names = append(names, r.Name)
		}
	}
	rel, _ := t.Relation(u.Children)
	if !rel.Many {
		c.bad(at+".children", "%s has no children `%s`%s", t.Name, u.Children, near.HintOrAll(u.Children, names, "; there are "))
		return
	}
	child := c.written(at+".children", rel.Table)
	if child == nil {
		return
	}
	c.condition(at+".where", child.Name, u.Where)
	if len(u.Set) == 0 {
		c.bad(at+".set", "it changes nothing: write set: { field: expression }")
		return
	}
	c.sets(at+".set", child.Name, child, deputy.Update, u.Set)
}

// sets checks what fields of t are to become, by expressions about another table's rows, or the same's.
func (c *checker) sets(at, about string, t *query.Table, verb deputy.Verb, texts map[string]string) {
	fields := slices.Sorted(maps.Keys(texts))
	c.grants = append(c.grants, deputy.Grant{Table: t.Name, Verb: verb, Fields: fields})
	for _, name := range fields {
		f, ok := t.Field(name)
		if !ok {
			c.bad(at+"."+name, "no field `%s` in %s%s", name, t.Name, near.Hint(name, t.FieldNames()))
			continue
		}
		if why := unwritable(t, f, verb); why != "" {
			c.bad(at+"."+name, "%s %s", name, why)
			continue
		}
		if why := c.value(about, f, texts[name]); why != "" {
			c.bad(at+"."+name, "%s", why)
		}
	}
}

func unwritable(t *query.Table, f query.Field, verb deputy.Verb) string {
	switch {
	case f.Generated:
		return "is set by the application: leave it out"
	case f.ReadOnly:
		return "is read-only"
	case f.Secret:
		return "is secret: it is not written through the assistant"
	case verb == deputy.Update && slices.Contains(t.Key, f.Name):
		return "is the key of the record and cannot be changed"
	}
	return ""
}

// complete finds the fields that a new record needs.
func (c *checker) complete(at string, t *query.Table, texts map[string]string) {
	var missing []string
	for _, f := range t.Fields {
		if _, given := texts[f.Name]; f.Required && f.Default == "" && !f.Generated && !given {
			missing = append(missing, f.Name)
		}
	}
	if len(missing) > 0 {
		c.bad(at, "a new record of %s needs a value for: %s", t.Name, strings.Join(missing, ", "))
	}
}

// value says what is wrong with an expression as the value of a field.
func (c *checker) value(about string, f query.Field, text string) string {
	if isNull(text) {
		if f.Required {
			return f.Name + " needs a value"
		}
		return ""
	}
	src, err := query.Parse(text)
	if err != nil {
		return err.Error()
	}
	e, err := query.Check(c.ctx, c.env(about), src)
	var unknown *query.Error
	if errors.As(err, &unknown) && f.Type == query.String && unknown.Message == "no field `"+strings.TrimSpace(text)+"`" {
		return fmt.Sprintf("%v: a text stands in quotes of its own: '%q'", err, strings.TrimSpace(text))
	}
	if err != nil {
		return err.Error()
	}
	if name, ok := strings.CutPrefix(strings.TrimSpace(text), "parameters."); ok {
		for _, v := range c.Parameters[name].Enum {
			if len(f.Values) > 0 && !slices.Contains(f.Values, v) {
				return fmt.Sprintf("%q of the parameter %s is not one of the values of %s: %s", v, name, f.Name, strings.Join(f.Values, ", "))
			}
		}
	}
	return misfit(f, e)
}

// misfit says why an expression is no value of a field: its type, or what a constant says.
func misfit(f query.Field, e query.Expr) string {
	if _, ok := e.(query.Param); ok { // of a person: read by the type of what it meets
		return ""
	}
	t := e.Type()
	l, constant := e.(query.Lit)
	if text, ok := l.V.(string); ok && constant {
		if _, err := query.ParseValue(f.Type, text); err != nil {
			return fmt.Sprintf("%s: %v", f.Name, err)
		}
		if len(f.Values) > 0 && !slices.Contains(f.Values, text) {
			return fmt.Sprintf("%q is not one of the values of %s: %s", text, f.Name, strings.Join(f.Values, ", "))
		}
		return ""
	}
	if t == f.Type || t == query.Int && f.Type == query.Dec {
		return ""
	}
	hint := ""
	if t == query.String && f.Type == query.Dec {
		hint = ": write number(…)"
	}
	return fmt.Sprintf("%s is of type %s, and the expression gives %s%s", f.Name, f.Type, t, hint)
}
