package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/deputy/internal/mariatest"
)

// TestInitOverMariaDB: the draft over a MariaDB database is accepted as it is, and its comments say what the database's own say.
func TestInitOverMariaDB(t *testing.T) {
	t.Parallel()
	url := mariatest.Database(t)
	if _, err := mariatest.Open(t, url).ExecContext(t.Context(), `CREATE TABLE employees (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, name varchar(80) NOT NULL, salary decimal(12,2));
		CREATE TABLE "Customer List" (id char(36) PRIMARY KEY DEFAULT uuid(), name varchar(80), email varchar(80), mood enum('calm', 'cross'), rep_id bigint unsigned, FOREIGN KEY (rep_id) REFERENCES employees (id));
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
	if status, _, errOut := deputyCommand(t, "init", "mysql://nobody:secret@127.0.0.1:1/none", "--out", filepath.Join(t.TempDir(), "a.yaml")); status != failed || strings.Contains(errOut, "secret") {
		t.Errorf("%d %s", status, errOut)
	}
}
