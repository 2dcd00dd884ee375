package sqldb_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/redact"
	"example.com/deputy/query"
)

func TestMariaTypes(t *testing.T) {
	t.Parallel()
	type line struct{ decl, value, want, read string }
	lines := []line{
		{"tinyint", "7", "int -1 0", "7"}, {"smallint", "-7", "int -1 0", "-7"}, {"mediumint unsigned", "7", "int -1 0", "7"}, {"int unsigned", "4294967295", "int -1 0", "4294967295"}, {"bigint", "9223372036854775807", "int -1 0", "9223372036854775807"},
		{"bigint unsigned", "18446744073709551615", "decimal 0 0", "18446744073709551615"}, {"decimal(10, 2)", "1.5", "decimal 2 0", "1.50"}, {"decimal(5)", "7", "decimal 0 0", "7"}, {"decimal(65,30)", "0.1", "decimal 30 0", "0.100000000000000000000000000000"},
		{"float", "0.1", "decimal -1 0", "0.1"}, {"double", "0.1", "decimal -1 0", "0.1"}, {"double", "1e22", "decimal -1 0", "10000000000000000000000"}, {"float", "16777217", "decimal -1 0", "16777216"},
		{"boolean", "true", "bool -1 0", "true"}, {"tinyint(1)", "2", "bool -1 0", "true"}, {"bit(1)", "b'0'", "bool -1 0", "false"}, {"bit(5)", "b'101'", "int -1 0", "5"}, {"year", "2026", "int -1 0", "2026"},
		{"text", "'x'", "string -1 0", "x"}, {"varchar(40) CHARACTER SET latin1", "'é'", "string -1 40", "é"}, {"char(4)", "'x'", "string -1 4", "x"}, {"mediumtext", "'😀'", "string -1 0", "😀"}, {"enum('sad', 'it''s ok')", "'it''s ok'", "string -1 0", "it's ok"},
		{"set('a', 'b\"c', 'd')", "'a,b\"c'", "list -1 0", `["a","b\"c"]`}, {"set('a')", "''", "list -1 0", "[]"}, {"time", "'-10:30:00'", "string -1 0", "-10:30:00"}, {"uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "string -1 0", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}, {"inet6", "'::1'", "string -1 0", "::1"},
		{"date", "'2026-01-31'", "date -1 0", "2026-01-31"}, {"date", "'0000-00-00'", "date -1 0", "-"}, {"date", "'2026-00-10'", "date -1 0", "-"}, {"date", "'2026-01-00'", "date -1 0", "-"}, {"date", "'0000-05-05'", "date -1 0", "-"},
		{"timestamp", "'2026-07-01 10:00'", "timestamp -1 0", "2026-07-01T10:00:00Z"}, {"timestamp NULL", "'0000-00-00 00:00:00'", "timestamp -1 0", "-"}, {"datetime", "'2026-07-01 12:00'", "timestamp -1 0", "2026-07-01T10:00:00Z"}, {"datetime(3)", "'2026-01-01 12:00:00.125'", "timestamp -1 0", "2026-01-01T11:00:00.125Z"},
		{"datetime", "'0000-00-00 00:00:00'", "timestamp -1 0", "-"}, {"datetime", "'2026-13-01 00:00:00'", "timestamp -1 0", "-"}, {"json", `'{"b": 1e2, "a": 1.50}'`, "json -1 0", `{"b": 1e2, "a": 1.50}`}, {"timestamp NULL", "NULL", "timestamp -1 0", "-"},
	}
	var columns, values []string
	for i, l := range lines {
		columns, values = append(columns, fmt.Sprintf("c%d %s", i, l.decl)), append(values, l.value)
	}
	url, _ := createMaria(t, `CREATE TABLE x (`+strings.Join(columns, ", ")+`) CHARACTER SET utf8mb4`, `INSERT IGNORE INTO x VALUES (`+strings.Join(values, ", ")+`)`)
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

func TestMariaSchema(t *testing.T) {
	t.Parallel()
	h := mariaServer(t,
		`CREATE TABLE "Customers" (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, name varchar(50) NOT NULL, code varchar(8) UNIQUE COMMENT 'As printed', state enum('new', 'It''s done') NOT NULL DEFAULT 'new', photo blob, password varchar(99), big bigint unsigned,
			kind varchar(9) CHECK (kind IN ('a', 'b (c)', 'it''s')), rank int CHECK (rank IN (1, -2)), free varchar(9) CHECK (char_length(free) > 3),
			upper_name varchar(50) GENERATED ALWAYS AS (upper(name)) STORED, created timestamp NOT NULL DEFAULT current_timestamp(), parent_id bigint unsigned, FOREIGN KEY (parent_id) REFERENCES "Customers" (id)) COMMENT 'Who buys'`,
		`CREATE TABLE keyed (id char(36) PRIMARY KEY DEFAULT uuid(), n int, a int, b int, UNIQUE (a, b))`,
		`CREATE TABLE "Order ""Lines"" ☃" (b int, a int, customer bigint unsigned NOT NULL, "select" int, PRIMARY KEY (a, b), FOREIGN KEY (customer) REFERENCES "Customers" (id) ON DELETE CASCADE)`,
		`CREATE TABLE refers (id int PRIMARY KEY, k_a int, k_b int, FOREIGN KEY (k_a, k_b) REFERENCES keyed (a, b) ON DELETE SET NULL)`,
		`CREATE VIEW seen AS SELECT id, name FROM "Customers"`, `CREATE TABLE deputy_turns (id int)`, `CREATE TABLE gone (id int)`, `CREATE VIEW broken AS SELECT id FROM gone`, `DROP TABLE gone`, `CREATE SEQUENCE numbered`)
	wantList(t, "tables", tableNames(t, h), []string{"customers", "keyed", "order_lines", "refers", "seen"})
	c := tableOf(t, h, "customers")
	var got []string
	for _, f := range c.Fields {
		got = append(got, fmt.Sprintf("%s %s required=%v generated=%v read-only=%v unique=%v secret=%v default=%s values=%q", f.Name, f.Type, f.Required, f.Generated, f.ReadOnly, f.Unique, f.Secret, f.Default, f.Values))
	}
	wantList(t, "fields", got, []string{
		`id int required=false generated=true read-only=false unique=false secret=false default= values=[]`,
		`name string required=true generated=false read-only=false unique=false secret=false default= values=[]`,
		`code string required=false generated=false read-only=false unique=true secret=false default= values=[]`,
		`state string required=false generated=false read-only=false unique=false secret=false default=new values=["new" "It's done"]`,
		`photo string required=false generated=false read-only=true unique=false secret=true default= values=[]`,
		`password string required=false generated=false read-only=false unique=false secret=true default= values=[]`,
		`big decimal required=false generated=false read-only=false unique=false secret=false default= values=[]`,
		`kind string required=false generated=false read-only=false unique=false secret=false default= values=["a" "b (c)" "it's"]`,
		`rank int required=false generated=false read-only=false unique=false secret=false default= values=["1" "-2"]`,
		`free string required=false generated=false read-only=false unique=false secret=false default= values=[]`,
		`upper_name string required=false generated=true read-only=false unique=false secret=false default= values=[]`,
		`created timestamp required=false generated=false read-only=false unique=false secret=false default=current_timestamp() values=[]`,
		`parent_id int required=false generated=false read-only=false unique=false secret=false default= values=[]`,
	})
	if code, _ := c.Field("code"); c.Comment != "Who buys" || code.Comment != "As printed" {
		t.Errorf("comments: %q %q", c.Comment, code.Comment)
	}
	wantList(t, "relations", relationTexts(c), []string{"customers_by_parent_id<-customers id=parent_id", "order_lines<-order_lines id=customer", "parent->customers parent_id=id"})
	for table, want := range map[string][]string{"order_lines": {"a", "b"}, "keyed": {"id"}, "seen": nil} {
		wantList(t, "key of "+table, tableOf(t, h, table).Key, want)
		if view := tableOf(t, h, table).View; view != (want == nil) {
			t.Errorf("%s: view %v", table, view)
		}
	}
	lines, _ := c.Relation("order_lines")
	other, _ := tableOf(t, h, "keyed").Relation("refers")
	if id, _ := tableOf(t, h, "keyed").Field("id"); !lines.Cascade || !other.Nullify || !id.Generated {
		t.Errorf("cascade %v, nullify %v, generated %v", lines.Cascade, other.Nullify, id.Generated)
	}
	made := write(t, h, deputy.Done, deputy.Change{Verb: deputy.Create, Table: "keyed", Values: set("", "", "n", query.Int, "7").Values})
	wantList(t, "a key that the database makes", ask(t, h, "keyed", "", nil, "id", "n"), []string{made.Key[0] + "|7"})
	made = write(t, h, deputy.Done, deputy.Change{Verb: deputy.Create, Table: "customers", Values: set("", "", "name", query.String, `"ann" 😀`).Values})
	line := deputy.Change{Verb: deputy.Create, Table: "order_lines", Values: append(append(set("", "", "a", query.Int, "1").Values, set("", "", "b", query.Int, "2").Values...), append(set("", "", "customer", query.Int, made.Key[0]).Values, set("", "", "select", query.Int, "3").Values...)...)}
	write(t, h, deputy.Done, line)
	wantList(t, "odd names", ask(t, h, "order_lines", `customer.name.contains("😀") && select == 3`, nil, "a", "b", "customer.upper_name"), []string{`1|2|"ANN" 😀`})
	if got := write(t, h, deputy.Failed, deputy.Change{Verb: deputy.Delete, Table: "customers", Key: made.Key}); got.Error != goAlong {
		t.Errorf("%+v", got)
	}
}

// TestMariaComparesExactly: whatever a column's collation takes for the same, the language does not; and it finds by index what is the same.
func TestMariaComparesExactly(t *testing.T) {
	t.Parallel()
	h := mariaServer(t, `CREATE TABLE x (id int PRIMARY KEY, u varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, l varchar(20) CHARACTER SET latin1, b varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, n varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin, KEY (u)) CHARACTER SET utf8mb4`,
		`INSERT INTO x VALUES (1, 'É', 'É', 'a ', 'a '), (2, 'e', 'e', 'a', 'a'), (3, 'a ', 'a ', 'A', 'A'), (4, 'a', 'a', '', '')`)
	for where, want := range map[string][]string{
		`u == "e"`: {"2"}, `u == "a"`: {"4"}, `u == "É"`: {"1"}, `l == "e"`: {"2"}, `l == "É"`: {"1"}, `l == "日"`: nil, `b == "a"`: {"2"}, `n == "a"`: {"2"}, `u in ["A", "E", "a "]`: {"3"}, `u == l`: {"1", "2", "3", "4"}, `u == n`: nil, `b < "a"`: {"3", "4"}, `u.contains("É")`: {"1"}, `u.contains("é")`: {"1"}, `u + l == "ee"`: {"2"},
	} {
		wantList(t, where, ask(t, h, "x", where, []string{"id"}, "id"), want)
	}
	wantList(t, "in the order of code points", ask(t, h, "x", "", []string{"u"}, "u"), []string{"a", "a ", "e", "É"})
}

// TestMariaNothingGoesAlongUnseen: whatever refers to a record and would go or change along with it keeps it, in whatever database it stands.
func TestMariaNothingGoesAlongUnseen(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ parent, row, child, refers string }{
		"hidden": {"id int PRIMARY KEY", "1", "p_id int", "1"}, "letters alike": {"id varchar(9) PRIMARY KEY", "'A'", "p_id varchar(9)", "'a'"}, "another database": {"id int PRIMARY KEY", "1", "p_id int", "1"}, "newer": {"id int PRIMARY KEY", "1", "p_id int", "1"},
	} {
		for _, action := range []string{"CASCADE", "SET NULL"} {
			url, db := createMaria(t, `CREATE TABLE p (`+tt.parent+`)`, `INSERT INTO p VALUES (`+tt.row+`)`)
			table := `"odd ""name"`
			if name == "another database" {
				otherURL, _ := createMaria(t)
				table = strings.TrimPrefix(otherURL[:strings.Index(otherURL, "?")], "mysql://root@/") + ".c"
			}
			var own string
			if err := db.QueryRow(`SELECT DATABASE()`).Scan(&own); err != nil {
				t.Fatal(err)
			}
			child := `CREATE TABLE ` + table + ` (` + tt.child + `, FOREIGN KEY (p_id) REFERENCES ` + own + `.p (id) ON DELETE ` + action + `)`
			c := sqldb.Config{URL: url}
			if name == "hidden" {
				exec(t, db, child)
				c.Tables = map[string]sqldb.Table{"odd_name": {Hidden: true}}
			}
			h := open(t, c)
			if name != "hidden" {
				exec(t, db, child)
			}
			exec(t, db, `INSERT INTO `+table+` VALUES (`+tt.refers+`)`)
			key := strings.Trim(tt.row, "'")
			if got := write(t, h, deputy.Failed, deletion(key)); got.Error != goAlong {
				t.Errorf("%s %s: %+v", name, action, got)
			}
			if n := count(t, db, `SELECT count(p_id) FROM `+table); n != 1 {
				t.Errorf("%s %s: %d are left", name, action, n)
			}
			exec(t, db, `DELETE FROM `+table)
			write(t, h, deputy.Done, deletion(key))
		}
	}
}

func TestMariaARecordDoesNotHoldItself(t *testing.T) {
	t.Parallel()
	h := mariaServer(t, `CREATE TABLE p (a int, b varchar(9), up_a int, up_b varchar(9), PRIMARY KEY (a, b), FOREIGN KEY (up_a, up_b) REFERENCES p (a, b) ON DELETE CASCADE)`,
		`INSERT INTO p VALUES (1, 'x', 1, 'x'), (1, 'y', 1, 'x'), (2, 'x', 1, NULL)`)
	if got := write(t, h, deputy.Failed, deletion("1", "x")); got.Error != goAlong {
		t.Errorf("%+v", got)
	}
	write(t, h, deputy.Done, deletion("1", "y"))
	write(t, h, deputy.Done, deletion("1", "x"))
	wantList(t, "left", ask(t, h, "p", "", nil, "a", "b"), []string{"2|x"})
}

// TestMariaAccountSeesItsOwn: what the account may not read is not offered, what it may not write is refused, and where it is not told of all
// tables, nothing is deleted.
func TestMariaAccountSeesItsOwn(t *testing.T) {
	t.Parallel()
	url, db := createMaria(t, `CREATE TABLE p (id int PRIMARY KEY, n int, secret_of_others int)`, `INSERT INTO p VALUES (1, 1, 1)`, `CREATE TABLE c (p_id int, FOREIGN KEY (p_id) REFERENCES p (id) ON DELETE CASCADE)`, `INSERT INTO c VALUES (1)`, `CREATE TABLE seen (id int PRIMARY KEY, n int)`, `INSERT INTO seen VALUES (1, 1)`)
	name := strings.TrimPrefix(url[:strings.Index(url, "?")], "mysql://root@/")
	exec(t, db, `CREATE USER u_`+name+` IDENTIFIED BY 'p@ss/word'`, `GRANT SELECT (id, n), UPDATE (n), DELETE ON p TO u_`+name, `GRANT SELECT ON seen TO u_`+name)
	h := open(t, sqldb.Config{URL: strings.Replace(url, "root@/", "u_"+name+":p%40ss%2Fword@/", 1)})
	wantList(t, "tables", tableNames(t, h), []string{"p", "seen"})
	if got := len(tableOf(t, h, "p").Fields); got != 2 {
		t.Errorf("%d fields", got)
	}
	if got := write(t, h, deputy.Failed, deletion("1")); got.Error != goAlong {
		t.Errorf("%+v", got)
	}
	if n := count(t, db, `SELECT count(*) FROM c`); n != 1 {
		t.Errorf("%d are left", n)
	}
	if got := write(t, h, deputy.Failed, set("seen", "1", "n", query.Int, "2")); got.Error != "The database does not let this be written." {
		t.Errorf("%+v", got)
	}
}

// TestMariaErrorsAsTheLogHasThem: the server's code, and no value that its sentence quotes.
func TestMariaErrorsAsTheLogHasThem(t *testing.T) {
	t.Parallel()
	h := mariaServer(t, `CREATE TABLE x (id int PRIMARY KEY, n bigint)`, `INSERT INTO x VALUES (1, 9223372036854775807)`, `CREATE VIEW v AS SELECT n + n AS n FROM x`)
	err := brokenView(t, h)
	if got, want := redact.Error(err), "MariaDB error 1690, SQLSTATE 22003"; got != want || !strings.Contains(err.Error(), "out of range") {
		t.Errorf("%q, want %q; of %v", got, want, err)
	}
}

func TestMariaURLs(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"mysql://": "cannot be read", "mysql://host": "cannot be read", "mysql://u:secret@host:x/d": "cannot be read", "mysql://u:secret@host/d?tls=maybe": "`tls=maybe`",
	} {
		_, err := sqldb.Open(t.Context(), sqldb.Config{URL: url})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := sqldb.Open(t.Context(), sqldb.Config{URL: "mysql://u:secret@127.0.0.1:1/d"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
	if _, err := sqldb.Open(t.Context(), sqldb.Config{URL: "mysql://u@host/d", Schemas: []string{"x"}}); err == nil || !strings.Contains(err.Error(), "no schemas") {
		t.Errorf("%v", err)
	}
}
