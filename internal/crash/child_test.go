// Package crash shows what is left when a process is killed: nothing written twice, nothing lost, nothing open for ever. It has tests only. They
// start their own binary again as a child that works on a store and a database, kill it, and start another one on the same.
package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/store/sqlite"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/records"
)

// order is what a child is told to do.
type order struct {
	Store, Host  string        // a file, a URL
	Ahead        time.Duration // how far the child's clock is ahead
	Kill         int           // the write at which it kills itself; 0: none
	After        bool          // kill it after that write, not before
	Do           string        // a task, by name
	Conversation string
	Text         string
	Turn         string
	Seen         int64 // the last event that is known
	First        int   // the first value to write
}

// line is one thing that a child says: a line of JSON on its standard output.
type line struct {
	Accepted *accepted         `json:",omitempty"`
	Event    *deputy.Event     `json:",omitempty"`
	State    []deputy.State    `json:",omitempty"`
	Code     deputy.Code       `json:",omitempty"`
	Writes   int               `json:",omitempty"`
	At       string            `json:",omitempty"`
	Dump     *dump             `json:",omitempty"`
	Renewed  []deputy.Proposal `json:",omitempty"`
	Failed   string            `json:",omitempty"`
}

// accepted is a turn that was started.
type accepted struct{ Turn, Conversation, Text string }

// dump is everything that the store has of the person.
type dump struct {
	Conversations []deputy.Conversation
	Messages      map[string][]deputy.Message // by conversation
	Events        map[string][]deputy.Event   // by turn
	Turns         map[string]deputy.Turn
	Proposals     []deputy.Proposal // oldest first
	Log           []deputy.Entry    // oldest first
}

// orderKey is the variable of the environment that makes this binary a child.
const orderKey = "CRASH_ORDER"

func TestMain(m *testing.M) {
	text := os.Getenv(orderKey)
	if text == "" {
		os.Exit(m.Run())
	}
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	say := speaker()
	if err := o.run(context.Background(), say); err != nil {
		say(line{Failed: err.Error()})
		os.Exit(3)
	}
}

