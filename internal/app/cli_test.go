package app

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// deputyCommand runs a command line in this process.
func deputyCommand(t *testing.T, args ...string) (status int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	status = Main(t.Context(), args, &o, &e)
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
	if !strings.Contains(out, "Ann (ann), roles: support") || !strings.Contains(out, "phone") || strings.Contains(out, "salary") {
		t.Error(out)
	}
	if status, _, errOut = deputyCommand(t, "check", "--config", config, "--as", "anm"); status != wrong || !strings.Contains(errOut, "no such id in auth.tokens; near: ann") {
		t.Errorf("%d %s", status, errOut)
	}
}

// TestWhatTheSchemaKnows: mistakes that only the database shows are found at start, with their place.
func TestWhatTheSchemaKnows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ from, to, place, says string }{
		"table":         {"customers: {", "custmers: {", ":9:9: policy.roles.support.tables.custmers: ", "near: customers"},
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
	if status, out, _ := deputyCommand(t, "version"); status != good || !strings.HasPrefix(out, "deputy ") || !strings.Contains(out, "commit ") {
		t.Errorf("version: %d %s", status, out)
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
	config := writeFile(t, "deputy.yaml", fmt.Sprintf("store: \"sqlite:%s\"\nzone: Nowhere/Land\nhost: { database: \"postgres://x\" }\n", filepath.Join(t.TempDir(), "deputy.db")))
	steps := []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"show"}, failed, ""},
		{[]string{"on", "--reason", "bad answers"}, good, "on: everything is stopped (bad answers)"},
		{[]string{"show"}, good, "on: everything is stopped (bad answers)"},
		{[]string{"off"}, good, "off: assistants answer"},
		{[]string{"show"}, good, "off: assistants answer"},
	}
	for _, s := range steps {
		status, out, errOut := deputyCommand(t, append(append([]string{"kill-switch"}, s.args...), "--config", config)...)
		if status != s.status || !strings.HasPrefix(out, s.says) {
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

func TestCheckAsksWhetherAModelIsThere(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"data":[{"id":"one"},{"id":"two"}]}`))
	}))
	t.Cleanup(server.Close)
	model := "models: [ { name: main, provider: openai, model: one, base_url: \"" + server.URL + "/v1\", api_key: KEY } ]\nauth:"
	for key, want := range map[string]int{"right": good, "wrong": failed} {
		config := shop(t, strings.Replace(goodConfig, "auth:", strings.Replace(model, "KEY", key, 1), 1))
		status, out, errOut := deputyCommand(t, "check", "--config", config)
		if status != want || strings.Contains(errOut, "wrong") && !strings.Contains(errOut, "mend api_key") || strings.Contains(out+errOut, key+"\"") {
			t.Errorf("%s: %d %s%s", key, status, out, errOut)
		}
	}
	ms, err := (&demoCommand{ModelURL: server.URL + "/v1"}).models(t.Context(), "right")
	if err != nil || len(ms) != 1 || ms[0].Model != "one" {
		t.Errorf("%v, %v", ms, err)
	}
	if ms, err = (&demoCommand{}).models(t.Context(), ""); err != nil || len(ms) != 0 {
		t.Errorf("%v, %v", ms, err)
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
	if _, ok := s.Properties["classes"]; ok || s.AdditionalProperties || len(s.Properties["host"].Properties) != 5 {
		t.Error(out)
	}
}
