package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/deputy"
)

const (
	fine   = "data: {\"choices\":[{\"delta\":{\"content\":\"Fine.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	begun  = "data: {\"choices\":[{\"delta\":{\"content\":\"There\"}}]}\n\n"
	secret = "sk-test-0123456789abcdef"
)

// server answers the nth request with the nth handler, and every later one with the last; it keeps what it was asked.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []*http.Request
	bodies []string
}

func serve(t *testing.T, answers ...http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := readAll(t, r)
		s.mu.Lock()
		n := min(len(s.asked), len(answers)-1)
		s.asked = append(s.asked, r)
		s.bodies = append(s.bodies, string(body))
		s.mu.Unlock()
		answers[n](w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

func say(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// drop closes the connection in the middle of the answer.
func drop(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, body)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// hang says something and then nothing more, until the client is gone.
func hang(body string, gone chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if body != "" {
			_, _ = io.WriteString(w, body)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
		if gone != nil {
			close(gone)
		}
	}
}

func readAll(t *testing.T, r *http.Request) []byte {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return b
}

func causeOf(err error) error {
	var e *deputy.Error
	if errors.As(err, &e) {
		return e.Cause
	}
	return errors.New("not a *deputy.Error")
}

func hello() deputy.Request {
	return deputy.Request{Messages: []deputy.Message{{Role: deputy.FromPerson, Parts: []deputy.Part{{Text: "Tell me about Jane Doe"}}}}}
}

func TestNewNamesEveryMistake(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config Config
		want   []string
	}{
		{Config{}, []string{"model is empty"}},
		{Config{APIKey: secret + "\n", BaseURL: "localhost:11434"}, []string{"model is empty", "API key", "http://"}},
		{Config{Model: "m", BaseURL: "https://u:p@host/v1"}, []string{"no user"}},
		{Config{Model: "m", BaseURL: "https://host/v1?version=1"}, []string{"no ?"}},
		{Config{Model: "m", BaseURL: "https://host/v1/chat/completions/"}, []string{"leave chat/completions out"}},
		{Config{Model: "m", BaseURL: "https://ho st/"}, []string{"cannot be read"}},
	} {
		_, err := New(c.config)
		if err == nil {
			t.Fatalf("%+v was accepted", c.config)
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%v shows the key", err)
		}
	}
	m, err := New(Config{Model: "gpt-test", Price: deputy.Price{Input: "1.25"}})
	if err != nil {
		t.Fatal(err)
	}
	want := deputy.ModelInfo{Name: "gpt-test", Provider: "openai", Model: "gpt-test", Price: deputy.Price{Input: "1.25"}}
	if m.Info() != want {
		t.Errorf("Info is %+v, want %+v", m.Info(), want)
	}
}

// TestNothingFromTheEnvironment is not parallel: it sets the environment.
func TestNothingFromTheEnvironment(t *testing.T) {
	other := serve(t, say(200, fine))
	for _, v := range [][2]string{
		{"OPENAI_API_KEY", "sk-env"}, {"OPENAI_ADMIN_KEY", "sk-env"}, {"OPENAI_ORG_ID", "org-env"}, {"OPENAI_PROJECT_ID", "proj-env"},
		{"OPENAI_BASE_URL", other.URL}, {"OPENAI_CUSTOM_HEADERS", "X-Env: sk-env"}, {"OPENAI_WEBHOOK_SECRET", "sk-env"},
	} {
		t.Setenv(v[0], v[1])
	}
	s := serve(t, say(200, fine))
	for _, key := range []string{"", secret} {
		m := start(t, s.URL, Config{APIKey: key})
		if got := transcript(context.Background(), m, hello()); got != "text \"Fine.\"\nstop end\n" {
			t.Fatalf("got %s", got)
		}
		r := s.asked[len(s.asked)-1]
		want := map[string]bool{"User-Agent": true, "Accept": true, "Content-Type": true, "Content-Length": true, "Accept-Encoding": true,
			"Authorization": key != ""}
		for name, values := range r.Header {
			if !want[name] {
				t.Errorf("key %q: header %s: %q was sent", key, name, values)
			}
		}
		if got := r.Header.Get("Authorization"); key != "" && got != "Bearer "+key {
			t.Errorf("Authorization is %q", got)
		}
		if r.Method != http.MethodPost || r.URL.String() != "/v1/chat/completions" {
			t.Errorf("asked %s %s", r.Method, r.URL)
		}
	}
	if other.requests() != 0 {
		t.Error("the address of the environment was asked")
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	date := time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
	const answer = "text \"Fine.\"\nstop end\n"
	for _, c := range []struct {
		name     string
		answers  []http.HandlerFunc
		requests int
		want     string // in the transcript
		waits    string
	}{
		{"once", []http.HandlerFunc{say(500, "")}, 2, answer, "[500ms]"},
		{"twice", []http.HandlerFunc{say(503, ""), say(529, "")}, 3, answer, "[500ms 2s]"},
		{"bounded", []http.HandlerFunc{say(500, ""), say(500, ""), say(500, "")}, 3, "error unavailable", "[500ms 2s]"},
		{"seconds", []http.HandlerFunc{say(429, "", "Retry-After", "7")}, 2, answer, "[7s]"},
		{"milliseconds", []http.HandlerFunc{say(429, "", "Retry-After-Ms", "1500", "Retry-After", "9")}, 2, answer, "[1.5s]"},
		{"never less than ours", []http.HandlerFunc{say(429, "", "Retry-After", "0")}, 2, answer, "[500ms]"},
		{"date of the past", []http.HandlerFunc{say(429, "", "Retry-After", date)}, 2, answer, "[500ms]"},
		{"nonsense", []http.HandlerFunc{say(429, "", "Retry-After", "soon")}, 2, answer, "[500ms]"},
		{"too long", []http.HandlerFunc{say(429, "", "Retry-After", "90")}, 1, "error rate_limited: The model \"main\" is asked too much at the moment. Try again in 90 seconds.", "[]"},
		{"not wanted", []http.HandlerFunc{say(500, "", "X-Should-Retry", "false")}, 1, "error unavailable", "[]"},
		{"refused", []http.HandlerFunc{say(400, "")}, 1, "error internal", "[]"},
		{"dropped before", []http.HandlerFunc{drop("")}, 2, answer, "[500ms]"},
		{"dropped after an empty delta", []http.HandlerFunc{drop("data: {\"choices\":[{\"delta\":{\"content\":\"\"}}]}\n\n")}, 2, answer, "[500ms]"},
		{"dropped after text", []http.HandlerFunc{drop(begun)}, 1, "text \"There\"\nerror unavailable", "[]"},
		{"dropped after reasoning", []http.HandlerFunc{drop(strings.Replace(begun, "content", "reasoning", 1))}, 1, "reasoning \"There\"\nerror unavailable", "[]"},
		{"dropped after the end", []http.HandlerFunc{drop(strings.TrimSuffix(fine, "data: [DONE]\n\n"))}, 1, answer, "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, append(c.answers, say(200, fine))...)
			m := start(t, s.URL, Config{})
			got := transcript(context.Background(), m, hello())
			if !strings.Contains(got, c.want) || s.requests() != c.requests || fmt.Sprint(m.waits) != c.waits {
				t.Errorf("got %s in %d requests after waiting %v; want %s, %d, %s", got, s.requests(), m.waits, c.want, c.requests, c.waits)
			}
		})
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := serve(t, say(200, fine))
	s.Close()
	m := start(t, s.URL, Config{APIKey: secret})
	got := transcript(context.Background(), m, hello())
	if !strings.Contains(got, "error unavailable: The model \"main\" cannot be reached") || len(m.waits) != 2 {
		t.Errorf("got %s after waiting %v", got, m.waits)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	other := serve(t, say(200, fine))
	for _, c := range []struct {
		name, to string
		status   int
		requests int
		want     string
	}{
		{"elsewhere", other.URL + "/v1/chat/completions", 307, 1, "points elsewhere"},
		{"elsewhere for good", other.URL + "/v1/chat/completions", 308, 1, "points elsewhere"},
		{"another method", "/other", 302, 1, "points elsewhere"},
		{"same origin", "/other", 307, 2, "Fine."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, say(c.status, "", "Location", c.to), say(200, fine))
			given := &http.Client{} // follows redirects, by itself
			m := start(t, s.URL, Config{APIKey: secret, HTTPClient: given})
			got := transcript(context.Background(), m, hello())
			if !strings.Contains(got, c.want) || s.requests() != c.requests {
				t.Fatalf("got %s in %d requests", got, s.requests())
			}
			last := len(s.asked) - 1
			if s.bodies[last] != s.bodies[0] || s.asked[last].Header.Get("Authorization") != "Bearer "+secret {
				t.Error("the request was not repeated as it was")
			}
			if given.CheckRedirect != nil {
				t.Error("the given client was changed")
			}
		})
	}
	t.Cleanup(func() {
		if other.requests() != 0 {
			t.Error("another origin was asked")
		}
	})
}

func TestRedirectsEnd(t *testing.T) {
	t.Parallel()
	s := serve(t, say(307, "", "Location", "/again"))
	got := transcript(context.Background(), start(t, s.URL, Config{}), hello())
	if !strings.Contains(got, "points elsewhere") || s.requests() != 4 {
		t.Errorf("got %s in %d requests", got, s.requests())
	}
}

// TestCancel: the end of the context, and breaking off, end the request at the server.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"cancel", "break"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			gone := make(chan struct{})
			s := serve(t, hang(begun, gone))
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var last error
			for c, err := range start(t, s.URL, Config{}).Stream(ctx, hello()) {
				last = err
				if c.Text == "There" && how == "break" {
					break
				}
				cancel()
			}
			<-gone
			if how == "break" && last != nil || how == "cancel" && (deputy.CodeOf(last) != deputy.Timeout || !errors.Is(last, context.Canceled)) {
				t.Errorf("ended with %v", last)
			}
			if s.requests() != 1 {
				t.Errorf("%d requests", s.requests())
			}
		})
	}
}

