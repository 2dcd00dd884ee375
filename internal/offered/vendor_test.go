package offered

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
)

// model is a way in which a vendor is asked.
type model struct {
	provider, api    string
	strict, deferred bool
}

func (m model) String() string {
	out := strings.TrimSpace(m.provider + " " + m.api)
	if m.strict {
		out += ", strict"
	}
	if m.deferred {
		out += ", deferred"
	}
	return out
}

// models are all ways. In a turn the first is asked first; all but the last fail, so that each is sent what the last is.
func models() []model {
	return []model{
		{"openai", "chat", true, false}, {"openai", "responses", false, false}, {"openai", "responses", true, false}, {"openai", "responses", false, true}, {"openai", "responses", true, true},
		{"anthropic", "", false, false}, {"anthropic", "", true, false}, {"anthropic", "", false, true}, {"anthropic", "", true, true}, {"openai", "chat", false, false},
	}
}

// answer is what the last model says.
const answer = "That is all there is."

// vendor is the server at which all models are asked. It keeps what it is sent.
type vendor struct {
	*httptest.Server
	enable []string

	mu   sync.Mutex
	sent []sent
}

type sent struct {
	model model
	body  []byte
}

func newVendor(enable []string) *vendor {
	v := &vendor{enable: enable}
	v.Server = httptest.NewServer(v)
	return v
}

// models is the configuration of them.
func (v *vendor) models() string {
	var b strings.Builder
	b.WriteString("models:\n")
	for i, m := range models() {
		fmt.Fprintf(&b, "  - { name: m%d, provider: %s, model: some-model, base_url: %q, strict_tools: %v", i, m.provider, fmt.Sprintf("%s/%d/v1", v.URL, i), m.strict)
		if m.api != "" {
			b.WriteString(", api: " + m.api)
		}
		if m.api != "chat" {
			fmt.Fprintf(&b, ", deferred_tools: %v", m.deferred)
		}
		b.WriteString(" }\n")
	}
	return b.String()
}

// ServeHTTP implements http.Handler.
func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var i int
	if _, scan := fmt.Sscanf(r.URL.Path, "/%d/v1/", &i); scan != nil || err != nil {
		http.Error(w, "unexpected", http.StatusNotFound)
		return
	}
	v.mu.Lock()
	v.sent = append(v.sent, sent{models()[i], body})
	step := (len(v.sent) - 1) / len(models())
	v.mu.Unlock()
	if i != len(models())-1 {
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusUnauthorized)
		return
	}
	delta := map[string]any{"content": answer}
	if step == 0 && v.enable != nil {
		arguments, _ := json.Marshal(map[string]any{"names": v.enable}) // strings marshal
		call := map[string]any{"index": 0, "id": "call_1", "type": "function", "function": map[string]any{"name": "enable_toolset", "arguments": string(arguments)}}
		delta = map[string]any{"tool_calls": []any{call}}
	}
	event, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": "stop"}}})
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", event)
}

// request is what a model was sent.
type request struct {
	Model  string
	Strict bool
	Step   int    // from 1
	Body   []byte // but for what differs from conversation to conversation
	tools  []tool
	system string // the text that is always the same
	sets   string // the section of toolsets
	result []tool // tools that a result reveals, with their definitions where the vendor wants them there
	said   string // by the tool that switches toolsets
}

// tool is one of a request, as it stands there.
type tool struct {
	Name, Description string
	Schema            json.RawMessage
	Strict, Deferred  bool
	Search            bool // the vendor's own kind of tool, by which it finds deferred ones
	Cache             bool // the prefix until here is to be cached
}

// cacheKey leads a vendor to the cache of a conversation: it is made of an id.
var cacheKey = regexp.MustCompile(`"prompt_cache_key":"[0-9a-f]*"`)

func (v *vendor) requests() ([]request, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var out []request
	for i, s := range v.sent {
		r := request{Model: s.model.String(), Strict: s.model.strict, Step: 1 + i/len(models()), Body: cacheKey.ReplaceAll(s.body, []byte(`"prompt_cache_key":""`))}
		if err := r.read(); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", r.Model, err, s.body)
		}
		out = append(out, r)
	}
	return out, nil
}

// wire is every form of a request.
type wire struct {
	Tools        []wireTool
	Instructions string
	System       []struct{ Text string }
	Messages     []struct {
		Role    string
		Content json.RawMessage
	}
	Input []struct {
		Type  string
		Tools []wireTool
	}
}

type wireTool struct {
	Type, Name, Description string
	Function                *wireTool
	Parameters              json.RawMessage
	InputSchema             json.RawMessage `json:"input_schema"`
	Strict                  bool
	Defer                   bool            `json:"defer_loading"`
	Cache                   json.RawMessage `json:"cache_control"`
}

// read takes the body apart.
func (r *request) read() error {
	var w wire
	d := json.NewDecoder(bytes.NewReader(r.Body))
	if err := d.Decode(&w); err != nil {
		return err
	}
	for _, t := range w.Tools {
		r.tools = append(r.tools, t.tool())
	}
	text := w.Instructions
	for i, block := range w.System {
		text += strings.Repeat("\n\n", min(i, 1)) + block.Text
	}
	for _, m := range w.Messages {
		if m.Role == "system" {
			if err := json.Unmarshal(m.Content, &text); err != nil {
				return err
			}
		}
		if m.Role == "tool" {
			if err := json.Unmarshal(m.Content, &r.said); err != nil {
				return err
			}
		}
		r.references(m.Content)
	}
	for _, item := range w.Input {
		for _, t := range item.Tools {
			r.result = append(r.result, t.tool())
		}
	}
	r.system, r.sets, _ = strings.Cut(text, "\n\n## Toolsets\n")
	return nil
}

// references are the deferred tools that a result names.
func (r *request) references(content json.RawMessage) {
	var blocks []struct {
		Type    string
		Content []struct {
			Type string
			Tool string `json:"tool_name"`
		}
	}
	_ = json.Unmarshal(content, &blocks) // a text has none
	for _, b := range blocks {
		for _, c := range b.Content {
			if c.Type == "tool_reference" {
				r.result = append(r.result, tool{Name: c.Tool})
			}
		}
	}
}

func (t wireTool) tool() tool {
	if t.Function != nil {
		return t.Function.tool()
	}
	out := tool{Name: t.Name, Description: t.Description, Schema: t.Parameters, Strict: t.Strict, Deferred: t.Defer, Cache: t.Cache != nil}
	if t.InputSchema != nil {
		out.Schema = t.InputSchema
	}
	if t.Type == "tool_search" {
		out.Name, out.Search = t.Type, true
	}
	return out
}
