package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/deputy"
)

// failure is what went wrong, and what may be done about it.
type failure struct {
	code     deputy.Code
	sentence string // for the person; %q is the model's name
	cause    error  // for the operator; never the key, never what was asked or answered
	again    bool   // trying again may help
	after    time.Duration
	noUsage  bool // the server does not know stream_options
	cut      bool // the answer broke off
	filtered bool // the vendor's filter took the question: no failure, but a refusal
}

// Error implements error.
func (f *failure) Error() string { return f.cause.Error() }

// Unwrap gives the cause.
func (f *failure) Unwrap() error { return f.cause }

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

// explain makes the one error that leaves this package.
func (m *model) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &deputy.Error{Code: deputy.Timeout, Message: deputy.MessageOf(ctx.Err()), Cause: ctx.Err()}
	}
	var f *failure
	if !errors.As(err, &f) {
		return &deputy.Error{Code: deputy.Internal, Message: deputy.MessageOf(err), Cause: err}
	}
	e := deputy.Errorf(f.code, f.sentence, m.info.Name)
	if s := int(f.after.Round(time.Second).Seconds()); f.sentence == tooMany && s > 1 {
		e.Message = fmt.Sprintf("The model %q is asked too much at the moment. Try again in %d seconds.", m.info.Name, s)
	}
	e.Cause = fmt.Errorf("openai: model %s: %w", m.info.Model, f.cause)
	if safe := m.redact(e.Cause.Error()); safe != e.Cause.Error() {
		e.Cause = errors.New(safe)
	}
	return e
}

// lost gives every error of the connection its meaning; failures and nil pass.
func lost(ctx context.Context, err error) error {
	var f *failure
	var slow net.Error
	quiet := errors.Is(context.Cause(ctx), errQuiet)
	switch {
	case err == nil, errors.Is(err, errGone):
		return err
	case quiet:
		return &failure{code: deputy.Timeout, sentence: tooSlow, cause: errQuiet}
	case errors.As(err, &slow) && slow.Timeout():
		return &failure{code: deputy.Timeout, sentence: tooSlow, cause: err}
	case errors.As(err, &f):
		return err
	}
	return &failure{code: deputy.Unavailable, sentence: notNow, cause: err, again: true}
}

func broken(err error) *failure {
	return &failure{code: deputy.Unavailable, sentence: brokeOff, cause: fmt.Errorf("reading the answer: %w", err), again: true, cut: true}
}

// unreadable does not carry the JSON error: that may quote the answer.
func unreadable() *failure {
	err := errors.New("a part of the answer is not what the protocol says")
	return &failure{code: deputy.Unavailable, sentence: brokeOff, cause: err, again: true}
}

// vendorError is an error as servers write it.
type vendorError struct{ message, kind, param, code string }

// parseError reads {"error":{…}}, {"error":"…"}, and the same without the envelope where that is certain to be an error.
func parseError(raw []byte, certain bool) (vendorError, bool) {
	o, ok := parseObject(raw)
	if !ok {
		return vendorError{}, false
	}
	inner := o.get("error")
	switch {
	case inner == nil && (certain || word(o.get("object")) == "error"):
		inner = raw
	case inner == nil || isNull(inner):
		return vendorError{}, false
	}
	e, ok := parseObject(inner)
	if !ok {
		return vendorError{message: word(inner)}, true
	}
	return vendorError{
		message: cmp.Or(word(e.get("message")), word(e.get("detail")), string(e.get("message")), string(e.get("detail"))),
		kind:    word(e.get("type")), param: word(e.get("param")), code: word(e.get("code")),
	}, true
}

// word is a string, or a number as one.
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// refusal is an answer with another status than success.
func refusal(status int, h http.Header, body []byte) *failure {
	e, _ := parseError(bytes.TrimSpace(body), true)
	f := e.failure(status)
	f.after = retryAfter(h, time.Now())
	if h.Get("X-Should-Retry") == "false" {
		f.again = false
	}
	f.cause = e.cause(status, h.Get("X-Request-Id"))
	return f
}

// vendorFailure finds an error inside a stream, or nil.
func vendorFailure(kind string, data []byte) error {
	if kind != "error" && !bytes.Contains(data, []byte("error")) {
		return nil
	}
	e, ok := parseError(data, kind == "error")
	if !ok {
		return nil
	}
	status := e.status()
	f := e.failure(status)
	f.cause = fmt.Errorf("inside the answer: %w", e.cause(status, ""))
	return f
}

