package records_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/query"
	"example.com/deputy/toolset/present"
	"example.com/deputy/toolset/records"
)

// office has tables that are searched by texts and by numbers, one without a key, one that is not searched, and one that only a secret names.
func office() *hosttest.Fake {
	people := query.Table{Name: "people", Label: "People", Key: []string{"id"}, RecordLabel: `first + " " + last`, Search: []string{"first", "last", "email", "number"},
		Relations: []query.Relation{one("office", "offices", "office_code", "code"), one("boss", "people", "boss_id", "id")},
		Fields: []query.Field{field("id", query.Int), field("first", query.String), field("last", query.String), field("email", query.String), field("number", query.Int),
			field("office_code", query.String), field("boss_id", query.Int), field("kind", query.String), field("active", query.Bool), field("team", query.String), field("pin", query.String)}}
	people.Fields[7].Values, people.Fields[10].Secret = []string{"Full time", "half time", "time", "Other"}, true
	offices := query.Table{Name: "offices", Label: "Offices", Key: []string{"code"}, RecordLabel: "city", Search: []string{"city", "code"},
		Fields: []query.Field{field("code", query.String), field("city", query.String), field("phone", query.String)}}
	seats := query.Table{Name: "seats", Label: "Seats", Key: []string{"office_code", "n"}, Search: []string{"note"},
		Relations: []query.Relation{{Name: "desk", Label: "Desk", Table: "desks", From: []string{"office_code", "n"}, To: []string{"office_code", "n"}}},
		Fields:    []query.Field{field("office_code", query.String), field("n", query.Int), field("note", query.String)}}
	desks := query.Table{Name: "desks", Label: "Desks", Key: []string{"office_code", "n"}, Fields: []query.Field{field("office_code", query.String), field("n", query.Int)}}
	files := query.Table{Name: "files", Label: "Files", RecordLabel: "name", Search: []string{"name"}, Fields: []query.Field{field("name", query.String)}}
	keys := query.Table{Name: "keys", Label: "Keys", Key: []string{"id"}, Search: []string{"code"}, Fields: []query.Field{field("id", query.Int), field("code", query.String)}}
	keys.Fields[1].Secret = true
	person := func(id int64, first, last, email string, number, office, boss query.Value, team string) query.Row {
		return query.Row{"id": id, "first": first, "last": last, "email": email, "number": number, "office_code": office, "boss_id": boss, "team": team, "pin": "0815"}
	}
	return hosttest.New([]query.Table{people, offices, seats, desks, files, keys}, map[string][]query.Row{
		"people": {person(1, "Ann", "Lee", "ann@x.example", int64(100), "os", nil, "a"), person(2, "Joanna", "Lund", "jo@x.example", int64(1000), "os", int64(1), "a"),
			person(3, "Anna", "Berg", "berg@x.example", int64(7), "st", int64(1), "b"), person(4, "Bo", "Ann", "bo@lee.example", nil, nil, int64(3), "b")},
		"offices": {{"code": "os", "city": "Oslo", "phone": "1"}, {"code": "st", "city": "Stockholm", "phone": "2"}, {"code": "an", "city": "Ann Arbor"}},
		"seats":   {{"office_code": "os", "n": int64(1), "note": "by the window, Ann's"}, {"office_code": "os", "n": int64(2), "note": strings.Repeat("é", 150) + "annex"}},
		"desks":   {{"office_code": "os", "n": int64(1)}},
		"files":   {{"name": "annual.pdf"}, {"name": "100%_sure.txt"}},
		"keys":    {{"id": int64(1), "code": "ann"}},
	})
}

func officePolicy() deputy.Policy {
	tools := []string{"*"}
	read := deputy.Access{Read: all()}
	a := deputy.Access{Read: all(), Rows: `team == "a"`}
	return deputy.Policy{Roles: map[string]deputy.Role{
		"manager":  {Tools: tools, Tables: map[string]deputy.Access{"*": read}},
		"agent":    {Tools: tools, Hide: []string{"people.email", "people.team"}, Tables: map[string]deputy.Access{"people": a, "desks": read}},
		"nameless": {Tools: tools, Hide: []string{"people.last", "people.id", "offices.code"}, Tables: map[string]deputy.Access{"people": read, "offices": read}},
		"clerk":    {Tools: tools, Hide: []string{"offices.city", "offices.code"}, Tables: map[string]deputy.Access{"desks": read, "keys": read, "offices": read}},
	}}
}

