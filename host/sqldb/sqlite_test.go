package sqldb

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/query"
)

func opened(t testing.TB, statements ...string) *Host {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a?b #%41.db")
	db, err := sql.Open("sqlite", sqliteName(path, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	h, err := Open(t.Context(), Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// TestReadsCannotWrite: the pool that answers questions refuses every statement that writes.
func TestReadsCannotWrite(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"DELETE", "WAL"} {
		h := opened(t, `PRAGMA journal_mode = `+mode, `CREATE TABLE x (id INTEGER PRIMARY KEY)`, `INSERT INTO x VALUES (1)`)
		for _, s := range []string{`INSERT INTO x VALUES (2)`, `UPDATE x SET id = 3`, `DELETE FROM x`, `DROP TABLE x`, `CREATE TABLE y (id)`, `PRAGMA query_only = 0; DELETE FROM x`, `PRAGMA user_version = 7`} {
			if _, err := h.db.(*sqlite).reads.ExecContext(t.Context(), s); err == nil {
				t.Errorf("%s: %s was carried out", mode, s)
			}
		}
		var n, version int
		if err := h.db.(*sqlite).writes.QueryRow(`SELECT count(*) FROM x`).Scan(&n); err != nil || n != 1 {
			t.Errorf("%d rows, %v", n, err)
		}
		if err := h.db.(*sqlite).writes.QueryRow(`PRAGMA user_version`).Scan(&version); err != nil || version != 0 {
			t.Errorf("version %d, %v", version, err)
		}
	}
}

// TestIndexesServe: keys, foreign keys and comparisons with constants are found by index.
func TestIndexesServe(t *testing.T) {
	t.Parallel()
	h := opened(t, `CREATE TABLE c (id INTEGER PRIMARY KEY, code TEXT UNIQUE, p_id INT REFERENCES c)`, `CREATE INDEX p ON c (p_id)`)
	for text, want := range map[string]string{
		`id == 7`: "SEARCH t1 USING INTEGER PRIMARY KEY", `code == "x"`: "SEARCH t1 USING COVERING INDEX sqlite_autoindex", `code in ["x", "y"]`: "SEARCH t1 USING COVERING INDEX sqlite_autoindex",
		`p_id == 3`: "SEARCH t1 USING COVERING INDEX p", `p.code == "x"`: "SEARCH t2 USING COVERING INDEX sqlite_autoindex", `c_by_p_id.exists(x, x.id > 3)`: "SEARCH t2 USING",
	} {
		src, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := query.Check(t.Context(), query.Env{Catalog: h.catalog, Table: "c"}, src)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		c := h.compiler()
		defer h.db.forget(c)
		table, err := h.catalog.find("c")
		if err != nil {
			t.Fatal(err)
		}
		s := c.open(table, nil, nil)
		statement := c.selection(query.Query{Where: e, Limit: 5}, s, nil)
		plan, err := collect(context.Background(), h.db.(*sqlite).reads, "EXPLAIN QUERY PLAN "+statement, func(rows *sql.Rows) (detail string, err error) {
			var a, b, c int
			return detail, rows.Scan(&a, &b, &c, &detail)
		}, c.args...)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		if all := strings.Join(plan, "\n"); !strings.Contains(all, want) {
			t.Errorf("%s: %s\nwant %s", text, all, want)
		}
	}
}

// TestNothingIsKept: a statement leaves none of its calls behind.
func TestNothingIsKept(t *testing.T) {
	t.Parallel()
	h := opened(t, `CREATE TABLE c (id INTEGER PRIMARY KEY, d NUMERIC)`)
	src, err := query.Parse(`d > 1.5 && d * 2 < 7`)
	if err != nil {
		t.Fatal(err)
	}
	e, err := query.Check(t.Context(), query.Env{Catalog: h.catalog, Table: "c"}, src)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.db.ask(t.Context(), question{text: "SELECT 1"}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := h.Query(t.Context(), deputy.Person{}, query.Query{Table: "c", Where: e, Limit: 1}); err != nil {
			t.Fatal(err)
		}
	}
	h.db.(*sqlite).calls.Range(func(k, v any) bool {
		t.Errorf("call %v is left: %+v", k, v)
		return true
	})
}

func FuzzValueLists(f *testing.F) {
	f.Add(`CREATE TABLE x (a TEXT CHECK (a IN ('new', 'it''s')), CHECK (a = 'x' OR (a IS NULL)))`)
	f.Add(`CHECK ((`)
	f.Add(`CHECK (a == `)
	f.Add("CHECK (\"a\" IN (-1, 2.5)) -- '")
	f.Add(`CHECK (a IN ()) /* [`)
	f.Fuzz(func(t *testing.T, text string) {
		table := &table{columns: []*column{{name: "a"}}}
		addValueLists(table, text)
		for _, v := range table.columns[0].field.Values {
			if !strings.Contains(strings.NewReplacer("''", "'", `""`, `"`, "``", "`", " ", "", "\t", "", "\n", "").Replace(text), strings.NewReplacer(" ", "", "\t", "", "\n", "").Replace(strings.TrimPrefix(v, "-"))) {
				t.Errorf("%q is not in %q", v, text)
			}
		}
	})
}

func FuzzNames(f *testing.F) {
	for _, s := range []string{"Order Details", "SupportRepId", "2fa", "all", "Straße", "имя", "🙂", "", "__", "İ", "HTTPServer2Go", "\xff\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, original string) {
		n := names{}
		first, second := n.take(original, "field"), n.take(original, "field")
		if first == second {
			t.Errorf("%q is given twice", first)
		}
		for _, name := range []string{first, second} {
			if name == "" || reserved(name) || strings.ContainsFunc(name, func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }) || name[0] >= '0' && name[0] <= '9' {
				t.Errorf("%q became %q, no identifier", original, name)
			}
		}
		if label(original) == "" && strings.TrimSpace(original) != "" {
			t.Errorf("%q has an empty label", original)
		}
	})
}

func FuzzTimestamps(f *testing.F) {
	for _, s := range []string{"2026-01-31 10:00:00", "2026-01-31T10:00:00.123456Z", "2026-01-31", "2026-01-31 10:00:00 +0000 UTC m=+0.1", "2026-01-31 10:00+02:00", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := &column{zone: time.UTC}
		c.field.Type = query.Timestamp
		v := c.value(text)
		if v == nil {
			return
		}
		if again := decode(encode(v), query.Timestamp); !query.Same(v, again) {
			t.Errorf("%q: %v, then %v", text, v, again)
		}
	})
}
