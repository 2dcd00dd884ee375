package deputy

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"example.com/deputy/guard"
	"example.com/deputy/internal/plain"
	"example.com/deputy/query"
)

// Bounds of one call, in bytes: its arguments, a sentence for the model.
const (
	maxArguments = 256 << 10
	maxSentence  = 4 << 10
)

// called is what became of one tool call.
type called struct {
	call      ToolCall
	tool      Tool // zero where it is unknown
	outcome   Outcome
	err       error
	text      string // for the model
	returned  int
	rows      bool
	truncated bool
	duration  time.Duration
	proposal  *Proposal
	shows     *Shows
	rights    string
	reveals   []string // tools of the sets that it activates
}

// runTool is the one place that runs a tool in a turn. Its row of the log is written before the result is used: a log that cannot be
// written stops the call.
func (a *Assistant) runTool(ctx context.Context, in *turning, c ToolCall) called {
	started := a.cfg.Clock()
	span := &Span{Kind: "tool", Conversation: in.turn.Conversation, Turn: in.turn.ID, Call: c.ID, Channel: in.turn.Channel, Tool: a.reg.tools[c.Tool].def.Name}
	ctx, end := a.observe(ctx, span)
	out := called{call: c, rights: a.rightsOf(in.who)}
	out.err = a.dispatch(ctx, in, &out)
	if out.err != nil {
		out.outcome, out.text, out.proposal, out.shows = outcomeOf(out.err), errorText(c.Ref, out.err), nil, nil
		a.complain(ctx, "tool call", out.err, "tool", c.Tool, "call", c.ID)
	}
	out.duration = a.cfg.Clock().Sub(started)
	if err := a.cfg.Store.Log.Append(context.WithoutCancel(ctx), a.entry(in, out, started)); err != nil { // a call that was stopped is logged too
		a.complain(ctx, "tool-call log", err, "call", c.ID)
		out = called{call: c, tool: out.tool, outcome: CallFailed, err: Errorf(Unavailable, "The log cannot be written, so the call was not used."),
			text: "Error: the log cannot be written, so the call was not used.", duration: out.duration}
	}
	span.Outcome = out.outcome
	end(out.err)
	return out
}

// outcomeOf tells a call that was wrong or is not allowed from one that broke.
func outcomeOf(err error) Outcome {
	switch CodeOf(err) {
	case Invalid, NotFound, PermissionDenied, Unprocessable, TooLarge, Conflict:
		return Refused
	}
	return CallFailed
}

// offered finds a tool that this person is offered, and opens the host for it. Unknown, forbidden and useless ones have one answer.
func (a *Assistant) offered(ctx context.Context, who Person, c ToolCall) (tool Tool, v *View, err error) {
	tool, ok := a.reg.tools[c.Tool]
	switch {
	case !ok || !a.granted(who, tool):
		return Tool{}, nil, unknownTool(c.Tool)
	case len(c.Arguments) > maxArguments:
		return tool, nil, Errorf(TooLarge, "The arguments are longer than %d bytes.", maxArguments)
	}
	if !tool.def.NoHost {
		if v, err = a.view(ctx, who); err != nil {
			return tool, nil, err
		}
	}
	useful, err := tool.useful(ctx, v)
	if err == nil && tool.say != nil { // what switches sets is of use where there are sets
		var sets []set
		sets, err = a.offeredSets(ctx, who, v)
		useful = len(sets) > 0
	}
	if err == nil && !useful {
		return Tool{}, nil, unknownTool(c.Tool)
	}
	return tool, v, err
}

// disclosed is the tool of a call as far as a person may know of it, before it runs: zero where they are not offered it, or nobody can say.
func (a *Assistant) disclosed(ctx context.Context, who Person, c ToolCall) (tool Tool) {
	var err error
	defer func() {
		if err != nil {
			tool = Tool{}
		}
	}()
	defer recovered(&err)
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Limits.ToolTimeout)
	defer cancel()
	tool = a.reg.tools[c.Tool]
	if a.granted(who, tool) && tool.def.Offered == nil && tool.say == nil {
		return tool
	}
	tool, _, err = a.offered(ctx, who, ToolCall{Tool: c.Tool})
	return tool
}

// granted says whether the person's roles name the tool; one that lends rights, among their actions.
func (a *Assistant) granted(who Person, t Tool) bool {
	if len(t.def.Grants) > 0 {
		return a.cfg.Policy.Any(who.Roles, func(r Role) bool { return slices.Contains(r.Actions, t.def.Name) })
	}
	return t.def.Always || a.cfg.Policy.Any(who.Roles, func(r Role) bool { return r.Names(t.def.Name) })
}

