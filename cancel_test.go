package deputy_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
)

// stage is where a turn waits to be cancelled: whoever comes to it says so, and waits until it is let on, or its context ends.
type stage struct{ reached, on chan struct{} }

func newStage() *stage { return &stage{make(chan struct{}, 1), make(chan struct{})} }

func (s *stage) wait(ctx context.Context) {
	s.reached <- struct{}{}
	select {
	case <-s.on:
	case <-ctx.Done():
	}
}

// talker is a model that says something, comes to a stage where it is given one, and then goes on with its calls.
type talker struct {
	text  string
	stage *stage
	calls []deputy.ToolCall
}

// speaker is a model that answers each call of a turn as another talker.
type speaker []talker

// Info implements deputy.Model.
func (speaker) Info() deputy.ModelInfo { return deputy.ModelInfo{Name: "speaker", Provider: "test"} }

// Stream implements deputy.Model.
func (s speaker) Stream(ctx context.Context, r deputy.Request) iter.Seq2[deputy.Chunk, error] {
	return func(yield func(deputy.Chunk, error) bool) {
		is := talker{text: "Anything else?"}
		if n := scripted.Step(r); scripted.User(r) == "cancel me" && n <= len(s) {
			is = s[n-1]
		}
		if is.text != "" && !yield(deputy.Chunk{Text: is.text}, nil) {
			return
		}
		if is.stage != nil {
			is.stage.wait(ctx)
		}
		if err := ctx.Err(); err != nil {
			yield(deputy.Chunk{}, err)
			return
		}
		for _, c := range is.calls {
			if !yield(deputy.Chunk{Call: &c}, nil) {
				return
			}
		}
		yield(deputy.Chunk{Stop: deputy.StopEnd}, nil)
	}
}

func call(tool, arguments string) deputy.ToolCall {
	return deputy.ToolCall{Tool: tool, Arguments: json.RawMessage(arguments)}
}

// staged is a host whose reads of one table come to a stage, and turns whose commits of results do.
type staged struct {
	deputy.Host
	table string
	stage *stage
}

func (h staged) Query(ctx context.Context, as deputy.Person, q query.Query) (query.Rows, error) {
	if q.Table == h.table {
		h.stage.wait(ctx)
		if err := ctx.Err(); err != nil {
			return query.Rows{}, err
		}
	}
	return h.Host.Query(ctx, as, q)
}

type stagedTurns struct {
	deputy.Turns
	stage *stage
}

func (s stagedTurns) Commit(ctx context.Context, l deputy.Lease, step deputy.Step) error {
	err := s.Turns.Commit(ctx, l, step)
	if len(step.Messages) == 1 && step.Messages[0].Role == deputy.FromTool && step.Finish == "" {
		s.stage.wait(ctx)
	}
	return err
}

const (
	said   = "Let me see. "
	counts = `{"table":"customers"}`
	total  = `{"table":"invoices","id":"10","values":[{"field":"total","value":"7.00"}]}`
)

// phase is a part of a turn in which it is cancelled, and what is there afterwards.
type phase struct {
	name      string
	model     func(*stage) speaker
	config    func(*deputy.Config, *stage)
	text      string // of the end
	proposals int    // that can be decided
	ran       int    // tool calls that ran or proposed
	messages  string // their roles
}

func phases() []phase {
	long := strings.Repeat(said, 200)
	return []phase{
		{name: "before the model answers", model: func(s *stage) speaker {
			return speaker{{stage: s, calls: []deputy.ToolCall{call("count_records", counts)}}}
		},
			messages: "person"},
		{name: "in mid text", model: func(s *stage) speaker {
			return speaker{{text: long, stage: s, calls: []deputy.ToolCall{call("count_records", counts)}}}
		},
			text: long, messages: "person model"},
		{name: "in a tool call", model: func(*stage) speaker {
			return speaker{{text: said, calls: []deputy.ToolCall{call("query_records", counts), call("update_record", phone)}}}
		}, config: func(c *deputy.Config, s *stage) { c.Host = staged{c.Host, "customers", s} }, text: said, messages: "person model tool"},
		{name: "between steps", model: func(*stage) speaker {
			return speaker{{text: said, calls: []deputy.ToolCall{call("query_records", counts)}}, {text: "never said"}}
		}, config: func(c *deputy.Config, s *stage) { c.Store.Turns = stagedTurns{c.Store.Turns, s} }, text: said, ran: 1, messages: "person model tool"},
		{name: "while it proposes", model: func(*stage) speaker {
			return speaker{{text: said, calls: []deputy.ToolCall{call("update_record", phone), call("update_record", total), call("count_records", counts)}}}
		}, config: func(c *deputy.Config, s *stage) { c.Host = staged{c.Host, "invoices", s} }, text: said, proposals: 1, ran: 2, messages: "person model tool"},
		{name: "after it proposed", model: func(s *stage) speaker {
			return speaker{{text: said, calls: []deputy.ToolCall{call("update_record", phone), call("update_record", total)}}, {text: "Both, ", stage: s}}
		}, text: "Both, ", proposals: 2, ran: 2, messages: "person model tool model"},
	}
}

