package deputy

import (
	"time"
)

// Conversation is the messages of one person over time.
type Conversation struct {
	Seq       int64 // the store's, growing: the order of lists
	ID        string
	Title     string // empty until the first message names it
	CreatedAt time.Time
	UpdatedAt time.Time
	Choices   []Choice // of toolsets
}

// TurnState is where a turn stands.
type TurnState string

// The states of a turn.
const (
	TurnRunning   TurnState = "running"
	TurnCompleted TurnState = "completed"
	TurnStopped   TurnState = "stopped"
	TurnFailed    TurnState = "failed"
)

// Reason is why a turn ended.
type Reason string

// The reasons.
const (
	Answered        Reason = "answered"
	RefusedByModel  Reason = "refused"
	LengthReached   Reason = "length"
	StepLimit       Reason = "step_limit"
	ToolCallLimit   Reason = "tool_call_limit"
	TimeLimit       Reason = "time_limit"
	Cancelled       Reason = "cancelled"
	KilledReason    Reason = "killed"
	BudgetReason    Reason = "budget"
	ClassNotCleared Reason = "class_not_cleared"
	ModelError      Reason = "model_error"
	Interrupted     Reason = "interrupted"
	InternalReason  Reason = "internal"
)

// State is the state that a reason leads to.
func (r Reason) State() TurnState {
	switch r {
	case "":
		return TurnRunning
	case Answered, RefusedByModel, LengthReached:
		return TurnCompleted
	case ModelError, Interrupted, InternalReason:
		return TurnFailed
	}
	return TurnStopped
}

// Screen is what the person is looking at in the application. It is checked like any other read.
type Screen struct {
	Table  string `json:"table"`
	Record string `json:"record,omitempty"`
	Where  string `json:"where,omitempty"`
}
