package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/query"
)

// TestAnythingAnywhere: SQLite keeps any value in any column. What is no value of the type is NULL, in what is read and in conditions.
func TestAnythingAnywhere(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, i INTEGER, s TEXT, d DECIMAL(10,2), b BOOLEAN, day DATE, at DATETIME, j JSON, f REAL, u)`,
		`INSERT INTO x VALUES (1, 'abc', x'00ff', 'abc', 'abc', 'abc', 'abc', 'abc', 'abc', 'abc')`,
		`INSERT INTO x VALUES (2, 1.5, 12, '1e3', 'TRUE', '2026-01-31 10:00:00', '2026-01-31', '5', 1e300, 5)`,
		`INSERT INTO x VALUES (3, 1e20, 1.5, 0.1 + 0.2, 2, 1769817600, 1769817600, '{"a":1}', 0.1, 1.5)`,
		`INSERT INTO x VALUES (4, x'31', 'z', 9007199254740993, '', 2461071.5, 1769817600123, '[1', -1e999, x'31')`)
	for _, tt := range []struct{ column, want string }{
		{"i", "-,-,-,-"}, {"s", "-,12,1.5,z"}, {"d", "-,1000.00,0.30,9007199254740993.00"}, {"b", "-,true,true,-"},
		{"day", "-,2026-01-31,2026-01-31,2026-01-31"}, {"at", "-,2026-01-31T00:00:00Z,2026-01-31T00:00:00Z,2026-01-31T00:00:00.123Z"},
		{"j", `-,5,{"a":1},-`}, {"f", "-,-,0.1,-"}, {"u", "abc,5,1.5,-"},
	} {
		got := strings.Join(ask(t, h, "x", "", []string{"id"}, tt.column), ",")
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.column, got, tt.want)
		}
		null := strings.Join(ask(t, h, "x", "", []string{"id"}, tt.column+" == null"), ",")
		want := ""
		for _, v := range strings.Split(tt.want, ",") {
			want += fmt.Sprintf(",%v", v == "-")
		}
		if ","+null != want && tt.column != "j" {
			t.Errorf("%s == null: %s, want %s", tt.column, null, want[1:])
		}
	}
	for where, want := range map[string]string{`i > 0`: "", `i < 0`: "", `i != 1`: "1,2,3,4", `s < "a"`: "2,3", `s > "0"`: "2,3,4", `d > 0`: "2,3,4", `d == 0.3`: "3", `u == "5"`: "2", `f > 0`: "3", `at > timestamp("2026-01-31T00:00:00Z")`: "4"} {
		if got := strings.Join(ask(t, h, "x", where, nil, "id"), ","); got != want {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
	}
}

func TestCollationAndAffinity(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, s TEXT COLLATE NOCASE, r TEXT COLLATE RTRIM, n STRING)`, `CREATE TABLE y (id INTEGER PRIMARY KEY, s TEXT, x_id INT REFERENCES x)`,
		`INSERT INTO x VALUES (1, 'a', 'a', '007'), (2, 'A', 'a ', 'x'), (3, 'b', 'b', '1.50')`, `INSERT INTO y VALUES (1, 'A', 2)`)
	for where, want := range map[string]string{`s == "a"`: "1", `s in ["A"]`: "2", `s < "a"`: "2", `r == "a"`: "1", `n == "7"`: "1", `n == "1.5"`: "3", `all.y.exists(y, y.s == s)`: "2"} {
		if got := strings.Join(ask(t, h, "x", where, nil, "id"), ","); got != want {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
	}
	if got := ask(t, h, "x", "", []string{"s"}, "s"); strings.Join(got, ",") != "A,a,b" {
		t.Errorf("by s: %v", got)
	}
}

