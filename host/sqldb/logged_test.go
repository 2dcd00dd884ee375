package sqldb_test

import (
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/redact"
	"example.com/deputy/query"
)

// brokenView asks the view v for its field n, which fails.
func brokenView(t *testing.T, h *sqldb.Host) error {
	t.Helper()
	f, _ := tableOf(t, h, "v").Field("n")
	_, err := h.Query(t.Context(), deputy.Person{}, query.Query{Table: "v", Limit: 1, Select: []query.Column{{As: "n", Expr: query.Ref{Table: "v", Field: f}}}})
	if err == nil {
		t.Fatal("the view can be read")
	}
	return err
}

// TestPostgresErrorsAsTheLogHasThem: the server's code, and no value that its sentence quotes.
func TestPostgresErrorsAsTheLogHasThem(t *testing.T) {
	t.Parallel()
	url, _ := createPostgres(t, `CREATE TABLE x (id int PRIMARY KEY, t text)`, `INSERT INTO x VALUES (1, 'S3CRET')`, `CREATE VIEW v AS SELECT t::int AS n FROM x`)
	err := brokenView(t, open(t, sqldb.Config{URL: url}))
	if got, want := redact.Error(err), "Postgres ERROR, SQLSTATE 22P02"; got != want || !strings.Contains(err.Error(), "S3CRET") {
		t.Errorf("%q, want %q; of %v", got, want, err)
	}
}

// TestSQLiteErrorsAsTheLogHasThem: SQLite's code and its meaning.
func TestSQLiteErrorsAsTheLogHasThem(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE x (id INTEGER PRIMARY KEY, n INTEGER)`, `INSERT INTO x VALUES (1, -9223372036854775808)`, `CREATE VIEW v AS SELECT abs(n) AS n FROM x`)
	if got, want := redact.Error(brokenView(t, h)), "SQLite code 1: "; !strings.HasPrefix(got, want) || len(got) == len(want) {
		t.Errorf("%q, want %q and more", got, want)
	}
}

func TestPools(t *testing.T) {
	t.Parallel()
	h := shop(t, oneRow, `INSERT INTO x VALUES (1, 1)`)
	ask(t, h, "x", "", nil, "n")
	if got := h.Pools(); len(got) != 2 || got["reads"].OpenConnections == 0 || got["writes"].MaxOpenConnections != 1 {
		t.Errorf("%+v", got)
	}
}
