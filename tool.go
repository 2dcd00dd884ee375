package deputy

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"example.com/deputy/internal/schema"
	"example.com/deputy/query"
)

// Kind of a tool: declared, never derived from its name.
type Kind string

// The kinds.
const (
	KindRead    Kind = "read"    // reads as the person
	KindPropose Kind = "propose" // stores a proposal, writes nothing
	KindDisplay Kind = "display" // shows something to the person
)

// Definition is what is declared about a tool.
type Definition struct {
	Name        string // snake_case, unique in the assistant
	Label       string // a verb phrase for people: "Looked up records"
	Description string // for the model
	Operation   string // template of what it does, for the log: "GET /table/{table}/{id}". Parameters by name, never their values
	// Schema is for tools whose parameters are known only at run time (an action, an OpenAPI operation); In is then json.RawMessage.
	Schema json.RawMessage
	// NoHost says that it needs nothing of the host: its Scope has no View.
	NoHost bool
	// Always offers the tool whatever the policy's tool list says (present_results).
	Always bool
	// Grants are writes that the tool lends whoever uses it, for its own changes alone. Such a tool is an action: a role has it where its
	// Actions name it, and in no other way.
	Grants []Grant
	Action string // what an action does, for people, as a verb phrase: Cancel an order
	// Offered says whether this person has any use for the tool; nil means yes. It sees rights, never rows; the view is nil with NoHost.
	Offered func(ctx context.Context, v *View) (bool, error)
	// ForLog reduces the arguments for the log; nil keeps them. A call whose arguments are reduced is no handle.
	ForLog func(json.RawMessage) json.RawMessage
}

// Result is what a Read tool found: rows, or another value that marshals the same way every time. With Rows, Value may hold what goes
// beside them (a note for the model).
type Result struct {
	Rows  *query.Rows
	Value any
}

// Display is what is shown to the person: a view over the rows of a call, never rows of its own.
type Display struct {
	Call string // the call (c1) whose rows are shown; the engine reads them. Empty where there are none
	View any    // how; marshals to an object. The engine adds the columns of the call
	Text string // for the model: what was shown
}

// Draft is a write that waits: what a Propose tool returns. The engine reads the records as the person, validates, takes versions, drops
// what would not change, and writes the summary and the lines; the tool only says what is wanted.
//
// That of an effect tool has no changes: it says itself what the person is shown, which the engine bounds.
type Draft struct {
	Title    string   // what is done, before the changes in the summary; empty: the changes say it
	Changes  []Change // VersionOf: the engine's; Version too, but where values are made of what the tool has read
	Warnings []string
	Summary  string          // of an effect: one sentence; texts from elsewhere in it are quoted (internal/plain)
	Lines    []Line          // of an effect, in their order: each value that is written, whole. Source: what Scope.Source says, where it makes sense
	Prepared json.RawMessage // of an effect: what it is to write exactly, and over what. Kept, hashed and given to it; nil: nothing
}

// Scope is what a running tool is handed.
type Scope struct {
	who          Person
	conversation string
	turn         string
	channel      Channel
	view         *View
	now          func() Clock
	limits       Limits
	whole        bool // the call is a handle: its full result is wanted
	credential   string
	result       func(ctx context.Context, call string) (query.Rows, error)
	asked        time.Time
	earlier      func(call string) (ToolCall, bool)
	source       func(text *string) Source
}

// Person is who asks, without the credential.
func (s *Scope) Person() Person { return withoutCredential(s.who) }

// Conversation is the id of the conversation.
func (s *Scope) Conversation() string { return s.conversation }

// Turn is the id of the turn.
func (s *Scope) Turn() string { return s.turn }

// Channel is by which door the call came.
func (s *Scope) Channel() Channel { return s.channel }

// View is the host as the person may see it; nil for a tool that declared NoHost.
func (s *Scope) View() *View { return s.view }

// Clock is the time of the call, in the person's zone.
func (s *Scope) Clock() Clock { return s.now() }

// Window is how many rows to ask for, given what the arguments say (0: nothing): by default usual, never more than the model may be
// given, or, where the call is read again as a handle, never more than a handle holds.
func (s *Scope) Window(asked, usual int) int {
	most := s.limits.ResultRows
	if s.whole {
		most, usual = s.limits.HandleRows, s.limits.HandleRows
	}
	if asked <= 0 {
		asked = usual
	}
	return min(asked, most)
}

