package app

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"example.com/deputy/internal/redact"
)

// request is what the log says of a request under way.
type request struct {
	id     string
	person string // who it is from, once that is known
}

// accessLogged counts every request and writes it to the log: its route, never its path, query, headers or body. Its id is in the answer's
// X-Request-Id and in every line of the log that comes of it.
func (p *parts) accessLogged(next http.Handler) http.Handler {
	routes, err := routesOf(next)
	if err != nil { // requests are told apart by their status alone
		p.log.Error("access log", "error", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		line := &request{id: rand.Text()}
		w.Header().Set("X-Request-Id", line.id)
		answer := &answered{ResponseWriter: w, streams: p.metrics.streamsNow.Inc}
		ctx := context.WithValue(r.Context(), requestKey{}, line)
		defer func() { // also of an answer that is broken off
			took := time.Since(began)
			if answer.stream {
				p.metrics.streamsNow.Dec()
			}
			route := routeOf(routes, r, answer.code())
			p.metrics.request(route, answer.code(), took, answer.stream)
			attrs := []slog.Attr{slog.String("route", route), slog.Int("status", answer.code()), slog.Int64("duration_ms", took.Milliseconds())}
			if line.person != "" {
				attrs = append(attrs, slog.String("person", line.person))
			}
			p.log.LogAttrs(ctx, levelOf(route), "request", attrs...)
		}()
		next.ServeHTTP(answer, r.WithContext(ctx))
	})
}

// levelOf is the level of a request's line: what a probe or a page asks for all day is debugging.
func levelOf(route string) slog.Level {
	switch route {
	case "page", "GET /healthz", "GET /readyz", "GET /openapi.json", "GET /demo/people":
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// routesOf are the patterns of the API, by its own description.
func routesOf(api http.Handler) (*http.ServeMux, error) {
	mux := http.NewServeMux()
	for _, extra := range []string{"GET /openapi.json", "GET /demo/people"} {
		mux.Handle(extra, http.NotFoundHandler())
	}
	r, err := http.NewRequest(http.MethodGet, "http://localhost/openapi.json", nil)
	if err != nil {
		return mux, err
	}
	var answer recorded
	api.ServeHTTP(&answer, r)
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(answer.Bytes(), &document); err != nil || len(document.Paths) == 0 {
		return mux, redact.Whole(errors.New("the API does not describe its routes"))
	}
	for path, methods := range document.Paths {
		for method := range methods {
			mux.Handle(strings.ToUpper(method)+" "+path, http.NotFoundHandler())
		}
	}
	return mux, nil
}

// recorded is an answer to ourselves.
type recorded struct {
	bytes.Buffer
	header http.Header
}

// Header implements http.ResponseWriter.
func (r *recorded) Header() http.Header {
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}

// WriteHeader implements http.ResponseWriter.
func (*recorded) WriteHeader(int) {}

// routeOf is the pattern that a request is for; page for what the page has; other for the rest.
func routeOf(routes *http.ServeMux, r *http.Request, status int) string {
	if _, pattern := routes.Handler(r); pattern != "" {
		return pattern
	}
	if r.Method == http.MethodGet && status < http.StatusBadRequest {
		return "page"
	}
	return "other"
}

// answered remembers the status of an answer, and tells when it begins to be a stream of events.
type answered struct {
	http.ResponseWriter
	status  int
	stream  bool
	streams func() // nil: nobody is told
}

func (a *answered) begin(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
		a.stream = a.streams != nil && strings.HasPrefix(a.Header().Get("Content-Type"), "text/event-stream")
		if a.stream {
			a.streams()
		}
	}
}

// code is the status that was sent, or would have been.
func (a *answered) code() int {
	if a.status == 0 {
		return http.StatusOK
	}
	return a.status
}

// WriteHeader implements http.ResponseWriter.
func (a *answered) WriteHeader(status int) {
	a.begin(status)
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *answered) Write(b []byte) (int, error) {
	a.begin(http.StatusOK)
	return a.ResponseWriter.Write(b)
}

// FlushError serves http.ResponseController.
func (a *answered) FlushError() error {
	a.begin(http.StatusOK)
	return http.NewResponseController(a.ResponseWriter).Flush()
}

// Unwrap gives the writer below to http.ResponseController.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// personMark is how the log names a person: by id; one that is a name or an address is hashed.
func personMark(id string) string {
	if !strings.ContainsAny(id, "@ ") {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "sha256:" + hex.EncodeToString(sum[:6])
}
