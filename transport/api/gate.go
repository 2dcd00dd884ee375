package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"runtime/debug"
	"strings"

	"example.com/deputy"
)

// local refuses a foreign Host or Origin: what a page elsewhere makes a browser send, or a name rebound to this address.
func (s *server) local(next http.Handler) http.Handler {
	public := ""
	if u, err := url.Parse(s.opts.PublicURL); err == nil {
		public = strings.ToLower(u.Hostname())
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'") // the page has its own
		switch {
		case !known(hostname(r.Host), public):
			writeProblem(w, foreign("Host", r.Host))
		case !sameOrigin(r.Header.Values("Origin"), public):
			writeProblem(w, foreign("Origin", r.Header.Get("Origin")))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func foreign(header, value string) *problem {
	return newProblem(deputy.Errorf(deputy.PermissionDenied, "%s %q is not served here; an operator can name it in public_url.", header, value))
}

func sameOrigin(origins []string, public string) bool {
	for _, o := range origins {
		u, err := url.Parse(o)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !known(strings.ToLower(u.Hostname()), public) {
			return false
		}
	}
	return true
}

// hostname is the host of a Host header, in lower case, without port and brackets.
func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		hostport = host
	}
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]"))
}

func known(host, public string) bool {
	if host == "localhost" || host != "" && host == public {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() && ip.Zone() == ""
}

type callerKey struct{}

// authenticated asks who calls a private path.
func (s *server) authenticated(auth Authenticator, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if !private(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		who, err := auth(r)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
	})
}

func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var ours *deputy.Error
	if !errors.As(err, &ours) {
		err = deputy.Errorf(deputy.Unauthenticated, "Send a valid credential as Authorization: Bearer.")
	}
	if deputy.CodeOf(err) == deputy.Unauthenticated {
		w.Header().Set("WWW-Authenticate", `Bearer realm="deputy"`)
	}
	writeProblem(w, s.problem(r.Context(), err))
}

// caller is who authenticated put there. On a public path it is nobody, who may do nothing.
func caller(ctx context.Context) deputy.Caller {
	who, _ := ctx.Value(callerKey{}).(deputy.Caller)
	return who
}

// recovered turns a panic into an answer and a line in the operator's log.
func (s *server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch v := recover(); v {
			case nil:
			case http.ErrAbortHandler:
				panic(v)
			default:
				s.log.ErrorContext(r.Context(), "api: panic", "method", r.Method, "path", r.Pattern, "panic", panicked(v), "stack", string(debug.Stack()))
				writeProblem(w, newProblem(deputy.Errorf(deputy.Internal, "%s", deputy.MessageOf(errors.New("panic")))))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// panicked is what the log may say of a panic: the text of a runtime error; of anything else its type, for it may hold data.
func panicked(v any) string {
	if err, ok := v.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", v)
}
