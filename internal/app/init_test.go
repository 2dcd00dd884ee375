package app

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/deputy/internal/demo"
)

// chinook is a copy of the sample database.
func chinook(t *testing.T) string {
	t.Helper()
	from := "../../../shared/data/chinook/Chinook_Sqlite.sqlite"
	bytes, err := os.ReadFile(from)
	if err != nil {
		t.Skipf("no sample database: %v", err)
	}
	path := filepath.Join(t.TempDir(), "chinook.db")
	if err := os.WriteFile(path, bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func demoBusiness(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "business.db")
	if _, err := demo.Create(t.Context(), path, time.Now()); err != nil {
		t.Fatal(err)
	}
	return path
}

// database makes one of a script.
func database(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "it's a ${DATABASE} [1.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), script); err != nil {
		t.Fatal(err)
	}
	return path
}

// nasty is a schema of odd names, of which every table stands for one oddity; and 200 plain tables, each with an open bracket in its name.
func nasty(t *testing.T) string {
	t.Helper()
	script := "CREATE TABLE \"private \uE000 use \uE001\" (id INTEGER PRIMARY KEY, \"${FIELD}\" TEXT);" + `
		CREATE TABLE "Order Details" ("Order ID" INTEGER, "Line No" INTEGER, "a ""quoted"" name" TEXT, "it's" TEXT, PRIMARY KEY ("Order ID", "Line No"));
		CREATE TABLE "null" ("true" INTEGER PRIMARY KEY, "yes" TEXT, "no" TEXT, "~" TEXT, "select" TEXT, "in" TEXT);
		CREATE TABLE "select" (id INTEGER PRIMARY KEY, "from" TEXT, "null_" INTEGER REFERENCES "null" ("true"));
		CREATE TABLE "🦊" (id INTEGER PRIMARY KEY, "🐔" TEXT NOT NULL, "🐔🐔" TEXT);
		CREATE TABLE "🦊🦊 # not: a comment" (id TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
		CREATE TABLE "${HOME} now" (id INTEGER PRIMARY KEY, "%s %d" TEXT, "- { a: b }" TEXT, "line
break" TEXT);
		CREATE TABLE "@token@" (id INTEGER PRIMARY KEY, name TEXT);
		CREATE TABLE "1st" ("2nd" INTEGER PRIMARY KEY, "3rd" INTEGER REFERENCES "1st", nowhere_id INTEGER REFERENCES nowhere);
		CREATE TABLE "a b" (id INTEGER PRIMARY KEY, x INTEGER REFERENCES "a_b"); CREATE TABLE "a_b" (id INTEGER PRIMARY KEY, a_b_id INTEGER);
		CREATE TABLE ssn (ssn TEXT PRIMARY KEY, salary NUMERIC, password TEXT);
		CREATE TABLE secrets (id INTEGER PRIMARY KEY, bytes BLOB, token TEXT);
		CREATE TABLE "no key" (email TEXT, "first name" TEXT, "last name" TEXT);
		CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT UNIQUE, phone2 TEXT, born DATE, notes TEXT, total AS (id * 2));
		CREATE TABLE "Hidden & Co, ""Ltd"" \ [x" (id INTEGER PRIMARY KEY, people_id INTEGER REFERENCES people (id), person_id INTEGER, title TEXT);
		CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT, customer_id INTEGER);
		CREATE VIEW "a view" AS SELECT id, email FROM people;` + "\n"
	for i := range 200 {
		script += fmt.Sprintf("CREATE TABLE \"table { [ %d\" (id INTEGER PRIMARY KEY, name TEXT, people_id INTEGER REFERENCES people (id));\n", i)
	}
	return database(t, script)
}

// drafted runs init and returns the file it wrote.
func drafted(t *testing.T, path string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "deputy.yaml")
	status, out, errOut := deputyCommand(t, "init", "sqlite:"+path, "--out", file)
	if status != good || errOut != "" || strings.Count(out, "\n") != 2 || !strings.Contains(out, "deputy check --config "+file) || !strings.Contains(out, "deputy serve --config "+file) {
		t.Fatalf("%d %s%s", status, out, errOut)
	}
	return file
}

