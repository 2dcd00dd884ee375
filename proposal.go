package deputy

import (
	"encoding/json"
	"time"
)

// State of a proposal.
type State string

// The states. Done, failed, unknown, rejected, expired and stale are final.
const (
	Pending    State = "pending"
	Confirming State = "confirming"
	Done       State = "done"
	Failed     State = "failed" // nothing was written
	Unknown    State = "unknown"
	Rejected   State = "rejected"
	Expired    State = "expired"
	Outdated   State = "stale"
)

// Final says whether nothing can become of it any more.
func (s State) Final() bool { return s != Pending && s != Confirming }

// Proposal is a write that waits for its owner. What is stored is what is shown, hashed and run.
type Proposal struct {
	Seq          int64 `json:"-"` // the store's, growing: the order of lists
	ID           string
	Group        string
	Position     int // in its group, from 1
	Owner        Person
	Conversation string
	Turn         string
	Call         string // the tool call that made it
	Tool         string
	Arguments    json.RawMessage // canonical: the decoded parameters, encoded again
	Changes      []Change
	Lines        []Line
	Summary      string // written by the engine
	Warnings     []string
	Table        string
	Record       string // id; empty when it creates
	Hash         string // over owner, tool, arguments, changes, lines and warnings
	State        State
	CreatedAt    time.Time
	ExpiresAt    time.Time
	ClaimedUntil time.Time // the lease of a confirmation under way
	DecidedAt    time.Time
	Outcome      string // a sentence, once it is decided
	Renewed      string // id of the proposal (of the group, where it had several members) that took the place of a stale one
}

// Line is one line of what a person is asked to confirm: a field before and after.
type Line struct {
	Table       string
	Record      string
	RecordLabel string `json:",omitempty"`
	Verb        Verb
	Field       string
	Label       string
	Before      *string // nil is NULL, or nothing
	After       *string
	BeforeLabel string `json:",omitempty"` // of the record a foreign key leads to
	AfterLabel  string `json:",omitempty"`
	Source      Source `json:",omitempty"`
}

// Source says where a new value comes from.
type Source string

// The sources.
const (
	SourcePerson Source = "person" // stands in the person's messages of this conversation
	SourceData   Source = "data"   // equals a cell returned in this conversation
	SourceModel  Source = "model"  // in neither
)

// Shown names a proposal with the hash that a person was shown.
type Shown struct{ ID, Hash string }
