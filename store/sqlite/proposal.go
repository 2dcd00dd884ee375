package sqlite

import (
	"context"
	"time"

	"example.com/deputy"
)

type proposals struct{ *store }

// propose stores proposals of a person.
func (t tx) propose(person string, ps []deputy.Proposal) error {
	for _, p := range ps {
		if p.Owner.Key() != person {
			return deputy.Errorf(deputy.Invalid, "Proposal %s belongs to somebody else than its turn.", p.ID)
		}
		changes, err := encode(p.Changes)
		if err != nil {
			return err
		}
		lines, err := encode(p.Lines)
		if err != nil {
			return err
		}
		warnings, err := encode(p.Warnings)
		if err != nil {
			return err
		}
		if _, err := t.exec(`INSERT INTO deputy_proposals (person, person_name, id, group_id, position, conversation, turn, call, tool, arguments,
			changes, lines, summary, warnings, table_name, record, hash, state, created_at, expires_at, claimed_until, decided_at, outcome, renewed, prepared)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			person, p.Owner.Name, p.ID, p.Group, p.Position, p.Conversation, p.Turn, p.Call, p.Tool, string(p.Arguments),
			changes, lines, p.Summary, warnings, p.Table, p.Record, p.Hash, string(p.State), micros(p.CreatedAt), micros(p.ExpiresAt),
			micros(p.ClaimedUntil), micros(p.DecidedAt), p.Outcome, p.Renewed, string(p.Prepared)); err != nil {
			return err
		}
	}
	return nil
}

const proposalColumns = `SELECT seq, person, person_name, id, group_id, position, conversation, turn, call, tool, arguments, changes, lines,
	summary, warnings, table_name, record, hash, state, created_at, expires_at, claimed_until, decided_at, outcome, renewed, prepared FROM deputy_proposals `

func scanProposal(row scanner) (p deputy.Proposal, err error) {
	var key, name, arguments, changes, lines, warnings, prepared string
	var created, expires, claimed, decided int64
	if err := row.Scan(&p.Seq, &key, &name, &p.ID, &p.Group, &p.Position, &p.Conversation, &p.Turn, &p.Call, &p.Tool, &arguments, &changes, &lines,
		&p.Summary, &warnings, &p.Table, &p.Record, &p.Hash, &p.State, &created, &expires, &claimed, &decided, &p.Outcome, &p.Renewed, &prepared); err != nil {
		return p, err
	}
	p.Owner, p.Arguments, p.Prepared = known(key, name), raw(arguments), raw(prepared)
	p.CreatedAt, p.ExpiresAt, p.ClaimedUntil, p.DecidedAt = moment(created), moment(expires), moment(claimed), moment(decided)
	return p, decode(changes, &p.Changes, lines, &p.Lines, warnings, &p.Warnings)
}

func (s proposals) all(ctx context.Context, query string, args ...any) (out []deputy.Proposal, err error) {
	err = s.list(ctx, "proposals", proposalColumns+query, args, func(row scanner) error {
		p, err := scanProposal(row)
		out = append(out, p)
		return err
	})
	return out, err
}

func (s proposals) Get(ctx context.Context, as deputy.Person, id string) ([]deputy.Proposal, error) {
	out, err := s.all(ctx, `WHERE ? <> '' AND person = ? AND (id = ? OR group_id = ?) ORDER BY position, seq`, id, as.Key(), id, id)
	if err == nil && out == nil {
		return nil, missing("proposal")
	}
	return out, err
}

func (s proposals) List(ctx context.Context, as deputy.Person, f deputy.ProposalFilter, before int64, limit int) ([]deputy.Proposal, error) {
	where, args := `WHERE person = ? AND seq < ?`, []any{as.Key(), below(before)}
	where, args = narrow(where, args, "state", string(f.State))
	where, args = narrow(where, args, "conversation", f.Conversation)
	where, args = narrow(where, args, "turn", f.Turn)
	return s.all(ctx, where+` ORDER BY seq DESC LIMIT ?`, append(args, max(limit, 0))...)
}

// narrow adds a condition, where there is one.
func narrow(where string, args []any, column, value string) (string, []any) {
	if value == "" {
		return where, args
	}
	return where + ` AND ` + column + ` = ?`, append(args, value)
}

func (s proposals) Claim(ctx context.Context, as deputy.Person, c deputy.Claim) error {
	if len(c.Shown) == 0 {
		return deputy.Errorf(deputy.Invalid, "Nothing to confirm: no proposal is named.")
	}
	ids, pairs, distinct := []string{}, [][2]string{}, map[deputy.Shown]bool{}
	for _, shown := range c.Shown {
		ids, pairs, distinct[shown] = append(ids, shown.ID), append(pairs, [2]string{shown.ID, shown.Hash}), true
	}
	shown, err := encode(pairs)
	if err != nil {
		return err
	}
	return s.write(ctx, "claim", func(t tx) error {
		n, err := t.exec(`UPDATE deputy_proposals SET state = 'confirming', claimed_until = ?
			WHERE person = ? AND state = 'pending' AND expires_at > ? AND (id, hash) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))`,
			micros(c.Until), as.Key(), micros(c.Now), shown)
		return t.moved(as, ids, n, len(distinct), err)
	})
}

// moved turns the number of rows that a conditional write has moved into its answer: all were wanted.
func (t tx) moved(as deputy.Person, ids []string, n int64, wanted int, err error) error {
	if err != nil || n == int64(wanted) {
		return err
	}
	for _, id := range ids {
		there, err := t.any(`SELECT 1 FROM deputy_proposals WHERE person = ? AND id = ?`, as.Key(), id)
		if err != nil {
			return err
		}
		if !there {
			return missing("proposal")
		}
	}
	return deputy.Errorf(deputy.AlreadyDecided, "This has been decided already. Look at it again to see what became of it.")
}

// Settle stores State, DecidedAt, Outcome, Renewed and Record; the rest stays as it was proposed.
func (s proposals) Settle(ctx context.Context, as deputy.Person, ps, renewed []deputy.Proposal, rows ...deputy.Entry) error {
	var ids []string
	for _, p := range ps {
		if !p.State.Final() {
			return deputy.Errorf(deputy.Invalid, "Proposal %s cannot be settled as %s.", p.ID, p.State)
		}
		ids = append(ids, p.ID)
	}
	return s.write(ctx, "settle", func(t tx) error {
		for _, p := range ps {
			n, err := t.exec(`UPDATE deputy_proposals SET state = ?, decided_at = ?, outcome = ?, renewed = ?, record = ?
				WHERE person = ? AND id = ? AND (state = 'confirming' OR state = 'unknown' AND ? IN ('done', 'failed'))`,
				string(p.State), micros(p.DecidedAt), p.Outcome, p.Renewed, p.Record, as.Key(), p.ID, string(p.State))
			if err := t.moved(as, ids, n, 1, err); err != nil {
				return err
			}
		}
		if err := t.propose(as.Key(), renewed); err != nil {
			return err
		}
		return t.log(rows)
	})
}

func (s proposals) Close(ctx context.Context, as deputy.Person, ids []string, to deputy.State, outcome string, at time.Time, rows ...deputy.Entry) error {
	if to != deputy.Rejected && to != deputy.Expired {
		return deputy.Errorf(deputy.Invalid, "A proposal cannot be closed as %s.", to)
	}
	distinct := map[string]bool{}
	for _, id := range ids {
		distinct[id] = true
	}
	list, err := encode(ids)
	if err != nil {
		return err
	}
	return s.write(ctx, "close", func(t tx) error {
		n, err := t.exec(`UPDATE deputy_proposals SET state = ?, outcome = ?, decided_at = ?
			WHERE person = ? AND state = 'pending' AND id IN (SELECT value FROM json_each(?))`,
			string(to), outcome, micros(at), as.Key(), list)
		if err := t.moved(as, ids, n, len(distinct), err); err != nil {
			return err
		}
		return t.log(rows)
	})
}
