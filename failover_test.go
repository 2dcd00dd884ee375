package deputy_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
)

// TestTheNextModelTakesOver: one that fails before any text is followed by the next, whose answer is the turn's; the operator is told of
// every failure. Once something was said, nobody else says it again.
func TestTheNextModelTakesOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		first  scripted.Answer
		reason deputy.Reason
		text   string
	}{
		{"too long", scripted.Answer{Err: deputy.Errorf(deputy.TooLarge, "It is too long.")}, deputy.Answered, "Hello."},
		{"not there", scripted.Answer{Err: deputy.Errorf(deputy.Unavailable, "It is not there.")}, deputy.Answered, "Hello."},
		{"broken off", scripted.Answer{Text: "Good ", Err: deputy.Errorf(deputy.Unavailable, "It broke off.")}, deputy.ModelError, "Good "},
	} {
		var log bytes.Buffer
		b := setup(t, func(cfg *deputy.Config) {
			cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
			cfg.Models = append(cfg.Models, scripted.New(func(deputy.Request) scripted.Answer { return scripted.Answer{Text: "Hello."} }))
		}, c.first)
		got := b.ask(t, ann(), "", "hello")
		if said := got.end.Detail == deputy.MessageOf(c.first.Err); said != (c.reason == deputy.ModelError) || got.end.Reason != c.reason || got.end.Text != c.text || !strings.Contains(log.String(), deputy.MessageOf(c.first.Err)) {
			t.Errorf("%s: %s %q; %s", c.name, got.end.Reason, got.end.Text, log.String())
		}
	}
}
