package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"example.com/deputy"
)

// serving is a server that runs, and its log.
type serving struct {
	*running
	metrics string // the URL of the metrics
	mu      sync.Mutex
	log     bytes.Buffer
}

// serveIt runs deputy serve until the test ends; the log must be JSON.
func serveIt(t *testing.T, config string) *serving {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	lines, errOut := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- Main(ctx, []string{"serve", "--config", config, "--listen", "127.0.0.1:0"}, strings.NewReader(""), io.Discard, errOut)
		_ = errOut.Close()
	}()
	s := &serving{running: &running{t: t, token: "t"}}
	places := make(chan map[string]string, 2)
	go func() {
		defer close(places)
		for in := bufio.NewScanner(lines); in.Scan(); {
			s.mu.Lock()
			s.log.WriteString(in.Text() + "\n")
			s.mu.Unlock()
			var line map[string]any
			if json.Unmarshal(in.Bytes(), &line) == nil && line["url"] != nil {
				places <- map[string]string{line["msg"].(string): line["url"].(string)}
			}
		}
	}()
	t.Cleanup(func() {
		stop()
		if status := <-ended; status != good {
			t.Errorf("it ended with %d: %s", status, s.said())
		}
	})
	for range 2 {
		place := <-places
		if url := place["serving"]; url != "" {
			s.url = strings.TrimSuffix(url, "/")
		}
		if url := place["telling metrics"]; url != "" {
			s.metrics = url
		}
	}
	if s.url == "" || s.metrics == "" {
		t.Fatalf("it did not start: %s", s.said())
	}
	return s
}

// said is the log so far.
func (s *serving) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// get fetches a URL without a credential.
func get(t *testing.T, url string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text), res.Header
}

// settled asks until nothing is wrong any more, for a while at most, and gives what still is.
func settled(t *testing.T, ask func() []string) []string {
	t.Helper()
	late := time.After(10 * time.Second)
	for again := time.NewTicker(5 * time.Millisecond); ; {
		wrong := ask()
		if len(wrong) == 0 {
			return nil
		}
		select {
		case <-late:
			return wrong
		case <-again.C:
		}
	}
}

// sample is a line of Prometheus' text format: name, labels, value.
var sample = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*\})? (\S+)$`)

// scraped reads the exposition: series to value. Every line must be of the format, and every series of a family that is described.
func scraped(t *testing.T, text string) map[string]float64 {
	t.Helper()
	out, described := map[string]float64{}, map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if kind, rest, ok := strings.Cut(strings.TrimPrefix(line, "# "), " "); ok && strings.HasPrefix(line, "# ") {
			name, _, _ := strings.Cut(rest, " ")
			described[name] = described[name] || kind == "TYPE"
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no line of the format: %q", line)
		}
		family := m[1]
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if base := strings.TrimSuffix(m[1], suffix); described[base] {
				family = base
			}
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if _, twice := out[m[1]+m[2]]; err != nil || twice || !described[family] {
			t.Fatalf("%q: %v, twice: %v, described: %v", line, err, twice, described[family])
		}
		out[m[1]+m[2]] = v
	}
	return out
}

const knownTraffic = `
- when: { user: list }
  calls: [ { tool: query_records, arguments: { table: customers } }, { tool: no_such_tool, arguments: {} } ]
- when: { user: list, step: 2 }
  text: done
- when: { user: change }
  calls: [ { tool: update_record, arguments: { table: customers, id: "1", values: [ { field: phone, value: "+47 1" } ] } } ]
- when: { user: change, step: 2 }
  text: proposed
- when: { user: drop }
  calls: [ { tool: update_record, arguments: { table: customers, id: "1", values: [ { field: phone, value: "+47 2" } ] } } ]
- when: { user: drop, step: 2 }
  text: proposed
