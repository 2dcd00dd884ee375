package policy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/deputy/query"
)

// Subject is who rights are asked for, at one moment.
type Subject struct {
	Roles  []string                                    // unknown ones grant nothing
	Lookup func(path []string) (value string, ok bool) // the names of rules that are theirs: person.id, person.attributes.x
	Now    time.Time
	Zone   *time.Location
}

// Compiled is a policy whose rules are parsed.
type Compiled struct {
	Policy
	sources map[string]*query.Source
	digests map[string][]byte // of each role

	asksRoles bool // some rule may ask for the roles of a person by name
}

// Compile parses the rules; its mistakes are *ConfigError, joined.
func (p Policy) Compile() (*Compiled, error) {
	sources, err := p.parse()
	digests := map[string][]byte{}
	for name, role := range p.Roles {
		raw, bad := json.Marshal(role)
		h := sha256.Sum256(raw)
		digests[name], err = h[:], errors.Join(err, bad)
	}
	asks := false
	for text := range sources {
		asks = asks || strings.Contains(text, "roles")
	}
	return &Compiled{p, sources, digests, asks}, err
}

// Fingerprint identifies the rights of a person: who they are, what their roles grant, and their attributes. Equal ones read the same.
func (c *Compiled) Fingerprint(issuer, id string, roles []string, attributes map[string]string) string {
	h := sha256.New()
	part := func(text string) { fmt.Fprintf(h, "%d:%s;", len(text), text) }
	part(issuer)
	part(id)
	for _, name := range slices.Compact(slices.Sorted(slices.Values(roles))) {
		if digest, ok := c.digests[name]; ok || c.asksRoles { // a rule may ask for one that the policy does not have
			part("/" + name)
			part(string(digest))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		part("." + name)
		part(attributes[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// For is what a subject may do to the tables of a catalog: resolved table by table when asked for. It may be used by several goroutines.
func (c *Compiled) For(full query.Catalog, who Subject) *Grants {
	g := &Grants{who: who, sources: c.sources, full: full, hidden: map[string]bool{}, memo: map[string]*Grant{}}
	roles := c.Of(who.Roles)
	for _, name := range slices.Sorted(maps.Keys(roles)) {
		g.roles = append(g.roles, roles[name])
		for _, h := range roles[name].Hide {
			g.hidden[h] = true
		}
	}
	return g
}

// never is the rule of somebody who lacks what a rule needs.
func never() query.Expr { return query.Lit{V: false, T: query.Bool} }

// Grants is what one person may do at one moment.
type Grants struct {
	who     Subject
	roles   []Role // in the order of their names
	hidden  map[string]bool
	sources map[string]*query.Source
	full    query.Catalog

	mu   sync.Mutex
	memo map[string]*Grant
}

// Grant is what the person may do to one table.
type Grant struct {
	Rights
	Full *query.Table // as the host has it, hidden fields with it: for the guard alone

	g      *Grants
	before map[Verb]query.Expr
	after  map[Verb]query.Expr
	shown  atomic.Pointer[shown] // as the person may see it, once it was asked for
}

// Before is the rule about a record as it is: to read, update or delete it. It is bound; nil means every record.
func (t *Grant) Before(v Verb) query.Expr { return t.before[v] }

// After is the rule about a record as it becomes: created or updated. It is bound; nil means every record.
func (t *Grant) After(v Verb) query.Expr { return t.after[v] }

// Sees says whether a field may be read.
func (t *Grant) Sees(field string) bool {
	return t.Read.Has(field) && !t.g.hidden[t.Full.Name+"."+field]
}

// mentions says, without asking the host, whether any role may read a table, or a view, of this name.
func (g *Grants) mentions(table string, view bool) bool {
	return slices.ContainsFunc(g.roles, func(r Role) bool {
		a, ok := r.access(table, view)
		return ok && a.allows(Read)
	})
}

// Writable says whether any table is granted the verb.
func (g *Grants) Writable(v Verb) bool {
	return slices.ContainsFunc(g.roles, func(r Role) bool {
		for _, a := range r.Tables {
			if a.allows(v) { // each call is looked at anyway
				return true
			}
		}
		return false
	})
}

// Table resolves one table; *Unknown where it is not there or may not be read.
func (g *Grants) Table(ctx context.Context, name string) (*Grant, error) {
	if !g.mentions(name, false) {
		return nil, &Unknown{Table: name}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if t, ok := g.memo[name]; ok {
		return t, nil
	}
	full, err := g.full.Table(ctx, name)
	if err != nil {
		return nil, unknown(name, err)
	}
	t, err := g.resolve(ctx, full)
	if err != nil {
		return nil, err
	}
	if t.Read.None() {
		return nil, &Unknown{Table: name}
	}
	g.memo[name] = t
	return t, nil
}

func (g *Grants) resolve(ctx context.Context, full *query.Table) (*Grant, error) {
	t := &Grant{g: g, Full: full, before: map[Verb]query.Expr{}, after: map[Verb]query.Expr{}}
	for _, r := range g.roles {
		a, ok := r.access(full.Name, full.View)
		if !ok {
			continue
		}
		t.Read, t.Create, t.Update = t.Read.union(a.Read), t.Create.union(a.Create), t.Update.union(a.Update)
		t.Delete = t.Delete || a.Delete
	}
	for _, f := range []*Fields{&t.Read, &t.Create, &t.Update} { // what is hidden is not even named
		f.Names = slices.DeleteFunc(f.Names, func(n string) bool { return !t.Sees(n) })
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
func (g *Grants) united(ctx context.Context, t *query.Table, v Verb, rule func(Access) string) (query.Expr, error) {
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
func (g *Grants) compile(ctx context.Context, table, text string) (query.Expr, error) {
	src, ok := g.sources[text]
	if !ok || src == nil {
		return never(), nil
	}
	env := query.Env{Catalog: g.full, Table: table, Params: []string{"person"}, Now: g.who.Now, Zone: g.who.Zone}
	e, err := query.Condition(ctx, env, src)
	if err != nil {
		return nil, fmt.Errorf("the policy does not fit the database any more: a rule about %s: %w", table, err)
	}
	e, missing := query.Bind(e, g.who.Lookup)
	if missing {
		return never(), nil
	}
	return e, nil
}
