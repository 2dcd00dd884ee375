package app

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/deputy"
	"example.com/deputy/internal/pgtest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
)

// mark stands in everything that no log and no metric may have: records, questions, answers, arguments, names, credentials.
const mark = "zqmarkerqz"

// badHost is a host that quotes what it holds when it fails, and panics with it.
type badHost struct {
	deputy.Host
	mood *atomic.Value // "", fails, panics
}

func (h badHost) misbehave() error {
	switch h.mood.Load() {
	case "fails":
		return fmt.Errorf("duplicate key: Key (email)=(%s) already exists: %w", mark, errors.New("row "+mark))
	case "panics":
		panic(fmt.Sprintf("row %s", mark))
	}
	return nil
}

// Catalog implements deputy.Host.
func (h badHost) Catalog(ctx context.Context, as deputy.Person) (query.Catalog, error) {
	if h.mood.Load() == "panics" {
		panic("catalog " + mark)
	}
	return h.Host.Catalog(ctx, as)
}

// Query implements deputy.Host.
func (h badHost) Query(ctx context.Context, as deputy.Person, q query.Query) (query.Rows, error) {
	if err := h.misbehave(); err != nil {
		return query.Rows{}, err
	}
	return h.Host.Query(ctx, as, q)
}

// Apply implements deputy.Host.
func (h badHost) Apply(ctx context.Context, as deputy.Person, key string, ws []deputy.Write) ([]deputy.Applied, error) {
	if err := h.misbehave(); err != nil {
		return nil, err
	}
	return h.Host.Apply(ctx, as, key, ws)
}

// badModel does what the person's words ask for, and quotes them when it fails.
func badModel(r deputy.Request) scripted.Answer {
	last := r.Messages[len(r.Messages)-1]
	if last.Role == deputy.FromTool {
		return scripted.Answer{Text: "it is " + mark}
	}
	call := func(tool string, arguments any) scripted.Answer {
		return scripted.Answer{Text: mark, Calls: []scripted.Call{{Tool: tool, Arguments: arguments}}}
	}
	switch what, _, _ := strings.Cut(last.Text(), " "); what {
	case "list":
		return call("query_records", map[string]any{"table": "customers", "where": fmt.Sprintf("name != %q", mark+"!")})
	case "wrong":
		return call("query_records", map[string]any{"table": mark, "where": mark})
	case "change":
		return call("update_record", map[string]any{"table": "customers", "id": "1", "values": []any{map[string]any{"field": "phone", "value": mark + " 2"}}})
	case "boom":
		return call("boom", map[string]any{})
	case "broken":
		return call("broken", map[string]any{})
	case "ghost":
		return call("ghost_"+mark, map[string]any{"x": mark})
	case "panic":
		panic(last.Text())
	}
	return scripted.Answer{Err: fmt.Errorf("the vendor does not like %q", last.Text())}
}

// badTools are one that panics with what it has read, and one that fails with it.
func badTools() deputy.Toolset {
	read := func(name string, run func() error) deputy.Tool {
		return deputy.ReadTool(deputy.Definition{Name: name, Label: name, Description: name, NoHost: true},
			func(context.Context, *deputy.Scope, struct{}) (deputy.Result, error) { return deputy.Result{}, run() })
	}
	return deputy.Toolset{Name: "bad", Tools: []deputy.Tool{
		read("boom", func() error { panic(errors.New("row " + mark)) }),
		read("broken", func() error {
			return &deputy.Error{Code: deputy.Internal, Message: "The record " + mark + " is odd.", Quotes: true, Cause: errors.New(mark)}
		}),
	}}
}

// lockedBuffer is a buffer for several writers.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String is what was written.
func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

const leakyConfig = `store: "memory:"
assistant: { name: zqmarkerqz, instructions: zqmarkerqz }
host: { database: "sqlite:%s" }
auth: { tokens: [ { token: token-zqmarkerqz, id: ann@zqmarkerqz.example, name: Ann zqmarkerqz, roles: [support], attributes: { employee_id: 1, note: zqmarkerqz } } ] }
policy:
  roles:
    support: { tools: ["*"], tables: { "*": { read: true, update: true, rows: 'id < 1000 || "zqmarkerqz" == person.attributes.note' } } }
log: { level: debug, format: FORMAT }
`

