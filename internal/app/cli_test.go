package app

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/deputy/store/sqlite"
)

// deputyCommand runs a command line in this process.
func deputyCommand(t *testing.T, args ...string) (status int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	status = Main(t.Context(), args, strings.NewReader(""), &o, &e)
	return status, o.String(), e.String()
}

// shop makes a small database and a configuration over it; %s in the text stands for its path.
func shop(t *testing.T, config string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(t.Context(), `CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT NOT NULL, salary NUMERIC(12,2));
		CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, phone TEXT, employee_id INTEGER REFERENCES employees (id));
		CREATE VIEW names AS SELECT name FROM customers;
		INSERT INTO employees VALUES (1, 'Ann', 100), (2, 'Bob', 200); INSERT INTO customers VALUES (1, 'Acme', '1', 1), (2, 'Beta', '2', 2)`)
	if err != nil {
		t.Fatal(err)
	}
	return writeFile(t, "deputy.yaml", strings.ReplaceAll(config, "%s", path))
}

const goodConfig = `store: "memory:"
host: { database: "sqlite:%s" }
auth: { tokens: [ { token: t, id: ann, name: Ann, roles: [support], attributes: { employee_id: 1 } } ] }
policy:
  roles:
    support:
      tools: ["*"]
      tables:
        customers: { read: true, update: [phone], rows: employee_id == person.attributes.employee_id }
        employees: { read: true }
      hide: [employees.salary]
`

func TestCheckSaysWhatIsGood(t *testing.T) {
	t.Parallel()
	status, out, errOut := deputyCommand(t, "check", "--config", shop(t, goodConfig))
	if status != good || errOut != "" {
		t.Fatalf("%d %s", status, errOut)
	}
	for _, want := range []string{"3 tables", "memory: answers", "1 roles compile: support", "1 tokens", "query_records", "present_results", "calculate", "offline"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s does not say %q", out, want)
		}
	}
}

func TestCheckAsAPerson(t *testing.T) {
	t.Parallel()
	config := shop(t, goodConfig)
	status, out, errOut := deputyCommand(t, "check", "--config", config, "--as", "ann")
	if status != good || errOut != "" {
		t.Fatalf("%d %s", status, errOut)
	}
	if !strings.Contains(out, "Ann (ann), roles: support") || strings.Contains(out, "sees no row") {
		t.Error(out)
	}
	for _, line := range []string{
		"tools: analyze_records, calculate, count_records, current_datetime, describe_table, get_record, list_analyses, list_possible_values, list_tables, present_results, query_records, save_analysis, search_records, update_record",
		"customers (Customers)", "  read    id, name, phone, employee_id", "  update  phone", "employees (Employees)", "  read    id, name", "  hidden  salary",
		`  rows    support (read, update): employee_id == person.attributes.employee_id, with person.attributes.employee_id = "1"`,
		"  rows    support (read): every row",
	} {
		if !strings.Contains(out, "\n"+line+"\n") {
			t.Errorf("%s\ndoes not have the line %s", out, line)
		}
	}
	if status, _, errOut = deputyCommand(t, "check", "--config", config, "--as", "anm"); status != wrong || !strings.Contains(errOut, "no such id in auth.tokens; near: ann") {
		t.Errorf("%d %s", status, errOut)
	}
}

// TestCheckAsSaysWhatARuleComesTo: an attribute that is missing or of the wrong kind is said, with what follows from it.
func TestCheckAsSaysWhatARuleComesTo(t *testing.T) {
	t.Parallel()
	rule := ", rows: employee_id == person.attributes.employee_id"
	for name, c := range map[string]struct{ from, to, says string }{
		"not set":          {", attributes: { employee_id: 1 }", "", "rows    support (read, update): sees no row: attribute employee_id is not set; the rule is employee_id == "},
		"no number":        {"employee_id: 1", "employee_id: x", "rows    support (read, update): sees no row: a value cannot be read as the type"},
		"who it is":        {rule, ", rows: name == person.id", `name == person.id, with person.id = "ann"`},
		"of a write":       {rule, rule + ", write_rows: phone == person.attributes.phone", "  results support, of a write: writes nothing: attribute phone is not set"},
		"all tables":       {"        employees: { read: true }", "        \"*\": { read: true, delete: true, rows: id > 0 }", "  delete  whole records\n  hidden  salary\n  rows    support (read, delete): id > 0\n"},
		"no tools":         {`["*"]`, "[]", "\ntools: present_results\n"},
		"secret":           {"hide: [employees.salary]", "hide: [customers.phone]", "  hidden  phone\n"},
		"a list of fields": {"employees: { read: true }", "employees: { read: [id], create: true }", "  read    id\n  create  none\n  hidden  name, salary\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(goodConfig, c.from) {
				t.Fatalf("%q does not stand in the configuration", c.from)
			}
			status, out, errOut := deputyCommand(t, "check", "--as", "ann", "--config", shop(t, strings.Replace(goodConfig, c.from, c.to, 1)))
			if status != good || errOut != "" || !strings.Contains(out, c.says) {
				t.Errorf("%d %s\n%s", status, errOut, out)
			}
		})
	}
}

