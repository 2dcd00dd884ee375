package deputy

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/deputy/guard"
)

// Effect is what the effect of a confirmed proposal is handed: a write outside the host's tables, made once.
type Effect struct {
	who      Person
	channel  Channel
	proposal Proposal
	view     *View
	clock    Clock
}

// Person is who confirms, with the rights of now, without the credential.
func (e *Effect) Person() Person { return withoutCredential(e.who) }

// Credential is their own, to pass on.
func (e *Effect) Credential() string { return e.who.Credential }

// Channel is by which door it was confirmed.
func (e *Effect) Channel() Channel { return e.channel }

// Key is the idempotency key: the id of the proposal, which is confirmed once.
func (e *Effect) Key() string { return e.proposal.ID }

// Prepared is what the tool prepared when it proposed: the person has confirmed this, byte by byte. nil: nothing.
func (e *Effect) Prepared() json.RawMessage { return e.proposal.Prepared }

// View is the host as the person may see it now; nil for a tool that declared NoHost.
func (e *Effect) View() *View { return e.view }

// Clock is the time of the confirmation, in the person's zone.
func (e *Effect) Clock() Clock { return e.clock }

// EffectTool is a tool that drafts a write outside the host's tables (a remote call, a load, a saved analysis), and makes it once it is
// confirmed. Its draft has no changes: it says itself what the person is shown. effect runs at most once for a proposal, within
// Limits.ToolTimeout, with the parameters decoded again and the rights of the confirming person. Its error tells what became of it: an *Error,
// that nothing was written (with Stale: what was shown has changed since, and it is proposed again); any other, that of a context included,
// that nobody knows.
//
// A group that holds one is not atomic: it runs in order, changes to the host that stand next to each other as one, and stops at the first
// that is not done.
func EffectTool[In any](d Definition, propose func(context.Context, *Scope, In) (Draft, error), effect func(context.Context, *Effect, In) error) Tool {
	t := ProposeTool(d, propose)
	t.effect = func(ctx context.Context, e *Effect, raw json.RawMessage) error {
		in, err := decode[In](raw)
		if err != nil {
			return err
		}
		return effect(ctx, e, in)
	}
	return t
}

// drafted makes a draft exact: changes to the host as the guard prepares them, what an effect says as it is shown.
func (t Tool) drafted(ctx context.Context, s *Scope, d Draft, w guard.Wanted) (guard.Draft, error) {
	outside := d.Summary != "" || d.Lines != nil || d.Prepared != nil
	switch {
	case t.effect == nil && outside, t.effect != nil && len(d.Changes) > 0:
		return guard.Draft{}, fmt.Errorf("tool %s: a draft has either changes to the host or, of an effect, what is said of it", t.def.Name)
	case t.effect == nil:
		return guard.Prepare(ctx, guard.Lend(s.view, t.def.Grants), w)
	case len(d.Prepared) > maxArguments:
		return guard.Draft{}, Errorf(TooLarge, "What is to be written is longer than %d bytes.", maxArguments)
	}
	return guard.Said(guard.Draft{Summary: d.Summary, Lines: d.Lines, Warnings: d.Warnings})
}

// outside says whether a proposal is an effect: what is written to the host has changes.
func (p Proposal) outside() bool { return len(p.Changes) == 0 }

// runs cuts a group into what is carried out at once: an effect by itself, changes to the host that stand next to each other together.
func runs(ps []Proposal) (out [][]Proposal) {
	from := 0
	for i := range ps {
		if i+1 == len(ps) || ps[i].outside() || ps[i+1].outside() {
			out = append(out, ps[from:i+1:i+1])
			from = i + 1
		}
	}
	return out
}