func TestSecretsHaveAValueOrNot(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, photo BLOB, password TEXT)`, `INSERT INTO x VALUES (1, x'00', NULL), (2, NULL, 'p')`)
	table := tableOf(t, h, "x")
	for _, name := range []string{"photo", "password"} {
		f, _ := table.Field(name)
		has := query.Op{Fn: "!=", Args: []query.Expr{query.Ref{Table: "x", Field: f}, query.Lit{T: query.Null}}, T: query.Bool}
		rows, err := h.Query(t.Context(), deputy.Person{}, query.Query{Table: "x", Limit: 9, Select: []query.Column{{As: name, Expr: has}}})
		if err != nil || rows.Rows[0][0] != (name == "photo") || rows.Rows[1][0] != (name == "password") {
			t.Errorf("%s: %v %v", name, rows.Rows, err)
		}
	}
}

func TestTimestampsKeepTheirStyle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ sample, want string }{
		{"NULL", "'2026-07-01 14:30:00'"}, {"'2020-01-01 00:00:00'", "'2026-07-01 14:30:00'"}, {"'2020-01-01T00:00:00'", "'2026-07-01T14:30:00'"},
		{"'2020-01-01T00:00:00Z'", "'2026-07-01T12:30:00Z'"}, {"'2020-01-01 00:00:00.000'", "'2026-07-01 14:30:00.000'"}, {"'2020-01-01 00:00:00+01:00'", "'2026-07-01 12:30:00+00:00'"},
		{"'2020-01-01 00:00:00 +0000 UTC'", "'2026-07-01 12:30:00 +0000 UTC'"}, {"1577836800", "1782909000"}, {"1577836800000", "1782909000000"}, {"2458849.5", "'2026-07-01 14:30:00'"},
	} {
		path, db := create(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, at DATETIME)`, `INSERT INTO x VALUES (1, `+tt.sample+`)`)
		zone, err := time.LoadLocation("Europe/Oslo")
		if err != nil {
			t.Fatal(err)
		}
		h := open(t, sqldb.Config{URL: "sqlite:" + path, Zone: zone})
		text := "2026-07-01T12:30:00Z"
		write(t, h, deputy.Done, deputy.Change{Verb: deputy.Create, Table: "x", Values: []deputy.Assign{{Field: "at", Type: query.Timestamp, Text: &text}}})
		var got string
		if err := db.QueryRow(`SELECT quote(at) FROM x WHERE id = 2`).Scan(&got); err != nil || got != tt.want {
			t.Errorf("beside %s: %s, %v; want %s", tt.sample, got, err, tt.want)
		}
		if read := ask(t, h, "x", "id == 2", nil, "at"); read[0] != text {
			t.Errorf("beside %s: read again as %s", tt.sample, read[0])
		}
	}
}

