package app

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestWhatTheOperatorsLogHas: refused sign-ins and changes of the kill switch, without tokens; and nothing of what went well otherwise.
func TestWhatTheOperatorsLogHas(t *testing.T) {
	t.Parallel()
	d, err := load(shop(t, strings.Replace(goodConfig, "      tools:", "      operate: true\n      tools:", 1)))
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	p, err := build(t.Context(), d, newLog(&log, LogConfig{Level: "warn"}, slog.LevelInfo))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	h := p.handler(t.Context(), nil)
	for _, c := range []struct {
		method, path, token, body string
		status                    int
		says                      string
	}{
		{"GET", "/v1/me", "t", "", http.StatusOK, ""},
		{"GET", "/healthz", "", "", http.StatusOK, ""},
		{"GET", "/v1/me", "guessed-secret", "", http.StatusUnauthorized, `level=WARN msg="sign-in refused" channel=chat remote=192.0.2.1:1234 reason="This token is not known here.`},
		{"GET", "/v1/me", "", "", http.StatusUnauthorized, `reason="Send a token as`},
		{"PUT", "/v1/admin/kill-switch", "t", `{"all": true}`, http.StatusUnprocessableEntity, ""},
		{"GET", "/v1/admin/kill-switch", "t", "", http.StatusOK, ""},
		{"PUT", "/v1/admin/kill-switch", "t", `{"all": true, "reason": "odd answers"}`, http.StatusOK, `msg="kill switch changed" on=true by=ann reason="odd answers"`},
		{"PUT", "/v1/admin/kill-switch", "t", `{"reason": "mended"}`, http.StatusOK, `msg="kill switch changed" on=false by=ann reason=mended`},
	} {
		log.Reset()
		r := httptest.NewRequestWithContext(t.Context(), c.method, "http://localhost"+c.path, strings.NewReader(c.body))
		r.Header.Set("Content-Type", "application/json")
		if c.token != "" {
			r.Header.Set("Authorization", "Bearer "+c.token)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		text := log.String()
		if w.Code/100 != c.status/100 || (text != "") != (c.says != "") || !strings.Contains(text, c.says) || strings.Contains(text, "guessed-secret") {
			t.Errorf("%s %s: %d %s\nlog: %s", c.method, c.path, w.Code, w.Body, text)
		}
	}
}