// speaker writes lines that are whole even when the process is killed at once afterwards.
func speaker() func(line) {
	var mu sync.Mutex
	return func(l line) {
		raw, err := json.Marshal(l)
		if err != nil {
			panic(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if _, err := os.Stdout.Write(append(raw, '\n')); err != nil {
			os.Exit(4) // nobody listens
		}
	}
}

func pat() deputy.Caller {
	return deputy.Caller{Person: deputy.Person{Issuer: "crash", ID: "pat", Name: "Pat", Roles: []string{"worker"}}, Confirm: true}
}

// directory knows one person.
type directory struct{}

func (directory) Lookup(context.Context, string, string) (deputy.Person, error) {
	return pat().Person, nil
}

// child is an assistant in a process that may be killed.
type child struct {
	order
	say   func(line)
	store deputy.Store
	door  *deputy.Door
	ahead atomic.Int64
}

func (o order) run(ctx context.Context, say func(line)) error {
	c := &child{order: o, say: say}
	c.ahead.Store(int64(o.Ahead))
	end := &killer{at: o.Kill, after: o.After}
	closing, err := c.open(ctx, end)
	if err != nil {
		return err
	}
	task, ok := map[string]func(context.Context) error{
		"turn": c.turn, "confirm": c.confirm, "resume": c.resume, "look": c.look, "next": c.next, "watch": c.watch, "loop": c.loop, "last": c.last,
	}[o.Do]
	if !ok {
		return errors.New("no task " + o.Do)
	}
	if err := task(ctx); err != nil {
		return err
	}
	say(line{Writes: int(end.n.Load())})
	return closing()
}

// open makes the assistant, with a store and a host that count their writes.
func (c *child) open(ctx context.Context, end *killer) (func() error, error) {
	store, err := sqlite.Open(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	c.store = store
	host, err := sqldb.Open(ctx, sqldb.Config{URL: c.Host, Busy: time.Minute})
	if err != nil {
		return nil, err
	}
	a, err := deputy.New(ctx, config(end.store(store), deadly{host, end, c.say}, func() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }))
	if err != nil {
		return nil, err
	}
	c.door = a.Door(deputy.Chat)
	return func() error { return errors.Join(a.Close(), host.Close()) }, nil
}

func config(store deputy.Store, host deputy.Host, clock func() time.Time) deputy.Config {
	every := deputy.Fields{All: true}
	return deputy.Config{
		Store: store, Host: host, Models: []deputy.Model{model()}, Toolsets: []deputy.Toolset{records.New(records.Config{}), analysis.Saving(store.Analyses)}, Directory: directory{}, Clock: clock,
		Limits: deputy.Limits{TurnsPerMinute: -1},
		Policy: deputy.Policy{Roles: map[string]deputy.Role{"worker": {Tools: []string{"*"}, Tables: map[string]deputy.Access{
			"items": {Read: every, Create: every, Update: every, Delete: true}}}}},
	}
}

// turn starts a turn and tells its events.
func (c *child) turn(ctx context.Context) error {
	id, err := c.door.Start(ctx, pat(), deputy.TurnInput{Conversation: c.Conversation, Text: c.Text})
	if err != nil {
		return err
	}
	t, err := c.store.Turns.Get(ctx, pat().Person, id)
	if err != nil {
		return err
	}
	c.Turn, c.Conversation = id, t.Conversation
	c.say(line{Accepted: &accepted{id, t.Conversation, c.Text}})
	return c.follow(ctx, id)
}

func (c *child) follow(ctx context.Context, turn string) error {
	for e, err := range c.door.Follow(ctx, pat(), turn, c.Seen) {
		if err != nil {
			return err
		}
		c.say(line{Event: &e})
	}
	return nil
}

// confirm confirms what a turn has proposed, or whatever waits.
func (c *child) confirm(ctx context.Context) error {
	ps, err := c.door.Proposals(ctx, pat(), deputy.ProposalFilter{State: deputy.Pending, Turn: c.Turn}, 0, 10)
	if err != nil {
		return err
	}
	if len(ps) == 0 {
		return errors.New("nothing waits")
	}
	var shown []deputy.Shown
	for _, p := range ps {
		shown = append(shown, deputy.Shown{ID: p.ID, Hash: p.Hash})
	}
	d, err := c.door.Confirm(ctx, pat(), ps[0].Group, shown)
	l := line{Code: deputy.CodeOf(err), Renewed: d.Renewed}
	for _, p := range d.Proposals {
		l.State = append(l.State, p.State)
	}
	c.say(l)
	return nil
}

// resume waits until the turns that were running have ended, tells the events of one, and then everything there is.
func (c *child) resume(ctx context.Context) error {
	if c.Turn != "" {
		if err := c.follow(ctx, c.Turn); err != nil {
			return err
		}
	}
	d, err := c.everything(ctx)
	c.say(line{Dump: d})
	return err
}

// look looks at the proposals, before and after the lease of a confirmation has run out; then it asks something else.
func (c *child) look(ctx context.Context) error {
	if err := c.states(ctx); err != nil {
		return err
	}
	c.ahead.Add(int64(2 * time.Minute))
	if err := c.states(ctx); err != nil {
		return err
	}
	return c.next(ctx)
}

// states tells the states of all proposals, oldest first.
func (c *child) states(ctx context.Context) error {
	ps, err := c.door.Proposals(ctx, pat(), deputy.ProposalFilter{}, 0, 100)
	if err != nil {
		return err
	}
	l := line{State: []deputy.State{}}
	for _, p := range slices.Backward(ps) {
		l.State = append(l.State, p.State)
	}
	c.say(l)
	return nil
}

// next asks something else in the conversation, without looking at the proposals first, and tells everything there is.
func (c *child) next(ctx context.Context) error {
	cs, err := c.store.Conversations.List(ctx, pat().Person, "", 0, 1)
	if err != nil {
		return err
	}
	c.Conversation, c.Text = cs[0].ID, "and now?"
	if err := c.turn(ctx); err != nil {
		return err
	}
	c.Turn = ""
	return c.resume(ctx)
}

// watch looks at proposals that another process is confirming, and tries to confirm them too.
func (c *child) watch(ctx context.Context) error {
	if err := c.states(ctx); err != nil {
		return err
	}
	ps, err := c.door.Proposals(ctx, pat(), deputy.ProposalFilter{}, 0, 100)
	if err != nil {
		return err
	}
	for _, p := range ps {
		_, err := c.door.Confirm(ctx, pat(), p.ID, []deputy.Shown{{ID: p.ID, Hash: p.Hash}})
		c.say(line{Code: deputy.CodeOf(err)})
	}
	return nil
}

// everything waits for running turns, and reads the store. Each proposal is looked at, as its owner would.
func (c *child) everything(ctx context.Context) (*dump, error) {
	d := &dump{Messages: map[string][]deputy.Message{}, Events: map[string][]deputy.Event{}, Turns: map[string]deputy.Turn{}}
	var err error
	if d.Conversations, err = c.store.Conversations.List(ctx, pat().Person, "", 0, 10_000); err != nil {
		return nil, err
	}
	for _, conversation := range d.Conversations {
		ms, err := c.store.Messages.Page(ctx, pat().Person, conversation.ID, 0, 100_000)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if err := c.journal(ctx, d, m.Turn); err != nil {
				return nil, err
			}
		}
		if d.Messages[conversation.ID], err = c.store.Messages.Page(ctx, pat().Person, conversation.ID, 0, 100_000); err != nil {
			return nil, err
		}
	}
	if d.Proposals, err = c.door.Proposals(ctx, pat(), deputy.ProposalFilter{}, 0, 100_000); err != nil {
		return nil, err
	}
	d.Log, err = c.store.Log.All(ctx, deputy.LogFilter{}, 0, 1_000_000)
	slices.Reverse(d.Proposals)
	slices.Reverse(d.Log)
	return d, err
}

// journal follows a turn to its end.
func (c *child) journal(ctx context.Context, d *dump, turn string) error {
	if d.Events[turn] != nil {
		return nil
	}
	for e, err := range c.door.Follow(ctx, pat(), turn, 0) {
		if err != nil {
			return err
		}
		d.Events[turn] = append(d.Events[turn], e)
	}
	t, err := c.store.Turns.Get(ctx, pat().Person, turn)
	d.Turns[turn] = t
	return err
}

// loop settles what is in doubt, and then works on, turn after turn, each with a group that is confirmed, until it is killed.
func (c *child) loop(ctx context.Context) error {
	if _, err := c.door.Proposals(ctx, pat(), deputy.ProposalFilter{}, 0, 10_000); err != nil {
		return err
	}
	c.say(line{At: "ready"})
	for v := c.First; v < c.First+perChild; v++ {
		c.Text = fmt.Sprintf("%d: %s", v, []string{"u1 u2", fmt.Sprintf("u2 d%d", firstToDelete+v), "u1 c", "c"}[v%4])
		if err := c.turn(ctx); err != nil {
			return err
		}
		if err := c.confirm(ctx); err != nil {
			return err
		}
		c.Seen = 0
	}
	return nil
}

// last asks something else in every conversation, once all turns have ended, and tells everything there is.
func (c *child) last(ctx context.Context) error {
	d, err := c.everything(ctx)
	if err != nil {
		return err
	}
	for _, conversation := range d.Conversations {
		c.Conversation, c.Text = conversation.ID, "and now?"
		if err := c.turn(ctx); err != nil {
			return err
		}
	}
	c.Turn = ""
	return c.resume(ctx)
}
