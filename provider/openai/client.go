package openai

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

const (
	errorBodyLimit = 64 << 10
	answerLimit    = 64 << 20 // what is beyond counts as cut off
	callLimit      = 512
)

// newClient is the vendor's client without anything from the environment: a literal, since its constructor reads that.
func newClient(base *url.URL, key string, given *http.Client) sdk.Client {
	opts := []option.RequestOption{
		option.WithBaseURL(strings.TrimSuffix(base.String(), "/") + "/"),
		option.WithHTTPClient(outbound(given)),
		option.WithMaxRetries(0), // see Stream
		option.WithHeader("User-Agent", "deputy"),
		option.WithHeader("Accept", "text/event-stream, application/json"),
		option.WithMiddleware(refuse),
	}
	for _, name := range []string{"Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Retry-Count", "Timeout"} {
		opts = append(opts, option.WithHeaderDel("X-Stainless-"+name))
	}
	if key != "" {
		opts = append(opts, option.WithAPIKey(key))
	}
	return sdk.Client{Options: opts}
}

// outbound is a copy of the given client, or one of ours, that stays at its origin.
func outbound(given *http.Client) *http.Client {
	client := http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   16,
		IdleConnTimeout:       90 * time.Second,
	}}
	if given != nil {
		client = *given
	}
	client.CheckRedirect = stay
	return &client
}

// stay follows a redirect only where method and body are kept, to the same origin, and not for ever.
func stay(next *http.Request, via []*http.Request) error {
	first := via[0]
	same := next.URL.Scheme == first.URL.Scheme && strings.EqualFold(next.URL.Host, first.URL.Host)
	if !same || next.Method != first.Method || len(via) > 3 {
		return http.ErrUseLastResponse
	}
	return nil
}

// refuse turns every answer that is not a success into a failure, before the library reads it.
func refuse(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(r)
	if err != nil || res.StatusCode/100 == 2 {
		return res, err
	}
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(io.LimitReader(res.Body, errorBodyLimit)) // what could be read is enough to tell
	return nil, refusal(res.StatusCode, res.Header, body)
}

// post sends a body and gives the answer, still unread.
func (m *model) post(ctx context.Context, body []byte) (*http.Response, error) {
	var res *http.Response
	if err := m.client.Post(ctx, "chat/completions", body, &res); err != nil {
		return nil, err
	}
	return res, nil
}

// watched cancels a request whose server has sent nothing for a while. The clock runs only while something is waited for.
type watched struct {
	io.ReadCloser
	timer *time.Timer // cancels
	quiet time.Duration
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	w.timer.Reset(w.quiet)
	defer w.timer.Stop()
	return w.ReadCloser.Read(p)
}

// pause sleeps, unless ctx ends or would end before.
func pause(ctx context.Context, d time.Duration) error {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return context.DeadlineExceeded
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
