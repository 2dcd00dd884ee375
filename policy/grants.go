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
	writes  map[string][]Verb // of each role: what it grants on some table
	labels  query.Parser      // of records

	asksRoles bool // some rule may ask for the roles of a person by name
}

// Compile parses the rules; its mistakes are *ConfigError, joined.
func (p Policy) Compile() (*Compiled, error) {
	sources, err := p.parse()
	c := &Compiled{Policy: p, sources: sources, digests: map[string][]byte{}, writes: map[string][]Verb{}}
	for name, role := range p.Roles {
		raw, bad := json.Marshal(role)
		h := sha256.Sum256(raw)
		c.digests[name], err = h[:], errors.Join(err, bad)
		c.writes[name] = role.grants()
	}
	for text := range sources {
		c.asksRoles = c.asksRoles || strings.Contains(text, "roles")
	}
	return c, err
}

func verbs() []Verb { return []Verb{Read, Create, Update, Delete} }

// grants is the verbs that a role grants on any table.
func (r Role) grants() (out []Verb) {
	for _, v := range verbs() {
		for _, a := range r.Tables {
			if a.allows(v) {
				out = append(out, v)
				break
			}
		}
	}
	return out
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
	g := &Grants{who: who, policy: c, full: full, hidden: map[string]bool{}, memo: map[string]*Grant{}}
	roles := c.Of(who.Roles)
	for _, name := range slices.Sorted(maps.Keys(roles)) {
		g.roles, g.writes = append(g.roles, roles[name]), append(g.writes, c.writes[name]...)
		for _, h := range roles[name].Hide {
			g.hidden[h] = true
		}
	}
	return g
}

// never is the rule of somebody who lacks what a rule needs.
func never() query.Expr { return query.Lit{V: false, T: query.Bool} }

// Grants is what one person may do at one moment. What is asked about one table reads that one, and of those it is tied to at most whether
// they are views; a rule is compiled when it is first needed.
type Grants struct {
	who    Subject
	policy *Compiled
	roles  []Role // in the order of their names
	writes []Verb // that any of them grants on some table
	hidden map[string]bool
	full   query.Catalog
	first  atomic.Pointer[[]query.Summary] // page of all tables that may be read, once it was asked for

	mu   sync.Mutex
	memo map[string]*Grant
}

// Grant is what the person may do to one table.
type Grant struct {
	Rights
	Full *query.Table // as the host has it, hidden fields with it: for the guard alone

	g     *Grants
	rules atomic.Pointer[rules]
	shown atomic.Pointer[query.Table] // as the person may see it, once it was asked for
	label atomic.Pointer[label]
}

// rules are the conditions on the records of one table, by verb: bound; nil means every record.
type rules struct{ before, after map[Verb]query.Expr }

// Before is the rule about a record as it is: to read, update or delete it. It is bound; nil means every record.
func (t *Grant) Before(v Verb) query.Expr { return t.rules.Load().before[v] }

// After is the rule about a record as it becomes: created or updated. It is bound; nil means every record.
func (t *Grant) After(v Verb) query.Expr { return t.rules.Load().after[v] }

// Sees says whether a field may be read.
func (t *Grant) Sees(field string) bool { return t.g.sees(t.Full.Name, t.Read, field) }

func (g *Grants) sees(table string, read Fields, field string) bool {
	return read.Has(field) && !g.hidden[table+"."+field]
}

// mentions says, without asking the host, whether any role may read a table, or a view, of this name.
func (g *Grants) mentions(table string, view bool) bool {
	return slices.ContainsFunc(g.roles, func(r Role) bool {
		a, ok := r.access(table, view)
		return ok && a.allows(Read)
	})
}

// Writable says whether any table is granted the verb: each call is looked at anyway.
func (g *Grants) Writable(v Verb) bool { return slices.Contains(g.writes, v) }

// Rights is what may be done to one table; *Unknown where it is not there or may not be read. Rules are not looked at.
func (g *Grants) Rights(ctx context.Context, name string) (Rights, error) {
	t, err := g.grant(ctx, name)
	if err != nil {
		return Rights{}, err
	}
	return t.Rights, nil
}

// Table resolves one table with its rules; *Unknown where it is not there or may not be read.
func (g *Grants) Table(ctx context.Context, name string) (*Grant, error) {
	t, err := g.grant(ctx, name)
	if err != nil || t.rules.Load() != nil {
		return t, err
	}
	r, err := g.compiled(ctx, t.Full)
	if err != nil {
		return nil, err
	}
	t.rules.Store(r)
	return t, nil
}

// grant resolves the rights to one table: its rules are not there yet.
func (g *Grants) grant(ctx context.Context, name string) (*Grant, error) {
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
	t := g.resolve(full)
	if t.Read.None() {
		return nil, &Unknown{Table: name}
	}
	g.memo[name] = t
	return t, nil
}

func (g *Grants) resolve(full *query.Table) *Grant {
	t := &Grant{g: g, Full: full}
	t.Limited = true
	for _, r := range g.roles {
		a, ok := r.access(full.Name, full.View)
		if !ok {
			continue
		}
		t.Read, t.Create, t.Update = t.Read.union(a.Read), t.Create.union(a.Create), t.Update.union(a.Update)
		t.Delete = t.Delete || a.Delete
		t.Limited = t.Limited && !(a.allows(Read) && a.Rows == "")
	}
	for _, f := range []*Fields{&t.Read, &t.Create, &t.Update} { // what is hidden is not even named
		f.Names = slices.DeleteFunc(f.Names, func(n string) bool { return !t.Sees(n) })
	}
	if full.View || len(full.Key) == 0 {
		t.Create, t.Update, t.Delete = Fields{}, Fields{}, false
	}
	return t
}

// reading is what may be read of a table that another one leads to. The host is asked only where the roles cannot tell without it: whether a
// table that none of them names is a view.
func (g *Grants) reading(ctx context.Context, name string) Fields {
	var out Fields
	for _, r := range g.roles {
		a, named := r.Tables[name]
		if everyBase := r.Tables["*"]; !named && everyBase.allows(Read) {
			t, err := g.grant(ctx, name)
			if err != nil {
				return Fields{}
			}
			return t.Read
		}
		out = out.union(a.Read)
	}
	out.Names = slices.DeleteFunc(out.Names, func(n string) bool { return !g.sees(name, out, n) })
	return out
}

// compiled are the rules of a table. One text is compiled once, however many verbs it is about.
func (g *Grants) compiled(ctx context.Context, full *query.Table) (*rules, error) {
	out := &rules{before: map[Verb]query.Expr{}, after: map[Verb]query.Expr{}}
	done := map[string]query.Expr{}
	for _, v := range verbs() {
		var err error
		if out.before[v], err = g.united(ctx, full, v, func(a Access) string { return a.Rows }, done); err != nil {
			return nil, err
		}
		if out.after[v], err = g.united(ctx, full, v, Access.after, done); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// united joins by or the rules of the roles that grant a verb; nil where one of them has no rule: every record.
func (g *Grants) united(ctx context.Context, t *query.Table, v Verb, rule func(Access) string, done map[string]query.Expr) (query.Expr, error) {
	var all []query.Expr
	for _, r := range g.roles {
		a, ok := r.access(t.Name, t.View)
		if !ok || !a.allows(v) {
			continue
		}
		text := rule(a)
		if text == "" {
			return nil, nil
		}
		e, ok := done[text]
		if !ok {
			var err error
			if e, err = g.compile(ctx, t.Name, text); err != nil {
				return nil, err
			}
			done[text] = e
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
	src, ok := g.policy.sources[text]
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
