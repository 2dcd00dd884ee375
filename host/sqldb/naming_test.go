package sqldb_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/query"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/records"
)

// oddNames makes tables whose names and columns are everything that an identifier in quotes can be: spaces, quotes of all kinds, words of SQL
// and of the language, both cases, pictures, digits in front, and names that are one in snake_case. MariaDB has no pictures beyond the basic
// plane in names.
func oddNames(picture string) []string {
	return strings.Split(strings.ReplaceAll(`
CREATE TABLE "select" ("Key №" integer PRIMARY KEY, "Title PICTURE" varchar(40) NOT NULL, "from it" varchar(20), "From_It" varchar(20));
CREATE TABLE "Order Details" ("ID" int PRIMARY KEY, "group" integer, "Unit Price" numeric(10,2), "unit_price" numeric(10,2), "UnitPrice" numeric(10,2), "in" varchar(20), "function" varchar(20), "say ""hi""; --" varchar(20),
	"it's" varchar(20), "1st" integer, "100%" integer, "a\b" varchar(20), "x`+"`"+`y" varchar(20), "$1" varchar(20), "?" varchar(20), ":p" varchar(20), "@v" varchar(20), "{0}" varchar(20), "person" varchar(20), "ALL" varchar(20), "naïve PICTURE" varchar(20), "PICTURE" varchar(20), "Name" varchar(40) UNIQUE,
	FOREIGN KEY ("group") REFERENCES "select" ("Key №"));
CREATE TABLE "order_details" ("id" integer PRIMARY KEY, "Order Details ID" integer, "for" varchar(20), FOREIGN KEY ("Order Details ID") REFERENCES "Order Details" ("ID"));
CREATE TABLE "2 PICTURE" ("null" integer PRIMARY KEY, "true" varchar(20));
CREATE TABLE "PICTURE" ("PICTURE" integer PRIMARY KEY);
CREATE TABLE "a""b'c`+"`"+`d;e" ("a""b'c`+"`"+`d;e" int PRIMARY KEY, "for" varchar(20));
CREATE VIEW "My ""View"" PICTURE" AS SELECT "ID", "group", "Unit Price", "say ""hi""; --" FROM "Order Details";
INSERT INTO "select" VALUES (1, 'Tools', 'f1', 'F1'), (2, 'Toys', 'f2', 'F2');
INSERT INTO "Order Details" ("ID", "group", "Unit Price", "unit_price", "UnitPrice", "in", "say ""hi""; --", "1st", "person", "PICTURE", "Name") VALUES (1, 1, 1.5, 2.5, 3.5, 'box', 'it''s "1"', 7, 'ann', 'yes', 'Hammer'), (2, 1, 4, 5, 6, 'bag', NULL, 8, 'bo', NULL, 'Nail'), (3, 2, 0.25, 0, 0, 'bag', NULL, NULL, 'ann', NULL, 'Yoyo');
INSERT INTO "order_details" VALUES (1, 1, 'x');
INSERT INTO "2 PICTURE" VALUES (5, 'five')`, "PICTURE", picture), ";\n")
}

// odd opens a host over those tables on each engine.
func odd(t *testing.T, f func(*testing.T, deputy.Host)) {
	for name, open := range map[string]func(*testing.T) string{
		"SQLite":   func(t *testing.T) string { path, _ := create(t, oddNames("😀")...); return "sqlite:" + path },
		"Postgres": func(t *testing.T) string { url, _ := createPostgres(t, oddNames("😀")...); return url },
		"MariaDB":  func(t *testing.T) string { url, _ := createMaria(t, oddNames("☺")...); return url },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, err := sqldb.Open(t.Context(), sqldb.Config{URL: open(t)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { h.Close() })
			f(t, h)
		})
	}
}

// office is an assistant over a host, for somebody who may do everything to tables and is let read the view.
func office(t *testing.T, h deputy.Host) (*deputytest.Desk, deputy.Caller) {
	t.Helper()
	p := deputytest.AllowAll("manager")
	p.Roles["manager"].Tables["my_view"] = deputy.Access{Read: deputy.Fields{All: true}}
	return deputytest.New(t, deputytest.Config{Host: h, Policy: p, Toolsets: []deputy.Toolset{records.New(records.Config{}), analysis.New()}}), deputytest.Person("ann", "manager")
}