// builds says whether a configuration makes a whole assistant, and gives it.
func builds(t *testing.T, name string, text []byte) *parts {
	t.Helper()
	d, err := parse(name, text, func(string) (string, bool) { return "x", true })
	if err != nil {
		t.Fatal(err)
	}
	p, err := build(t.Context(), d, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// me asks a server who the bearer of a token is.
func me(t *testing.T, p *parts, token string) (int, string) {
	t.Helper()
	server := httptest.NewServer(p.handler(context.WithoutCancel(t.Context()), nil))
	t.Cleanup(server.Close)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/v1/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// uncommented takes away every # that has no blank behind it: what the words of the file promise to be configuration.
func uncommented(text string) string {
	return regexp.MustCompile(`(?m)^( *)#(\S)`).ReplaceAllString(text, "$1$2")
}

// TestTheDraftIsGoodAsItIs: over each database, check accepts what init writes, its token comes in and may write nothing; and all that is
// commented out is as good once it is not.
func TestTheDraftIsGoodAsItIs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path func(*testing.T) string
		says []string
	}{
		"chinook": {chinook, []string{"#rows: support_rep_id == person.attributes.employee_id", "#rows: customer.support_rep_id == ", `#attributes: { employee_id: "1" }`,
			"# looks personal (class confidential): first_name, last_name, address, postal_code, phone, fax, email\n", "#employee:", "    track:\n", "customer (one of customer, by customer_id)"}},
		"demo": {demoBusiness, []string{"#rows: support_rep_id == person.attributes.employee_id", "# looks sensitive (class restricted): salary\n",
			"# looks confidential (class confidential): credit_limit\n", "# looks personal (class confidential): email, phone\n", "free text or JSON (class internal): preferences"}},
		"nasty": {nasty, []string{"# a view: may be read, never written", "# no primary key: may be read, never written", "#- { from: a_b_2.a_b_id, to: a_b.id }",
			"# never shown to anybody, only whether there is a value (class restricted): bytes, token\n", `label: "🦊"`, "#users: { read: [id, customer_id] }", "#no_key: { read: [first_name, last_name] }", `label: "$\x7bHOME\x7d now"`}},
		"nothing to grant": {func(t *testing.T) string { return database(t, "CREATE TABLE a (ssn TEXT PRIMARY KEY)") }, []string{"tables: {}"}},
		"a view alone":     {func(t *testing.T) string { return database(t, "CREATE VIEW v AS SELECT 1 AS one") }, []string{"read: true"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := drafted(t, c.path(t))
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range c.says {
				if !strings.Contains(string(text), s) {
					t.Errorf("it does not say %q", s)
				}
			}
			for _, args := range [][]string{{"check", "--config", file}, {"check", "--config", file, "--as", "example"}} {
				if status, out, errOut := deputyCommand(t, args...); status != good || errOut != "" {
					t.Fatalf("%v: %d %s%s", args, status, out, errOut)
				}
			}
			p := builds(t, file, text)
			token := p.Auth.Tokens[0].Token
			if status, answer := me(t, p, token); status != http.StatusOK || !strings.Contains(answer, "Example person") || len(token) < 26 {
				t.Errorf("token %q: %d %s", token, status, answer)
			}
			for table, a := range p.Policy.Roles["example"].Tables {
				if a.Create.All || a.Update.All || a.Delete || len(a.Create.Names)+len(a.Update.Names) > 0 {
					t.Errorf("the example may write %s", table)
				}
			}
			every, err := p.tables(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			whole := builds(t, file, []byte(uncommented(string(text))))
			if len(whole.Host.Tables) != len(every) || len(whole.Models) != 2 || len(whole.Host.Pages) != 1 {
				t.Errorf("%d of %d tables, %d models, %d pages", len(whole.Host.Tables), len(every), len(whole.Models), len(whole.Host.Pages))
			}
			for _, table := range every {
				if c := whole.Host.Tables[table.Name]; c.Label != table.Label {
					t.Errorf("%s is called %q, not %q", table.Name, c.Label, table.Label)
				}
			}
		})
	}
}

// TestNothingIsOverwritten: what is there stays without --force; with it the file is replaced whole, and is its owner's alone.
func TestNothingIsOverwritten(t *testing.T) {
	t.Parallel()
	path := database(t, "CREATE TABLE a (id INTEGER PRIMARY KEY)")
	file := drafted(t, path)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	status, out, errOut := deputyCommand(t, "init", "sqlite:"+path, "--out", file)
	if after, _ := os.ReadFile(file); status != wrong || out != "" || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, "--force") || string(after) != string(before) {
		t.Errorf("%d %s%s", status, out, errOut)
	}
	if status, _, errOut = deputyCommand(t, "init", "sqlite:"+path, "--out", file, "--force"); status != good {
		t.Errorf("%d %s", status, errOut)
	}
	after, _ := os.ReadFile(file)
	token := regexp.MustCompile(`token: \S+`)
	if string(after) == string(before) || token.ReplaceAllString(string(after), "") != token.ReplaceAllString(string(before), "") {
		t.Error("two drafts of one schema differ in the token, and in nothing else; these do not")
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// TestADanglingLinkIsNotFollowed: a name that is taken is taken, whatever stands there.
func TestADanglingLinkIsNotFollowed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	link, target := filepath.Join(folder, "deputy.yaml"), filepath.Join(folder, "elsewhere")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	status, _, errOut := deputyCommand(t, "init", "sqlite:"+database(t, "CREATE TABLE a (id INTEGER PRIMARY KEY)"), "--out", link)
	if _, err := os.Stat(target); err == nil || status != wrong || !strings.Contains(errOut, "--force") {
		t.Errorf("%d %s", status, errOut)
	}
}

func TestTheDraftOnStandardOutput(t *testing.T) {
	t.Parallel()
	path := database(t, "CREATE TABLE a (id INTEGER PRIMARY KEY)")
	status, out, errOut := deputyCommand(t, "init", "sqlite:"+path, "--out", "-")
	if status != good || errOut != "" {
		t.Fatalf("%d %s", status, errOut)
	}
	if d, err := parse("-", []byte(out), os.LookupEnv); err != nil || d.Host.Database != "sqlite:"+path || d.Store != "sqlite:deputy.db" {
		t.Errorf("%v", err)
	}
}

// TestWhatInitCannotDo: one line each, with the way to mend it; nothing is written.
func TestWhatInitCannotDo(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text, empty := writeFile(t, "text.db", strings.Repeat("no database at all\n", 100)), database(t, "")
	fine := "sqlite:" + database(t, "CREATE TABLE a (id INTEGER PRIMARY KEY)")
	for name, c := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"no url":          {nil, wrong, "<database-url>"},
		"empty url":       {[]string{""}, wrong, "write sqlite:PATH"},
		"a bare path":     {[]string{"shop.db"}, wrong, "such as sqlite:shop.db"},
		"no path":         {[]string{"sqlite:"}, wrong, "write sqlite:PATH"},
		"another scheme":  {[]string{"oracle://scott:tiger@x"}, wrong, "write sqlite:PATH"},
		"no name":         {[]string{"mysql://scott:tiger@x"}, wrong, "write mysql://USER"},
		"a missing file":  {[]string{"sqlite:" + filepath.Join(folder, "nowhere.db")}, wrong, "there is no file"},
		"not a database":  {[]string{"sqlite:" + text}, failed, "not a database"},
		"a folder":        {[]string{"sqlite:" + folder}, failed, "cannot be read"},
		"an empty schema": {[]string{"sqlite:" + empty}, failed, "has no tables"},
		"out is a folder": {[]string{fine, "--out", folder}, wrong, "is a folder"},
		"no folder":       {[]string{fine, "--out", filepath.Join(folder, "a", "b.yaml")}, wrong, "there is no folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"init", "--out", filepath.Join(t.TempDir(), "deputy.yaml")}, c.args...)
			status, out, errOut := deputyCommand(t, args...)
			if status != c.status || out != "" || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, c.says) || strings.Contains(errOut, "tiger") {
				t.Errorf("%d %s%s", status, out, errOut)
			}
			if left, _ := os.ReadDir(filepath.Dir(args[2])); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestTheStoreIsNeverTheApplicationsDatabase: even where that has the name the store would have.
func TestTheStoreIsNeverTheApplicationsDatabase(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{"sqlite:shop.db": "sqlite:x/deputy.db", "sqlite:deputy.db": "sqlite:x/deputy-store.db", "sqlite:x/Deputy.db": "sqlite:x/deputy-store.db"} {
		if got := (&initCommand{Database: url, Out: "x/deputy.yaml"}).store(); got != want {
			t.Errorf("%s: %s, not %s", url, got, want)
		}
	}
}

// TestALargeSchemaIsSaidInBrief: where everything that could be said is too much to be read again, less is said of each table.
func TestALargeSchemaIsSaidInBrief(t *testing.T) {
	t.Parallel()
	c := &initCommand{Database: "sqlite:" + nasty(t)}
	tables, err := c.readSchema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := newDraft(tables)
	d.database, d.store, d.token = c.Database, "memory:", "t"
	whole := d.text()
	text, err := d.fit(len(whole) - 1)
	if err != nil || len(text) > len(whole)/2 {
		t.Fatalf("%d of %d bytes: %v", len(text), len(whole), err)
	}
	if p := builds(t, "deputy.yaml", []byte(uncommented(text))); len(p.Host.Tables) != len(tables) {
		t.Errorf("%d of %d tables", len(p.Host.Tables), len(tables))
	}
	if _, err := d.fit(1000); err == nil || !strings.Contains(err.Error(), "by hand") {
		t.Errorf("%v", err)
	}
}

// FuzzYAMLText: whatever a database calls its things is read back as the same.
func FuzzYAMLText(f *testing.F) {
	for _, s := range []string{"", "a", "null", "Yes", "a b", " a", "a ", "a: b", "a #b", "- a", "it's", `"q" \`, "${X}", "[{", "]}", "\n\t\x00\x7f\u0085", "🦊\u200d", "\uE000\uE001", "%s", "12", "1e5",
		"@x", "`", "a\u2028b", "a:b", "a == b.c", "-", "?", "~", "\ufeff", "\U0010ffff", "..."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		for _, form := range []string{"host: { database: \"sqlite:x\" }\nassistant:\n  name: %s\n", "host: { database: \"sqlite:x\" }\nassistant: { name: %s }  # words\n"} {
			d, err := parse("deputy.yaml", []byte(fmt.Sprintf(form, yamlText(s))), func(string) (string, bool) { return "", false })
			if err != nil || d.Assistant.Name != s {
				t.Fatalf("%q is written %s and read otherwise: %v", s, yamlText(s), err)
			}
		}
	})
}
