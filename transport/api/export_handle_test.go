package api_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/store/memory"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/present"
	"example.com/deputy/toolset/records"
	"example.com/deputy/transport/api"
	"github.com/xuri/excelize/v2"
)

// shelf is a served assistant whose model makes the calls it is given, and whose person has the role that it says.
type shelf struct {
	*server
	mu    sync.Mutex
	role  string
	calls []scripted.Call
}

func (s *shelf) become(role string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.role = role
}

// books are 30 of them; every third is Ann's.
func books() *hosttest.Fake {
	table := query.Table{Name: "books", Label: "Books", Key: []string{"id"}, RecordLabel: "title", Search: []string{"title", "shelf"}, Fields: []query.Field{
		field("id", "Id", query.Int), field("title", "Title", query.String), field("shelf", "Shelf", query.String), field("price", "Price", query.Dec), field("owner", "Owner", query.String)}}
	rows := make([]query.Row, 30)
	for i := range rows {
		rows[i] = query.Row{"id": int64(i + 1), "title": fmt.Sprintf("=Book %d", i+1), "shelf": fmt.Sprintf("top %d", i%4), "price": query.Decimal(fmt.Sprintf("%d.10", i)), "owner": []string{"ann", "bob", "cal"}[i%3]}
	}
	return hosttest.New([]query.Table{table}, map[string][]query.Row{"books": rows})
}

