package openai

import (
	"sync/atomic"

	"example.com/deputy/internal/modelhttp"
)

// options are what some servers and models do not know. One is off from the moment a server has said so, for as long as the process runs.
type options struct{ usage, strict, encrypted, summary, cacheKey, deferred atomic.Bool }

// option is one of them, and the words that errors name it with.
type option struct {
	off   *atomic.Bool
	words []string
}

// sent are the options of a request that begins now.
func (m *model) sent() []option {
	o := &m.options
	all := []option{{&o.usage, []string{"stream_options", "include_usage"}}}
	if m.api == Responses {
		all = []option{
			{&o.summary, []string{"reasoning.summary", "reasoning summar", "generate_summary"}},
			{&o.encrypted, []string{"encrypted", `'include'`, `"include"`, "include["}},
			{&o.cacheKey, []string{"prompt_cache_key"}},
		}
	}
	if m.info.Deferred {
		all = append(all, option{&o.deferred, []string{"tool_search", "defer_loading"}})
	}
	if m.strict {
		all = append(all, option{&o.strict, []string{"strict", "invalid_function_parameters", "invalid schema for function"}})
	}
	var on []option
	for _, k := range all {
		if !k.off.Load() {
			on = append(on, k)
		}
	}
	return on
}

// relax finds the option that a server did not accept, and turns it off. Each is tried once in a call.
func (m *model) relax() func(*modelhttp.Failure) bool {
	left := m.sent()
	return func(f *modelhttp.Failure) bool {
		for i, k := range left {
			if f.Names(k.words...) {
				k.off.Store(true)
				left = append(left[:i:i], left[i+1:]...)
				return true
			}
		}
		return false
	}
}
