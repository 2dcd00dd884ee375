package api_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/store/memory"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/present"
	"example.com/deputy/toolset/records"
	"example.com/deputy/transport/api"
)

// server is an assistant over a small business, served over HTTP. Its model does what the text of the person says: see answer.
type server struct {
	t     *testing.T
	url   string
	tag   string // 22 characters that its ids begin with
	host  *hosttest.Fake
	store deputy.Store
	// gate is where the model waits when it is told to; step is told that it does.
	gate, step chan struct{}
	release    func() // opens the gate; a test that fails opens it too
	closing    chan struct{}

	mu   sync.Mutex
	next int
	late time.Duration // how far its clock is ahead
}

func (s *server) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.late)
}

func (s *server) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late += d
}

func (s *server) id() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	return fmt.Sprintf("%s%04d", strings.ToLower(s.tag), s.next)
}

func field(name, label string, t query.Type) query.Field {
	return query.Field{Name: name, Label: label, Type: t, Scale: -1}
}

func shop() *hosttest.Fake {
	id := field("id", "Id", query.Int)
	id.Generated = true
	table := query.Table{Name: "customers", Label: "Customers", Key: []string{"id"}, RecordLabel: "name", Fields: []query.Field{id,
		field("name", "Name", query.String), field("phone", "Phone", query.String), field("owner", "Owner", query.String), field("credit", "Credit", query.Dec),
		field("number", "Number", query.Int), field("since", "Since", query.Date), field("seen", "Seen", query.Timestamp)}}
	row := func(id int64, name string) query.Row {
		return query.Row{"id": id, "name": name, "phone": "+47 1", "owner": "ann", "credit": query.Decimal("100.10"), "number": int64(9007199254740993),
			"since": query.Day("2026-01-31"), "seen": time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
	}
	rows := []query.Row{row(1, "Acme"), row(2, "=cmd()"), row(3, "Ωmega, \"quoted\"")}
	rows[2]["phone"] = nil
	return hosttest.New([]query.Table{table}, map[string][]query.Row{"customers": rows})
}

// serve starts it. People are named by their tokens: ann and bob support, omar operates, ada audits, nora has no role; ann-mcp is ann
// where she may not confirm.
func serve(t *testing.T) *server {
	t.Helper()
	return serveStore(t, shop(), memory.New())
}

// serveStore serves over a business and a store that others may serve too: the store is not closed.
func serveStore(t *testing.T, host *hosttest.Fake, store deputy.Store) *server {
	t.Helper()
	s := &server{t: t, tag: rand.Text()[:22], host: host, store: store, gate: make(chan struct{}), step: make(chan struct{}, 100), closing: make(chan struct{})}
	store.Close = nil
	read := deputy.Access{Read: deputy.Fields{All: true}, Update: deputy.Fields{Names: []string{"name", "phone"}}, Rows: "owner == person.id"}
	a, err := deputy.New(t.Context(), deputy.Config{
		Host: s.host, Store: store, NewID: s.id, Clock: s.clock, Models: []deputy.Model{scripted.New(s.answer)},
		Toolsets: []deputy.Toolset{records.New(records.Config{}), present.New(), analysis.Saving(store.Analyses)}, Limits: deputy.Limits{TurnsPerMinute: -1},
		Policy: deputy.Policy{Roles: map[string]deputy.Role{
			"support":  {Tools: []string{"*"}, Tables: map[string]deputy.Access{"customers": read}},
			"operator": {Operate: true},
			"auditor":  {Audit: true},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewUnstartedServer(api.New(a.Door(deputy.Chat), people, api.Options{Closing: s.closing, WriteTimeout: 5 * time.Second, Demo: []api.DemoPerson{{Name: "Ann", Token: "ann", About: "supports"}}}))
	web.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context { // so that one who does not read is felt at once
		if err := c.(*net.TCPConn).SetWriteBuffer(16 << 10); err != nil {
			t.Error(err)
		}
		return ctx
	}
	web.Start()
	s.url = web.URL
	t.Cleanup(func() {
		web.Close()
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	s.release = sync.OnceFunc(func() { close(s.gate) })
	t.Cleanup(s.release)
	return s
}

func people(r *http.Request) (deputy.Caller, error) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	roles := map[string][]string{"ann": {"support"}, "ann-mcp": {"support"}, "bob": {"support"}, "omar": {"operator"}, "ada": {"auditor"}, "nora": {}}
	role, ok := roles[token]
	if !ok {
		return deputy.Caller{}, deputy.Errorf(deputy.Unauthenticated, "This token is not known.")
	}
	id, _, limited := strings.Cut(token, "-")
	return deputy.Caller{Person: deputy.Person{Issuer: "token", ID: id, Name: id, Roles: role}, Confirm: !limited}, nil
}

func tool(name, arguments string) scripted.Call {
	return scripted.Call{Tool: name, Arguments: json.RawMessage(arguments)}
}

// answer looks at the last message of the person, and at how many tool results have come since.
func (s *server) answer(r deputy.Request) scripted.Answer {
	text, results := "", 0
	for _, m := range r.Messages {
		switch m.Role {
		case deputy.FromPerson:
			text, results = m.Text(), 0
		case deputy.FromTool:
			results++
		}
	}
	switch {
	case text == "wait":
		s.step <- struct{}{}
		<-s.gate
		return scripted.Answer{Text: "waited for you"}
	case text == "long":
		s.step <- struct{}{}
		<-s.gate
		return scripted.Answer{Text: long()}
	case text == "rows" && results == 0:
		return scripted.Answer{Text: "Looking.", Calls: []scripted.Call{tool("query_records", `{"table":"customers"}`)}}
	case text == "rows" && results == 1:
		return scripted.Answer{Calls: []scripted.Call{tool("present_results", `{"view":"table","call_id":"c1"}`)}}
	case text == "phone" && results == 0:
		return scripted.Answer{Calls: []scripted.Call{tool("update_record", `{"table":"customers","id":"1","values":[{"field":"phone","value":"+47 555"}]}`)}}
	case text == "save" && results == 0:
		return scripted.Answer{Calls: []scripted.Call{tool("analyze_records", `{"table":"customers","group_by":["owner"],"measures":[{"as":"n","expr":"count()"}]}`)}}
	case text == "save" && results == 1:
		return scripted.Answer{Calls: []scripted.Call{tool("save_analysis", `{"name":"By owner","call_id":"c1","shared":true}`)}}
	case text == "two" && results == 0:
		return scripted.Answer{Calls: []scripted.Call{
			tool("update_record", `{"table":"customers","id":"1","values":[{"field":"phone","value":"+47 1 1"}]}`),
			tool("update_record", `{"table":"customers","id":"2","values":[{"field":"phone","value":"+47 2 2"}]}`)}}
	}
	return scripted.Answer{Text: "done: " + text}
}

// long is a text of 2 MB.
func long() string { return strings.Repeat(strings.Repeat("x", 999)+" ", 2_000) }

// reply is an answer of the server.
type reply struct {
	status int
	header http.Header
	body   string
}

func (s *server) do(who, method, path, body string, header ...string) reply {
	s.t.Helper()
	r := s.send(s.t.Context(), who, method, path, body, header...)
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{r.StatusCode, r.Header, string(b)}
}

func (s *server) send(ctx context.Context, who, method, path, body string, header ...string) *http.Response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+who)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// object is JSON as it came.
type object map[string]any

func (s *server) want(r reply, status int) object {
	s.t.Helper()
	if r.status != status {
		s.t.Fatalf("%d, not %d: %s", r.status, status, r.body)
	}
	out := object{}
	if r.body != "" {
		d := json.NewDecoder(strings.NewReader(r.body))
		d.UseNumber()
		if err := d.Decode(&out); err != nil {
			s.t.Fatal(err, r.body)
		}
	}
	return out
}

// at goes down a path of keys and indexes; nil where it ends early.
func (o object) at(path ...any) any {
	var v any = map[string]any(o)
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

func (o object) text(path ...any) string { s, _ := o.at(path...).(string); return s }

func (o object) items() []any { l, _ := o["items"].([]any); return l }

func (s *server) conversation(who string) string {
	s.t.Helper()
	return s.want(s.do(who, "POST", "/v1/conversations", ""), 201).text("id")
}

// say runs a turn to its end in a new conversation.
func (s *server) say(who, text string) object {
	s.t.Helper()
	return s.want(s.do(who, "POST", "/v1/conversations/"+s.conversation(who)+"/turns", fmt.Sprintf(`{"text":%q}`, text)), 200)
}
