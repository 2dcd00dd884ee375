package hosttest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/store/memory"
	"example.com/deputy/toolset/records"
)

// testSearch asks the tools that look for texts, over the host and over a host in memory that has its catalog and its rows: for people who
// may read everything and some, the answers are the same, byte for byte, whatever is looked for.
func testSearch(t *testing.T, open Open) {
	tables, rows := sample()
	tables[0].Search = []string{"name", "email"} // of customers, for a host that reads its tables from here
	for i, name := range []string{"Zoë 👩‍🚀 Café", "zero\u200bwidth", "Beta Ærlig", "50", "back\\slash", "Straße"} {
		rows["customers"] = append(rows["customers"], query.Row{"id": int64(20 + i), "name": name, "email": strings.Repeat("long ", 60*i) + name, "region_code": "N"})
	}
	host := open(t, tables, rows)
	fake := New(catalogued(t, host, tables), rows)
	for role, most := range map[string]int{"all": 12, "some": 8} {
		real, meant := searching(t, host, role), searching(t, fake, role)
		questions := searches()
		real.run(questions)
		meant.run(questions)
		found := 0
		for i, q := range questions {
			if real.texts[i] != meant.texts[i] {
				raw, _ := json.Marshal(q.call)
				t.Errorf("%s: %s\n got %s\nwant %s", role, raw, real.texts[i], meant.texts[i])
			}
			if n := len(real.sorted(i)); n > 0 && !strings.HasPrefix(real.texts[i], "Error") {
				found++
			}
			for _, hidden := range []string{"South", "example.com", "BETA", "slash"} {
				if role == "some" && strings.Contains(real.texts[i], hidden) {
					t.Errorf("%v shows %s", q.call, real.texts[i])
				}
			}
		}
		if found < most {
			t.Errorf("%s: only %d of %d questions found anything", role, found, len(questions))
		}
	}
}

// catalogued are the tables as the host offers them.
func catalogued(t *testing.T, host deputy.Host, tables []query.Table) (out []query.Table) {
	c, err := host.Catalog(context.Background(), deputy.Person{})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		got, err := c.Table(context.Background(), table.Name)
		if err != nil {
			t.Fatal(err)
		}
		if table.Name == "customers" && len(got.Search) == 0 {
			t.Error("the host says nothing of what a search of customers looks in")
		}
		out = append(out, *got)
	}
	return out
}

// searching is a person who asks a host: one who may read everything, or one who may read customers of the north without their addresses,
// and their orders.
func searching(t *testing.T, host deputy.Host, role string) *guarded {
	read := deputy.Fields{All: true}
	policy := deputy.Policy{Roles: map[string]deputy.Role{
		"all": {Tools: []string{"*"}, Tables: map[string]deputy.Access{"*": {Read: read}, "events": {Read: read}}},
		"some": {Tools: []string{"*"}, Hide: []string{"customers.email", "customers.profile"}, Tables: map[string]deputy.Access{
			"customers": {Read: read, Rows: `region_code == "N" && !name.contains("\\")`}, "orders": {Read: read, Rows: `customer.region_code == "N"`}}},
	}}
	g := &guarded{T: t, who: deputy.Person{Issuer: "test", ID: "ann", Roles: []string{role}}}
	a, err := deputy.New(context.Background(), deputy.Config{Host: host, Models: []deputy.Model{scripted.New(g.answer)}, Store: memory.New(), Policy: policy,
		Toolsets: []deputy.Toolset{records.New(records.Config{})}, Limits: deputy.Limits{ToolCalls: 1000, TurnsPerMinute: -1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	g.door = a.Door(deputy.Embedded)
	return g
}

// searches are what people look for, and what they should not.
func searches() (out []question) {
	ask := func(tool string, arguments map[string]any) {
		out = append(out, question{call: scripted.Call{Tool: tool, Arguments: arguments}})
	}
	for _, term := range []string{"beta", "BETA", "ærlig", "ÆRLIG as", "straße", "STRASSE", "50%", "50", "%", "_", "50%_x", `\`, `back\s`, "'", `"quoted"`, "'; DROP TABLE customers --",
		"👩‍🚀", "zoë café", "zero\u200bwidth", "zerowidth", "\u200bbeta\u200b", "\u200b", "\x00", "a\x00b", " ", "", strings.Repeat("x", 10<<10), strings.Repeat("long ", 9), "i̇", "KELVİN",
		"aerlig.example", "x y z w v u t s r q p", "n", "S", "9223372036854775807", "-1", "1e3"} {
		ask("search_records", map[string]any{"term": term})
		ask("search_records", map[string]any{"term": term, "tables": []string{"customers"}, "limit": 2})
		ask("list_possible_values", map[string]any{"table": "customers", "field": "region_code", "term": term})
		ask("list_possible_values", map[string]any{"table": "customers", "field": "parent_id", "term": term, "limit": 3})
	}
	ask("search_records", map[string]any{"term": "bolt", "tables": []string{"lines"}})
	ask("search_records", map[string]any{"term": "a", "tables": []string{"customers", "orders"}})
	for _, field := range []string{"status", "customer_id", "total", "nothing"} {
		ask("list_possible_values", map[string]any{"table": "orders", "field": field})
	}
	return out
}
