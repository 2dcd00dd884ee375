package modelhttp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// VendorError is an error as servers write it.
type VendorError struct{ Message, Kind, Param, Code string }

// refusal is an answer with another status than success.
func refusal(status int, h http.Header, body []byte) *Failure {
	e, _ := parseError(bytes.TrimSpace(body), true)
	f := e.failure(status)
	f.After = retryAfter(h, time.Now())
	if h.Get("X-Should-Retry") == "false" {
		f.Again = false
	}
	f.Cause = e.cause(status, cmp.Or(h.Get("X-Request-Id"), h.Get("Request-Id")))
	return f
}

// InStream finds an error in the data of an event, or nil. certain says that the event is one; else only what has the form of one counts.
func InStream(certain bool, data []byte) error {
	if !certain && !bytes.Contains(data, []byte("error")) {
		return nil
	}
	e, ok := parseError(data, certain)
	if !ok {
		return nil
	}
	return e.inStream()
}

// inStream is the failure that an error inside an answer means.
func (e VendorError) inStream() *Failure {
	status := e.status()
	f := e.failure(status)
	f.Cause = fmt.Errorf("inside the answer: %w", e.cause(status, ""))
	return f
}

// parseError reads {"error":{…}}, {"error":"…"}, and the same without the envelope where that is certain to be an error.
func parseError(raw []byte, certain bool) (VendorError, bool) {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return VendorError{}, false
	}
	inner := o["error"] // some servers write one where there is none
	none := slices.Contains([]string{"", "null", "false", `""`, "{}"}, string(bytes.TrimSpace(inner)))
	switch {
	case none && (certain || Word(o["object"]) == "error"):
		inner = raw
	case none:
		return VendorError{}, false
	}
	var e map[string]json.RawMessage
	if json.Unmarshal(inner, &e) != nil || e == nil {
		return VendorError{Message: Word(inner)}, true
	}
	return VendorError{
		Message: cmp.Or(Word(e["message"]), Word(e["detail"]), string(e["message"]), string(e["detail"])),
		Kind:    Word(e["type"]), Param: Word(e["param"]), Code: Word(e["code"]),
	}, true
}

// Word is a JSON string, or a number as one; empty for everything else.
func Word(raw json.RawMessage) string {
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

// status is what the error would have been outside a stream.
func (e VendorError) status() int {
	if n, err := strconv.Atoi(e.Code); err == nil && n >= 400 && n < 600 {
		return n
	}
	what := e.Kind + " " + e.Code
	for _, known := range []struct {
		part   string
		status int
	}{
		{"rate_limit", 429}, {"insufficient_quota", 429}, {"overloaded", 503}, {"invalid_request", 400}, {"invalid_prompt", 400},
		{"context", 400}, {"content_filter", 400}, {"authentication", 401}, {"billing", 402}, {"permission", 403}, {"not_found", 404},
		{"too_large", 413}, {"timeout", 504},
	} {
		if strings.Contains(what, known.part) {
			return known.status
		}
	}
	return http.StatusInternalServerError
}

// failure is the meaning of an error.
func (e VendorError) failure(status int) *Failure {
	switch {
	case e.tooLong() && status != http.StatusTooManyRequests, status == http.StatusRequestEntityTooLarge:
		return &Failure{Code: TooLarge, Sentence: tooLong}
	case e.Code == "content_filter":
		return &Failure{Code: Unprocessable, Sentence: malformed, Filtered: true}
	case e.Code == "insufficient_quota", e.Kind == "insufficient_quota", status == http.StatusPaymentRequired,
		status == http.StatusBadRequest && e.names("credit balance"):
		return &Failure{Code: Unavailable, Sentence: usedUp}
	}
	switch {
	case status == http.StatusTooManyRequests:
		return &Failure{Code: RateLimited, Sentence: tooMany, Again: true}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &Failure{Code: Unavailable, Sentence: noEntry}
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return &Failure{Code: Unavailable, Sentence: unknown}
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return &Failure{Code: Timeout, Sentence: tooSlow, Again: true}
	case status >= 500, status == http.StatusConflict, status == http.StatusTooEarly:
		return &Failure{Code: Unavailable, Sentence: notNow, Again: true}
	case status < 400:
		return &Failure{Code: Unavailable, Sentence: moved}
	}
	return &Failure{Code: Internal, Sentence: malformed, rejected: true, said: e}
}

func (e VendorError) names(words ...string) bool {
	all := strings.ToLower(e.Param + " " + e.Code + " " + e.Kind + " " + e.Message)
	for _, w := range words {
		if strings.Contains(all, w) {
			return true
		}
	}
	return false
}

// tooLong knows how servers say that a request does not fit.
func (e VendorError) tooLong() bool {
	return e.names("context_length_exceeded", "exceed_context_size", "context length", "context window", "context size", "maximum context",
		"prompt is too long", "input is too long", "too many tokens", "maximum prompt length", "exceed context limit")
}

// cause is for the operator's log: status, the vendor's own words for the kind of error, and the request's id. The vendor's message may
// quote what was asked, so it is kept only where the question was not looked at, and without anything that is quoted or looks like a key.
func (e VendorError) cause(status int, id string) error {
	s := strings.TrimSpace(fmt.Sprintf("status %d %s", status, http.StatusText(status)))
	for _, f := range [][2]string{{"type", e.Kind}, {"code", e.Code}, {"param", e.Param}, {"request", id}} {
		if v := f[1]; isIdentifier(v) {
			s += ", " + f[0] + " " + v
		}
	}
	switch status {
	case http.StatusUnauthorized, http.StatusNotFound, http.StatusTooManyRequests:
		if m := scrub(e.Message); m != "" {
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