// TestCheckWarns: what may not be meant is said with its place, and is no mistake.
func TestCheckWarns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ from, to, says string }{
		"nothing":   {"", "", ""},
		"attribute": {"attributes: { employee_id: 1 }", "attributes: { other: 1 }", ":9:51: policy.roles.support.tables.customers.rows: no token has the attribute employee_id"},
		"tools":     {"      tools: [\"*\"]\n", "", ":6:5: policy.roles.support: it grants tables and names no tools"},
		"of all":    {"employees: { read: true }", "\"*\": { read: true, rows: name == person.attributes.who }", ".tables.*.rows: no token has the attribute who"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := shop(t, strings.Replace(goodConfig, c.from, c.to, 1))
			status, out, errOut := deputyCommand(t, "check", "--config", config)
			if status != good || errOut != "" || strings.Contains(out, "warning") != (c.says != "") || !strings.Contains(out, c.says) {
				t.Errorf("%d %s\n%s", status, errOut, out)
			}
			if !strings.Contains(out, "\ntables         customers, employees, names\n") {
				t.Errorf("%s does not list the tables", out)
			}
		})
	}
}

// TestWhatTheSchemaKnows: mistakes that only the database shows are found at start, with their place.
func TestWhatTheSchemaKnows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ from, to, place, says string }{
		"table":         {"customers: {", "custmers: {", ":9:9: policy.roles.support.tables.custmers: ", "near: customers"},
		"no such table": {"employees: {", "xyzzy: {", ":10:9: policy.roles.support.tables.xyzzy: ", "; there are customers, employees, names\n"},
		"host's, alien": {`sqlite:%s"`, `sqlite:%s", tables: { xyzzy: { label: C } }`, ": host.tables.xyzzy: ", "; there are customers, employees, names\n"},
		"field":         {"[phone]", "[fone]", ":9:43: policy.roles.support.tables.customers.update[0]: ", "near: phone"},
		"hidden field":  {"employees.salary", "employees.salry", ":11:14: policy.roles.support.hide[0]: ", "near: salary"},
		"rule's field":  {"rows: employee_id", "rows: employe_id", ":9:57: policy.roles.support.tables.customers.rows: ", "employee"},
		"rule's text":   {"rows: employee_id ==", "rows: employee_id =", ":9:57: policy.roles.support.tables.customers.rows: ", "=="},
		"rule's type":   {"rows: employee_id == person.attributes.employee_id", "rows: employee_id", ":9:57: policy.roles.support.tables.customers.rows: ", ""},
		"a view":        {"employees: { read: true }", "names: { read: true, update: true }", ":10:9: policy.roles.support.tables.names: ", "read, not written"},
		"tool":          {`["*"]`, "[qery_records]", ":7:15: policy.roles.support.tools[0]: ", "near: query_records"},
		"host's table":  {`sqlite:%s"`, `sqlite:%s", tables: { custmers: { label: C } }`, ": host.tables.custmers: ", "near: customers"},
		"host's field":  {`sqlite:%s"`, `sqlite:%s", tables: { customers: { fields: { fone: { label: C } } } }`, ": host.tables.customers.fields.fone: ", "near: phone"},
		"record label":  {`sqlite:%s"`, `sqlite:%s", tables: { customers: { record_label: nam } }`, ": host.tables.customers.record_label: ", "near: name"},
		"search field":  {`sqlite:%s"`, `sqlite:%s", tables: { customers: { search: [name, fone] } }`, ": host.tables.customers.search[1]: ", "near: phone"},
		"scenario file": {"auth:", "models: [ { name: a, provider: scripted, scenario: nowhere.yaml } ]\nauth:", ":3:11: models[0]: ", "nowhere.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(goodConfig, c.from) {
				t.Fatalf("%q does not stand in the configuration", c.from)
			}
			config := shop(t, strings.Replace(goodConfig, c.from, c.to, 1))
			status, out, errOut := deputyCommand(t, "check", "--config", config)
			if status != wrong || out != "" || strings.Count(errOut, "\n") != 1 {
				t.Fatalf("status %d\n%s%s", status, out, errOut)
			}
			if !strings.HasPrefix(errOut, config+":") || !strings.Contains(errOut, c.place) || !strings.Contains(errOut, c.says) {
				t.Errorf("got %swant %s…%s", errOut, c.place, c.says)
			}
		})
	}
}

