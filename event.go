package deputy

import (
	"encoding/json"
)

// Event is one thing that happened in a turn, as the journal keeps it. Seq grows, not always by one; it is the id a follower resumes after.
type Event struct {
	Seq  int64
	Name string
	Data json.RawMessage
}

// The names of events. Their data are the structs below; that of usage is what one model call used: {input, cached_input, output, cost}.
const (
	EventTurnStarted     = "turn.started"
	EventTextDelta       = "text.delta"
	EventReasoningDelta  = "reasoning.delta"
	EventToolStarted     = "tool.started"
	EventToolFinished    = "tool.finished"
	EventProposalCreated = "proposal.created"
	EventDisplay         = "display"
	EventToolsetChanged  = "toolset.changed"
	EventUsage           = "usage"
	EventTurnFinished    = "turn.finished"
)

// TurnStarted opens every journal.
type TurnStarted struct {
	Turn         string `json:"turn"`
	Conversation string `json:"conversation"`
}

// Delta is a piece of text or reasoning. A reader cuts the step's text at At (in bytes) and appends: so no word is lost or doubled by a
// reconnect, a coalesced replay, or a step that was run again.
type Delta struct {
	Step int    `json:"step"`
	At   int    `json:"at"`
	Text string `json:"text"`
}

// ToolStarted says that a call begins. Call is a tcl_ id.
type ToolStarted struct {
	Call  string `json:"call"`
	Tool  string `json:"tool"`
	Kind  Kind   `json:"kind"`
	Label string `json:"label"`
}

// ToolFinished says what became of a call.
type ToolFinished struct {
	Call       string     `json:"call"`
	Tool       string     `json:"tool"`
	Outcome    Outcome    `json:"outcome"`
	Returned   *int       `json:"returned,omitempty"`
	Truncated  bool       `json:"truncated,omitempty"`
	DurationMS int64      `json:"duration_ms"`
	Error      *ToolError `json:"error,omitempty"`
	Rights     string     `json:"rights,omitempty"` // as in Shows
}

// ToolError is why a call was refused or failed.
type ToolError struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// ProposalCreated names a proposal that now waits.
type ProposalCreated struct {
	Proposal string `json:"proposal"`
}

// Shows is a view for the person. Call is the call whose rows are shown, empty where there are none (navigate).
type Shows struct {
	Call   string          `json:"call,omitempty"`
	View   json.RawMessage `json:"view"`
	Rights string          `json:"rights,omitempty"` // fingerprint of the rights it was read under; the journal's, never shown
}

// ToolsetChanged says which toolsets are active from now on, in the order of activation.
type ToolsetChanged struct {
	Active []string `json:"active"`
}

// TurnFinished ends every journal: exactly one, last.
type TurnFinished struct {
	Turn   string    `json:"turn"`
	State  TurnState `json:"state"`
	Reason Reason    `json:"reason"`
	Text   string    `json:"text"`
	Detail string    `json:"detail,omitempty"` // a sentence on what went wrong, where one is known
}

// event packs data; the structs above always marshal.
func event(name string, data any) Event {
	b, err := json.Marshal(data)
	if err != nil {
		panic("deputy: an event that does not marshal: " + err.Error())
	}
	return Event{Name: name, Data: b}
}
