package hosttest

import (
	"context"
	"slices"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
	"example.com/deputy/store/memory"
	"example.com/deputy/toolset/records"
)

// search looks for texts of the whole world, those that the person may not read among them. The answers must be those of a host that has
// nothing else than what the policy leaves, to somebody who may read all of it: rows, how many there are, and whether there are more.
func (g *guarded) search(w *querytest.World, n int) {
	var qs []question
	for range n {
		t := w.Tables[g.r.IntN(len(w.Tables))]
		term, limit := g.text(w), []int{1, 2, 100}[g.r.IntN(3)]
		arguments := map[string]any{"term": term, "limit": limit}
		switch g.r.IntN(3) {
		case 0:
			qs = append(qs, question{call: scripted.Call{Tool: "search_records", Arguments: arguments}})
		case 1:
			arguments["tables"] = []string{t.Name}
			qs = append(qs, question{call: scripted.Call{Tool: "search_records", Arguments: arguments}})
		default:
			arguments["table"], arguments["field"] = t.Name, t.Fields[g.r.IntN(len(t.Fields))].Name
			if g.r.IntN(2) == 0 {
				delete(arguments, "term")
			}
			qs = append(qs, question{call: scripted.Call{Tool: "list_possible_values", Arguments: arguments}})
		}
	}
	meant := g.alone(w.Now)
	g.run(qs)
	meant.run(qs)
	for i, q := range qs {
		_, count, _ := strings.Cut(g.texts[i], `"returned":`)
		_, want, _ := strings.Cut(meant.texts[i], `"returned":`)
		got, all := g.sorted(i), meant.sorted(i)
		whole := strings.Contains(want, `"has_more":false`)
		if count != want || len(got) != len(all) || whole && !slices.Equal(got, all) {
			g.Errorf("%v\n got %s\nwant %s", q.call, g.texts[i], meant.texts[i])
		}
	}
}

// sorted are the rows of an answer in no order.
func (g *guarded) sorted(i int) []string {
	rows, _ := g.found(i)
	return sorted(rows)
}

// text is a part of a title or a code.
func (g *guarded) text(w *querytest.World) string {
	t := w.Tables[g.r.IntN(len(w.Tables))]
	if rows := w.Rows[t.Name]; len(rows) > 0 {
		row := rows[g.r.IntN(len(rows))]
		name := []string{"title", "code", "size"}[g.r.IntN(3)]
		if text, ok := query.FormatValue(row[name]); ok && strings.TrimSpace(text) != "" {
			rs := []rune(text)
			from := g.r.IntN(len(rs))
			return string(rs[from : from+1+g.r.IntN(len(rs)-from)])
		}
	}
	return "a"
}

// alone is somebody who may read everything in a host that holds only what the policy leaves.
func (g *guarded) alone(now time.Time) *guarded {
	var tables []query.Table
	read := map[string]deputy.Access{}
	for _, t := range g.seen.Tables {
		c := *t
		gone := func(name string) bool {
			_, ok := c.Field(name)
			return !ok
		}
		c.Search = slices.DeleteFunc(slices.Clone(c.Search), gone)
		if slices.ContainsFunc(c.Key, gone) {
			c.Key = nil
		}
		tables, read[c.Name] = append(tables, c), deputy.Access{Read: deputy.Fields{All: true}}
	}
	out := &guarded{T: g.T, who: deputy.Person{Issuer: "test", ID: "bob", Roles: []string{"all"}, Zone: g.who.Zone}}
	a, err := deputy.New(context.Background(), deputy.Config{Host: New(tables, g.seen.Rows), Models: []deputy.Model{scripted.New(out.answer)}, Store: memory.New(),
		Policy:   deputy.Policy{Roles: map[string]deputy.Role{"all": {Tools: []string{"*"}, Tables: read}}},
		Toolsets: []deputy.Toolset{records.New(records.Config{})}, Clock: func() time.Time { return now }, Limits: deputy.Limits{ToolCalls: 1000, TurnsPerMinute: -1}})
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() { _ = a.Close() })
	out.door = a.Door(deputy.Embedded)
	return out
}
