package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"example.com/deputy"
)

// canned answers every request with the same bytes.
type canned struct {
	status int
	body   []byte
}

// RoundTrip implements http.RoundTripper.
func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: c.status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(c.body)), Request: r}, nil
}

// FuzzStream: whatever a server sends, an answer ends, with one reason to stop or with one error of ours, and with usage at most once.
func FuzzStream(f *testing.F) {
	for _, file := range files(f, "testdata/stream/*.txt") {
		f.Add(200, []byte(sections(f, file)[0].body))
	}
	f.Add(400, []byte(`{"error":{"message":"x"}}`))
	f.Add(200, []byte("\ufeffdata: [DONE]"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 {
			status = 200
		}
		m := start(t, "http://host.invalid", Config{Strict: true, HTTPClient: &http.Client{Transport: canned{status, body}}})
		ends, usages := 0, 0
		for c, err := range m.Stream(context.Background(), deputy.Request{Tools: []deputy.ToolSpec{lookup()}}) {
			if ends > 0 {
				t.Fatal("something came after the end")
			}
			if c.Usage != nil {
				usages++
			}
			if err != nil || c.Stop != "" {
				ends++
			}
			if err != nil && causeOf(err).Error() == "not a *deputy.Error" {
				t.Fatalf("an error of another kind: %v", err)
			}
			if c.Call != nil && len(c.Call.Arguments) == 0 {
				t.Fatal("a call without arguments")
			}
		}
		if ends != 1 || usages > 1 {
			t.Fatalf("%d ends, %d usages", ends, usages)
		}
	})
}

// FuzzStrict: a strict form is JSON, the same every time, and its own strict form; dropping nulls keeps JSON JSON and has nothing left to do
// the second time.
func FuzzStrict(f *testing.F) {
	f.Add([]byte(lookup().Schema), []byte(`{"table":"a","limit":null,"where":[{"field":"x","value":null,"not":null}]}`))
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string","enum":["x"]}}}}}`), []byte(`{"a":{"b":null}}`))
	f.Add([]byte(`{"type":["object","null"]}`), []byte(`{"a":1,"a":null}`))
	f.Add([]byte(`{"type":"object","additionalProperties":false}`), []byte(`null`))
	f.Fuzz(func(t *testing.T, schema, args []byte) {
		if !json.Valid(schema) {
			return
		}
		form, ok := strictForm(schema)
		if !ok {
			return
		}
		again, ok := strictForm(form)
		if !json.Valid(form) || !ok || !bytes.Equal(form, again) {
			t.Fatalf("%s has the form %s, and that has %s", schema, form, again)
		}
		once := withoutNulls(args, schema)
		if json.Valid(args) != json.Valid(once) || !bytes.Equal(once, withoutNulls(once, schema)) {
			t.Fatalf("%s became %s", args, once)
		}
	})
}

// FuzzRetryAfter: a wait is never negative and never longer than a day, but for a date.
func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"1", "-1", "1e300", "NaN", "Inf", "Wed, 21 Oct 2015 07:28:00 GMT"} {
		f.Add(s, s)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, ms, s string) {
		h := http.Header{"Retry-After-Ms": {ms}, "Retry-After": {s}}
		_, err := http.ParseTime(s)
		if d := retryAfter(h, now); d < 0 || d > 24*time.Hour && err != nil {
			t.Fatalf("%q, %q: %s", ms, s, d)
		}
	})
}
