// Package openai asks a language model over one of OpenAI's two protocols: chat completions, which every compatible server speaks too
// (LiteLLM, Ollama, vLLM, llama.cpp, gateways), and responses.
//
// Its tests speak the published wire format from local servers; the vendors' own services are not asked by them.
//
// What a reader may want to know:
//
//   - The same request gives the same bytes, and a longer history the same prefix of messages, so that a vendor's prompt cache hits.
//   - Responses are not kept by the vendor (store is false): reasoning comes encrypted, is kept as an Opaque part, and is sent back in its
//     place. Chat completions have no place for it: there reasoning streams out and is never sent back.
//   - Nothing is taken from OPENAI_… variables of the environment; everything is in Config. Proxies are: HTTPS_PROXY, NO_PROXY.
//   - A request is repeated (at most twice, with growing random pauses) only while nothing of the answer has been yielded.
//   - What a server says it does not know (usage in streams, strict schemas, encrypted reasoning) is left out from then on.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"example.com/deputy"
	"example.com/deputy/internal/modelhttp"
	"example.com/deputy/internal/redact"
)

// DefaultBaseURL is the vendor's own.
const DefaultBaseURL = "https://api.openai.com/v1/"

// API is one of the vendor's two protocols.
type API string

// The protocols. Empty is Chat.
const (
	Chat      API = "chat"
	Responses API = "responses"
)

// Config says which model, where, and how.
type Config struct {
	Name    string // as the operator names it; empty is Model
	Model   string // the vendor's name; required
	API     API
	BaseURL string // up to and without chat/completions or responses; empty is DefaultBaseURL
	APIKey  string // empty sends no Authorization header
	Price   deputy.Price
	// HTTPClient is copied; nil is one with sensible timeouts. Its rule for redirects is replaced: none to another origin is followed.
	HTTPClient *http.Client
	// Strict asks the vendor to hold arguments to the schemas. A tool whose schema has no strict form is offered as it is.
	Strict bool
	// Deferred says that the model takes deferred tools, which it does not know until a result reveals them: of Responses only.
	Deferred bool
}

// model implements deputy.Model.
type model struct {
	info    deputy.ModelInfo
	api     API
	strict  bool
	http    *modelhttp.Client
	options options
}

var _ deputy.Model = (*model)(nil)

// New makes a model. It asks nothing of the network; its error names every mistake in the configuration, never the key.
func New(c Config) (deputy.Model, error) {
	c.BaseURL = cmp.Or(c.BaseURL, DefaultBaseURL)
	c.Name = cmp.Or(c.Name, c.Model)
	c.API = cmp.Or(c.API, Chat)
	base, err := modelhttp.CheckURL("openai", c.BaseURL, c.API.endpoint(), DefaultBaseURL)
	if err := errors.Join(c.check(), err); err != nil {
		return nil, err
	}
	header := http.Header{}
	if c.APIKey != "" {
		header.Set("Authorization", "Bearer "+c.APIKey)
	}
	return &model{
		info:   deputy.ModelInfo{Name: c.Name, Provider: "openai", Model: c.Model, Price: c.Price, Deferred: c.Deferred},
		api:    c.API,
		strict: c.Strict,
		http: modelhttp.New(modelhttp.Config{
			Vendor: "openai", Model: c.Model, Name: c.Name, Base: base, Header: header, Secret: c.APIKey, HTTPClient: c.HTTPClient,
		}),
	}, nil
}

// named is a model's version.
var named = regexp.MustCompile(`^gpt-(\d{1,2})(?:\.(\d{1,2}))?(?:-|$)`)

// Defers says whether a model of the vendor's takes deferred tools, by its name: those from 5.4 on.
func Defers(model string) bool {
	m := named.FindStringSubmatch(model)
	if m == nil {
		return false
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return major > 5 || major == 5 && minor >= 4
}

func (a API) endpoint() string {
	if a == Responses {
		return "responses"
	}
	return "chat/completions"
}

// check reports all mistakes together, but those of the address.
func (c Config) check() error {
	var errs []error
	if strings.TrimSpace(c.Model) == "" {
		errs = append(errs, errors.New("openai: model is empty: give the vendor's name of a model"))
	}
	if c.API != Chat && c.API != Responses {
		errs = append(errs, fmt.Errorf("openai: there is no API %q: it is chat or responses", c.API))
	}
	if c.Deferred && c.API == Chat {
		errs = append(errs, errors.New("openai: chat completions have no deferred tools"))
	}
	return errors.Join(append(errs, modelhttp.CheckKey("openai", c.APIKey))...)
}

// Info implements deputy.Model.
func (m *model) Info() deputy.ModelInfo { return m.info }

// Ping asks for the shortest answer there is: nil says that the address, the key, the model's name and the account are right.
func (m *model) Ping(ctx context.Context) error {
	hello := deputy.Message{Role: deputy.FromPerson, Parts: []deputy.Part{{Text: "Answer with the word OK."}}}
	for _, err := range m.Stream(ctx, deputy.Request{Messages: []deputy.Message{hello}}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// Stream implements deputy.Model. Every error is a *deputy.Error.
func (m *model) Stream(ctx context.Context, r deputy.Request) iter.Seq2[deputy.Chunk, error] {
	return func(yield func(deputy.Chunk, error) bool) {
		out := &sink{yield: yield}
		err := m.http.Ask(ctx, m.call(r, out))
		var f *modelhttp.Failure
		switch {
		case err == nil, errors.Is(err, modelhttp.ErrGone):
		case errors.As(err, &f) && f.Filtered:
			yield(deputy.Chunk{Stop: deputy.StopRefused}, nil)
		default:
			yield(deputy.Chunk{}, m.explain(ctx, err))
		}
	}
}

// call is a request as the client asks it.
func (m *model) call(r deputy.Request, out *sink) modelhttp.Call {
	q := modelhttp.Call{Path: m.api.endpoint(), Begun: func() bool { return out.began }, Relax: m.relax()}
	var held schemas
	if m.api == Responses {
		q.Body = func() (body []byte, err error) { body, held, err = m.responsesBody(r); return body, err }
		q.Read = func(b *modelhttp.Body) error {
			return (&response{model: m, held: held, search: m.search(r), out: out, ended: b.Ended}).read(b)
		}
		return q
	}
	q.Body = func() (body []byte, err error) { body, held, err = m.chatBody(r); return body, err }
	q.Read = func(b *modelhttp.Body) error { return (&answer{held: held, out: out, ended: b.Ended}).read(b) }
	return q
}

// explain makes the one error that leaves this package.
func (m *model) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &deputy.Error{Code: deputy.Timeout, Message: deputy.MessageOf(ctx.Err()), Cause: ctx.Err()}
	}
	code, sentence, cause := m.http.Explain(err)
	if sentence != "" { // a failure of ours: its cause quotes nothing
		cause = redact.Whole(cause)
	}
	return &deputy.Error{Code: deputy.Code(code), Message: cmp.Or(sentence, deputy.MessageOf(nil)), Cause: cause}
}

// sink is where chunks go, and whether any went.
type sink struct {
	yield func(deputy.Chunk, error) bool
	began bool
}

func (s *sink) send(c deputy.Chunk) error {
	s.began = true
	if !s.yield(c, nil) {
		return modelhttp.ErrGone
	}
	return nil
}
