package providertest

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/deputy"
)

// outbound: the key goes to the configured origin and nowhere else, no redirect leads elsewhere, and nothing that is read is without end.
func outbound(t *testing.T, api API) {
	fine := readFile(t, filepath.Join(api.Dir, "text.txt")).answers(t)[0]
	for _, c := range []struct {
		name     string
		answers  []answer
		requests int
		code     deputy.Code // empty: an answer
	}{
		{"another origin", []answer{moved(307, "http://elsewhere.invalid/v1/x"), fine}, 1, deputy.Unavailable},
		{"another origin for good", []answer{moved(308, "http://elsewhere.invalid/v1/x"), fine}, 1, deputy.Unavailable},
		{"another port", []answer{moved(307, Origin+":8080/v1/x"), fine}, 1, deputy.Unavailable},
		{"another scheme", []answer{moved(307, strings.Replace(Origin, "http:", "https:", 1)+"/v1/x"), fine}, 1, deputy.Unavailable},
		{"another method", []answer{moved(302, "/v1/x"), fine}, 1, deputy.Unavailable},
		{"the same origin", []answer{moved(307, "/v1/x"), fine}, 2, ""},
		{"round and round", []answer{moved(307, "/v1/x")}, 4, deputy.Unavailable},
		{"an error without end", []answer{{status: 400, body: "{", end: "endless"}}, 1, deputy.Internal},
		{"an answer without end", []answer{{status: 200, body: "data: ", end: "endless"}}, 3, deputy.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{answers: c.answers}
				h := listen(t.Context(), api.model(t, s, false), question())
				if codeOf(h.err) != c.code || len(s.requests()) != c.requests {
					t.Errorf("%s in %d requests; want %q in %d", h.lines, len(s.requests()), c.code, c.requests)
				}
				for _, r := range s.requests() {
					if !strings.HasPrefix(r.url, Origin+"/") || !strings.Contains(fmt.Sprint(r.header), Key) {
						t.Errorf("asked %s with %v", r.url, r.header)
					}
				}
			})
		})
	}
	t.Run("what is sent besides the body", func(t *testing.T) { t.Parallel(); headers(t, api, fine) })
	t.Run("a context that ends", func(t *testing.T) { t.Parallel(); cancelled(t, api, fine) })
}

func moved(status int, to string) answer {
	return answer{status: status, header: map[string]string{"Location": to}}
}

// headers: nothing tells of this machine, its language or its person.
func headers(t *testing.T, api API, fine answer) {
	s := &server{answers: []answer{fine}}
	listen(t.Context(), api.model(t, s, false), question())
	for name, values := range s.requests()[0].header {
		switch name {
		case "Authorization", "X-Api-Key", "Content-Type", "Accept", "Anthropic-Version":
		case "User-Agent":
			if values[0] != "deputy" {
				t.Errorf("User-Agent %q", values)
			}
		default:
			t.Errorf("%s: %q is sent", name, values)
		}
	}
}

// cancelled: a context that has ended asks nothing; one that ends in the answer, or a reader who breaks off, ends the request.
func cancelled(t *testing.T, api API, fine answer) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	s := &server{answers: []answer{fine}}
	if h := listen(gone, api.model(t, s, false), question()); codeOf(h.err) != deputy.Timeout || len(s.requests()) != 0 {
		t.Errorf("%s in %d requests", h.lines, len(s.requests()))
	}
	var asked context.Context
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		asked = r.Context()
		return s.RoundTrip(r)
	})
	m, err := api.New(Config{Model: Model, Client: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	for c := range m.Stream(t.Context(), question()) {
		if c.Text != "" {
			break
		}
	}
	if asked.Err() == nil {
		t.Error("the reader broke off, and the request lives on")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range m.Stream(ctx, question()) {
		cancel()
		last = err
	}
	if deputy.CodeOf(last) != deputy.Timeout {
		t.Errorf("cancelled in the answer, it ended with %v", last)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