// leaky is a server of which everything holds the mark and everything may fail.
type leaky struct {
	t    *testing.T
	h    http.Handler
	log  *lockedBuffer
	mood atomic.Value
	p    *parts
}

func newLeaky(t *testing.T, format string) *leaky {
	t.Helper()
	config := shop(t, strings.Replace(leakyConfig, "FORMAT", format, 1))
	d, err := load(config)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", strings.TrimPrefix(d.Host.Database, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `UPDATE customers SET name = 'zqmarkerqz ' || name, phone = 'zqmarkerqz'`); err != nil {
		t.Fatal(errors.Join(err, db.Close()))
	}
	_ = db.Close()
	l := &leaky{t: t, log: &lockedBuffer{}}
	l.mood.Store("")
	if l.p, err = build(t.Context(), d, newLog(l.log, d.Log, slog.LevelInfo)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.p.Close() })
	l.p.assistant, err = deputy.New(t.Context(), deputy.Config{
		Host: badHost{l.p.host, &l.mood}, Models: []deputy.Model{scripted.New(badModel)}, Store: l.p.store, Policy: l.p.policy(),
		Toolsets: append(l.p.tools, badTools()), Directory: l.p.tokens, Log: l.p.log, Observe: l.p.observe,
	})
	if err != nil {
		t.Fatal(err)
	}
	l.h = l.p.handler(t.Context(), nil)
	return l
}

// send makes a request in which every header that a client may choose holds the mark.
func (l *leaky) send(method, path, body string, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(l.t.Context(), method, "http://localhost"+path, strings.NewReader(body))
	for name, value := range map[string]string{"Authorization": "Bearer token-" + mark, "Content-Type": "application/json", "X-Request-Id": mark, "User-Agent": mark, "Cookie": "a=" + mark, "Referer": "http://localhost/" + mark} {
		r.Header.Set(name, value)
	}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	l.h.ServeHTTP(w, r)
	return w
}

// say has a turn and gives its reason.
func (l *leaky) say(conversation, text string) string {
	l.t.Helper()
	w := l.send(http.MethodPost, "/v1/conversations/"+conversation+"/turns", `{"text": "`+text+` `+mark+`", "screen": {"table": "`+mark+`"}}`, nil)
	return between(w.Body.String(), `"reason":"`, `"`)
}

func between(text, from, to string) string {
	_, rest, _ := strings.Cut(text, from)
	out, _, _ := strings.Cut(rest, to)
	return out
}

// TestNothingIsToldOfTheData: whatever is asked, answered, sent or broken, neither log nor metrics have it, at the most talkative level.
func TestNothingIsToldOfTheData(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			l := newLeaky(t, format)
			l.turns()
			l.requests()
			w := httptest.NewRecorder()
			l.p.metrics.handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
			log, metrics := l.log.String(), w.Body.String()
			for name, text := range map[string]string{"the log": log, "the metrics": metrics} {
				if len(text) < 1000 {
					t.Errorf("%s has nothing to say: %s", name, text)
				}
				for line := range strings.Lines(text) {
					if strings.Contains(strings.ToLower(line), mark) {
						t.Errorf("%s: %s", name, line)
					}
				}
			}
			for _, want := range []string{"panic with a string", "panic with a *errors.errorString", "withheld", "turn ended", "model call ended", "tool call ended", "confirmation ended",
				"api: panic", "sign-in refused", "POST /v1/conversations/{id}/turns", "sha256:"} {
				if !strings.Contains(log, want) {
					t.Errorf("the log does not say %q: does the test still reach it?\n%s", want, log)
				}
			}
			for _, want := range []string{`deputy_tool_calls_total{outcome="refused",phase="turn",tool="unknown"}`, `tool="boom"`, `deputy_proposals_total{state="unknown"} 1`} {
				if !strings.Contains(metrics, want) {
					t.Errorf("the metrics do not have %s", want)
				}
			}
		})
	}
}

