package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// whole is a configuration with every key that is built.
const whole = `
listen: 127.0.0.1:8080
public_url: https://assistant.example.com
store: "memory:"
zone: Europe/Oslo
assistant: { name: Deputy, instructions: "Answer in the person's language. ${MORE}" }
host:
  database: sqlite:shop.db
  tables:
    customers: { label: Customers, record_label: "name", version: updated_at, hidden: false, search: [name, email],
                 fields: { salary: { label: Salary, zone: UTC } } }
    orders: { label: Orders }
    tickets: { search: [] }
  relations: [ { from: orders.rep_code, to: employees.code, name: rep, children: orders } ]
  pages: { customers: "/customers/{id}" }
  widgets:
    late: { label: Late, query: { table: orders, where: 'due_on < today()', select: [number, customer_id], order_by: [due_on], limit: 10, offset: 1 } }
    revenue:
      analyze: { table: orders, where: 'ordered_on >= parameters.since', group_by: [status], measures: [ { as: revenue, expr: sum(total) } ], having: revenue > 0, order_by: [revenue desc], limit: 10 }
      parameters: { since: { type: date, required: true, label: First day }, kind: { type: string, enum: [a, b], default: a } }
models:
  - name: main
    provider: openai
    api: chat
    model: gpt-4.1
    base_url: http://127.0.0.1:4000/v1
    api_key: ${MODEL_KEY}
    price: { input: 2.00, cached_input: 0.50, output: 8.00 }
  - { name: replay, provider: scripted, scenario: scenario.yaml }
auth:
  tokens:
    - { token: ${AGENT_TOKEN}, id: agent-7, name: Support Agent, roles: [support], attributes: { employee_id: 3 }, channels: [chat], confirm: false }
policy:
  roles:
    support:
      tools: ["*"]
      tables:
        customers: { read: true, update: [phone, email], rows: 'support_rep_id == person.attributes.employee_id' }
        tickets:   { read: true, create: [customer_id, subject, body], update: [status], write_rows: 'customer.support_rep_id == person.attributes.employee_id' }
      hide: [employees.salary]
    manager: { tools: ["*"], tables: { "*": { read: true, create: true, update: true, delete: true } } }
    auditor: { audit: all }
    operator: { operate: true }
limits: { steps: 20, tool_calls: 40, parallel: 8, tool_timeout: 30s, turn_timeout: 5m, result_rows: 100, result_bytes: 32KiB, handle_rows: 1000, proposal_expiry: 24h }
budgets: { rate: { turns_per_minute: 20 } }
`

func environment(name string) (string, bool) {
	v, ok := map[string]string{"MODEL_KEY": "k", "AGENT_TOKEN": "t: {x}", "TOKEN": "secret", "MORE": "Our year starts in July.", "EMPTY": ""}[name]
	return v, ok
}

func TestEveryKeyIsRead(t *testing.T) {
	t.Parallel()
	d, err := parse("deputy.yaml", []byte(strings.Replace(whole, "${AGENT_TOKEN}", "${TOKEN}", 1)), environment)
	if err != nil {
		t.Fatal(err)
	}
	limits, policy := d.limits(), d.policy()
	confirm := d.Auth.Tokens[0].Confirm
	for what, ok := range map[string]bool{
		"environment":       d.Models[0].APIKey == "k" && d.Auth.Tokens[0].Token == "secret",
		"within a text":     strings.HasSuffix(d.Assistant.Instructions, "language. Our year starts in July."),
		"decimals as text":  d.Models[0].Price.Input == "2.00",
		"a number as text":  d.Auth.Tokens[0].Attributes["employee_id"] == "3",
		"a size":            limits.ResultBytes == 32768,
		"a length of time":  limits.ProposalExpiry.Hours() == 24,
		"rate":              limits.TurnsPerMinute == 20,
		"all fields":        policy.Roles["support"].Tables["customers"].Read.All,
		"some fields":       policy.Roles["support"].Tables["customers"].Update.Has("email"),
		"no fields":         policy.Roles["support"].Tables["customers"].Create.None(),
		"a rule":            policy.Roles["support"].Tables["tickets"].WriteRows == "customer.support_rep_id == person.attributes.employee_id",
		"audit":             policy.Roles["auditor"].Audit && !policy.Roles["manager"].Audit,
		"operate":           policy.Roles["operator"].Operate,
		"confirm":           confirm != nil && !*confirm,
		"pages":             d.Host.Pages["customers"] == "/customers/{id}",
		"relations":         d.Host.Relations[0].To == "employees.code",
		"search":            slices.Equal(d.Host.Tables["customers"].Search, []string{"name", "email"}) && d.Host.Tables["orders"].Search == nil,
		"a search of none":  d.Host.Tables["tickets"].Search != nil && len(d.Host.Tables["tickets"].Search) == 0,
		"a field's zone":    d.Host.Tables["customers"].Fields["salary"].Zone == "UTC",
		"widgets":           d.Host.Widgets["late"].Query.Offset == 1 && d.Host.Widgets["revenue"].Analyze.Measures[0].Expr == "sum(total)" && *d.Host.Widgets["revenue"].Parameters["kind"].Default == "a",
		"keys with a place": d.keys["policy.roles.support.tables.customers.rows"] == position{38, 58},
	} {
		if !ok {
			t.Errorf("%s: not as written", what)
		}
	}
}

