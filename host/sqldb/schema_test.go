package sqldb_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/query"
)

// shop opens a host over a database made by statements.
func shop(t testing.TB, statements ...string) *sqldb.Host {
	t.Helper()
	path, _ := create(t, statements...)
	return open(t, sqldb.Config{URL: "sqlite:" + path})
}

func tableNames(t testing.TB, h deputy.Host) []string {
	t.Helper()
	list, err := catalogOf(t, h).Tables(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range list {
		out = append(out, s.Name)
	}
	return out
}

func fieldNames(t *query.Table) []string {
	var out []string
	for _, f := range t.Fields {
		out = append(out, f.Name)
	}
	return out
}

func relationTexts(t *query.Table) []string {
	var out []string
	for _, r := range t.Relations {
		arrow := "->"
		if r.Many {
			arrow = "<-"
		}
		out = append(out, fmt.Sprintf("%s%s%s %s=%s", r.Name, arrow, r.Table, strings.Join(r.From, ","), strings.Join(r.To, ",")))
	}
	slices.Sort(out)
	return out
}

func wantList(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE "Order Details" ("SupportRepId" INTEGER, "2fa" TEXT, "all" TEXT, "Person" TEXT, "HTTPServer" TEXT, "Straße №1" TEXT, "as" TEXT,
		"a b" TEXT, "a_b" TEXT, "A.B" TEXT, "имя" TEXT, "🙂" TEXT, "日本" TEXT, "userID" INTEGER, "price€" NUMERIC)`,
		`CREATE TABLE "order_details" (id INTEGER PRIMARY KEY)`, `CREATE TABLE "🙂" (id INTEGER PRIMARY KEY)`, `CREATE TABLE "person" (id INTEGER PRIMARY KEY)`,
		`CREATE TABLE "say ""hi""; --" (id INTEGER PRIMARY KEY, "it's" TEXT)`,
		`CREATE TABLE deputy_turns (id INTEGER)`, `CREATE TABLE goose_db_version (id INTEGER)`, `CREATE TABLE seq (id INTEGER PRIMARY KEY AUTOINCREMENT)`,
		`INSERT INTO "say ""hi""; --" VALUES (1, 'x')`)
	wantList(t, "tables", tableNames(t, h), []string{"order_details", "order_details_2", "person_", "say_hi", "seq", "table_1"})
	d := tableOf(t, h, "order_details")
	wantList(t, "fields", fieldNames(d), []string{"support_rep_id", "_2fa", "all_", "person_", "http_server", "strasse_1", "as_",
		"a_b", "a_b_2", "a_b_3", "imya", "field_1", "field_2", "user_id", "price"})
	var labels []string
	for _, f := range d.Fields[:6] {
		labels = append(labels, f.Label)
	}
	wantList(t, "labels", append([]string{d.Label}, labels...), []string{"Order Details", "Support rep ID", "2fa", "All", "Person", "HTTP server", "Straße №1"})
	wantList(t, "a name with quotes", ask(t, h, "say_hi", `it_s == "x"`, nil, "it_s"), []string{"x"})
}

func TestTypes(t *testing.T) {
	t.Parallel()
	types := map[string]string{"INTEGER": "int -1 0", "bigint": "int -1 0", "UNSIGNED BIG INT": "int -1 0", "BOOLEAN": "bool -1 0", "bool": "bool -1 0",
		"NUMERIC(10, 2)": "decimal 2 0", "DECIMAL(10)": "decimal 0 0", "NUMERIC": "decimal -1 0", "MONEY": "decimal -1 0", "REAL": "decimal -1 0", "DOUBLE PRECISION": "decimal -1 0",
		"FLOAT": "decimal -1 0", "TEXT": "string -1 0", "VARCHAR(40)": "string -1 40", "NVARCHAR(70)": "string -1 70", "UUID": "string -1 0", "": "string -1 0", "STRING": "string -1 0",
		"DATE": "date -1 0", "DATETIME": "timestamp -1 0", "TIMESTAMP WITH TIME ZONE": "timestamp -1 0", "TIME": "string -1 0", "JSON": "json -1 0", "JSONB": "json -1 0", "BLOB": "string -1 0", "POINT": "string -1 0"}
	var columns, order []string
	for decl := range types {
		order = append(order, decl)
	}
	slices.Sort(order)
	for i, decl := range order {
		columns = append(columns, fmt.Sprintf("c%d %s", i, decl))
	}
	h := shop(t, "CREATE TABLE x ("+strings.Join(columns, ", ")+")")
	for i, f := range tableOf(t, h, "x").Fields {
		if got := fmt.Sprint(f.Type, " ", f.Scale, " ", f.Length); got != types[order[i]] {
			t.Errorf("%s: %s, want %s", order[i], got, types[order[i]])
		}
		if f.Secret != (order[i] == "BLOB") {
			t.Errorf("%s: secret %v", order[i], f.Secret)
		}
	}
}

func TestKeysAndColumns(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE auto (id INTEGER PRIMARY KEY, name TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'new', password TEXT, reset_token TEXT, tokens INTEGER, upper_name TEXT GENERATED ALWAYS AS (upper(name)))`,
		`CREATE TABLE given (code TEXT PRIMARY KEY, n INT)`, `CREATE TABLE whole (id INT PRIMARY KEY, n INT UNIQUE, m INT, UNIQUE (n, m))`,
		`CREATE TABLE two (b TEXT, a INT, x TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID`, `CREATE TABLE none (x INT)`,
		`CREATE VIEW seen AS SELECT id, name, length(name) AS n FROM auto`, `CREATE VIEW broken AS SELECT * FROM gone`,
		`CREATE VIRTUAL TABLE found USING fts5(body)`)
	wantList(t, "tables", tableNames(t, h), []string{"auto", "found", "given", "none", "seen", "two", "whole"})
	for table, want := range map[string][]string{"auto": {"id"}, "given": {"code"}, "whole": {"id"}, "two": {"a", "b"}, "none": nil, "seen": nil, "found": nil} {
		wantList(t, "key of "+table, tableOf(t, h, table).Key, want)
		if view := tableOf(t, h, table).View; view != (table == "seen" || table == "found") {
			t.Errorf("%s: view %v", table, view)
		}
	}
	var got []string
	for _, name := range []string{"auto", "given", "whole", "none"} {
		for _, f := range tableOf(t, h, name).Fields {
			got = append(got, fmt.Sprintf("%s.%s required=%v generated=%v read-only=%v unique=%v secret=%v default=%s", name, f.Name, f.Required, f.Generated, f.ReadOnly, f.Unique, f.Secret, f.Default))
		}
	}
	wantList(t, "fields", got, []string{
		"auto.id required=false generated=true read-only=false unique=false secret=false default=",
		"auto.name required=true generated=false read-only=false unique=false secret=false default=",
		"auto.state required=false generated=false read-only=false unique=false secret=false default='new'",
		"auto.password required=false generated=false read-only=false unique=false secret=true default=",
		"auto.reset_token required=false generated=false read-only=false unique=false secret=true default=",
		"auto.tokens required=false generated=false read-only=false unique=false secret=false default=",
		"auto.upper_name required=false generated=true read-only=false unique=false secret=false default=",
		"given.code required=true generated=false read-only=false unique=false secret=false default=",
		"given.n required=false generated=false read-only=false unique=false secret=false default=",
		"whole.id required=true generated=false read-only=false unique=false secret=false default=",
		"whole.n required=false generated=false read-only=false unique=true secret=false default=",
		"whole.m required=false generated=false read-only=false unique=false secret=false default=",
		"none.x required=false generated=false read-only=true unique=false secret=false default=",
	})
}

