package app

import (
	"context"
	"log/slog"
	"time"

	"example.com/deputy"
)

// observe counts the assistant's work and writes it to the log: turns and confirmations for information, model and tool calls for debugging.
func (p *parts) observe(ctx context.Context, s deputy.Span) (context.Context, func(deputy.Span)) {
	began := time.Now()
	p.metrics.began(s)
	if s.Kind == "turn" || s.Kind == "confirm" {
		ctx = context.WithValue(ctx, workKey{}, work{s.Conversation, s.Turn})
	}
	return ctx, func(s deputy.Span) {
		took := time.Since(began)
		p.metrics.ended(ctx, s, took)
		level, msg, attrs := lineOf(ctx, s)
		p.log.LogAttrs(ctx, level, msg, append(attrs, slog.Int64("duration_ms", took.Milliseconds()))...)
	}
}

// lineOf is what the log says of work that has ended.
func lineOf(ctx context.Context, s deputy.Span) (slog.Level, string, []slog.Attr) {
	switch s.Kind {
	case "turn":
		return slog.LevelInfo, "turn ended", []slog.Attr{slog.String("channel", string(s.Channel)), slog.String("reason", turnEnd(s))}
	case "confirm":
		return slog.LevelInfo, "confirmation ended", []slog.Attr{slog.String("channel", string(s.Channel)), slog.String("group", s.Group), slog.String("outcome", string(s.Outcome))}
	case "model":
		return slog.LevelDebug, "model call ended", []slog.Attr{slog.String("model", s.Model.Name), slog.String("outcome", modelOutcome(ctx, s)),
			slog.Int64("input", s.Usage.Input), slog.Int64("cached_input", s.Usage.CachedInput), slog.Int64("output", s.Usage.Output)}
	}
	tool := s.Tool
	if tool == "" {
		tool = "unknown"
	}
	return slog.LevelDebug, "tool call ended", []slog.Attr{slog.String("tool", tool), slog.String("call", s.Call), slog.String("outcome", string(s.Outcome)), slog.String("code", string(s.Code))}
}
