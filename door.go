package deputy

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"example.com/deputy/query"
)

// Door is the assistant as one channel sees it. Every method acts as the caller and answers not_found for what is another's.
type Door struct {
	a       *Assistant
	channel Channel
}

// TurnInput is what the person said.
type TurnInput struct {
	Conversation string // empty: a new one
	Text         string
	Screen       *Screen
}

// Start admits, stores and runs a turn by itself: it goes on when the caller is gone. conflict while one runs in the conversation.
func (d *Door) Start(ctx context.Context, who Caller, in TurnInput) (string, error) {
	return "", Errorf(Internal, "not built")
}

// Follow reads a turn's journal, from after an event on, and ends after turn.finished. It may be called by any number of readers, at any time.
func (d *Door) Follow(ctx context.Context, who Caller, turn string, after int64) iter.Seq2[Event, error] {
	return nil
}

// Turn starts a turn and follows it; breaking off, or the end of ctx, cancels it. A refusal is its only element.
func (d *Door) Turn(ctx context.Context, who Caller, in TurnInput) iter.Seq2[Event, error] {
	return nil
}

// Cancel asks a turn to stop; one that has ended stays as it is.
func (d *Door) Cancel(ctx context.Context, who Caller, turn string) error { return nil }

// Confirm decides a proposal, or a group by its id, once. shown lists every pending member with the hash that the person was shown.
// It returns the proposals as they are afterwards. stale comes with the proposals that took their place in Decision.Renewed.
func (d *Door) Confirm(ctx context.Context, who Caller, id string, shown []Shown) (Decision, error) {
	return Decision{}, nil
}

// Reject turns a proposal, or all pending ones of a group, down.
func (d *Door) Reject(ctx context.Context, who Caller, id string) ([]Proposal, error) {
	return nil, nil
}

// Decision is what became of a confirmation. Where the error of Confirm is stale, Renewed are the new pending proposals (none: the
// outcomes say why).
type Decision struct {
	Proposals []Proposal
	Renewed   []Proposal
}

// NewConversation makes an empty conversation.
func (d *Door) NewConversation(ctx context.Context, who Caller, title string) (Conversation, error) {
	return Conversation{}, nil
}

// Conversations lists the caller's own, newest first, below before (0: from the newest), whose title contains term.
func (d *Door) Conversations(ctx context.Context, who Caller, term string, before int64, limit int) ([]Conversation, error) {
	return nil, nil
}

// Conversation is one of the caller's own.
func (d *Door) Conversation(ctx context.Context, who Caller, id string) (Conversation, error) {
	return Conversation{}, nil
}

// RenameConversation sets a title.
func (d *Door) RenameConversation(ctx context.Context, who Caller, id, title string) (Conversation, error) {
	return Conversation{}, nil
}

// DeleteConversation deletes a conversation and what is in it; the log stays.
func (d *Door) DeleteConversation(ctx context.Context, who Caller, id string) error { return nil }

// Messages pages through a conversation, oldest first. Results read under rights that no longer hold are withheld.
func (d *Door) Messages(ctx context.Context, who Caller, conversation string, after int64, limit int) ([]Message, error) {
	return nil, nil
}

// LookupTurn is one of the caller's own turns.
func (d *Door) LookupTurn(ctx context.Context, who Caller, id string) (Turn, error) {
	return Turn{}, nil
}

// Proposals lists the caller's own, newest first, below before (0: from the newest).
func (d *Door) Proposals(ctx context.Context, who Caller, f ProposalFilter, before int64, limit int) ([]Proposal, error) {
	return nil, nil
}

// Proposal is one of the caller's own, or all members of a group, in order.
func (d *Door) Proposal(ctx context.Context, who Caller, id string) ([]Proposal, error) {
	return nil, nil
}

// Calls lists rows of the tool-call log, newest first: the caller's own, or everybody's for a role with audit.
func (d *Door) Calls(ctx context.Context, who Caller, f LogFilter, before int64, limit int) ([]Entry, error) {
	return nil, nil
}

// ResultPage is a part of the full result of a call.
type ResultPage struct {
	Rows      query.Rows
	Truncated bool // the host has more than a handle holds
	Next      int  // the after of the next page; 0: this was the last
}

// Result reads the full result behind a call id again, with the rights of now, and gives the rows from after on. Owner only.
func (d *Door) Result(ctx context.Context, who Caller, call string, after, limit int) (ResultPage, error) {
	return ResultPage{}, nil
}

// Me is what a person may know of themselves.
type Me struct {
	Person  Person
	Confirm bool
	Audit   bool
	Operate bool
	Tables  []Ability
	Words   []string // what may be read and done, in sentences
	Killed  *KillSwitch
	Model   ModelInfo
}

// Ability is what may be done to one table.
type Ability struct {
	Table, Label string
	Rights       Rights
}

// Me says who the caller is and what they may do.
func (d *Door) Me(ctx context.Context, who Caller) (Me, error) { return Me{}, nil }

// KillSwitch stops everything while All is set.
type KillSwitch struct {
	All    bool      `json:"all"`
	Reason string    `json:"reason"`
	By     string    `json:"by"`
	At     time.Time `json:"at"`
}

// KillSwitch reads the switch; permission_denied without operate.
func (d *Door) KillSwitch(ctx context.Context, who Caller) (KillSwitch, error) {
	return KillSwitch{}, nil
}

// SetKillSwitch throws it; permission_denied without operate.
func (d *Door) SetKillSwitch(ctx context.Context, who Caller, all bool, reason string) (KillSwitch, error) {
	return KillSwitch{}, nil
}

// Prompt is exactly what the model would be sent now for a conversation; for a role with audit that does not own it, without data.
func (d *Door) Prompt(ctx context.Context, who Caller, conversation string) (Request, error) {
	return Request{}, nil
}

// ReadKillSwitch and WriteKillSwitch are the operator's, for a command line that has the store at hand.
func ReadKillSwitch(ctx context.Context, s Settings) (KillSwitch, error) { return KillSwitch{}, nil }

// WriteKillSwitch throws the switch in a store.
func WriteKillSwitch(ctx context.Context, s Settings, k KillSwitch) error {
	_, err := json.Marshal(k)
	return err
}