// rowsOf runs one tool call and gives its rows, a line each.
func rowsOf(t *testing.T, desk *deputytest.Desk, who deputy.Caller, tool, arguments string) []string {
	t.Helper()
	turn := desk.Run(who, deputytest.Call(tool, arguments))
	if turn.Outcomes[0] != deputy.Ran {
		t.Errorf("%s %s: %s", tool, arguments, turn.Results[0])
		return nil
	}
	var got struct{ Rows [][]any }
	if err := json.Unmarshal(turn.Data(t, 0), &got); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, row := range got.Rows {
		out = append(out, strings.Trim(strings.ReplaceAll(fmt.Sprint(row), "<nil>", "-"), "[]"))
	}
	return out
}

// TestOddNames: whatever a name in the database is, its table or column is asked, counted, searched and written by the name that is offered.
func TestOddNames(t *testing.T) {
	t.Parallel()
	odd(t, func(t *testing.T, h deputy.Host) {
		wantList(t, "tables", tableNames(t, h), []string{"_2", "a_b_c_d_e", "my_view", "order_details", "order_details_2", "select", "table_1"})
		wantList(t, "fields", fieldNames(tableOf(t, h, "order_details")), []string{"id", "group", "unit_price", "unit_price_2", "unit_price_3", "in_", "function_", "say_hi", "it_s", "_1st", "_100", "a_b", "x_y", "_1", "field_1", "p", "v", "_0",
			"person_", "all_", "naive", "field_2", "name"})
		wantList(t, "relations", relationTexts(tableOf(t, h, "order_details")), []string{"group->select group=key", "order_details_2<-order_details_2 id=order_details_id"})
		desk, who := office(t, h)
		for _, tt := range []struct {
			tool, arguments string
			want            []string
		}{
			{"query_records", `{"table":"order_details","where":"in_ == \"bag\" && person_ in [\"ann\", \"bo\"] && group.title.startsWith(\"to\")","select":["name","unit_price","unit_price_2","unit_price_3","_1st","group.from_it","group.from_it_2"],"order_by":["_1st desc"]}`,
				[]string{"Nail 4.00 5.00 6.00 8 f1 F1", "Yoyo 0.25 0.00 0.00 - f2 F2"}},
			{"query_records", `{"table":"order_details","where":"say_hi == \"it's \\\"1\\\"\" && order_details_2.exists(x, x.for_ == \"x\")","select":["id","field_2","it_s","a_b","x_y","_1","field_1","p","v","_0","_100"]}`, []string{"1 yes - - - - - - - - -"}},
			{"query_records", `{"table":"order_details_2","select":["order_details.group.title","order_details_id","for_"]}`, []string{"Tools 1 Hammer x"}},
			{"query_records", `{"table":"_2","where":"true_ == \"five\"","select":["null_","true_"]}`, []string{"5 five"}},
			{"query_records", `{"table":"my_view","where":"say_hi != null","select":["id","unit_price","say_hi"]}`, []string{`1 1.50 it's "1"`}},
			{"count_records", `{"table":"a_b_c_d_e"}`, []string{"0"}}, {"count_records", `{"table":"table_1","where":"field_1 > 0"}`, []string{"0"}},
			{"analyze_records", `{"table":"order_details","group_by":["in_","group"],"measures":[{"as":"select","expr":"sum(unit_price + unit_price_2)"},{"as":"anns","expr":"count_if(person_ == \"ann\")"}],"having":"select > 0","order_by":["select desc"]}`,
				[]string{"bag 1 Tools 9.00 0", "box 1 Tools 4.00 1", "bag 2 Toys 0.25 1"}},
			{"search_records", `{"term":"toy","tables":["select"]}`, []string{"select 2 Toys title Toys"}},
			{"search_records", `{"term":"hammer"}`, []string{"order_details 1 Hammer name Hammer"}},
			{"list_possible_values", `{"table":"order_details","field":"group"}`, []string{"1 Tools", "2 Toys"}},
		} {
			wantList(t, tt.tool+" "+tt.arguments, rowsOf(t, desk, who, tt.tool, tt.arguments), tt.want)
		}
		change := func(tool, arguments string) {
			t.Helper()
			turn := desk.Run(who, deputytest.Call(tool, arguments))
			if len(turn.Proposals) != 1 {
				t.Fatalf("%s\n%s %s", turn.Results[0], tool, arguments)
			}
			if done, err := desk.Confirm(who, turn.Proposals...); err != nil || done.Proposals[0].State != deputy.Done {
				t.Fatalf("%s %s: %+v, %v", tool, arguments, done, err)
			}
		}
		field := func(name, value string) string { return fmt.Sprintf(`{"field":%q,"value":%q}`, name, value) }
		change("create_record", `{"table":"order_details","values":[`+strings.Join([]string{`{"field":"id","value":9}`, field("group", "Toys"), field("unit_price", "7.25"), field("unit_price_2", "8.5"), field("in_", "tin"), field("function_", "f"), field("say_hi", `"; --`),
			field("it_s", "it's"), `{"field":"_1st","value":1}`, `{"field":"_100","value":100}`, field("a_b", `\`), field("x_y", "`"), field("_1", "$1"), field("field_1", "?"), field("p", ":p"), field("v", "@v"), field("_0", "{0}"), field("person_", "p"), field("all_", "a"), field("naive", "ï"), field("field_2", "☺"), field("name", "Odd")}, ",")+`]}`)
		wantList(t, "created", ask(t, h, "order_details", "id == 9", nil, fieldNames(tableOf(t, h, "order_details"))...), []string{"9|2|7.25|8.50|-|tin|f|\"; --|it's|1|100|\\|`|$1|?|:p|@v|{0}|p|a|ï|☺|Odd"})
		change("update_record", `{"table":"order_details","id":"9","values":[`+strings.Join([]string{field("unit_price_3", "1.25"), field("say_hi", `'"`), field("all_", "b"), field("field_2", "x"), field("group", "Tools")}, ",")+`]}`)
		wantList(t, "updated", ask(t, h, "order_details", "id == 9", nil, "group.title", "unit_price", "unit_price_3", "say_hi", "all_", "field_2"), []string{`Tools|7.25|1.25|'"|b|x`})
		change("create_record", `{"table":"a_b_c_d_e","values":[{"field":"a_b_c_d_e","value":1},`+field("for_", "y")+`]}`)
		change("delete_record", `{"table":"order_details","id":"9"}`)
		change("delete_record", `{"table":"a_b_c_d_e","id":"1"}`)
		wantList(t, "deleted", slices.Concat(ask(t, h, "order_details", "", nil, "id"), ask(t, h, "a_b_c_d_e", "", nil, "for_")), []string{"1", "2", "3"})
	})
}

// TestViewsAreNeverWritten: a view is read like a table, and no write to it is proposed, nor done by a host that is asked for one; nor does a
// policy grant any.
func TestViewsAreNeverWritten(t *testing.T) {
	t.Parallel()
	odd(t, func(t *testing.T, h deputy.Host) {
		desk, who := office(t, h)
		for tool, arguments := range map[string]string{
			"create_record": `{"table":"my_view","values":[{"field":"id","value":50}]}`, "update_record": `{"table":"my_view","id":"1","values":[{"field":"unit_price","value":"2"}]}`, "delete_record": `{"table":"my_view","id":"1"}`,
		} {
			turn := desk.Run(who, deputytest.Call(tool, arguments))
			if turn.Outcomes[0] != deputy.Refused || len(turn.Proposals) > 0 {
				t.Errorf("%s: %s %s", tool, turn.Outcomes[0], turn.Results[0])
			}
		}
		for _, c := range []deputy.Change{set("my_view", "1", "unit_price", query.Dec, "2"), {Verb: deputy.Create, Table: "my_view", Values: set("", "", "id", query.Int, "50").Values}, {Verb: deputy.Delete, Table: "my_view", Key: []string{"1"}}} {
			write(t, h, deputy.Failed, c)
		}
		wantList(t, "as before", ask(t, h, "my_view", "", []string{"id"}, "id", "unit_price"), []string{"1|1.50", "2|4.00", "3|0.25"})
		for _, verb := range []string{"create", "update", "delete"} {
			a := deputy.Access{Read: deputy.Fields{All: true}, Create: deputy.Fields{All: verb == "create"}, Update: deputy.Fields{All: verb == "update"}, Delete: verb == "delete"}
			p := deputy.Policy{Roles: map[string]deputy.Role{"manager": {Tables: map[string]deputy.Access{"my_view": a}}}}
			if err := p.Check(t.Context(), catalogOf(t, h)); err == nil || err.Error() != "policy.roles.manager.tables.my_view: a view or a table without a primary key can be read, not written" {
				t.Errorf("%s: %v", verb, err)
			}
		}
	})
}