func serveShelf(t *testing.T, limits deputy.Limits) *shelf {
	t.Helper()
	s := &shelf{server: &server{t: t, tag: "shelf00000000000000000"[:22], host: books(), store: memory.New()}, role: "reader"}
	limits.TurnsPerMinute = -1
	all := deputy.Fields{All: true}
	a, err := deputy.New(t.Context(), deputy.Config{
		Host: s.host, Store: s.store, NewID: s.id, Models: []deputy.Model{scripted.New(s.next)}, Limits: limits,
		Toolsets: []deputy.Toolset{present.New(), analysis.New(), records.New(records.Config{Widgets: map[string]records.Widget{
			"dear":  {Parameters: map[string]query.Parameter{"least": {Type: query.Dec, Optional: true}}, Question: records.Rows{Table: "books", Where: "price >= parameters.least", Select: []string{"id", "price"}}},
			"worth": {Question: analysis.Figures{Table: "books", GroupBy: []string{"shelf"}, Measures: []analysis.Measure{{As: "worth", Expr: "sum(price)"}}}},
		}})},
		Policy: deputy.Policy{Roles: map[string]deputy.Role{
			"reader":    {Tools: []string{"*"}, Tables: map[string]deputy.Access{"books": {Read: all}}},
			"own":       {Tools: []string{"*"}, Tables: map[string]deputy.Access{"books": {Read: all, Rows: "owner == person.id"}}},
			"priceless": {Tools: []string{"*"}, Hide: []string{"books.price", "books.shelf"}, Tables: map[string]deputy.Access{"books": {Read: all}}},
			"toolless":  {Tools: []string{"count_records"}, Tables: map[string]deputy.Access{"books": {Read: all}}},
			"nothing":   {Tools: []string{"*"}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(api.New(a.Door(deputy.Chat), func(r *http.Request) (deputy.Caller, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		id := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		who := deputy.Person{Issuer: "token", ID: id, Name: id, Roles: []string{s.role}}
		if s.role == "" {
			who.Roles = nil
		}
		return deputy.Caller{Person: who, Confirm: true}, nil
	}, api.Options{}))
	s.url = web.URL
	t.Cleanup(func() {
		web.Close()
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// next makes the calls one after the other.
func (s *shelf) next(deputy.Request) scripted.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) == 0 {
		return scripted.Answer{Text: "done"}
	}
	c := s.calls[0]
	s.calls = s.calls[1:]
	return scripted.Answer{Calls: []scripted.Call{c}}
}

// handles makes calls in one turn, shows the rows of each, and gives their ids.
func (s *shelf) handles(calls ...scripted.Call) (ids []string) {
	s.t.Helper()
	for i, c := range calls {
		s.calls = append(s.calls, c, tool("present_results", fmt.Sprintf(`{"view":"table","call_id":"c%d"}`, 2*i+1)))
	}
	turn := s.say("ann", "go")
	displays, _ := turn["displays"].([]any)
	for i := range displays {
		ids = append(ids, turn.text("displays", i, "call"))
	}
	if len(ids) != len(calls) {
		s.t.Fatalf("%d of %d calls were shown: %v", len(ids), len(calls), turn)
	}
	return ids
}

func shelfCalls() []scripted.Call {
	return []scripted.Call{
		tool("query_records", `{"table":"books"}`),
		tool("query_records", `{"table":"books","select":["id","price"],"where":"price > 3","order_by":["price desc"]}`),
		tool("search_records", `{"term":"top 2"}`),
		tool("analyze_records", `{"table":"books","group_by":["shelf"],"measures":[{"as":"worth","expr":"sum(price)"}]}`),
		tool("render_widget", `{"widget":"dear","parameters":["least=3"]}`),
		tool("render_widget", `{"widget":"worth"}`),
		tool("render_widget", `{}`),
	}
}

// paged reads a result page by page, as texts.
func (s *shelf) paged(path string) (out [][]string) {
	s.t.Helper()
	for after := ""; ; {
		page := s.want(s.do("ann", "GET", path+"?limit=4"+after, ""), 200)
		rows, _ := page["rows"].([]any)
		for _, r := range rows {
			var line []string
			for _, c := range r.([]any) {
				switch c := c.(type) {
				case string:
					line = append(line, c)
				case json.Number:
					line = append(line, c.String())
				default:
					s.t.Fatalf("a cell %T", c)
				}
			}
			out = append(out, line)
		}
		if page["next"] == nil {
			return out
		}
		if len(rows) != 4 {
			s.t.Fatalf("a page of %d rows", len(rows))
		}
		after = "&after=" + page.text("next")
	}
}

// Every call that returns rows is a handle: shown, paged, and as files, with the same rows in each.
func TestHandles(t *testing.T) {
	t.Parallel()
	s := serveShelf(t, deputy.Limits{})
	calls := shelfCalls()
	for i, id := range s.handles(calls...) {
		path := "/v1/tool-calls/" + id + "/result"
		paged := s.paged(path)
		if len(paged) < 2 {
			t.Errorf("%s %s: %d rows", calls[i].Tool, calls[i].Arguments, len(paged))
		}
		file := s.do("ann", "GET", path+"?format=csv", "")
		lines, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
		if err != nil || file.status != 200 {
			t.Fatal(err, file)
		}
		same(t, "CSV", paged, lines[1:], func(cell string) string { return strings.TrimPrefix(cell, "'") })
		book, err := excelize.OpenReader(strings.NewReader(s.do("ann", "GET", path+"?format=xlsx", "").body))
		if err != nil {
			t.Fatal(err)
		}
		sheet, err := book.GetRows("Result")
		if err != nil || strings.Join(sheet[0], " ") != strings.Join(lines[0], " ") {
			t.Fatalf("%v: %v, not %v", err, sheet, lines[0])
		}
		same(t, "XLSX", paged, sheet[1:], func(cell string) string { return cell })
	}
}

func same(t *testing.T, what string, want, got [][]string, read func(string) string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, not %d", what, len(got), len(want))
	}
	for i := range want {
		for j := range want[i] {
			cell := ""
			if j < len(got[i]) { // a reader of sheets leaves empty cells at the end away
				cell = read(got[i][j])
			}
			if cell != want[i][j] {
				t.Errorf("%s, row %d: %q, not %q", what, i, cell, want[i][j])
			}
		}
	}
}

// What may not be read any more is not in a result: not as JSON, not in a file; and what was added since is.
func TestHandlesAreReadWithTheRightsOfNow(t *testing.T) {
	t.Parallel()
	s := serveShelf(t, deputy.Limits{})
	calls := shelfCalls()
	ids := s.handles(calls...)
	for _, c := range []struct {
		role string
		want []string // of each call: the number of rows, or the error's code
	}{
		{"reader", []string{"30", "27", "17", "4", "27", "4", "2"}},
		{"own", []string{"10", "9", "5", "4", "9", "4", "2"}},
		{"priceless", []string{"30", "not_found", "0", "not_found", "not_found", "not_found", "not_found"}},
		{"toolless", []string{"not_found", "not_found", "not_found", "not_found", "not_found", "not_found", "not_found"}},
		{"nothing", []string{"not_found", "not_found", "not_found", "not_found", "not_found", "not_found", "not_found"}},
		{"", []string{"permission_denied", "permission_denied", "permission_denied", "permission_denied", "permission_denied", "permission_denied", "permission_denied"}},
	} {
		s.become(c.role)
		for i, id := range ids {
			for _, format := range []string{"json", "csv", "xlsx"} {
				r := s.do("ann", "GET", "/v1/tool-calls/"+id+"/result?limit=100&format="+format, "")
				if got := found(t, r, format); got != c.want[i] {
					t.Errorf("%s %s as %s: %s, want %s", calls[i].Tool, calls[i].Arguments, c.role+" "+format, got, c.want[i])
				}
				if hidden := c.role == "priceless" && strings.Contains(r.body, ".10"); hidden && format != "xlsx" {
					t.Errorf("%s shows what is hidden: %s", calls[i].Arguments, r.body)
				}
			}
		}
	}
	s.become("reader")
	s.host.Change("books", func(rows []query.Row) []query.Row { return rows[:5] })
	if got := found(t, s.do("ann", "GET", "/v1/tool-calls/"+ids[0]+"/result", ""), "json"); got != "5" {
		t.Errorf("after the others are gone: %s", got)
	}
	if r := s.do("bob", "GET", "/v1/tool-calls/"+ids[0]+"/result", ""); r.status != 404 {
		t.Errorf("another's result: %d", r.status)
	}
}

// found is how many rows an answer has, or the code of its error.
func found(t *testing.T, r reply, format string) string {
	t.Helper()
	if r.status != 200 {
		var p struct{ Code string }
		if err := json.Unmarshal([]byte(r.body), &p); err != nil {
			t.Fatal(err, r.body)
		}
		return p.Code
	}
	rows := 0
	switch format {
	case "json":
		var page struct{ Rows []any }
		if err := json.Unmarshal([]byte(r.body), &page); err != nil {
			t.Fatal(err)
		}
		rows = len(page.Rows)
	case "csv":
		lines := csv.NewReader(strings.NewReader(r.body))
		for rows = -1; ; rows++ {
			if _, err := lines.Read(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	default:
		book, err := excelize.OpenReader(strings.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := book.GetRows("Result")
		if err != nil {
			t.Fatal(err)
		}
		rows = len(lines) - 1
	}
	return fmt.Sprint(rows)
}

// A file says that it was cut, and which page it is.
func TestFilesSayWhatTheyLack(t *testing.T) {
	t.Parallel()
	s := serveShelf(t, deputy.Limits{HandleRows: 12})
	path := "/v1/tool-calls/" + s.handles(tool("query_records", `{"table":"books","select":["id"]}`))[0] + "/result"
	for _, format := range []string{"csv", "xlsx"} {
		whole := s.do("ann", "GET", path+"?format="+format, "")
		if found(t, whole, format) != "12" || whole.header.Get("Deputy-Truncated") != "true" || whole.header.Get("Deputy-Next") != "" {
			t.Error(found(t, whole, format), whole.header)
		}
		first := s.do("ann", "GET", path+"?limit=7&format="+format, "")
		second := s.do("ann", "GET", path+"?limit=7&format="+format+"&after="+first.header.Get("Deputy-Next"), "")
		if found(t, first, format) != "7" || found(t, second, format) != "5" || second.header.Get("Deputy-Next") != "" {
			t.Error(first.header, second.header)
		}
	}
}
