package app

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/deputy/internal/sse"
)

// TestOpenStreamsAreCounted: a stream counts from its first byte to its end, and has no duration.
func TestOpenStreamsAreCounted(t *testing.T) {
	t.Parallel()
	p := &parts{metrics: newMetrics(), log: slog.New(slog.DiscardHandler)}
	end := make(chan struct{})
	server := httptest.NewServer(p.accessLogged(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/stream" {
			_, _ = io.WriteString(w, `{"paths": {"/stream": {"get": {}}}}`)
			return
		}
		if _, err := sse.NewWriter(w); err != nil {
			t.Error(err)
		}
		<-end
	})))
	t.Cleanup(server.Close)
	res, err := http.Get(server.URL + "/stream?a=b")
	if err != nil {
		t.Fatal(err)
	}
	p.tells(t, "deputy_http_event_streams_open 1")
	close(end)
	_, err = io.Copy(io.Discard, res.Body)
	if err != nil || res.Body.Close() != nil || res.Header.Get("X-Request-Id") == "" {
		t.Errorf("%v %v", err, res.Header)
	}
	p.tells(t, "deputy_http_event_streams_open 0", `deputy_http_requests_total{route="GET /stream",status="200"} 1`)
	if text := p.told(t); strings.Contains(text, "deputy_http_request_duration_seconds_count") {
		t.Error(text)
	}
}

// told is what the metrics are now.
func (p *parts) told(t *testing.T) string {
	w := httptest.NewRecorder()
	p.metrics.handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

// tells waits for lines of the metrics.
func (p *parts) tells(t *testing.T, lines ...string) {
	t.Helper()
	for _, missing := range settled(t, func() (missing []string) {
		text := p.told(t)
		for _, line := range lines {
			if !strings.Contains(text, line+"\n") {
				missing = append(missing, line)
			}
		}
		return missing
	}) {
		t.Errorf("the metrics do not say %s", missing)
	}
}

func TestPeopleInTheLog(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"agent-7": "agent-7", "": ""} {
		if got := personMark(id); got != want {
			t.Errorf("%q: %q", id, got)
		}
	}
	for _, id := range []string{"ann@example.com", "Ann Example"} {
		if got := personMark(id); !strings.HasPrefix(got, "sha256:") || len(got) != len("sha256:")+12 {
			t.Errorf("%q: %q", id, got)
		}
	}
}
