package deputy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"example.com/deputy/query"
)

// Policy is what the operator allows. No role, no access; no policy, nothing.
type Policy struct {
	Roles map[string]Role
}

// Role grants. The roles of a person are united, verb by verb; Hide in any of them wins.
type Role struct {
	Tools   []string          // names or patterns with *; what none of them names is not offered
	Tables  map[string]Access // by offered name; "*" means every base table without an entry of its own in this role
	Hide    []string          // table.field
	Audit   bool              // sees everybody's log rows
	Operate bool              // may throw the kill switch
}

// Access is what a role may do to one table.
type Access struct {
	Read, Create, Update Fields
	Delete               bool
	Rows                 string // which records may be read, and written to; empty: all
	WriteRows            string // which records may result from a write; empty: Rows
}

// after is the rule about the record a write results in.
func (a Access) after() string {
	if a.WriteRows != "" {
		return a.WriteRows
	}
	return a.Rows
}

// allows says whether the access grants a verb at all.
func (a Access) allows(v Verb) bool {
	switch v {
	case Read:
		return !a.Read.None()
	case Create:
		return !a.Create.None()
	case Update:
		return !a.Update.None()
	}
	return a.Delete
}

// Fields is all fields of a table, or some; the zero value is none.
type Fields struct {
	All   bool
	Names []string
}

// Has says whether a field is among them.
func (f Fields) Has(name string) bool { return f.All || slices.Contains(f.Names, name) }

// None says whether it is no field at all.
func (f Fields) None() bool { return !f.All && len(f.Names) == 0 }

func (f Fields) union(g Fields) Fields {
	if f.All || g.All {
		return Fields{All: true}
	}
	out := slices.Clone(f.Names)
	for _, n := range g.Names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return Fields{Names: out}
}

// Rights is what one person may do to one table, their roles united.
type Rights struct {
	Read, Create, Update Fields
	Delete               bool
	Limited              bool // a row rule applies to reading
}

// ConfigError is one mistake of the operator's. Path names the place by configuration keys, joined with dots.
type ConfigError struct {
	Path    string
	Message string
}

// Error implements error.
func (e *ConfigError) Error() string { return e.Path + ": " + e.Message }

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
		return []error{&ConfigError{at, fmt.Sprintf("no table `%s`%s", table, near(table, tableNames(ctx, full)))}}
	case err != nil:
		return []error{err}
	}
	for i, n := range names {
		if _, ok := t.Field(n); !ok {
			errs = append(errs, &ConfigError{fmt.Sprintf("%s.%d", at, i), fmt.Sprintf("no field `%s` in %s%s", n, table, near(n, fieldNames(t)))})
		}
	}
	return errs
}

func near(name string, names []string) string {
	if n := query.Near(name, names); len(n) > 0 {
		return "; near: " + strings.Join(n, ", ")
	}
	return ""
}

func fieldNames(t *query.Table) []string {
	out := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		out[i] = f.Name
	}
	return out
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

// admits says whether a person has any role here.
func (p Policy) admits(who Person) bool {
	return slices.ContainsFunc(who.Roles, func(r string) bool { _, ok := p.Roles[r]; return ok })
}

// fingerprint identifies the rights of a person: equal ones read the same.
func (p Policy) fingerprint(who Person) string {
	roles := map[string]Role{}
	for _, r := range who.Roles {
		if role, ok := p.Roles[r]; ok {
			roles[r] = role
		}
	}
	b, err := json.Marshal([]any{who.Issuer, who.ID, roles, who.Attributes}) // maps marshal in the order of their keys
	if err != nil {
		return ""
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:8])
}