`

// TestMetricsCountWhatHappened: a real server, known traffic, and exactly that in what it tells.
func TestMetricsCountWhatHappened(t *testing.T) {
	t.Parallel()
	scenario := writeFile(t, "scenario.yaml", knownTraffic)
	s := serveIt(t, shop(t, goodConfig+"models: [ { name: replay, provider: scripted, scenario: "+scenario+" } ]\nmetrics: \":0\"\nlog: { format: json, level: debug }\n"))

	turns := fmt.Sprintf("/v1/conversations/%v/turns", s.ask(http.MethodPost, "/v1/conversations", map[string]any{}, http.StatusCreated)["id"])
	say := func(text string) map[string]any {
		return s.ask(http.MethodPost, turns, map[string]any{"text": text}, http.StatusOK)
	}
	output := 0.0
	for _, text := range []string{"list", "nobody has written an answer to this"} {
		output += say(text)["usage"].(map[string]any)["output"].(float64)
	}
	p := s.first(say("change"), "proposals")
	s.ask(http.MethodPost, fmt.Sprintf("/v1/proposals/%v/confirm", p["id"]), map[string]any{"hash": p["hash"]}, http.StatusOK)
	p = s.first(say("drop"), "proposals")
	s.ask(http.MethodPost, fmt.Sprintf("/v1/proposals/%v/reject", p["id"]), map[string]any{}, http.StatusOK)
	s.ask(http.MethodGet, "/v1/conversations?term=x&limit=7", nil, http.StatusOK)
	s.ask(http.MethodGet, "/v1/none", nil, http.StatusNotFound)
	s.ask(http.MethodGet, "/", nil, http.StatusOK)
	s.token = "another"
	s.ask(http.MethodGet, "/v1/me", nil, http.StatusUnauthorized)

	status, _, header := get(t, s.metrics)
	if status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("%d %s", status, header)
	}
	want := map[string]float64{
		`deputy_turns_total{channel="chat",reason="answered"}`:                                  3,
		`deputy_turns_total{channel="chat",reason="model_error"}`:                               1,
		`deputy_turn_duration_seconds_count{channel="chat"}`:                                    4,
		`deputy_turns_running`:                                                                  0,
		`deputy_model_calls_total{model="replay",outcome="ok"}`:                                 6,
		`deputy_model_calls_total{model="replay",outcome="internal"}`:                           1,
		`deputy_model_call_duration_seconds_count{model="replay"}`:                              7,
		`deputy_model_tokens_total{kind="cached_input",model="replay"}`:                         0,
		`deputy_tool_calls_total{outcome="ran",phase="turn",tool="query_records"}`:              1,
		`deputy_tool_calls_total{outcome="refused",phase="turn",tool="unknown"}`:                1,
		`deputy_tool_calls_total{outcome="proposed",phase="turn",tool="update_record"}`:         2,
		`deputy_tool_call_duration_seconds_count{tool="update_record"}`:                         2,
		`deputy_proposals_total{state="pending"}`:                                               2,
		`deputy_proposals_total{state="confirming"}`:                                            1,
		`deputy_proposals_total{state="done"}`:                                                  1,
		`deputy_proposals_total{state="rejected"}`:                                              1,
		`deputy_confirmations_running`:                                                          0,
		`deputy_tool_call_log_failures_total`:                                                   0,
		`deputy_http_requests_total{route="POST /v1/conversations/{id}/turns",status="200"}`:    4,
		`deputy_http_request_duration_seconds_count{route="POST /v1/conversations/{id}/turns"}`: 4,
		`deputy_http_requests_total{route="GET /v1/conversations",status="200"}`:                1,
		`deputy_http_requests_total{route="GET /v1/me",status="401"}`:                           1,
		`deputy_http_requests_total{route="other",status="404"}`:                                1,
		`deputy_http_requests_total{route="page",status="200"}`:                                 1,
		`deputy_http_event_streams_open`:                                                        0,
		`deputy_database_connections_max{database="host",pool="writes"}`:                        1,
		`deputy_database_connection_waits_total{database="host",pool="reads"}`:                  0,
	}
	var got map[string]float64
	var text string
	wrong := settled(t, func() (wrong []string) { // the end of a request is counted when its answer is out already
		_, text, _ = get(t, s.metrics)
		got = scraped(t, text)
		for series, n := range want {
			if v, ok := got[series]; !ok || v != n {
				wrong = append(wrong, fmt.Sprintf("%s is %v (there: %v); want %v", series, v, ok, n))
			}
		}
		return wrong
	})
	for _, w := range wrong {
		t.Error(w)
	}
	tokens := got[`deputy_model_tokens_total{kind="output",model="replay"}`]
	if tokens <= output || output == 0 || got[`go_goroutines`] == 0 || !strings.Contains(text, `deputy_build_info{commit="`) {
		t.Errorf("%v output tokens of which a turn had %v; %v goroutines", tokens, output, got[`go_goroutines`])
	}
	s.onlyMetrics()
	s.linesOfTheTraffic()
}

// onlyMetrics: the listener of metrics has nothing else, and the other one has none.
func (s *serving) onlyMetrics() {
	for _, url := range []string{strings.TrimSuffix(s.metrics, "metrics"), strings.TrimSuffix(s.metrics, "metrics") + "v1/me", s.metrics + "/x", s.url + "/metrics"} {
		if status, text, _ := get(s.t, url); strings.Contains(text, "deputy_turns_total") || status == http.StatusOK && !strings.HasPrefix(url, s.url) {
			s.t.Errorf("%s: %d %.100s", url, status, text)
		}
	}
	if !strings.HasPrefix(s.metrics, "http://127.0.0.1:") {
		s.t.Errorf("it listens at %s", s.metrics)
	}
}

