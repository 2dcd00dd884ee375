package anthropic

import (
	"encoding/json"
	"strings"

	"example.com/deputy"
	"example.com/deputy/internal/modelhttp"
	"example.com/deputy/internal/strictschema"
)

// The order of the fields is the order of the bytes.
type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	Stream    bool      `json:"stream"`
	Thinking  *thinking `json:"thinking,omitempty"`
	Tools     []tool    `json:"tools,omitempty"`
	System    []block   `json:"system,omitempty"`
	Messages  []message `json:"messages"`
}

// thinking is as much as the model finds right, and its summary.
type thinking struct {
	Type    string `json:"type"`
	Display string `json:"display"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
	Strict      bool            `json:"strict,omitempty"`
	Defer       bool            `json:"defer_loading,omitempty"`
	Cache       *cache          `json:"cache_control,omitempty"`
}

// cache marks the end of a prefix that is worth keeping.
type cache struct {
	Type string `json:"type"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a piece of a message.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Cache     *cache          `json:"cache_control,omitempty"`

	thinking *thinkingBlock // nothing else is set then
	reveals  []string       // deferred tools that a result makes usable
}

// reference makes a deferred tool usable from its place in the history on.
type reference struct {
	Type string `json:"type"`
	Tool string `json:"tool_name"`
}

// thinkingBlock is thinking as the vendor wants it back: what was shown of it and the signature, or the data of what was not.
type thinkingBlock struct {
	Type      string  `json:"type"`
	Thinking  *string `json:"thinking,omitempty"`
	Signature string  `json:"signature,omitempty"`
	Data      string  `json:"data,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (b block) MarshalJSON() ([]byte, error) {
	if b.thinking != nil {
		return modelhttp.Marshal(b.thinking)
	}
	type plain block
	if len(b.reveals) == 0 {
		return modelhttp.Marshal(plain(b))
	}
	content := []any{block{Type: "text", Text: b.Content}}
	for _, tool := range b.reveals {
		content = append(content, reference{"tool_reference", tool})
	}
	return modelhttp.Marshal(struct {
		plain
		Content []any `json:"content"`
	}{plain(b), content})
}

// emptySchema is of a tool without parameters.
const emptySchema = `{"type":"object","properties":{},"additionalProperties":false}`

// body writes a request; said is what this answer has begun with, before the vendor interrupted it.
func (m *model) body(r deputy.Request, replay bool, said []block) ([]byte, error) {
	w := request{Model: m.info.Model, MaxTokens: m.maxTokens(), Stream: true, Tools: m.tools(r.Tools)}
	if !m.config.NoThinking && !m.options.thinking.Load() {
		w.Thinking = &thinking{"adaptive", "summarized"}
	}
	if blank(r.System) {
		w.System = nil
	} else {
		w.System = []block{{Type: "text", Text: r.System}}
	}
	if !blank(r.Toolsets) {
		w.System = append(w.System, block{Type: "text", Text: r.Toolsets})
	}
	h := history{mark: m.mark(), replay: replay, reveal: !m.options.deferred.Load(), out: []message{}}
	h.write(r.Messages)
	if !m.options.cache.Load() {
		w.mark(h.out)
	}
	if !blank(r.Tail) {
		h.user(r.Tail)
	}
	if len(said) > 0 {
		h.out = append(h.out, message{"assistant", said})
	}
	w.Messages = h.out
	return modelhttp.Marshal(w)
}

// mark sets the cache marks: at the end of what is the same in every request, and at the end of history now and one exchange ago, so that
// what the last request wrote is found however much has been said since. The vendor takes at most four.
func (w *request) mark(history []message) {
	end := &cache{"ephemeral"}
	switch {
	case len(w.System) > 0:
		w.System[0].Cache = end // behind it, toolsets are switched
	case len(w.Tools) > 0:
		w.Tools[len(w.Tools)-1].Cache = end
	}
	for marks := 2; marks > 0 && len(history) > 0; marks-- {
		last := history[len(history)-1]
		last.Content[len(last.Content)-1].Cache = end
		history = before(history)
	}
}

// before is history up to the last message that was answered.
func before(history []message) []message {
	i := len(history)
	for i > 0 && history[i-1].Role == "user" {
		i--
	}
	for i > 0 && history[i-1].Role == "assistant" {
		i--
	}
	return history[:i]
}

// Limits of the vendor, for all strict tools of a request together.
const (
	maxStrict   = 20
	maxOptional = 24
	maxUnions   = 16
)

// tools are strict in their order until a limit is met, so that a tool which comes later changes nothing in those before it.
func (m *model) tools(specs []deputy.ToolSpec) []tool {
	var out []tool
	var sum strictschema.Count
	strict := 0
	for _, s := range specs {
		t := tool{Name: s.Name, Description: s.Description, InputSchema: s.Schema, Defer: s.Deferred && !m.options.deferred.Load()}
		if len(t.InputSchema) == 0 {
			t.InputSchema = json.RawMessage(emptySchema)
		}
		if m.config.Strict && !m.options.strict.Load() && strict < maxStrict {
			form, n, ok := strictschema.Closed(t.InputSchema)
			if ok && sum.Optional+n.Optional <= maxOptional && sum.Unions+n.Unions <= maxUnions {
				t.InputSchema, t.Strict = form, true
				sum.Optional, sum.Unions, strict = sum.Optional+n.Optional, sum.Unions+n.Unions, strict+1
			}
		}
		out = append(out, t)
	}
	return out
}

// blank texts are refused by the protocol.
func blank(s string) bool { return strings.TrimSpace(s) == "" }