// turns are all that can go well or wrong in one.
func (l *leaky) turns() {
	l.t.Helper()
	c := between(l.send(http.MethodPost, "/v1/conversations", `{"title": "`+mark+`"}`, nil).Body.String(), `"id":"`, `"`)
	for _, turn := range []struct{ mood, text, reason string }{
		{"", "list", "answered"}, {"", "wrong", "answered"}, {"", "boom", "answered"}, {"", "broken", "answered"}, {"", "ghost", "answered"},
		{"", "fail", "model_error"}, {"", "panic", "internal"}, {"fails", "list", "answered"}, {"panics", "list", "internal"},
	} {
		l.mood.Store(turn.mood)
		if got := l.say(c, turn.text); got != turn.reason {
			l.t.Errorf("%s: %s, want %s\n%s", turn.text, got, turn.reason, l.log)
		}
	}
	l.mood.Store("")
	w := l.send(http.MethodPost, "/v1/conversations/"+c+"/turns", `{"text": "change"}`, nil).Body.String()
	id, hash := between(w, `"proposals":[{"id":"`, `"`), between(w, `"hash":"`, `"`)
	l.mood.Store("fails")
	if w := l.send(http.MethodPost, "/v1/proposals/"+id+"/confirm", `{"hash": "`+hash+`"}`, nil); !strings.Contains(w.Body.String(), `"unknown"`) {
		l.t.Errorf("%d %s", w.Code, w.Body)
	}
}

// requests are all that a client can send.
func (l *leaky) requests() {
	l.t.Helper()
	l.mood.Store("panics")
	if w := l.send(http.MethodGet, "/v1/me", "", nil); w.Code != http.StatusInternalServerError {
		l.t.Errorf("%d %s", w.Code, w.Body)
	}
	l.mood.Store("fails")
	for path, change := range map[string]func(*http.Request){
		"/v1/conversations?term=" + mark: nil, "/v1/turns/" + mark: nil, "/v1/" + mark + "?" + mark: nil, "/" + mark: nil, "//" + mark: nil, "/v1/tool-calls?tool=" + mark: nil, "/readyz": nil,
		"/v1/me":      func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+mark) },
		"/v1/turns/":  func(r *http.Request) { r.Header.Set("Authorization", mark) },
		"/healthz":    func(r *http.Request) { r.Host = mark + ".example.com" },
		"/v1/tool":    func(r *http.Request) { r.Header.Set("Origin", "https://"+mark+".example.com") },
		"/v1/methods": func(r *http.Request) { r.Method = strings.ToUpper(mark) },
	} {
		l.send(http.MethodGet, path, "", change)
	}
	l.send(http.MethodPost, "/v1/conversations", `{"`+mark+`": "`+mark, nil)
	l.send(http.MethodPut, "/v1/admin/kill-switch", `{"all": true, "reason": "`+mark+`"}`, nil)
}

// TestNothingIsToldOfTheDatabasesPassword: neither while it cannot be reached at start, nor when it goes away under way.
func TestNothingIsToldOfTheDatabasesPassword(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	address, err := url.Parse(server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", address.String())
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `CREATE TABLE customers (id int PRIMARY KEY, name text); INSERT INTO customers VALUES (1, 'zqmarkerqz')`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword("postgres", mark)
	text := "store: \"memory:\"\nhost: { database: \"" + address.String() + "\" }\nauth: { tokens: [ { token: token-zqmarkerqz, id: ann, roles: [all] } ] }\n" +
		"policy: { roles: { all: { tools: [\"*\"], tables: { \"*\": { read: true } } } } }\nlog: { level: debug }\n"
	d, err := load(writeFile(t, "deputy.yaml", text))
	if err != nil {
		t.Fatal(err)
	}
	l := &leaky{t: t, log: &lockedBuffer{}}
	if l.p, err = build(t.Context(), d, newLog(l.log, d.Log, slog.LevelInfo)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.p.Close() })
	l.h = l.p.handler(t.Context(), nil)
	if w := l.send(http.MethodGet, "/readyz", "", nil); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	server.Stop(t)
	if w := l.send(http.MethodGet, "/readyz", "", nil); w.Code != http.StatusServiceUnavailable || !strings.Contains(l.log.String(), "error=") {
		t.Errorf("%d %s\n%s", w.Code, w.Body, l.log)
	}
	status, out, errOut := deputyCommand(t, "serve", "--config", writeFile(t, "deputy.yaml", text))
	if said := l.log.String() + out + errOut; status != failed || strings.Contains(said, mark) {
		t.Errorf("%d %s", status, said)
	}
}