func TestADatabaseThatIsNotThere(t *testing.T) {
	t.Parallel()
	config := writeFile(t, "deputy.yaml", strings.ReplaceAll(goodConfig, "%s", filepath.Join(t.TempDir(), "nowhere.db")))
	status, _, errOut := deputyCommand(t, "check", "--config", config)
	if status != wrong || strings.Count(errOut, "\n") != 1 || !strings.HasPrefix(errOut, config+":2:19: host.database: ") || !strings.Contains(errOut, "nowhere.db") {
		t.Errorf("status %d: %s", status, errOut)
	}
}

func TestAFileThatIsNoDatabase(t *testing.T) {
	t.Parallel()
	junk := writeFile(t, "junk.db", strings.Repeat("no database ", 100))
	config := writeFile(t, "deputy.yaml", strings.ReplaceAll(goodConfig, "%s", junk))
	status, out, errOut := deputyCommand(t, "check", "--config", config)
	if status != failed || out != "" || strings.Count(errOut, "\n") != 1 || !strings.HasPrefix(errOut, "deputy: "+config+":2:19: host.database: ") ||
		strings.Count(errOut, "host.database") != 1 || !strings.Contains(errOut, "not a database") {
		t.Errorf("%d %s%s", status, out, errOut)
	}
}

func TestNoPasswordIsShown(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{"sqlite:a/b.db": "sqlite:a/b.db", "postgres://ann:hush@db/shop": "postgres:…"} {
		if got := shown(url); got != want {
			t.Errorf("%s: %s", url, got)
		}
	}
}

func TestServeRefusesToStart(t *testing.T) {
	t.Parallel()
	nobody := shop(t, "store: \"memory:\"\nhost: { database: \"sqlite:%s\" }\n")
	status, _, errOut := deputyCommand(t, "serve", "--config", nobody)
	if status != wrong || !strings.Contains(errOut, "auth.tokens: nobody could come in") {
		t.Errorf("%d %s", status, errOut)
	}
	open := shop(t, strings.Replace(goodConfig, "store:", "listen: 0.0.0.0:1\nstore:", 1))
	status, _, errOut = deputyCommand(t, "serve", "--config", open)
	if status != wrong || !strings.Contains(errOut, ":1:9: listen: 0.0.0.0:1 can be reached from elsewhere") {
		t.Errorf("%d %s", status, errOut)
	}
	if status, _, errOut = deputyCommand(t, "demo", "--listen", "0.0.0.0:0"); status != wrong || !strings.Contains(errOut, "on this machine only") {
		t.Errorf("%d %s", status, errOut)
	}
}

func TestAPortThatIsTaken(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	status, _, errOut := deputyCommand(t, "serve", "--listen", l.Addr().String(), "--config", shop(t, goodConfig))
	if status != failed || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, "choose another address with --listen") {
		t.Errorf("%d %s", status, errOut)
	}
}

