package anthropic

import (
	"sync/atomic"

	"example.com/deputy/internal/modelhttp"
)

// options are what some models and servers do not know. One is off from the moment that was said, for as long as the process runs.
type options struct {
	thinking, strict, cache, deferred atomic.Bool
	short, shorter                    atomic.Bool // answers of half, and of a quarter of the tokens
}

// option is one of them, and the words that errors name it with.
type option struct {
	off   *atomic.Bool
	words []string
}

// sent are the options of a request that begins now.
func (m *model) sent() []option {
	o := &m.options
	all := []option{{&o.cache, []string{"cache_control"}}}
	if !m.config.NoThinking {
		all = append(all, option{&o.thinking, []string{"adaptive", "thinking.type", "thinking: ", "thinking is not supported", "not support thinking"}})
	}
	if m.config.Strict {
		all = append(all, option{&o.strict, []string{"strict", "grammar", "too complex", "input_schema"}})
	}
	if m.config.Deferred {
		all = append(all, option{&o.deferred, []string{"defer_loading", "tool_reference"}})
	}
	if m.config.MaxTokens == 0 {
		all = append(all, option{&o.short, []string{"max_tokens"}}, option{&o.shorter, []string{"max_tokens"}})
	}
	var on []option
	for _, k := range all {
		if !k.off.Load() {
			on = append(on, k)
		}
	}
	return on
}

// relax finds what a server did not accept, and turns it off. Each is tried once in a call; replay is of this call alone.
func (m *model) relax(replay *bool) func(*modelhttp.Failure) bool {
	left := m.sent()
	return func(f *modelhttp.Failure) bool {
		for i, k := range left {
			if f.Names(k.words...) {
				k.off.Store(true)
				left = append(left[:i:i], left[i+1:]...)
				return true
			}
		}
		again := *replay && f.Names("signature", "thinking")
		*replay = *replay && !again
		return again
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