func TestContextThatHasEnded(t *testing.T) {
	t.Parallel()
	s := serve(t, say(200, fine))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got := transcript(ctx, start(t, s.URL, Config{}), hello())
	if !strings.HasPrefix(got, "error timeout") || s.requests() != 0 {
		t.Errorf("got %s in %d requests", got, s.requests())
	}
}

func TestSilence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, said, want string }{
		{"before the answer", "", "error timeout: The model \"main\" took too long"},
		{"within the answer", begun, "text \"There\"\nerror timeout"},
		{"after the end", strings.TrimSuffix(fine, "data: [DONE]\n\n"), "text \"Fine.\"\nstop end\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, hang(c.said, nil))
			m := start(t, s.URL, Config{})
			m.http.Quiet, m.http.Linger = 100*time.Millisecond, time.Millisecond
			got := transcript(context.Background(), m, hello())
			if !strings.HasPrefix(got, c.want) || s.requests() != 1 {
				t.Errorf("got %s in %d requests", got, s.requests())
			}
		})
	}
}

// TestUsageRefused: a server that does not know stream_options is asked again without, once and for all.
func TestUsageRefused(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"error":{"message":"Unrecognized request argument supplied: stream_options","type":"invalid_request_error"}}`,
		`{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`,
	} {
		s := serve(t, say(400, body), say(200, fine))
		m := start(t, s.URL, Config{})
		for range 2 {
			if got := transcript(context.Background(), m, hello()); got != "text \"Fine.\"\nstop end\n" {
				t.Fatalf("got %s", got)
			}
		}
		var with []bool
		for _, b := range s.bodies {
			with = append(with, strings.Contains(b, "stream_options"))
		}
		if fmt.Sprint(with) != "[true false false]" {
			t.Errorf("stream_options were sent: %v", with)
		}
	}
}

// TestWhatIsNotSentIsNotLeftOut: a mistake that has the words of an option which was not sent is no reason to ask again.
func TestWhatIsNotSentIsNotLeftOut(t *testing.T) {
	t.Parallel()
	for _, api := range []API{Chat, Responses} {
		s := serve(t, say(400, `{"error":{"message":"'messages' must include a strict one of unencrypted prompt_cache_keys","type":"invalid_request_error"}}`), say(200, fine))
		m := start(t, s.URL, Config{API: api})
		m.options.encrypted.Store(true)
		m.options.cacheKey.Store(true)
		if got := transcript(context.Background(), m, hello()); !strings.HasPrefix(got, "error internal") || s.requests() != 1 {
			t.Errorf("%s: %s in %d requests", api, got, s.requests())
		}
	}
}

// TestErrorsTellNothing: whatever a server writes, neither the key nor what was asked comes back in an error.
func TestErrorsTellNothing(t *testing.T) {
	t.Parallel()
	bodies := []string{
		fmt.Sprintf(`{"error":{"message":"key %[1]s asked about Jane Doe","type":"%[1]s","code":"%[1]s","param":"Jane Doe"}}`, secret),
		fmt.Sprintf(`{"error":"%s 'Jane Doe'"}`, secret), "<html>Jane Doe " + secret, "Jane Doe " + secret,
		fmt.Sprintf(`{"message":"Bearer %s \"Jane Doe\""}`, secret),
	}
	for _, status := range []int{200, 302, 400, 403, 413, 422, 500, 503} {
		for _, body := range bodies {
			for _, in := range []string{body, "data: " + body + "\n\n", "event: error\ndata: " + body + "\n\n"} {
				s := serve(t, say(status, in, "X-Request-Id", secret))
				for _, err := range start(t, s.URL, Config{APIKey: secret}).Stream(context.Background(), hello()) {
					if err == nil {
						t.Fatalf("%d %s: no error", status, in)
					}
					if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "Jane") {
						t.Errorf("%d %s: %v", status, in, err)
					}
				}
				s.Close()
			}
		}
	}
}

// TestTimeoutOfTheGivenClient is within the answer: the client's own limit is a timeout like any other.
func TestTimeoutOfTheGivenClient(t *testing.T) {
	t.Parallel()
	s := serve(t, hang(begun, nil))
	m := start(t, s.URL, Config{HTTPClient: &http.Client{Timeout: 200 * time.Millisecond}})
	if got := transcript(context.Background(), m, hello()); !strings.HasPrefix(got, "text \"There\"\nerror timeout") {
		t.Errorf("got %s", got)
	}
}

// TestOneModelForMany: a model serves many turns at once, and their answers do not mix.
func TestOneModelForMany(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, who, _ := strings.Cut(string(readAll(t, r)), "I am ")
		who, _, _ = strings.Cut(who, "\"")
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", who)
	}))
	defer s.Close()
	m := start(t, s.URL, Config{APIKey: secret})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			r := deputy.Request{System: fmt.Sprintf("I am %d", i)}
			if got, want := transcript(context.Background(), m, r), fmt.Sprintf("text \"%d\"\nstop end\n", i); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	wg.Wait()
}
