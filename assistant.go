package deputy

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"example.com/deputy/internal/rate"
	"example.com/deputy/query"
)

// Config is everything an assistant is made of.
type Config struct {
	Name         string // of the assistant; Deputy if empty
	Instructions string // the operator's addition to the built-in system text
	Host         Host
	Models       []Model // the first is used; the next if it fails before any text
	Store        Store
	Policy       Policy
	Toolsets     []Toolset
	Directory    Directory        // nil: a person's rights are those the caller came with
	Limits       Limits           // zero fields mean the defaults
	Zone         *time.Location   // of people who have none; nil means UTC
	Clock        func() time.Time // nil: time.Now
	NewID        func() string    // 26 characters of lower-case base32, never the same twice; nil: from crypto/rand
	Log          *slog.Logger     // the operator's; nil: discarded. Neither data nor credentials are written to it
	// Observe is told of spans (turn, model, tool): it may give the context a child, and is called back at their end. Nil: nobody is told.
	Observe func(ctx context.Context, name string) (context.Context, func(error))
}

// Clock is a moment in somebody's zone.
type Clock struct {
	Now  time.Time
	Zone *time.Location
}

// Limits bound what is done for a person. Zero means the default in brackets.
type Limits struct {
	Steps          int           // model calls a turn [20]
	ToolCalls      int           // a turn [40]
	Parallel       int           // tool calls at once [8]
	ToolTimeout    time.Duration // [30s]
	TurnTimeout    time.Duration // [5m]
	ResultRows     int           // given to the model [100]
	ResultBytes    int           // given to the model [32 KiB]
	HandleRows     int           // that a call id stands for [1000]
	ProposalExpiry time.Duration // [24h]
	TurnsPerMinute int           // a person [20]; below zero: no limit
}

func orDefault[T int | time.Duration](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}

// withDefaults fills in what is zero.
func (l Limits) withDefaults() Limits {
	orDefault(&l.Steps, 20)
	orDefault(&l.ToolCalls, 40)
	orDefault(&l.Parallel, 8)
	orDefault(&l.ToolTimeout, 30*time.Second)
	orDefault(&l.TurnTimeout, 5*time.Minute)
	orDefault(&l.ResultRows, 100)
	orDefault(&l.ResultBytes, 32<<10)
	orDefault(&l.HandleRows, 1000)
	orDefault(&l.ProposalExpiry, 24*time.Hour)
	orDefault(&l.TurnsPerMinute, 20)
	return l
}

// Assistant is the engine. It owns the goroutines of running turns.
type Assistant struct {
	cfg     Config
	reg     *registry
	rules   map[string]*query.Source
	rate    *rate.Limiter
	running *running
}

// New checks a configuration and reports all its mistakes together (errors.Join); those of the policy are *ConfigError.
func New(ctx context.Context, cfg Config) (*Assistant, error) {
	cfg = cfg.withDefaults()
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	reg, err := newRegistry(cfg.Toolsets)
	rules, parseErr := cfg.Policy.parse()
	errs := []error{err}
	if full, err := cfg.Host.Catalog(ctx, Person{}); err != nil {
		errs = append(errs, err, parseErr)
	} else {
		errs = append(errs, cfg.Policy.Check(ctx, full))
	}
	for _, m := range cfg.Models {
		errs = append(errs, checkPrice(m.Info()))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	a := &Assistant{cfg: cfg, reg: reg, rules: rules, rate: rate.New(cfg.Limits.TurnsPerMinute), running: newRunning()}
	a.running.background(a.lookForLost)
	return a, nil
}

func (c Config) withDefaults() Config {
	if c.Name == "" {
		c.Name = "Deputy"
	}
	if c.Zone == nil {
		c.Zone = time.UTC
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.NewID == nil {
		c.NewID = newID
	}
	if c.Log == nil {
		c.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	c.Limits = c.Limits.withDefaults()
	return c
}

// complete says what is missing.
func (c Config) complete() error {
	var errs []error
	for what, missing := range map[string]bool{
		"Config.Host: there is no application": c.Host == nil, "Config.Models: there is no model": len(c.Models) == 0,
		"Config.Store: there is no store": c.Store.Turns == nil || c.Store.Conversations == nil || c.Store.Messages == nil ||
			c.Store.Proposals == nil || c.Store.Log == nil || c.Store.Settings == nil,
	} {
		if missing {
			errs = append(errs, errors.New(what))
		}
	}
	return errors.Join(errs...)
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand.Read ends the program instead
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}

// Close stops turns at their next step, waits for those steps, and closes the store.
func (a *Assistant) Close() error {
	a.running.close()
	if a.cfg.Store.Close == nil {
		return nil
	}
	return a.cfg.Store.Close()
}

// Door is the assistant as one channel sees it: what every transport is made of.
func (a *Assistant) Door(c Channel) *Door { return &Door{a, c} }

func (a *Assistant) id(prefix string) string { return prefix + a.cfg.NewID() }

func (a *Assistant) clock(who Person) Clock {
	zone := who.Zone
	if zone == nil {
		zone = a.cfg.Zone
	}
	return Clock{Now: a.cfg.Clock(), Zone: zone}
}

func (a *Assistant) observe(ctx context.Context, name string) (context.Context, func(error)) {
	if a.cfg.Observe == nil {
		return ctx, func(error) {}
	}
	return a.cfg.Observe(ctx, name)
}

// complain tells the operator's log what broke. What was only refused is no news.
func (a *Assistant) complain(ctx context.Context, what string, err error, attrs ...any) {
	if outcomeOf(err) == Refused {
		return
	}
	a.cfg.Log.ErrorContext(ctx, what, append(attrs, "code", string(CodeOf(err)), "error", err.Error())...)
}

// running is the turns that this process works on.
type running struct {
	mu     sync.Mutex
	wg     sync.WaitGroup
	closed bool
	stops  map[string]context.CancelCauseFunc
	quit   context.CancelFunc // of what runs in the background
}

func newRunning() *running { return &running{stops: map[string]context.CancelCauseFunc{}} }

// background runs work until the assistant is closed.
func (r *running) background(work func(context.Context)) {
	ctx, quit := context.WithCancel(context.Background())
	r.quit = quit
	r.wg.Go(func() { work(ctx) })
}

// start runs a turn by itself; false where the assistant is closed.
func (r *running) start(turn string, stop context.CancelCauseFunc, work func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.stops[turn] = stop
	r.wg.Go(func() {
		defer r.done(turn)
		work()
	})
	return true
}

func (r *running) done(turn string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stops[turn](nil)
	delete(r.stops, turn)
}

// stop ends the context of a turn that runs here.
func (r *running) stop(turn string, why Reason) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if stop, ok := r.stops[turn]; ok {
		stop(ending{why})
	}
}

// close ends the context of every turn and waits until their ends are stored.
func (r *running) close() {
	r.mu.Lock()
	r.closed = true
	r.quit()
	for _, stop := range r.stops {
		stop(ending{Interrupted})
	}
	r.mu.Unlock()
	r.wg.Wait()
}
