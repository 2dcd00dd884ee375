package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/transport/api"
)

// handler is the door without an engine behind it: what is tested with it is decided before the engine is asked.
func handler(t *testing.T) http.Handler {
	t.Helper()
	auth := func(r *http.Request) (deputy.Caller, error) {
		if r.Header.Get("Authorization") != "Bearer good" {
			return deputy.Caller{}, errors.New("no")
		}
		return deputy.Caller{Person: deputy.Person{Issuer: "token", ID: "p"}, Confirm: true}, nil
	}
	ready := func(context.Context) error { return errors.New("secret cause") }
	return api.New((&deputy.Assistant{}).Door(deputy.Chat), auth, api.Options{PublicURL: "https://assistant.example.com", Ready: ready, Version: "1.2.3", Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
}

type answered struct {
	status int
	header http.Header
	body   string
}

func ask(h http.Handler, method, path, body string, header ...string) answered {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:8080"
	r.Header.Set("Authorization", "Bearer good")
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	b, _ := io.ReadAll(w.Result().Body)
	return answered{w.Code, w.Result().Header, string(b)}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	h := handler(t)
	big := `{"text":"` + strings.Repeat("x", 1<<20) + `"}`
	const turns = "/v1/conversations/cnv_1/turns"
	for name, c := range map[string]struct {
		method, path, body string
		header             []string
		status             int
		code               string
		detail             string // part of it
	}{
		"foreign host":           {"GET", "/v1/me", "", []string{"Host", "evil.example"}, 403, "permission_denied", "evil.example"},
		"foreign host, no token": {"GET", "/v1/me", "", []string{"Host", "evil.example", "Authorization", ""}, 403, "permission_denied", "Host"},
		"host with a suffix":     {"GET", "/healthz", "", []string{"Host", "localhost.evil.example"}, 403, "permission_denied", "Host"},
		"host of nothing":        {"GET", "/healthz", "", []string{"Host", ":8080"}, 403, "permission_denied", "Host"},
		"foreign origin":         {"POST", turns, `{"text":"x"}`, []string{"Origin", "https://evil.example"}, 403, "permission_denied", "Origin"},
		"opaque origin":          {"GET", "/v1/me", "", []string{"Origin", "null"}, 403, "permission_denied", "Origin"},
		"no token":               {"GET", "/v1/me", "", []string{"Authorization", ""}, 401, "unauthenticated", "Bearer"},
		"no token, no route":     {"GET", "/v1/nothing", "", []string{"Authorization", ""}, 401, "unauthenticated", "Bearer"},
		"no token, debug":        {"GET", "/debug/prompt?conversation=c", "", []string{"Authorization", ""}, 401, "unauthenticated", "Bearer"},
		"no route":               {"GET", "/v1/nothing", "", nil, 404, "not_found", ""},
		"no route at all":        {"GET", "/nothing", "", nil, 404, "not_found", ""},
		"wrong method":           {"PUT", "/v1/me", "", nil, 405, "invalid", "GET"},
		"body too large":         {"POST", turns, big, nil, 413, "too_large", "too large"},
		"no body":                {"POST", turns, "", nil, 400, "invalid", "body"},
		"no JSON":                {"POST", turns, `{"text":`, nil, 400, "invalid", "JSON"},
		"two values":             {"POST", turns, `{"text":"x"}{}`, nil, 400, "invalid", "after the end"},
		"key twice":              {"POST", turns, `{"text":"x","text":"y"}`, nil, 400, "invalid", "twice"},
		"unknown key":            {"POST", turns, `{"text":"x","files":["fil_1"]}`, nil, 400, "invalid", "files"},
		"unknown key within":     {"POST", turns, `{"text":"x","screen":{"table":"t","rows":1}}`, nil, 400, "invalid", "rows"},
		"key in other case":      {"POST", turns, `{"TEXT":"x"}`, nil, 400, "invalid", "TEXT"},
		"key that folds":         {"POST", turns, `{"text":"x","ſcreen":{"table":"t"}}`, nil, 400, "invalid", "ſcreen"},
		"key that folds within":  {"POST", turns, `{"text":"x","screen":{"table":"t","ſcreen":"t","where":""}}`, nil, 400, "invalid", "ſcreen"},
		"a hash that folds":      {"POST", "/v1/proposals/prp_1/confirm", `{"hash":"wrong","haſh":"right"}`, nil, 400, "invalid", "haſh"},
		"empty key":              {"POST", turns, `{"text":"x","":1}`, nil, 400, "invalid", "unexpected"},
		"empty segment":          {"GET", "/v1//me", "", nil, 404, "not_found", ""},
		"dot segment":            {"GET", "/v1/./me", "", nil, 404, "not_found", ""},
		"dots segment":           {"GET", "/v1/turns/../me", "", nil, 404, "not_found", ""},
		"dots that are escaped":  {"GET", "/v1/turns/%2e%2e/me", "", nil, 404, "not_found", ""},
		"dots at the end":        {"GET", "/v1/me/..", "", nil, 404, "not_found", ""},
		"dots that post":         {"POST", "/v1//conversations", "", nil, 404, "not_found", ""},
		"empty segment first":    {"GET", "//v1/me", "", nil, 404, "not_found", ""},
		"out of the page":        {"GET", "/assets/../v1/me", "", nil, 404, "not_found", ""},
		"slash at the end":       {"GET", "/v1/me/", "", nil, 404, "not_found", ""},
		"no token, dots":         {"GET", "/v1//me", "", []string{"Authorization", ""}, 401, "unauthenticated", "Bearer"},
		"after all results":      {"GET", "/v1/tool-calls/tcl_1/result?after=1y2p0ij32e8e7", "", nil, 400, "invalid", "behind the end"},
		"after beyond numbers":   {"GET", "/v1/tool-calls/tcl_1/result?after=zzzzzzzzzzzzzzzzzzzz", "", nil, 400, "invalid", "no next of this list"},
		"after of a sign":        {"GET", "/v1/tool-calls/tcl_1/result?after=-1", "", nil, 400, "invalid", "no next of this list"},
		"missing key":            {"POST", turns, `{}`, nil, 400, "invalid", "text"},
		"wrong type":             {"POST", turns, `{"text":5}`, nil, 400, "invalid", "string"},
		"deep":                   {"POST", turns, strings.Repeat(`[`, 1000), nil, 400, "invalid", "deep"},
		"other media type":       {"POST", turns, `a=b`, []string{"Content-Type", "application/x-www-form-urlencoded"}, 400, "invalid", "application/json"},
		"limit too high":         {"GET", "/v1/conversations?limit=201", "", nil, 400, "invalid", "200"},
		"limit no number":        {"GET", "/v1/conversations?limit=ten", "", nil, 400, "invalid", "integer"},
		"after not ours":         {"GET", "/v1/conversations?after=!", "", nil, 400, "invalid", "no next of this list"},
		"unknown parameter":      {"GET", "/v1/tool-calls?persn=x", "", nil, 400, "invalid", "unknown"},
		"unknown state":          {"GET", "/v1/proposals?state=open", "", nil, 400, "invalid", "pending"},
		"unknown format":         {"GET", "/v1/tool-calls/tcl_1/result?format=pdf", "", nil, 400, "invalid", "xlsx"},
		"group at proposals":     {"GET", "/v1/proposals/grp_1", "", nil, 404, "not_found", ""},
		"proposal at groups":     {"POST", "/v1/proposal-groups/prp_1/reject", "", nil, 404, "not_found", ""},
		"bad event id":           {"GET", "/v1/turns/trn_1/events", "", []string{"Last-Event-ID", "x"}, 400, "invalid", "integer"},
		"not ready":              {"GET", "/readyz", "", []string{"Authorization", ""}, 503, "unavailable", "not ready"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := ask(h, c.method, c.path, c.body, c.header...)
			var p struct{ Type, Title, Detail, Code string }
			var status struct{ Status int }
			if err := errors.Join(json.Unmarshal([]byte(a.body), &p), json.Unmarshal([]byte(a.body), &status)); err != nil {
				t.Fatalf("%v: %s", err, a.body)
			}
			if a.status != c.status || status.Status != c.status || p.Code != c.code || !strings.Contains(p.Detail, c.detail) {
				t.Errorf("got %d %s", a.status, a.body)
			}
			if p.Type != "about:blank" || p.Title == "" || p.Detail == "" || a.header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("form: %s %s", a.header.Get("Content-Type"), a.body)
			}
			if strings.Contains(a.body, "secret") {
				t.Errorf("the cause got out: %s", a.body)
			}
		})
	}
}

