package sqldb_test

import (
	"database/sql"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/query"
)

const goAlong = "Records would go with it that you may not delete, or that are no part of this."

// deletion deletes a record of p, without any condition: the host has to find out by itself.
func deletion(key ...string) deputy.Change {
	return deputy.Change{Verb: deputy.Delete, Table: "p", Key: key}
}

// TestNothingGoesAlongUnseen: whatever refers to a record and would go or change along with it keeps it, offered or not, and however its
// column and the key are declared; once it is gone, the record can go.
func TestNothingGoesAlongUnseen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, parent, key, row, child, table, refers string
		hidden, later                                bool
	}{
		{name: "hidden", parent: "id INTEGER PRIMARY KEY", key: "1", row: "1", child: "p_id INT REFERENCES p", table: "audit", refers: "1", hidden: true},
		{name: "own", parent: "id INTEGER PRIMARY KEY", key: "1", row: "1", child: "p_id INT REFERENCES p", table: "deputy_x", refers: "1"},
		{name: "newer", parent: "id INTEGER PRIMARY KEY", key: "1", row: "1", child: "p_id INT REFERENCES p", table: "c", refers: "1", later: true},
		{name: "untyped", parent: "id INTEGER PRIMARY KEY", key: "1", row: "1", child: "p_id REFERENCES p", table: "c", refers: "1"},
		{name: "untyped text", parent: "id INTEGER PRIMARY KEY", key: "1", row: "1", child: "p_id REFERENCES p", table: "c", refers: "'01'"},
		{name: "collation", parent: "id TEXT COLLATE NOCASE PRIMARY KEY", key: "ABC", row: "'ABC'", child: "p_id TEXT REFERENCES P", table: "c", refers: "'abc'"},
		{name: "number of a text", parent: "id TEXT PRIMARY KEY", key: "1", row: "'1'", child: "p_id INT REFERENCES p", table: "c", refers: "1"},
		{name: "text of a number", parent: "id INTEGER PRIMARY KEY", key: "1", row: "1", child: "p_id TEXT REFERENCES p", table: "c", refers: "'1'"},
		{name: "blob", parent: "id INTEGER PRIMARY KEY, uid BLOB UNIQUE", key: "1", row: "1, x'01'", child: "p_id BLOB REFERENCES p (UID)", table: "c", refers: "x'01'"},
		{name: "no number", parent: "id INTEGER PRIMARY KEY, n INT UNIQUE", key: "1", row: "1, 'A7'", child: "p_id INT REFERENCES p (n)", table: "c", refers: "'A7'"},
		{name: "odd name", parent: "id INTEGER PRIMARY KEY", key: "1", row: "1", child: `p_id INT REFERENCES p`, table: `"we""ird; "`, refers: "1", hidden: true},
	} {
		for _, action := range []string{"CASCADE", "SET NULL", "SET DEFAULT"} {
			child := "CREATE TABLE " + tt.table + " (note TEXT, " + tt.child + " ON DELETE " + action + ")"
			statements := []string{"CREATE TABLE p (" + tt.parent + ")", "INSERT INTO p VALUES (" + tt.row + ")", child}
			if tt.later {
				statements = statements[:2]
			}
			path, db := create(t, statements...)
			config := sqldb.Config{URL: "sqlite:" + path}
			if tt.hidden {
				name := strings.Trim(strings.ReplaceAll(tt.table, `"we""ird; "`, "we_ird"), `"`)
				config.Tables = map[string]sqldb.Table{name: {Hidden: true}}
			}
			h := open(t, config)
			if tt.later {
				exec(t, db, child)
			}
			exec(t, db, "INSERT INTO "+tt.table+" VALUES ('x', "+tt.refers+")")
			if got := write(t, h, deputy.Failed, deletion(tt.key)); got.Error != goAlong {
				t.Errorf("%s %s: %+v", tt.name, action, got)
			}
			if n := count(t, db, "SELECT count(*) FROM "+tt.table+" WHERE p_id IS NOT NULL"); n != 1 {
				t.Errorf("%s %s: %d are left", tt.name, action, n)
			}
			exec(t, db, "DELETE FROM "+tt.table)
			write(t, h, deputy.Done, deletion(tt.key))
		}
	}
}

