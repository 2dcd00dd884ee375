package openai

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"

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
