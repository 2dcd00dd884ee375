package deputy_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/mariatest"
	"example.com/deputy/internal/pgtest"
	"example.com/deputy/provider/scripted"
)

// retailFolder holds a support desk: its users, orders and products, and 520 tasks with the changes that are right.
const retailFolder = "../shared/data/tau-retail/"

// retailColumns are the columns of each table, the key first; those that only a task's changes bring are at the end, and may be NULL.
func retailColumns() map[string][]string {
	return map[string][]string{
		"users":    {"user_id TEXT PRIMARY KEY", "name JSON", "address JSON", "email TEXT", "payment_methods JSON", "orders JSON"},
		"products": {"product_id TEXT PRIMARY KEY", "name TEXT", "variants JSON"},
		"orders": {"order_id TEXT PRIMARY KEY", "user_id TEXT NOT NULL REFERENCES users", "address JSON", "items JSON", "fulfillments JSON", "status TEXT", "payment_history JSON",
			"cancel_reason TEXT", "exchange_items JSON", "exchange_new_items JSON", "exchange_payment_method_id TEXT", "exchange_price_difference NUMERIC",
			"return_items JSON", "return_payment_method_id TEXT"},
	}
}

func retailFile(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(retailFolder + name)
	if os.IsNotExist(err) {
		t.Skip("../shared/data/tau-retail is not there")
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// decoded reads JSON with its numbers as they stand.
func decoded(t *testing.T, raw []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
}

// retailTask is what a person wants, and what must change for it.
type retailTask struct {
	User    string         `json:"user_id"`
	Changes []retailChange `json:"changes"`
}

type retailChange struct {
	Table, Key string
	Path       []string
	After      any
}

func retailTasks(t *testing.T) (out []retailTask) {
	t.Helper()
	for _, name := range []string{"retail_tasks_dev.jsonl", "retail_tasks_train.jsonl"} {
		for line := range bytes.Lines(retailFile(t, name)) {
			var task retailTask
			decoded(t, line, &task)
			out = append(out, task)
		}
	}
	return out
}

// engine is the database that the desk works on.
type engine int

const (
	onSQLite engine = iota
	onPostgres
	onMaria
)

// retail is the support desk under test.
type retail struct {
	*bench
	on    engine
	db    *sql.DB
	first cells
	rows  map[string]map[string]map[string]any // table, key, column
	calls [][]scripted.Call                    // of the steps of the next turn
}

func newRetail(t *testing.T, on engine) *retail {
	t.Helper()
	r := &retail{on: on, rows: map[string]map[string]map[string]any{}}
	var url string
	url, r.db = on.open(t)
	r.db.SetMaxOpenConns(1) // data_version counts what other connections write
	if on == onSQLite {
		r.exec(t, "PRAGMA journal_mode = WAL")
	}
	for _, table := range []string{"users", "products", "orders"} {
		r.load(t, table)
	}
	r.first = r.now(t)
	host, err := sqldb.Open(t.Context(), sqldb.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	own := deputy.Access{Read: all(), Update: all(), Rows: "user_id == person.id"}
	r.bench = setupModel(t, func(c *deputy.Config) {
		c.Host = host
		c.Policy = deputy.Policy{Roles: map[string]deputy.Role{"customer": {Tools: []string{"*"},
			Tables: map[string]deputy.Access{"users": own, "orders": own, "products": {Read: all()}}}}}
	}, func(_ *bench, req deputy.Request) scripted.Answer {
		if step := scripted.Step(req); step <= len(r.calls) {
			return calls(r.calls[step-1]...)
		}
		return scripted.Answer{Text: "done"}
	})
	return r
}

// open makes an empty database, for the host by its URL and for the test.
func (on engine) open(t *testing.T) (url string, db *sql.DB) {
	t.Helper()
	driver, source := "sqlite", filepath.Join(t.TempDir(), "retail.db")
	switch url = "sqlite:" + source; on {
	case onMaria:
		url = mariatest.Database(t)
		return url, mariatest.Open(t, url)
	case onPostgres:
		url = pgtest.Database(t)
		driver, source = "pgx", url
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return url, db
}

func (r *retail) exec(t *testing.T, text string, args ...any) {
	t.Helper()
	if _, err := r.db.ExecContext(t.Context(), text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func columnNames(table string) (out []string) {
	for _, c := range retailColumns()[table] {
		name, _, _ := strings.Cut(c, " ")
		out = append(out, name)
	}
	return out
}

func isJSON(table, column string) bool {
	return slices.Contains(retailColumns()[table], column+" JSON")
}

func (r *retail) load(t *testing.T, table string) {
	t.Helper()
	var all map[string]map[string]any
	decoded(t, retailFile(t, table+".json"), &all)
	columns := strings.Join(retailColumns()[table], ", ")
	switch r.on {
	case onPostgres:
		columns = strings.ReplaceAll(columns, " JSON", " jsonb")
	case onMaria: // where a key has a length, a reference names its column, and a number without digits has none after the point
		columns = strings.NewReplacer("_id TEXT", "_id varchar(100)", "REFERENCES users", "REFERENCES users (user_id)", "NUMERIC", "decimal(20, 2)").Replace(columns)
	}
	r.exec(t, fmt.Sprintf("CREATE TABLE %s (%s)", table, columns))
	r.rows[table] = map[string]map[string]any{}
	for key, record := range all {
		if table == "users" {
			record["user_id"] = key
		}
		r.rows[table][key] = record
		r.insert(t, table, record)
	}
}

func (r *retail) insert(t *testing.T, table string, record map[string]any) {
	t.Helper()
	names := columnNames(table)
	args := make([]any, len(names))
	for i, name := range names {
		args[i] = stored(t, table, name, record[name])
	}
	var marks, sets []string
	for i, name := range names {
		if r.on == onMaria {
			marks, sets = append(marks, "?"), append(sets, name+" = VALUES ("+name+")")
			continue
		}
		marks, sets = append(marks, fmt.Sprintf("$%d", i+1)), append(sets, name+" = excluded."+name)
	}
	again := "ON CONFLICT (" + names[0] + ") DO UPDATE SET"
	if r.on == onMaria {
		again = "ON DUPLICATE KEY UPDATE"
	}
	r.exec(t, fmt.Sprintf("INSERT INTO %s VALUES (%s) %s %s", table, strings.Join(marks, ", "), again, strings.Join(sets, ", ")), args...)
}

func stored(t *testing.T, table, column string, v any) any {
	t.Helper()
	switch {
	case v == nil:
		return nil
	case isJSON(table, column):
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	return fmt.Sprint(v)
}

// cells are the texts of a whole database: table and key, column.
type cells map[string]map[string]sql.NullString

// now is the database as it is.
func (r *retail) now(t *testing.T) cells {
	t.Helper()
	out := cells{}
	for table := range retailColumns() {
		names := columnNames(table)
		rows, err := r.db.QueryContext(t.Context(), "SELECT "+strings.Join(names, ", ")+" FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			texts := make([]sql.NullString, len(names))
			into := make([]any, len(names))
			for i := range texts {
				into[i] = &texts[i]
			}
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			record := map[string]sql.NullString{}
			for i, name := range names {
				record[name] = texts[i]
			}
			out[table+" "+texts[0].String] = record
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		_ = rows.Close()
	}
	return out
}

// is compares a cell with a value: JSON as JSON with its numbers as they stand, a number as a number.
func is(t *testing.T, table, column string, have sql.NullString, want any) bool {
	t.Helper()
	switch {
	case want == nil || !have.Valid:
		return want == nil && !have.Valid
	case isJSON(table, column):
		var v any
		decoded(t, []byte(have.String), &v)
		return reflect.DeepEqual(v, want)
	case column == "exchange_price_difference":
		a, okA := new(big.Rat).SetString(have.String)
		b, okB := new(big.Rat).SetString(fmt.Sprint(want))
		return okA && okB && a.Cmp(b) == 0
	}
	return have.String == fmt.Sprint(want)
}

// wanted are the records that a task changes, as they must be afterwards.
func (r *retail) wanted(t *testing.T, task retailTask) map[string]map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]map[string]any{}
	for _, c := range task.Changes {
		if out[c.Table] == nil {
			out[c.Table] = map[string]map[string]any{}
		}
		if out[c.Table][c.Key] == nil {
			raw, err := json.Marshal(r.rows[c.Table][c.Key])
			if err != nil {
				t.Fatal(err)
			}
			var copied map[string]any
			decoded(t, raw, &copied)
			out[c.Table][c.Key] = copied
		}
		place := out[c.Table][c.Key]
		for _, step := range c.Path[:len(c.Path)-1] {
			place = place[step].(map[string]any)
		}
		place[c.Path[len(c.Path)-1]] = c.After
	}
	return out
}

// plan is what the model does as the person: it reads the records, and proposes their changes, one proposal a record.
func (r *retail) plan(t *testing.T, task retailTask, want map[string]map[string]map[string]any) (records int) {
	t.Helper()
	var reads, writes []scripted.Call
	for _, table := range slices.Sorted(maps.Keys(want)) {
		for _, key := range slices.Sorted(maps.Keys(want[table])) {
			reads = append(reads, scripted.Call{Tool: "get_record", Arguments: map[string]any{"table": table, "id": key}})
			writes = append(writes, scripted.Call{Tool: "update_record", Arguments: map[string]any{"table": table, "id": key, "values": changed(t, table, r.rows[table][key], want[table][key])}})
		}
	}
	r.calls = [][]scripted.Call{reads, writes}
	if len(reads) == 0 {
		r.calls = [][]scripted.Call{{{Tool: "query_records", Arguments: map[string]any{"table": "orders"}}}}
	}
	return len(writes)
}

func changed(t *testing.T, table string, before, after map[string]any) (out []map[string]any) {
	t.Helper()
	for _, name := range columnNames(table) {
		if !reflect.DeepEqual(before[name], after[name]) {
			out = append(out, map[string]any{"field": name, "value": stored(t, table, name, after[name])})
		}
	}
	return out
}

// TestSupportDesk lets a model do each task as its user, whose rows are limited to their own. Nothing is changed by the turn; the confirmed
// group changes exactly what the task says, once, and nobody else can confirm it or read those records.
func TestSupportDesk(t *testing.T) {
	t.Parallel()
	supportDesk(t, onSQLite)
}

func TestSupportDeskOnPostgres(t *testing.T) {
	t.Parallel()
	supportDesk(t, onPostgres)
}

func TestSupportDeskOnMaria(t *testing.T) {
	t.Parallel()
	supportDesk(t, onMaria)
}

func supportDesk(t *testing.T, on engine) {
	t.Helper()
	tasks := retailTasks(t)
	r := newRetail(t, on)
	if len(tasks) != 520 {
		t.Fatalf("%d tasks", len(tasks))
	}
	groups := 0
	for i, task := range tasks {
		if raced && i%10 != 0 {
			continue
		}
		want := r.wanted(t, task)
		n := r.plan(t, task, want)
		if n > 0 {
			groups++
		}
		r.task(t, fmt.Sprintf("task %d", i), task, want, n)
		if t.Failed() {
			t.FailNow()
		}
	}
	if groups != 514 && !raced {
		t.Errorf("%d tasks with a group", groups)
	}
}

func (r *retail) task(t *testing.T, name string, task retailTask, want map[string]map[string]map[string]any, n int) {
	t.Helper()
	who, other := caller(task.User, "customer"), caller("somebody_else", "customer")
	before := r.written(t)
	got := r.ask(t, who, "", name)
	ps := r.proposals(t, who)
	if got.end.Reason != deputy.Answered || len(ps) != n {
		t.Fatalf("%s: %v, %d proposals, want %d: %v", name, got.end, len(ps), n, r.results())
	}
	if r.written(t) != before {
		t.Fatalf("%s: the turn has written", name)
	}
	if n == 0 {
		return
	}
	_, err := r.door().Confirm(t.Context(), other, ps[0].Group, shown(ps...))
	code(t, err, deputy.NotFound)
	if _, err := r.door().Confirm(t.Context(), who, ps[0].Group, shown(ps...)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	now := r.now(t)
	for table, records := range want {
		for key, record := range records {
			for _, column := range columnNames(table) {
				if have := now[table+" "+key][column]; !is(t, table, column, have, record[column]) {
					t.Errorf("%s: %s %s %s is %v, want %v", name, table, key, column, have, record[column])
				}
			}
		}
	}
	for at := range r.changed(now) {
		if table, key, _ := strings.Cut(at, " "); want[table][key] == nil {
			t.Errorf("%s: %s has changed too", name, at)
		}
	}
	_, err = r.door().Confirm(t.Context(), who, ps[0].Group, shown(ps...))
	code(t, err, deputy.AlreadyDecided)
	r.calls = r.calls[:1]
	r.ask(t, other, "", name)
	for _, text := range r.results() {
		if !strings.HasPrefix(text, "Error: No such record") {
			t.Errorf("%s: somebody else reads %s", name, text)
		}
	}
	for table, records := range want { // as it was, for the next task
		for key := range records {
			r.insert(t, table, r.rows[table][key])
		}
	}
}

// written is a number that every write of somebody else's to the database changes.
func (r *retail) written(t *testing.T) int {
	t.Helper()
	switch r.on {
	case onSQLite:
		return numbers(t, r.db, "PRAGMA data_version")
	case onMaria: // which has no number of a transaction to look at: all that is in the tables
		out := 0
		for _, table := range []string{"users", "orders", "products"} {
			var name string
			var sum int
			if err := r.db.QueryRowContext(t.Context(), "CHECKSUM TABLE "+table).Scan(&name, &sum); err != nil {
				t.Fatal(err)
			}
			out = out*31 + sum
		}
		return out
	}
	return numbers(t, r.db, `SELECT sum(newest + 1000000000 * n) FROM (SELECT max(xmin::text::bigint) AS newest, count(*) AS n FROM users
		UNION ALL SELECT max(xmin::text::bigint), count(*) FROM orders UNION ALL SELECT max(xmin::text::bigint), count(*) FROM products) t`)
}

// changed are the records that are not as they were at first.
func (r *retail) changed(now cells) map[string]bool {
	out := map[string]bool{}
	for at := range now {
		if !maps.Equal(now[at], r.first[at]) {
			out[at] = true
		}
	}
	if len(now) != len(r.first) {
		out["the number of records"] = true
	}
	return out
}
