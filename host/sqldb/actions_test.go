package sqldb_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
	"example.com/deputy/toolset/actions"
)

func TestRandomActions(t *testing.T) {
	t.Parallel()
	randomActions(t, 25, func(t testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host {
		return open(t, sqldb.Config{URL: "sqlite:" + build(t, tables, rows)})
	})
}

func TestPostgresRandomActions(t *testing.T) {
	t.Parallel()
	randomActions(t, 10, openPostgres)
}

func TestMariaRandomActions(t *testing.T) {
	t.Parallel()
	randomActions(t, 10, openMaria)
}

// randomActions holds a host against the meaning of the language: random actions over random worlds, by somebody with random rules. What is
// proposed, what is refused, and what is there in the end are the same.
func randomActions(t *testing.T, worlds int, open hosttest.Open) {
	proposed, tried := 0, 0
	for n := range worlds {
		r := rand.New(rand.NewPCG(7, uint64(n)))
		w := querytest.NewWorld(r)
		var tables []query.Table
		for _, table := range w.Tables {
			if table.Key[0] == "id" {
				table.Fields[0].Generated = true
			}
			tables = append(tables, *table)
		}
		acts := randomWays(t, r, w)
		rules := randomRules(r, w, acts)
		meaning, host := acting(t, hosttest.New(tables, w.Rows), rules, acts, w), acting(t, open(t, tables, w.Rows), rules, acts, w)
		for _, name := range sortedNames(acts) {
			for id := range len(w.Rows[acts[name].Table]) { // a new record has another id on each host
				call := deputytest.Call(name, fmt.Sprintf(`{"id":"%d","word":"Open","n":%d}`, id+1, r.IntN(5)))
				tried++
				want, got := meaning.try(call), host.try(call)
				if got != want {
					t.Fatalf("world %d, %s of %d: %+v\nrules %+v\ngot  %s\nwant %s", n, name, id+1, acts[name], rules.Roles["r"].Tables, got, want)
				}
				if !strings.HasPrefix(want, string(deputy.Proposed)) {
					continue
				}
				proposed++
				if got, now := host.everything(w), meaning.everything(w); got != now {
					t.Fatalf("world %d, %s of %d: %+v\n%s\nhas  %s\nwant %s", n, name, id+1, acts[name], want, got, now)
				}
			}
		}
	}
	t.Logf("%d of %d proposed", proposed, tried)
	if proposed < worlds {
		t.Errorf("only %d proposals in %d worlds", proposed, worlds)
	}
}

func sortedNames(acts map[string]actions.Action) (out []string) {
	for name := range acts {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// randomWays are up to six actions that have no mistake.
func randomWays(t *testing.T, r *rand.Rand, w *querytest.World) map[string]actions.Action {
	t.Helper()
	out := map[string]actions.Action{}
	for i := range 60 {
		table := w.Tables[r.IntN(len(w.Tables))]
		a := actions.Action{Label: "Do it", Table: table.Name, Set: randomValues(r, w, table.Name, table, r.IntN(3)),
			Parameters: map[string]query.Parameter{"word": {Type: query.String}, "n": {Type: query.Int}}}
		if r.IntN(2) == 0 {
			a.When = w.Condition(r, table.Name, 2)
		}
		if r.IntN(3) == 0 {
			made := w.Tables[r.IntN(len(w.Tables))]
			a.Then = append(a.Then, actions.Step{Create: &actions.Create{Table: made.Name, Values: randomValues(r, w, table.Name, made, 1+r.IntN(3))}})
		}
		for _, rel := range table.Relations {
			if child, _ := w.Tables.Table(t.Context(), rel.Table); rel.Many && r.IntN(2) == 0 {
				u := actions.Update{Children: rel.Name, Set: randomValues(r, w, child.Name, child, 1+r.IntN(2))}
				if r.IntN(2) == 0 {
					u.Where = w.Condition(r, child.Name, 1)
				}
				a.Then = append(a.Then, actions.Step{Update: &u})
			}
		}
		if _, err := actions.New(t.Context(), w.Tables, map[string]actions.Action{"x": a}); err == nil && table.Key[0] == "id" && len(out) < 6 {
			out[fmt.Sprintf("a%d", i)] = a
		}
	}
	return out
}

// randomValues are expressions for some fields.
func randomValues(r *rand.Rand, w *querytest.World, about string, t *query.Table, n int) map[string]string {
	out := map[string]string{}
	for range n {
		f := t.Fields[r.IntN(len(t.Fields))]
		switch {
		case f.Secret || slices.Contains(t.Key, f.Name):
		case f.Values != nil:
			out[f.Name] = "parameters.word"
		case strings.HasSuffix(f.Name, "_id"):
			out[f.Name] = []string{"parameters.n", "null", "1"}[r.IntN(3)]
		case f.Type == query.Dec:
			v := "(" + w.Value(r, about, f.Type, 1) + ")"
			out[f.Name] = "abs(" + v + ") < 100000 ? round(" + v + ", 2) : null" // what a column of the host can keep
		default:
			out[f.Name] = w.Value(r, about, f.Type, 1)
		}
	}
	return out
}

// randomRules let somebody read most, under rules, and write nothing.
func randomRules(r *rand.Rand, w *querytest.World, acts map[string]actions.Action) deputy.Policy {
	role := deputy.Role{Tools: []string{"*"}, Actions: sortedNames(acts), Tables: map[string]deputy.Access{}}
	rules := w.Rules(r, 1)
	for _, t := range w.Tables {
		role.Tables[t.Name] = deputy.Access{Read: deputy.Fields{All: true}, Rows: rules[t.Name]}
		if f := t.Fields[r.IntN(len(t.Fields))]; r.IntN(4) == 0 && !slices.Contains(t.Key, f.Name) {
			role.Hide = append(role.Hide, t.Name+"."+f.Name)
		}
	}
	return deputy.Policy{Roles: map[string]deputy.Role{"r": role}}
}

// actor is an assistant over one host.
type actor struct {
	*deputytest.Desk
	t    *testing.T
	host deputy.Host
	who  deputy.Caller
}

func acting(t *testing.T, host deputy.Host, rules deputy.Policy, acts map[string]actions.Action, w *querytest.World) actor {
	t.Helper()
	full, err := host.Catalog(t.Context(), deputy.Person{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := actions.New(t.Context(), full, acts)
	if err != nil {
		t.Fatal(err)
	}
	a := actor{deputytest.New(t, deputytest.Config{Host: host, Policy: rules, Toolsets: []deputy.Toolset{set}, Now: w.Now}), t, host, deputytest.Person("ann", "r")}
	a.who.Person.Zone = w.Zone
	return a
}

// try proposes and confirms, and says what came of it.
func (a actor) try(call scripted.Answer) string {
	a.t.Helper()
	turn := a.Run(a.who, call)
	out := string(turn.Outcomes[0])
	if len(turn.Proposals) == 0 {
		return out + refusal(turn.Results[0])
	}
	for _, l := range turn.Proposals[0].Lines {
		out += fmt.Sprintf("\n%s %s %s %s: %s > %s", l.Verb, l.Table, l.Record, l.Field, side(l.Before), side(l.After))
	}
	d, err := a.Confirm(a.who, turn.Proposals...)
	if err != nil {
		a.t.Fatalf("%v after %s", err, out)
	}
	return out + "\n" + string(d.Proposals[0].State)
}

// refusal is the kind of a sentence, without what it quotes.
func refusal(text string) string {
	for _, kind := range []string{"Unknown tool", "No such record", "is not possible for", "Nothing would change", "twice", "needs a value", "at most"} {
		if strings.Contains(text, kind) {
			return ": " + kind
		}
	}
	return ": " + text
}

// side is a value, numbers without the zeros that say nothing.
func side(text *string) string {
	if text == nil {
		return "NULL"
	}
	if whole, digits, ok := strings.Cut(*text, "."); ok && strings.Trim(digits, "0123456789") == "" {
		return strings.TrimSuffix(whole+"."+strings.TrimRight(digits, "0"), ".")
	}
	return *text
}

// everything is what all tables hold, but for the ids of new records.
func (a actor) everything(w *querytest.World) string {
	a.t.Helper()
	var all []string
	for _, t := range w.Tables {
		q := query.Query{Table: t.Name, Limit: 1000}
		for _, f := range t.Fields {
			if !f.Secret {
				q.Select = append(q.Select, query.Column{As: f.Name, Expr: query.Ref{Table: t.Name, Field: f}})
			}
		}
		rows, err := a.host.Query(a.t.Context(), a.who.Person, q)
		if err != nil {
			a.t.Fatal(err)
		}
		var lines []string
		for _, row := range rows.Rows {
			line := t.Name
			for i, v := range row {
				text, ok := query.FormatValue(v)
				if id, isInt := v.(int64); isInt && q.Select[i].As == "id" && id > int64(len(w.Rows[t.Name])) {
					text = "new"
				}
				if line += "|"; ok {
					line += side(&text)
				}
			}
			lines = append(lines, line)
		}
		slices.Sort(lines)
		all = append(all, lines...)
	}
	return strings.Join(all, "\n")
}
