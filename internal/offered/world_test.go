// Package offered holds what models are told of tools: the whole list of every scenario as each vendor is sent it, byte for byte, and whether
// that keeps the rules that vendors publish for it. It has tests only. They run the command line's own way of putting an assistant together,
// over one business in SQLite, Postgres and MariaDB, and read what arrives at the vendors.
package offered

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the drivers that make the databases
	_ "modernc.org/sqlite"

	"example.com/deputy/internal/copytest"
	"example.com/deputy/internal/mariatest"
	"example.com/deputy/internal/pgtest"
)

// trade is a business with everything that tools depend on: keys, relations, value lists, texts to search.
const trade = `
CREATE TABLE employees (id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL UNIQUE, salary NUMERIC(10,2));
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL UNIQUE, segment TEXT NOT NULL CHECK (segment IN ('school', 'club', 'shop')), phone TEXT,
	support_rep_id INTEGER REFERENCES employees (id));
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id), status TEXT NOT NULL CHECK (status IN ('pending', 'shipped', 'cancelled')),
	total NUMERIC(10,2) NOT NULL, ordered_at DATETIME NOT NULL, due_on DATE, cancel_reason TEXT);
CREATE TABLE order_lines (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders (id), product TEXT NOT NULL, quantity INTEGER NOT NULL, cancelled BOOLEAN);
CREATE TABLE refunds (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders (id), amount NUMERIC(10,2) NOT NULL, reason TEXT);
INSERT INTO employees VALUES (1, 'Ada', 100);
INSERT INTO customers VALUES (1, 'Acme AS', 'shop', '1', 1);
INSERT INTO orders VALUES (1, 1, 'pending', 12.5, '2026-01-31 10:00:00', '2026-02-28', NULL);
`

// bare is a business of which nothing is known but names and types.
const bare = `
CREATE TABLE readings (sensor TEXT, taken_at DATETIME, reading NUMERIC(10,2));
CREATE TABLE remarks (body TEXT, pinned BOOLEAN);
INSERT INTO remarks VALUES ('hello', 1);
`

// hosts are the URLs of the databases with one business, by engine.
type hosts map[string]string

const sqlite, postgres, mariadb = "SQLite", "Postgres", "MariaDB"

// childKey is the variable of the environment that makes this binary another process which is asked the same: its value has the URLs of the
// databases.
const childKey = "OFFERED_CHILD"

func TestMain(m *testing.M) {
	text := os.Getenv(childKey)
	if text == "" {
		os.Exit(m.Run())
	}
	var urls map[string]string
	if err := json.Unmarshal([]byte(text), &urls); err != nil {
		panic(err)
	}
	out := map[string][]request{}
	for _, s := range scenarios() {
		requests, err := s.ask(context.Background(), urls[s.business])
		if err != nil {
			panic(err)
		}
		out[s.name] = requests
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		panic(err)
	}
}

// businesses makes both businesses on every engine. Those that are not installed are left out, but never where CI is set.
func businesses(t *testing.T) map[string]hosts {
	t.Helper()
	out, files := map[string]hosts{}, map[string]string{}
	for name, statements := range map[string]string{"trade": trade, "bare": bare} {
		file := filepath.Join(t.TempDir(), name+".db")
		db := open(t, "sqlite", file)
		run(t, db, statements)
		out[name], files[name] = hosts{sqlite: "sqlite:" + file}, file
	}
	var mu sync.Mutex
	t.Run("servers", func(t *testing.T) {
		for engine, database := range map[string]func(*testing.T) (string, *sql.DB, copytest.Dialect){postgres: onPostgres, mariadb: onMaria} {
			t.Run(engine, func(t *testing.T) { // where the engine is missing, only this is skipped
				t.Parallel()
				for name, file := range files {
					url, db, dialect := database(t)
					copytest.Copy(t, open(t, "sqlite", file), db, dialect)
					mu.Lock()
					out[name][engine] = url
					mu.Unlock()
				}
			})
		}
	})
	return out
}

func onPostgres(t *testing.T) (string, *sql.DB, copytest.Dialect) {
	url := pgtest.Database(t)
	return url, open(t, "pgx", url), copytest.Postgres()
}

func onMaria(t *testing.T) (string, *sql.DB, copytest.Dialect) {
	url := mariatest.Database(t)
	return url, mariatest.Open(t, url), copytest.Maria()
}

func open(t *testing.T, driver, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func run(t *testing.T, db *sql.DB, statements string) {
	t.Helper()
	for _, one := range strings.Split(statements, ";\n") {
		if _, err := db.ExecContext(t.Context(), one); err != nil {
			t.Fatalf("%s: %v", one, err)
		}
	}
}
