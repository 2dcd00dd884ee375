package deputy

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"example.com/deputy/internal/plain"
	"example.com/deputy/internal/redact"
)

// leaseFor is how long a worker may be silent before its turn can be taken over.
const leaseFor = 30 * time.Second

// watchEvery is how often a turn looks for a cancellation from another process.
const watchEvery = 2 * time.Second

// errLeft says that the assistant is being stopped: another is to go on with the turn.
var errLeft = errors.New("the turn is left")

// errLost says that the turn is somebody else's now, or has ended.
var errLost = errors.New("the lease of the turn is lost")

// ending stops a turn's context and says why.
type ending struct{ reason Reason }

// Error implements error.
func (e ending) Error() string { return "turn ends: " + string(e.reason) }

// runner carries one turn on, step by step. Each step is committed whole: after the answer, and after the results.
type runner struct {
	a       *Assistant
	in      *turning
	calls   int // tool calls so far in this turn
	refs    int // calls so far in the conversation
	text    string
	detail  string // what the person reads of why it failed
	group   string
	resumed bool // taken over from a worker that is gone
	ended   Reason

	mu     sync.Mutex
	lease  Lease
	events int64
}

// run works a turn to its end. It does not live in a connection; ctx ends with the turn's time, its cancellation, or the assistant's end.
func (r *runner) run(ctx context.Context) {
	span := &Span{Kind: "turn", Conversation: r.in.turn.Conversation, Turn: r.in.turn.ID, Channel: r.in.turn.Channel}
	ctx, end := r.a.observe(ctx, span)
	err := r.steps(ctx)
	switch {
	case errors.Is(err, errLeft):
		err = r.leave(ctx)
	case err != nil && !errors.Is(err, errLost):
		r.a.complain(ctx, "turn", err, "turn", r.in.turn.ID)
		err = r.finish(ctx, InternalReason, Step{})
	}
	span.Reason = r.ended
	end(err)
}

// steps takes steps until one ends the turn. One that panics ends it too, not the program.
func (r *runner) steps(ctx context.Context) (err error) {
	defer r.watch(ctx)()
	defer recovered(&err)
	err = r.begin(ctx)
	for reason := Reason(""); err == nil && reason == ""; {
		var last Step
		if r.a.stopping.Err() != nil {
			return errLeft
		}
		reason, last, err = r.step(ctx)
		switch {
		case err != nil || reason == "":
		case reason == Interrupted && r.a.stopping.Err() != nil && r.a.cfg.Directory != nil: // in the middle of a step, which is taken again
			return errLeft
		default:
			err = r.finish(ctx, reason, last)
		}
	}
	return err
}

// leave ends the work on a turn that is not at its end: its lease is over, so that it is taken up at once.
func (r *runner) leave(ctx context.Context) error {
	if r.a.cfg.Directory == nil {
		return r.finish(ctx, Interrupted, Step{})
	}
	return r.commitUntil(ctx, Step{}, r.a.cfg.Clock().Add(-time.Second))
}

// recovered turns a panic into an error: to be deferred. What was panicked with may hold data; only a runtime error is told of.
func recovered(err *error) {
	switch p := recover().(type) {
	case nil:
	case runtime.Error:
		*err = &Error{Code: Internal, Message: MessageOf(nil), Cause: redact.Whole(fmt.Errorf("panic: %w\n%s", p, debug.Stack()))}
	default:
		*err = &Error{Code: Internal, Message: MessageOf(nil), Cause: redact.Whole(fmt.Errorf("panic with a %T\n%s", p, debug.Stack()))}
	}
}

func (r *runner) begin(ctx context.Context) error {
	if r.resumed { // its journal has begun; what was said in the step that was lost is taken back
		step := r.in.turn.Step + 1
		return r.commit(ctx, Step{Events: []Event{event(EventReasoningDelta, Delta{Step: step}), event(EventTextDelta, Delta{Step: step})}})
	}
	events, err := r.switchedSince(ctx)
	if err != nil {
		return err
	}
	return r.commit(ctx, Step{Events: append([]Event{event(EventTurnStarted, TurnStarted{r.in.turn.ID, r.in.turn.Conversation})}, events...)})
}

