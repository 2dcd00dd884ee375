package deputy

import (
	"context"
	"slices"

	"example.com/deputy/guard"
)

// doubtful are the members of a group whose outcome nobody knows, once nothing can be under way any more: confirmations whose lease has run
// out, and those that got no answer.
func (a *Assistant) doubtful(ps []Proposal) (out []Proposal) {
	now := a.cfg.Clock()
	for _, p := range ps {
		if (p.State == Confirming || p.State == Unknown) && !now.Before(p.ClaimedUntil) {
			out = append(out, p)
		}
	}
	return out
}

// settleDoubt looks at doubtful proposals again, as their owner, run by run: what has no row that says it was sent was not; the rest is as far
// known as can be read. It says whether anything has changed.
func (a *Assistant) settleDoubt(ctx context.Context, who Person, ps []Proposal) bool {
	var changed []Proposal
	for _, run := range runs(ps) {
		state, outcome := a.fate(ctx, who, run)
		for _, p := range run {
			if p.State == state {
				continue
			}
			p.State, p.Outcome, p.DecidedAt = state, outcome, a.cfg.Clock()
			changed = append(changed, p)
		}
	}
	if len(changed) == 0 {
		return false
	}
	if err := a.settle(ctx, who, "", changed, nil); err != nil && CodeOf(err) != AlreadyDecided {
		a.complain(ctx, "settling a doubtful proposal", err, "proposal", changed[0].ID)
	}
	return true
}

// fate reads the records of a run again: an update or a delete that is there was made, one whose record is as it was before was not. A create is
// never settled by resemblance, an effect not at all, and a run only where all its members say the same.
func (a *Assistant) fate(ctx context.Context, who Person, run []Proposal) (State, string) {
	if !a.sent(ctx, who, run) {
		return Failed, "It was interrupted before it was sent, so nothing was written. Ask again."
	}
	if run[0].outside() {
		return Unknown, "It was sent, but no answer is known. Look whether it was done before you try again."
	}
	state := a.verdict(ctx, who, run)
	return state, map[State]string{
		Done:    "No answer came at first; the record was read again, and it is done.",
		Failed:  "No answer came at first; the record was read again, and nothing was written.",
		Unknown: "It was sent, but no answer is known. Look at the record before you try again.",
	}[state]
}

// sent says whether a run may have been sent: its rows are written before it is.
func (a *Assistant) sent(ctx context.Context, who Person, ps []Proposal) bool {
	rows, err := a.cfg.Store.Log.List(ctx, who, LogFilter{Turn: ps[0].Turn, Outcome: InConfirm}, 0, maxPage)
	return err != nil || slices.ContainsFunc(rows, func(e Entry) bool {
		return slices.ContainsFunc(ps, func(p Proposal) bool { return p.ID == e.Proposal })
	})
}

// verdict is the one of all changes of a run: done, failed (none was made) or unknown.
func (a *Assistant) verdict(ctx context.Context, who Person, ps []Proposal) (verdict State) {
	defer func() {
		if recover() != nil { // the host, which tells nothing then
			verdict = Unknown
		}
	}()
	v, err := a.view(ctx, who)
	if err != nil {
		return Unknown
	}
	for _, p := range ps {
		for _, c := range p.Changes {
			if c.Tests() {
				continue // it says nothing of whether the others were made
			}
			one := guard.Look(ctx, v, c)
			if verdict == "" {
				verdict = one
			}
			if one != verdict {
				return Unknown
			}
		}
	}
	return verdict
}
