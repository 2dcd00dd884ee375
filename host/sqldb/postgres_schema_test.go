package sqldb_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/query"
)

// server opens a host over a Postgres database made by statements.
func server(t testing.TB, statements ...string) *sqldb.Host {
	t.Helper()
	url, _ := createPostgres(t, statements...)
	return open(t, sqldb.Config{URL: url})
}

func TestPostgresTypes(t *testing.T) {
	t.Parallel()
	type line struct{ decl, value, want, read string }
	lines := []line{
		{"smallint", "7", "int -1 0", "7"}, {"integer", "-7", "int -1 0", "-7"}, {"bigint", "9223372036854775807", "int -1 0", "9223372036854775807"},
		{"numeric(10, 2)", "1.5", "decimal 2 0", "1.50"}, {"numeric(5)", "7", "decimal 0 0", "7"}, {"numeric", "'1.230'", "decimal -1 0", "1.230"}, {"numeric(5, -2)", "12345", "decimal 0 0", "12300"},
		{"numeric", "'NaN'", "decimal -1 0", "-"}, {"numeric(10, 2)", "'NaN'", "decimal 2 0", "-"}, {"numeric", "'-Infinity'", "decimal -1 0", "-"}, {"real", "0.1", "decimal -1 0", "0.1"}, {"double precision", "0.1", "decimal -1 0", "0.1"},
		{"double precision", "'1e300'", "decimal -1 0", "-"}, {"double precision", "'NaN'", "decimal -1 0", "-"}, {"double precision", "'1e22'", "decimal -1 0", "10000000000000000000000"}, {"real", "'-Infinity'", "decimal -1 0", "-"}, {"money", "12.3", "decimal 2 0", "12.30"},
		{"boolean", "true", "bool -1 0", "true"}, {"text", "'x'", "string -1 0", "x"}, {"varchar(40)", "'x'", "string -1 40", "x"}, {"char(4)", "'x'", "string -1 4", "x"}, {"name", "'x'", "string -1 0", "x"},
		{"uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "string -1 0", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}, {"mood", "'sad'", "string -1 0", "sad"}, {"inet", "'10.0.0.1/8'", "string -1 0", "10.0.0.1/8"}, {"interval", "'90 min'", "string -1 0", "01:30:00"},
		{"time", "'10:30'", "string -1 0", "10:30:00"}, {"int4range", "'[1,5)'", "string -1 0", "[1,5)"}, {"point", "'(1,2)'", "string -1 0", "(1,2)"}, {"bit(3)", "'101'", "string -1 0", "101"},
		{"date", "'2026-01-31'", "date -1 0", "2026-01-31"}, {"date", "'infinity'", "date -1 0", "-"}, {"date", "'0044-03-15 BC'", "date -1 0", "-"},
		{"timestamptz", "'2026-07-01 12:00+02'", "timestamp -1 0", "2026-07-01T10:00:00Z"}, {"timestamptz", "'-infinity'", "timestamp -1 0", "-"}, {"timestamptz", "'294000-01-01'", "timestamp -1 0", "-"},
		{"timestamp", "'2026-07-01 12:00'", "timestamp -1 0", "2026-07-01T10:00:00Z"}, {"timestamp(0)", "'infinity'", "timestamp -1 0", "-"}, {"timestamp", "'0044-03-15 BC'", "timestamp -1 0", "-"},
		{"json", `'{"b": 1e2, "a": "\u0000"}'`, "json -1 0", `{"b": 1e2, "a": "\ufffd"}`}, {"json", `'["\ud83d\ude00", "\\u0000", "\ude00"]'`, "json -1 0", `["\ud83d\ude00", "\\u0000", "\ufffd"]`}, {"jsonb", `'{"b": 1e2, "a": 1}'`, "json -1 0", `{"a": 1, "b": 100}`},
		{"text[]", "ARRAY['a', NULL, 'b\"c']", "list -1 0", `["a",null,"b\"c"]`}, {"integer[]", "ARRAY[1, 2]", "list -1 0", "[1,2]"}, {"numeric(5,2)[]", "'{1.5}'", "list -1 0", "[1.50]"}, {"text[]", "'{}'", "list -1 0", "[]"}, {"text[]", "'{{a},{b}}'", "list -1 0", "-"},
		{"email", "'x@example.com'", "string -1 60", "x@example.com"}, {"price", "1.5", "decimal 2 0", "1.50"}, {"timestamptz", "NULL", "timestamp -1 0", "-"},
	}
	var columns, values []string
	for i, l := range lines {
		columns, values = append(columns, fmt.Sprintf("c%d %s", i, l.decl)), append(values, l.value)
	}
	url, _ := createPostgres(t, `CREATE TYPE mood AS ENUM ('sad', 'ok')`, `CREATE DOMAIN address AS varchar(60)`, `CREATE DOMAIN email AS address CHECK (VALUE ~ '@')`, `CREATE DOMAIN price AS numeric(10,2) CHECK (VALUE >= 0)`,
		`CREATE TABLE x (`+strings.Join(columns, ", ")+`)`, `INSERT INTO x VALUES (`+strings.Join(values, ", ")+`)`)
	h := open(t, sqldb.Config{URL: url, Zone: zoneOf(t, "Europe/Oslo")})
	for i, f := range tableOf(t, h, "x").Fields {
		if got := fmt.Sprint(f.Type, " ", f.Scale, " ", f.Length); got != lines[i].want {
			t.Errorf("%s: %s, want %s", lines[i].decl, got, lines[i].want)
		}
		if got := ask(t, h, "x", "", nil, f.Name); got[0] != lines[i].read {
			t.Errorf("%s of %s: %s, want %s", lines[i].value, lines[i].decl, got[0], lines[i].read)
		}
		if got := ask(t, h, "x", "", nil, f.Name+" == null"); got[0] != fmt.Sprint(lines[i].read == "-") {
			t.Errorf("%s of %s == null: %s", lines[i].value, lines[i].decl, got[0])
		}
	}
}

func zoneOf(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestPostgresSchema(t *testing.T) {
	t.Parallel()
	h := server(t, `CREATE TYPE state AS ENUM ('new', 'It''s done')`, `CREATE DOMAIN size AS text CHECK (VALUE IN ('S', 'M'))`,
		`CREATE TABLE "Customers" (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, code varchar(8) UNIQUE, state state NOT NULL DEFAULT 'new', size size, photo bytea, password text,
			kind text CHECK (kind IN ('a', 'b (c)', 'it''s')), rank int CHECK (rank IN (1, -2)), single text CHECK (single IN ('one')), either varchar(3) CHECK (either = 'x' OR either = 'y' OR either IS NULL), free text CHECK (length(free) > 3),
			upper_name text GENERATED ALWAYS AS (upper(name)) STORED, created timestamptz NOT NULL DEFAULT now(), parent_id bigint REFERENCES "Customers")`,
		`COMMENT ON TABLE "Customers" IS 'Who buys'`, `COMMENT ON COLUMN "Customers".code IS 'As printed'`,
		`CREATE TABLE keyed (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n serial, a int, b int, UNIQUE (a, b))`, `CREATE UNIQUE INDEX partial ON keyed (a) WHERE b > 0`,
		`CREATE TABLE lines (b int, a int, customer bigint NOT NULL REFERENCES "Customers" ON DELETE CASCADE, k_a int, k_b int, PRIMARY KEY (a, b), FOREIGN KEY (k_a, k_b) REFERENCES keyed (a, b) ON DELETE SET NULL)`,
		`CREATE TABLE log (at date NOT NULL, customer_id bigint REFERENCES "Customers", PRIMARY KEY (at, customer_id)) PARTITION BY RANGE (at)`, `CREATE TABLE log_2026 PARTITION OF log FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')`,
		`CREATE VIEW seen AS SELECT id, name FROM "Customers"`, `CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS n FROM "Customers"`, `CREATE TABLE deputy_turns (id int)`, `CREATE SCHEMA other`, `CREATE TABLE other.hidden (id int)`)
	wantList(t, "tables", tableNames(t, h), []string{"counted", "customers", "keyed", "lines", "log", "seen"})
	c := tableOf(t, h, "customers")
	var got []string
	for _, f := range c.Fields {
		got = append(got, fmt.Sprintf("%s required=%v generated=%v read-only=%v unique=%v secret=%v default=%s values=%q", f.Name, f.Required, f.Generated, f.ReadOnly, f.Unique, f.Secret, f.Default, f.Values))
	}
	wantList(t, "fields", got, []string{
		`id required=false generated=true read-only=false unique=false secret=false default= values=[]`,
		`name required=true generated=false read-only=false unique=false secret=false default= values=[]`,
		`code required=false generated=false read-only=false unique=true secret=false default= values=[]`,
		`state required=false generated=false read-only=false unique=false secret=false default='new' values=["new" "It's done"]`,
		`size required=false generated=false read-only=false unique=false secret=false default= values=["S" "M"]`,
		`photo required=false generated=false read-only=true unique=false secret=true default= values=[]`,
		`password required=false generated=false read-only=false unique=false secret=true default= values=[]`,
		`kind required=false generated=false read-only=false unique=false secret=false default= values=["a" "b (c)" "it's"]`,
		`rank required=false generated=false read-only=false unique=false secret=false default= values=["1" "-2"]`,
		`single required=false generated=false read-only=false unique=false secret=false default= values=["one"]`,
		`either required=false generated=false read-only=false unique=false secret=false default= values=["x" "y"]`,
		`free required=false generated=false read-only=false unique=false secret=false default= values=[]`,
		`upper_name required=false generated=true read-only=false unique=false secret=false default= values=[]`,
		`created required=false generated=false read-only=false unique=false secret=false default=now() values=[]`,
		`parent_id required=false generated=false read-only=false unique=false secret=false default= values=[]`,
	})
	if code, _ := c.Field("code"); c.Comment != "Who buys" || code.Comment != "As printed" || c.Label != "Customers" {
		t.Errorf("comments: %q %q, label %q", c.Comment, code.Comment, c.Label)
	}
	for table, want := range map[string][]string{
		"customers": {"customers_by_parent_id<-customers id=parent_id", "lines<-lines id=customer", "log<-log id=customer_id", "parent->customers parent_id=id"},
		"lines":     {"customer->customers customer=id", "keyed->keyed k_a,k_b=a,b"}, "log": {"customer->customers customer_id=id"},
	} {
		wantList(t, "relations of "+table, relationTexts(tableOf(t, h, table)), want)
	}
	for table, want := range map[string][]string{"lines": {"a", "b"}, "log": {"at", "customer_id"}, "keyed": {"id"}, "seen": nil, "counted": nil} {
		wantList(t, "key of "+table, tableOf(t, h, table).Key, want)
		if view := tableOf(t, h, table).View; view != (want == nil) {
			t.Errorf("%s: view %v", table, view)
		}
	}
	lines, _ := c.Relation("lines")
	other, _ := tableOf(t, h, "keyed").Relation("lines")
	id, _ := tableOf(t, h, "keyed").Field("id")
	n, _ := tableOf(t, h, "keyed").Field("n")
	if !lines.Cascade || !other.Nullify || !id.Generated || !n.Generated {
		t.Errorf("cascade %v, nullify %v, generated %v %v", lines.Cascade, other.Nullify, id.Generated, n.Generated)
	}
}

func TestPostgresSchemas(t *testing.T) {
	t.Parallel()
	url, _ := createPostgres(t, `CREATE SCHEMA sales`, `CREATE SCHEMA "HR Data"`, `CREATE TABLE public.items (id int PRIMARY KEY)`, `CREATE TABLE sales.items (id int PRIMARY KEY, seller_id int)`, `CREATE TABLE "HR Data".items (id int PRIMARY KEY)`,
		`CREATE TABLE "HR Data".people (id int PRIMARY KEY, name text)`, `CREATE TABLE sales.sales_items (id int PRIMARY KEY, people_id int REFERENCES "HR Data".people, item_id int REFERENCES sales.items)`, `ALTER TABLE sales.items ADD FOREIGN KEY (seller_id) REFERENCES "HR Data".people`,
		`INSERT INTO sales.items VALUES (5, NULL)`, `INSERT INTO public.items VALUES (1)`)
	h := open(t, sqldb.Config{URL: url, Schemas: []string{"sales", "public", "HR Data"}})
	wantList(t, "tables", tableNames(t, h), []string{"hr_data_items", "items", "people", "public_items", "sales_items"})
	wantList(t, "the first schema's", ask(t, h, "items", "", nil, "id"), []string{"5"})
	wantList(t, "another's", ask(t, h, "public_items", "", nil, "id"), []string{"1"})
	wantList(t, "relations", relationTexts(tableOf(t, h, "sales_items")), []string{"item->items item_id=id", "people->people people_id=id"})
	write(t, h, deputy.Done, deputy.Change{Verb: deputy.Create, Table: "hr_data_items", Values: set("", "", "id", query.Int, "9").Values})
	wantList(t, "written", ask(t, h, "hr_data_items", "", nil, "id"), []string{"9"})
	if h := open(t, sqldb.Config{URL: url}); !slices.Equal(tableNames(t, h), []string{"items"}) {
		t.Errorf("public alone: %v", tableNames(t, h))
	}
	if _, err := sqldb.Open(t.Context(), sqldb.Config{URL: url, Schemas: []string{"public", "sale"}}); err == nil || err.Error() != "host.schemas[1]: no schema `sale`; near: sales" {
		t.Errorf("%v", err)
	}
}

// TestPostgresRoleSeesItsOwn: what the role may not read is not offered, and what it may not write is refused in a sentence.
func TestPostgresRoleSeesItsOwn(t *testing.T) {
	t.Parallel()
	url, db := createPostgres(t, `CREATE TABLE open (id int PRIMARY KEY, name text, salary int)`, `CREATE TABLE secret (id int PRIMARY KEY, open_id int REFERENCES open)`, `INSERT INTO open VALUES (1, 'a', 5)`)
	role := strings.TrimPrefix(url[strings.Index(url, "test_"):strings.Index(url, "?")], "test_")
	for _, s := range []string{`CREATE ROLE reader_` + role + ` LOGIN`, `GRANT SELECT (id, name) ON open TO reader_` + role} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	h := open(t, sqldb.Config{URL: strings.Replace(url, "//postgres@", "//reader_"+role+"@", 1)})
	wantList(t, "tables", tableNames(t, h), []string{"open"})
	wantList(t, "fields", fieldNames(tableOf(t, h, "open")), []string{"id", "name"})
	wantList(t, "rows", ask(t, h, "open", "", nil, "name"), []string{"a"})
	if got := write(t, h, deputy.Failed, deputy.Change{Verb: deputy.Create, Table: "open", Values: set("", "", "id", query.Int, "2").Values}); got.Error != "The database does not let this be written." {
		t.Errorf("%+v", got)
	}
	if out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{{Change: set("open", "1", "name", query.String, "b")}}); deputy.CodeOf(err) != deputy.PermissionDenied || out != nil {
		t.Errorf("%v %v", out, err)
	}
}

func TestPostgresComparisons(t *testing.T) {
	t.Parallel()
	h := server(t, `CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`, `CREATE TYPE mood AS ENUM ('z', 'a')`,
		`CREATE TABLE x (id int PRIMARY KEY, s text COLLATE ci, c char(3), u uuid, m mood, d numeric, f float8, t timestamptz, n timestamp, day date, tags text[], nums int[], j jsonb, de text COLLATE "de-x-icu")`,
		`INSERT INTO x VALUES (1, 'a', 'ab', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'z', 1.50, 0.1, '2026-07-01 10:00Z', '2026-07-01 12:00', '2026-07-01', ARRAY['a','B'], ARRAY[1,2], '{"a":[1,{"b":"x"}],"n":1.50}', 'ä'),
			(2, 'A', 'ab ', NULL, 'a', 'NaN', 'NaN', 'infinity', 'infinity', 'infinity', NULL, '{}', '[]', 'z')`)
	for where, want := range map[string]string{
		`s == "a"`: "1", `s in ["A"]`: "2", `s < "a"`: "2", `s.contains("A")`: "1,2", `c == "ab"`: "1,2", `c == "ab "`: "", `c in ["ab"]`: "1,2", `u == "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`: "1", `u == "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"`: "", `u == "no uuid"`: "",
		`u in ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "x"]`: "1", `u != "x"`: "1,2", `m == "z"`: "1", `m > "m"`: "1", `m in ["a", "Z"]`: "1,2", `d > 0`: "1", `d == 1.5`: "1", `d != 1.5`: "2", `d == null`: "2", `f > 0`: "1", `f == 0.1`: "1", `f == f`: "1", `d == d`: "1",
		`t > timestamp("2020-01-01T00:00:00Z")`: "1", `t == timestamp("2026-07-01T10:00:00Z")`: "1", `t == t`: "1", `t == n`: "", `n > t`: "1", `n > timestamp("2020-01-01T00:00:00Z")`: "1", `day > date("2020-01-01")`: "1", `day == day`: "1", `day in [date("2026-07-01")]`: "1",
		`"a" in tags`: "1", `"b" in tags`: "", `!("b" in tags)`: "1,2", `tags == null`: "2", `2 in nums`: "1", `id in nums`: "1", `2.0 in nums`: "1", `j.n == 1.5`: "1", `j.a[1].b == "x"`: "1", `de < "z"`: "", `de == s`: "", `de > s`: "1,2", `c + "x" == "abx"`: "1,2", `lower(s) == "a"`: "1,2",
	} {
		if got := strings.Join(ask(t, h, "x", where, nil, "id"), ","); got != want {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
	}
	wantList(t, "by an enum, as texts", ask(t, h, "x", "", []string{"m"}, "m"), []string{"a", "z"})
	wantList(t, "by a text, by bytes", ask(t, h, "x", "", []string{"de"}, "de"), []string{"z", "ä"})
}

func TestPostgresWrites(t *testing.T) {
	t.Parallel()
	url, db := createPostgres(t, `CREATE TYPE mood AS ENUM ('sad', 'ok')`, `CREATE DOMAIN price AS numeric(6,2) CHECK (VALUE >= 0)`,
		`CREATE TABLE x (id int PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY, i2 smallint, d numeric(5,2), free numeric, r real, f float8, m mood, u uuid, p price, t timestamptz, n timestamp, n0 timestamp(0), day date, tags text[], nums int[], j json, jb jsonb, s varchar(3), photo bytea, iv interval)`,
		`INSERT INTO x (id) VALUES (1)`)
	h := open(t, sqldb.Config{URL: url, Zone: zoneOf(t, "Europe/Oslo")})
	for _, tt := range []struct {
		field string
		typ   query.Type
		text  string
		state deputy.State
		kept  string
	}{
		{"i2", query.Int, "32767", deputy.Done, "32767"}, {"i2", query.Int, "32768", deputy.Failed, "i2: a whole number from -32768 to 32767"}, {"d", query.Dec, "999.99", deputy.Done, "999.99"}, {"d", query.Dec, "1000", deputy.Failed, "at most 3 digits before the point"},
		{"d", query.Dec, "1.005", deputy.Failed, "at most 2 digits after the point"}, {"free", query.Dec, "1.23456789012345678901234567890", deputy.Done, "1.23456789012345678901234567890"}, {"r", query.Dec, "0.1", deputy.Done, "0.1"}, {"r", query.Dec, "16777217", deputy.Failed, "digits"}, {"f", query.Dec, "9007199254740993", deputy.Failed, "digits"},
		{"m", query.String, "ok", deputy.Done, "ok"}, {"m", query.String, "odd", deputy.Failed, "The database takes no such value for m."}, {"u", query.String, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", deputy.Done, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}, {"u", query.String, "x", deputy.Failed, "no such value"},
		{"p", query.Dec, "1.5", deputy.Done, "1.50"}, {"p", query.Dec, "-1", deputy.Failed, "rules refuse"}, {"t", query.Timestamp, "2026-07-01T12:30:00.5Z", deputy.Done, "2026-07-01 12:30:00.5+00"}, {"n", query.Timestamp, "2026-07-01T12:30:00Z", deputy.Done, "2026-07-01 14:30:00"},
		{"day", query.Date, "2026-02-28", deputy.Done, "2026-02-28"}, {"tags", query.List, `["a","b\"\\c",null,"{}","NULL",""]`, deputy.Done, `{a,"b\"\\c",NULL,"{}","NULL",""}`}, {"tags", query.List, `[]`, deputy.Done, `{}`}, {"nums", query.List, `[1,2]`, deputy.Done, `{1,2}`}, {"nums", query.List, `["x"]`, deputy.Failed, "no such value"},
		{"j", query.JSON, `{"b": 1, "a": 2}`, deputy.Done, `{"b": 1, "a": 2}`}, {"jb", query.JSON, `{"b":1,"a":2}`, deputy.Done, `{"a": 2, "b": 1}`}, {"s", query.String, "æøå", deputy.Done, "æøå"}, {"s", query.String, "abcd", deputy.Failed, "at most 3 characters"}, {"s", query.String, "a\x00", deputy.Failed, "NUL"},
		{"photo", query.String, "x", deputy.Failed, "cannot be written"}, {"iv", query.String, "2 hours", deputy.Done, "02:00:00"}, {"id", query.Int, "7", deputy.Failed, "cannot be written"},
	} {
		answer := write(t, h, tt.state, set("x", "1", tt.field, tt.typ, tt.text))
		if tt.state == deputy.Failed {
			if !strings.Contains(answer.Error, tt.kept) {
				t.Errorf("%s = %s: %s, want %s", tt.field, tt.text, answer.Error, tt.kept)
			}
			continue
		}
		var kept string
		if err := db.QueryRow(`SELECT ` + tt.field + `::text FROM x`).Scan(&kept); err != nil || kept != tt.kept {
			t.Errorf("%s = %s is kept as %s, %v; want %s", tt.field, tt.text, kept, err, tt.kept)
		}
	}
	if got := ask(t, h, "x", "", nil, "n", "t"); got[0] != "2026-07-01T12:30:00Z|2026-07-01T12:30:00.5Z" {
		t.Errorf("read again: %v", got)
	}
}

// TestPostgresVersions: a record of every type is the same when it is read for the version and when it is written.
func TestPostgresVersions(t *testing.T) {
	t.Parallel()
	url, db := createPostgres(t, `CREATE TABLE x (id int PRIMARY KEY, n int, d numeric, f float4, t timestamptz, nt timestamp, day date, tags text[], at timestamptz[], r tstzrange, iv interval, j json, jb jsonb, c char(5), m money, u uuid, nan numeric)`,
		`INSERT INTO x VALUES (1, 1, 1.50, 0.1, now(), now(), now(), ARRAY['a'], ARRAY[now()], tstzrange(now(), NULL), '1 day 2 hours', '{"a": [1,  2]}', '{"a": 1}', 'ab', 5, gen_random_uuid(), 'NaN')`)
	h := open(t, sqldb.Config{URL: url, Zone: zoneOf(t, "America/New_York")})
	all := fieldNames(tableOf(t, h, "x"))
	for n := 2; n < 4; n++ {
		rows, err := h.Query(t.Context(), deputy.Person{}, query.Query{Table: "x", Limit: 1, Version: all, Select: []query.Column{{As: "id", Expr: query.Lit{V: int64(1), T: query.Int}}}})
		if err != nil {
			t.Fatal(err)
		}
		c := set("x", "1", "n", query.Int, fmt.Sprint(n))
		c.Version, c.VersionOf = rows.Versions[0], all
		write(t, h, deputy.Done, c)
		if _, err := db.Exec(`ALTER DATABASE ` + url[strings.Index(url, "test_"):strings.Index(url, "?")] + ` SET TimeZone = 'Asia/Tokyo'`); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPostgresVersionsOfAnything: what is no value of the language is noticed when it changes.
func TestPostgresVersionsOfAnything(t *testing.T) {
	t.Parallel()
	url, db := createPostgres(t, `CREATE TABLE x (id int PRIMARY KEY, n int, v numeric, f float8, t timestamp, a text[], j json, b bytea)`, `INSERT INTO x VALUES (1, 1)`)
	h := open(t, sqldb.Config{URL: url})
	for column, odd := range map[string][]string{"v": {"'NaN'", "'Infinity'", "NULL", "1e120", "2e120"}, "f": {"'NaN'", "'-Infinity'", "1e300", "2e300"}, "t": {"'infinity'", "'-infinity'", "'0044-03-15 BC'", "'0044-03-14 BC'"},
		"a": {"'{{a}}'", "'{{b}}'", "'{}'", "NULL", "'{NULL}'"}, "j": {`'"\u0000"'`, `'"\ufffd"'`, `'[1]'`, `'null'`, "NULL"}, "b": {`'\x00'`, `'\x01'`, `''`, "NULL"}} {
		for i, v := range odd {
			for next, want := range map[string]deputy.State{v: deputy.Done, odd[(i+1)%len(odd)]: deputy.Outdated} {
				put := func(v string) {
					if _, err := db.Exec(`UPDATE x SET ` + column + ` = ` + v); err != nil {
						t.Fatal(err)
					}
				}
				put(v)
				w := versioned(t, h, "5", column)
				put(next)
				if out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w}); err != nil || out[0].State != want {
					t.Errorf("%s: %s, then %s: %v %v, want %s", column, v, next, out, err, want)
				}
			}
		}
	}
}

func TestPostgresMistakes(t *testing.T) {
	t.Parallel()
	url, db := createPostgres(t)
	name := url[strings.Index(url, "test_"):strings.Index(url, "?")]
	if _, err := db.Exec(`CREATE DATABASE latin_` + name + ` ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ url, want string }{
		{strings.Replace(url, name, "nowhere", 1), `host.database: `},
		{strings.Replace(url, name, "latin_"+name, 1), "host.database: the database is encoded in LATIN1; UTF8 is needed"},
		{"postgres://joe:geheim@127.0.0.1:1/x", "host.database: "},
	} {
		_, err := sqldb.Open(t.Context(), sqldb.Config{URL: tt.url})
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v, want %s", tt.url, err, tt.want)
		}
	}
}

func TestPostgresChinook(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("../../../shared/data/chinook/Chinook_PostgreSql.sql")
	if err != nil {
		t.Skip("the Chinook sample is not here: ", err)
	}
	_, text, _ := strings.Cut(string(script), `\c chinook;`)
	pg, lite := server(t, text), chinook(t, sqldb.Config{})
	wantList(t, "tables", tableNames(t, pg), tableNames(t, lite))
	for _, name := range tableNames(t, lite) {
		a, b := tableOf(t, pg, name), tableOf(t, lite, name)
		wantList(t, "relations of "+name, relationTexts(a), relationTexts(b))
		wantList(t, "key of "+name, a.Key, b.Key)
		columns := fieldNames(b)
		got, want := ask(t, pg, name, "", nil, columns...), ask(t, lite, name, "", nil, columns...)
		if len(got) != len(want) {
			t.Errorf("%s: %d rows, want %d", name, len(got), len(want))
			continue
		}
		for i := range want { // the two scripts differ in one space
			if got[i] != strings.Replace(want[i], "Edinburgh |", "Edinburgh|", 1) {
				t.Errorf("%s: %q, want %q", name, got[i], want[i])
			}
		}
	}
	for _, q := range chinookQuestions() {
		wantList(t, q.table+" where "+q.where, ask(t, pg, q.table, q.where, q.order, q.columns...), q.want)
	}
	wantList(t, "totals", ask(t, pg, "invoice", chinookCountries, []string{"billing_country"}, "billing_country", chinookTotal), chinookTotals())
}