// watch renews the lease and looks for a cancellation from another process while the turn runs. A short turn pays for a timer only.
func (r *runner) watch(ctx context.Context) (stop func()) {
	var mu sync.Mutex
	var timer *time.Timer
	n, stopped := 0, false
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(watchEvery, func() {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return
		}
		n++
		r.a.hooked(ctx, func() { r.look(ctx, n%5 == 0) })
		timer.Reset(watchEvery)
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		stopped = true
	}
}

func (r *runner) look(ctx context.Context, renew bool) {
	if t, err := r.a.cfg.Store.Turns.Get(ctx, r.in.turn.Person, r.in.turn.ID); err == nil && t.Cancelled {
		r.a.running.Stop(t.ID, ending{Cancelled})
	}
	if !renew {
		return
	}
	if err := r.commit(ctx, Step{}); err != nil {
		r.a.complain(ctx, "lease", err, "turn", r.in.turn.ID)
	}
}

// check is asked before every model call and every tool call: kill switch, cancellation, time, and the person's rights of now.
func (r *runner) check(ctx context.Context) (Reason, error) {
	if reason := reasonOf(ctx); reason != "" {
		return reason, nil
	}
	t, err := r.a.cfg.Store.Turns.Get(ctx, r.in.turn.Person, r.in.turn.ID)
	if err != nil {
		return r.stopped(ctx, err)
	}
	if t.Cancelled {
		return Cancelled, nil
	}
	who, err := r.a.pass(ctx, r.in.who)
	if err != nil {
		return r.stopped(ctx, err)
	}
	r.in.who = who
	return "", nil
}

// stopped turns what stands in the way of going on into the reason a turn ends.
func (r *runner) stopped(ctx context.Context, err error) (Reason, error) {
	if reason := reasonOf(ctx); reason != "" {
		return reason, nil
	}
	switch CodeOf(err) {
	case Killed:
		return KilledReason, nil
	case PermissionDenied, Unavailable, Unauthenticated:
		r.a.complain(ctx, "rights", err, "turn", r.in.turn.ID)
		return Interrupted, nil
	}
	return "", err
}

// reasonOf says why a turn's context has ended, empty while it has not.
func reasonOf(ctx context.Context) Reason {
	if ctx.Err() == nil {
		return ""
	}
	var e ending
	if errors.As(context.Cause(ctx), &e) {
		return e.reason
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return TimeLimit
	}
	return Interrupted
}

// step is one model call and the tool calls it asks for. A reason ends the turn, with what is still to be committed.
func (r *runner) step(ctx context.Context) (Reason, Step, error) {
	if reason, err := r.check(ctx); reason != "" || err != nil {
		return reason, Step{}, err
	}
	if open := r.open(); len(open) > 0 {
		return r.results(ctx, open)
	}
	if r.in.turn.Step >= r.a.cfg.Limits.Steps {
		return StepLimit, Step{}, nil
	}
	if err := r.choices(ctx); err != nil {
		reason, err := r.stopped(ctx, err)
		return reason, Step{}, err
	}
	req, err := r.a.prompt(ctx, r.in, r.in.turn.Screen)
	if err != nil {
		reason, err := r.stopped(ctx, err)
		return reason, Step{}, err
	}
	ans, err := r.ask(ctx, req)
	switch {
	case errors.Is(err, errLost):
		return "", Step{}, err
	case err != nil:
		reason, s := r.broken(ctx, ans, err)
		return reason, s, nil
	}
	return r.answered(ctx, ans)
}

// broken keeps what a model said before it failed, or before the turn was stopped; its calls are dropped.
func (r *runner) broken(ctx context.Context, ans *answer, err error) (Reason, Step) {
	reason := reasonOf(ctx)
	if reason == "" {
		r.a.complain(ctx, "model", err, "turn", r.in.turn.ID)
		reason, r.detail = ModelError, MessageOf(err)
	}
	ans.calls = nil
	r.text = ans.text.String()
	s := Step{Usage: ans.usage, Steps: 1}
	if m := r.message(FromModel, ans.parts()); len(m.Parts) > 0 {
		s.Messages = []Message{m}
	}
	return reason, s
}