func TestHostsAndOrigins(t *testing.T) {
	t.Parallel()
	h := handler(t)
	for _, c := range [][2]string{{"localhost", ""}, {"LOCALHOST:1", "http://localhost:3000"}, {"127.0.0.1:8080", "http://127.0.0.1:8080"}, {"[::1]:80", "http://[::1]"}, {"Assistant.example.com:443", "https://assistant.example.com"}} {
		header := []string{"Host", c[0], "Authorization", ""}
		if c[1] != "" {
			header = append(header, "Origin", c[1])
		}
		if a := ask(h, "GET", "/healthz", "", header...); a.status != 200 || strings.TrimSpace(a.body) != `{"status":"ok"}` {
			t.Errorf("%v: %d %s", c, a.status, a.body)
		}
	}
}

// TestAnswersLoadNothing: whatever is answered, to whomever, a browser that is made to show it loads nothing for it.
func TestAnswersLoadNothing(t *testing.T) {
	t.Parallel()
	h := handler(t)
	for path, header := range map[string][]string{"/healthz": nil, "/openapi.json": nil, "/v1/me": nil, "/v1/nothing": nil, "/v1/conversations": {"Host", "evil.example"}} {
		a := ask(h, "GET", path, "", header...)
		if got := a.header.Get("Content-Security-Policy"); got != "default-src 'none'; frame-ancestors 'none'" || a.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %q", path, a.status, got)
		}
	}
}