// useful says whether host, policy and person give the tool anything to do.
func (t Tool) useful(ctx context.Context, v *View) (bool, error) {
	if t.def.Offered == nil {
		return true, nil
	}
	if t.def.NoHost {
		v = nil
	}
	return t.def.Offered(ctx, v)
}

// stillUseful refuses to carry out what the person is not offered any more.
func (t Tool) stillUseful(ctx context.Context, v *View) error {
	useful, err := t.useful(ctx, v)
	if err == nil && !useful {
		err = Errorf(NotFound, "Not a write tool: %s", t.def.Name)
	}
	return err
}

// dispatch runs a tool within its time; one that panics has failed.
func (a *Assistant) dispatch(ctx context.Context, in *turning, out *called) (err error) {
	defer recovered(&err)
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Limits.ToolTimeout)
	defer cancel()
	tool, v, err := a.offered(ctx, in.who, out.call)
	if out.tool = tool; err != nil {
		return err
	}
	if len(a.reg.sets) > 0 && (tool.say != nil || a.reg.of[out.call.Tool] != "") {
		done, err := a.switching(ctx, in, v, tool, out)
		if done || err != nil {
			return err
		}
	}
	s := a.scope(in, tool, v)
	switch tool.kind {
	case KindRead:
		return a.runRead(ctx, s, tool, out)
	case KindDisplay:
		return a.runDisplay(ctx, s, in, tool, out)
	}
	return a.runPropose(ctx, s, in, tool, out)
}

// switching does what a call does to toolsets; done where it does nothing else.
func (a *Assistant) switching(ctx context.Context, in *turning, v *View, tool Tool, out *called) (done bool, err error) {
	if tool.say == nil {
		return false, a.reveal(ctx, in, v, out)
	}
	sets, err := a.offeredSets(ctx, in.who, v)
	if err != nil {
		return true, err
	}
	return true, a.runSwitch(in, sets, tool, out)
}

// unknownTool is the one answer for a tool that is unknown, forbidden or of no use.
func unknownTool(name string) error { return Errorf(NotFound, "Unknown tool: %s", plain.Name(name)) }

func (a *Assistant) runRead(ctx context.Context, s *Scope, tool Tool, out *called) error {
	r, err := tool.read(ctx, s, out.call.Arguments)
	if err != nil {
		return err
	}
	out.outcome, out.rows = Ran, r.Rows != nil
	out.text, out.returned, out.truncated, err = render(r, out.call.Ref, a.cfg.Limits, s.now().Zone)
	return err
}

func (a *Assistant) runDisplay(ctx context.Context, s *Scope, in *turning, tool Tool, out *called) error {
	d, err := tool.display(ctx, s, out.call.Arguments)
	if err != nil {
		return err
	}
	shows := Shows{Rights: out.rights}
	var columns []query.Column
	if d.Call != "" {
		c, rows, err := a.behind(ctx, in, d.Call)
		if err != nil {
			return err
		}
		shows.Call, columns = c.ID, rows.Columns
	}
	if shows.View, err = viewed(d.View, shows.Call, columns); err != nil {
		return err
	}
	out.outcome, out.shows = Ran, &shows
	out.text = fenced(out.call.Ref, plain.Escaped(plain.Cut(d.Text, maxSentence)))
	return nil
}

// viewed packs how something is shown: what the tool says, the columns of the call, and ids as the person's side knows them.
func viewed(view any, call string, columns []query.Column) (json.RawMessage, error) {
	raw, err := json.Marshal(view)
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	if call != "" {
		if fields["call_id"], err = json.Marshal(call); err != nil {
			return nil, err
		}
		if fields["columns"], err = json.Marshal(headed(columns, fields["columns"])); err != nil {
			return nil, err
		}
	}
	return json.Marshal(fields)
}

// headed are the headings of the columns that a view names, in its order; of all where it names none.
func headed(columns []query.Column, named json.RawMessage) []query.Heading {
	all := query.Headings(columns)
	var names []string
	if json.Unmarshal(named, &names) != nil || len(names) == 0 {
		return all
	}
	out := []query.Heading{}
	for _, n := range names {
		if i := slices.IndexFunc(all, func(h query.Heading) bool { return h.Name == n }); i >= 0 {
			out = append(out, all[i])
		}
	}
	return out
}