// answered commits an answer, and runs its calls.
func (r *runner) answered(ctx context.Context, ans *answer) (Reason, Step, error) {
	for i := range ans.calls {
		c := &ans.calls[i]
		r.refs++
		c.ID, c.Ref, c.Tool, c.Arguments = r.a.id("tcl_"), fmt.Sprintf("c%d", r.refs), plain.Name(c.Tool), kept(c.Arguments)
	}
	m := r.message(FromModel, ans.parts())
	r.text = ans.text.String()
	s := Step{Usage: ans.usage, Steps: 1}
	if len(m.Parts) > 0 {
		s.Messages = []Message{m}
	}
	s.Events = append(s.Events, event(EventUsage, usageOf(ans)))
	r.in.history = append(r.in.history, s.Messages...)
	r.in.turn.Step++
	if len(ans.calls) == 0 {
		return endOf(ans.stop), s, nil
	}
	if err := r.commit(ctx, s); err != nil {
		return "", Step{}, err
	}
	return r.results(ctx, ans.calls)
}

// usageEvent is what one model call used.
type usageEvent struct {
	Input       int64   `json:"input"`
	CachedInput int64   `json:"cached_input"`
	Output      int64   `json:"output"`
	Cost        *string `json:"cost"`
}

func usageOf(ans *answer) usageEvent {
	u := usageEvent{Input: ans.usage.Input, CachedInput: ans.usage.CachedInput, Output: ans.usage.Output}
	if ans.cost != "" {
		u.Cost = &ans.cost
	}
	return u
}

func endOf(s Stop) Reason {
	switch s {
	case StopLength:
		return LengthReached
	case StopRefused:
		return RefusedByModel
	}
	return Answered
}

// results runs the calls of a step and commits what came of them: messages, proposals and events together.
func (r *runner) results(ctx context.Context, calls []ToolCall) (Reason, Step, error) {
	room := max(0, r.a.cfg.Limits.ToolCalls-r.calls)
	run := calls[:min(len(calls), room)]
	r.calls += len(run)
	outs, reason, err := r.runAll(ctx, run)
	if err != nil {
		return "", Step{}, err
	}
	if reason == "" && len(run) < len(calls) {
		reason = ToolCallLimit
	}
	var s Step
	m := r.message(FromTool, nil)
	for i, c := range calls {
		if i >= len(run) {
			outs = append(outs, r.a.overLimit(ctx, r.in, c))
		}
		if outs[i].outcome != "" {
			m.Parts = append(m.Parts, r.resultParts(&s, outs[i])...)
			continue
		}
		m.Parts = append(m.Parts, Part{Result: notRun(c)})
	}
	s.Messages = []Message{m}
	before := r.in.history
	r.in.history = append(r.in.history, m)
	switched, err := r.switched(ctx, before, outs)
	if err != nil {
		return "", Step{}, err
	}
	s.Events = append(s.Events, switched...)
	if reason != "" {
		return reason, s, nil
	}
	return "", Step{}, r.commit(ctx, s)
}

// resultParts is a call's part of the step.
func (r *runner) resultParts(s *Step, o called) []Part {
	res := &ToolResult{Call: o.call.ID, Ref: o.call.Ref, Outcome: o.outcome, Text: o.text, Returned: o.returned, Truncated: o.truncated}
	res.Rights, res.Reveals = o.rights, o.reveals
	parts := []Part{{Result: res}}
	fin := ToolFinished{Call: o.call.ID, Tool: o.call.Tool, Outcome: o.outcome, Truncated: o.truncated, DurationMS: o.duration.Milliseconds(), Rights: o.rights}
	if o.rows {
		fin.Returned = &o.returned
	}
	if o.err != nil {
		fin.Error = &ToolError{CodeOf(o.err), MessageOf(o.err)}
	}
	s.Events = append(s.Events, event(EventToolFinished, fin))
	if o.shows != nil {
		s.Events = append(s.Events, event(EventDisplay, o.shows))
		shown := event(EventDisplay, Shows{Call: o.shows.Call, View: o.shows.View})
		parts = append(parts, Part{Display: shown.Data, Rights: o.rights})
	}
	if o.proposal != nil {
		s.Proposals = append(s.Proposals, *o.proposal)
		s.Events = append(s.Events, event(EventProposalCreated, ProposalCreated{o.proposal.ID}))
		parts = append(parts, Part{Proposal: o.proposal.ID})
	}
	return parts
}

