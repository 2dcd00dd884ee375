// Package openai asks a language model over the chat completions protocol: OpenAI's own service, and every server that speaks the same
// protocol at another base URL (Ollama, vLLM, llama.cpp, LM Studio, DeepSeek, OpenRouter, gateways).
//
// The wire is written by this package and sent and read through the vendor's Go library. Its tests speak the published wire format from
// local servers; the vendors' own services are not asked by them.
//
// What a reader may want to know:
//
//   - The same request gives the same bytes, and a longer history the same prefix of messages, so that a vendor's prompt cache hits.
//   - Reasoning streams out, but is never sent back. No answer has anything opaque, and none is sent.
//   - Nothing is taken from OPENAI_… variables of the environment; everything is in Config. Proxies are: HTTPS_PROXY, NO_PROXY.
//   - A request is repeated (at most twice, with growing random pauses) only while nothing of the answer has been yielded.
package openai

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"example.com/deputy"
	sdk "github.com/openai/openai-go/v3"
)

// DefaultBaseURL is the vendor's own.
const DefaultBaseURL = "https://api.openai.com/v1/"

// Config says which model, where, and how.
type Config struct {
	Name    string // as the operator names it; empty is Model
	Model   string // the vendor's name; required
	BaseURL string // up to and without chat/completions; empty is DefaultBaseURL
	APIKey  string // empty sends no Authorization header
	Price   deputy.Price
	// HTTPClient is copied; nil is one with sensible timeouts. Its rule for redirects is replaced: none to another origin is followed.
	HTTPClient *http.Client
	// Strict asks the vendor to hold arguments to the schemas. A tool whose schema has no strict form is offered as it is.
	Strict bool
}

// model implements deputy.Model.
type model struct {
	info    deputy.ModelInfo
	strict  bool
	client  sdk.Client
	redact  func(string) string // takes the API key out of a text
	noUsage atomic.Bool         // the server refused stream_options

	quiet  time.Duration // how long the server may send nothing
	linger time.Duration // how long to wait for usage once the answer has ended
	wait   func(context.Context, time.Duration) error
	random func() float64 // in [0,1)
}

var _ deputy.Model = (*model)(nil)

// New makes a model. It asks nothing of the network; its error names every mistake in the configuration, never the key.
func New(c Config) (deputy.Model, error) {
	if c.BaseURL == "" {
		c.BaseURL = DefaultBaseURL
	}
	if c.Name == "" {
		c.Name = c.Model
	}
	base, err := c.check()
	if err != nil {
		return nil, err
	}
	return &model{
		info:   deputy.ModelInfo{Name: c.Name, Provider: "openai", Model: c.Model, Price: c.Price},
		strict: c.Strict,
		client: newClient(base, c.APIKey, c.HTTPClient),
		redact: redactor(c.APIKey),
		quiet:  2 * time.Minute,
		linger: 5 * time.Second,
		wait:   pause,
		random: rand.Float64,
	}, nil
}

// Info implements deputy.Model.
func (m *model) Info() deputy.ModelInfo { return m.info }

// redactor keeps the key out of sight of whoever prints a model.
func redactor(key string) func(string) string {
	return func(s string) string {
		if key == "" {
			return s
		}
		return strings.ReplaceAll(s, key, "(the API key)")
	}
}

// check reports all mistakes together.
func (c Config) check() (*url.URL, error) {
	var errs []error
	if strings.TrimSpace(c.Model) == "" {
		errs = append(errs, errors.New("openai: model is empty: give the vendor's name of a model"))
	}
	if strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		errs = append(errs, errors.New("openai: the API key has a space, a line break or a letter that no key has"))
	}
	base, err := url.Parse(c.BaseURL)
	switch {
	case err != nil:
		errs = append(errs, errors.New("openai: the base URL cannot be read"))
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		errs = append(errs, fmt.Errorf("openai: the base URL must begin with http:// or https:// and a host, like %s", DefaultBaseURL))
	case base.User != nil:
		errs = append(errs, errors.New("openai: the base URL must hold no user or password: give the API key instead"))
	case base.RawQuery != "" || base.Fragment != "":
		errs = append(errs, errors.New("openai: the base URL must have no ? and no #"))
	case strings.HasSuffix(strings.TrimSuffix(base.Path, "/"), "/chat/completions"):
		errs = append(errs, errors.New("openai: leave chat/completions out of the base URL"))
	}
	return base, errors.Join(errs...)
}
