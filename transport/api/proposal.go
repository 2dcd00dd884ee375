package api

import (
	"context"
	"slices"
	"strings"
	"time"

	"example.com/deputy"
)

type proposalJSON struct {
	ID           string       `json:"id"`
	Group        string       `json:"group"`
	Position     int          `json:"position"`
	Conversation string       `json:"conversation"`
	Turn         string       `json:"turn"`
	Tool         string       `json:"tool"`
	State        deputy.State `json:"state"`
	Hash         string       `json:"hash"`
	Summary      string       `json:"summary"`
	Table        string       `json:"table"`
	Record       *string      `json:"record"`
	Changes      []changeJSON `json:"changes"`
	Warnings     []string     `json:"warnings"`
	CreatedAt    time.Time    `json:"created_at"`
	ExpiresAt    time.Time    `json:"expires_at"`
	DecidedAt    *time.Time   `json:"decided_at"`
	Outcome      *string      `json:"outcome"`
	Renewed      *string      `json:"renewed" doc:"What took the place of a stale one"`
}

type changeJSON struct {
	Table       string         `json:"table"`
	Record      *string        `json:"record"`
	RecordLabel *string        `json:"record_label,omitempty"`
	Verb        deputy.Verb    `json:"verb"`
	Field       string         `json:"field"`
	Label       string         `json:"label"`
	Before      *string        `json:"before"`
	After       *string        `json:"after"`
	BeforeLabel *string        `json:"before_label,omitempty"`
	AfterLabel  *string        `json:"after_label,omitempty"`
	Source      *deputy.Source `json:"source"`
}

func proposal(p deputy.Proposal) proposalJSON {
	out := proposalJSON{
		ID: p.ID, Group: p.Group, Position: p.Position, Conversation: p.Conversation, Turn: p.Turn, Tool: p.Tool, State: p.State, Hash: p.Hash,
		Summary: p.Summary, Table: p.Table, Record: optional(p.Record), Changes: make([]changeJSON, 0, len(p.Lines)), Warnings: append([]string{}, p.Warnings...),
		CreatedAt: p.CreatedAt.UTC(), ExpiresAt: p.ExpiresAt.UTC(), DecidedAt: moment(p.DecidedAt), Renewed: optional(p.Renewed),
	}
	if p.State.Final() {
		out.Outcome = &p.Outcome
	}
	for _, l := range p.Lines {
		out.Changes = append(out.Changes, changeJSON{
			Table: l.Table, Record: optional(l.Record), RecordLabel: optional(l.RecordLabel), Verb: l.Verb, Field: l.Field, Label: l.Label,
			Before: l.Before, After: l.After, BeforeLabel: optional(l.BeforeLabel), AfterLabel: optional(l.AfterLabel), Source: optional(l.Source),
		})
	}
	return out
}

func proposals(ps []deputy.Proposal) []proposalJSON {
	out := make([]proposalJSON, 0, len(ps))
	for _, p := range ps {
		out = append(out, proposal(p))
	}
	return out
}

type groupJSON struct {
	ID        string         `json:"id"`
	State     deputy.State   `json:"state"`
	Proposals []proposalJSON `json:"proposals"`
}

func group(ps []deputy.Proposal) groupJSON {
	g := groupJSON{State: groupState(ps), Proposals: proposals(ps)}
	if len(ps) > 0 {
		g.ID = ps[0].Group
	}
	return g
}

// groupState is what matters most of the members' states: what is still to be decided, then what went wrong, then what was done.
func groupState(ps []deputy.Proposal) deputy.State {
	for _, s := range []deputy.State{deputy.Confirming, deputy.Pending, deputy.Unknown, deputy.Outdated, deputy.Failed, deputy.Done, deputy.Expired} {
		for _, p := range ps {
			if p.State == s {
				return s
			}
		}
	}
	return deputy.Rejected
}

type proposalOutput struct{ Body proposalJSON }
type groupOutput struct{ Body groupJSON }

func oneProposal(ps []deputy.Proposal, err error) (*proposalOutput, error) {
	switch {
	case err != nil:
		return nil, err
	case len(ps) == 0:
		return nil, notFound()
	}
	return &proposalOutput{proposal(ps[0])}, nil
}

func oneGroup(ps []deputy.Proposal, err error) (*groupOutput, error) {
	switch {
	case err != nil:
		return nil, err
	case len(ps) == 0:
		return nil, notFound()
	}
	return &groupOutput{group(ps)}, nil
}

type listProposalsInput struct {
	After        string       `query:"after" doc:"the next of the page before" maxLength:"20"`
	Limit        int          `query:"limit" minimum:"1" maximum:"200" default:"50"`
	State        deputy.State `query:"state" enum:"pending,confirming,done,failed,unknown,rejected,expired,stale"`
	Conversation string       `query:"conversation"`
}

func (s *server) listProposals(ctx context.Context, who deputy.Caller, in *listProposalsInput) (*listOutput[proposalJSON], error) {
	before, err := place(in.After)
	if err != nil {
		return nil, err
	}
	f := deputy.ProposalFilter{State: in.State, Conversation: in.Conversation}
	ps, err := s.door.Proposals(ctx, who, f, before, in.Limit+1)
	return page(ps, in.Limit, func(p deputy.Proposal) int64 { return p.Seq }, proposal), err
}

// isProposal and isGroup: the door takes ids of either kind, a route does not.
func isProposal(id string) error { return hasPrefix(id, "prp_") }

func isGroup(id string) error { return hasPrefix(id, "grp_") }

func hasPrefix(id, prefix string) error {
	if !strings.HasPrefix(id, prefix) {
		return notFound()
	}
	return nil
}