// Result reads the rows of an earlier call (c1) of this person in this conversation, with the rights of now.
func (s *Scope) Result(ctx context.Context, call string) (query.Rows, error) {
	return s.result(ctx, call)
}

// Call is an earlier call of this conversation (c1) that ran, with its arguments as the model wrote them; false where there is none.
func (s *Scope) Call(ref string) (ToolCall, bool) { return s.earlier(ref) }

// Asked is when the call was made: the time of its clock, or, where it is read again as a handle, some time before.
func (s *Scope) Asked() time.Time { return s.asked }

// Source says where a value that is to be written comes from: the person's messages of this conversation, its data, or neither.
func (s *Scope) Source(text string) Source { return s.source(&text) }

// Credential is the person's own, to pass on. Read tools only: empty while proposing or displaying.
func (s *Scope) Credential() string { return s.credential }

// Tool is one tool. Its functions are unexported: only this package runs them (toolcall.go).
type Tool struct {
	def       Definition
	kind      Kind
	schema    json.RawMessage
	err       error
	canonical func(json.RawMessage) (json.RawMessage, error)
	read      func(context.Context, *Scope, json.RawMessage) (Result, error)
	display   func(context.Context, *Scope, json.RawMessage) (Display, error)
	propose   func(context.Context, *Scope, json.RawMessage) (Draft, error)
	effect    func(context.Context, *Effect, json.RawMessage) error // nil: its drafts are changes to the host
	say       func(s set, active bool) string                       // of the engine's own tools that switch toolsets: what one of them answers
}

// Name is the tool's name.
func (t Tool) Name() string { return t.def.Name }

// Kind is the tool's kind.
func (t Tool) Kind() Kind { return t.kind }

// Definition is what was declared.
func (t Tool) Definition() Definition { return t.def }

// Schema is the JSON Schema of the parameters, the same bytes on every start.
func (t Tool) Schema() json.RawMessage { return t.schema }

// ReadTool is a tool that reads as the person.
func ReadTool[In any](d Definition, run func(context.Context, *Scope, In) (Result, error)) Tool {
	t := newTool[In](d, KindRead)
	t.read = func(ctx context.Context, s *Scope, raw json.RawMessage) (Result, error) {
		return call(ctx, s, raw, run)
	}
	return t
}

// DisplayTool is a tool that shows something to the person.
func DisplayTool[In any](d Definition, run func(context.Context, *Scope, In) (Display, error)) Tool {
	t := newTool[In](d, KindDisplay)
	t.display = func(ctx context.Context, s *Scope, raw json.RawMessage) (Display, error) {
		return call(ctx, s, raw, run)
	}
	return t
}

// ProposeTool is a tool that drafts changes to the host. It has no way to write: the engine applies the changes once they are confirmed.
func ProposeTool[In any](d Definition, propose func(context.Context, *Scope, In) (Draft, error)) Tool {
	t := newTool[In](d, KindPropose)
	t.propose = func(ctx context.Context, s *Scope, raw json.RawMessage) (Draft, error) {
		return call(ctx, s, raw, propose)
	}
	return t
}

func newTool[In any](d Definition, k Kind) Tool {
	t := Tool{def: d, kind: k, schema: d.Schema}
	raw := reflect.TypeFor[In]() == reflect.TypeFor[json.RawMessage]()
	switch {
	case raw != (d.Schema != nil):
		t.err = fmt.Errorf("tool %s: a schema of its own goes with json.RawMessage parameters, and only with them", d.Name)
	case !raw:
		t.schema, t.err = schema.Of(reflect.TypeFor[In]())
	}
	t.canonical = func(raw json.RawMessage) (json.RawMessage, error) {
		in, err := decode[In](raw)
		if err != nil {
			return nil, err
		}
		return json.Marshal(in)
	}
	return t
}

func call[In, Out any](ctx context.Context, s *Scope, raw json.RawMessage, f func(context.Context, *Scope, In) (Out, error)) (Out, error) {
	in, err := decode[In](raw)
	if err != nil {
		var zero Out
		return zero, err
	}
	return f(ctx, s, in)
}

func decode[In any](raw json.RawMessage) (In, error) {
	var in In
	if r, ok := any(&in).(*json.RawMessage); ok {
		*r = raw
		return in, nil
	}
	if err := schema.Decode(raw, &in); err != nil {
		return in, Errorf(Invalid, "arguments: %v", err)
	}
	return in, nil
}
