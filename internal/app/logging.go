package app

import (
	"cmp"
	"context"
	"io"
	"log/slog"

	"example.com/deputy"
	"example.com/deputy/internal/redact"
)

// newLog is the operator's log: lines as the configuration wants them, from its level on, byDefault where it names none. An error is written
// as redact describes it, whoever logs it.
func newLog(w io.Writer, c LogConfig, byDefault slog.Level) *slog.Logger {
	level := map[string]slog.Level{"": byDefault, "debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}[c.Level]
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: withoutText}
	if c.Format == "json" {
		return slog.New(marked{slog.NewJSONHandler(w, options)})
	}
	return slog.New(marked{slog.NewTextHandler(w, options)})
}

// withoutText takes the text out of errors.
func withoutText(_ []string, a slog.Attr) slog.Attr {
	if err, ok := a.Value.Any().(error); ok {
		return slog.String(a.Key, redact.Error(err))
	}
	return a
}

// marked is a handler that says of each line which request, conversation and turn it is of, where its context knows.
type marked struct{ slog.Handler }

// Handle implements slog.Handler.
func (h marked) Handle(ctx context.Context, r slog.Record) error {
	said := map[string]bool{}
	r.Attrs(func(a slog.Attr) bool {
		said[a.Key] = true
		return true
	})
	r = r.Clone()
	for _, mark := range marksOf(ctx) {
		if !said[mark.Key] && mark.Value.String() != "" {
			r.AddAttrs(mark)
		}
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h marked) WithAttrs(attrs []slog.Attr) slog.Handler { return marked{h.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (h marked) WithGroup(name string) slog.Handler { return marked{h.Handler.WithGroup(name)} }

type (
	requestKey struct{} // *request
	workKey    struct{} // work
)

// work is what a context is spent on.
type work struct{ conversation, turn string }

// marksOf are the ids of what a context is of. A turn that was begun by a request keeps its id.
func marksOf(ctx context.Context) []slog.Attr {
	var id string
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		id = r.id
	}
	w, _ := ctx.Value(workKey{}).(work)
	return []slog.Attr{slog.String("request", id), slog.String("conversation", w.conversation), slog.String("turn", cmp.Or(w.turn, deputy.TurnOf(ctx)))}
}
