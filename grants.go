package deputy

import (
	"context"
	"path"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/deputy/query"
)

// never is the rule of somebody who lacks what a rule needs.
func never() query.Expr { return query.Lit{V: false, T: query.Bool} }

// grants is what one person may do at one moment: their roles, resolved table by table when asked for.
type grants struct {
	who     Person
	clock   Clock
	roles   []Role // in the order of their names
	hidden  map[string]bool
	sources map[string]*query.Source
	full    query.Catalog

	mu   sync.Mutex
	memo map[string]*tableGrant
}

// tableGrant is what the person may do to one table. The expressions are bound; nil means every record.
type tableGrant struct {
	Rights
	full   *query.Table
	before map[Verb]query.Expr   // about a record as it is: to read, update or delete it
	after  map[Verb]query.Expr   // about a record as it becomes: created or updated
	shown  atomic.Pointer[shown] // as the person may see it, once it was asked for
}

// shown is a table as one person may see it, and what names its records for them; nil where nothing may.
type shown struct {
	table *query.Table
	label query.Expr
}

func newGrants(p Policy, sources map[string]*query.Source, full query.Catalog, who Person, clock Clock) *grants {
	g := &grants{who: who, clock: clock, sources: sources, full: full, hidden: map[string]bool{}, memo: map[string]*tableGrant{}}
	names := slices.Clone(who.Roles)
	slices.Sort(names)
	for _, n := range slices.Compact(names) {
		role, ok := p.Roles[n]
		if !ok {
			continue
		}
		g.roles = append(g.roles, role)
		for _, h := range role.Hide {
			g.hidden[h] = true
		}
	}
	return g
}

// access is what a role grants on a table; none where it says nothing.
func (r Role) access(table string, view bool) (Access, bool) {
	if a, ok := r.Tables[table]; ok {
		return a, true
	}
	a, ok := r.Tables["*"]
	return a, ok && !view
}

// mentions says, without asking the host, whether any role may read a table, or a view, of this name.
func (g *grants) mentions(table string, view bool) bool {
	return slices.ContainsFunc(g.roles, func(r Role) bool {
		a, ok := r.access(table, view)
		return ok && a.allows(Read)
	})
}

// table resolves one table: query.ErrUnknown where it is not there or may not be read.
func (g *grants) table(ctx context.Context, name string) (*tableGrant, error) {
	if !g.mentions(name, false) {
		return nil, query.ErrUnknown
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if t, ok := g.memo[name]; ok {
		return t, nil
	}
	full, err := g.full.Table(ctx, name)
	if err != nil {
		return nil, err
	}
	t, err := g.resolve(ctx, full)
	if err != nil {
		return nil, err
	}
	if t.Read.None() {
		return nil, query.ErrUnknown
	}
	g.memo[name] = t
	return t, nil
}

func (g *grants) resolve(ctx context.Context, full *query.Table) (*tableGrant, error) {
	t := &tableGrant{full: full, before: map[Verb]query.Expr{}, after: map[Verb]query.Expr{}}
	for _, r := range g.roles {
		a, ok := r.access(full.Name, full.View)
		if !ok {
			continue
		}
		t.Read, t.Create, t.Update = t.Read.union(a.Read), t.Create.union(a.Create), t.Update.union(a.Update)
		t.Delete = t.Delete || a.Delete
	}
	for _, f := range []*Fields{&t.Read, &t.Create, &t.Update} { // what is hidden is not even named
		f.Names = slices.DeleteFunc(f.Names, func(n string) bool { return !g.sees(t, n) })
	}
	if full.View || len(full.Key) == 0 {
		t.Create, t.Update, t.Delete = Fields{}, Fields{}, false
	}
	for _, v := range []Verb{Read, Create, Update, Delete} {
		var err error
		if t.before[v], err = g.united(ctx, full, v, func(a Access) string { return a.Rows }); err != nil {
			return nil, err
		}
		if t.after[v], err = g.united(ctx, full, v, Access.after); err != nil {
			return nil, err
		}
	}
	t.Limited = t.before[Read] != nil
	return t, nil
}

// united joins by or the rules of the roles that grant a verb; nil where one of them has no rule: every record.
func (g *grants) united(ctx context.Context, t *query.Table, v Verb, rule func(Access) string) (query.Expr, error) {
	var all []query.Expr
	for _, r := range g.roles {
		a, ok := r.access(t.Name, t.View)
		if !ok || !a.allows(v) {
			continue
		}
		if rule(a) == "" {
			return nil, nil
		}
		e, err := g.compile(ctx, t.Name, rule(a))
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	if len(all) == 0 {
		return never(), nil
	}
	return query.Or(all...), nil
}

// compile checks a rule against the whole catalog, not the person's, and binds it. One whose attribute the person lacks is false.
func (g *grants) compile(ctx context.Context, table, text string) (query.Expr, error) {
	src, ok := g.sources[text]
	if !ok || src == nil {
		return never(), nil
	}
	env := query.Env{Catalog: g.full, Table: table, Params: []string{"person"}, Now: g.clock.Now, Zone: g.clock.Zone}
	e, err := query.Condition(ctx, env, src)
	if err != nil {
		return nil, &Error{Code: Internal, Message: "The policy does not fit the database any more. The operator's log says where.", Cause: err}
	}
	e, missing := query.Bind(e, g.who.Lookup)
	if missing {
		return never(), nil
	}
	return e, nil
}

// sees says whether a field may be read; the table's own right is asked apart.
func (g *grants) sees(t *tableGrant, field string) bool {
	return t.Read.Has(field) && !g.hidden[t.full.Name+"."+field]
}

// names says whether the role names a tool.
func (r Role) names(tool string) bool {
	return slices.ContainsFunc(r.Tools, func(pattern string) bool {
		ok, err := path.Match(pattern, tool)
		return ok && err == nil
	})
}

// writable says whether any table is granted the verb.
func (g *grants) writable(v Verb) bool {
	return slices.ContainsFunc(g.roles, func(r Role) bool {
		for _, a := range r.Tables {
			if a.allows(v) { // each call is looked at anyway
				return true
			}
		}
		return false
	})
}
