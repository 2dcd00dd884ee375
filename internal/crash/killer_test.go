package crash

import (
	"context"
	"encoding/json"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"example.com/deputy"
)

// killer counts writes, and ends the process at one of them.
type killer struct {
	at    int
	after bool
	n     atomic.Int64
}

// write makes one write. The process may not live to see it, or its end.
func (k *killer) write(do func() error) error {
	n := int(k.n.Add(1))
	if n == k.at && !k.after {
		die()
	}
	err := do()
	if n == k.at && k.after {
		die()
	}
	return err
}

// die ends the process as kill -9 does: no deferred function runs, nothing is flushed.
func die() {
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		panic(err)
	}
	select {}
}

// store is a store whose writes are counted.
func (k *killer) store(s deputy.Store) deputy.Store {
	s.Conversations = conversations{s.Conversations, k}
	s.Turns = turns{s.Turns, k}
	s.Proposals = proposals{s.Proposals, k}
	s.Log = log{s.Log, k}
	s.Settings = settings{s.Settings, k}
	s.Analyses = analyses{s.Analyses, k}
	return s
}

type conversations struct {
	deputy.Conversations
	k *killer
}

func (c conversations) Create(ctx context.Context, as deputy.Person, v deputy.Conversation) error {
	return c.k.write(func() error { return c.Conversations.Create(ctx, as, v) })
}

func (c conversations) Rename(ctx context.Context, as deputy.Person, id, title string) error {
	return c.k.write(func() error { return c.Conversations.Rename(ctx, as, id, title) })
}

type turns struct {
	deputy.Turns
	k *killer
}

func (t turns) Start(ctx context.Context, as deputy.Person, v deputy.Turn, first []deputy.Message, until time.Time) (l deputy.Lease, err error) {
	err = t.k.write(func() (err error) {
		l, err = t.Turns.Start(ctx, as, v, first, until)
		return err
	})
	return l, err
}

// Commit is no write of its own where it only renews the lease, which it does when a machine is slow.
func (t turns) Commit(ctx context.Context, l deputy.Lease, s deputy.Step) error {
	if len(s.Messages)+len(s.Events)+len(s.Proposals)+s.Steps == 0 && s.Finish == "" {
		return t.Turns.Commit(ctx, l, s)
	}
	return t.k.write(func() error { return t.Turns.Commit(ctx, l, s) })
}

// Claim is a write only where there is something to claim.
func (t turns) Claim(ctx context.Context, now, until time.Time) (deputy.Turn, deputy.Lease, error) {
	turn, l, err := t.Turns.Claim(ctx, now, until)
	if err == nil {
		err = t.k.write(func() error { return nil })
	}
	return turn, l, err
}

type proposals struct {
	deputy.Proposals
	k *killer
}

func (p proposals) Claim(ctx context.Context, as deputy.Person, c deputy.Claim) error {
	return p.k.write(func() error { return p.Proposals.Claim(ctx, as, c) })
}

func (p proposals) Settle(ctx context.Context, as deputy.Person, ps, renewed []deputy.Proposal, rows ...deputy.Entry) error {
	return p.k.write(func() error { return p.Proposals.Settle(ctx, as, ps, renewed, rows...) })
}

func (p proposals) Close(ctx context.Context, as deputy.Person, ids []string, to deputy.State, outcome string, at time.Time, rows ...deputy.Entry) error {
	return p.k.write(func() error { return p.Proposals.Close(ctx, as, ids, to, outcome, at, rows...) })
}

type log struct {
	deputy.Log
	k *killer
}

func (l log) Append(ctx context.Context, rows ...deputy.Entry) error {
	return l.k.write(func() error { return l.Log.Append(ctx, rows...) })
}

type settings struct {
	deputy.Settings
	k *killer
}

func (s settings) Put(ctx context.Context, name string, value json.RawMessage) error {
	return s.k.write(func() error { return s.Settings.Put(ctx, name, value) })
}

type analyses struct {
	deputy.Analyses
	k *killer
}

func (s analyses) Put(ctx context.Context, as deputy.Person, a deputy.SavedAnalysis) (stored deputy.SavedAnalysis, err error) {
	err = s.k.write(func() (err error) {
		stored, err = s.Analyses.Put(ctx, as, a)
		return err
	})
	return stored, err
}

// deadly is a host whose writes are counted: the process may die before, or between the host's commit and whatever comes of it.
type deadly struct {
	deputy.Host
	k   *killer
	say func(line)
}

func (d deadly) Apply(ctx context.Context, as deputy.Person, key string, ws []deputy.Write) (done []deputy.Applied, err error) {
	err = d.k.write(func() (err error) {
		d.say(line{At: "apply"})
		done, err = d.Host.Apply(ctx, as, key, ws)
		return err
	})
	return done, err
}