func (a *Assistant) runPropose(ctx context.Context, s *Scope, in *turning, tool Tool, out *called) error {
	p, err := a.propose(ctx, s, in, tool, out.call)
	if err != nil {
		return err
	}
	out.outcome, out.proposal = Proposed, p
	out.text, err = proposedText(out.call.Ref, p)
	return err
}

// propose makes a proposal of a call: it is whole and validated, but not stored yet.
func (a *Assistant) propose(ctx context.Context, s *Scope, in *turning, tool Tool, c ToolCall) (*Proposal, error) {
	args, err := tool.canonical(c.Arguments)
	if err != nil {
		return nil, err
	}
	d, err := tool.propose(ctx, s, args)
	if err != nil {
		return nil, err
	}
	content, err := tool.drafted(ctx, s, d, guard.Wanted{Title: d.Title, Changes: d.Changes, Warnings: d.Warnings, Ref: c.Ref, Group: in.earlier(),
		Source: in.source})
	if err != nil {
		return nil, err
	}
	now := a.cfg.Clock()
	p := &Proposal{ID: a.id("prp_"), Owner: known(in.who), Conversation: in.turn.Conversation, Turn: in.turn.ID, Call: c.ID, Tool: tool.def.Name,
		Arguments: args, Changes: content.Changes, Prepared: d.Prepared, Lines: content.Lines, Summary: content.Summary, Warnings: content.Warnings,
		Table: content.Table, Record: content.Record, State: Pending, CreatedAt: now, ExpiresAt: now.Add(a.cfg.Limits.ProposalExpiry)}
	p.Hash = p.hash()
	return p, nil
}

// scope is what a running tool is handed.
func (a *Assistant) scope(in *turning, tool Tool, v *View) *Scope {
	s := &Scope{who: in.who, conversation: in.turn.Conversation, turn: in.turn.ID, channel: in.turn.Channel, view: v, limits: a.cfg.Limits, whole: in.whole}
	clock := a.clock(in.who)
	s.now, s.asked, s.earlier, s.source = func() Clock { return clock }, clock.Now, in.ran, in.source
	s.result = func(ctx context.Context, ref string) (query.Rows, error) {
		_, rows, err := a.behind(ctx, in, ref)
		return rows, err
	}
	if tool.kind == KindRead {
		s.credential = in.who.Credential
	}
	return s
}

// behind reads the rows of an earlier call (c1) of this conversation again, with the rights of now: no row of the host's is kept.
func (a *Assistant) behind(ctx context.Context, in *turning, ref string) (ToolCall, query.Rows, error) {
	c, ok := in.ran(ref)
	if !ok {
		return c, query.Rows{}, Errorf(NotFound, "No rows behind call %s: give the call_id of a call of this conversation that returned rows", ref)
	}
	rows, err := a.reread(ctx, in, c, in.when(c))
	return c, rows, err
}

// reread reads the rows of a call that was made at some time.
func (a *Assistant) reread(ctx context.Context, in *turning, c ToolCall, at time.Time) (query.Rows, error) {
	tool, v, err := a.offered(ctx, in.who, c)
	if err != nil {
		return query.Rows{}, err
	}
	if tool.kind != KindRead {
		return query.Rows{}, Errorf(NotFound, "The call has no rows.")
	}
	again := *in
	again.whole = true
	s := a.scope(&again, tool, v)
	s.asked = at
	r, err := tool.read(ctx, s, c.Arguments)
	if err != nil {
		return query.Rows{}, err
	}
	if r.Rows == nil {
		return query.Rows{}, Errorf(NotFound, "The call has no rows.")
	}
	if most := a.cfg.Limits.HandleRows; len(r.Rows.Rows) > most {
		r.Rows.Rows, r.Rows.HasMore = r.Rows.Rows[:most], true
	}
	return *r.Rows, nil
}

// entry is the row of a call. The tool-call log knows who, what and how much, never what was found.
func (a *Assistant) entry(in *turning, out called, at time.Time) Entry {
	e := Entry{ID: out.call.ID, At: at, Person: known(in.who), Channel: in.turn.Channel, Conversation: in.turn.Conversation, Turn: in.turn.ID,
		Phase: InTurn, Tool: plain.Name(out.call.Tool), Kind: out.tool.kind, Operation: out.tool.def.Operation, Outcome: out.outcome,
		Arguments: out.tool.logged(out.call.Arguments), Returned: out.returned, Bytes: len(out.text), Truncated: out.truncated, Duration: out.duration}
	if out.err != nil {
		e.ErrorCode = CodeOf(out.err)
	}
	if out.proposal != nil {
		e.Proposal = out.proposal.ID
	}
	return e
}

