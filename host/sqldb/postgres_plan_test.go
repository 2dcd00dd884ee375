package sqldb

import (
	"database/sql"
	"strings"
	"testing"

	"example.com/deputy/internal/pgtest"
	"example.com/deputy/query"
)

// TestPostgresIndexesServe: keys, foreign keys and comparisons with constants are found by index, whatever the type.
func TestPostgresIndexesServe(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE c (id int PRIMARY KEY, code varchar(9) UNIQUE, name text UNIQUE, u uuid UNIQUE, d numeric(9,2), at timestamptz, n timestamp, day date, p_id int REFERENCES c, pu uuid REFERENCES c (u));
		CREATE INDEX by_d ON c (d); CREATE INDEX by_at ON c (at); CREATE INDEX by_n ON c (n); CREATE INDEX by_day ON c (day); CREATE INDEX by_p ON c (p_id); CREATE INDEX by_pu ON c (pu)`); err != nil {
		t.Fatal(err)
	}
	h, err := Open(t.Context(), Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for text, want := range map[string]string{
		`id == 7`: "c_pkey", `id in [1, 2]`: "c_pkey", `id > 7`: "c_pkey", `code == "x"`: "c_code_key", `code in ["x", "y"]`: "c_code_key", `name == "x"`: "c_name_key", `u == "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`: "c_u_key",
		`d == 1.5`: "by_d", `d > 1.5`: "by_d", `at > timestamp("2026-01-01T00:00:00Z")`: "by_at", `at == timestamp("2026-01-01T00:00:00Z")`: "by_at", `n < timestamp("2026-01-01T00:00:00Z")`: "by_n", `day >= date("2026-01-01")`: "by_day",
		`p_id == 3`: "by_p", `id == 3 && c_by_p_id.exists()`: "by_p", `p.name == "x"`: "c_name_key", `c_by_pu.exists()`: "by_pu",
	} {
		c, statement := compiled(t, h, text)
		plan := explained(t, db, statement, c.args)
		if !strings.Contains(plan, want) || c.err != nil {
			t.Errorf("%s: %v %s\nwant %s", text, c.err, plan, want)
		}
	}
}

// compiled is a question about table c, as a statement without an order.
func compiled(t *testing.T, h *Host, text string) (*compiler, string) {
	t.Helper()
	src, err := query.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	e, err := query.Check(t.Context(), query.Env{Catalog: h.catalog, Table: "c"}, src)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	table, err := h.catalog.find("c")
	if err != nil {
		t.Fatal(err)
	}
	c := h.compiler()
	s := c.open(table, nil, nil)
	where := c.condition(e, s)
	return c, "SELECT 1 FROM " + c.from(s) + " WHERE " + where
}

func explained(t *testing.T, db *sql.DB, statement string, args []any) string {
	t.Helper()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec("SET LOCAL enable_seqscan = off"); err != nil {
		t.Fatal(err)
	}
	plan, err := collect(t.Context(), tx, "EXPLAIN "+statement, func(rows *sql.Rows) (line string, err error) { return line, rows.Scan(&line) }, args...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return strings.Join(plan, "\n")
}