// TestTimesAreKeptExactlyOrRefused: no digit of a timestamp is lost beside others that have fewer, and dates are written as theirs are.
func TestTimesAreKeptExactlyOrRefused(t *testing.T) {
	t.Parallel()
	const no = "the column cannot keep this exactly"
	for _, tt := range []struct{ column, sample, text, want string }{
		{"TIMESTAMP", "'2020-01-01 00:00:00'", "2026-07-01T12:30:00.123456Z", "'2026-07-01 14:30:00.123456'"},
		{"TIMESTAMP", "'2020-01-01 00:00:00.5'", "2026-07-01T12:30:00.123456Z", "'2026-07-01 14:30:00.123456'"},
		{"TIMESTAMP", "'2020-01-01 00:00:00.5Z'", "2026-07-01T12:30:00.75Z", "'2026-07-01 12:30:00.75Z'"},
		{"TIMESTAMP", "'2020-01-01 00:00:00.500'", "2026-07-01T12:30:00.75Z", "'2026-07-01 14:30:00.750'"},
		{"TIMESTAMP", "1577836800", "2026-07-01T12:30:00.75Z", no}, {"TIMESTAMP", "1577836800", "2026-07-01T12:30:00Z", "1782909000"},
		{"TIMESTAMP", "1577836800", "9999-07-01T12:30:00Z", no}, {"TIMESTAMP", "1577836800000", "1972-01-01T00:00:00Z", no},
		{"TIMESTAMP", "1577836800000", "2026-07-01T12:30:00.75Z", "1782909000750"}, {"TIMESTAMP", "1577836800000", "2026-07-01T12:30:00.000001Z", no},
		{"TIMESTAMP", "1577836800000000", "2026-07-01T12:30:00.000001Z", "1782909000000001"}, {"TIMESTAMP", "1577836800000000000", "2600-07-01T12:30:00Z", no},
		{"TIMESTAMP", "NULL", "2026-10-25T01:30:00Z", "'2026-10-25 02:30:00'"}, {"TIMESTAMP", "NULL", "2026-10-25T00:30:00Z", no}, // summer time ends: 02:30 comes twice
		{"DATE", "NULL", "2026-02-03", "'2026-02-03'"}, {"DATE", "'31.12.2026'", "2026-02-03", "'2026-02-03'"}, {"DATE", "'2020-01-01 00:00:00'", "2026-02-03", "'2026-02-03 00:00:00'"},
		{"DATE", "'2020-01-01 12:00:00'", "2026-02-03", "'2026-02-03'"}, {"DATE", "1577836800", "2026-02-03", "1770076800"}, {"DATE", "1577833200", "2026-02-03", "1770073200"},
		{"DATE", "1577836800000", "2026-02-03", "1770076800000"}, {"DATE", "1577836800000", "1972-01-01", no}, {"DATE", "2458849.5", "2026-02-03", "'2026-02-03'"},
	} {
		path, db := create(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, v `+tt.column+`)`, `INSERT INTO x VALUES (1, `+tt.sample+`)`)
		zone, err := time.LoadLocation("Europe/Oslo")
		if err != nil {
			t.Fatal(err)
		}
		h := open(t, sqldb.Config{URL: "sqlite:" + path, Zone: zone})
		f, _ := tableOf(t, h, "x").Field("v")
		state := deputy.Done
		if tt.want == no {
			state = deputy.Failed
		}
		answer := write(t, h, state, set("x", "1", "v", f.Type, tt.text))
		if tt.want == no {
			if answer.Error != "v: "+no+"." {
				t.Errorf("%s beside %s: %s", tt.text, tt.sample, answer.Error)
			}
			continue
		}
		var got string
		if err := db.QueryRow(`SELECT quote(v) FROM x`).Scan(&got); err != nil || got != tt.want {
			t.Errorf("%s beside %s: %s, %v; want %s", tt.text, tt.sample, got, err, tt.want)
		}
		if read := ask(t, h, "x", "", nil, "v"); read[0] != tt.text {
			t.Errorf("%s beside %s is read again as %s", tt.text, tt.sample, read[0])
		}
	}
}

// write applies one change and wants a state; it gives the answer.
func write(t testing.TB, h deputy.Host, state deputy.State, c deputy.Change) deputy.Applied {
	t.Helper()
	out, err := h.Apply(context.Background(), deputy.Person{}, "key", []deputy.Write{{Change: c}})
	if err != nil {
		t.Fatal(err)
	}
	if out[0].State != state {
		t.Fatalf("%+v: %+v, want %s", c, out[0], state)
	}
	return out[0]
}

func set(table, key, field string, typ query.Type, text string) deputy.Change {
	return deputy.Change{Verb: deputy.Update, Table: table, Key: []string{key}, Values: []deputy.Assign{{Field: field, Type: typ, Text: &text}}}
}

func TestValuesAreKeptExactlyOrRefused(t *testing.T) {
	t.Parallel()
	path, db := create(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, d DECIMAL(20,2), r REAL, free NUMERIC, short VARCHAR(3), b BOOLEAN, i INTEGER, j JSON)`, `INSERT INTO x (id) VALUES (1)`)
	h := open(t, sqldb.Config{URL: "sqlite:" + path})
	for _, tt := range []struct {
		field string
		typ   query.Type
		text  string
		state deputy.State
		kept  string
	}{
		{"d", query.Dec, "19.90", deputy.Done, "19.9"}, {"d", query.Dec, "9007199254740993", deputy.Done, "9007199254740993"},
		{"d", query.Dec, "12345678901234567.89", deputy.Failed, "digits"}, {"d", query.Dec, "1.005", deputy.Failed, "at most 2 digits"},
		{"r", query.Dec, "0.1", deputy.Done, "0.1"}, {"r", query.Dec, "9007199254740993", deputy.Failed, "digits"}, {"free", query.Dec, "1.23456", deputy.Done, "1.23456"},
		{"short", query.String, "æøå", deputy.Done, "'æøå'"}, {"short", query.String, "abcd", deputy.Failed, "at most 3 characters"},
		{"b", query.Bool, "true", deputy.Done, "1"}, {"i", query.Int, "-9223372036854775808", deputy.Done, "-9223372036854775808"}, {"i", query.Int, "1.5", deputy.Failed, "whole number"},
		{"j", query.JSON, `{"a": 1}`, deputy.Done, `'{"a": 1}'`}, {"id", query.Int, "7", deputy.Failed, "cannot be written"}, {"nix", query.Int, "7", deputy.Failed, "no field"},
	} {
		answer := write(t, h, tt.state, set("x", "1", tt.field, tt.typ, tt.text))
		if tt.state == deputy.Failed {
			if !strings.Contains(answer.Error, tt.kept) {
				t.Errorf("%s = %s: %s, want %s", tt.field, tt.text, answer.Error, tt.kept)
			}
			continue
		}
		var kept string
		if err := db.QueryRow(`SELECT quote(` + tt.field + `) FROM x`).Scan(&kept); err != nil || kept != tt.kept {
			t.Errorf("%s = %s is kept as %s, %v; want %s", tt.field, tt.text, kept, err, tt.kept)
		}
	}
}

