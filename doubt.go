package deputy

import (
	"context"
	"slices"

	"example.com/deputy/query"
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

// settleDoubt reads the records of doubtful proposals again, as their owner: an update or a delete that is there was made, one whose record is
// as it was before was not. A create is never settled by resemblance, and a group only where all its members say the same. What has no row that
// says it was sent was not. It says whether anything has changed.
func (a *Assistant) settleDoubt(ctx context.Context, who Person, ps []Proposal) bool {
	verdict, outcome := Failed, "It was interrupted before it was sent, so nothing was written. Ask again."
	if a.sent(ctx, who, ps) {
		verdict = a.verdict(ctx, who, ps)
		outcome = map[State]string{
			Done:    "No answer came at first; the record was read again, and it is done.",
			Failed:  "No answer came at first; the record was read again, and nothing was written.",
			Unknown: "It was sent, but no answer is known. Look at the record before you try again.",
		}[verdict]
	}
	var changed []Proposal
	for _, p := range ps {
		if p.State == verdict {
			continue
		}
		p.State, p.Outcome, p.DecidedAt = verdict, outcome, a.cfg.Clock()
		changed = append(changed, p)
	}
	if len(changed) == 0 {
		return false
	}
	if err := a.settle(ctx, who, "", changed, nil); err != nil && CodeOf(err) != AlreadyDecided {
		a.complain(ctx, "settling a doubtful proposal", err, "proposal", changed[0].ID)
	}
	return true
}

// sent says whether a group may have been sent: its rows are written before it is.
func (a *Assistant) sent(ctx context.Context, who Person, ps []Proposal) bool {
	rows, err := a.cfg.Store.Log.List(ctx, who, LogFilter{Turn: ps[0].Turn, Outcome: InConfirm}, 0, maxPage)
	return err != nil || slices.ContainsFunc(rows, func(e Entry) bool {
		return slices.ContainsFunc(ps, func(p Proposal) bool { return p.ID == e.Proposal })
	})
}

// verdict is the one of all changes of a group: done, failed (none was made) or unknown.
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
			one := v.made(ctx, c)
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

// made says of one change whether the record shows it.
func (v *View) made(ctx context.Context, c Change) State {
	t, err := v.Table(ctx, c.Table)
	if err != nil || c.Verb == Create {
		return Unknown
	}
	is, ok := query.Keyed(t, c.Key)
	q := query.Query{Table: t.Name, Where: is, Limit: 1, Version: c.VersionOf, Select: []query.Column{{As: "found", Expr: query.Lit{V: true, T: query.Bool}}}}
	for _, a := range c.Values {
		f, there := t.Field(a.Field)
		ok = ok && there
		q.Select = append(q.Select, query.Column{As: f.Name, Expr: query.Ref{Table: t.Name, Field: f}})
	}
	if !ok {
		return Unknown
	}
	found, err := v.Query(ctx, q)
	switch {
	case err != nil:
		return Unknown
	case len(found.Rows) == 0 && c.Verb == Delete && v.absent(ctx, t, is):
		return Done
	case len(found.Rows) == 0:
		return Unknown
	}
	set := 0
	for i, a := range c.Values {
		f, _ := t.Field(a.Field)
		if unchanged(f, found.Rows[0][i+1], a) {
			set++
		}
	}
	switch {
	case c.Verb == Update && set == len(c.Values): // also where the database does not move the version on
		return Done
	case set == 0 && found.Versions[0] == c.Version:
		return Failed
	}
	return Unknown
}

// absent says whether a record is not there at all: one that may not be read any more is not one that was deleted.
func (v *View) absent(ctx context.Context, t *query.Table, is query.Expr) bool {
	rows, err := v.host.Query(ctx, v.who, query.Query{Table: t.Name, Where: is, Limit: 1, Select: []query.Column{{As: "found", Expr: query.Lit{V: true, T: query.Bool}}}})
	return err == nil && len(rows.Rows) == 0
}
