package deputy_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"testing"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
)

// spans keeps what Observe is told: each span with the kind of the one around it.
type spans struct {
	mu    sync.Mutex
	began []string
	ended []deputy.Span
}

type spanKey struct{}

func (s *spans) observe(ctx context.Context, begun deputy.Span) (context.Context, func(deputy.Span)) {
	around, _ := ctx.Value(spanKey{}).(string)
	s.mu.Lock()
	s.began = append(s.began, around+">"+begun.Kind)
	s.mu.Unlock()
	return context.WithValue(ctx, spanKey{}, begun.Kind), func(ended deputy.Span) {
		s.mu.Lock()
		s.ended = append(s.ended, ended)
		s.mu.Unlock()
	}
}

// TestObserveIsToldOfSpans: what work there is, what is within what, ids, and what came of it.
func TestObserveIsToldOfSpans(t *testing.T) {
	t.Parallel()
	var s spans
	b := setup(t, func(c *deputy.Config) { c.Observe = s.observe }, calls(do("query_records", `{"table":"customers"}`), do("nowhere", `{}`)),
		calls(do("update_record", phone)), scripted.Answer{Text: "proposed"}, scripted.Answer{Err: errors.New("no")})
	got := b.ask(t, ann(), "", "set the phone of 1")
	turn := got.end.Turn
	p := b.proposals(t, ann())[0]
	if _, err := b.door().Confirm(t.Context(), ann(), p.ID, []deputy.Shown{{ID: p.ID, Hash: p.Hash}}); err != nil {
		t.Fatal(err)
	}
	b.ask(t, ann(), p.Conversation, "again")
	if err := b.Close(); err != nil { // waits for the end of what runs
		t.Fatal(err)
	}
	began := map[string]int{}
	for _, kind := range s.began {
		began[kind]++
	}
	if want := map[string]int{">turn": 2, "turn>model": 4, "turn>tool": 3, ">confirm": 1}; !maps.Equal(began, want) {
		t.Errorf("%v, want %v", began, want)
	}
	if len(s.ended) != len(s.began) {
		t.Errorf("%d began, %d ended", len(s.began), len(s.ended))
	}
	seen := map[string]bool{}
	for _, e := range s.ended {
		seen[fmt.Sprintf("%s %s %s %s %s %s %s", e.Kind, e.Channel, e.Tool, e.Model.Name, e.Reason, e.Outcome, e.Code)] = true
		if e.Turn == "" || e.Kind != "model" && e.Conversation != p.Conversation || (e.Call != "") != (e.Kind == "tool") || (e.Group == p.Group) != (e.Kind == "confirm") ||
			(e.Usage.Output > 0) != (e.Kind == "model" && e.Code == "") {
			t.Errorf("%+v", e)
		}
	}
	for _, line := range []string{"turn chat   answered  ", "turn chat   model_error  ", "model   scripted   ", "model   scripted   internal", "tool chat query_records   ran ",
		"tool chat    refused not_found", "tool chat update_record   proposed ", "confirm chat    done "} {
		if !seen[line] {
			t.Errorf("no span %q in %v", line, seen)
		}
	}
	if s.ended[len(s.ended)-1].Turn == turn {
		t.Error("the second turn has the id of the first")
	}
}

// TestAnErrorInTheLogDoesNotQuote: the sentence of an error that quotes data, and a cause that may, stay out of a log.
func TestAnErrorInTheLogDoesNotQuote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  *deputy.Error
		want string
	}{
		{deputy.Errorf(deputy.Unavailable, "Busy."), "unavailable: Busy."},
		{&deputy.Error{Code: deputy.Internal, Message: "odd: Jane", Quotes: true}, "internal"},
		{&deputy.Error{Code: deputy.Timeout, Message: "Slow.", Cause: context.DeadlineExceeded}, "timeout: Slow.: context deadline exceeded"},
		{&deputy.Error{Code: deputy.Internal, Message: "Broken.", Cause: deputy.Errorf(deputy.Invalid, "Inside.")}, "internal: Broken.: invalid: Inside."},
		{&deputy.Error{Code: deputy.Internal, Message: "Broken.", Cause: errors.New("row of Jane")}, "internal: Broken.: *errors.errorString (its text is withheld: it may quote data)"},
	} {
		if got := slog.AnyValue(c.err).Resolve().String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestObserverPanics: an observer that panics breaks nothing.
func TestObserverPanics(t *testing.T) {
	t.Parallel()
	b, ps := proposed(t, func(c *deputy.Config) {
		c.Observe = func(ctx context.Context, s deputy.Span) (context.Context, func(deputy.Span)) {
			if s.Kind == "turn" || s.Kind == "confirm" {
				panic("begun")
			}
			return ctx, func(deputy.Span) { panic("ended") }
		}
	})
	if d, err := b.door().Confirm(t.Context(), ann(), ps[0].ID, shown(ps...)); err != nil || d.Proposals[0].State != deputy.Done {
		t.Error(err, d)
	}
}