func TestRefusalsOfTheDatabase(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE p (id INTEGER PRIMARY KEY)`, `INSERT INTO p VALUES (1)`,
		`CREATE TABLE x (id INTEGER PRIMARY KEY, "My Code" TEXT, n INT CHECK (n > 0), p_id INT REFERENCES p DEFERRABLE INITIALLY DEFERRED, q_id INT REFERENCES p, a INT, b INT, UNIQUE ("My Code"), UNIQUE (a, b))`,
		`CREATE TABLE kept (id INTEGER PRIMARY KEY, x_id INT REFERENCES x ON DELETE RESTRICT)`, `CREATE TABLE needs (id INTEGER PRIMARY KEY, x_id INT NOT NULL REFERENCES x ON DELETE SET NULL)`,
		`CREATE TRIGGER no BEFORE UPDATE OF n ON x WHEN new.n = 13 BEGIN SELECT RAISE(ABORT, 'secret of row 7'); END`, `INSERT INTO x VALUES (1, 'one', 1, 1, 1, 1, 2), (2, 'two', 2, 1, 1, 1, 3)`)
	for _, tt := range []struct{ field, text, want string }{
		{"my_code", "two", "Another record has this value already: my_code."}, {"n", "-1", "The database's own rules refuse these values: n."},
		{"n", "13", "The database's own rules refuse this change."}, {"p_id", "9", "The records refer to one that does not exist."}, {"q_id", "9", "There is no such record: q_id."},
		{"b", "3", "Another record has this value already: a, b."},
	} {
		typ := query.Int
		if tt.field == "my_code" {
			typ = query.String
		}
		if got := write(t, h, deputy.Failed, set("x", "1", tt.field, typ, tt.text)); got.Error != tt.want {
			t.Errorf("%s = %s: %s, want %s", tt.field, tt.text, got.Error, tt.want)
		}
	}
	write(t, h, deputy.Done, deputy.Change{Verb: deputy.Create, Table: "kept", Values: set("", "", "x_id", query.Int, "1").Values})
	write(t, h, deputy.Done, deputy.Change{Verb: deputy.Create, Table: "needs", Values: set("", "", "x_id", query.Int, "2").Values})
	for key, want := range map[string]string{"1": "Other records refer to this one, so it cannot be deleted.", "2": "Records would go with it that you may not delete, or that are no part of this."} {
		if got := write(t, h, deputy.Failed, deputy.Change{Verb: deputy.Delete, Table: "x", Key: []string{key}}); got.Error != want {
			t.Errorf("delete of %s: %s", key, got.Error)
		}
	}
	if got := ask(t, h, "x", "id == 1", nil, "my_code", "n", "p_id", "q_id", "b"); got[0] != "one|1|1|1|2" {
		t.Errorf("a refused change is there: %s", got[0])
	}
}

// TestVersionsOfAnything: whatever a column keeps, another field of its record can be changed, and a change of it in between is noticed.
func TestVersionsOfAnything(t *testing.T) {
	t.Parallel()
	odd := []string{`'abc'`, `'abd'`, `x'00ff'`, `x''`, `x'01'`, `1.5`, `9e999`, `'31.12.2026'`, `'30.12.2026'`, `''`, `CAST(x'ff' AS TEXT)`, `CAST(x'fe' AS TEXT)`, `CAST(x'7b7dff' AS TEXT)`,
		`'{"a":'`, `0.1 + 0.2`, `'  7 '`, `1e300`, `char(0) || 'x'`, `char(0) || 'y'`, `'12'`, `'2026-12-31'`, `1798675200`, `NULL`}
	for _, typ := range []string{"INTEGER", "NUMERIC", "DECIMAL(10,2)", "REAL", "TEXT", "TEXT COLLATE NOCASE", "VARCHAR(5)", "BOOLEAN", "DATE", "TIMESTAMP", "JSON", ""} {
		path, db := create(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, n INT, v `+typ+`)`, `INSERT INTO x VALUES (1, 1, NULL)`)
		h := open(t, sqldb.Config{URL: "sqlite:" + path})
		kept := func() (out string) {
			if err := db.QueryRow(`SELECT typeof(v) || quote(CAST(v AS BLOB)) FROM x`).Scan(&out); err != nil {
				t.Fatal(err)
			}
			return out
		}
		put := func(v string) {
			if _, err := db.Exec(`UPDATE x SET v = ` + v); err != nil {
				t.Fatal(err)
			}
		}
		states := func(v string) (string, deputy.State) {
			w := versioned(t, h, "5", "n", "v")
			put(v)
			out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w})
			if err != nil {
				t.Fatal(err)
			}
			return kept(), out[0].State
		}
		for i, v := range odd {
			put(v)
			before, shown := kept(), ask(t, h, "x", "", nil, "v")
			if after, state := states(v); state != deputy.Done || after != before {
				t.Errorf("%s %s: %s, %s became %s", typ, v, state, before, after)
			}
			next := odd[(i+1)%len(odd)]
			after, state := states(next)
			if same := before == after || shown[0] != "-" && shown[0] == ask(t, h, "x", "", nil, "v")[0]; state != deputy.Outdated && !same {
				t.Errorf("%s: %s in place of %s is %s, want stale", typ, next, v, state)
			}
		}
	}
}

