package deputy

import (
	"context"
	"encoding/json"
	"time"
)

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
	Changes      []Change        // none: an effect
	Prepared     json.RawMessage // of an effect: what its tool prepared for it
	Lines        []Line
	Summary      string // written by the engine; that of an effect by its tool
	Warnings     []string
	Table        string
	Record       string // id; empty when it creates
	Hash         string // over owner, tool, arguments, changes, what is prepared, lines and warnings
	State        State
	CreatedAt    time.Time
	ExpiresAt    time.Time
	ClaimedUntil time.Time // the lease of a confirmation under way
	DecidedAt    time.Time
	Outcome      string // a sentence, once it is decided
	Renewed      string // id of the proposal (of the group, where it had several members) that took the place of a stale one
}

// Shown names a proposal with the hash that a person was shown.
type Shown struct{ ID, Hash string }

// proposals reads a proposal or a group as it is now: what is past its time has expired, and what is in doubt is settled where it can be.
func (a *Assistant) proposals(ctx context.Context, who Person, id string) ([]Proposal, error) {
	ps, err := a.cfg.Store.Proposals.Get(ctx, who, id)
	if err != nil {
		return nil, err
	}
	changed := a.age(ctx, who, ps)
	if len(a.doubtful(ps)) > 0 {
		group, err := a.cfg.Store.Proposals.Get(ctx, who, ps[0].Group)
		if err != nil {
			return nil, err
		}
		changed = a.settleDoubt(ctx, who, a.doubtful(group)) || changed
	}
	if !changed {
		return ps, nil
	}
	return a.cfg.Store.Proposals.Get(ctx, who, id)
}

// age moves on proposals whose time has run out; it says whether any was.
func (a *Assistant) age(ctx context.Context, who Person, ps []Proposal) (changed bool) {
	now := a.cfg.Clock()
	for _, p := range ps {
		if p.State != Pending || now.Before(p.ExpiresAt) {
			continue
		}
		changed = true
		err := a.close(ctx, who, "", []Proposal{p}, Expired, "Nobody decided in time; nothing was written.", now)
		if err != nil && CodeOf(err) != AlreadyDecided {
			a.complain(ctx, "aging a proposal", err, "proposal", p.ID)
		}
	}
	return changed
}

// eachProposal goes through a person's proposals as they are now, newest first.
func (a *Assistant) eachProposal(ctx context.Context, who Person, f ProposalFilter, do func(Proposal)) error {
	for before := int64(0); ; {
		page, err := a.listed(ctx, who, f, before, maxPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, p := range page {
			do(p)
		}
		before = page[len(page)-1].Seq
	}
}

// Proposals lists the caller's own, newest first, below before (0: from the newest).
func (d *Door) Proposals(ctx context.Context, who Caller, f ProposalFilter, before int64, limit int) ([]Proposal, error) {
	person, err := d.a.access(ctx, who.Person)
	if err != nil {
		return nil, err
	}
	return d.a.listed(ctx, person, f, before, limit)
}

// listed is a page of a person's proposals, those moved on whose time or whose lease has run out.
func (a *Assistant) listed(ctx context.Context, who Person, f ProposalFilter, before int64, limit int) ([]Proposal, error) {
	page, err := a.cfg.Store.Proposals.List(ctx, who, f, before, limit)
	if err != nil {
		return nil, err
	}
	changed := a.age(ctx, who, page)
	for _, p := range page {
		if p.State == Confirming && len(a.doubtful([]Proposal{p})) > 0 {
			_, err := a.proposals(ctx, who, p.Group) // settled with its group
			changed = err == nil || changed
		}
	}
	if !changed {
		return page, nil
	}
	return a.cfg.Store.Proposals.List(ctx, who, f, before, limit)
}

// Proposal is one of the caller's own, or all members of a group, in order.
func (d *Door) Proposal(ctx context.Context, who Caller, id string) ([]Proposal, error) {
	person, err := d.a.access(ctx, who.Person)
	if err != nil {
		return nil, err
	}
	return d.a.proposals(ctx, person, id)
}