func (s *server) getProposal(ctx context.Context, who deputy.Caller, in *idInput) (*proposalOutput, error) {
	if err := isProposal(in.ID); err != nil {
		return nil, err
	}
	return oneProposal(s.door.Proposal(ctx, who, in.ID))
}

func (s *server) getGroup(ctx context.Context, who deputy.Caller, in *idInput) (*groupOutput, error) {
	if err := isGroup(in.ID); err != nil {
		return nil, err
	}
	return oneGroup(s.door.Proposal(ctx, who, in.ID))
}

type confirmProposalInput struct {
	ID   string `path:"id"`
	Body struct {
		Hash string `json:"hash" doc:"As it was shown"`
	}
}

type confirmGroupInput struct {
	ID   string `path:"id"`
	Body struct {
		Proposals []shownJSON `json:"proposals" minItems:"1" maxItems:"200" doc:"Every pending member"`
	}
}

type shownJSON struct {
	ID   string `json:"id"`
	Hash string `json:"hash" doc:"As it was shown"`
}

func (s *server) confirmProposal() action[confirmProposalInput, proposalOutput] {
	return action[confirmProposalInput, proposalOutput]{
		do: func(ctx context.Context, who deputy.Caller, in *confirmProposalInput, _ string) (string, error) {
			if err := isProposal(in.ID); err != nil {
				return "", err
			}
			_, err := s.door.Confirm(ctx, who, in.ID, []deputy.Shown{{ID: in.ID, Hash: in.Body.Hash}})
			return in.ID, err
		},
		tell: func(ctx context.Context, who deputy.Caller, in *confirmProposalInput, _ string) (*proposalOutput, error) {
			return oneProposal(s.confirmed(ctx, who, in.ID))
		},
	}
}

func (s *server) confirmGroup() action[confirmGroupInput, groupOutput] {
	return action[confirmGroupInput, groupOutput]{
		do: func(ctx context.Context, who deputy.Caller, in *confirmGroupInput, _ string) (string, error) {
			if err := isGroup(in.ID); err != nil {
				return "", err
			}
			shown := make([]deputy.Shown, 0, len(in.Body.Proposals))
			for _, p := range in.Body.Proposals {
				shown = append(shown, deputy.Shown{ID: p.ID, Hash: p.Hash})
			}
			_, err := s.door.Confirm(ctx, who, in.ID, shown)
			return in.ID, err
		},
		tell: func(ctx context.Context, who deputy.Caller, in *confirmGroupInput, _ string) (*groupOutput, error) {
			return oneGroup(s.confirmed(ctx, who, in.ID)) // whole: members that were rejected before belong to it
		},
	}
}

// confirmed is what a confirmation has made of a proposal or a group, as it is now: not_found where it was not confirmed, stale with what
// took its place.
func (s *server) confirmed(ctx context.Context, who deputy.Caller, id string) ([]deputy.Proposal, error) {
	ps, err := s.door.Proposal(ctx, who, id)
	if err != nil {
		return nil, err
	}
	switch groupState(ps) {
	case deputy.Pending, deputy.Rejected, deputy.Expired:
		return nil, notFound()
	case deputy.Outdated:
		return nil, s.outdated(ctx, who, ps)
	}
	return ps, nil
}

// outdated says that nothing was written, and shows what took the place of stale proposals.
func (s *server) outdated(ctx context.Context, who deputy.Caller, ps []deputy.Proposal) error {
	old := ps[slices.IndexFunc(ps, func(p deputy.Proposal) bool { return p.State == deputy.Outdated })]
	p := newProblem(deputy.Errorf(deputy.Stale, "%s", old.Outcome))
	if old.Renewed == "" {
		return p
	}
	renewed, err := s.door.Proposal(ctx, who, old.Renewed)
	if err != nil {
		return err
	}
	p.Detail += " Look at the new difference and decide again."
	now := group(renewed)
	p.Proposal = &now.Proposals[0]
	if isGroup(old.Renewed) == nil {
		p.Group = &now
	}
	return p
}

func (s *server) rejectProposal() action[idInput, proposalOutput] {
	return action[idInput, proposalOutput]{
		do: func(ctx context.Context, who deputy.Caller, in *idInput, _ string) (string, error) {
			return in.ID, s.reject(ctx, who, in.ID, isProposal)
		},
		tell: func(ctx context.Context, who deputy.Caller, in *idInput, _ string) (*proposalOutput, error) {
			return oneProposal(s.rejected(ctx, who, in.ID))
		},
	}
}

func (s *server) rejectGroup() action[idInput, groupOutput] {
	return action[idInput, groupOutput]{
		do: func(ctx context.Context, who deputy.Caller, in *idInput, _ string) (string, error) {
			return in.ID, s.reject(ctx, who, in.ID, isGroup)
		},
		tell: func(ctx context.Context, who deputy.Caller, in *idInput, _ string) (*groupOutput, error) {
			return oneGroup(s.rejected(ctx, who, in.ID))
		},
	}
}

func (s *server) reject(ctx context.Context, who deputy.Caller, id string, kind func(string) error) error {
	if err := kind(id); err != nil {
		return err
	}
	_, err := s.door.Reject(ctx, who, id)
	return err
}

// rejected is what was turned down of a proposal or a group: not_found where nothing was, or something still waits.
func (s *server) rejected(ctx context.Context, who deputy.Caller, id string) ([]deputy.Proposal, error) {
	ps, err := s.door.Proposal(ctx, who, id)
	is := func(state deputy.State) bool {
		return slices.ContainsFunc(ps, func(p deputy.Proposal) bool { return p.State == state })
	}
	if err == nil && (is(deputy.Pending) || !is(deputy.Rejected)) {
		err = notFound()
	}
	return ps, err
}
