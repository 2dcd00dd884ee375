// Package api is the HTTP door for people and programs: JSON, turns as server-sent events, and an OpenAPI description of both.
package api

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"example.com/deputy"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Authenticator says who a request is from, by its credential. Its error is a *deputy.Error; any other one means unauthenticated.
type Authenticator func(*http.Request) (deputy.Caller, error)

// Options are what the door is given besides the assistant. All may be zero.
type Options struct {
	// PublicURL is where people reach the server; its host is accepted in Host and Origin, besides loopback.
	PublicURL string
	// Page answers every path that is none of this package's; nil: they are not found.
	Page http.Handler
	// Demo are people that anybody on this machine may be, with their tokens, at /demo/people; nil everywhere but in the demo.
	Demo []DemoPerson
	// Version is what the OpenAPI document says.
	Version string
	// Ready says whether requests can be served now; nil: always.
	Ready func(context.Context) error
	// Closing ends open event streams when it is closed, so that a server that stops need not wait for them; their turns go on. Nil: never.
	Closing <-chan struct{}
	// WriteTimeout is how long a reader may take for 64 KiB of an answer, or for one event; 30 s if zero. One who takes longer is hung up on.
	WriteTimeout time.Duration
	// Log is the operator's; nil: discarded. Neither data nor credentials are written to it.
	Log *slog.Logger
}

// server is what every route has at hand.
type server struct {
	door *deputy.Door
	log  *slog.Logger
	opts Options
	open context.Context // ends when Options.Closing is closed
}

// New makes the handler. Each request is checked in this order: Host and Origin, credential, key, route, parameters and body, rights.
func New(door *deputy.Door, auth Authenticator, opts Options) http.Handler {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.WriteTimeout <= 0 {
		opts.WriteTimeout = patience
	}
	s := &server{door: door, log: opts.Log, opts: opts, open: openUntil(opts.Closing)}
	mux := http.NewServeMux()
	api := humago.New(mux, configuration(opts.Version))
	api.UseMiddleware(withStatus)
	s.routes(api)
	mux.Handle("GET /openapi.json", document(api.OpenAPI()))
	var h http.Handler = problems(mux)
	h = s.authenticated(auth, keyed(h))
	h = s.split(h)
	return impatient(opts.WriteTimeout, s.recovered(s.local(h)))
}

// openUntil is a context that ends when closing is closed: one goroutine for all streams.
func openUntil(closing <-chan struct{}) context.Context {
	if closing == nil {
		return context.Background()
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-closing
		cancel()
	}()
	return ctx
}

// split sends what is not the API's to the page.
func (s *server) split(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case ours(r.URL.Path):
			api.ServeHTTP(w, r)
		case r.URL.Path == "/demo/people" && len(s.opts.Demo) > 0:
			s.demoPeople(w, r)
		case !clean(r.URL.Path):
			writeProblem(w, notFound())
		case s.opts.Page != nil:
			s.opts.Page.ServeHTTP(w, r)
		default:
			writeProblem(w, notFound())
		}
	})
}

// clean says whether a path is written without empty segments and dots; a mux would answer others with a redirect.
func clean(path string) bool {
	path += "/"
	return !strings.Contains(path[:len(path)-1], "//") && !strings.Contains(path, "/./") && !strings.Contains(path, "/../")
}

func ours(path string) bool {
	return private(path) || path == "/healthz" || path == "/readyz" || path == "/openapi.json"
}

// private paths need a credential.
func private(path string) bool {
	for _, p := range []string{"/v1", "/debug"} {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
