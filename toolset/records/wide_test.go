package records_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/query"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/records"
)

// counting is a host that notes which tables of its catalog are described, and how often tables are listed.
type counting struct {
	deputy.Host
	mu     sync.Mutex
	asked  map[string]int
	listed int
}

type counted struct {
	query.Catalog
	c *counting
}

func (c *counting) Catalog(ctx context.Context, as deputy.Person) (query.Catalog, error) {
	full, err := c.Host.Catalog(ctx, as)
	return counted{full, c}, err
}

func (c counted) Table(ctx context.Context, name string) (*query.Table, error) {
	c.c.mu.Lock()
	c.c.asked[name]++
	c.c.mu.Unlock()
	return c.Catalog.Table(ctx, name)
}

func (c counted) Tables(ctx context.Context, term, after string) ([]query.Summary, error) {
	c.c.mu.Lock()
	c.c.listed++
	c.c.mu.Unlock()
	return c.Catalog.Tables(ctx, term, after)
}

// forget gives which tables were asked for since the last time, by name, and begins anew.
func (c *counting) forget() (names []string, listed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	names, listed = slices.Sorted(maps.Keys(c.asked)), c.listed
	c.asked, c.listed = map[string]int{}, 0
	return names, listed
}

const wideTables = 500

func wideName(i int) string { return fmt.Sprintf("t_%03d", i) }

// wide is 500 tables of 50 fields. Each has a parent, and every table but the first 250 the parent t_010 besides; the first 40 are searched
// and have a value list. What stands in t_300 refers to t_100 and to t_010.
func wide(t testing.TB) (*counting, *deputytest.Desk) {
	t.Helper()
	made := make([]query.Table, wideTables)
	for i := range made {
		w := &made[i]
		*w = query.Table{Name: wideName(i), Label: wideName(i), Key: []string{"id"}, RecordLabel: "name", Fields: []query.Field{field("id", query.Int), field("name", query.String),
			field("parent_id", query.Int), field("hub_id", query.Int), field("owner", query.String)}}
		for n := len(w.Fields); n < 50; n++ {
			w.Fields = append(w.Fields, field(fmt.Sprintf("attribute_%02d", n), query.String))
		}
		if i < 40 || i == 300 {
			w.Search, w.Fields[5].Values = []string{"name"}, []string{"a", "b"}
		}
	}
	for i := 1; i < len(made); i++ {
		refers(made, i, i/3, "parent")
		if i >= 250 {
			refers(made, i, 10, "hub")
		}
	}
	c := &counting{Host: hosttest.New(made, map[string][]query.Row{
		"t_300": {{"id": int64(1), "name": "Ann", "parent_id": int64(2), "hub_id": int64(3), "owner": "wide"}}, "t_100": {{"id": int64(2), "name": "Up", "owner": "wide"}}, "t_010": {{"id": int64(3), "name": "Hub", "owner": "wide"}}}), asked: map[string]int{}}
	desk := deputytest.New(t, deputytest.Config{Host: c, Policy: widePolicy(), Toolsets: []deputy.Toolset{records.New(records.Config{}), analysis.New()}})
	c.forget() // what the start asked
	return c, desk
}

func refers(made []query.Table, from, to int, name string) {
	made[from].Relations = append(made[from].Relations, one(name, made[to].Name, name+"_id", "id"))
	made[to].Relations = append(made[to].Relations, many(made[from].Name+"_by_"+name+"_id", made[from].Name, "id", name+"_id"))
}

// widePolicy has one role that names no table, and one that names each, with a rule.
func widePolicy() deputy.Policy {
	p := deputytest.AllowAll("manager")
	clerk := deputy.Role{Tools: []string{"*"}, Tables: map[string]deputy.Access{}}
	for i := range wideTables {
		clerk.Tables[wideName(i)] = deputy.Access{Read: all(), Update: all(), Create: all(), Delete: true, Rows: `owner == person.id || parent.owner == person.id`}
	}
	clerk.Tables["t_000"] = deputy.Access{Read: all(), Update: all(), Rows: `owner == person.id`}
	p.Roles["clerk"] = clerk
	return p
}

