package openai

import (
	"sync/atomic"

	"example.com/deputy/internal/modelhttp"
)

// options are what some servers and models do not know. One is off from the moment a server has said so, for as long as the process runs.
type options struct{ usage, strict, encrypted, summary, cacheKey atomic.Bool }

// relax finds the option that a server did not accept, and turns it off. Each is tried once in a call.
func (o *options) relax() func(*modelhttp.Failure) bool {
	known := []struct {
		off   *atomic.Bool
		words []string
	}{
		{&o.usage, []string{"stream_options", "include_usage"}},
		{&o.summary, []string{"reasoning.summary", "reasoning summar", "generate_summary"}},
		{&o.encrypted, []string{"encrypted", "include"}},
		{&o.cacheKey, []string{"prompt_cache_key"}},
		{&o.strict, []string{"strict", "invalid_function_parameters", "invalid schema for function"}},
	}
	return func(f *modelhttp.Failure) bool {
		for i, k := range known {
			if k.off != nil && f.Names(k.words...) {
				k.off.Store(true)
				known[i].off = nil
				return true
			}
		}
		return false
	}
}
