package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/query"
)

// ruled is a row rule over one table, and what it reads of the person.
type ruled struct {
	text   string
	expr   query.Expr
	params []query.Param // each name once, in the order of their names
}

// compileRule checks a rule against the whole catalog, as the engine does.
func compileRule(ctx context.Context, full query.Catalog, table, text string) (ruled, error) {
	src, err := query.Parse(text)
	if err != nil {
		return ruled{}, err
	}
	e, err := query.Condition(ctx, query.Env{Catalog: full, Table: table, Params: []string{"person"}, Now: time.Now()}, src)
	if err != nil {
		return ruled{}, err
	}
	found := map[string]query.Param{}
	query.Walk(e, func(e query.Expr) {
		if p, ok := e.(query.Param); ok {
			found[strings.Join(p.Path, ".")] = p
		}
	})
	r := ruled{text: text, expr: e}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		r.params = append(r.params, found[name])
	}
	return r, nil
}

// words say what the rule comes to for one person.
func (r ruled) words(who deputy.Person) string {
	var values []string
	for _, p := range r.params {
		name := strings.Join(p.Path, ".")
		v, ok := who.Lookup(p.Path)
		if !ok {
			return fmt.Sprintf("sees no row: %s is not set; the rule is %s", strings.Replace(name, "person.attributes.", "attribute ", 1), r.text)
		}
		values = append(values, fmt.Sprintf("%s = %q", name, v))
	}
	if len(values) == 0 {
		return r.text
	}
	with := r.text + ", with " + strings.Join(values, ", ")
	if _, missing := query.Bind(r.expr, who.Lookup); missing {
		return "sees no row: a value cannot be read as the type of what it is compared with; the rule is " + with
	}
	return with
}

// warnings are what is no mistake and yet may not be meant: rules that read what nobody has, and roles that grant tables and no tools.
func (p *parts) warnings(ctx context.Context, tables []query.Summary) ([]string, error) {
	full, err := p.host.Catalog(ctx, deputy.Person{})
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(p.Policy.Roles)) {
		role, key := p.Policy.Roles[name], "policy.roles."+name
		if len(role.Tools) == 0 && len(role.Actions) == 0 && len(role.Tables) > 0 {
			out = append(out, p.placed(key)+"it grants tables and names no tools: its people are offered none, unless by another role of theirs; write tools: [\"*\"]")
		}
		for _, table := range slices.Sorted(maps.Keys(role.Tables)) {
			a := role.Tables[table]
			out = append(out, p.unset(ctx, full, tables, table, key+".tables."+table+".rows", a.Rows)...)
			out = append(out, p.unset(ctx, full, tables, table, key+".tables."+table+".write_rows", a.WriteRows)...)
		}
	}
	idle, err := p.idleActions(ctx)
	return append(out, idle...), err
}

// unset warns of the attributes that a rule reads and no token has.
func (p *parts) unset(ctx context.Context, full query.Catalog, tables []query.Summary, table, key, text string) []string {
	if text == "" {
		return nil
	}
	if table == "*" { // the same names on every table
		i := slices.IndexFunc(tables, func(s query.Summary) bool { return !s.View })
		if i < 0 {
			return nil
		}
		table = tables[i].Name
	}
	r, err := compileRule(ctx, full, table, text)
	if err != nil {
		return nil // a rule that does not compile was refused before
	}
	var out []string
	for _, param := range r.params {
		if len(param.Path) == 3 && !p.anybodyHas(param.Path[2]) {
			out = append(out, p.placed(key)+"no token has the attribute "+param.Path[2]+": the rule holds for no row of anybody")
		}
	}
	return out
}

func (p *parts) anybodyHas(attribute string) bool {
	return slices.ContainsFunc(p.Auth.Tokens, func(t TokenConfig) bool {
		_, ok := t.Attributes[attribute]
		return ok
	})
}

// placed is a key with its place in the file, as mistakes have it.
func (d *document) placed(key string) string {
	return strings.TrimSuffix(Mistake{File: d.file, at: d.keys[key], Key: key, Text: "x"}.String(), "x")
}
