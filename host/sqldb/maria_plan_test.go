package sqldb

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"example.com/deputy/internal/mariatest"
)

// TestMariaIndexesServe: keys, foreign keys and comparisons with constants are found by index, whatever the type and the collation.
func TestMariaIndexesServe(t *testing.T) {
	t.Parallel()
	url := mariatest.Database(t)
	if _, err := mariatest.Open(t, url).Exec(`CREATE TABLE c (id int PRIMARY KEY, code varchar(9), name varchar(40) CHARACTER SET latin1, d decimal(9,2), at timestamp NULL, n datetime, day date, p_id int, UNIQUE by_code (code), KEY by_name (name), KEY by_d (d), KEY by_at (at), KEY by_n (n), KEY by_day (day), KEY by_p (p_id), FOREIGN KEY (p_id) REFERENCES c (id)) CHARACTER SET utf8mb4;
		INSERT INTO c (id, code, name, d, at, n, day, p_id) SELECT seq, seq, seq, seq, '2026-01-01' + INTERVAL seq DAY, '2026-01-01' + INTERVAL seq DAY, '2026-01-01' + INTERVAL seq DAY, seq FROM seq_1_to_2000; ANALYZE TABLE c`); err != nil {
		t.Fatal(err)
	}
	h, err := Open(t.Context(), Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for text, want := range map[string]string{
		`id == 7`: "PRIMARY", `id in [1, 2]`: "PRIMARY", `id > 1990`: "PRIMARY", `code == "7"`: "by_code", `code in ["x", "y"]`: "by_code", `name == "x"`: "by_name", `d == 1.5`: "by_d", `d > 1990.5`: "by_d",
		`at > timestamp("2031-06-01T00:00:00Z")`: "by_at", `at == timestamp("2026-01-09T00:00:00Z")`: "by_at", `n > timestamp("2031-06-01T00:00:00Z")`: "by_n", `day >= date("2031-06-01")`: "by_day", `p_id == 3`: "by_p", `id == 3 && c_by_p_id.exists()`: "by_p",
	} {
		c, statement := compiled(t, h, text)
		var plan []string
		err := h.db.reading(t.Context(), func(q querier) (err error) {
			plan, err = collect(context.Background(), q, "EXPLAIN FORMAT=JSON "+statement, func(rows *sql.Rows) (line string, err error) { return line, rows.Scan(&line) }, c.args...)
			return err
		})
		if found := strings.Join(plan, "\n"); err != nil || c.err != nil || !strings.Contains(found, `"key": "`+want+`"`) {
			t.Errorf("%s: %v %v %s\nwant %s", text, err, c.err, found, want)
		}
	}
}
