package deputy

import (
	"encoding/json"
	"time"
)

// MessageRole says whose message it is.
type MessageRole string

// The roles of messages.
const (
	FromPerson MessageRole = "person"
	FromModel  MessageRole = "model"
	FromTool   MessageRole = "tool"
	FromNote   MessageRole = "note" // the engine's own: what became of proposals since
)

// Message is one entry of a conversation's history. The store numbers them from 1 in each conversation.
type Message struct {
	Seq   int64
	Role  MessageRole
	Turn  string
	At    time.Time
	Parts []Part
}

// Part is one piece of a message; exactly one field besides Rights is set.
type Part struct {
	Text      string          `json:",omitempty"`
	Reasoning string          `json:",omitempty"`
	Call      *ToolCall       `json:",omitempty"`
	Result    *ToolResult     `json:",omitempty"`
	Proposal  string          `json:",omitempty"` // id
	Display   json.RawMessage `json:",omitempty"` // a Shows
	Opaque    *Opaque         `json:",omitempty"`
	Rights    string          `json:",omitempty"` // of a display or a note: fingerprint of the rights it was read under
}

// ToolCall is the model's request. A model only ever sees Ref (c1, c2… counted in the conversation), everybody else only ID (tcl_…).
type ToolCall struct {
	ID        string
	Ref       string
	Tool      string
	Arguments json.RawMessage // always valid JSON; what a model sent that is none is kept as a JSON string
}

// ToolResult answers a call with the text a model is given.
type ToolResult struct {
	Call     string // ToolCall.ID
	Ref      string // ToolCall.Ref
	Outcome  Outcome
	Text     string
	Rights   string `json:",omitempty"` // fingerprint of the rights it was read under
	Withheld bool   `json:",omitempty"` // set by readers, never stored: those rights no longer hold, Text is gone
	Returned int    `json:",omitempty"`
	// Reveals are the tools of the sets that the call activated.
	Reveals   []string `json:",omitempty"`
	Truncated bool     `json:",omitempty"`
}

// Opaque is what only its own model understands (reasoning with a signature); every other model drops it.
type Opaque struct {
	Model string
	Data  json.RawMessage
}

// Text joins the text parts of a message.
func (m Message) Text() string {
	var out string
	for _, p := range m.Parts {
		out += p.Text
	}
	return out
}