func TestTheCommandLineItself(t *testing.T) {
	t.Parallel()
	if status, out, _ := deputyCommand(t, "--help"); status != good || !strings.Contains(out, "kill-switch") {
		t.Errorf("help: %d %s", status, out)
	}
	for _, arg := range []string{"version", "--version"} {
		if status, out, _ := deputyCommand(t, arg); status != good || !strings.HasPrefix(out, "deputy ") || !strings.Contains(out, "commit ") {
			t.Errorf("%s: %d %s", arg, status, out)
		}
	}
	if _, out, _ := deputyCommand(t, "kill-switch", "--help"); !strings.Contains(oneLine(out), "on: stop every assistant on the store; off: let them go on; show: say which") {
		t.Errorf("help of kill-switch: %s", out)
	}
	if status, _, errOut := deputyCommand(t, "serv"); status != wrong || !strings.Contains(errOut, `did you mean "serve"?`) {
		t.Errorf("serv: %d %s", status, errOut)
	}
	for _, args := range [][]string{{}, {"bogus"}, {"serve", "--konfig", "x"}, {"kill-switch", "maybe"}, {"check", "--config", "nowhere.yaml"}} {
		status, out, errOut := deputyCommand(t, args...)
		if status != wrong || out != "" || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%v: %d %q %q", args, status, out, errOut)
		}
	}
}

func TestKillSwitchFromTheCommandLine(t *testing.T) {
	t.Parallel()
	// The rest of the configuration is wrong on purpose: the switch needs the store alone.
	path := filepath.Join(t.TempDir(), "deputy.db")
	config := writeFile(t, "deputy.yaml", fmt.Sprintf("store: \"sqlite:%s\"\nzone: Nowhere/Land\nhost: { database: \"postgres://x\" }\n", path))
	for _, state := range []string{"show", "on", "off"} {
		status, out, errOut := deputyCommand(t, "kill-switch", state, "--config", config)
		want := "deputy: store " + path + ": there is no store here: no server has run on it; relative paths are relative to the current folder\n"
		if status != failed || out != "" || errOut != want {
			t.Errorf("%s: %d %s%s", state, status, out, errOut)
		}
	}
	if files, _ := filepath.Glob(path + "*"); len(files) > 0 {
		t.Fatalf("it made %v", files)
	}
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"show"}, good, "off: assistants answer"},
		{[]string{"on", "--reason", "bad answers"}, good, "on: everything is stopped (bad answers)"},
		{[]string{"show"}, good, "on: everything is stopped (bad answers)"},
		{[]string{"off"}, good, "off: assistants answer"},
		{[]string{"show"}, good, "off: assistants answer"},
	}
	for _, s := range steps {
		status, out, errOut := deputyCommand(t, append(append([]string{"kill-switch"}, s.args...), "--config", config)...)
		if status != s.status || !strings.HasPrefix(out, s.says) || !strings.HasSuffix(out, "\nstore: "+path+"\n") {
			t.Errorf("%v: %d %s%s", s.args, status, out, errOut)
		}
	}
	unset := writeFile(t, "deputy.yaml", "store: sqlite:${DEPUTY_NO_SUCH_VARIABLE}\nhost: { database: \"sqlite:x\" }\n")
	if status, _, errOut := deputyCommand(t, "kill-switch", "on", "--config", unset); status != wrong || !strings.Contains(errOut, "DEPUTY_NO_SUCH_VARIABLE is not set") {
		t.Errorf("%d %s", status, errOut)
	}
	memory := writeFile(t, "deputy.yaml", "store: \"memory:\"\nhost: { database: \"sqlite:x\" }\n")
	if status, _, errOut := deputyCommand(t, "kill-switch", "on", "--config", memory); status != wrong || !strings.Contains(errOut, "memory:") {
		t.Errorf("%d %s", status, errOut)
	}
}

