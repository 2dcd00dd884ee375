package deputy

import (
	"context"
	"encoding/json"
	"time"
)

// Store is Deputy's own data: a bundle of small interfaces. The contract of each is executable: storetest.Run.
//
// Methods take the person (matched by Issuer and ID, nothing else of them) and answer not_found for what is another's, exactly as for what does not exist; those without a
// person are a worker's or the operator's. Every list is bounded by limit. A context that has ended fails a call before it does
// anything. All are safe for concurrent use, by several processes where the store is shared.
type Store struct {
	Conversations Conversations
	Turns         Turns
	Messages      Messages
	Proposals     Proposals
	Log           Log
	Settings      Settings
	Attempts      Attempts
	Analyses      Analyses
	Close         func() error
}

// Conversations keeps what conversations there are.
type Conversations interface {
	Create(ctx context.Context, as Person, c Conversation) error
	Get(ctx context.Context, as Person, id string) (Conversation, error)
	// List is newest first, those whose Seq is below before (0: from the newest) and whose title contains term, ignoring case.
	List(ctx context.Context, as Person, term string, before int64, limit int) ([]Conversation, error)
	Rename(ctx context.Context, as Person, id, title string) error
	// Choose keeps a choice in the place of the one of the same toolset and the same Opening.
	Choose(ctx context.Context, as Person, id string, c Choice) error
	// Delete takes messages, turns, journals and proposals along; the log stays. conflict while a turn runs in it or a proposal is confirming.
	Delete(ctx context.Context, as Person, id string) error
}

// Turn is one turn as stored.
type Turn struct {
	ID           string
	Conversation string
	Person       Person // issuer, id and name only
	Channel      Channel
	State        TurnState
	Reason       Reason
	Cancelled    bool // asked to stop
	Step         int  // steps that are committed
	NextEvent    int64
	Usage        Usage
	StartedAt    time.Time
	FinishedAt   time.Time
	Screen       *Screen
}

// Lease is the right to go on with a turn. Epoch grows with every claim; a commit with an old one is refused (conflict).
type Lease struct {
	Turn  string
	Epoch int64
	Until time.Time
}

// Step is what one commit adds to a turn: all of it or nothing is stored. An empty one renews the lease.
type Step struct {
	Messages  []Message // numbered by the store
	Events    []Event   // numbered by the engine; Turn.NextEvent becomes the last Seq + 1
	Proposals []Proposal
	Usage     Usage // added to the turn's
	Steps     int   // added to Turn.Step
	Finish    Reason
	At        time.Time // FinishedAt where it finishes
}

// Turns keeps turns, their journals and their leases. Commit is the worker's: the lease stands for the person.
type Turns interface {
	// Start stores a running turn with its first messages: conflict where one runs in that conversation, not_found where the
	// conversation is not the person's. The lease it returns has epoch 1.
	Start(ctx context.Context, as Person, t Turn, first []Message, until time.Time) (Lease, error)
	Get(ctx context.Context, as Person, id string) (Turn, error)
	// Cancel marks a running turn; on one that has ended it does nothing.
	Cancel(ctx context.Context, as Person, id string) error
	// Commit is refused (conflict) where the lease is not the turn's newest or the turn has ended. The lease's Until is stored.
	Commit(ctx context.Context, l Lease, s Step) error
	// Events are those with a Seq above after, in order.
	Events(ctx context.Context, as Person, id string, after int64, limit int) ([]Event, error)
	// Changed is closed at the next change of the turn (a commit, a cancellation) after this call, by whichever process.
	Changed(ctx context.Context, as Person, id string) (<-chan struct{}, error)
	// Claim takes over one running turn whose lease ended before now, if there is one (else not_found): its epoch grows, NextEvent moves on by 1,000.
	Claim(ctx context.Context, now, until time.Time) (Turn, Lease, error)
}

// Messages reads history; only Turns writes it.
type Messages interface {
	// Page is oldest first, those with a Seq above after.
	Page(ctx context.Context, as Person, conversation string, after int64, limit int) ([]Message, error)
}

// ProposalFilter narrows a list; empty fields do not.
type ProposalFilter struct {
	State        State
	Conversation string
	Turn         string
}

// Claim is a decision to carry proposals out.
type Claim struct {
	Shown []Shown
	Now   time.Time // proposals that expire at or before it cannot be claimed
	Until time.Time // of the lease
}

// Proposals keeps what waits.
type Proposals interface {
	// Get returns a proposal, or all members of a group in order of position, by either id.
	Get(ctx context.Context, as Person, id string) ([]Proposal, error)
	// List is newest first, those with a Seq below before (0: from the newest).
	List(ctx context.Context, as Person, f ProposalFilter, before int64, limit int) ([]Proposal, error)
	// Claim moves all of them from pending to confirming, or none (already_decided), in one conditional write over owner, state, hash and expiry.
	Claim(ctx context.Context, as Person, c Claim) error
	// Settle moves proposals from confirming to the final state they carry, or from unknown to done or failed, and stores those that take
	// their place, and the rows of the log that say so; all or nothing. already_decided where one stands elsewhere.
	Settle(ctx context.Context, as Person, ps, renewed []Proposal, rows ...Entry) error
	// Close moves all of them from pending to rejected or expired, with their rows of the log, or none (already_decided).
	Close(ctx context.Context, as Person, ids []string, to State, outcome string, at time.Time, rows ...Entry) error
}