// TestOneTableOfMany: a whole turn about one table asks the host for what that table is tied to at most, whatever else the host has. It counts
// the tables that the catalog was asked for, from the tools that are offered to the row in the log.
func TestOneTableOfMany(t *testing.T) {
	t.Parallel()
	tied := []string{"t_300", "t_100", "t_010", // what it is tied to
		"t_033", "t_003", // the parents of those, which the rules about them ask for
		"t_000", "t_001", "t_002"} // the first, and what that is tied to: looked at to see which tools are of use
	c, desk := wide(t)
	for _, tt := range []struct {
		role, tool, arguments string
	}{
		{"manager", "describe_table", `{"tables":["t_300"]}`},
		{"clerk", "describe_table", `{"tables":["t_300"]}`},
		{"clerk", "describe_table", `{"tables":["t_010"]}`}, // 250 tables refer to it
		{"manager", "count_records", `{"table":"t_300","where":"owner != null"}`},
		{"clerk", "query_records", `{"table":"t_300","where":"name == \"Ann\""}`},
		{"clerk", "query_records", `{"table":"t_300","select":["name","hub_id","hub.name"],"order_by":["parent.name"]}`},
		{"clerk", "get_record", `{"table":"t_300","id":"1"}`},
		{"clerk", "analyze_records", `{"table":"t_300","group_by":["hub_id"],"measures":[{"as":"n","expr":"count()"}]}`},
		{"clerk", "list_possible_values", `{"table":"t_300","field":"hub_id"}`},
		{"clerk", "search_records", `{"term":"ann","tables":["t_300"]}`},
		{"clerk", "update_record", `{"table":"t_300","id":"1","values":[{"field":"name","value":"Anna"}]}`},
	} {
		turn := desk.Run(deputytest.Person("wide", tt.role), call(tt.tool, tt.arguments))
		if turn.Outcomes[0] != deputy.Ran && turn.Outcomes[0] != deputy.Proposed {
			t.Fatalf("%s %s: %s", tt.tool, tt.arguments, turn.Results[0])
		}
		names, listed := c.forget()
		names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(tied, n) })
		if len(names) > 0 || listed > 20 {
			t.Errorf("%s: %s %s asked for %q besides, and for %d lists", tt.role, tt.tool, tt.arguments, names, listed)
		}
	}
}

// TestManyTablesAreListed: page after page, without a look at one of them, and with how many come after.
func TestManyTablesAreListed(t *testing.T) {
	t.Parallel()
	c, desk := wide(t)
	for _, role := range []string{"manager", "clerk"} {
		var all []string
		for after, more := "", wideTables; more > 0; {
			turn := desk.Run(deputytest.Person("wide", role), call("list_tables", fmt.Sprintf(`{"after":%q}`, after)))
			var got records.TableList
			if err := json.Unmarshal(turn.Data(t, 0), &got); err != nil {
				t.Fatal(err)
			}
			for _, l := range got.Tables {
				all = append(all, l.Name)
			}
			more -= len(got.Tables)
			if got.More != more || (got.Next == "") != (more == 0) || len(turn.Results[0]) > 16<<10 {
				t.Fatalf("after %q: %d more, next %q, %d bytes; want %d more", after, got.More, got.Next, len(turn.Results[0]), more)
			}
			after = got.Next
			if names, _ := c.forget(); role == "clerk" && len(names) > query.TablePage+2 {
				t.Errorf("%d tables were asked for", len(names))
			}
		}
		if len(all) != wideTables || !slices.IsSorted(all) {
			t.Errorf("%d tables in all pages", len(all))
		}
	}
}

// TestMoreTablesThanAreCounted: the last page is reached all the same.
func TestMoreTablesThanAreCounted(t *testing.T) {
	t.Parallel()
	made := make([]query.Table, 2150)
	for i := range made {
		made[i] = query.Table{Name: fmt.Sprintf("t_%04d", i), Label: fmt.Sprintf("Table %d", i/100), Fields: []query.Field{field("n", query.Int)}}
	}
	desk := deputytest.New(t, deputytest.Config{Tables: made, Policy: deputytest.AllowAll("manager")})
	for arguments, want := range map[string]string{
		`{}`: "100 t_0099 0", `{"after":"t_0099"}`: "100 t_0199 0", `{"after":"t_0199"}`: "100 t_0299 1850", `{"after":"t_2049"}`: "100  0", `{"term":"table"}`: "100 t_0099 0", `{"term":"table","after":"t_2039"}`: "100 t_2139 0",
		`{"term":"TABLE 2","after":"t_0249"}`: "100 t_2049 100", // Table 2 is 200 to 299, Table 20 and 21 are 2000 to 2149
	} {
		turn := desk.Run(deputytest.Person("ann", "manager"), call("list_tables", arguments))
		var got records.TableList
		if err := json.Unmarshal(turn.Data(t, 0), &got); err != nil {
			t.Fatal(err)
		}
		if said := fmt.Sprint(len(got.Tables), " ", got.Next, " ", got.More); said != want {
			t.Errorf("%s: %s, want %s", arguments, said, want)
		}
	}
}

