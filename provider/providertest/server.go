package providertest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// server answers in the process, the nth request with the nth answer, and every later one with the last.
type server struct {
	answers []answer

	mu    sync.Mutex
	asked []asked
}

// answer is one of a server.
type answer struct {
	status int
	header map[string]string
	body   string
	end    string // cut, hang, slow, endless; empty ends as it should
}

// asked is a request as it came.
type asked struct {
	url    string
	header http.Header
	body   []byte
	at     time.Time
}

// RoundTrip implements http.RoundTripper.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.answers[min(len(s.asked), len(s.answers)-1)]
	s.asked = append(s.asked, asked{r.URL.String(), r.Header.Clone(), body, time.Now()})
	header := http.Header{}
	for name, value := range a.header {
		header.Set(name, value)
	}
	pieces := &pieces{ctx: r.Context(), rest: strings.NewReader(a.body), size: len(a.body), end: a.end}
	return &http.Response{StatusCode: a.status, Header: header, Body: io.NopCloser(pieces), Request: r}, nil
}

// requests are those that came so far.
func (s *server) requests() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]asked{}, s.asked...)
}

// pieces gives a body a few bytes at a time, as a network may.
type pieces struct {
	ctx  context.Context
	rest *strings.Reader
	size int
	end  string
}

// slow is how long a slow server sends nothing: shorter than anybody gives up.
const slow = 100 * time.Second

// Read implements io.Reader.
func (p *pieces) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.rest.Read(b[:min(len(b), 7)])
	left := p.rest.Len()
	if p.end == "slow" && (left+n == p.size || left <= p.size/2 && left+n > p.size/2) {
		time.Sleep(slow) // of a bubble: nobody waits
	}
	if err == nil {
		return n, nil
	}
	switch p.end {
	case "cut":
		return 0, io.ErrUnexpectedEOF
	case "endless":
		return copy(b, append(bytes.Repeat([]byte{':'}, len(b)-1), '\n')), nil
	case "hang":
		<-p.ctx.Done()
		return 0, p.ctx.Err()
	}
	return 0, io.EOF
}