func TestRelations(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE "Customers" (id INTEGER PRIMARY KEY, name TEXT, invoices TEXT)`,
		`CREATE TABLE employees (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, reports_to INT REFERENCES employees, customer TEXT, customer_id INT REFERENCES customers(ID))`,
		`CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer_id INT REFERENCES "customers", billed_to_id INT REFERENCES customers, employee INT REFERENCES employees, employee_id INT REFERENCES employees)`,
		`CREATE TABLE lines (invoice INT, n INT, PRIMARY KEY (invoice, n), FOREIGN KEY (invoice) REFERENCES invoices ON DELETE CASCADE)`,
		`CREATE TABLE parts (id INTEGER PRIMARY KEY, line_invoice INT, line_n INT, all_id INT REFERENCES customers, FOREIGN KEY (line_invoice, line_n) REFERENCES lines)`,
		`CREATE TABLE lost (id INTEGER PRIMARY KEY, x INT REFERENCES nowhere)`)
	for table, want := range map[string][]string{
		"customers": {"employees<-employees id=customer_id", "invoices_by_billed_to_id<-invoices id=billed_to_id", "invoices_by_customer_id<-invoices id=customer_id", "parts<-parts id=all_id"},
		"employees": {"customer_id->customers customer_id=id", "employees_by_reports_to<-employees id=reports_to", "invoices_by_employee<-invoices id=employee",
			"invoices_by_employee_id<-invoices id=employee_id", "reports_to->employees reports_to=id"},
		"invoices": {"billed_to->customers billed_to_id=id", "customer->customers customer_id=id", "employee->employees employee=id", "employee_id->employees employee_id=id", "lines<-lines id=invoice"},
		"lines":    {"invoice->invoices invoice=id", "parts<-parts invoice,n=line_invoice,line_n"},
		"parts":    {"all_id->customers all_id=id", "lines->lines line_invoice,line_n=invoice,n"},
		"lost":     nil,
	} {
		wantList(t, "relations of "+table, relationTexts(tableOf(t, h, table)), want)
	}
	if r, _ := tableOf(t, h, "invoices").Relation("lines"); !r.Cascade {
		t.Error("lines do not go with their invoice")
	}
	if got := tableOf(t, h, "employees").RecordLabel; got != `coalesce(first_name + " ", "") + last_name` {
		t.Errorf("record label %q", got)
	}
}

// TestWhatFollowsAParent: children that lose their parent are told from those that go, and what other records would follow is read-only.
func TestWhatFollowsAParent(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE p (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b TEXT UNIQUE, c TEXT UNIQUE, d TEXT UNIQUE, x INT, y INT, UNIQUE (x, y))`, `CREATE TABLE k (code TEXT PRIMARY KEY)`,
		`CREATE TABLE goes (p_id INT REFERENCES p ON DELETE CASCADE)`, `CREATE TABLE loses (p_id INT REFERENCES P ON DELETE SET NULL)`, `CREATE TABLE resets (p_id INT DEFAULT 1 REFERENCES p ON DELETE SET DEFAULT)`,
		`CREATE TABLE stays (p_id INT REFERENCES p ON DELETE RESTRICT, b TEXT REFERENCES p (b) ON UPDATE NO ACTION)`,
		`CREATE TABLE f (a TEXT REFERENCES p (A) ON UPDATE CASCADE, c TEXT REFERENCES p (c) ON UPDATE SET NULL, d TEXT REFERENCES p (d) ON UPDATE SET DEFAULT, x INT, y INT, code TEXT REFERENCES k ON UPDATE CASCADE,
			FOREIGN KEY (x, y) REFERENCES p (x, y) ON UPDATE CASCADE)`)
	var got []string
	p := tableOf(t, h, "p")
	for _, r := range p.Relations {
		if len(r.From) == 1 && r.From[0] == "id" {
			got = append(got, fmt.Sprint(r.Name, " ", r.Cascade, " ", r.Nullify))
		}
	}
	wantList(t, "children", got, []string{"goes true false", "loses false true", "resets false true", "stays_by_p_id false false"})
	got = nil
	for _, f := range append(p.Fields, tableOf(t, h, "k").Fields...) {
		got = append(got, fmt.Sprint(f.Name, " ", f.ReadOnly))
	}
	wantList(t, "read-only", got, []string{"id false", "a true", "b false", "c true", "d true", "x true", "y true", "code false"})
}

