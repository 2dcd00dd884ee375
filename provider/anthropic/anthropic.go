// Package anthropic asks a language model over Anthropic's messages protocol: the vendor's own service, and gateways that speak the same at
// another base URL.
//
// Its tests speak the published wire format from local servers; the vendor's own service is not asked by them.
//
// What a reader may want to know:
//
//   - The same request gives the same bytes, and a longer history the same prefix of messages but for the cache marks, which the vendor does
//     not count as content. Marks stand at the end of tools and system text, and at the end of history now and one exchange ago.
//   - Thinking comes with a signature, also where it is hidden, is kept as an Opaque part with its place in the answer, and is sent back
//     unchanged. Thinking that the vendor does not accept any more is left out of that request.
//   - Nothing is taken from ANTHROPIC_… variables of the environment; everything is in Config. Proxies are: HTTPS_PROXY, NO_PROXY.
//   - A request is repeated (at most twice, with growing random pauses) only while nothing of the answer has been yielded.
//   - What a model says it does not know (thinking, strict schemas, so long an answer) is left out from then on.
package anthropic

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/deputy"
	"example.com/deputy/internal/modelhttp"
	"example.com/deputy/internal/redact"
)

// DefaultBaseURL is the vendor's own.
const DefaultBaseURL = "https://api.anthropic.com/v1/"

// DefaultMaxTokens is how long an answer may be, thinking included, where nothing else is said.
const DefaultMaxTokens = 16384

// version is of the protocol.
const version = "2023-06-01"

// Config says which model, where, and how.
type Config struct {
	Name    string // as the operator names it; empty is Model
	Model   string // the vendor's name; required
	BaseURL string // up to and without messages; one without a path gets v1; empty is DefaultBaseURL
	APIKey  string // empty sends no x-api-key header
	Price   deputy.Price
	// HTTPClient is copied; nil is one with sensible timeouts. Its rule for redirects is replaced: none to another origin is followed.
	HTTPClient *http.Client
	// Strict asks the vendor to hold arguments to the schemas, as far as its limits for one request go. A tool whose schema has no strict
	// form is offered as it is.
	Strict bool
	// Deferred says that the model takes deferred tools, of which it knows the names only until a result reveals them.
	Deferred bool
	// MaxTokens is how long an answer may be, thinking included; 0 is DefaultMaxTokens, or less where the model cannot do that.
	MaxTokens int
	// NoThinking does not ask for thinking. Some models think all the same.
	NoThinking bool
}

// model implements deputy.Model.
type model struct {
	info    deputy.ModelInfo
	config  Config
	http    *modelhttp.Client
	options options
}

var _ deputy.Model = (*model)(nil)

// New makes a model. It asks nothing of the network; its error names every mistake in the configuration, never the key.
func New(c Config) (deputy.Model, error) {
	c.Name = cmp.Or(c.Name, c.Model)
	base, err := c.base()
	if err := errors.Join(c.check(), err); err != nil {
		return nil, err
	}
	header := Header(c.APIKey)
	m := &model{
		info:   deputy.ModelInfo{Name: c.Name, Provider: "anthropic", Model: c.Model, Price: c.Price, Deferred: c.Deferred},
		config: c,
		http: modelhttp.New(modelhttp.Config{
			Vendor: "anthropic", Model: c.Model, Name: c.Name, Base: base, Header: header, Secret: c.APIKey, HTTPClient: c.HTTPClient,
		}),
	}
	m.config.APIKey, m.config.HTTPClient = "", nil // out of sight of whoever prints a model
	return m, nil
}

// Header is what every request to the vendor carries.
func Header(key string) http.Header {
	h := http.Header{}
	h.Set("Anthropic-Version", version)
	if key != "" {
		h.Set("X-Api-Key", key)
	}
	return h
}

// named is a model's family, and its version in one or two numbers.
var named = regexp.MustCompile(`^claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?:-|$)`)

// Defers says whether a model of the vendor's takes deferred tools, by its name: those from 4.5 on.
func Defers(model string) bool {
	m := named.FindStringSubmatch(model)
	if m == nil {
		return false
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return major > 4 || major == 4 && minor >= 5
}

func (c Config) base() (*url.URL, error) {
	base, err := modelhttp.CheckURL("anthropic", cmp.Or(c.BaseURL, DefaultBaseURL), "messages", DefaultBaseURL)
	if err == nil && strings.Trim(base.Path, "/") == "" {
		base.Path = "/v1/"
	}
	return base, err
}

// check reports all mistakes together, but those of the address.
func (c Config) check() error {
	var errs []error
	if strings.TrimSpace(c.Model) == "" {
		errs = append(errs, errors.New("anthropic: model is empty: give the vendor's name of a model"))
	}
	if c.MaxTokens < 0 {
		errs = append(errs, errors.New("anthropic: the longest answer has a negative number of tokens"))
	}
	return errors.Join(append(errs, modelhttp.CheckKey("anthropic", c.APIKey))...)
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

// pauses is how often an answer that the vendor interrupts is asked to go on.
const pauses = 4

// Stream implements deputy.Model. Every error is a *deputy.Error.
func (m *model) Stream(ctx context.Context, r deputy.Request) iter.Seq2[deputy.Chunk, error] {
	return func(yield func(deputy.Chunk, error) bool) {
		a := &answer{yield: yield, mark: m.mark()}
		err := m.ask(ctx, r, a)
		for n := 0; err == nil && a.paused && n < pauses; n++ {
			a.resume()
			err = m.ask(ctx, r, a)
		}
		if err == nil {
			err = a.finish()
		}
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

// ask sends a request and reads its answer, all but its end.
func (m *model) ask(ctx context.Context, r deputy.Request, a *answer) error {
	replay := slices.ContainsFunc(r.Messages, m.thoughtOf)
	return m.http.Ask(ctx, modelhttp.Call{
		Path:  "messages",
		Begun: func() bool { return a.began },
		Relax: m.relax(&replay),
		Body:  func() ([]byte, error) { return m.body(r, replay, a.said()) },
		Read: func(b *modelhttp.Body) error {
			a.forget(b.Ended)
			return a.read(b)
		},
	})
}

// thoughtOf says whether a message has thinking of this model.
func (m *model) thoughtOf(msg deputy.Message) bool {
	return slices.ContainsFunc(msg.Parts, func(p deputy.Part) bool { return p.Opaque != nil && p.Opaque.Model == m.mark() })
}

// mark says whose thinking an Opaque part holds.
func (m *model) mark() string { return "anthropic " + m.info.Model }

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
