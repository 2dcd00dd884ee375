package openai

import (
	"bytes"
	"encoding/json"

	"example.com/deputy"
)

// The order of the fields is the order of the bytes.
type wireRequest struct {
	Model         string        `json:"model"`
	Messages      []wireMessage `json:"messages"`
	Tools         []wireTool    `json:"tools,omitempty"`
	Stream        bool          `json:"stream"`
	StreamOptions *wireOptions  `json:"stream_options,omitempty"`
}

type wireOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type wireMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"` // null only beside calls
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type wireTool struct {
	Type     string         `json:"type"`
	Function wireDefinition `json:"function"`
}

type wireDefinition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict,omitempty"`
}

const (
	noParameters = `{"type":"object","properties":{},"additionalProperties":false}`
	notePrefix   = "Note of the system, not of the person: "
	noResult     = "No result: the call was interrupted before it ran."
)

// encode writes the body of a request; the schemas are those of the tools that are held to their strict form.
func (m *model) encode(r deputy.Request) (body []byte, held map[string]json.RawMessage, err error) {
	w := wireRequest{Model: m.info.Model, Messages: messages(r), Stream: true}
	if !m.noUsage.Load() {
		w.StreamOptions = &wireOptions{IncludeUsage: true}
	}
	w.Tools, held = m.tools(r.Tools)
	body, err = marshal(w)
	return body, held, err
}

// marshal keeps <, > and & as they are, so that a schema keeps its bytes.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func (m *model) tools(specs []deputy.ToolSpec) ([]wireTool, map[string]json.RawMessage) {
	var out []wireTool
	held := map[string]json.RawMessage{}
	for _, s := range specs {
		d := wireDefinition{Name: s.Name, Description: s.Description, Parameters: s.Schema}
		if len(d.Parameters) == 0 {
			d.Parameters = json.RawMessage(noParameters)
		}
		if m.strict {
			if form, ok := strictForm(d.Parameters); ok {
				held[s.Name] = d.Parameters
				d.Parameters, d.Strict = form, true
			}
		}
		out = append(out, wireTool{Type: "function", Function: d})
	}
	return out, held
}

func text(role, content string) wireMessage {
	return wireMessage{Role: role, Content: &content}
}

// messages writes the history. Each call is followed by its result, as the protocol demands: one that never got one says so, and a
// result without its call is left out.
func messages(r deputy.Request) []wireMessage {
	h := history{out: []wireMessage{}}
	if r.System != "" {
		h.out = append(h.out, text("system", r.System))
	}
	for _, msg := range r.Messages {
		h.add(msg)
	}
	h.settle()
	if r.Tail != "" {
		h.out = append(h.out, text("user", r.Tail))
	}
	return h.out
}

// history is the messages so far, and the calls that wait for their results.
type history struct {
	out  []wireMessage
	open []string
}

func (h *history) add(msg deputy.Message) {
	if msg.Role == deputy.FromTool {
		h.results(msg)
		return
	}
	h.settle()
	switch content := msg.Text(); {
	case msg.Role == deputy.FromModel:
		h.answer(msg, content)
	case content == "":
	case msg.Role == deputy.FromNote:
		h.out = append(h.out, text("user", notePrefix+content))
	default:
		h.out = append(h.out, text("user", content))
	}
}

// answer writes what the model said; a message of nothing but reasoning is left out.
func (h *history) answer(msg deputy.Message, content string) {
	w := text("assistant", content)
	for _, p := range msg.Parts {
		if p.Call == nil {
			continue
		}
		f := wireFunction{Name: p.Call.Tool, Arguments: arguments(p.Call.Arguments)}
		w.ToolCalls = append(w.ToolCalls, wireCall{ID: p.Call.Ref, Type: "function", Function: f})
		h.open = append(h.open, p.Call.Ref)
	}
	if content == "" {
		w.Content = nil
	}
	if content != "" || len(w.ToolCalls) > 0 {
		h.out = append(h.out, w)
	}
}

func (h *history) results(msg deputy.Message) {
	for _, p := range msg.Parts {
		if p.Result != nil && h.close(p.Result.Ref) {
			h.result(p.Result.Ref, p.Result.Text)
		}
	}
}

func (h *history) result(ref, content string) {
	w := text("tool", content)
	w.ToolCallID = ref
	h.out = append(h.out, w)
}

// close takes a call off those that wait.
func (h *history) close(ref string) bool {
	for i, open := range h.open {
		if open == ref {
			h.open = append(h.open[:i], h.open[i+1:]...)
			return true
		}
	}
	return false
}

// settle answers the calls that nobody answered.
func (h *history) settle() {
	for _, ref := range h.open {
		h.result(ref, noResult)
	}
	h.open = nil
}

// arguments are always the text of a JSON object: servers parse them again and fail on anything else. What was none is wrapped. They
// are compact, so that they have the same bytes whatever a store does to white space.
func arguments(raw json.RawMessage) string {
	if len(bytes.TrimSpace(raw)) == 0 {
		return "{}"
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		b.Reset()
		b.Write(quote(string(raw)))
	}
	if b.Bytes()[0] != '{' {
		return `{"not_an_object":` + b.String() + `}`
	}
	return b.String()
}
