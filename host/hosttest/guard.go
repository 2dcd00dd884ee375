package hosttest

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
	"example.com/deputy/store/memory"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/records"
)

// Guard tests the guard against a model of itself: random policies, random well-formed questions and analyses, random small databases. What
// comes back through the tools, and in which order, must be what query.Eval says over only the rows and fields that the policy leaves.
//
// Each world is made of a seed, which is told where one fails: DEPUTY_SEED=42 asks that world alone. DEPUTY_GUARD=10m asks other worlds than
// those of every day, for so long.
func Guard(t *testing.T, open Open, worlds, questions int) {
	for seed := range seedsFor(t, worlds) {
		if guardWorld(t, open, seed, questions); t.Failed() {
			return
		}
	}
}

func guardWorld(t *testing.T, open Open, seed uint64, questions int) {
	g := &guarded{T: t, r: rand.New(rand.NewPCG(seed, 7))}
	defer func() {
		if t.Failed() {
			t.Logf("this was the world of DEPUTY_SEED=%d, asked as %v under\n%s", seed, g.who.Roles, g.rules)
		}
	}()
	g.open(open)
	if len(g.seen.Tables) > 0 {
		g.ask(questions)
		g.search(g.full, questions/2)
	}
}

// seedsFor are the seeds of a run: 0 to n-1, or what the environment says.
func seedsFor(t *testing.T, n int) iter.Seq[uint64] {
	if text := os.Getenv("DEPUTY_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("DEPUTY_SEED: %v", err)
		}
		return func(yield func(uint64) bool) { yield(seed) }
	}
	if text := os.Getenv("DEPUTY_GUARD"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("DEPUTY_GUARD: %v", err)
		}
		return seedsUntil(t, time.Now().Add(d))
	}
	return func(yield func(uint64) bool) {
		for seed := range uint64(n) {
			if !yield(seed) {
				return
			}
		}
	}
}

// seedsUntil are seeds from one that the clock gives, so that every run asks other worlds.
func seedsUntil(t *testing.T, end time.Time) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		seed, n := uint64(time.Now().UnixNano()), 0
		for time.Now().Before(end) && yield(seed) {
			seed, n = seed+1, n+1
		}
		t.Logf("%d worlds", n)
	}
}

// guarded is a person before a host, and what they may see of it, worked out without the guard.
type guarded struct {
	*testing.T
	r    *rand.Rand
	who  deputy.Person
	full *querytest.World
	seen querytest.World // the catalog and the rows that the policy leaves
	door *deputy.Door

	rules []byte // for people

	calls []scripted.Call
	texts []string
}

// open makes a world, and an assistant over it.
func (g *guarded) open(open Open) {
	w := querytest.NewWorld(g.r)
	var tables []query.Table
	for _, table := range w.Tables {
		tables = append(tables, *table)
	}
	host := open(g.T, tables, w.Rows)
	g.full, g.who = w, deputy.Person{Issuer: "test", ID: "ann", Zone: w.Zone, Attributes: map[string]string{"text": "a", "number": "2", "flag": "true"}}
	policy := g.policy(w)
	g.rules, _ = json.MarshalIndent(policy.Roles, "", "  ")
	for _, role := range slices.Sorted(maps.Keys(policy.Roles)) {
		if len(g.who.Roles) == 0 || g.r.IntN(2) == 0 {
			g.who.Roles = append(g.who.Roles, role)
		}
	}
	g.seen = querytest.World{Zone: w.Zone, Now: w.Now, Rows: g.rows(w, policy), Tables: g.catalog(host, policy)}
	a, err := deputy.New(context.Background(), deputy.Config{Host: host, Models: []deputy.Model{scripted.New(g.answer)}, Store: memory.New(), Policy: policy,
		Toolsets: []deputy.Toolset{records.New(records.Config{}), analysis.New()}, Clock: func() time.Time { return w.Now }, Limits: deputy.Limits{ToolCalls: 1000, TurnsPerMinute: -1}})
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() { _ = a.Close() })
	g.door = a.Door(deputy.Embedded)
}

// policy is one to three roles, each with rules for some tables, fields for others, and something hidden.
func (g *guarded) policy(w *querytest.World) deputy.Policy {
	p := deputy.Policy{Roles: map[string]deputy.Role{}}
	for i := range 1 + g.r.IntN(3) {
		role := deputy.Role{Tools: []string{"*"}, Tables: map[string]deputy.Access{}}
		rules := w.Rules(g.r, 2)
		for _, t := range w.Tables {
			if g.r.IntN(5) == 0 {
				continue
			}
			a := deputy.Access{Read: deputy.Fields{All: true}, Rows: g.personal(t, rules[t.Name])}
			if g.r.IntN(4) == 0 {
				a.Read = deputy.Fields{Names: g.part(t)}
			}
			role.Tables[t.Name] = a
			if g.r.IntN(3) == 0 {
				role.Hide = append(role.Hide, t.Name+"."+t.Fields[g.r.IntN(len(t.Fields))].Name)
			}
		}
		p.Roles[fmt.Sprintf("role%d", i)] = role
	}
	return p
}

