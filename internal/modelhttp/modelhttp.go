// Package modelhttp asks a model's server over HTTP: one origin, bounded bodies, a clock between bytes, requests repeated while that may
// help, and failures that have a sentence for the person and a cause for the operator.
//
// It knows no vendor: what a body says is written and read by who asks. Nothing is taken from variables of the environment but the
// proxies HTTPS_PROXY and NO_PROXY.
package modelhttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Bounds of what is read, in bytes. What is beyond the limit of an answer counts as cut off.
const (
	AnswerLimit    = 64 << 20
	errorBodyLimit = 64 << 10
)

// ErrGone is what Call.Read gives back when whoever reads the answer has broken off; it comes out of Ask as it is.
var ErrGone = errors.New("the reader broke off")

// Config says which server, and as whom.
type Config struct {
	Vendor string   // in front of every cause: openai
	Model  string   // the vendor's name of the model, for the operator
	Name   string   // the operator's name of the model, for the person
	Base   *url.URL // of CheckURL
	Header http.Header
	Secret string // what must never stand in a cause; may be empty
	// HTTPClient is copied; nil is one with sensible timeouts. Its rule for redirects is replaced.
	HTTPClient *http.Client
}

// Client asks one server. It is safe for concurrent use once nobody changes its fields any more.
type Client struct {
	Quiet  time.Duration // how long the server may send nothing
	Linger time.Duration // how long it may go on once Body.Ended was called
	Wait   func(context.Context, time.Duration) error
	Random func() float64 // in [0,1): the jitter of waits

	config Config
	http   *http.Client
}

// New makes a client with the waits of production.
func New(c Config) *Client {
	return &Client{Quiet: 2 * time.Minute, Linger: 5 * time.Second, Wait: pause, Random: rand.Float64, config: c, http: outbound(c.HTTPClient)}
}

// CheckURL reads the address of a server, which ends before the endpoint. Its errors are for who wrote the address.
func CheckURL(vendor, base, endpoint, example string) (*url.URL, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: the base URL cannot be read", vendor) // the error quotes it, and it may hold a password
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, fmt.Errorf("%s: the base URL must begin with http:// or https:// and a host, like %s", vendor, example)
	case u.User != nil:
		return nil, fmt.Errorf("%s: the base URL must hold no user or password: give the API key instead", vendor)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%s: the base URL must have no ? and no #", vendor)
	case strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/"+endpoint):
		return nil, fmt.Errorf("%s: leave %s out of the base URL", vendor, endpoint)
	}
	return u, nil
}

// CheckKey refuses what no header can carry. Its error does not show the key.
func CheckKey(vendor, key string) error {
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%s: the API key has a space, a line break or a letter that no key has", vendor)
	}
	return nil
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

// post sends a body and gives the answer, still unread. An answer that is not a success is a failure.
func (c *Client) post(ctx context.Context, path string, body []byte) (*http.Response, error) {
	at := strings.TrimSuffix(c.config.Base.String(), "/") + "/" + path
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range c.config.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("User-Agent", "deputy")
	res, err := c.http.Do(req)
	if err != nil || res.StatusCode/100 == 2 {
		return res, err
	}
	defer func() { _ = res.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(res.Body, errorBodyLimit)) // what could be read is enough to tell
	return nil, refusal(res.StatusCode, res.Header, text)
}