// status is what the error would have been outside a stream.
func (e vendorError) status() int {
	if n, err := strconv.Atoi(e.code); err == nil && n >= 400 && n < 600 {
		return n
	}
	what := e.kind + " " + e.code
	for _, known := range []struct {
		part   string
		status int
	}{
		{"rate_limit", 429}, {"insufficient_quota", 429}, {"overloaded", 503}, {"invalid_request", 400}, {"context", 400},
		{"content_filter", 400}, {"authentication", 401}, {"permission", 403}, {"not_found", 404},
	} {
		if strings.Contains(what, known.part) {
			return known.status
		}
	}
	return http.StatusInternalServerError
}

// failure is the meaning of an error.
func (e vendorError) failure(status int) *failure {
	switch {
	case e.tooLong() && status != http.StatusTooManyRequests, status == http.StatusRequestEntityTooLarge:
		return &failure{code: deputy.TooLarge, sentence: tooLong}
	case e.code == "content_filter":
		return &failure{code: deputy.Unprocessable, sentence: malformed, filtered: true}
	case e.code == "insufficient_quota" || e.kind == "insufficient_quota" || status == http.StatusPaymentRequired:
		return &failure{code: deputy.Unavailable, sentence: usedUp}
	}
	switch {
	case status == http.StatusTooManyRequests:
		return &failure{code: deputy.RateLimited, sentence: tooMany, again: true}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &failure{code: deputy.Unavailable, sentence: noEntry}
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return &failure{code: deputy.Unavailable, sentence: unknown}
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return &failure{code: deputy.Timeout, sentence: tooSlow, again: true}
	case status >= 500, status == http.StatusConflict, status == http.StatusTooEarly:
		return &failure{code: deputy.Unavailable, sentence: notNow, again: true}
	case status < 400:
		return &failure{code: deputy.Unavailable, sentence: moved}
	}
	return &failure{code: deputy.Internal, sentence: malformed, noUsage: e.names("stream_options", "include_usage")}
}

func (e vendorError) names(words ...string) bool {
	all := strings.ToLower(e.param + " " + e.code + " " + e.kind + " " + e.message)
	for _, w := range words {
		if strings.Contains(all, w) {
			return true
		}
	}
	return false
}

// tooLong knows how servers say that a request does not fit.
func (e vendorError) tooLong() bool {
	return e.names("context_length_exceeded", "exceed_context_size", "context length", "context window", "context size", "maximum context",
		"prompt is too long", "input is too long", "too many tokens", "maximum prompt length")
}

// cause is for the operator's log: status, the vendor's own words for the kind of error, and the request's id. The vendor's message may
// quote what was asked, so it is kept only where the question was not looked at, and without anything that is quoted or looks like a key.
func (e vendorError) cause(status int, id string) error {
	s := strings.TrimSpace(fmt.Sprintf("status %d %s", status, http.StatusText(status)))
	for _, f := range [][2]string{{"type", e.kind}, {"code", e.code}, {"param", e.param}, {"request", id}} {
		if v := f[1]; isIdentifier(v) {
			s += ", " + f[0] + " " + v
		}
	}
	switch status {
	case http.StatusUnauthorized, http.StatusNotFound, http.StatusTooManyRequests:
		if m := scrub(e.message); m != "" {
			s += ": " + m
		}
	}
	return errors.New(s)
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z0-9_.\[\]-]{1,80}$`)
	revealing  = regexp.MustCompile("[\"'`“‘][^\"'`”’]*[\"'`”’]|\\S*[0-9*_-]\\S{15,}|[\\x00-\\x1f]+")
)

func isIdentifier(s string) bool { return identifier.MatchString(s) }

// scrub leaves plain words of a vendor's message.
func scrub(s string) string {
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "…"
	}
	return revealing.ReplaceAllString(s, "…")
}

// retryAfter is how long the vendor asks to wait: milliseconds, seconds or a date. 0 is that it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 {
		return seconds(s)
	}
	if t, err := http.ParseTime(v); err == nil && t.After(now) {
		return t.Sub(now)
	}
	return 0
}

// seconds is at most a day.
func seconds(s float64) time.Duration {
	return time.Duration(min(s, 86400) * float64(time.Second))
}
