package deputy

import (
	"context"
	"time"
)

// lookEvery is how often an assistant looks for turns whose worker is gone.
const lookEvery = leaseFor / 3

// maxLives bounds how often a turn is worked on without an answer of the model's more: one that ends its process each time must not end every
// process on the store, and one that is handed on as they are restarted in turn may go on. maxTaken bounds how many are taken up at a look.
const (
	maxLives = 3
	maxTaken = 8
)

// lookForLost takes up turns of workers that are gone, of whichever process, until the assistant is closed.
func (a *Assistant) lookForLost(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		a.takeUpLost(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// takeUpLost takes up every running turn whose lease has run out: by this process only, for a claim has one winner. ctx ends with the assistant,
// or after a moment, not with the request of some person's.
func (a *Assistant) takeUpLost(ctx context.Context) {
	for range maxTaken {
		now := a.cfg.Clock()
		t, lease, err := a.cfg.Store.Turns.Claim(ctx, now, now.Add(leaseFor))
		if err != nil {
			if CodeOf(err) != NotFound && ctx.Err() == nil {
				a.complain(ctx, "looking for lost turns", err)
			}
			return
		}
		a.takeUp(ctx, t, lease)
	}
}

// takeUp goes on with a turn from its last committed step. A read may run again; proposals were committed with their step; nothing else has
// effects. The person's rights are asked for again: where nobody can tell them, the turn ends as interrupted, keeping what it has.
func (a *Assistant) takeUp(ctx context.Context, t Turn, lease Lease) {
	r := &runner{a: a, in: &turning{turn: t, who: t.Person}, lease: lease, events: t.NextEvent, resumed: true}
	a.running.Stop(t.ID, ending{Interrupted}) // of this very process, where it slept: it has lost the turn to itself
	if err := r.remember(ctx); err != nil {
		a.complain(ctx, "taking up a turn", err, "turn", t.ID)
		switch {
		case ctx.Err() != nil:
			err = r.leave(ctx) // for who comes next: the assistant ends, or a request does not wait any longer
		case a.cfg.Directory != nil && CodeOf(err) == Unavailable && lease.Epoch < maxLives+int64(t.Step):
			return // once its lease has run out it is looked at again
		default:
			err = r.finish(ctx, Interrupted, Step{})
		}
		if err != nil {
			a.complain(ctx, "ending a turn", err, "turn", t.ID)
		}
		return
	}
	a.work(context.Background(), r)
}

// remember reads what a runner knows from the store.
func (r *runner) remember(ctx context.Context) (err error) {
	defer recovered(&err)
	a, t := r.a, &r.in.turn
	if r.lease.Epoch > maxLives+int64(t.Step) {
		return Errorf(Internal, "It was taken up %d times and never ended.", r.lease.Epoch-1)
	}
	if a.cfg.Directory == nil {
		return Errorf(Unavailable, "No directory tells the rights of who started it.")
	}
	if r.in.who, err = a.access(ctx, t.Person); err != nil {
		return err
	}
	if r.in.history, err = a.history(ctx, t.Person, t.Conversation, 0); err != nil {
		return err
	}
	if err = r.choices(ctx); err != nil {
		return err
	}
	r.refs = countCalls(r.in.history)
	for _, m := range r.in.history {
		if m.Turn != t.ID {
			continue
		}
		r.calls += countResults(m)
		if m.Role == FromModel {
			r.text = m.Text()
		}
	}
	if begun, err := a.cfg.Store.Turns.Events(ctx, t.Person, t.ID, 0, 1); err != nil || len(begun) == 0 {
		r.resumed = false // it had not even begun
		if err != nil {
			return err
		}
	}
	return r.rejoin(ctx)
}

func countResults(m Message) (n int) {
	for _, p := range m.Parts {
		if p.Result != nil {
			n++
		}
	}
	return n
}

// rejoin finds the group of proposals that the turn has made so far.
func (r *runner) rejoin(ctx context.Context) error {
	err := r.a.eachProposal(ctx, r.in.turn.Person, ProposalFilter{Turn: r.in.turn.ID}, func(p Proposal) {
		r.in.group = append([]Proposal{p}, r.in.group...)
		r.group = p.Group
	})
	return err
}

// open are the calls of the last model message that have no result yet: of a step that was committed up to its answer.
func (r *runner) open() (out []ToolCall) {
	h := r.in.history
	if len(h) == 0 || h[len(h)-1].Role != FromModel || h[len(h)-1].Turn != r.in.turn.ID {
		return nil
	}
	for _, p := range h[len(h)-1].Parts {
		if p.Call != nil {
			out = append(out, *p.Call)
		}
	}
	return out
}
