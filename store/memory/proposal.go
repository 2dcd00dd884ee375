package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"example.com/deputy"
)

type proposals struct{ *store }

// owned refuses proposals that are not the person's own.
func owned(as deputy.Person, ps []deputy.Proposal) error {
	for _, p := range ps {
		if p.Owner.Key() != as.Key() {
			return deputy.Errorf(deputy.Invalid, "Proposal %s belongs to somebody else than its turn.", p.ID)
		}
	}
	return nil
}

func (s *store) propose(ps []deputy.Proposal) {
	for _, p := range ps {
		p = kept(p)
		p.Seq = s.next()
		s.proposals = append(s.proposals, &p)
	}
}

// proposal finds one of the person's, by its own id only.
func (s *store) proposal(as deputy.Person, id string) (*deputy.Proposal, error) {
	for _, p := range s.proposals {
		if p.ID == id && p.Owner.Key() == as.Key() {
			return p, nil
		}
	}
	return nil, missing("proposal")
}

// all finds them all in a state, or none.
func (s *store) all(as deputy.Person, ids []string, states ...deputy.State) ([]*deputy.Proposal, error) {
	var out []*deputy.Proposal
	decided := false
	for _, id := range ids {
		p, err := s.proposal(as, id)
		if err != nil {
			return nil, err
		}
		decided = decided || !slices.Contains(states, p.State)
		out = append(out, p)
	}
	if decided {
		return nil, alreadyDecided()
	}
	return out, nil
}

func alreadyDecided() error {
	return deputy.Errorf(deputy.AlreadyDecided, "This has been decided already. Look at it again to see what became of it.")
}

func (s proposals) Get(ctx context.Context, as deputy.Person, id string) ([]deputy.Proposal, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	var out []deputy.Proposal
	for _, p := range s.proposals {
		if id != "" && (p.ID == id || p.Group == id) && p.Owner.Key() == as.Key() {
			out = append(out, kept(*p))
		}
	}
	if out == nil {
		return nil, missing("proposal")
	}
	slices.SortStableFunc(out, func(a, b deputy.Proposal) int { return cmp.Compare(a.Position, b.Position) })
	return out, nil
}

func (s proposals) List(ctx context.Context, as deputy.Person, f deputy.ProposalFilter, before int64, limit int) (out []deputy.Proposal, err error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	for _, p := range newest(s.proposals, limit, func(p *deputy.Proposal) bool {
		return p.Owner.Key() == as.Key() && (before == 0 || p.Seq < before) && (f.State == "" || p.State == f.State) &&
			(f.Conversation == "" || p.Conversation == f.Conversation) && (f.Turn == "" || p.Turn == f.Turn)
	}) {
		out = append(out, *p)
	}
	return out, nil
}

func (s proposals) Claim(ctx context.Context, as deputy.Person, c deputy.Claim) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	var ids []string
	for _, shown := range c.Shown {
		ids = append(ids, shown.ID)
	}
	ps, err := s.all(as, ids, deputy.Pending)
	if err != nil {
		return err
	}
	if len(ps) == 0 {
		return deputy.Errorf(deputy.Invalid, "Nothing to confirm: no proposal is named.")
	}
	for i, p := range ps {
		if p.Hash != c.Shown[i].Hash || !p.ExpiresAt.After(moment(c.Now)) {
			return alreadyDecided()
		}
	}
	for _, p := range ps {
		p.State, p.ClaimedUntil = deputy.Confirming, moment(c.Until)
	}
	return nil
}

// Settle stores State, DecidedAt, Outcome, Renewed and Record; the rest stays as it was proposed.
func (s proposals) Settle(ctx context.Context, as deputy.Person, ps, renewed []deputy.Proposal, rows ...deputy.Entry) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	var ids []string
	for _, p := range ps {
		if !p.State.Final() {
			return deputy.Errorf(deputy.Invalid, "Proposal %s cannot be settled as %s.", p.ID, p.State)
		}
		ids = append(ids, p.ID)
	}
	olds, err := s.all(as, ids, deputy.Confirming, deputy.Unknown)
	if err != nil {
		return err
	}
	for i, old := range olds { // what is unknown may still become known
		if old.State == deputy.Unknown && ps[i].State != deputy.Done && ps[i].State != deputy.Failed {
			return alreadyDecided()
		}
	}
	if err := owned(as, renewed); err != nil {
		return err
	}
	for i, p := range olds {
		p.State, p.DecidedAt, p.Outcome, p.Renewed, p.Record = ps[i].State, moment(ps[i].DecidedAt), ps[i].Outcome, ps[i].Renewed, ps[i].Record
	}
	s.propose(renewed)
	s.record(rows)
	return nil
}

func (s proposals) Close(ctx context.Context, as deputy.Person, ids []string, to deputy.State, outcome string, at time.Time, rows ...deputy.Entry) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	if to != deputy.Rejected && to != deputy.Expired {
		return deputy.Errorf(deputy.Invalid, "A proposal cannot be closed as %s.", to)
	}
	ps, err := s.all(as, ids, deputy.Pending)
	if err != nil {
		return err
	}
	for _, p := range ps {
		p.State, p.Outcome, p.DecidedAt = to, outcome, moment(at)
	}
	s.record(rows)
	return nil
}
