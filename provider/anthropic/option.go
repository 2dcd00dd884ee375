package anthropic

import (
	"sync/atomic"

	"example.com/deputy/internal/modelhttp"
)

// options are what some models and servers do not know. One is off from the moment that was said, for as long as the process runs.
type options struct {
	thinking, strict, cache atomic.Bool
	short, shorter          atomic.Bool // answers of half, and of a quarter of the tokens
}

// relax finds what a server did not accept, and turns it off. Each is tried once in a call; replay is of this call alone.
func (o *options) relax(fixed bool, replay *bool) func(*modelhttp.Failure) bool {
	known := []struct {
		off   *atomic.Bool
		words []string
	}{
		{&o.thinking, []string{"adaptive", "thinking.type", "thinking: ", "thinking is not supported", "not support thinking"}},
		{&o.strict, []string{"strict", "grammar", "too complex", "input_schema"}},
		{&o.cache, []string{"cache_control"}},
		{&o.short, []string{"max_tokens"}},
		{&o.shorter, []string{"max_tokens"}},
	}
	return func(f *modelhttp.Failure) bool {
		for i, k := range known {
			if k.off == nil || !f.Names(k.words...) || fixed && k.words[0] == "max_tokens" {
				continue
			}
			k.off.Store(true)
			known[i].off = nil
			return true
		}
		if *replay && f.Names("signature", "thinking") {
			*replay = false
			return true
		}
		return false
	}
}

// maxTokens is how long an answer may be.
func (m *model) maxTokens() int {
	switch {
	case m.config.MaxTokens != 0:
		return m.config.MaxTokens
	case m.options.shorter.Load():
		return DefaultMaxTokens / 4
	case m.options.short.Load():
		return DefaultMaxTokens / 2
	}
	return DefaultMaxTokens
}