// TestTriggersOfTheGroup: what a change of the group sets off does not make the record of a later one another than was shown.
func TestTriggersOfTheGroup(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, n INT)`, `CREATE TABLE lines (id INTEGER PRIMARY KEY, x_id INT REFERENCES x ON DELETE CASCADE)`,
		`CREATE TRIGGER count AFTER DELETE ON lines BEGIN UPDATE x SET n = n - 1 WHERE id = old.x_id; END`, `INSERT INTO x VALUES (1, 1)`, `INSERT INTO lines VALUES (7, 1)`)
	whole := versioned(t, h, "0")
	whole.Verb, whole.Values = deputy.Delete, nil
	line := deputy.Write{Change: deputy.Change{Verb: deputy.Delete, Table: "lines", Key: []string{"7"}}}
	out, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{line, whole})
	if err != nil || out[0].State != deputy.Done || out[1].State != deputy.Done {
		t.Errorf("%+v %v, want both done", out, err)
	}
}

// TestLongQuestionsStop: a context that ends stops a question that would take hours.
func TestLongQuestionsStop(t *testing.T) {
	t.Parallel()
	path, _ := create(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, n INT)`, `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000) INSERT INTO x SELECT i, i FROM c`)
	h := open(t, sqldb.Config{URL: "sqlite:" + path})
	where := compile(t, query.Env{Catalog: catalogOf(t, h), Table: "x"}, `all.x.exists(a, all.x.exists(b, all.x.exists(c, a.n + b.n + c.n + n == -1)))`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := h.Query(ctx, deputy.Person{}, query.Query{Table: "x", Where: where, Limit: 1, Select: []query.Column{{As: "n", Expr: query.Lit{V: int64(1), T: query.Int}}}})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
	if got := ask(t, h, "x", "id == 1", nil, "n"); got[0] != "1" {
		t.Errorf("afterwards: %v", got)
	}
}

