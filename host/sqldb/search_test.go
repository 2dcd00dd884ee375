package sqldb_test

import (
	"strings"
	"testing"

	"example.com/deputy/host/sqldb"
)

// statements of two tables and a view that say what a search can look in.
func searchable(number string) []string {
	return []string{
		`CREATE TABLE customers (id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, email TEXT UNIQUE, api_key TEXT UNIQUE, note TEXT, tax INTEGER UNIQUE, since DATE)`,
		`CREATE TABLE orders (` + number + ` PRIMARY KEY, title TEXT, customer_id INTEGER REFERENCES customers (id), code TEXT, line INTEGER, UNIQUE (code, line))`,
		`CREATE TABLE pairs (a INTEGER, b TEXT, PRIMARY KEY (a, b))`,
		`CREATE VIEW names AS SELECT first_name AS name FROM customers`,
	}
}

func testSearchFields(t *testing.T, url string) {
	fields := func(c sqldb.Config, table string) string {
		c.URL = url
		return strings.Join(tableOf(t, open(t, c), table).Search, " ")
	}
	config := func(table string, fields ...string) sqldb.Config {
		return sqldb.Config{Tables: map[string]sqldb.Table{table: {Search: fields}}}
	}
	label := sqldb.Config{Tables: map[string]sqldb.Table{"orders": {RecordLabel: `title + customer.note + "code"`}}}
	for _, c := range []struct {
		config      sqldb.Config
		table, want string
	}{
		{sqldb.Config{}, "customers", "first_name last_name email"},
		{sqldb.Config{}, "orders", "title number"},
		{sqldb.Config{}, "pairs", ""},
		{sqldb.Config{}, "names", ""},
		{config("customers", "note", "tax"), "customers", "note tax"},
		{config("customers", []string{}...), "customers", ""},
		{config("names", "name"), "names", "name"},
		{label, "orders", "title code number"},
	} {
		if got := fields(c.config, c.table); got != c.want {
			t.Errorf("%s with %+v: %q, want %q", c.table, c.config.Tables, got, c.want)
		}
	}
	for field, want := range map[string]string{
		"nite":    "host.tables.customers.search[1]: no field `nite`; near: note",
		"email":   "host.tables.customers.search[1]: `email` stands twice; write it once",
		"api_key": "host.tables.customers.search[1]: `api_key` is secret and is never searched; take it out",
		"since":   "host.tables.customers.search[1]: `since` is of type date; only texts and whole numbers are searched",
	} {
		c := config("customers", "email", field)
		c.URL = url
		if h, err := sqldb.Open(t.Context(), c); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
			if err == nil {
				h.Close()
			}
		}
	}
}

func TestSearchFields(t *testing.T) {
	t.Parallel()
	path, _ := create(t, searchable("number TEXT")...)
	testSearchFields(t, "sqlite:"+path)
}

func TestPostgresSearchFields(t *testing.T) {
	t.Parallel()
	url, _ := createPostgres(t, searchable("number varchar(20)")...)
	testSearchFields(t, url)
}