func TestValueLists(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE x (
		a TEXT CHECK (a IN ('new', 'it''s', '(x), y')), -- CHECK (b IN ('no'))
		b TEXT CONSTRAINT kind CHECK ("b" IN ('one', 'two')),
		[c d] TEXT, /* CHECK (e IN ('no')) */ e INTEGER CHECK (e IN (1, -2)),
		f TEXT CHECK (f = 'x' OR f = 'y' OR f IS NULL), g TEXT CHECK (length(g) > 3 AND g IN ('long', 'longer')),
		h TEXT CHECK (h IN ('a') OR length(h) = 9), i TEXT CHECK (lower(i) IN ('a')), j TEXT CHECK (j NOT IN ('a')), k TEXT CHECK (k IN ('a', NULL)),
		l INT CHECK (l BETWEEN 1 AND 2), m TEXT DEFAULT 'CHECK (m IN (''no''))', n BOOLEAN CHECK (n IN (0, 1)),
		CHECK (([C D] IN ('p', 'q'))))`)
	want := map[string][]string{"a": {"new", "it's", "(x), y"}, "b": {"one", "two"}, "c_d": {"p", "q"}, "e": {"1", "-2"}, "f": {"x", "y"}, "g": {"long", "longer"}}
	for _, f := range tableOf(t, h, "x").Fields {
		wantList(t, f.Name, f.Values, want[f.Name])
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	path, _ := create(t, `CREATE TABLE employees (id INTEGER PRIMARY KEY, code TEXT, name TEXT, boss_id INT REFERENCES employees, hired DATETIME)`,
		`CREATE TABLE orders (id INTEGER PRIMARY KEY, rep_code TEXT, total NUMERIC(10,2), salary NUMERIC, seen_at TIMESTAMP)`, `CREATE TABLE hidden (id INTEGER PRIMARY KEY, order_id INT REFERENCES orders)`,
		`INSERT INTO employees VALUES (1, 'a', 'Ann', NULL, '2026-07-01 12:00:00'), (2, 'b', 'Bo', 1, NULL), (3, 'b', 'Bob', 1, NULL)`,
		`INSERT INTO orders VALUES (1, 'b', 1, 1, NULL), (2, 'a', 2, 2, NULL), (3, 'x', 3, 3, NULL)`)
	h := open(t, sqldb.Config{URL: "sqlite:" + path,
		Tables: map[string]sqldb.Table{
			"employees": {Label: "Staff", RecordLabel: `name + " (" + code + ")"`, Version: "hired", Fields: map[string]sqldb.Field{"hired": {Label: "Hired on", Zone: "Europe/Oslo"}}},
			"hidden":    {Hidden: true}},
		Relations: []sqldb.Relation{{From: "orders.rep_code", To: "employees.code", Name: "rep", Children: "orders"}, {From: "employees.boss_id", To: "employees.id", Name: "chief", Children: "team"}}})
	wantList(t, "tables", tableNames(t, h), []string{"employees", "orders"})
	e := tableOf(t, h, "employees")
	wantList(t, "relations", append(relationTexts(e), relationTexts(tableOf(t, h, "orders"))...), []string{"chief->employees boss_id=id", "orders<-orders code=rep_code", "team<-employees id=boss_id", "rep->employees rep_code=code"})
	if f, _ := e.Field("hired"); e.Label != "Staff" || e.Version != "hired" || f.Label != "Hired on" {
		t.Errorf("%+v", e)
	}
	wantList(t, "a parent that is not unique is the first by its key", ask(t, h, "orders", "", nil, "rep.name", "rep.chief.name", "rep.orders.count()", "rep.chief.team.max(m, m.name)"),
		[]string{"Bo|Ann|1|Bob", "Ann|-|1|-", "-|-|0|-"})
	wantList(t, "beyond a parent that is missing", ask(t, h, "orders", "", nil, "rep.team.all(m, m.id < 0)", "rep.team.exists()", "rep.team.count()", "rep.team.sum(m, m.id)", "rep.team.max(m, m.name)"),
		[]string{"true|false|0|-|-", "false|true|2|5|Bob", "true|false|0|-|-"})
	wantList(t, "children", ask(t, h, "employees", "", nil, "orders.sum(o, o.total)", "hired"), []string{"2.00|2026-07-01T10:00:00Z", "1.00|-", "1.00|-"})
	wantList(t, "a condition beyond such a parent", ask(t, h, "orders", `rep.chief.name == "Ann" || !rep.orders.exists()`, nil, "id"), []string{"1", "3"})
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	path, _ := create(t, `CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT)`)
	field := func(name string, f sqldb.Field) map[string]sqldb.Table {
		return map[string]sqldb.Table{"customers": {Fields: map[string]sqldb.Field{name: f}}}
	}
	for _, tt := range []struct {
		config sqldb.Config
		want   string
	}{
		{sqldb.Config{Tables: map[string]sqldb.Table{"custmers": {}}}, "host.tables.custmers: no table `custmers`; near: customers"},
		{sqldb.Config{Tables: map[string]sqldb.Table{"customers": {Version: "contry"}}}, "host.tables.customers.version: no field `contry`; near: country"},
		{sqldb.Config{Tables: map[string]sqldb.Table{"customers": {RecordLabel: "nme"}}}, "host.tables.customers.record_label: "},
		{sqldb.Config{Tables: field("nam", sqldb.Field{})}, "host.tables.customers.fields.nam: no field `nam`; near: name"},
		{sqldb.Config{Tables: field("name", sqldb.Field{Zone: "UTC"})}, "host.tables.customers.fields.name.zone: "},
		{sqldb.Config{Tables: field("name", sqldb.Field{Zone: "Oslo"})}, "host.tables.customers.fields.name.zone: no time zone `Oslo`"},
		{sqldb.Config{Relations: []sqldb.Relation{{From: "customers", To: "customers.id"}}}, "host.relations[0].from: "},
		{sqldb.Config{Relations: []sqldb.Relation{{From: "customers.country", To: "countries.code"}}}, "host.relations[0].to: no table `countries`"},
		{sqldb.Config{Relations: []sqldb.Relation{{From: "customers.country", To: "customers.id", Name: "My Parent"}}}, "host.relations[0].name: `My Parent` is no name of the language; write my_parent"},
		{sqldb.Config{URL: "sqlite:/nowhere/at/all.db"}, "host.database: there is no file /nowhere/at/all.db"},
		{sqldb.Config{URL: "sqlite:a.db", Schemas: []string{"public"}}, "host.schemas: a SQLite database has no schemas"},
		{sqldb.Config{URL: "oracle://joe:pw@x/y"}, "host.database: `oracle:…` is no database that can be opened"},
		{sqldb.Config{URL: "postgres://joe:pw@x:port/y"}, "host.database: the URL cannot be read; write postgres://"},
	} {
		if tt.config.URL == "" {
			tt.config.URL = "sqlite:" + path
		}
		h, err := sqldb.Open(t.Context(), tt.config)
		if err == nil {
			h.Close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %s", tt.config, err, tt.want)
		}
	}
}

// TestTablesAreFoundByTheirFields: where no name or label has the term, by fields and what is said of them, of what the person may read. What is
// hidden from them finds nothing, and keeps nothing from being found.
func TestTablesAreFoundByTheirFields(t *testing.T) {
	t.Parallel()
	h := shop(t, `CREATE TABLE staff (id INTEGER PRIMARY KEY, "Monthly Salary" NUMERIC, grade TEXT)`, `CREATE TABLE offers (id INTEGER PRIMARY KEY, salary_from INT, salary_to INT, s1_salary INT, s2_salary INT, s3_salary INT, s4_salary INT)`,
		`CREATE TABLE gradings (id INTEGER PRIMARY KEY, note TEXT)`, `CREATE VIEW seen AS SELECT id, grade FROM staff`)
	all := deputy.Fields{All: true}
	read := deputy.Access{Read: all}
	desk := deputytest.New(t, deputytest.Config{Host: h, Policy: deputy.Policy{Roles: map[string]deputy.Role{
		"manager": {Tools: []string{"*"}, Tables: map[string]deputy.Access{"*": read, "seen": read}},
		"agent":   {Tools: []string{"*"}, Hide: []string{"offers.salary_from", "offers.s1_salary"}, Tables: map[string]deputy.Access{"staff": {Read: deputy.Fields{Names: []string{"id", "grade"}}}, "offers": read}},
		"clerk":   {Tools: []string{"*"}, Hide: []string{"staff.monthly_salary"}, Tables: map[string]deputy.Access{"*": read, "offers": {}}},
	}}})
	for _, tt := range []struct{ role, term, want string }{
		{"manager", "salary", "offers(salary_from,salary_to,s1_salary,s2_salary,s3_salary,… and 1 more) staff(monthly_salary)"}, {"manager", "GRAD", "gradings()"}, {"manager", "y sal", "staff(monthly_salary)"}, {"manager", "nothing", ""},
		{"agent", "salary", "offers(salary_to,s2_salary,s3_salary,s4_salary)"}, {"agent", "grad", "staff(grade)"}, {"agent", "monthly", ""}, {"clerk", "salary", ""}, {"clerk", "grad", "gradings()"},
	} {
		var got struct {
			Tables []struct {
				Name   string
				Fields []string
			}
		}
		turn := desk.Run(deputytest.Person("p", tt.role), deputytest.Call("list_tables", fmt.Sprintf(`{"term":%q}`, tt.term)))
		if err := json.Unmarshal(turn.Data(t, 0), &got); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, l := range got.Tables {
			lines = append(lines, l.Name+"("+strings.Join(l.Fields, ",")+")")
		}
		if strings.Join(lines, " ") != tt.want {
			t.Errorf("%s looks for %s: %q, want %q", tt.role, tt.term, lines, tt.want)
		}
	}
}
