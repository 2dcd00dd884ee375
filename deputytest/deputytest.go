// Package deputytest tests your own tools, rules and prompts: a Desk is a real assistant, with a model that says what the test tells it,
// a store in memory, and a host in memory that records what it is asked.
//
//	desk := deputytest.New(t, deputytest.Config{Tables: tables, Rows: rows, Policy: policy, Toolsets: []deputy.Toolset{billing()}})
//	ann := deputytest.Person("ann", "accounts")
//	desk.Script(deputytest.Call("billing_credit_invoice", `{"id":"1"}`))
//	turn := desk.Ask(ann, "Credit invoice 1.")
//	decision, err := desk.Confirm(ann, turn.Proposals...)
//
// Nothing of it is a stand-in but the model and the host: gate, guard, proposals, log and journal are those of production.
package deputytest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/store/memory"
	"example.com/deputy/toolset/records"
)

// Config is what a desk is made of. The zero value is an application without tables in which nobody may do anything.
type Config struct {
	Tables []query.Table          // of the host in memory
	Rows   map[string][]query.Row // by table name
	// Host is an application of your own instead; Tables and Rows are not used then. Nil: one in memory.
	Host     deputy.Host
	Policy   deputy.Policy    // as in production: no role, no access. AllowAll makes one that does not stand in the way
	Toolsets []deputy.Toolset // nil: the tools for records (toolset/records)
	Now      time.Time        // what time it is, until Pass; zero: 2026-01-02 03:04:05 UTC
	// Adjust has the last word on everything else the assistant is made of: limits, instructions, a directory, another model. Nil: nothing.
	Adjust func(*deputy.Config)
}

// Desk is an assistant for a test. It is closed when its test ends. Turns are asked for one after another, by one goroutine; what goes
// wrong with the desk itself ends the test.
type Desk struct {
	// Host is the application, with what it was asked and its rows as they are; nil where Config.Host is another kind of host.
	Host *hosttest.Fake
	// Door is what the methods go through: for what they do not do.
	Door *deputy.Door

	t     testing.TB
	store deputy.Store
	model *model
	time  *clock
}

// New makes a desk. A mistake in the configuration ends the test, and so does what the assistant refuses to start with. Answers of Script
// that the model never came to give fail the test at its end.
func New(t testing.TB, c Config) *Desk {
	t.Helper()
	if c.Host == nil {
		c.Host = hosttest.New(c.Tables, c.Rows)
	}
	if c.Toolsets == nil {
		c.Toolsets = []deputy.Toolset{records.New(records.Config{})}
	}
	if c.Now.IsZero() {
		c.Now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	}
	d := &Desk{t: t, model: &model{}, time: &clock{now: c.Now}}
	d.Host, _ = c.Host.(*hosttest.Fake)
	cfg := deputy.Config{
		Host: c.Host, Models: []deputy.Model{scripted.New(d.model.answer)}, Store: memory.New(), Policy: c.Policy, Toolsets: c.Toolsets,
		Limits: deputy.Limits{TurnsPerMinute: -1}, Clock: d.time.read, NewID: ids(),
	}
	if c.Adjust != nil {
		c.Adjust(&cfg)
	}
	d.open(cfg)
	return d
}

// open starts the assistant, until the test ends.
func (d *Desk) open(cfg deputy.Config) {
	d.t.Helper()
	a, err := deputy.New(d.t.Context(), cfg)
	if err != nil {
		d.t.Fatalf("deputytest: the assistant does not start: %v", err)
	}
	d.store, d.Door = cfg.Store, a.Door(deputy.Embedded)
	d.t.Cleanup(func() {
		if err := a.Close(); err != nil {
			d.t.Errorf("deputytest: closing the assistant: %v", err)
		}
		if n := d.model.left(); n > 0 && !d.t.Failed() {
			d.t.Errorf("deputytest: %d answers of the script were never given", n)
		}
	})
}

// For is the same desk for a subtest: what goes wrong ends that one. The desk stays open until the test that made it ends.
func (d *Desk) For(t testing.TB) *Desk {
	one := *d
	one.t = t
	return &one
}

// Pass lets time pass: the clock stands still otherwise.
func (d *Desk) Pass(by time.Duration) { d.time.pass(by) }

// Log is every row of the tool-call log, of everybody, the oldest first.
func (d *Desk) Log() []deputy.Entry {
	d.t.Helper()
	const page = 100
	var out []deputy.Entry
	for before := int64(0); ; {
		rows, err := d.store.Log.All(d.t.Context(), deputy.LogFilter{}, before, page)
		if err != nil {
			d.t.Fatalf("deputytest: reading the log: %v", err)
		}
		for _, e := range rows {
			out = append([]deputy.Entry{e}, out...)
		}
		if len(rows) < page {
			return out
		}
		before = rows[len(rows)-1].Seq
	}
}

// Person is somebody with roles, whose credential may confirm. Attributes may be added: ann.Attributes["region"] = "north".
func Person(id string, roles ...string) deputy.Caller {
	return deputy.Caller{Person: deputy.Person{Issuer: "test", ID: id, Name: id, Roles: roles, Attributes: map[string]string{}}, Confirm: true}
}

// AllowAll is a policy in which each of the roles may use every tool, and read and write every base table.
func AllowAll(roles ...string) deputy.Policy {
	all := deputy.Fields{All: true}
	p := deputy.Policy{Roles: map[string]deputy.Role{}}
	for _, name := range roles {
		p.Roles[name] = deputy.Role{Tools: []string{"*"}, Tables: map[string]deputy.Access{"*": {Read: all, Create: all, Update: all, Delete: true}}}
	}
	return p
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// ids counts.
func ids() func() string {
	var mu sync.Mutex
	n := 0
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf("%026d", n)
	}
}
