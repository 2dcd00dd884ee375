package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// answer says what a model says in one step of a turn.
type answer func(step int, s *saying)

// teller is a model behind HTTP that says what a test tells it to, when it tells it to.
type teller struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]answer // by what the person said
}

func newTeller(t *testing.T) *teller {
	t.Helper()
	m := &teller{answers: map[string]answer{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// on sets the answer to what a person says.
func (m *teller) on(said string, a answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers[said] = a
}

// calls is an answer that makes one call a step, given as tool and arguments in turn, and then says a text.
func calls(text string, each ...string) answer {
	return func(step int, s *saying) {
		if i := 2 * (step - 1); i < len(each) {
			s.call(each[i], each[i+1])
			return
		}
		s.text(text)
	}
}

// pieces are what an answer is made of, as a test gives them.
type pieces chan string

// slowly answers with what the pieces say.
func (m *teller) slowly(said string) pieces {
	on := make(pieces)
	m.on(said, func(_ int, s *saying) {
		for {
			select {
			case text, more := <-on:
				if !more {
					return
				}
				s.text(text)
			case <-s.gone:
				return
			}
		}
	})
	return on
}

func (p pieces) say(t *testing.T, text string) {
	t.Helper()
	select {
	case p <- text:
	case <-time.After(patience):
		t.Fatalf("the model is not asked, so it cannot say %q", text)
	}
}

func (p pieces) end() { close(p) }

func (m *teller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	step, last := 1, ""
	for _, q := range asked.Messages {
		if found := reference.FindStringSubmatch(string(q.Content)); q.Role == "tool" && found != nil {
			last = found[1]
		}
	}
	for i := len(asked.Messages) - 1; i >= 0; i-- {
		switch q := asked.Messages[i]; q.Role {
		case "assistant":
			step++
		case "user":
			if a := m.find(string(q.Content)); a != nil {
				say(w, r, step, last, a)
				return
			}
		}
	}
	http.Error(w, `{"error":{"message":"nothing to say"}}`, http.StatusBadRequest)
}

// reference is where a result says by which name the model may speak of it.
var reference = regexp.MustCompile(`call_id[\\": ]+(c[0-9]+)`)

// find looks for the longest of what is known in what was said.
func (m *teller) find(said string) (found answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	longest := 0
	for known, a := range m.answers {
		if len(known) > longest && strings.Contains(said, known) {
			found, longest = a, len(known)
		}
	}
	return found
}

// saying is a stream of chunks as they are made.
type saying struct {
	http.ResponseWriter
	gone  <-chan struct{} // closed when nobody listens any more
	last  string          // the reference of the newest call, as the model reads it
	calls int
}

func say(w http.ResponseWriter, r *http.Request, step int, last string, a answer) {
	w.Header().Set("Content-Type", "text/event-stream")
	s := &saying{ResponseWriter: w, gone: r.Context().Done(), last: last}
	a(step, s)
	end := "stop"
	if s.calls > 0 {
		end = "tool_calls"
	}
	s.chunk(map[string]any{}, end)
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

func (s *saying) text(t string) { s.chunk(map[string]any{"content": t}, nil) }

func (s *saying) call(tool, arguments string) {
	call := map[string]any{"index": s.calls, "id": fmt.Sprint("call_", s.calls), "type": "function", "function": map[string]any{"name": tool, "arguments": arguments}}
	s.calls++
	s.chunk(map[string]any{"tool_calls": []any{call}}, nil)
}

func (s *saying) chunk(delta map[string]any, end any) {
	b, _ := json.Marshal(map[string]any{"id": "x", "object": "chat.completion.chunk", "model": "test", // plain values always marshal
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": end}}})
	_, _ = fmt.Fprintf(s, "data: %s\n\n", b) // a reader that is gone is seen by gone
	_ = http.NewResponseController(s.ResponseWriter).Flush()
}
