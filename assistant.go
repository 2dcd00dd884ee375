package deputy

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"example.com/deputy/guard"
	"example.com/deputy/internal/rate"
	"example.com/deputy/internal/redact"
	"example.com/deputy/internal/working"
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
	Core         []string         // the toolsets that are always offered, by name; nil: all
	Directory    Directory        // nil: a person's rights are those the caller came with
	Limits       Limits           // zero fields mean the defaults
	Zone         *time.Location   // of people who have none; nil means UTC
	Clock        func() time.Time // nil: time.Now
	NewID        func() string    // 26 characters of lower-case base32, never the same twice; nil: from crypto/rand
	Log          *slog.Logger     // the operator's; nil: discarded. Neither data nor credentials are written to it
	// Observe is told of work as it begins, by many at once: it may give the context a child, and what it returns is told of the end. Nil: nobody is.
	Observe func(ctx context.Context, begun Span) (context.Context, func(ended Span))
}

// Span is a piece of work as Config.Observe is told of it: ids and names, never data. What its kind does not have is empty.
type Span struct {
	Kind                            string // turn, model (one call of one), tool (one call), confirm (one group carried out)
	Conversation, Turn, Call, Group string // ids
	Channel                         Channel
	Tool                            string // of those that are registered; empty: the model made one up
	Model                           ModelInfo
	Reason                          Reason  // at the end: why the turn ended; with a Code, or where it is empty, it has not
	Outcome                         Outcome // at the end: of the tool call; the state of the group's first proposal
	Usage                           Usage   // at the end: of the model call
	Stop                            Stop    // at the end: of the model call
	Code                            Code    // at the end: what went wrong; empty: nothing
}

// Limits bound what is done for a person. Zero or less means the default in brackets.
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
	Shutdown       time.Duration // that the steps under way have to end in when the assistant is stopped [20s]
	ToolsetIdle    time.Duration // without use, after which a toolset is inactive again [10m]
	Toolsets       int           // apart from the core, that a model is told of [50]
	TurnsPerMinute int           // a person [20]; below zero: no limit
}

func orDefault[T int | time.Duration](v *T, d T) {
	if *v <= 0 {
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
	orDefault(&l.Shutdown, 20*time.Second)
	orDefault(&l.ToolsetIdle, 10*time.Minute)
	orDefault(&l.Toolsets, 50)
	if l.TurnsPerMinute == 0 {
		l.TurnsPerMinute = 20
	}
	return l
}

// Assistant is the engine. It owns the goroutines of running turns.
type Assistant struct {
	cfg     Config
	reg     *registry
	system  string // the stable text before everything
	guard   *guard.Guard
	rate    *rate.Limiter
	running working.Set // the turns that this process works on, by id

	stopping context.Context // ends when the assistant is asked to stop
	stop     context.CancelFunc
}

// New checks a configuration and reports its mistakes together (errors.Join): first what is missing, then the policy's, as *ConfigError.
func New(ctx context.Context, cfg Config) (*Assistant, error) {
	cfg = cfg.withDefaults()
	reg, err := newRegistry(cfg.Toolsets, cfg.Core)
	if err := errors.Join(cfg.complete(), err); err != nil {
		return nil, err
	}
	rules, parseErr := cfg.Policy.Compile()
	var errs []error
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
	a := &Assistant{cfg: cfg, system: cfg.system(), reg: reg, guard: guard.New(cfg.Host, rules), rate: rate.New(cfg.Limits.TurnsPerMinute)}
	for _, what := range cfg.excess(reg) {
		cfg.Log.WarnContext(ctx, "toolsets", "cut", what)
	}
	a.stopping, a.stop = context.WithCancel(context.Background())
	a.running.Go("", func(error) {}, func() { a.lookForLost(a.stopping) })
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
	for _, part := range []struct {
		missing bool
		what    string
	}{
		{c.Host == nil, "Config.Host: there is no application"}, {len(c.Models) == 0, "Config.Models: there is no model"},
		{c.Store.Turns == nil || c.Store.Conversations == nil || c.Store.Messages == nil || c.Store.Proposals == nil || c.Store.Log == nil ||
			c.Store.Settings == nil || c.Store.Attempts == nil || c.Store.Analyses == nil, "Config.Store: there is no store, or a part of it is missing"},
	} {
		if part.missing {
			errs = append(errs, errors.New(part.what))
		}
	}
	return errors.Join(errs...)
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand.Read ends the program instead
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}

// Stop takes no more work and lets the steps and the confirmations under way end, for Limits.Shutdown at most; readers of journals are sent away
// at once. A turn that is not at its end then is taken up from its last step by another process on the store, or at the next start; where
// nobody could (there is no Directory) it ends as interrupted. It may be called again.
func (a *Assistant) Stop() {
	a.stop()
	a.running.Drain(a.cfg.Limits.Shutdown)
	if !a.running.Close(ending{Interrupted}, deaf) {
		a.cfg.Log.Error("stopping", "error", "a model or a tool does not end though its context has")
	}
}

// deaf is how long what was told to end may take to.
const deaf = 5 * time.Second

// stopped is what is said to who comes too late.
func (a *Assistant) stopped() error {
	if a.stopping.Err() == nil {
		return nil
	}
	return Errorf(Unavailable, "The assistant is being stopped. Try again in a moment.")
}

// Close stops the assistant, and closes the store.
func (a *Assistant) Close() error {
	a.Stop()
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

// observe tells of work that begins. What it returns is called at the end, when s is complete but for its code.
func (a *Assistant) observe(ctx context.Context, s *Span) (context.Context, func(error)) {
	if a.cfg.Observe == nil {
		return ctx, func(error) {}
	}
	child, ended := ctx, func(Span) {}
	a.hooked(ctx, func() { child, ended = a.cfg.Observe(ctx, *s) })
	return child, func(err error) {
		if err != nil {
			s.Code = CodeOf(err)
		}
		a.hooked(ctx, func() { ended(*s) })
	}
}

// hooked runs a hook of the operator's. One that panics is told of, and breaks nothing.
func (a *Assistant) hooked(ctx context.Context, hook func()) {
	var err error
	defer func() {
		if err != nil {
			a.complain(ctx, "observe", err)
		}
	}()
	defer recovered(&err)
	hook()
}

// complain tells the operator's log what broke. What was only refused is no news.
func (a *Assistant) complain(ctx context.Context, what string, err error, attrs ...any) {
	if outcomeOf(err) == Refused {
		return
	}
	a.cfg.Log.ErrorContext(ctx, what, append(attrs, "code", string(CodeOf(err)), "error", redact.Error(err))...)
}
