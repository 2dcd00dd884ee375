package deputy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/deputy/guard"
	"example.com/deputy/query"
)

// hash binds a proposal to its owner, tool, arguments, changes, what is shown of them, its warnings, and what is prepared.
func (p Proposal) hash() string {
	bound := []any{p.ID, p.Owner.Key(), p.Tool, p.Arguments, p.Changes, p.Lines, p.Summary, p.Warnings}
	if p.Prepared != nil {
		bound = append(bound, p.Prepared)
	}
	b, err := json.Marshal(bound)
	if err != nil {
		return ""
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// Decision is what became of a confirmation. Where the error of Confirm is stale, Renewed are the new pending proposals (none: the
// outcomes say why).
type Decision struct {
	Proposals []Proposal
	Renewed   []Proposal
}

// Confirm decides a proposal, or a group by its id, once. shown lists every pending member with the hash that the person was shown. It
// returns the proposals as they are afterwards: done, failed (nothing was written) or unknown. Errors: permission_denied where the
// credential may not confirm; conflict (a hash differs, the turn still runs, the group has other members); already_decided; expired;
// stale, with what took their place in Decision.Renewed.
func (d *Door) Confirm(ctx context.Context, who Caller, id string, shown []Shown) (out Decision, err error) {
	if !d.a.running.Do(func() { out, err = d.confirm(ctx, who, id, shown) }) {
		err = d.a.stopped()
	}
	return out, err
}

func (d *Door) confirm(ctx context.Context, who Caller, id string, shown []Shown) (Decision, error) {
	a := d.a
	person, err := d.decider(ctx, who)
	if err != nil {
		return Decision{}, err
	}
	ps, err := a.decidable(ctx, person, id)
	if err != nil {
		return Decision{}, err
	}
	if err := same(ps, shown); err != nil {
		return Decision{}, err
	}
	now := a.cfg.Clock()
	claim := Claim{Shown: shown, Now: now, Until: now.Add(time.Duration(len(runs(ps)))*a.cfg.Limits.ToolTimeout + 2*leaseFor)}
	if err := a.cfg.Store.Proposals.Claim(ctx, person, claim); err != nil {
		return Decision{}, a.lost(ctx, person, id, err)
	}
	ctx = context.WithoutCancel(ctx) // a click that goes away does not leave a write half known
	renewed := d.carryOut(ctx, person, ps, now.Add(leaseFor))
	for i := range ps {
		ps[i].DecidedAt = a.cfg.Clock()
	}
	if err := a.settle(ctx, person, d.channel, ps, renewed); err != nil {
		return Decision{}, err
	}
	out := Decision{Proposals: ps, Renewed: renewed}
	if slices.ContainsFunc(ps, func(p Proposal) bool { return p.State == Outdated }) {
		return out, Errorf(Stale, "The record has changed since you were shown it. Nothing was written. %s", staleAdvice(renewed, ps))
	}
	return out, nil
}

func staleAdvice(renewed, ps []Proposal) string {
	if len(renewed) > 0 {
		return "Look at the new difference and decide again."
	}
	return ps[0].Outcome
}

// decider is the gate of decisions: access, kill switch, and a credential that may confirm.
func (d *Door) decider(ctx context.Context, who Caller) (Person, error) {
	person, err := d.a.pass(ctx, who.Person)
	if err != nil {
		return person, err
	}
	if !who.Confirm {
		return person, Errorf(PermissionDenied, "This credential may not confirm or reject proposals.")
	}
	return person, nil
}

// decidable are the pending proposals that an id stands for. A member of a group of several is not decided by itself.
func (a *Assistant) decidable(ctx context.Context, who Person, id string) ([]Proposal, error) {
	open, err := a.opened(ctx, who, id)
	if err != nil {
		return nil, err
	}
	group, err := a.proposals(ctx, who, open[0].Group)
	if err != nil {
		return nil, err
	}
	if len(pending(group)) > len(open) {
		return nil, Errorf(Conflict, "It is one of a group: confirm the group %s, or reject members first.", open[0].Group)
	}
	return open, nil
}

// opened are the pending proposals that an id stands for, once the turn that made them has ended.
func (a *Assistant) opened(ctx context.Context, who Person, id string) ([]Proposal, error) {
	ps, err := a.proposals(ctx, who, id)
	if err != nil {
		return nil, err
	}
	open := pending(ps)
	if len(open) == 0 {
		return nil, closed(ps)
	}
	t, err := a.cfg.Store.Turns.Get(ctx, who, ps[0].Turn)
	if err != nil {
		return nil, err
	}
	if t.State == TurnRunning {
		return nil, Errorf(Conflict, "The turn that proposes it is still running.")
	}
	return open, nil
}

func pending(ps []Proposal) (out []Proposal) {
	for _, p := range ps {
		if p.State == Pending {
			out = append(out, p)
		}
	}
	return out
}

// closed says why there is nothing to decide.
func closed(ps []Proposal) error {
	if slices.ContainsFunc(ps, func(p Proposal) bool { return p.State == Expired }) {
		return Errorf(ExpiredCode, "The proposal has expired. Ask again.")
	}
	return Errorf(AlreadyDecided, "It is decided already: %s.", ps[0].State)
}

// same compares what the person was shown with what is stored.
func same(ps []Proposal, shown []Shown) error {
	differs := Errorf(Conflict, "What you were shown is not what is stored. Look at it again.")
	if len(ps) != len(shown) {
		return differs
	}
	for _, p := range ps {
		if !slices.Contains(shown, Shown{p.ID, p.Hash}) || p.Hash != p.hash() {
			return differs
		}
	}
	return nil
}

// lost says why a claim was not won.
func (a *Assistant) lost(ctx context.Context, who Person, id string, err error) error {
	if CodeOf(err) != AlreadyDecided {
		return err
	}
	if ps, err := a.proposals(ctx, who, id); err == nil && len(pending(ps)) < len(ps) {
		return closed(ps)
	}
	return err
}

// carryOut writes a claimed group, once, and gives each proposal its outcome. Where it has become stale, it returns what takes its place. What
// cannot be sent by some time is not: its answer might come when the lease is over, and others have said already that nothing was written.
func (d *Door) carryOut(ctx context.Context, who Person, ps []Proposal, by time.Time) (renewed []Proposal) {
	a := d.a
	for _, p := range ps {
		if tool := a.reg.tools[p.Tool]; tool.kind != KindPropose || !a.granted(who, tool) || p.outside() != (tool.effect != nil) {
			every(ps, Failed, "Not a write tool: "+p.Tool)
			return nil
		}
	}
	span := &Span{Kind: "confirm", Conversation: ps[0].Conversation, Turn: ps[0].Turn, Group: ps[0].Group, Channel: d.channel}
	ctx, end := a.observe(WithTurn(ctx, ps[0].Turn), span)
	err := d.inOrder(ctx, who, ps, by)
	if err != nil {
		a.complain(ctx, "confirm", err, "proposal", ps[0].ID)
	}
	span.Outcome = Outcome(ps[0].State)
	end(err)
	if !slices.ContainsFunc(ps, func(p Proposal) bool { return p.State == Outdated }) {
		return nil
	}
	return a.renewAll(ctx, d.channel, who, ps)
}

func every(ps []Proposal, s State, outcome string) {
	for i := range ps {
		ps[i].State, ps[i].Outcome = s, outcome
	}
}

// inOrder carries a group out run by run, and stops at the first that is not done. Where nothing was done before one that is stale, all are.
// The error is the operator's; the outcomes are set.
func (d *Door) inOrder(ctx context.Context, who Person, ps []Proposal, by time.Time) error {
	made, done, all := Made{}, 0, runs(ps)
	for _, run := range all {
		key := run[0].ID
		if len(all) == 1 {
			key = run[0].Group
		}
		err := d.carry(ctx, who, run, key, made, by)
		if !slices.ContainsFunc(run, func(p Proposal) bool { return p.State != Done }) {
			done += len(run)
			by = by.Add(d.a.cfg.Limits.ToolTimeout)
			continue
		}
		stale := slices.IndexFunc(run, func(p Proposal) bool { return p.State == Outdated })
		switch rest := ps[done+len(run):]; {
		case stale >= 0 && done == 0:
			every(ps, Outdated, run[stale].Outcome)
		case stale >= 0:
			every(run, Failed, run[stale].Outcome)
			fallthrough
		default:
			every(rest, Failed, "It was "+notAttempted+": what goes before it in the group was not done.")
		}
		return err
	}
	return nil
}

// carry carries out one run of a group: its rows of the log first, and only while there is time for its answer.
func (d *Door) carry(ctx context.Context, who Person, run []Proposal, key string, made Made, by time.Time) error {
	a := d.a
	var rows []Entry
	for _, p := range run {
		rows = append(rows, a.decided(who, d.channel, p, InConfirm))
	}
	if err := a.cfg.Store.Log.Append(ctx, rows...); err != nil {
		every(run, Failed, "The log cannot be written, so nothing was.")
		return err
	}
	if a.cfg.Clock().After(by) {
		every(run, Failed, "It was held up for too long, so nothing was written. Ask again.")
		return nil
	}
	if run[0].outside() {
		return d.affect(ctx, who, run)
	}
	return d.write(ctx, who, run, key, made)
}

// affect makes the write of an effect: the only proposal of its run.
func (d *Door) affect(ctx context.Context, who Person, run []Proposal) error {
	nothing, err := d.a.runEffect(ctx, who, d.channel, run[0])
	switch {
	case err == nil:
		every(run, Done, "Done.")
	case nothing && CodeOf(err) == Stale:
		every(run, Outdated, MessageOf(err))
	case nothing:
		every(run, Failed, "Nothing was written: "+MessageOf(err))
	default:
		every(run, Unknown, "It was sent, but no answer came. Look whether it was done before you try again.")
	}
	return err
}

// write re-admits the changes with the rights of now and applies them as one. made are the keys of what was made before in the group, and
// since. The error is the operator's; the outcomes are set.
func (d *Door) write(ctx context.Context, who Person, ps []Proposal, key string, made Made) error {
	var all []Change
	var of []int // the proposal of each change
	for i, p := range ps {
		for _, c := range p.Changes {
			all, of = append(all, made.Into(c)), append(of, i)
		}
	}
	done, nothing, err := d.send(ctx, who, key, ps, all)
	switch {
	case err == nil:
		d.a.outcomes(ps, done, of)
		for i, ap := range done {
			made.Add(Write{Change: all[i]}, ap)
		}
	case nothing:
		every(ps, Failed, "Nothing was written: "+MessageOf(err))
	default:
		every(ps, Unknown, "It was sent, but no answer came. Look at the record before you try again.")
	}
	return err
}

// send asks the host to make all changes of proposals, once, those of each with what its tool lends now. With an error, nothing says whether it
// is known that none was made: it was not sent, or the host
// says so by its contract. A host that panics says nothing.
func (d *Door) send(ctx context.Context, who Person, key string, ps []Proposal, all []Change) (done []Applied, nothing bool, err error) {
	defer recovered(&err)
	ctx, cancel := context.WithTimeout(ctx, d.a.cfg.Limits.ToolTimeout)
	defer cancel()
	nothing = true
	v, err := d.a.view(ctx, who)
	if err != nil {
		return nil, nothing, err
	}
	var ws []Write
	for _, p := range ps {
		at, tool := len(ws), d.a.reg.tools[p.Tool]
		if err := tool.stillUseful(ctx, v); err != nil {
			return nil, nothing, err
		}
		more, err := guard.Admit(ctx, guard.Lend(v, tool.def.Grants), all[:at], all[at:at+len(p.Changes)])
		if err != nil {
			return nil, nothing, err
		}
		ws = append(ws, more...)
	}
	nothing = false
	done, err = d.a.cfg.Host.Apply(ctx, who, key, ws)
	if err == nil && len(done) != len(ws) {
		return nil, nothing, fmt.Errorf("host answered %d of %d writes", len(done), len(ws))
	}
	if err == nil {
		guard.Untested(ws, done)
	}
	var e *Error
	return done, errors.As(err, &e), err
}

// outcomes gives each proposal what became of its changes. Where nothing was done, one that is stale makes all of them so; where the host
// has no transactions, what was done stays done, and is said.
func (a *Assistant) outcomes(ps []Proposal, done []Applied, of []int) {
	each := make([][]Applied, len(ps))
	for i, ap := range done {
		each[of[i]] = append(each[of[i]], ap)
	}
	if stale, ok := nothingDone(done); ok && stale != "" {
		every(ps, Outdated, stale)
		return
	}
	for i := range ps {
		ps[i].State, ps[i].Outcome = together(each[i])
		if ps[i].State == Done && ps[i].Record == "" && ps[i].Changes[0].Verb == Create {
			ps[i].Record = query.RecordID(each[i][0].Key)
		}
	}
}

// nothingDone says whether no write was made, and why it is stale, if it is.
func nothingDone(done []Applied) (stale string, ok bool) {
	for _, ap := range done {
		if ap.State == Done {
			return "", false
		}
		if ap.State == Outdated && stale == "" {
			stale = ap.Error
		}
	}
	return stale, true
}

const notAttempted = "not attempted"

// together is the fate of one proposal from those of its changes, in their order.
func together(aps []Applied) (State, string) {
	made := 0
	for i, ap := range aps {
		switch {
		case ap.State == Done:
			made++
			continue
		case made > 0:
			return Unknown, fmt.Sprintf("Only %d of its %d changes were made; then: %s Look at the records before you try again.", made, len(aps), why(aps[i:]))
		}
		return Failed, why(aps[i:])
	}
	return Done, "Done."
}

// why is the first thing said of changes that were not made.
func why(aps []Applied) string {
	for _, ap := range aps {
		if ap.Error != "" {
			return ap.Error
		}
	}
	return notAttempted
}

// renewAll proposes a stale group again: as a whole or not at all. Where it cannot be, the outcomes say why.
func (a *Assistant) renewAll(ctx context.Context, channel Channel, who Person, ps []Proposal) []Proposal {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Limits.ToolTimeout)
	defer cancel()
	history, err := a.history(ctx, who, ps[0].Conversation, 0)
	in := &turning{turn: Turn{ID: ps[0].Turn, Conversation: ps[0].Conversation, Channel: channel}, who: who, history: history}
	group := a.id("grp_")
	for i, old := range ps {
		var p *Proposal
		if err == nil {
			p, err = a.renew(ctx, in, old)
		}
		if err != nil {
			a.complain(ctx, "proposing again", err, "proposal", old.ID)
			every(ps, Outdated, "Changed since it was proposed; nothing was written. It cannot be proposed again: "+MessageOf(err))
			return nil
		}
		p.Group, p.Position = group, i+1
		in.group = append(in.group, *p)
	}
	for i := range ps {
		ps[i].State, ps[i].Outcome = Outdated, "Changed since it was proposed; nothing was written."
		if ps[i].Renewed = group; len(ps) == 1 {
			ps[i].Renewed = in.group[0].ID
		}
	}
	return in.group
}

// settle stores outcomes together with their rows of the log.
func (a *Assistant) settle(ctx context.Context, who Person, channel Channel, ps, renewed []Proposal) error {
	var rows []Entry
	for _, p := range ps {
		o := Outcome(p.State)
		if p.State == Done {
			o = WasConfirmed
		}
		rows = append(rows, a.decided(who, channel, p, o))
	}
	for _, p := range renewed {
		rows = append(rows, a.decided(who, channel, p, Proposed))
	}
	return a.cfg.Store.Proposals.Settle(ctx, who, ps, renewed, rows...)
}

// Reject turns a proposal, or all pending ones of a group, down; with it those of its group that build on a record it would have created.
func (d *Door) Reject(ctx context.Context, who Caller, id string) ([]Proposal, error) {
	a := d.a
	person, err := d.decider(ctx, who)
	if err != nil {
		return nil, err
	}
	open, err := a.opened(ctx, person, id)
	if err != nil {
		return nil, err
	}
	group, err := a.proposals(ctx, person, open[0].Group)
	if err != nil {
		return nil, err
	}
	if err := a.close(ctx, person, d.channel, withDependents(open, pending(group)), Rejected, "Rejected by you.", a.cfg.Clock()); err != nil {
		return nil, a.lost(ctx, person, id, err)
	}
	return a.proposals(ctx, person, id)
}

// withDependents are proposals, and those of their group that build on what they create, in the order of the group.
func withDependents(ps, group []Proposal) (out []Proposal) {
	gone := map[string]bool{}
	for _, p := range group {
		builds := slices.ContainsFunc(p.Changes, func(c Change) bool {
			return slices.ContainsFunc(c.Values, func(a Assign) bool { return gone[a.From] })
		})
		if !builds && !slices.ContainsFunc(ps, func(q Proposal) bool { return q.ID == p.ID }) {
			continue
		}
		out = append(out, p)
		for _, c := range p.Changes {
			gone[c.ID] = c.ID != ""
		}
	}
	return out
}

// close ends pending proposals without a write.
func (a *Assistant) close(ctx context.Context, who Person, channel Channel, ps []Proposal, to State, outcome string, at time.Time) error {
	var ids []string
	var rows []Entry
	for _, p := range ps {
		ids = append(ids, p.ID)
		rows = append(rows, a.decided(who, channel, p, Outcome(to)))
	}
	return a.cfg.Store.Proposals.Close(ctx, who, ids, to, outcome, at, rows...)
}
