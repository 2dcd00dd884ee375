package deputy

import (
	"context"
	"log/slog"
	"time"
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
	Directory    Directory      // nil: a person's rights are those the caller came with
	Limits       Limits         // zero fields mean the defaults
	Zone         *time.Location // of people who have none; nil means UTC
	Clock        func() time.Time
	NewID        func() string // 26 characters of lower-case base32; nil: from crypto/rand
	Log          *slog.Logger  // the operator's; nil: discarded. Neither data nor credentials are written to it
	Observe      func(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, func(error))
}

// Clock is a moment in somebody's zone.
type Clock struct {
	Now  time.Time
	Zone *time.Location
}

// Limits bound a turn. Zero means the default in brackets.
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
	TurnsPerMinute int           // a person [20]
}

// Assistant is the engine. It owns the goroutines of running turns.
type Assistant struct{ cfg Config }

// New checks a configuration and reports all its mistakes together.
func New(ctx context.Context, cfg Config) (*Assistant, error) { return &Assistant{cfg: cfg}, nil }

// Close lets running steps end and closes the store.
func (a *Assistant) Close() error { return nil }

// Door is the assistant as one channel sees it: what every transport is made of.
func (a *Assistant) Door(c Channel) *Door { return &Door{a, c} }
