package questions

import (
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of the statements
	_ "modernc.org/sqlite"             // the driver of the samples

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/copytest"
	"example.com/deputy/internal/demo"
	"example.com/deputy/internal/mariatest"
	"example.com/deputy/internal/pgtest"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/kernel"
	"example.com/deputy/toolset/present"
	"example.com/deputy/toolset/records"
)

// sample is one database, as a file of SQLite and on two servers.
type sample struct {
	name   string
	urls   map[string]string // by engine
	exact  *sql.DB           // where the statements are run
	now    time.Time
	tables map[string]sqldb.Table
}

func open(t *testing.T, driver, source string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// copied is the sample in a file, and copies of it.
func copied(t *testing.T, name, file string) sample {
	t.Helper()
	s := sample{name: name, now: today(), urls: map[string]string{"SQLite": "sqlite:" + file, "Postgres": pgtest.Database(t), "MariaDB": mariatest.Database(t)}}
	from := open(t, "sqlite", file)
	s.exact = open(t, "pgx", s.urls["Postgres"])
	copytest.Copy(t, from, s.exact, copytest.Postgres())
	copytest.Copy(t, from, mariatest.Open(t, s.urls["MariaDB"]), copytest.Maria())
	return s
}

// patience is for machines that do much else meanwhile.
const patience = 2 * time.Minute

// today is when the questions are asked: a Monday.
func today() time.Time { return time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC) }

// TestDemo asks the sample business.
func TestDemo(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "demo.db")
	if _, err := demo.Create(t.Context(), file, today()); err != nil {
		t.Fatal(err)
	}
	s := copied(t, "demo", file)
	s.tables = map[string]sqldb.Table{
		"employees": {RecordLabel: `first_name + " " + last_name`, Search: []string{"first_name", "last_name", "email", "phone"}},
		"customers": {RecordLabel: "name", Search: []string{"name", "number", "email", "phone", "city"}},
		"products":  {RecordLabel: "name", Search: []string{"name", "sku"}}, "categories": {RecordLabel: "name"},
		"orders": {RecordLabel: "number", Search: []string{"number", "note"}}, "invoices": {RecordLabel: "number"},
		"tickets": {RecordLabel: "subject", Search: []string{"subject"}}, "ticket_notes": {Search: []string{"body"}},
	}
	s.ask(t)
}

// TestChinook asks the music shop. On Postgres it is made by its own script.
func TestChinook(t *testing.T) {
	t.Parallel()
	const folder = "../../../shared/data/chinook/"
	raw, err := os.ReadFile(folder + "Chinook_Sqlite.sqlite")
	if err != nil {
		t.Skip("the Chinook sample is not here: ", err)
	}
	script, err := os.ReadFile(folder + "Chinook_PostgreSql.sql")
	if err != nil {
		t.Skip("the Chinook sample is not here: ", err)
	}
	file := filepath.Join(t.TempDir(), "chinook.db")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	s := sample{name: "chinook", now: today(), urls: map[string]string{"SQLite": "sqlite:" + file, "Postgres": pgtest.Database(t), "MariaDB": mariatest.Database(t)}}
	copytest.Copy(t, open(t, "sqlite", file), mariatest.Open(t, s.urls["MariaDB"]), copytest.Maria())
	s.exact = open(t, "pgx", s.urls["Postgres"])
	_, text, _ := strings.Cut(string(script), `\c chinook;`)
	if _, err := s.exact.ExecContext(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	s.ask(t)
}

// TestLeague asks what neither of the others has: two foreign keys to one table, and a table that refers to itself over several steps.
func TestLeague(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/league.sql")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "league.db")
	if _, err := open(t, "sqlite", file).ExecContext(t.Context(), string(text)); err != nil {
		t.Fatal(err)
	}
	copied(t, "league", file).ask(t)
}

// ask has an analyst ask every question about a sample on every engine.
func (s sample) ask(t *testing.T) {
	t.Helper()
	list := questions(t, s.name)
	right, beside := make([]answer, len(list)), make([]map[string]answer, len(list))
	for i, q := range list {
		right[i], beside[i] = truth(t, s.exact, q.truth), map[string]answer{}
		for name, text := range q.children {
			beside[i][name] = truth(t, s.exact, text)
		}
		if len(right[i].rows) == 0 {
			t.Errorf("%s: %s\nnothing is the right answer, so that nothing is shown", q.at, q.text)
		}
	}
	for engine, url := range s.urls {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			desk := s.desk(t, url)
			for i, q := range list {
				if raced && i%5 != 0 {
					continue
				}
				if why := asked(t, desk, q, right[i], beside[i]); why != "" {
					t.Errorf("%s: %s\n%s %s\n%s", q.at, q.text, q.tool, q.arguments, why)
				}
			}
		})
	}
}

// desk is an assistant over the sample on one engine.
func (s sample) desk(t *testing.T, url string) *deputytest.Desk {
	t.Helper()
	host, err := sqldb.Open(t.Context(), sqldb.Config{URL: url, Tables: s.tables, Statement: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	return deputytest.New(t, deputytest.Config{
		Host: host, Policy: deputytest.AllowAll("analyst"), Now: s.now,
		Toolsets: []deputy.Toolset{records.New(records.Config{}), analysis.New(), present.New(), kernel.New()},
		Adjust: func(c *deputy.Config) {
			c.Limits.ToolTimeout = patience
			c.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
		},
	})
}

// asked has the assistant answer one question, and says what is wrong with its answer.
func asked(t *testing.T, desk *deputytest.Desk, q question, right answer, beside map[string]answer) string {
	t.Helper()
	who := deputytest.Person("ann", "analyst")
	if q.zone != "" {
		zone, err := time.LoadLocation(q.zone)
		if err != nil {
			t.Fatalf("%s: %v", q.at, err)
		}
		who.Zone = zone
	}
	turn := desk.Run(who, deputytest.Call(q.tool, q.arguments))
	if len(turn.Outcomes) != 1 || turn.Outcomes[0] != deputy.Ran {
		return strings.Join(turn.Results, "\n")
	}
	got, children, err := given(turn.Data(t, 0))
	if err != nil {
		return err.Error()
	}
	why := differ(got, right)
	for name, want := range beside {
		if more := differ(children[name], want); more != "" {
			why += "\n" + name + ": " + more
		}
	}
	return why
}