func TestUnauthenticatedSaysHow(t *testing.T) {
	t.Parallel()
	a := ask(handler(t), "GET", "/v1/me", "", "Authorization", "Bearer bad")
	if !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer") {
		t.Errorf("WWW-Authenticate: %q", a.header.Get("WWW-Authenticate"))
	}
}

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	a := ask(handler(t), "GET", "/openapi.json", "", "Authorization", "")
	var doc struct {
		OpenAPI    string
		Info       struct{ Version string }
		Components struct{ Schemas map[string]json.RawMessage }
		Paths      map[string]map[string]struct {
			Security  []map[string][]string
			Responses map[string]struct{ Content map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(a.body), &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") || doc.Info.Version != "1.2.3" {
		t.Errorf("openapi %q, version %q", doc.OpenAPI, doc.Info.Version)
	}
	for path, ops := range doc.Paths {
		for method, op := range ops {
			private := strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/debug/")
			if private != (len(op.Security) > 0) {
				t.Errorf("%s %s: security %v", method, path, op.Security)
			}
			if op.Responses["default"].Content["application/problem+json"] == nil {
				t.Errorf("%s %s: no problem described: %v", method, path, op.Responses)
			}
		}
	}
	for _, want := range []string{"text/event-stream", "application/json"} {
		if doc.Paths["/v1/conversations/{id}/turns"]["post"].Responses["200"].Content[want] == nil {
			t.Errorf("POST turns does not describe %s", want)
		}
	}
	for name, want := range map[string]string{"PostTurnInputBody": `"additionalProperties":false`, "Turn": `"proposals":{"items":{"$ref":"#/components/schemas/Proposal"},"type":"array"}`, "Me": `"oneOf"`} {
		if !strings.Contains(string(doc.Components.Schemas[name]), want) {
			t.Errorf("%s: no %s in %s", name, want, doc.Components.Schemas[name])
		}
	}
	if strings.Contains(string(doc.Components.Schemas["Turn"]), "additionalProperties") || doc.Components.Schemas["ErrorModel"] != nil {
		t.Error("answers are closed, or in another form")
	}
	if _, ok := doc.Paths["/v1/turns/{id}/events"]["get"]; !ok || len(doc.Paths) < 20 {
		t.Errorf("%d paths", len(doc.Paths))
	}
}
