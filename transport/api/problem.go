package api

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"

	"example.com/deputy"
	"example.com/deputy/internal/redact"
	"github.com/danielgtaylor/huma/v2"
)

// problem is the one form of an error (RFC 9457).
type problem struct {
	Type     string        `json:"type" doc:"about:blank: the code says what it is"`
	Title    string        `json:"title"`
	Status   int           `json:"status"`
	Detail   string        `json:"detail" doc:"A sentence for people"`
	Code     deputy.Code   `json:"code"`
	Proposal *proposalJSON `json:"proposal,omitempty" doc:"stale: the new pending proposal"`
	Group    *groupJSON    `json:"group,omitempty" doc:"stale: the new pending group"`
	err      error
}

// Error implements error.
func (p *problem) Error() string { return p.Detail }

// Unwrap gives the error of the engine that it is made of, if any.
func (p *problem) Unwrap() error { return p.err }

// GetStatus implements huma.StatusError.
func (p *problem) GetStatus() int { return p.Status }

// ContentType implements huma.ContentTypeFilter.
func (p *problem) ContentType(string) string { return "application/problem+json" }

func newProblem(err error) *problem {
	code := deputy.CodeOf(err)
	status := statusOf(code)
	return &problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: deputy.MessageOf(err), Code: code, err: err}
}

// problem is an error of the engine, as the person may read it; what is the operator's goes to the log.
func (s *server) problem(ctx context.Context, err error) *problem {
	var known *deputy.Error
	if !errors.As(err, &known) || known.Cause != nil || known.Code == deputy.Internal {
		s.log.ErrorContext(ctx, "api: request failed", "error", redact.Error(err))
	}
	return newProblem(err)
}

func notFound() *problem { return newProblem(deputy.Errorf(deputy.NotFound, "There is nothing here.")) }

func statusOf(c deputy.Code) int {
	switch c {
	case deputy.Invalid:
		return http.StatusBadRequest
	case deputy.Unauthenticated:
		return http.StatusUnauthorized
	case deputy.PermissionDenied:
		return http.StatusForbidden
	case deputy.NotFound:
		return http.StatusNotFound
	case deputy.Conflict, deputy.Stale, deputy.AlreadyDecided, deputy.ExpiredCode:
		return http.StatusConflict
	case deputy.TooLarge:
		return http.StatusRequestEntityTooLarge
	case deputy.Unprocessable:
		return http.StatusUnprocessableEntity
	case deputy.RateLimited, deputy.BudgetExhausted:
		return http.StatusTooManyRequests
	case deputy.Unavailable, deputy.Killed:
		return http.StatusServiceUnavailable
	case deputy.Timeout:
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

// codeOf is for errors that arise before the engine is asked.
func codeOf(status int) deputy.Code {
	switch status {
	case http.StatusNotFound:
		return deputy.NotFound
	case http.StatusRequestEntityTooLarge:
		return deputy.TooLarge
	case http.StatusRequestTimeout:
		return deputy.Timeout
	}
	if status >= 500 {
		return deputy.Internal
	}
	return deputy.Invalid
}

func writeProblem(w http.ResponseWriter, p *problem) {
	var b bytes.Buffer
	_ = encode(&b, p) // strings and numbers always marshal
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_, _ = w.Write(b.Bytes()) // a reader that is gone is not ours to mend
}

// asProblem gives huma's own errors our form: a request that cannot be read, or does not fit its schema, is invalid.
func asProblem(ctx huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	code := codeOf(m.Status)
	status := statusOf(code)
	if c, ok := ctx.(*statusContext); ok {
		c.status = status
	}
	return &problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: sentence(m, code), Code: code}, nil
}

func sentence(m *huma.ErrorModel, code deputy.Code) string {
	if code == deputy.Internal {
		return deputy.MessageOf(errors.New("internal"))
	}
	var out []string
	if m.Status == http.StatusUnsupportedMediaType {
		return "Send the body as JSON, with Content-Type: application/json."
	}
	for _, e := range m.Errors {
		if e.Location != "" {
			out = append(out, e.Location+": "+e.Message)
		} else {
			out = append(out, e.Message)
		}
	}
	if len(out) == 0 {
		return m.Detail
	}
	return strings.Join(out, "; ")
}

// statusContext lets asProblem change the status that huma chose.
type statusContext struct {
	humaContext
	status int
}

// humaContext gives the embedded field a name that is none of its methods'.
type humaContext = huma.Context

func withStatus(ctx huma.Context, next func(huma.Context)) { next(&statusContext{humaContext: ctx}) }

// SetStatus implements huma.Context.
func (c *statusContext) SetStatus(status int) {
	if c.status != 0 {
		status = c.status
	}
	c.humaContext.SetStatus(status)
}

// Unwrap leads to the request beneath.
func (c *statusContext) Unwrap() huma.Context { return c.humaContext }

// problems answers for the mux where it has no route: 404 and 405 in our form.
func problems(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !clean(r.URL.Path) {
			writeProblem(w, notFound())
			return
		}
		h, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		rec := &statusRecorder{header: http.Header{}}
		h.ServeHTTP(rec, r)
		p := notFound()
		if rec.status == http.StatusMethodNotAllowed {
			allow := rec.header.Get("Allow")
			w.Header().Set("Allow", allow)
			p.Status, p.Title, p.Code = rec.status, http.StatusText(rec.status), deputy.Invalid
			p.Detail = "This path answers to " + allow + "."
		}
		writeProblem(w, p)
	})
}

// statusRecorder keeps what the mux would have said.
type statusRecorder struct {
	header http.Header
	status int
}

func (r *statusRecorder) Header() http.Header         { return r.header }
func (r *statusRecorder) Write(b []byte) (int, error) { return len(b), nil }
func (r *statusRecorder) WriteHeader(status int)      { r.status = status }