// TestCancelInEveryPhase cancels a turn by the assistant that works on it, and by another one on the same store.
func TestCancelInEveryPhase(t *testing.T) {
	t.Parallel()
	for _, p := range phases() {
		for _, elsewhere := range []bool{false, true} {
			name := p.name
			if elsewhere {
				name += ", from another process"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { p.cancel(t, elsewhere) })
			})
		}
	}
}

func (p phase) cancel(t *testing.T, elsewhere bool) {
	s := newStage()
	b := setup(t, func(c *deputy.Config) {
		c.Clock, c.Models, c.Limits.ToolTimeout, c.Limits.Parallel = time.Now, []deputy.Model{p.model(s)}, time.Hour, 1
		if p.config != nil {
			p.config(c, s)
		}
	})
	by := b
	if elsewhere {
		by = setup(t, func(c *deputy.Config) { c.Store, c.Clock = b.store, time.Now })
	}
	id, err := b.door().Start(t.Context(), ann(), deputy.TurnInput{Text: "cancel me"})
	if err != nil {
		t.Fatal(err)
	}
	<-s.reached
	code(t, by.door().Cancel(t.Context(), bob(), id), deputy.NotFound)
	for range 2 { // once more changes nothing
		if err := by.door().Cancel(t.Context(), ann(), id); err != nil {
			t.Fatal(err)
		}
	}
	if p.name == "between steps" { // nobody waits for anything there: it goes on, and sees
		close(s.on)
	}
	p.check(t, b, id)
}

// check looks at a turn that was cancelled: at its end, at what is kept, and at what can be done.
func (p phase) check(t *testing.T, b *bench, id string) {
	t.Helper()
	got, _ := b.followed(t, ann(), id)
	if names := strings.Join(got.names, " "); strings.Count(names, deputy.EventTurnFinished) != 1 || !strings.HasSuffix(names, deputy.EventTurnFinished) {
		t.Error(names)
	}
	if got.end.State != deputy.TurnStopped || got.end.Reason != deputy.Cancelled || got.end.Text != p.text {
		t.Error(got.end)
	}
	turn, err := b.door().LookupTurn(t.Context(), ann(), id)
	if err != nil || turn.State != deputy.TurnStopped || turn.Reason != deputy.Cancelled {
		t.Error(err, turn)
	}
	asked, rows := len(b.host.Asked()), len(b.log(t))
	time.Sleep(time.Minute) // of the bubble's clock
	synctest.Wait()
	if len(b.host.Asked()) != asked || len(b.log(t)) != rows {
		t.Error("something ran after the end")
	}
	p.kept(t, b, turn)
	if err := b.door().Cancel(t.Context(), ann(), id); err != nil {
		t.Error("of one that has ended:", err)
	}
	again, _ := b.followed(t, ann(), id)
	if now, err := b.door().LookupTurn(t.Context(), ann(), id); err != nil || now.Cancelled != turn.Cancelled || now.FinishedAt != turn.FinishedAt || len(again.names) != len(got.names) {
		t.Error("cancelled when it had ended:", err, now)
	}
	next := b.ask(t, ann(), turn.Conversation, "go on")
	if next.end.Reason != deputy.Answered || next.end.Text != "Anything else?" {
		t.Error("the conversation does not go on:", next.end)
	}
}

// kept looks at messages, log and proposals, and decides what waits.
func (p phase) kept(t *testing.T, b *bench, turn deputy.Turn) {
	t.Helper()
	ms, err := b.door().Messages(t.Context(), ann(), turn.Conversation, 0, 100)
	var roles []string
	open := map[string]bool{}
	for _, m := range ms {
		roles = append(roles, string(m.Role))
		for _, part := range m.Parts {
			if part.Call != nil {
				open[part.Call.ID] = true
			}
			if part.Result != nil {
				delete(open, part.Result.Call)
			}
		}
	}
	if err != nil || strings.Join(roles, " ") != p.messages || len(open) != 0 {
		t.Errorf("%v: messages %v, calls without a result %v", err, roles, open)
	}
	ran := 0
	for _, row := range b.log(t) {
		if row.Outcome == deputy.Ran || row.Outcome == deputy.Proposed {
			ran++
		}
	}
	if ran != p.ran {
		t.Errorf("%d calls ran, not %d: %v", ran, p.ran, b.log(t))
	}
	waiting := b.proposals(t, ann())
	if len(waiting) != p.proposals {
		t.Fatalf("%d proposals wait, not %d", len(waiting), p.proposals)
	}
	if len(waiting) == 0 {
		return
	}
	if len(waiting) == 2 {
		waiting[0], waiting[1] = waiting[1], waiting[0]
	}
	d, err := b.door().Confirm(t.Context(), ann(), waiting[0].Group, shown(waiting...))
	if err != nil || d.Proposals[0].State != deputy.Done || phoneOf(b, 0) != "+47 555" {
		t.Error(err, d)
	}
}
