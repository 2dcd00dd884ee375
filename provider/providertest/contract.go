package providertest

import (
	"time"

	"example.com/deputy"
)

// expectation is what a case must come to, whatever the vendor. The zero value is one request and an answer.
type expectation struct {
	name string
	own  bool // of one API alone: only the file says

	text, reasoning string
	calls           []string // tool and arguments
	usage           *deputy.Usage
	stop            deputy.Stop // empty: end, or none where there is a code
	code            deputy.Code

	asked  int           // requests; 0 is one
	waited time.Duration // between the first and the last, at least; at most twice of it

	within time.Duration // all of it; 0: not held

	reason deputy.Reason // of the turn; empty: answered
	next   bool          // the next model takes over
}

const (
	customers = "There are 12 customers."
	broken    = "There are 12 cu"
)

// contract is every case, with what it is about.
func contract() []expectation {
	usage := func(input, cached, output int64) *deputy.Usage {
		return &deputy.Usage{Input: input, CachedInput: cached, Output: output}
	}
	both := []string{`lookup {"table":"customers"}`, `lookup {"table":"orders","limit":5}`}
	return []expectation{
		// what models say
		{name: "text", text: customers, usage: usage(1200, 1024, 9)},
		{name: "reasoning", reasoning: "I count the rows.", text: customers},
		{name: "parallel_calls", text: "Let me look.", calls: both},
		{name: "turn", reasoning: "Two tables matter.", text: "Let me look.", calls: both, usage: usage(900, 0, 60)},
		{name: "no_arguments", calls: []string{"lookup {}"}},
		{name: "arguments_not_json", calls: []string{`lookup {"table": customers`}},
		{name: "arguments_not_fitting", calls: []string{`lookup {"table":7,"extra":true}`}},
		{name: "refusal", text: "I cannot help with that.", stop: deputy.StopRefused, reason: deputy.RefusedByModel},
		{name: "length", text: broken, stop: deputy.StopLength, reason: deputy.LengthReached},
		{name: "usage_last", text: customers, usage: usage(1200, 0, 9)},
		// what other servers than the vendor's, and later versions, do
		{name: "bare", text: "Let me look.", calls: both},
		{name: "unknown_events", text: customers},
		{name: "document", text: "Let me look.", calls: both, usage: usage(1200, 0, 9)},
		// what goes wrong before anything was said: it is tried again, then the next model takes over
		{name: "cut_before_text", text: customers, asked: 2, waited: 250 * time.Millisecond},
		{name: "cut_in_call", calls: both, asked: 2, waited: 250 * time.Millisecond},
		{name: "empty", text: customers, asked: 2, waited: 250 * time.Millisecond},
		{name: "error_event", text: customers, asked: 2, waited: 250 * time.Millisecond},
		{name: "rate_limited", text: customers, asked: 2, waited: 7 * time.Second},
		{name: "rate_limited_for_long", code: deputy.RateLimited, next: true},
		{name: "rate_limited_always", code: deputy.RateLimited, asked: 3, waited: 1250 * time.Millisecond, next: true},
		{name: "status_500", code: deputy.Unavailable, asked: 3, waited: 1250 * time.Millisecond, next: true},
		{name: "overloaded", text: customers, asked: 2, waited: 250 * time.Millisecond},
		{name: "html_error", code: deputy.Unavailable, asked: 3, waited: 1250 * time.Millisecond, next: true},
		{name: "html_answer", code: deputy.Unavailable, next: true},
		{name: "slow", text: customers},
		{name: "silence_after_end", text: customers, within: 10 * time.Second},
		{name: "silence", code: deputy.Timeout, waited: 0, next: true},
		{name: "too_long", code: deputy.TooLarge, next: true},
		{name: "wrong_key", code: deputy.Unavailable, next: true},
		{name: "unknown_model", code: deputy.Unavailable, next: true},
		{name: "used_up", code: deputy.Unavailable, next: true},
		{name: "rejected", code: deputy.Internal, next: true},
		// what goes wrong once something was said: it is kept, and nobody else says it again
		{name: "cut", text: broken, code: deputy.Unavailable, reason: deputy.ModelError},
		{name: "reset", text: broken, code: deputy.Unavailable, reason: deputy.ModelError},
		{name: "error_event_after_text", text: broken, code: deputy.Unavailable, reason: deputy.ModelError},
		{name: "silence_after_text", text: broken, code: deputy.Timeout, reason: deputy.ModelError},
	}
}