// runAll runs reads and displays in parallel, bounded, and proposals one after another in the order of the model's message, so that
// positions do not depend on who was quicker. What did not run has no outcome.
func (r *runner) runAll(ctx context.Context, calls []ToolCall) ([]called, Reason, error) {
	outs := make([]called, len(calls))
	var wg sync.WaitGroup
	var mu sync.Mutex
	var stop Reason
	var failed error
	one := func(i int) {
		reason, err := r.guarded(ctx, calls[i], &outs[i])
		mu.Lock()
		defer mu.Unlock()
		if reason != "" {
			stop = reason
		}
		failed = errors.Join(failed, err)
	}
	slots := make(chan struct{}, r.a.cfg.Limits.Parallel)
	for i, c := range calls {
		if r.a.reg.tools[c.Tool].kind == KindPropose {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			one(i)
		})
	}
	wg.Wait()
	for i, c := range calls {
		if r.a.reg.tools[c.Tool].kind == KindPropose {
			one(i)
			r.join(&outs[i])
		}
	}
	return outs, stop, failed
}

// join puts a proposal into the turn's group.
func (r *runner) join(o *called) {
	if o.proposal == nil {
		return
	}
	if r.group == "" {
		r.group = r.a.id("grp_")
	}
	o.proposal.Group, o.proposal.Position = r.group, len(r.in.group)+1
	r.in.group = append(r.in.group, *o.proposal)
}

// guarded runs one call if the turn may still go on.
func (r *runner) guarded(ctx context.Context, c ToolCall, out *called) (_ Reason, err error) {
	defer recovered(&err)
	in := *r.in
	probe := runner{a: r.a, in: &in}
	if reason, err := probe.check(ctx); reason != "" || err != nil {
		return reason, err
	}
	t := r.a.disclosed(ctx, in.who, c)
	started := event(EventToolStarted, ToolStarted{Call: c.ID, Tool: c.Tool, Kind: t.kind, Label: t.def.Label})
	if err := r.commit(ctx, Step{Events: []Event{started}}); err != nil {
		return "", err
	}
	*out = r.a.runTool(ctx, &in, c)
	return reasonOf(ctx), nil
}

func (r *runner) message(role MessageRole, parts []Part) Message {
	return Message{Role: role, Turn: r.in.turn.ID, At: r.a.cfg.Clock(), Parts: parts}
}

// finish commits the end of a turn, whatever ended its context: exactly one turn.finished, last.
func (r *runner) finish(ctx context.Context, reason Reason, s Step) error {
	s.Finish, s.At, r.ended = reason, r.a.cfg.Clock(), reason
	s.Events = append(s.Events, event(EventTurnFinished, TurnFinished{r.in.turn.ID, reason.State(), reason, r.text, r.detail}))
	return r.commit(ctx, s)
}

// commit stores a step under the lease. It is not undone by a turn that is stopped: what was done is kept.
func (r *runner) commit(ctx context.Context, s Step) error {
	return r.commitUntil(ctx, s, r.a.cfg.Clock().Add(leaseFor))
}

func (r *runner) commitUntil(ctx context.Context, s Step, until time.Time) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseFor)
	defer cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lease.Until = until
	for i := range s.Events {
		s.Events[i].Seq = r.events
		r.events++
	}
	err := r.a.cfg.Store.Turns.Commit(ctx, r.lease, s)
	if CodeOf(err) == Conflict {
		return errors.Join(errLost, err)
	}
	return err
}