func desk(t testing.TB) *deputytest.Desk {
	t.Helper()
	return deputytest.New(t, deputytest.Config{Host: office(), Policy: officePolicy(), Toolsets: []deputy.Toolset{records.New(records.Config{}), present.New()}})
}

// look runs one call in a turn of its own. What was found is a line a row, then "more" where there is more, and what stands beside it.
func look(t *testing.T, role, tool, arguments string) string {
	t.Helper()
	r := desk(t).Run(deputytest.Person(role, role), call(tool, arguments))
	if r.Outcomes[0] != deputy.Ran {
		return r.Results[0]
	}
	var got struct {
		Rows    [][]any
		HasMore bool     `json:"has_more"`
		Not     []string `json:"not_searched"`
		Note    string
	}
	if err := json.Unmarshal(r.Data(t, 0), &got); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, row := range got.Rows {
		var cells []string
		for _, c := range row {
			if c == nil {
				c = "-"
			}
			cells = append(cells, fmt.Sprint(c))
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	if got.HasMore {
		lines = append(lines, "more")
	}
	return strings.Join(append(lines, append(got.Not, got.Note)...), "\n")
}

type looked struct{ name, role, arguments, want string }

func lookAll(t *testing.T, tool string, cases []looked) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.TrimRight(look(t, c.role, tool, c.arguments), "\n"); got != c.want {
				t.Errorf("%s %s:\ngot  %q\nwant %q", tool, c.arguments, got, c.want)
			}
		})
	}
}

func TestSearchRecords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 120) + "…"
	lookAll(t, "search_records", []looked{
		{"best first over all tables", "manager", `{"term":"ANN"}`, "people|1|Ann Lee|first|Ann\npeople|4|Bo Ann|last|Ann\noffices|an|Ann Arbor|city|Ann Arbor\npeople|3|Anna Berg|first|Anna\n" +
			"files|-|annual.pdf|name|annual.pdf\npeople|2|Joanna Lund|first|Joanna\nseats|[\"os\",\"1\"]|-|note|by the window, Ann's\nseats|[\"os\",\"2\"]|-|note|" + long},
		{"cut, and more", "manager", `{"term":"ann","limit":2}`, "people|1|Ann Lee|first|Ann\npeople|4|Bo Ann|last|Ann\nmore"},
		{"all there are", "manager", `{"term":"ann","tables":["people","people"],"limit":4}`, "people|1|Ann Lee|first|Ann\npeople|4|Bo Ann|last|Ann\npeople|3|Anna Berg|first|Anna\npeople|2|Joanna Lund|first|Joanna"},
		{"words in several fields", "manager", `{"term":" lee  ann "}`, "people|1|Ann Lee|first|Ann\npeople|4|Bo Ann|last|Ann"},
		{"the label as it is", "manager", `{"term":"ann lee","limit":1}`, "people|1|Ann Lee|first|Ann\nmore"},
		{"a number as a whole", "manager", `{"term":"100"}`, "people|1|Ann Lee|number|100\nfiles|-|100%_sure.txt|name|100%_sure.txt"},
		{"per cent is no wildcard", "manager", `{"term":"%"}`, "files|-|100%_sure.txt|name|100%_sure.txt"},
		{"nor is the underscore", "manager", `{"term":"_"}`, "files|-|100%_sure.txt|name|100%_sure.txt"},
		{"unseen characters", "manager", "{\"term\":\"\\u200bSTOCK\\u200b\\u0000\"}", "offices|st|Stockholm|city|Stockholm"},
		{"secrets are not searched", "manager", `{"term":"ann","tables":["keys","offices"]}`, "offices|an|Ann Arbor|city|Ann Arbor\nkeys"},
		{"no search fields", "manager", `{"term":"ann","tables":["keys","desks"]}`, "Error: no search fields in keys, desks: ask query_records with a condition like x.contains(\"…\")"},
		{"an address", "manager", `{"term":"x.example","limit":1}`, "people|1|Ann Lee|email|ann@x.example\nmore"},
		{"a hidden address", "agent", `{"term":"x.example"}`, ""},
		{"rows of others", "agent", `{"term":"ann"}`, "people|1|Ann Lee|first|Ann\npeople|2|Joanna Lund|first|Joanna"},
		{"others make no more", "agent", `{"term":"ann","limit":2}`, "people|1|Ann Lee|first|Ann\npeople|2|Joanna Lund|first|Joanna"},
		{"a forbidden table", "agent", `{"term":"ann","tables":["offices"]}`, "Error: Unknown table: offices"},
		{"a missing table", "agent", `{"term":"ann","tables":["people","officez"]}`, "Error: Unknown table: officez"},
		{"neither key nor label", "nameless", `{"term":"ann","tables":["people"]}`, "people|-|-|first|Ann\npeople|-|-|first|Anna\npeople|-|-|first|Joanna"},
		{"a hidden name", "nameless", `{"term":"berg"}`, "people|-|-|email|berg@x.example"},
		{"a hidden key", "nameless", `{"term":"os"}`, "offices|-|Oslo|city|Oslo"},
		{"nobody's to search", "clerk", `{"term":"ann"}`, "Error: Unknown tool: search_records"},
		{"empty", "manager", `{"term":" \u200b"}`, "Error: `term` is empty: give a word or two of what is looked for, or list rows with query_records"},
		{"long", "manager", `{"term":"` + strings.Repeat("é", 10240) + `"}`, "Error: `term` has 10240 characters, more than 200: give the few words that tell most"},
		{"many words", "manager", `{"term":"a b c d e f g h i j k"}`, "Error: `term` has 11 words, more than 10: give the few that tell most"},
		{"negative", "manager", `{"term":"a","limit":-1}`, "Error: `limit` must not be negative"},
		{"nothing", "manager", `{"term":"👩‍🚀 \"; DROP TABLE people --"}`, ""},
	})
}

