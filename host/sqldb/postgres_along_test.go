package sqldb_test

import (
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
)

// TestPostgresNothingGoesAlongUnseen: whatever refers to a record and would go or change along with it keeps it, in whatever schema it
// stands and however its column is declared.
func TestPostgresNothingGoesAlongUnseen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, parent, row, key, child, refers string }{
		{"another schema", `CREATE TABLE p (id int PRIMARY KEY)`, "1", "1", `CREATE TABLE other.c (p_id int REFERENCES p ON DELETE `, "1"},
		{"own", `CREATE TABLE p (id int PRIMARY KEY)`, "1", "1", `CREATE TABLE deputy_c (p_id bigint REFERENCES p ON DELETE `, "1"},
		{"odd name", `CREATE TABLE p (id int PRIMARY KEY)`, "1", "1", `CREATE TABLE "odd ""name; " (p_id smallint REFERENCES p ON DELETE `, "1"},
		{"types", `CREATE TABLE p (id varchar(9) PRIMARY KEY)`, "'a'", "a", `CREATE TABLE other.c (p_id text REFERENCES p ON DELETE `, "'a'"},
		{"collations", `CREATE TABLE p (id text COLLATE "C" PRIMARY KEY)`, "'a'", "a", `CREATE TABLE other.c (p_id text COLLATE "POSIX" REFERENCES p ON DELETE `, "'a'"},
		{"letters alike", `CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false); CREATE TABLE p (id text COLLATE ci PRIMARY KEY)`, "'A'", "A", `CREATE TABLE other.c (p_id text COLLATE ci REFERENCES p ON DELETE `, "'a'"},
		{"an array", `CREATE TABLE p (id int PRIMARY KEY, a int[] UNIQUE)`, "1, '{1}'", "1", `CREATE TABLE other.c (p_id int[] REFERENCES p (a) ON DELETE `, "'{1}'"},
		{"a domain", `CREATE DOMAIN other.d AS int; CREATE TABLE p (id other.d PRIMARY KEY)`, "1", "1", `CREATE TABLE other.c (p_id bigint REFERENCES p ON DELETE `, "1"},
		{"a partition", `CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (9)`, "1", "1", `CREATE TABLE other.c (p_id int REFERENCES p1 ON DELETE `, "1"},
		{"partitioned", `CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (9)`, "1", "1", `CREATE TABLE other.c (p_id int REFERENCES p ON DELETE `, "1"},
	} {
		for _, action := range []string{"CASCADE", "SET NULL", "SET DEFAULT"} {
			where, db := createPostgres(t, `CREATE SCHEMA other`, tt.parent, `INSERT INTO p VALUES (`+tt.row+`)`)
			h := open(t, sqldb.Config{URL: where})
			exec(t, db, tt.child+action+`)`)
			name := ""
			if err := db.QueryRow(`SELECT conrelid::regclass::text FROM pg_constraint WHERE contype = 'f' AND conparentid = 0`).Scan(&name); err != nil {
				t.Fatal(err)
			}
			exec(t, db, `INSERT INTO `+name+` VALUES (`+tt.refers+`)`)
			if got := write(t, h, deputy.Failed, deletion(tt.key)); got.Error != goAlong {
				t.Errorf("%s %s: %+v", tt.name, action, got)
			}
			if n := count(t, db, `SELECT count(p_id) FROM `+name); n != 1 {
				t.Errorf("%s %s: %d are left", tt.name, action, n)
			}
			exec(t, db, `DELETE FROM `+name)
			write(t, h, deputy.Done, deletion(tt.key))
		}
	}
}

func TestPostgresARecordDoesNotHoldItself(t *testing.T) {
	t.Parallel()
	h := server(t, `CREATE TABLE p (a int, b text, up_a int, up_b text, PRIMARY KEY (a, b), FOREIGN KEY (up_a, up_b) REFERENCES p ON DELETE CASCADE)`,
		`INSERT INTO p VALUES (1, 'x', 1, 'x'), (1, 'y', 1, 'x'), (2, 'x', 1, NULL)`)
	if got := write(t, h, deputy.Failed, deletion("1", "x")); got.Error != goAlong {
		t.Errorf("%+v", got)
	}
	write(t, h, deputy.Done, deletion("1", "y"))
	write(t, h, deputy.Done, deletion("1", "x"))
	wantList(t, "left", ask(t, h, "p", "", nil, "a", "b"), []string{"2|x"})
}

// TestPostgresWhatTheRoleMayNotSee: rows that the role may not read, or that a policy hides from it, may be there.
func TestPostgresWhatTheRoleMayNotSee(t *testing.T) {
	t.Parallel()
	for _, rights := range []string{``, `GRANT SELECT ON c TO `, `ALTER TABLE c ENABLE ROW LEVEL SECURITY; GRANT SELECT ON c TO `} {
		url, db := createPostgres(t, `CREATE TABLE p (id int PRIMARY KEY)`, `INSERT INTO p VALUES (1), (2)`, `CREATE TABLE c (p_id int REFERENCES p ON DELETE CASCADE)`, `INSERT INTO c VALUES (1)`)
		role := "deletes_" + strings.TrimPrefix(url[strings.Index(url, "test_"):strings.Index(url, "?")], "test_")
		exec(t, db, `CREATE ROLE `+role+` LOGIN`, `GRANT SELECT, UPDATE, DELETE ON p TO `+role)
		if rights != "" {
			exec(t, db, rights+role)
		}
		h := open(t, sqldb.Config{URL: strings.Replace(url, "//postgres@", "//"+role+"@", 1)})
		if got := write(t, h, deputy.Failed, deletion("1")); got.Error != goAlong {
			t.Errorf("%q: %+v", rights, got)
		}
		if n := count(t, db, `SELECT count(*) FROM c`); n != 1 {
			t.Errorf("%q: %d are left", rights, n)
		}
	}
}

// TestPostgresWhatIsKeptIsWhatWasConfirmed: what a type or a trigger makes of a value is not written.
func TestPostgresWhatIsKeptIsWhatWasConfirmed(t *testing.T) {
	t.Parallel()
	h := server(t, `CREATE TABLE x (id int PRIMARY KEY, at timestamptz(0), mail text, u uuid, j jsonb, password text)`, `INSERT INTO x (id) VALUES (1)`,
		`CREATE FUNCTION low() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.mail := lower(new.mail); new.password := md5(new.password); RETURN new; END $$`, `CREATE TRIGGER low BEFORE UPDATE ON x FOR EACH ROW EXECUTE FUNCTION low()`)
	for _, tt := range []struct {
		field, text string
		state       deputy.State
	}{
		{"at", "2026-01-01T00:00:00.5Z", deputy.Failed}, {"at", "2026-01-01T00:00:00Z", deputy.Done}, {"mail", "A@b", deputy.Failed}, {"mail", "a@b", deputy.Done},
		{"u", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", deputy.Done}, {"j", `{"b": 1, "a": 2.0}`, deputy.Done}, {"password", "x", deputy.Done},
	} {
		f, _ := tableOf(t, h, "x").Field(tt.field)
		got := write(t, h, tt.state, set("x", "1", tt.field, f.Type, tt.text))
		if tt.state == deputy.Failed && got.Error != tt.field+": the column cannot keep this exactly." {
			t.Errorf("%s %s: %+v", tt.field, tt.text, got)
		}
	}
	wantList(t, "kept", ask(t, h, "x", "", []string{"id"}, "mail"), []string{"a@b"})
}
