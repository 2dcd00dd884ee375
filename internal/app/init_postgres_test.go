package app

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that makes the shop

	"example.com/deputy/internal/pgtest"
)

// TestInitOverPostgres: the draft over a Postgres database is accepted as it is, and its comments say what the database's own say.
func TestInitOverPostgres(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(t.Context(), `CREATE TYPE mood AS ENUM ('calm', 'cross');
		CREATE TABLE employees (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, salary numeric(12,2));
		CREATE TABLE "Customer List" (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text, email text, mood mood, rep_id int REFERENCES employees);
		CREATE VIEW calm AS SELECT name FROM "Customer List" WHERE mood = 'calm'`); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "deputy.yaml")
	if status, out, errOut := deputyCommand(t, "init", url, "--out", file); status != good {
		t.Fatalf("%d %s%s", status, out, errOut)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"customer_list", "# a view: may be read, never written", "# looks sensitive (class restricted): salary"} {
		if !strings.Contains(string(text), s) {
			t.Errorf("it does not say %q:\n%s", s, text)
		}
	}
	for _, args := range [][]string{{"check", "--config", file}, {"check", "--config", file, "--as", "example"}} {
		if status, out, errOut := deputyCommand(t, args...); status != good || errOut != "" {
			t.Errorf("%v: %d %s%s", args, status, out, errOut)
		}
	}
	if status, _, errOut := deputyCommand(t, "init", "postgres://nobody:secret@127.0.0.1:1/none", "--out", filepath.Join(t.TempDir(), "a.yaml")); status != failed || strings.Contains(errOut, "secret") {
		t.Errorf("%d %s", status, errOut)
	}
}