func TestListPossibleValues(t *testing.T) {
	t.Parallel()
	lookAll(t, "list_possible_values", []looked{
		{"a value list", "manager", `{"table":"people","field":"kind"}`, "Full time\nhalf time\ntime\nOther"},
		{"best first", "manager", `{"table":"people","field":"kind","term":"TIME"}`, "time\nFull time\nhalf time"},
		{"cut, and more", "manager", `{"table":"people","field":"kind","term":"t","limit":2}`, "time\nFull time\nmore"},
		{"parents by label", "manager", `{"table":"people","field":"office_code"}`, "an|Ann Arbor\nos|Oslo\nst|Stockholm"},
		{"parents by term", "manager", `{"table":"people","field":"boss_id","term":"ann","limit":3}`, "1|Ann Lee\n3|Anna Berg\n4|Bo Ann\nmore"},
		{"a parent by key", "manager", `{"table":"people","field":"boss_id","term":"4"}`, "4|Bo Ann"},
		{"a parent by a search field", "manager", `{"table":"people","field":"boss_id","term":"bo@lee.example"}`, "4|Bo Ann"},
		{"by a hidden one", "agent", `{"table":"people","field":"boss_id","term":"ann@x.example"}`, ""},
		{"parents of others make no more", "agent", `{"table":"people","field":"boss_id","limit":2}`, "1|Ann Lee\n2|Joanna Lund"},
		{"parents that may not be read", "agent", `{"table":"people","field":"office_code"}`, "Error: `office_code` has no list of values: it takes any string. Those in use can be seen with query_records"},
		{"parents without their key", "nameless", `{"table":"people","field":"office_code"}`, "Error: `office_code` has no list of values: it takes any string. Those in use can be seen with query_records"},
		{"any text", "manager", `{"table":"people","field":"first"}`, "Error: `first` has no list of values: it takes any string. Those in use can be seen with query_records"},
		{"true or false", "manager", `{"table":"people","field":"active"}`, "Error: `active` has no list of values: it is true or false"},
		{"several fields", "manager", `{"table":"seats","field":"n"}`, "Error: `n` leads to a record of desks together with other fields: look that up with query_records"},
		{"secret", "manager", `{"table":"people","field":"pin"}`, "Error: `pin` is secret: its values are not listed"},
		{"hidden", "agent", `{"table":"people","field":"email"}`, "Error: no field `email` in people"},
		{"missing", "manager", `{"table":"people","field":"knd"}`, "Error: no field `knd` in people; near: kind"},
		{"a forbidden table", "agent", `{"table":"offices","field":"city"}`, "Error: Unknown table: offices"},
		{"negative", "manager", `{"table":"people","field":"kind","limit":-1}`, "Error: `limit` must not be negative"},
		{"long", "manager", `{"table":"people","field":"kind","term":"` + strings.Repeat("x", 201) + `"}`, "Error: `term` has 201 characters, more than 200: give the few words that tell most"},
		{"not offered", "clerk", `{"table":"offices","field":"city"}`, "Error: Unknown tool: list_possible_values"},
	})
}

