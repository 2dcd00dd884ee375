package modelhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Code is what a failure means to the caller: one of Deputy's error codes.
type Code string

// The codes of failures.
const (
	Internal      Code = "internal"
	RateLimited   Code = "rate_limited"
	Timeout       Code = "timeout"
	TooLarge      Code = "too_large"
	Unavailable   Code = "unavailable"
	Unprocessable Code = "unprocessable"
)

// Failure is what went wrong, and what may be done about it.
type Failure struct {
	Code     Code
	Sentence string        // for the person; %q is the model's name
	Cause    error         // for the operator; never the key, never what was asked or answered
	Again    bool          // trying again may help
	After    time.Duration // what the server asked to wait; 0: it did not say
	Cut      bool          // the answer broke off
	Filtered bool          // the vendor's filter took the question: no failure, but a refusal

	rejected bool        // the server did not accept the request
	said     VendorError // what it said
}

// Error implements error.
func (f *Failure) Error() string { return f.Cause.Error() }

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// Names says whether what the server said has one of the words; they are lower case.
func (f *Failure) Names(words ...string) bool { return f.said.names(words...) }

var errQuiet = errors.New("the server sent nothing for too long")

const (
	notAnAnswer = "What answers for the model %q is not a model. The operator must check its address."
	brokeOff    = "The answer of the model %q broke off. Ask again."
	notNow      = "The model %q cannot be reached at the moment. Try again in a moment."
	tooSlow     = "The model %q took too long to answer. Try again in a moment."
	tooLong     = "This conversation has become too long for the model %q. Begin a new one, or ask for less at once."
	tooMany     = "The model %q is asked too much at the moment. Try again in a moment."
	usedUp      = "The account for the model %q is used up. The operator must see to it."
	noEntry     = "The model %q did not accept this assistant's credential. The operator must check the API key."
	unknown     = "There is no model %q at its address. The operator must check its name and its address."
	moved       = "The address of the model %q points elsewhere, which is not followed. The operator must check it."
	malformed   = "The model %q did not accept the request. The operator's log says which kind of mistake it saw."
)

// Explain is what an error of Ask means: a code, a sentence for the person, and a cause for the operator that does not hold the secret.
// An error that is no failure has code internal and no sentence.
func (c *Client) Explain(err error) (code Code, sentence string, cause error) {
	var f *Failure
	if !errors.As(err, &f) {
		return Internal, "", c.redact(err)
	}
	sentence = fmt.Sprintf(f.Sentence, c.config.Name)
	if s := int(f.After.Round(time.Second).Seconds()); f.Sentence == tooMany && s > 1 {
		sentence = fmt.Sprintf("The model %q is asked too much at the moment. Try again in %d seconds.", c.config.Name, s)
	}
	return f.Code, sentence, c.redact(fmt.Errorf("%s: model %s: %w", c.config.Vendor, c.config.Model, f.Cause))
}

// redact takes the secret out of an error.
func (c *Client) redact(err error) error {
	if c.config.Secret == "" || !strings.Contains(err.Error(), c.config.Secret) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), c.config.Secret, "(the API key)"))
}

// lost gives every error of the connection its meaning; failures, ErrGone and nil pass.
func lost(ctx context.Context, err error) error {
	var f *Failure
	var slow net.Error
	quiet := errors.Is(context.Cause(ctx), errQuiet)
	switch {
	case err == nil, errors.Is(err, ErrGone):
		return err
	case quiet:
		return &Failure{Code: Timeout, Sentence: tooSlow, Cause: errQuiet, Cut: true}
	case errors.As(err, &slow) && slow.Timeout():
		return &Failure{Code: Timeout, Sentence: tooSlow, Cause: err, Cut: true}
	case errors.As(err, &f):
		return err
	}
	return &Failure{Code: Unavailable, Sentence: notNow, Cause: err, Again: true}
}

// Broken is an answer that ended too early.
func Broken(err error) *Failure {
	return &Failure{Code: Unavailable, Sentence: brokeOff, Cause: fmt.Errorf("reading the answer: %w", err), Again: true, Cut: true}
}

// CutOff is a stream that ended before it said why.
func CutOff() *Failure { return Broken(io.ErrUnexpectedEOF) }

// GaveUp is an answer that the server itself says it did not finish.
func GaveUp() *Failure { return Broken(errors.New("the server gave up on the answer")) }

// TooLong is a conversation that does not fit the model.
func TooLong(cause string) *Failure {
	return &Failure{Code: TooLarge, Sentence: tooLong, Cause: errors.New(cause)}
}

// Unreadable is an answer that is not what the protocol says. It does not carry the JSON error: that may quote the answer.
func Unreadable() *Failure {
	err := errors.New("a part of the answer is not what the protocol says")
	return &Failure{Code: Unavailable, Sentence: brokeOff, Cause: err, Again: true}
}

// retryAfter is how long the server asks to wait: milliseconds, seconds or a date, at most a day. 0 is that it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 {
		return seconds(s)
	}
	if t, err := http.ParseTime(v); err == nil && t.After(now) {
		return min(t.Sub(now), 24*time.Hour)
	}
	return 0
}

// seconds is at most a day.
func seconds(s float64) time.Duration {
	return time.Duration(min(s, 86400) * float64(time.Second))
}