// TestKillSwitchOfTheWrongFile: what is no store of Deputy's is left as it is, and what may be a mistyped store is asked about.
func TestKillSwitchOfTheWrongFile(t *testing.T) {
	t.Parallel()
	config := shop(t, "store: \"sqlite:%s\"\nhost: { database: \"sqlite:%s\" }\n")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	business := strings.Split(string(text), "\"")[1][len("sqlite:"):]
	before, err := os.ReadFile(business)
	if err != nil {
		t.Fatal(err)
	}
	status, out, errOut := deputyCommand(t, "kill-switch", "on", "--config", config)
	if status != failed || out != "" || !strings.Contains(errOut, "there is no store here") {
		t.Errorf("%d %s%s", status, out, errOut)
	}
	if after, err := os.ReadFile(business); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the application's database was changed, %v", err)
	}
	junk := filepath.Join(t.TempDir(), "junk.db")
	if err := os.WriteFile(junk, []byte("no database at all, but long enough to be looked at"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, errOut = deputyCommand(t, "kill-switch", "on", "--config", writeFile(t, "d.yaml", "store: 'sqlite:"+junk+"'\nhost: { database: 'sqlite:x' }\n"))
	if status != failed || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, junk) {
		t.Errorf("%d %s", status, errOut)
	}
	typo := writeFile(t, "d.yaml", "stroe: 'sqlite:x.db'\nhost: { database: 'sqlite:x' }\n")
	if status, _, errOut = deputyCommand(t, "kill-switch", "on", "--config", typo); status != wrong || errOut != typo+":1:1: stroe: unknown key; near: store\n" {
		t.Errorf("%d %s", status, errOut)
	}
}

// TestCheckLeavesNothingBehind: a store that is not there is not made, and one that cannot be made is refused.
func TestCheckLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "deputy.db")
	config := shop(t, strings.Replace(goodConfig, "memory:", "sqlite:"+path, 1))
	for _, as := range [][]string{nil, {"--as", "ann"}} {
		status, out, errOut := deputyCommand(t, append([]string{"check", "--config", config}, as...)...)
		if status != good || as == nil && !strings.Contains(out, path+" is not there yet: serve makes it\n") {
			t.Errorf("%d %s%s", status, out, errOut)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	config = shop(t, strings.Replace(goodConfig, "memory:", "sqlite:"+filepath.Join(folder, "nowhere", "deputy.db"), 1))
	if status, _, errOut := deputyCommand(t, "check", "--config", config); status != failed || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, "cannot be made") {
		t.Errorf("%d %s", status, errOut)
	}
}

// TestCheckRefusesWhatServeRefuses: what is checked can be served.
func TestCheckRefusesWhatServeRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"store: \"memory:\"\nhost: { database: \"sqlite:%s\" }\n":             ": auth.tokens: nobody could come in",
		strings.Replace(goodConfig, "store:", "listen: 0.0.0.0:1\nstore:", 1): ":1:9: listen: 0.0.0.0:1 can be reached from elsewhere",
	} {
		config := shop(t, text)
		for _, as := range [][]string{nil, {"--as", "ann"}} {
			status, out, errOut := deputyCommand(t, append([]string{"check", "--config", config}, as...)...)
			if status != wrong || out != "" || !strings.HasPrefix(errOut, config+want) {
				t.Errorf("%v: %d %s%s", as, status, out, errOut)
			}
		}
	}
}

// TestAFlagIsBlamedForItself: a mistake of the command line is not looked for in the configuration.
func TestAFlagIsBlamedForItself(t *testing.T) {
	t.Parallel()
	config := shop(t, goodConfig)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"serve", "--config", config, "--listen", "8080"}, "deputy: --listen 8080: write host:port"},
		{[]string{"serve", "--config", config, "--listen", "0.0.0.0:1"}, "deputy: --listen 0.0.0.0:1 can be reached from elsewhere"},
		{[]string{"demo", "--listen", "8080"}, "deputy: --listen 8080: write host:port"},
		{[]string{"demo", "--model-url", "localhost:1"}, "deputy: --model-url localhost:1: write a whole URL"},
	} {
		status, out, errOut := deputyCommand(t, c.args...)
		if status != wrong || out != "" || !strings.HasPrefix(errOut, c.says) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%v: %d %s%s", c.args, status, out, errOut)
		}
	}
}

func TestTheSchemaIsOfTheSameStructs(t *testing.T) {
	t.Parallel()
	status, out, errOut := deputyCommand(t, "config", "schema")
	if status != good || errOut != "" {
		t.Fatalf("%d %s", status, errOut)
	}
	var s struct {
		Properties map[string]struct {
			Properties map[string]json.RawMessage
		}
		AdditionalProperties bool
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Properties["classes"]; ok || s.AdditionalProperties || len(s.Properties["host"].Properties) != 6 {
		t.Error(out)
	}
}