// A search asks one question a table, of what is searched only and no more than it shows, and its result stands for itself like any other.
func TestSearchAsksOnceATable(t *testing.T) {
	t.Parallel()
	d := desk(t)
	who := deputytest.Person("1", "manager")
	d.Run(who, call("search_records", `{"term":"ann","limit":3}`))
	var tables []string
	for _, a := range d.Host.Asked() {
		if a.Method == hosttest.Query {
			if tables = append(tables, a.Table); a.Query.Limit != 3 {
				t.Errorf("%s: %d rows are asked for", a.Table, a.Query.Limit)
			}
		}
	}
	if got, want := strings.Join(tables, " "), "files offices people seats"; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	r := d.Run(who, call("search_records", `{"term":"ann","limit":3}`), call("present_results", `{"view":"table","call_id":"c1","columns":["label","table"]}`))
	if len(r.Displays) != 1 || !strings.Contains(r.Results[1], "table of 3 rows of c1") {
		t.Errorf("%q", r.Results)
	}
}

// Of many tables the first are searched, those that were left out are told of; a table that is named is searched wherever it stands.
func TestSearchOfManyTables(t *testing.T) {
	t.Parallel()
	var tables []query.Table
	rows := map[string][]query.Row{}
	for i := range 130 {
		name := fmt.Sprintf("t%03d", i)
		table := query.Table{Name: name, Label: "T", Key: []string{"id"}, RecordLabel: "name", Fields: []query.Field{field("id", query.Int), field("name", query.String)}}
		if i >= 100 {
			table.Search = []string{"name"}
		}
		tables, rows[name] = append(tables, table), []query.Row{{"id": int64(i), "name": "found"}}
	}
	role := deputy.Role{Tools: []string{"*"}, Tables: map[string]deputy.Access{"*": {Read: all()}, "t101": {}}}
	d := deputytest.New(t, deputytest.Config{Tables: tables, Rows: rows, Policy: deputy.Policy{Roles: map[string]deputy.Role{"reader": role}}})
	r := d.Run(deputytest.Person("1", "reader"), call("search_records", `{"term":"found","limit":100}`), call("search_records", `{"term":"found","tables":["t129"]}`))
	if got := string(r.Data(t, 0)); !strings.Contains(got, `"returned":25,"has_more":false`) || strings.Contains(got, "t101") ||
		!strings.Contains(got, `"note":"Only 25 tables were searched, t100 to t125: name others in `+"`tables`"+`."`) {
		t.Error(got)
	}
	if got := string(r.Data(t, 1)); !strings.Contains(got, `[["t129","129","found","name","found"]]`) {
		t.Error(got)
	}
	var names []string
	for i := 100; i < 127; i++ {
		names = append(names, fmt.Sprintf(`"t%d"`, i))
	}
	some := strings.Join(append(names[:1:1], names[2:]...), ",")
	if got := d.Run(deputytest.Person("1", "reader"), call("search_records", `{"term":"found","tables":[`+some+`]}`)).Results[0]; got != "Error: `tables` names 26 tables, more than 25: name those where it may be, or none" {
		t.Error(got)
	}
}
