package crash

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.com/deputy"
)

// binary is the built program: the one DEPUTY_BINARY names, else one built here.
func binary(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("DEPUTY_BINARY"); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "deputy")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "example.com/deputy/cmd/deputy")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	return path
}

// served is a server in a process of its own.
type served struct {
	*world
	cmd *exec.Cmd
	url string
}

func (w *world) serve(program, config string) *served {
	w.Helper()
	s := &served{world: w, cmd: exec.CommandContext(w.Context(), program, "serve", "--config", config, "--listen", "127.0.0.1:0")}
	out, err := s.cmd.StderrPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		w.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	said := ""
	for s.url == "" && lines.Scan() {
		said += lines.Text() + "\n"
		var place struct{ Msg, URL string }
		if json.Unmarshal(lines.Bytes(), &place) == nil && place.Msg == "serving" {
			s.url = strings.TrimSuffix(place.URL, "/")
		}
	}
	if s.url == "" {
		w.Fatalf("it does not serve: %s", said)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return s
}

// kill ends the process at once.
func (s *served) kill() {
	s.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.Fatal(err)
	}
	_ = s.cmd.Wait()
}

func (s *served) ask(method, path, body string, header ...string) *http.Response {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer t")
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode >= 300 {
		text, _ := io.ReadAll(res.Body)
		s.Fatalf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
	return res
}

// stream reads server-sent events.
type stream struct {
	t      *testing.T
	in     *bufio.Reader
	events []deputy.Event
}

func (s *served) follow(turn string, after int64) *stream {
	s.Helper()
	res := s.ask(http.MethodGet, "/v1/turns/"+turn+"/events", "", "Accept", "text/event-stream", "Last-Event-ID", strconv.FormatInt(after, 10))
	return &stream{t: s.T, in: bufio.NewReader(res.Body)}
}

// start says something in a new conversation, and reads until the first of the answer's text is there. It gives the turn's id.
func (s *served) start(text string) (string, *stream) {
	s.Helper()
	var c struct{ ID string }
	if err := json.NewDecoder(s.ask(http.MethodPost, "/v1/conversations", "{}").Body).Decode(&c); err != nil {
		s.Fatal(err)
	}
	res := s.ask(http.MethodPost, "/v1/conversations/"+c.ID+"/turns", fmt.Sprintf(`{"text":%q}`, text), "Accept", "text/event-stream")
	st := &stream{t: s.T, in: bufio.NewReader(res.Body)}
	st.until(deputy.EventTextDelta)
	var first deputy.TurnStarted
	if err := json.Unmarshal(st.events[0].Data, &first); err != nil {
		s.Fatal(err)
	}
	return first.Turn, st
}

// until reads events until one of a name, or the end.
func (s *stream) until(name string) {
	s.t.Helper()
	var e deputy.Event
	for {
		text, err := s.in.ReadString('\n')
		if err != nil {
			return
		}
		key, value, _ := strings.Cut(strings.TrimRight(text, "\n"), ": ")
		switch key {
		case "id":
			if e.Seq, err = strconv.ParseInt(value, 10, 64); err != nil {
				s.t.Fatal(err)
			}
		case "event":
			e.Name = value
		case "data":
			e.Data = json.RawMessage(value)
		case "":
			if e.Name == "" {
				continue
			}
			s.events = append(s.events, e)
			if e.Name == name {
				return
			}
			e = deputy.Event{}
		}
	}
}

func (s *stream) last() int64 { return s.events[len(s.events)-1].Seq }

// vendor is a model behind HTTP that says half of its answer and then waits until it is let go on.
type vendor struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
	goOn  chan struct{}
}

// half is enough to be stored before the rest comes.
func half() string { return strings.Repeat("The first half. ", 256) }

func newVendor(t *testing.T) *vendor {
	t.Helper()
	v := &vendor{asked: map[string]int{}, goOn: make(chan struct{})}
	v.Server = httptest.NewServer(http.HandlerFunc(v.answer))
	t.Cleanup(v.Close)
	return v
}

func (v *vendor) times(text string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.asked[text]
}

func (v *vendor) answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	text := "killed"
	if strings.Contains(string(body), "alive") {
		text = "alive"
	}
	v.mu.Lock()
	v.asked[text]++
	n := v.asked[text]
	v.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta, finish string) {
		_, _ = fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
		_ = http.NewResponseController(w).Flush()
	}
	chunk(fmt.Sprintf(`{"role":"assistant","content":%q}`, half()), "null")
	if text == "alive" || n == 1 {
		select {
		case <-v.goOn:
		case <-r.Context().Done():
			return
		}
	}
	chunk(`{"content":"The second."}`, "null")
	chunk("{}", `"stop"`)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// TestTwoServers lets two servers share a store. The turn of one that is killed is finished by those that are left, once its lease has run out; that of
// the other, which lives on all the while, is touched by nobody.
func TestTwoServers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it waits for a lease to run out, half a minute")
	}
	w, v, program := newWorld(t, "sqlite, wal"), newVendor(t), binary(t)
	config := filepath.Join(t.TempDir(), "deputy.yaml")
	text := fmt.Sprintf(`store: "sqlite:%s"
host: { database: "%s" }
models: [ { name: main, provider: openai, model: m, base_url: "%s", api_key: k } ]
auth: { tokens: [ { token: t, id: pat, name: Pat, roles: [worker] } ] }
log: { format: json }
policy: { roles: { worker: { tools: ["*"], tables: { items: { read: true } } } } }
`, w.store, w.url, v.URL)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	first, second := w.serve(program, config), w.serve(program, config)
	killed, before := first.start("killed")
	alive, still := second.start("alive")
	first.kill()
	third := w.serve(program, config)

	after := third.follow(killed, before.last())
	after.until(deputy.EventTurnFinished)
	w.said("killed", append(before.events, after.events...))
	if n := v.times("killed"); n != 2 || after.last() < 1000 {
		t.Errorf("the model was asked %d times; the last event is %d", n, after.last())
	}

	var turn struct{ State deputy.TurnState }
	if err := json.NewDecoder(third.ask(http.MethodGet, "/v1/turns/"+alive, "").Body).Decode(&turn); err != nil || turn.State != deputy.TurnRunning {
		t.Errorf("the other turn is %s, %v", turn.State, err)
	}
	close(v.goOn)
	still.until(deputy.EventTurnFinished)
	w.said("alive", still.events)
	if n := v.times("alive"); n != 1 || still.last() > 1000 {
		t.Errorf("the model was asked %d times; the last event is %d", n, still.last())
	}
}

// said tests what a follower was told of an answer.
func (w *world) said(what string, events []deputy.Event) {
	w.Helper()
	j, err := replay(events)
	if err != nil {
		w.Fatalf("%s: %v", what, err)
	}
	if want := half() + "The second."; j.texts[1] != want || j.end.Text != want || j.end.Reason != deputy.Answered {
		w.Errorf("%s: %d bytes of text, %d at the end, %s", what, len(j.texts[1]), len(j.end.Text), j.end.Reason)
	}
}