// TestTooMuchToAsk: what SQLite's limits do not allow is said so that one can ask for less.
func TestTooMuchToAsk(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, n INT)`, `INSERT INTO x VALUES (1, 1)`)
	n := compile(t, query.Env{Catalog: catalogOf(t, h), Table: "x"}, `n + 1`)
	deep := compile(t, query.Env{Catalog: catalogOf(t, h), Table: "x"}, `n == 1`)
	for range 3000 {
		deep = query.Op{Fn: "!", Args: []query.Expr{deep}, T: query.Bool}
	}
	for _, many := range []int{1, 1599, 1601, 2500, 12000} {
		columns, orders := make([]query.Column, many), make([]query.Order, many)
		for i := range many {
			columns[i], orders[i] = query.Column{As: fmt.Sprint("c", i), Expr: n}, query.Order{Expr: n}
		}
		for _, q := range []query.Query{{Select: columns}, {Select: columns[:1], Order: orders}, {Select: columns, Order: orders}} {
			q.Table, q.Limit = "x", 1
			rows, err := h.Query(t.Context(), deputy.Person{}, q)
			if many < 1600 && (err != nil || len(rows.Rows) != 1) || many > 1600 && (deputy.CodeOf(err) != deputy.Invalid || !strings.Contains(deputy.MessageOf(err), "ask for fewer")) {
				t.Errorf("%d: %v", many, err)
			}
		}
	}
	if _, err := h.Query(t.Context(), deputy.Person{}, query.Query{Table: "x", Limit: 1, Select: []query.Column{{As: "n", Expr: n}}, Where: deep}); deputy.CodeOf(err) != deputy.Invalid {
		t.Errorf("a deep condition: %v", err)
	}
	w := deputy.Write{Change: deputy.Change{Verb: deputy.Delete, Table: "x", Key: []string{"1"}}, When: deep}
	if _, err := h.Apply(t.Context(), deputy.Person{}, "key", []deputy.Write{w}); deputy.CodeOf(err) != deputy.Invalid {
		t.Errorf("a deep condition of a change: %v", err)
	}
}

func TestManyParents(t *testing.T) {
	t.Parallel()
	var columns, values, asked, want []string
	for i := range 100 {
		columns = append(columns, fmt.Sprintf("c%d_id INT REFERENCES p", i))
		values = append(values, fmt.Sprint(i%3))
		asked = append(asked, fmt.Sprintf("c%d.up.name", i))
		want = append(want, []string{"-", "two", "-"}[i%3])
	}
	h := shop(t, `CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT, up_id INT REFERENCES p)`, `INSERT INTO p VALUES (1, 'one', 2), (2, 'two', NULL)`,
		`CREATE TABLE x (`+strings.Join(columns, ", ")+`)`, `INSERT INTO x VALUES (`+strings.Join(values, ", ")+`)`)
	if got := ask(t, h, "x", "", nil, asked...); len(got) != 1 || got[0] != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, strings.Join(want, "|"))
	}
}

func TestTimestampsWithoutRowNumbers(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE x (code TEXT PRIMARY KEY, at DATETIME) WITHOUT ROWID`, `INSERT INTO x VALUES ('a', '2026-01-01T00:00:00Z')`)
	write(t, h, deputy.Done, set("x", "a", "at", query.Timestamp, "2026-02-01T00:00:00Z"))
	if got := ask(t, h, "x", "", nil, "at"); got[0] != "2026-02-01T00:00:00Z" {
		t.Errorf("%v", got)
	}
}