func TestJSONIsYAML(t *testing.T) {
	t.Parallel()
	d, err := parse("deputy.json", []byte(`{"host": {"database": "sqlite:a.db"}, "auth": {"tokens": [{"token": "${TOKEN}", "id": "a"}]}}`), environment)
	if err != nil || d.Auth.Tokens[0].Token != "secret" {
		t.Fatalf("%v", err)
	}
}

// least is what a configuration needs, so that a case shows only its own mistake.
const least = "host: { database: sqlite:a.db }\n"

// widget is a configuration with one.
func widget(text string) string {
	return "host:\n  database: sqlite:a.db\n  widgets: { w: " + text + " }"
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"unknown key":           {least + "lisden: x", "deputy.yaml:2:1: lisden: unknown key; near: listen"},
		"unknown deep key":      {least + "policy:\n  roles:\n    a:\n      tables:\n        t: { reed: true }", "deputy.yaml:6:14: policy.roles.a.tables.t.reed: unknown key; near: read"},
		"unknown, nothing near": {least + "xyzzy: 1", "deputy.yaml:2:1: xyzzy: unknown key"},
		"twice":                 {least + "listen: 'a:1'\nlisten: 'b:1'", `deputy.yaml:3:1: mapping key "listen" already defined at [2:1]`},
		"no YAML":               {"host: [1\nlisten: x", "deputy.yaml:2:1: ',' or ']' must be specified"},
		"empty":                 {"", "deputy.yaml: the file is empty: `host: { database: sqlite:PATH }` is the least it needs"},
		"two documents":         {least + "---\n" + least, "deputy.yaml: more than one document: write one"},
		"a list":                {"- a", "deputy.yaml:1:1: write a mapping here: one line `name: value` for each entry"},
		"no database":           {"listen: '127.0.0.1:1'", "deputy.yaml: host.database: no database: write sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE"},
		"another database":      {"host: { database: 'oracle://a/b' }", "deputy.yaml:1:19: host.database: write sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE"},
		"schemas of a file":     {"host: { database: sqlite:a.db, schemas: [public] }", "deputy.yaml:1:41: host.schemas: only a Postgres database has schemas: remove it"},
		"no value":              {least + "listen:", "deputy.yaml:2:9: listen: no value: write one, or remove the key"},
		"not set":               {least + "zone: ${NOWHERE}", "deputy.yaml:2:7: zone: environment variable NOWHERE is not set: set it, or write the value here"},
		"empty token":           {least + "auth: { tokens: [ { token: ${EMPTY}, id: a } ] }", "deputy.yaml:2:28: auth.tokens[0].token: an empty token would let anybody in: write one, best as ${NAME}"},
		"no token":              {least + "auth:\n  tokens:\n    - id: a", "deputy.yaml:4:7: auth.tokens[0].token: an empty token would let anybody in: write one, best as ${NAME}"},
		"no id":                 {least + "auth:\n  tokens:\n    - token: a", "deputy.yaml:4:7: auth.tokens[0].id: no id: name the person, such as agent-7"},
		"token twice":           {least + "auth: { tokens: [ { token: a, id: a }, { token: a, id: b } ] }", "deputy.yaml:2:49: auth.tokens[1].token: the same token as auth.tokens[0]: give each person their own"},
		"id twice":              {least + "auth: { tokens: [ { token: a, id: a }, { token: b, id: a } ] }", "deputy.yaml:2:56: auth.tokens[1].id: the same id as auth.tokens[0]: give each person their own"},
		"no role":               {least + "policy: { roles: { support: {} } }\nauth: { tokens: [ { token: a, id: a, roles: [suport] } ] }", "deputy.yaml:3:46: auth.tokens[0].roles[0]: no such role: suport; near: support"},
		"an empty rule":         {least + "policy: { roles: { a: { tables: { t: { read: true, rows: '' } } } } }", "deputy.yaml:2:58: policy.roles.a.tables.t.rows: an empty condition would mean every record: write one, or remove the key"},
		"a rule without value":  {least + "policy:\n  roles:\n    a:\n      tables:\n        t:\n          rows:", "deputy.yaml:7:17: policy.roles.a.tables.t.rows: no value: write one, or remove the key"},
		"neither nor":           {least + "policy: { roles: { a: { tables: { t: { read: yes } } } } }", "deputy.yaml:2:46: policy.roles.a.tables.t.read: write true, false or a list of fields"},
		"hide":                  {least + "policy: { roles: { a: { hide: [salary] } } }", "deputy.yaml:2:32: policy.roles.a.hide[0]: write table.field"},
		"time":                  {least + "limits: { tool_timeout: 30 }", "deputy.yaml:2:25: limits.tool_timeout: write a length of time such as 30s, 5m or 24h"},
		"size":                  {least + "limits: { result_bytes: 3 GiB }", "deputy.yaml:2:25: limits.result_bytes: write a size such as 32KiB, 1MiB or a number of bytes"},
		"count":                 {least + "limits: { steps: 0 }", "deputy.yaml:2:18: limits.steps: write a whole number above 0"},
		"price":                 {least + "models: [ { name: a, provider: offline, price: { input: 2e3 } } ]", "deputy.yaml:2:57: models[0].price.input: write a decimal such as 2.50"},
		"zone":                  {least + "zone: Europe/Atlantis", "deputy.yaml:2:7: zone: no such time zone: Europe/Atlantis; write a name such as Europe/Oslo or UTC"},
		"provider":              {least + "models: [ { name: a, provider: opnai } ]", "deputy.yaml:2:32: models[0].provider: no such value: opnai; write openai, anthropic, offline, scripted"},
		"provider of later":     {least + "models: [ { name: a, provider: bedrock } ]", "deputy.yaml:2:32: models[0].provider: bedrock is not supported yet: use openai, anthropic, offline, scripted"},
		"model missing":         {least + "models: [ { name: a, provider: openai } ]", "deputy.yaml:2:11: models[0].model: no model: write the vendor's name for it, such as gpt-4.1 or claude-sonnet-5"},
		"means nothing":         {least + "models: [ { name: a, provider: offline, api_key: x } ]", "deputy.yaml:2:41: models[0].api_key: means nothing to provider offline: remove it"},
		"channel of later":      {least + "auth: { tokens: [ { token: a, id: a, channels: [mcp] } ] }", "deputy.yaml:2:49: auth.tokens[0].channels[0]: mcp is not supported yet: use chat"},
		"anchor":                {least + "listen: &a '127.0.0.1:1'", "deputy.yaml:2:9: listen: anchors, aliases and tags are not supported: write the value out, in quotes if it begins with !, & or *"},
		"a comma in braces":     {least + "actions: { a: { label: A, table: t, set: { n: coalesce(n, 0) } } }", "deputy.yaml:2:60: actions.a.set.0): no value: within braces a comma ends a value, so quote the one before"},
		"store of later":        {least + "store: postgres://a", "deputy.yaml:2:8: store: postgres is not supported yet: write memory: or sqlite:PATH"},
		"listen":                {least + "listen: 8080", "deputy.yaml:2:9: listen: write host:port, such as 127.0.0.1:8080"},
		"public_url":            {least + "public_url: example.com", "deputy.yaml:2:13: public_url: write a whole URL, such as https://assistant.example.com"},
		"deep":                  {strings.Repeat("[", 200), "deputy.yaml: too large or too deep for a configuration"},
		"all of them, in order": {least + "zone: X\nlisten: 1\nfoo: 1", "deputy.yaml:4:1: foo: unknown key\n" +
			"deputy.yaml:2:7: zone: no such time zone: X; write a name such as Europe/Oslo or UTC\ndeputy.yaml:3:9: listen: write host:port, such as 127.0.0.1:8080"},
		"a widget of nothing":   {widget("{ label: A }"), "deputy.yaml:3:14: host.widgets.w: write what it asks, the arguments of one tool: query: { table: …, where: … } or analyze: { table: …, measures: … }"},
		"a widget of both":      {widget("{ query: { table: t }, analyze: { table: t } }"), "deputy.yaml:3:14: host.widgets.w: write what it asks, the arguments of one tool: query: { table: …, where: … } or analyze: { table: …, measures: … }"},
		"a widget's name":       {"host:\n  database: sqlite:a.db\n  widgets: { My Widget: { query: { table: t } } }", "deputy.yaml:3:14: host.widgets.My Widget: name a widget in lower-case letters, digits and _, beginning with a letter, at most 60"},
		"a parameter's type":    {widget("{ query: { table: t }, parameters: { a: { type: number } } }"), "deputy.yaml:3:65: host.widgets.w.parameters.a.type: no such value: number; write string, int, decimal, bool, date, timestamp"},
		"a parameter untyped":   {widget("{ query: { table: t }, parameters: { a: { label: b } } }"), "deputy.yaml:3:54: host.widgets.w.parameters.a.type: no type: write string, int, decimal, bool, date or timestamp"},
		"a parameter's name":    {widget("{ query: { table: t }, parameters: { A: { type: int } } }"), "deputy.yaml:3:54: host.widgets.w.parameters.A: name a parameter in lower-case letters, digits and _, beginning with a letter, at most 60"},
		"a parameter's default": {widget("{ query: { table: t }, parameters: { a: { type: date, default: tomorrow } } }"), "deputy.yaml:3:80: host.widgets.w.parameters.a.default: `a`: \"tomorrow\" is not a date like 2026-01-31"},
		"a default of none":     {widget("{ query: { table: t }, parameters: { a: { type: string, enum: [b], default: c } } }"), "deputy.yaml:3:93: host.widgets.w.parameters.a.default: `a` is one of b, not \"c\""},
		"required and default":  {widget("{ query: { table: t }, parameters: { a: { type: int, required: true, default: 1 } } }"), "deputy.yaml:3:95: host.widgets.w.parameters.a.default: what is required has no default: remove one of the two"},
		"a list of numbers":     {widget("{ query: { table: t }, parameters: { a: { type: int, enum: [1] } } }"), "deputy.yaml:3:76: host.widgets.w.parameters.a.enum: only a string has a list of values: remove it, or write type: string"},
		"a widget's unknown":    {widget("{ query: { table: t, were: x } }"), "deputy.yaml:3:38: host.widgets.w.query.were: unknown key; near: where"},
		"a list of deletes":     {least + "policy: { roles: { a: { tables: { t: { delete: [id] } } } } }", "deputy.yaml:2:48: policy.roles.a.tables.t.delete: write true or false"},
		"a mapping of reads":    {least + "policy: { roles: { a: { tables: { t: { read: { id: true } } } } } }", "deputy.yaml:2:40: policy.roles.a.tables.t.read: write true, false or a list of fields"},
		"provider, with keys":   {least + "models: [ { name: a, provider: opnai, model: b, api_key: c } ]", "deputy.yaml:2:32: models[0].provider: no such value: opnai; write openai, anthropic, offline, scripted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parse("deputy.yaml", []byte(c.text), environment)
			var mistakes Mistakes
			if !errors.As(err, &mistakes) {
				t.Fatalf("%v", err)
			}
			if got := err.Error(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestWhatIsNoYAMLIsMended: where the line tells what is wrong with it, the mistake tells how to mend it.
func TestWhatIsNoYAMLIsMended(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"host:\n\tdatabase: x":                                                   ":2:1: ; indent with blanks, not tabs",
		"a: { rows: exists(x, y == [1]) && b }":                                  ":1:; quote the value: rows: '…'",
		"a:\n  rows: \"open\" == status":                                         ":2:; quote the value: rows: '…'",
		"a:\n  write_rows: 'abc' == name":                                        ":2:; quote the value: write_rows: \"…\"",
		"a:\n  record_label: name + \": \" + code":                               ":2:; quote the value: record_label: '…'",
		"a: { token: ${A-B}, x: y }":                                             ":1:; quote the value: token: '…'",
		"host: [1\nlisten: x":                                                    ":2:",
		"a: { rows: 'b', c: [d }":                                                ":1:",
		least + "policy: { roles: { a: { tables: { t: { rows: f(a, b) } } } } }": ": policy.roles.a.tables.t.b): unknown key; if it is a part of a rule, quote the rule: rows: '…'",
	} {
		_, err := parse("f", []byte(text), environment)
		place, mend, _ := strings.Cut(want, ";")
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(place)) || !strings.Contains(err.Error(), mend) || mend == "" && strings.Contains(err.Error(), ";") {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// TestWhatIsNotBuiltIsRefused: a key that were ignored would be a promise that is not kept.
func TestWhatIsNotBuiltIsRefused(t *testing.T) {
	t.Parallel()
	for key, text := range map[string]string{
		"classes": "classes: [public]", "channels": "channels: { mcp: { cleared: internal } }",
		"models[0].cleared":            "models: [ { name: a, provider: offline, cleared: internal } ]",
		"auth.oidc":                    "auth: { oidc: { issuer: x } }",
		"budgets.per_person_day":       "budgets: { per_person_day: { tokens: 1 } }",
		"host.as_person":               "host: { database: sqlite:a.db, as_person: }",
		"host.tables.t.class":          "host: { database: sqlite:a.db, tables: { t: { class: restricted } } }",
		"host.tables.t.fields.f.class": "host: { database: sqlite:a.db, tables: { t: { fields: { f: { class: restricted } } } } }",
	} {
		if !strings.HasPrefix(text, "host:") {
			text = least + text
		}
		_, err := parse("deputy.yaml", []byte(text), environment)
		if err == nil || !strings.Contains(err.Error(), ": "+key+": not supported yet: remove it") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestAFileThatIsNotThere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deputy.yaml")
	_, err := load(path)
	if err == nil || !strings.HasPrefix(err.Error(), path+": cannot be read: ") || !strings.Contains(err.Error(), "--config") {
		t.Errorf("%v", err)
	}
}

func TestTheDemosConfigurationIsGood(t *testing.T) {
	t.Parallel()
	_, err := parse("demo.yaml", demoYAML, func(string) (string, bool) { return "1", true })
	if err != nil {
		t.Error(err)
	}
}

// FuzzParse: whatever the text, it is read or refused with lines that name the file; and what is read once is read the same again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add(demoYAML)
	f.Add([]byte(least))
	f.Add([]byte("{\"host\": {\"database\": \"sqlite:a\"}}"))
	f.Add([]byte("a: &x [*x]\n<<: *x\n? b\n: c\n!!t d: |\n  e"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<14 {
			return
		}
		d, err := parse("f.yaml", text, environment)
		if err == nil {
			if d.Host.Database == "" {
				t.Error("read without a database")
			}
			return
		}
		var mistakes Mistakes
		if !errors.As(err, &mistakes) || len(mistakes) == 0 {
			t.Fatalf("%v", err)
		}
		for _, m := range mistakes {
			if line := m.String(); !strings.HasPrefix(line, "f.yaml:") || strings.ContainsAny(line, "\n\r") || m.at.line < 0 {
				t.Errorf("a mistake that is not one line with its file: %q", line)
			}
		}
	})
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
