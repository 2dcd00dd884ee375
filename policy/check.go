package policy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"example.com/deputy/internal/near"
	"example.com/deputy/query"
)

// rule is a row rule by the place it stands in.
type rule struct{ role, table, key, text string }

func (p Policy) rules() []rule {
	var out []rule
	for _, name := range slices.Sorted(maps.Keys(p.Roles)) {
		for _, table := range slices.Sorted(maps.Keys(p.Roles[name].Tables)) {
			a := p.Roles[name].Tables[table]
			out = append(out, rule{name, table, "rows", a.Rows}, rule{name, table, "write_rows", a.WriteRows})
		}
	}
	return slices.DeleteFunc(out, func(r rule) bool { return r.text == "" })
}

// parse reads the text of every rule once.
func (p Policy) parse() (map[string]*query.Source, error) {
	out := map[string]*query.Source{}
	var errs []error
	for _, r := range p.rules() {
		src, err := query.Parse(r.text)
		if err != nil {
			errs = append(errs, r.mistake(err))
		}
		out[r.text] = src
	}
	return out, errors.Join(errs...)
}

func (r rule) mistake(err error) error {
	return &ConfigError{fmt.Sprintf("policy.roles.%s.tables.%s.%s", r.role, r.table, r.key), err.Error()}
}

// Check finds every mistake of a policy against the whole catalog of a host: *ConfigError, joined.
func (p Policy) Check(ctx context.Context, full query.Catalog) error {
	sources, err := p.parse()
	errs := []error{err}
	for _, r := range p.rules() {
		if src := sources[r.text]; src != nil {
			errs = append(errs, r.check(ctx, full, src)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Roles)) {
		errs = append(errs, p.Roles[name].check(ctx, "policy.roles."+name, full)...)
	}
	return errors.Join(errs...)
}

// check compiles a rule; one of "*" must compile on every base table.
func (r rule) check(ctx context.Context, full query.Catalog, src *query.Source) (errs []error) {
	tables := []string{r.table}
	if r.table == "*" {
		tables = baseTables(ctx, full)
	}
	for _, t := range tables {
		if _, err := full.Table(ctx, t); err != nil {
			continue // said with its table
		}
		if _, err := query.Condition(ctx, query.Env{Catalog: full, Table: t, Params: []string{"person"}}, src); err != nil {
			if r.table == "*" {
				err = fmt.Errorf("for table %s: %w", t, err)
			}
			errs = append(errs, r.mistake(err))
		}
	}
	return errs
}

func (r Role) check(ctx context.Context, at string, full query.Catalog) (errs []error) {
	for _, name := range slices.Sorted(maps.Keys(r.Tables)) {
		if name == "*" {
			continue
		}
		errs = append(errs, r.Tables[name].check(ctx, at+".tables."+name, name, full)...)
	}
	for i, h := range r.Hide {
		table, field, ok := strings.Cut(h, ".")
		if !ok {
			errs = append(errs, &ConfigError{fmt.Sprintf("%s.hide.%d", at, i), "write table.field, not " + h})
			continue
		}
		errs = append(errs, fields(ctx, fmt.Sprintf("%s.hide.%d", at, i), table, []string{field}, full)...)
	}
	for i, pattern := range r.Tools {
		if _, err := path.Match(pattern, ""); err != nil {
			errs = append(errs, &ConfigError{fmt.Sprintf("%s.tools.%d", at, i), "not a pattern: " + pattern})
		}
	}
	return errs
}

func (a Access) check(ctx context.Context, at, table string, full query.Catalog) (errs []error) {
	t, err := full.Table(ctx, table)
	if err != nil {
		return fields(ctx, at, table, nil, full)
	}
	for _, v := range []struct {
		verb Verb
		f    Fields
	}{{Read, a.Read}, {Create, a.Create}, {Update, a.Update}} {
		errs = append(errs, fields(ctx, at+"."+string(v.verb), table, v.f.Names, full)...)
	}
	if writes := a.allows(Create) || a.allows(Update) || a.allows(Delete); writes && (t.View || len(t.Key) == 0) {
		errs = append(errs, &ConfigError{at, "a view or a table without a primary key can be read, not written"})
	}
	return errs
}

// fields finds what is not there.
func fields(ctx context.Context, at, table string, names []string, full query.Catalog) (errs []error) {
	t, err := full.Table(ctx, table)
	switch {
	case errors.Is(err, query.ErrUnknown):
		return []error{&ConfigError{at, fmt.Sprintf("no table `%s`%s", table, near.Hint(table, tableNames(ctx, full)))}}
	case err != nil:
		return []error{err}
	}
	for i, n := range names {
		if _, ok := t.Field(n); !ok {
			errs = append(errs, &ConfigError{fmt.Sprintf("%s.%d", at, i), fmt.Sprintf("no field `%s` in %s%s", n, table, near.Hint(n, t.FieldNames()))})
		}
	}
	return errs
}

func tableNames(ctx context.Context, c query.Catalog) (out []string) {
	eachTable(ctx, c, func(s query.Summary) { out = append(out, s.Name) })
	return out
}

func baseTables(ctx context.Context, c query.Catalog) (out []string) {
	eachTable(ctx, c, func(s query.Summary) {
		if !s.View {
			out = append(out, s.Name)
		}
	})
	return out
}

// eachTable pages through a catalog; an error ends it.
func eachTable(ctx context.Context, c query.Catalog, f func(query.Summary)) {
	after := ""
	for {
		page, err := c.Tables(ctx, "", after)
		if err != nil || len(page) == 0 {
			return
		}
		for _, s := range page {
			f(s)
		}
		after = page[len(page)-1].Name
	}
}