// TestARecordDoesNotHoldItself: what refers to itself can go, but not while another refers to it.
func TestARecordDoesNotHoldItself(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"", " WITHOUT ROWID"} {
		h := shop(t, `CREATE TABLE p (a INT, b TEXT, up_a INT, up_b TEXT, PRIMARY KEY (a, b), FOREIGN KEY (up_a, up_b) REFERENCES p ON DELETE CASCADE)`+end,
			`INSERT INTO p VALUES (1, 'x', 1, 'x'), (1, 'y', 1, 'x'), (2, 'x', 1, NULL)`)
		if got := write(t, h, deputy.Failed, deletion("1", "x")); got.Error != goAlong {
			t.Errorf("%+v", got)
		}
		write(t, h, deputy.Done, deletion("1", "y"))
		write(t, h, deputy.Done, deletion("1", "x"))
		wantList(t, "left", ask(t, h, "p", "", nil, "a", "b"), []string{"2|x"})
	}
}

// TestUntypedForeignKeys: a column without a type is what it refers to, over any number of steps.
func TestUntypedForeignKeys(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE a (id REFERENCES b, PRIMARY KEY (id))`, `CREATE TABLE b (id PRIMARY KEY REFERENCES p)`, `CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT)`, `CREATE TABLE loop (id PRIMARY KEY REFERENCES loop)`,
		`INSERT INTO p VALUES (1, 'one'), (2, 'two')`, `INSERT INTO b VALUES (2)`, `INSERT INTO a VALUES (2)`)
	wantList(t, "parents", ask(t, h, "a", "id == 2", nil, "id", "id.id.name"), []string{"2|two"})
	wantList(t, "children", ask(t, h, "p", "b.exists()", nil, "id"), []string{"2"})
}

func exec(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func count(t *testing.T, db *sql.DB, text string) (n int) {
	t.Helper()
	if err := db.QueryRow(text).Scan(&n); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}

// TestNoConflictIsSettledSilently: a table that says of its constraints that others' rows are replaced, or this one left out, loses none,
// and what its triggers say for themselves stays.
func TestNoConflictIsSettledSilently(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"REPLACE", "IGNORE", "ROLLBACK", "FAIL"} {
		path, _ := create(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, n INT UNIQUE on /* so */ conflict `+how+`, must INT NOT NULL ON CONFLICT `+how+` DEFAULT 7)`, `INSERT INTO x VALUES (1, 1, 1), (2, 2, 2)`)
		h := open(t, sqldb.Config{URL: "sqlite:" + path})
		const taken = "Another record has this value already: n."
		if got := write(t, h, deputy.Failed, set("x", "1", "n", query.Int, "2")); got.Error != taken {
			t.Errorf("%s: %+v", how, got)
		}
		if got := write(t, h, deputy.Failed, deputy.Change{Verb: deputy.Create, Table: "x", Values: set("", "", "n", query.Int, "2").Values}); got.Error != taken {
			t.Errorf("%s: %+v", how, got)
		}
		null := set("x", "1", "must", query.Int, "")
		null.Values[0].Text = nil
		if got := write(t, h, deputy.Failed, null); got.Error != "must must have a value." {
			t.Errorf("%s: %+v", how, got)
		}
		wantList(t, how, ask(t, h, "x", "", nil, "n", "must"), []string{"1|1", "2|2"})
	}
	h := shop(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, n INT)`, `CREATE TABLE seen (n INT UNIQUE)`, `INSERT INTO x VALUES (1, 1)`, `INSERT INTO seen VALUES (2)`,
		`CREATE TRIGGER s AFTER UPDATE ON x BEGIN INSERT OR IGNORE INTO seen VALUES (new.n); END`)
	write(t, h, deputy.Done, set("x", "1", "n", query.Int, "2"))
}

// TestAKeyOfSeveralRecords: rows whose keys read the same cannot be told apart, so none is changed.
func TestAKeyOfSeveralRecords(t *testing.T) {
	t.Parallel()
	const several = "Several records have this key, so none was changed."
	for _, tt := range []struct{ typ, one, two, key string }{
		{"DATE", "'2026-01-01'", "'2026-01-01 00:00:00'", "2026-01-01"}, {"NUMERIC(9,2)", "1.001", "1.002", "1.00"}, {"BOOL", "1", "2", "true"}, {"", "1", "'1'", "1"},
	} {
		h := shop(t, `CREATE TABLE p (k `+tt.typ+` PRIMARY KEY, n INT)`, `INSERT INTO p VALUES (`+tt.one+`, 1), (`+tt.two+`, 2)`)
		for _, c := range []deputy.Change{deletion(tt.key), set("p", tt.key, "n", query.Int, "5")} {
			if got := write(t, h, deputy.Failed, c); got.Error != several {
				t.Errorf("%s: %+v", tt.typ, got)
			}
			ws := []deputy.Write{{Change: deputy.Change{Verb: deputy.Create, Table: "p", Values: set("", "", "n", query.Int, "9").Values}}, {Change: c}}
			if out, err := h.Apply(t.Context(), deputy.Person{}, "key", ws); err != nil || out[1].State != deputy.Failed {
				t.Errorf("%s: %+v %v", tt.typ, out, err)
			}
		}
		wantList(t, tt.typ, ask(t, h, "p", "", []string{"n"}, "n"), []string{"1", "2"})
	}
}

// TestWhatIsKeptIsWhatWasConfirmed: a text that a column would make a number of is not written.
func TestWhatIsKeptIsWhatWasConfirmed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		typ, text string
		state     deputy.State
	}{
		{"STRING", "0150", deputy.Failed}, {"STRING", "1e5", deputy.Failed}, {"STRING", "150", deputy.Done}, {"STRING", "a150", deputy.Done}, {"UUID", "123e4567", deputy.Failed},
		{"YEAR", "0099", deputy.Failed}, {"JSON", "9223372036854775808", deputy.Failed}, {"JSON", `{"a": 1}`, deputy.Done}, {"INTERVAL", "01", deputy.Failed}, {"TEXT", "0150", deputy.Done},
		{"", "0150", deputy.Done}, {"STRING", "12345678901234567890", deputy.Failed},
	} {
		path, db := create(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, v `+tt.typ+`)`, `INSERT INTO x VALUES (1, NULL)`)
		h := open(t, sqldb.Config{URL: "sqlite:" + path})
		f, _ := tableOf(t, h, "x").Field("v")
		got := write(t, h, tt.state, set("x", "1", "v", f.Type, tt.text))
		if tt.state == deputy.Failed && (got.Error != "v: the column cannot keep this exactly." || count(t, db, `SELECT count(v) FROM x`) != 0) {
			t.Errorf("%s %s: %+v", tt.typ, tt.text, got)
		}
	}
}