// infos is what of an answer of describe_table is looked at.
type infos struct {
	Tables []struct {
		Name         string
		Fields       []records.FieldInfo
		MoreFields   []string `json:"more_fields"`
		Children     []records.ChildInfo
		MoreChildren []string `json:"more_children"`
	}
	LeftOut []string `json:"left_out"`
}

// TestManyTablesAreDescribed: as many as fit, and the names of those that do not.
func TestManyTablesAreDescribed(t *testing.T) {
	t.Parallel()
	_, desk := wide(t)
	names := func(from, to int) (out []string) {
		for i := from; i < to; i++ {
			out = append(out, wideName(i))
		}
		return out
	}
	who, left, seen := deputytest.Person("wide", "manager"), names(300, 310), []string{}
	for len(left) > 0 {
		arguments, err := json.Marshal(map[string]any{"tables": left})
		if err != nil {
			t.Fatal(err)
		}
		turn := desk.Run(who, call("describe_table", string(arguments)))
		var got infos
		if err := json.Unmarshal(turn.Data(t, 0), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Tables) == 0 || len(got.Tables)+len(got.LeftOut) != len(left) || len(turn.Results[0]) > 33<<10 {
			t.Fatalf("%d tables, %d left out, %d bytes", len(got.Tables), len(got.LeftOut), len(turn.Results[0]))
		}
		for _, d := range got.Tables {
			if seen = append(seen, d.Name); len(d.Fields) != 50 {
				t.Errorf("%s has %d fields", d.Name, len(d.Fields))
			}
		}
		left = got.LeftOut
	}
	if !slices.Equal(seen, names(300, 310)) {
		t.Errorf("described: %v", seen)
	}
	refused := desk.Run(who, call("describe_table", `{"tables":["`+strings.Join(names(0, 50), `","`)+`"]}`)).Results[0]
	if want := "Error: `tables` must name 1 to 10 tables: ask for the others in another call"; refused != want {
		t.Errorf("%q", refused)
	}
}

// TestATableLargerThanAnAnswer: what does not fit is named, and what cannot even be named is counted.
func TestATableLargerThanAnAnswer(t *testing.T) {
	t.Parallel()
	huge := query.Table{Name: "huge", Label: "Huge", Comment: "All of it.", Key: []string{"id"}, Fields: []query.Field{field("id", query.Int)}}
	made := []query.Table{huge}
	for i := range 900 {
		f := field(fmt.Sprintf("attribute_with_a_long_name_%03d", i), query.String)
		f.Label, f.Comment = strings.Repeat("é", 50), strings.Repeat("<", 200)
		if i == 0 {
			f.Values = strings.Fields(strings.Repeat("value ", 300))
		}
		made[0].Fields = append(made[0].Fields, f)
		made = append(made, query.Table{Name: fmt.Sprintf("child_with_a_long_name_%03d", i), Key: []string{"id"}, Fields: []query.Field{field("id", query.Int), field("huge_id", query.Int)}})
		refers(made, len(made)-1, 0, "huge")
	}
	desk := deputytest.New(t, deputytest.Config{Tables: made, Policy: deputytest.AllowAll("manager")})
	turn := desk.Run(deputytest.Person("ann", "manager"), call("describe_table", `{"tables":["huge","huge","child_with_a_long_name_007"]}`))
	var got infos
	if err := json.Unmarshal(turn.Data(t, 0), &got); err != nil {
		t.Fatal(err)
	}
	d := got.Tables[0]
	named := func(known int, more []string) bool {
		var n int
		_, err := fmt.Sscanf(more[len(more)-1], "… and %d more", &n)
		return err == nil && known+len(more)-1+n == 900
	}
	switch {
	case len(turn.Results[0]) > 32<<10 || len(d.Fields) < 20 || len(d.Children) < 20:
		t.Errorf("%d bytes, %d fields, %d children", len(turn.Results[0]), len(d.Fields), len(d.Children))
	case !named(len(d.Fields)-1, d.MoreFields) || !named(len(d.Children), d.MoreChildren):
		t.Errorf("fields %d %q, children %d %q", len(d.Fields), d.MoreFields, len(d.Children), d.MoreChildren)
	case len(d.Fields[1].Values) != 50 || d.Fields[1].MoreValues != 250:
		t.Errorf("%d values, %d more", len(d.Fields[1].Values), d.Fields[1].MoreValues)
	case len(got.Tables) != 2 || got.Tables[1].Name != "child_with_a_long_name_007" || got.LeftOut != nil:
		t.Errorf("%d tables, left out %q", len(got.Tables), got.LeftOut)
	}
}
