package openai

import (
	"example.com/deputy"
	"example.com/deputy/internal/modelhttp"
)

// The order of the fields is the order of the bytes.
type chatRequest struct {
	Model         string        `json:"model"`
	Messages      []chatMessage `json:"messages"`
	Tools         []chatTool    `json:"tools,omitempty"`
	Stream        bool          `json:"stream"`
	StreamOptions *chatOptions  `json:"stream_options,omitempty"`
}

type chatOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type chatMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"` // null only beside calls
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type chatTool struct {
	Type     string     `json:"type"`
	Function definition `json:"function"`
}

// chatBody writes the body of a request.
func (m *model) chatBody(r deputy.Request) ([]byte, schemas, error) {
	messages := chatWriter{}
	if system := r.Instructions(); system != "" {
		messages = append(messages, chatText("system", system))
	}
	write(r, &messages)
	w := chatRequest{Model: m.info.Model, Messages: messages, Stream: true}
	if !m.options.usage.Load() {
		w.StreamOptions = &chatOptions{IncludeUsage: true}
	}
	tools, held := m.definitions(r.Tools)
	for _, d := range tools {
		w.Tools = append(w.Tools, chatTool{Type: "function", Function: d})
	}
	body, err := modelhttp.Marshal(w)
	return body, held, err
}

// chatWriter is the messages so far.
type chatWriter []chatMessage

func chatText(role, content string) chatMessage { return chatMessage{Role: role, Content: &content} }

func (w *chatWriter) user(text string) { *w = append(*w, chatText("user", text)) }

// model writes what the model said; a message of nothing but reasoning is left out.
func (w *chatWriter) model(msg deputy.Message) {
	content := msg.Text()
	out := chatText("assistant", content)
	for _, p := range msg.Parts {
		if p.Call != nil {
			f := chatFunction{Name: modelhttp.ToolName(p.Call.Tool), Arguments: arguments(p.Call.Arguments)}
			out.ToolCalls = append(out.ToolCalls, chatCall{ID: p.Call.Ref, Type: "function", Function: f})
		}
	}
	if content == "" {
		out.Content = nil
	}
	if content != "" || len(out.ToolCalls) > 0 {
		*w = append(*w, out)
	}
}

func (w *chatWriter) result(ref, text string, _ []string) {
	out := chatText("tool", text)
	out.ToolCallID = ref
	*w = append(*w, out)
}