// TestLeftOutByATrigger: a row that a trigger leaves as it is has not changed since; it is refused.
func TestLeftOutByATrigger(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, n INT)`, `INSERT INTO x VALUES (1, 1), (2, 2)`, `CREATE TRIGGER u BEFORE UPDATE ON x WHEN new.n = 5 BEGIN SELECT RAISE(IGNORE); END`,
		`CREATE TRIGGER d BEFORE DELETE ON x WHEN old.id = 1 BEGIN SELECT RAISE(IGNORE); END`, `CREATE TRIGGER i BEFORE INSERT ON x WHEN new.n = 5 BEGIN SELECT RAISE(IGNORE); END`)
	create := deputy.Write{Change: deputy.Change{Verb: deputy.Create, Table: "x", Values: set("", "", "n", query.Int, "5").Values}}
	for _, ws := range [][]deputy.Write{{versioned(t, h, "5")}, {{Change: deputy.Change{Verb: deputy.Delete, Table: "x", Key: []string{"1"}}}}, {create}, {{Change: set("x", "2", "n", query.Int, "3")}, versioned(t, h, "5")}} {
		out, err := h.Apply(t.Context(), deputy.Person{}, "key", ws)
		if last := out[len(out)-1]; err != nil || last.State != deputy.Failed || last.Error != "The database's own rules refuse this change." {
			t.Errorf("%+v %v", out, err)
		}
	}
	wantList(t, "left", ask(t, h, "x", "", nil, "n"), []string{"1", "2"})
}