// Outcome is what became of a tool call, in its row of the log.
type Outcome string

// The outcomes of a call in a turn. Those of a decision are confirming, confirmed, and the final states of a proposal.
const (
	Ran          Outcome = "ran"
	Refused      Outcome = "refused" // not run, or not as it was asked: the call was wrong or is not allowed
	CallFailed   Outcome = "failed"
	Proposed     Outcome = "proposed"
	InConfirm    Outcome = "confirming" // written before the host is asked
	WasConfirmed Outcome = "confirmed"
)

// Phase says when a call was made.
type Phase string

// The phases.
const (
	InTurn     Phase = "turn"
	AtDecision Phase = "confirm"
	AsHandle   Phase = "result" // the result of an earlier call, read again for its owner
)

// Entry is one row of the tool-call log. Arguments are also the handle of a result: it is read again, never kept.
type Entry struct {
	Seq          int64 // the store's, growing
	ID           string
	At           time.Time
	Person       Person // issuer, id and name only
	Channel      Channel
	Conversation string
	Turn         string
	Phase        Phase
	Tool         string
	Kind         Kind
	Operation    string
	Proposal     string
	Outcome      Outcome
	Arguments    json.RawMessage // reduced where the tool says so
	Returned     int
	Bytes        int
	Truncated    bool
	Duration     time.Duration
	ErrorCode    Code
}

// LogFilter narrows a list; empty fields do not.
type LogFilter struct {
	Conversation, Turn, PersonID, Tool string
	Outcome                            Outcome
}

// Log is append-only.
type Log interface {
	// Append stores rows in order, all or none; it sets no field but Seq.
	Append(ctx context.Context, rows ...Entry) error
	// Get is the row that a call wrote in its turn, by the call's id (tcl_…).
	Get(ctx context.Context, as Person, call string) (Entry, error)
	// List is the person's own rows, newest first, those with a Seq below before (0: from the newest).
	List(ctx context.Context, as Person, f LogFilter, before int64, limit int) ([]Entry, error)
	// All is everybody's rows, for who may audit.
	All(ctx context.Context, f LogFilter, before int64, limit int) ([]Entry, error)
}

// Settings keeps the operator's settings: small JSON values by name.
type Settings interface {
	// Get answers not_found for a name that was never put.
	Get(ctx context.Context, name string) (json.RawMessage, error)
	Put(ctx context.Context, name string, value json.RawMessage) error
}

// Attempts keeps what was asked for under keys of the callers' own. Only who works on an attempt ends or forgets it: both do nothing where it
// has been taken over since (its Epoch tells), or is gone.
type Attempts interface {
	// Begin stores an attempt with Epoch 1, unless one of this person and key stands that has not expired at now. Then it answers with that
	// one; if it has the same Body and nobody works on it any more (not Done, Until not after now), it is taken over first: Until becomes
	// that of a, Epoch grows. mine says whether the caller is to work on it. What has expired is forgotten.
	Begin(ctx context.Context, as Person, a Attempt, now time.Time) (stands Attempt, mine bool, err error)
	// End stores a.Done; one that is not done can be taken over at once.
	End(ctx context.Context, as Person, a Attempt) error
	Forget(ctx context.Context, as Person, a Attempt) error
}

// SavedAnalysis is a question over records that somebody has kept under a name.
type SavedAnalysis struct {
	Seq         int64  // the store's, growing: the order of lists; it stays when the analysis is replaced
	ID          string // ana_…
	Owner       Person // issuer, id and name only
	Name        string // unique among the owner's, whatever its case
	Description string
	Table       string
	Definition  json.RawMessage // the arguments of analyze_records
	Shared      bool            // everybody may run it, each with their own rights; its owner changes it
	Version     int64           // the store's: 1, and one more with each time it is replaced
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// AnalysisFilter narrows a list; empty fields do not.
type AnalysisFilter struct {
	Table string
	Term  string // stands in the name or the description, ignoring case
}

// Analyses keeps saved analyses. It knows who owns one and whether it is shared, nothing of who may read what it asks about.
type Analyses interface {
	// Put stores one of the person's own, whoever a.Owner is: with Version 0 a new one, else in the place of that of this ID and Version,
	// whose CreatedAt and Seq stay. It returns what is stored. not_found where they have none of this ID; stale where it has another
	// Version; conflict where another of theirs has the name, or a new one's ID is taken.
	Put(ctx context.Context, as Person, a SavedAnalysis) (SavedAnalysis, error)
	// Get is one of the person's own, or one that is shared.
	Get(ctx context.Context, as Person, id string) (SavedAnalysis, error)
	// List is their own and those that are shared, newest first, those with a Seq below before (0: from the newest).
	List(ctx context.Context, as Person, f AnalysisFilter, before int64, limit int) ([]SavedAnalysis, error)
	// Delete is of one's own.
	Delete(ctx context.Context, as Person, id string) error
}