// personal makes some rules of the person: of an attribute that they have, of one that no field of its type can take, of one that nobody has.
func (g *guarded) personal(t *query.Table, rule string) string {
	if g.r.IntN(4) > 0 {
		return rule
	}
	f := t.Fields[g.r.IntN(len(t.Fields))]
	of := map[query.Type]string{query.String: "text", query.Int: "number", query.Dec: "number", query.Bool: "flag"}[f.Type]
	switch {
	case of == "" || f.Secret:
		return `"role1" in person.roles || person.id == "bob"`
	case f.Values != nil:
		of = "text"
	}
	of = pick(g.r, []string{of, of, "text", "nowhere"})
	own := f.Name + pick(g.r, []string{" == ", " != "}) + "person.attributes." + of
	if rule == "" {
		return own
	}
	return own + pick(g.r, []string{" || ", " && "}) + "(" + rule + ")"
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func (g *guarded) part(t *query.Table) (names []string) {
	for _, f := range t.Fields {
		if g.r.IntN(3) > 0 {
			names = append(names, f.Name)
		}
	}
	return append(names, t.Fields[0].Name)
}

// mine are the accesses that the person's roles give to a table.
func (g *guarded) mine(p deputy.Policy, table string) (out []deputy.Access, hidden map[string]bool) {
	hidden = map[string]bool{}
	for _, name := range g.who.Roles {
		if a, ok := p.Roles[name].Tables[table]; ok {
			out = append(out, a)
		}
		for _, h := range p.Roles[name].Hide {
			hidden[h] = true
		}
	}
	return out, hidden
}

// rows are the rows that one of the person's roles leaves; a rule sees all rows.
func (g *guarded) rows(w *querytest.World, p deputy.Policy) querytest.Rows {
	out := querytest.Rows{}
	for _, t := range w.Tables {
		accesses, _ := g.mine(p, t.Name)
		for _, row := range w.Rows[t.Name] {
			if slices.ContainsFunc(accesses, func(a deputy.Access) bool { return g.leaves(w, t.Name, a.Rows, row) }) {
				out[t.Name] = append(out[t.Name], row)
			}
		}
	}
	return out
}

func (g *guarded) leaves(w *querytest.World, table, rule string, row query.Row) bool {
	if rule == "" {
		return true
	}
	src, err := query.Parse(rule)
	if err != nil {
		g.Fatal(err)
	}
	env := w.Env(table)
	env.Params = []string{"person"}
	e, err := query.Condition(context.Background(), env, src)
	if err != nil {
		g.Fatal(rule, err)
	}
	e, missing := query.Bind(e, g.who.Lookup)
	return !missing && query.Truth(query.Eval(e, row, w.Rows.Data))
}

// catalog is what is left of the host's own.
func (g *guarded) catalog(host deputy.Host, p deputy.Policy) (out querytest.Tables) {
	full, err := host.Catalog(context.Background(), g.who)
	if err != nil {
		g.Fatal(err)
	}
	page, err := full.Tables(context.Background(), "", "")
	if err != nil {
		g.Fatal(err)
	}
	visible := map[string]bool{} // tables, and table.field
	var tables []*query.Table
	for _, s := range page {
		t, err := full.Table(context.Background(), s.Name)
		if err != nil {
			g.Fatal(err)
		}
		tables = append(tables, t)
		g.show(visible, t, p)
	}
	for _, t := range tables {
		if visible[t.Name] {
			out = append(out, left(t, visible))
		}
	}
	return out
}

func (g *guarded) show(visible map[string]bool, t *query.Table, p deputy.Policy) {
	accesses, hidden := g.mine(p, t.Name)
	visible[t.Name] = len(accesses) > 0
	for _, a := range accesses {
		for _, f := range t.Fields {
			name := t.Name + "." + f.Name
			visible[name] = !hidden[name] && (visible[name] || a.Read.All || slices.Contains(a.Read.Names, f.Name))
		}
	}
}

// left is a table with its visible fields, and the relations whose fields are visible.
func left(t *query.Table, visible map[string]bool) *query.Table {
	c := *t
	c.Fields = slices.DeleteFunc(slices.Clone(t.Fields), func(f query.Field) bool { return !visible[t.Name+"."+f.Name] })
	c.Relations = slices.DeleteFunc(slices.Clone(t.Relations), func(r query.Relation) bool {
		gone := !visible[r.Table]
		for i := range r.From {
			gone = gone || !visible[t.Name+"."+r.From[i]] || r.Many && !visible[r.Table+"."+r.To[i]]
		}
		return gone
	})
	return &c
}