// linesOfTheTraffic: each line of the log is JSON, and a turn's lines say which turn, conversation and request they are of.
func (s *serving) linesOfTheTraffic() {
	want := map[string]int{"turn ended": 4, "confirmation ended": 1, "model call ended": 7, "tool call ended": 4, "request": 12}
	wrong := settled(s.t, func() (wrong []string) {
		seen := map[string]int{}
		for text := range strings.Lines(s.said()) {
			line := map[string]any{}
			if err := json.Unmarshal([]byte(text), &line); err != nil {
				s.t.Fatalf("%v: %s", err, text)
			}
			msg, _ := line["msg"].(string)
			seen[msg]++
			wrong = append(wrong, lacks(msg, line)...)
		}
		for msg, n := range want {
			if seen[msg] != n {
				wrong = append(wrong, fmt.Sprintf("%d lines %q, want %d", seen[msg], msg, n))
			}
		}
		return wrong
	})
	for _, w := range wrong {
		s.t.Error(w)
	}
}

// lacks says which keys a line should have and does not.
func lacks(msg string, line map[string]any) (wrong []string) {
	of := []string{"request", "conversation", "turn"}
	for _, key := range map[string][]string{
		"turn ended": append(of, "reason", "channel", "duration_ms"), "confirmation ended": append(of, "group", "outcome"), "model call ended": append(of, "model", "outcome"),
		"tool call ended": append(of, "tool", "call", "outcome"), "request": {"request", "route", "status", "duration_ms"},
	}[msg] {
		if line[key] == nil {
			wrong = append(wrong, fmt.Sprintf("no %s in %v", key, line))
		}
	}
	if msg == "request" && line["route"] == "GET /v1/conversations" && line["person"] != "ann" {
		wrong = append(wrong, fmt.Sprintf("not ann's: %v", line))
	}
	return wrong
}

// TestMetricNamesAreWell: the names and the help are as Prometheus wants them.
func TestMetricNamesAreWell(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	m.registry.MustRegister(newPools(nil))
	m.request("GET /healthz", 200, 0, false)
	families, err := m.registry.Gather()
	if err != nil || len(families) < 10 {
		t.Fatalf("%d families, %v", len(families), err)
	}
	if problems, err := promlint.NewWithMetricFamilies(families).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
}

// TestMetricsWhere: mistakes of the key have their place, and check says where the metrics would be.
func TestMetricsWhere(t *testing.T) {
	t.Parallel()
	for value, c := range map[string]struct {
		status int
		says   string
	}{
		`"127.0.0.1:9090"`: {good, "serve tells them at http://127.0.0.1:9090/metrics"},
		`":9090"`:          {good, "serve tells them at http://127.0.0.1:9090/metrics"},
		`"0.0.0.0:9090"`:   {good, "warning        metrics: whoever reaches 0.0.0.0:9090 reads them"},
		`9090`:             {wrong, ":12:10: metrics: write host:port"},
		`"127.0.0.1:"`:     {wrong, ":12:10: metrics: write host:port"},
		`":8080"`:          {wrong, ":12:10: metrics: the same address as listen"},
	} {
		status, out, errOut := deputyCommand(t, "check", "--config", shop(t, goodConfig+"metrics: "+value+"\nlisten: 127.0.0.1:8080\n"))
		if status != c.status || !strings.Contains(out+errOut, c.says) {
			t.Errorf("%s: %d %s%s", value, status, out, errOut)
		}
	}
	for value, says := range map[string]string{"{ format: xml }": "log.format: no such value: xml", "{ level: loud }": "log.level: no such value: loud", "{ file: x }": "unknown key"} {
		if status, _, errOut := deputyCommand(t, "check", "--config", shop(t, goodConfig+"log: "+value+"\n")); status != wrong || !strings.Contains(errOut, says) {
			t.Errorf("%s: %d %s", value, status, errOut)
		}
	}
}

// TestMetricsNeedTheirAddress: an address that is taken stops the start, with what to do.
func TestMetricsNeedTheirAddress(t *testing.T) {
	t.Parallel()
	l, err := listen(t.Context(), "127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	config := shop(t, goodConfig+"metrics: "+l.Addr().String()+"\n")
	if status, _, errOut := deputyCommand(t, "serve", "--listen", "127.0.0.1:0", "--config", config); status != failed || !strings.Contains(errOut, "choose another address with the key metrics") {
		t.Errorf("%d %s", status, errOut)
	}
}

func TestHowATurnEnds(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]deputy.Span{"answered": {Reason: deputy.Answered}, "left": {}, "lost": {Reason: deputy.Answered, Code: deputy.Conflict}} {
		if got := turnEnd(s); got != want {
			t.Errorf("%+v: %s, want %s", s, got, want)
		}
	}
}