// logged is a call's arguments as the log keeps them.
func (t Tool) logged(args json.RawMessage) json.RawMessage {
	if t.def.ForLog != nil {
		args = t.def.ForLog(args)
	}
	if len(args) > maxArguments {
		return json.RawMessage(`"(longer than the limit)"`)
	}
	return args
}

// overLimit is a call that the turn has no room for: it does not run, and has its row.
func (a *Assistant) overLimit(ctx context.Context, in *turning, c ToolCall) called {
	err := Errorf(Unprocessable, "It was not run: the turn's limit of %d tool calls is reached.", a.cfg.Limits.ToolCalls)
	out := called{call: c, tool: a.disclosed(ctx, in.who, c), outcome: Refused, err: err, text: "Error: " + err.Message, rights: a.rightsOf(in.who)}
	if err := a.cfg.Store.Log.Append(context.WithoutCancel(ctx), a.entry(in, out, a.cfg.Clock())); err != nil {
		a.complain(ctx, "tool-call log", err, "call", c.ID)
	}
	return out
}

// decided is the row of a decision on a proposal.
func (a *Assistant) decided(who Person, channel Channel, p Proposal, o Outcome) Entry {
	tool := a.reg.tools[p.Tool]
	return Entry{ID: a.id("tcl_"), At: a.cfg.Clock(), Person: known(who), Channel: channel, Conversation: p.Conversation, Turn: p.Turn, Phase: AtDecision,
		Tool: p.Tool, Kind: KindPropose, Operation: tool.def.Operation, Proposal: p.ID, Outcome: o, Arguments: tool.logged(p.Arguments)}
}

// runEffect is the one place that runs the effect of a confirmed proposal. With an error, nothing says whether it is known that nothing was
// written: it did not run, or says so by its contract. One that panics says nothing.
func (a *Assistant) runEffect(ctx context.Context, who Person, channel Channel, p Proposal) (nothing bool, err error) {
	defer recovered(&err)
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Limits.ToolTimeout)
	defer cancel()
	nothing = true
	tool, e := a.reg.tools[p.Tool], &Effect{who: who, channel: channel, proposal: p, clock: a.clock(who)}
	if !tool.def.NoHost {
		if e.view, err = a.view(ctx, who); err != nil {
			return nothing, err
		}
	}
	if err := tool.stillUseful(ctx, e.view); err != nil {
		return nothing, err
	}
	nothing = false
	err = tool.effect(ctx, e, p.Arguments)
	var known *Error
	return errors.As(err, &known), err
}

// renew makes the proposal of a stale one again, from the same arguments, with the rights and the records of now.
func (a *Assistant) renew(ctx context.Context, in *turning, p Proposal) (_ *Proposal, err error) {
	defer recovered(&err)
	c := ToolCall{ID: p.Call, Ref: in.ref(p.Call), Tool: p.Tool, Arguments: p.Arguments}
	tool, v, err := a.offered(ctx, in.who, c)
	if err != nil || tool.kind != KindPropose {
		return nil, Errorf(NotFound, "Not a write tool: %s", p.Tool)
	}
	return a.propose(ctx, a.scope(in, tool, v), in, tool, c)
}

// handle reads the result of a logged call again for its owner, and logs that.
func (a *Assistant) handle(ctx context.Context, who Person, channel Channel, e Entry) (query.Rows, error) {
	started := a.cfg.Clock()
	ctx, cancel := context.WithTimeout(WithTurn(ctx, e.Turn), a.cfg.Limits.ToolTimeout)
	defer cancel()
	in := &turning{turn: Turn{ID: e.Turn, Conversation: e.Conversation, Channel: channel}, who: who}
	rows, err := a.reread(ctx, in, ToolCall{ID: e.ID, Tool: e.Tool, Arguments: e.Arguments}, e.At)
	out := called{call: ToolCall{ID: a.id("tcl_"), Tool: e.Tool, Arguments: e.Arguments}, tool: a.reg.tools[e.Tool], outcome: Ran,
		returned: len(rows.Rows), truncated: rows.HasMore, err: err, duration: a.cfg.Clock().Sub(started)}
	if err != nil {
		out.outcome = outcomeOf(err)
	}
	row := a.entry(in, out, started)
	row.Phase = AsHandle
	if logged := a.cfg.Store.Log.Append(context.WithoutCancel(ctx), row); logged != nil {
		return query.Rows{}, &Error{Code: Unavailable, Message: "The log cannot be written, so the result is not shown.", Cause: logged}
	}
	return rows, err
}
