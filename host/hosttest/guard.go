package hosttest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/internal/decimal"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
	"example.com/deputy/store/memory"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/records"
)

// Guard tests the guard against a model of itself: random policies, random well-formed questions, random small databases. What comes back
// through the tools must be what query.Eval says over only the rows and fields that the policy leaves.
func Guard(t *testing.T, open Open, worlds, questions int) {
	for seed := range uint64(worlds) {
		g, w := newGuarded(t, open, rand.New(rand.NewPCG(seed, 7)))
		if len(g.seen.Tables) > 0 {
			g.ask(questions)
			g.search(w, questions/2)
		}
		if t.Failed() {
			t.Fatalf("world %d", seed)
		}
	}
}

// guarded is a person before a host, and what they may see of it, worked out without the guard.
type guarded struct {
	*testing.T
	r    *rand.Rand
	who  deputy.Person
	seen querytest.World // the catalog and the rows that the policy leaves
	door *deputy.Door

	calls []scripted.Call
	texts []string
}

func newGuarded(t *testing.T, open Open, r *rand.Rand) (*guarded, *querytest.World) {
	w := querytest.NewWorld(r)
	var tables []query.Table
	for _, table := range w.Tables {
		tables = append(tables, *table)
	}
	host := open(t, tables, w.Rows)
	g := &guarded{T: t, r: r, who: deputy.Person{Issuer: "test", ID: "ann", Zone: w.Zone}}
	policy := g.policy(w)
	for _, role := range slices.Sorted(maps.Keys(policy.Roles)) {
		if len(g.who.Roles) == 0 || r.IntN(2) == 0 {
			g.who.Roles = append(g.who.Roles, role)
		}
	}
	g.seen = querytest.World{Zone: w.Zone, Now: w.Now, Rows: g.rows(w, policy), Tables: g.catalog(host, policy)}
	a, err := deputy.New(context.Background(), deputy.Config{Host: host, Models: []deputy.Model{scripted.New(g.answer)}, Store: memory.New(), Policy: policy,
		Toolsets: []deputy.Toolset{records.New(records.Config{}), analysis.New()}, Clock: func() time.Time { return w.Now }, Limits: deputy.Limits{ToolCalls: 1000, TurnsPerMinute: -1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	g.door = a.Door(deputy.Embedded)
	return g, w
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
			a := deputy.Access{Read: deputy.Fields{All: true}, Rows: rules[t.Name]}
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
	e, err := w.Check(table, rule, true)
	if err != nil {
		g.Fatal(err)
	}
	return query.Truth(query.Eval(e, row, w.Rows.Data))
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

// question is a call and the rows that must come back.
type question struct {
	call scripted.Call
	want []string
	bare bool // labels beside foreign keys are left out
}

// ask puts questions, all in one turn.
func (g *guarded) ask(n int) {
	var qs []question
	for range n {
		t := g.seen.Tables[g.r.IntN(len(g.seen.Tables))]
		if len(t.Fields) == 0 {
			continue
		}
		where := g.seen.Condition(g.r, t.Name, 3)
		switch g.r.IntN(6) {
		case 0:
			qs = append(qs, g.count(t, where))
		case 1:
			qs = append(qs, g.whole(t, where))
		case 2, 3:
			qs = append(qs, g.analyzed(t))
		default:
			types := querytest.Types()
			qs = append(qs, g.chosen(t, where, g.seen.Value(g.r, t.Name, types[g.r.IntN(len(types))], 3)))
		}
	}
	g.run(qs)
	for i, q := range qs {
		if got := g.foundIn(i, q.bare); !slices.Equal(got, q.want) {
			raw, _ := json.Marshal(q.call)
			g.Errorf("%s\n got %s\nwant %s\n%s", raw, got, q.want, g.texts[i])
		}
	}
}

func (g *guarded) run(qs []question) {
	g.calls, g.texts = nil, nil
	for _, q := range qs {
		g.calls = append(g.calls, q.call)
	}
	for e, err := range g.door.Turn(context.Background(), deputy.Caller{Person: g.who}, deputy.TurnInput{Text: "ask"}) {
		if err != nil {
			g.Fatal(err)
		}
		if e.Name == deputy.EventTurnFinished && !strings.Contains(string(e.Data), `"answered"`) {
			g.Fatal(string(e.Data))
		}
	}
	if len(g.texts) != len(qs) {
		g.Fatalf("%d answers to %d questions", len(g.texts), len(qs))
	}
}

func (g *guarded) answer(r deputy.Request) scripted.Answer {
	if scripted.Step(r) == 1 {
		return scripted.Answer{Calls: g.calls}
	}
	g.texts = scripted.Results(r)
	return scripted.Answer{Text: "done"}
}

// found are the rows of an answer, sorted; its text where it is none.
func (g *guarded) found(i int) []string { return g.foundIn(i, false) }

// foundIn leaves out labels beside foreign keys where it is bare.
func (g *guarded) foundIn(i int, bare bool) []string {
	text := g.texts[i]
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	var r struct {
		Columns []struct{ Name string }
		Rows    [][]json.RawMessage
	}
	if from < 0 || json.Unmarshal([]byte(text[from:to+1]), &r) != nil {
		return []string{text}
	}
	out := []string{}
	for _, row := range r.Rows {
		var cells []string
		for j, cell := range row {
			if !bare || !strings.HasSuffix(r.Columns[j].Name, ".label") {
				cells = append(cells, string(cell))
			}
		}
		out = append(out, withoutZeros([]byte("["+strings.Join(cells, ",")+"]")))
	}
	slices.Sort(out)
	return out
}

// withoutZeros is a row in which no decimal ends with zeros after the point: an engine in which a computed column has one scale writes them.
func withoutZeros(row []byte) string {
	var cells []any
	d := json.NewDecoder(bytes.NewReader(row))
	d.UseNumber()
	if d.Decode(&cells) != nil {
		return string(row)
	}
	for i, c := range cells {
		text, _ := c.(string)
		if n, ok := decimal.Parse(text); ok {
			cells[i] = n.Trim().String()
		}
	}
	out, err := json.Marshal(cells)
	if err != nil {
		return string(row)
	}
	return string(out)
}

// holds are the rows of a table that meet a condition, as far as the person may know.
func (g *guarded) holds(table, where string) (out []query.Row) {
	e := g.check(table, where, true)
	for _, row := range g.seen.Rows[table] {
		if query.Truth(query.Eval(e, row, g.seen.Rows.Data)) {
			out = append(out, row)
		}
	}
	return out
}

func (g *guarded) check(table, text string, condition bool) query.Expr {
	e, err := g.seen.Check(table, text, condition)
	if err != nil {
		g.Fatalf("%s: %v", text, err)
	}
	return e
}

func (g *guarded) lines(rows []query.Row, columns ...query.Expr) []string {
	out := []string{}
	for _, row := range rows {
		var cells []query.Value
		for _, c := range columns {
			cells = append(cells, query.Eval(c, row, g.seen.Rows.Data))
		}
		raw, err := json.Marshal(query.Cells(cells, g.seen.Zone))
		if err != nil {
			g.Fatal(err)
		}
		out = append(out, withoutZeros(raw))
	}
	slices.Sort(out)
	return out
}

func (g *guarded) count(t *query.Table, where string) question {
	return question{scripted.Call{Tool: "count_records", Arguments: map[string]any{"table": t.Name, "where": where}},
		[]string{fmt.Sprintf("[%d]", len(g.holds(t.Name, where)))}, false}
}

func (g *guarded) chosen(t *query.Table, where, value string) question {
	return question{scripted.Call{Tool: "query_records", Arguments: map[string]any{"table": t.Name, "where": where, "select": []string{"(" + value + ")"}, "order_by": []string{t.Fields[0].Name}}},
		g.lines(g.holds(t.Name, where), g.check(t.Name, value, false)), false}
}

// analyzed asks for figures.
func (g *guarded) analyzed(t *query.Table) question {
	asked := g.seen.Analysis(g.r, t.Name, 2)
	a, err := g.seen.CheckAnalysis(asked, nil)
	if err != nil {
		g.Fatal(err)
	}
	var measures []map[string]string
	for i, m := range asked.Measures {
		measures = append(measures, map[string]string{"as": fmt.Sprintf("m%d", i), "expr": m})
	}
	want := []string{}
	for _, row := range a.Eval(g.seen.Rows[t.Name], g.seen.Rows.Data).Rows {
		raw, err := json.Marshal(query.Cells(row, g.seen.Zone))
		if err != nil {
			g.Fatal(err)
		}
		want = append(want, withoutZeros(raw))
	}
	slices.Sort(want)
	return question{scripted.Call{Tool: "analyze_records", Arguments: map[string]any{"table": asked.Table, "where": asked.Where, "group_by": asked.GroupBy, "measures": measures,
		"having": asked.Having, "order_by": asked.OrderBy, "limit": asked.Limit}}, want, true}
}

// whole asks for every column: the visible fields, and the labels of what foreign keys lead to.
func (g *guarded) whole(t *query.Table, where string) question {
	var columns []query.Expr
	for _, f := range t.Fields {
		columns = append(columns, g.value(t, f))
		rel, ok := t.Parent(f.Name)
		if !ok || f.Secret {
			continue
		}
		parent, err := g.seen.Tables.Table(context.Background(), rel.Table)
		if err != nil {
			g.Fatal(err)
		}
		if label, err := g.seen.Check(parent.Name, parent.RecordLabel, false); parent.RecordLabel != "" && err == nil {
			columns = append(columns, query.Rebase(label, nil, []query.Relation{rel}))
		}
	}
	return question{scripted.Call{Tool: "query_records", Arguments: map[string]any{"table": t.Name, "where": where}}, g.lines(g.holds(t.Name, where), columns...), false}
}

// value is a field as it is returned: of a secret one, only whether it has a value.
func (g *guarded) value(t *query.Table, f query.Field) query.Expr {
	if !f.Secret {
		return query.Ref{Table: t.Name, Field: f}
	}
	return g.check(t.Name, fmt.Sprintf("%s != null ? %q : null", f.Name, deputy.HasValue), false)
}
