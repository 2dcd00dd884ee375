package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// talking is an answer of a model that is being given.
type talking struct {
	t     *testing.T
	w     http.ResponseWriter
	r     *http.Request
	said  string // by the person, last
	step  int    // of the turn, from 1
	calls int
}

func (a *talking) chunk(delta, finish string) {
	_, _ = fmt.Fprintf(a.w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
	a.w.(http.Flusher).Flush()
}

// says gives a piece of text.
func (a *talking) says(text string) {
	b, err := json.Marshal(text)
	if err != nil {
		a.t.Error(err)
	}
	a.chunk(`{"content":`+string(b)+`}`, "null")
}

// does asks for a tool.
func (a *talking) does(tool string, arguments any) {
	b, err := json.Marshal(arguments)
	if err != nil {
		a.t.Error(err)
	}
	quoted, err := json.Marshal(string(b))
	if err != nil {
		a.t.Error(err)
	}
	name, err := json.Marshal(tool)
	if err != nil {
		a.t.Error(err)
	}
	a.chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"call_%d_%d","type":"function","function":{"name":%s,"arguments":%s}}]}`, a.calls, a.step, a.calls, name, quoted), "null")
	a.calls++
}

// hangs waits until who asked has gone.
func (a *talking) hangs() { <-a.r.Context().Done() }

// modelThat serves a model that answers as a function says; its URL is returned.
func modelThat(t *testing.T, answer func(*talking)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Messages []struct {
				Role    string
				Content json.RawMessage
			}
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &request) != nil {
			http.Error(w, "no request", http.StatusBadRequest)
			return
		}
		a := &talking{t: t, w: w, r: r, step: 1}
		for _, m := range request.Messages {
			switch m.Role {
			case "user":
				a.said, a.step = string(m.Content), 1
			case "assistant":
				a.step++
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		answer(a)
		finish := `"stop"`
		if a.calls > 0 {
			finish = `"tool_calls"`
		}
		a.chunk("{}", finish)
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// chatConfig is the shop's configuration with a model at a URL, and a store on disk.
func chatConfig(t *testing.T, url string, more ...string) string {
	t.Helper()
	text := strings.Replace(goodConfig, `store: "memory:"`, fmt.Sprintf("store: \"sqlite:%s/deputy.db\"\nmodels: [ { name: m, provider: openai, model: m, base_url: %q } ]", t.TempDir(), url), 1)
	text = strings.Replace(text, "update: [phone], rows: employee_id == person.attributes.employee_id", "create: [name, phone], update: [name, phone], delete: true", 1)
	for i := 0; i+1 < len(more); i += 2 {
		if !strings.Contains(text, more[i]) {
			t.Fatalf("%q does not stand in the configuration", more[i])
		}
		text = strings.Replace(text, more[i], more[i+1], 1)
	}
	return shop(t, text)
}
