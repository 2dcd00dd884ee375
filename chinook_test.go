package deputy_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
)

// chinookFile is a copy of the music shop's database.
func chinookFile(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../shared/data/chinook/Chinook_Sqlite.sqlite")
	if os.IsNotExist(err) {
		t.Skip("../shared/data/chinook is not there")
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "chinook.db")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// music is a policy under which each employee sees only the customers they support, and what belongs to those.
func music() deputy.Policy {
	read := deputy.Access{Read: all()}
	own := func(rows string) deputy.Access { return deputy.Access{Read: all(), Rows: rows} }
	customers := own("support_rep_id == person.attributes.employee_id")
	customers.Update = some("phone", "email")
	return deputy.Policy{Roles: map[string]deputy.Role{"support": {Tools: []string{"*"}, Hide: []string{"customer.company", "employee.birth_date"},
		Tables: map[string]deputy.Access{
			"customer": customers, "employee": read, "track": read, "album": read, "artist": read,
			"invoice":      own("customer.support_rep_id == person.attributes.employee_id"),
			"invoice_line": own("invoice.customer.support_rep_id == person.attributes.employee_id"),
		}}}}
}

func employee(id int) deputy.Caller {
	c := caller(fmt.Sprintf("employee-%d", id), "support")
	c.Attributes["employee_id"] = fmt.Sprint(id)
	return c
}

// musicShop is a bench over the music shop, and a database to ask directly.
type musicShop struct {
	*bench
	ask func(who deputy.Caller, tool, arguments string) string
	db  *sql.DB
}

func chinook(t *testing.T) musicShop {
	t.Helper()
	path := chinookFile(t)
	return chinookOver(t, sqldb.Config{URL: "sqlite:" + path}, path)
}

// chinookOver is over any database of the music shop; the file is asked directly.
func chinookOver(t *testing.T, c sqldb.Config, file string) musicShop {
	t.Helper()
	host, err := sqldb.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	model := &oneCall{}
	b := setupModel(t, func(c *deputy.Config) { c.Host, c.Policy = host, music() }, model.answer)
	ask := func(who deputy.Caller, tool, arguments string) string {
		t.Helper()
		model.next = do(tool, arguments)
		got := b.ask(t, who, "", "x")
		if got.end.Reason != deputy.Answered {
			t.Fatal(got.end)
		}
		return b.results()[0]
	}
	return musicShop{b, ask, db}
}

func numbers(t *testing.T, db *sql.DB, text string, args ...any) (out int) {
	t.Helper()
	if err := db.QueryRow(text, args...).Scan(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestChinookThreePeople(t *testing.T) {
	t.Parallel()
	chinook(t).threePeople(t)
}

func (s musicShop) threePeople(t *testing.T) {
	ask, db := s.ask, s.db
	for _, id := range []int{3, 4, 5} {
		who := employee(id)
		for _, c := range []struct{ arguments, truth string }{
			{`{"table":"customer"}`, `SELECT count(*) FROM Customer WHERE SupportRepId = ?`},
			{`{"table":"invoice"}`, `SELECT count(*) FROM Invoice JOIN Customer USING (CustomerId) WHERE SupportRepId = ?`},
			{`{"table":"invoice_line"}`, `SELECT count(*) FROM InvoiceLine JOIN Invoice USING (InvoiceId) JOIN Customer USING (CustomerId) WHERE SupportRepId = ?`},
			{`{"table":"customer","where":"country != \"USA\""}`, `SELECT count(*) FROM Customer WHERE SupportRepId = ? AND Country <> 'USA'`},
			{`{"table":"customer","where":"invoice.exists(i, i.total > 15)"}`,
				`SELECT count(*) FROM Customer c WHERE SupportRepId = ? AND EXISTS (SELECT 1 FROM Invoice i WHERE i.CustomerId = c.CustomerId AND i.Total > 15)`},
			{`{"table":"track","where":"invoice_line.count() == 0"}`, `SELECT count(*) FROM Track t WHERE NOT EXISTS (SELECT 1 FROM InvoiceLine l
				JOIN Invoice USING (InvoiceId) JOIN Customer USING (CustomerId) WHERE l.TrackId = t.TrackId AND SupportRepId = ?)`},
			{`{"table":"customer","distinct":"country"}`, `SELECT count(DISTINCT Country) FROM Customer WHERE SupportRepId = ?`},
		} {
			if got, want := rowsOf(t, ask(who, "count_records", c.arguments)), fmt.Sprintf("[[%d]]", numbers(t, db, c.truth, id)); got != want {
				t.Errorf("employee %d, %s: %s, want %s", id, c.arguments, got, want)
			}
		}
		seen := ask(who, "query_records", `{"table":"employee","select":["employee_id","customer.count()","customer.sum(c, c.invoice.count())"],"order_by":["employee_id"]}`)
		own := numbers(t, db, `SELECT count(*) FROM Customer WHERE SupportRepId = ?`, id)
		invoices := numbers(t, db, `SELECT count(*) FROM Invoice JOIN Customer USING (CustomerId) WHERE SupportRepId = ?`, id)
		var rows [][]any
		if err := json.Unmarshal([]byte(rowsOf(t, seen)), &rows); err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			want, wantInvoices := any(0.0), any(nil)
			if r[0] == float64(id) {
				want, wantInvoices = float64(own), float64(invoices)
			}
			if fmt.Sprint(r[1]) != fmt.Sprint(want) || fmt.Sprint(r[2]) != fmt.Sprint(wantInvoices) {
				t.Errorf("employee %d sees %v of %v", id, r[1:], r[0])
			}
		}
		labels := ask(who, "query_records", `{"table":"invoice","select":["invoice_id","customer_id"],"limit":100}`)
		if !strings.Contains(labels, `"customer_id.label"`) || strings.Contains(labels, "null") {
			t.Error(labels)
		}
	}
}

// TestChinookNothingShines shows that what one may not read answers like what is not there.
func TestChinookNothingShines(t *testing.T) {
	t.Parallel()
	chinook(t).nothingShines(t)
}

func (s musicShop) nothingShines(t *testing.T) {
	ask, b, db := s.ask, s.bench, s.db
	who := employee(3)
	theirs := numbers(t, db, `SELECT min(CustomerId) FROM Customer WHERE SupportRepId = 4`)
	theirInvoice := numbers(t, db, `SELECT min(InvoiceId) FROM Invoice JOIN Customer USING (CustomerId) WHERE SupportRepId = 4`)
	like := func(got, missing, from, to string) {
		t.Helper()
		if strings.ReplaceAll(got, from, "*") != strings.ReplaceAll(missing, to, "*") {
			t.Errorf("\n%s\n%s", got, missing)
		}
	}
	id := fmt.Sprint(theirs)
	for _, tool := range []string{`get_record {"table":"customer","id":"%s"}`, `update_record {"table":"customer","id":"%s","values":[{"field":"phone","value":"1"}]}`,
		`query_records {"table":"customer","where":"customer_id == %s"}`, `count_records {"table":"invoice","where":"customer_id == %s"}`} {
		name, args, _ := strings.Cut(tool, " ")
		like(ask(who, name, fmt.Sprintf(args, id)), ask(who, name, fmt.Sprintf(args, "99999")), " "+id, " 99999")
	}
	like(ask(who, "get_record", fmt.Sprintf(`{"table":"invoice","id":"%d"}`, theirInvoice)), ask(who, "get_record", `{"table":"invoice","id":"99999"}`), fmt.Sprint(theirInvoice), "99999")
	for _, tool := range []string{`count_records {"table":"customer","where":"%s == \"x\""}`, `query_records {"table":"customer","order_by":["%s"]}`,
		`query_records {"table":"customer","select":["%s"]}`, `count_records {"table":"invoice","where":"customer.%s != null"}`,
		`count_records {"table":"customer","distinct":"%s"}`} {
		name, args, _ := strings.Cut(tool, " ")
		like(ask(who, name, fmt.Sprintf(args, "company")), ask(who, name, fmt.Sprintf(args, "coxpaxy")), "company", "coxpaxy")
	}
	// an album is read by everybody, a playlist by nobody
	like(ask(who, "query_records", `{"table":"playlist"}`), ask(who, "query_records", `{"table":"plaxlist"}`), "playlist", "plaxlist")
	like(ask(who, "describe_table", `{"tables":["playlist"]}`), ask(who, "describe_table", `{"tables":["plaxlist"]}`), "playlist", "plaxlist")
	if got := ask(who, "count_records", `{"table":"track","where":"playlist_track.exists()"}`); !strings.HasPrefix(got, "Error: ") || !strings.Contains(got, "playlist_track") {
		t.Error(got)
	}

	call := b.log(t)[0].ID
	_, err := b.door().Result(t.Context(), employee(4), call, 0, 10)
	code(t, err, deputy.NotFound)
	if got := ask(employee(4), "present_results", `{"view":"table","call_id":"c9"}`); !strings.HasPrefix(got, "Error: ") {
		t.Error(got)
	}

	nobody := caller("nobody", "support") // has the role, lacks the attribute that the rules need
	for table, want := range map[string]string{"customer": "[[0]]", "invoice": "[[0]]", "invoice_line": "[[0]]", "album": "[[347]]"} {
		if got := rowsOf(t, ask(nobody, "count_records", fmt.Sprintf(`{"table":%q}`, table))); got != want {
			t.Errorf("%s: %s", table, got)
		}
	}
	tail := func(record string) string {
		b.say(t, who, deputy.TurnInput{Text: "x", Screen: &deputy.Screen{Table: "customer", Record: record}})
		rs := b.requests()
		return rs[len(rs)-1].Tail
	}
	if tail(id) != tail("99999") {
		t.Error("the screen tells of a record that may not be read")
	}
}

func TestChinookConfirmOnce(t *testing.T) {
	t.Parallel()
	s := chinook(t)
	s.confirmOnce(t, func() int {
		return numbers(t, s.db, `SELECT count(*) FROM Customer WHERE CustomerId = 1 AND Phone = '+55 1'`)
	})
}

// confirmOnce confirms a change; changed counts the records that it made.
func (s musicShop) confirmOnce(t *testing.T, changed func() int) {
	ask, b := s.ask, s.bench
	who := employee(3)
	got := ask(who, "update_record", `{"table":"customer","id":"1","values":[{"field":"phone","value":"+55 1"}]}`)
	ps := b.proposals(t, who)
	if len(ps) != 1 || !strings.HasPrefix(ps[0].Summary, "Update customer 1 (Luís Gonçalves)") {
		t.Fatal(got, ps)
	}
	d, err := b.door().Confirm(t.Context(), who, ps[0].ID, shown(ps[0]))
	if err != nil || d.Proposals[0].State != deputy.Done || changed() != 1 {
		t.Error(err, d)
	}
	_, err = b.door().Confirm(t.Context(), who, ps[0].ID, shown(ps[0]))
	code(t, err, deputy.AlreadyDecided)
}
