package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/deputy"
)

const secret = "sk-ant-0123456789abcdef"

const fine = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Fine.\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n"

// answers are what a server says in turn; the bodies it was sent are kept.
type answers struct {
	says   []string // a success, or a mistake in the request where it begins with {
	bodies []string
	urls   []string
}

// RoundTrip implements http.RoundTripper.
func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	says := a.says[min(len(a.bodies), len(a.says)-1)]
	a.bodies, a.urls = append(a.bodies, string(body)), append(a.urls, r.URL.String())
	status := http.StatusOK
	if strings.HasPrefix(says, "{") {
		status = http.StatusBadRequest
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(says)), Request: r}, nil
}

func mistake(text string) string {
	return fmt.Sprintf(`{"type":"error","error":{"type":"invalid_request_error","message":%q}}`, text)
}

// made is a model at a server that says these.
func made(t *testing.T, c Config, says ...string) (deputy.Model, *answers) {
	t.Helper()
	a := &answers{says: says}
	c.Model, c.HTTPClient = "model-1", &http.Client{Transport: a}
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m, a
}

// ask gives the text, or the error.
func ask(t *testing.T, m deputy.Model, r deputy.Request) string {
	t.Helper()
	out := ""
	for c, err := range m.Stream(t.Context(), r) {
		if err != nil {
			return err.Error()
		}
		out += c.Text
	}
	return out
}

func hello() deputy.Request {
	return deputy.Request{Messages: []deputy.Message{{Role: deputy.FromPerson, Parts: []deputy.Part{{Text: "Hello"}}}}}
}

func TestNewNamesEveryMistake(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config Config
		want   []string
	}{
		{Config{}, []string{"model is empty"}},
		{Config{APIKey: secret + "\n", BaseURL: "localhost:1", MaxTokens: -1}, []string{"model is empty", "API key", "http://", "negative"}},
		{Config{Model: "m", BaseURL: "https://u:p@host/v1"}, []string{"no user"}},
		{Config{Model: "m", BaseURL: "https://host/v1?version=1"}, []string{"no ?"}},
		{Config{Model: "m", BaseURL: "https://host/v1/messages/"}, []string{"leave messages out"}},
		{Config{Model: "m", BaseURL: "https://ho st/"}, []string{"cannot be read"}},
	} {
		_, err := New(c.config)
		if err == nil {
			t.Fatalf("%+v was accepted", c.config)
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%v shows the key", err)
		}
	}
	m, err := New(Config{Model: "m", APIKey: secret, Price: deputy.Price{Input: "1.25"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := (deputy.ModelInfo{Name: "m", Provider: "anthropic", Model: "m", Price: deputy.Price{Input: "1.25"}}); m.Info() != want {
		t.Errorf("Info is %+v, want %+v", m.Info(), want)
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"": "https://api.anthropic.com/v1/messages", "http://host": "http://host/v1/messages", "http://host/": "http://host/v1/messages",
		"http://host/v1": "http://host/v1/messages", "http://host/proxy/v1/": "http://host/proxy/v1/messages",
	} {
		m, a := made(t, Config{BaseURL: base}, fine)
		if got := ask(t, m, hello()); got != "Fine." || a.urls[0] != want {
			t.Errorf("%q: %q from %v, want %s", base, got, a.urls, want)
		}
	}
}

// TestNothingFromTheEnvironment is not parallel: it sets the environment.
func TestNothingFromTheEnvironment(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS"} {
		t.Setenv(name, "sk-env")
	}
	t.Setenv("ANTHROPIC_BASE_URL", "http://other.invalid")
	m, a := made(t, Config{}, fine)
	if got := ask(t, m, hello()); got != "Fine." || !strings.HasPrefix(a.urls[0], DefaultBaseURL) {
		t.Errorf("%q from %v", got, a.urls)
	}
}

// TestWhatAModelDoesNotKnow is left out once it has said so, for as long as the process runs; what an operator fixed is not changed.
func TestWhatAModelDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		config Config
		says   string
		gone   string // from the second request on
	}{
		{"thinking", Config{}, mistake("adaptive thinking is not supported on this model"), `"thinking"`},
		{"strict", Config{Strict: true}, mistake("The compiled grammar is too large"), `"strict"`},
		{"cache", Config{}, mistake("messages.0.content.0.cache_control: Extra inputs are not permitted"), `"cache_control"`},
		{"so long an answer", Config{}, mistake("max_tokens: 16384 > 8192, which is the maximum"), `"max_tokens":16384`},
	} {
		m, a := made(t, c.config, c.says, fine)
		r := hello()
		r.Tools = []deputy.ToolSpec{{Name: "a", Schema: json.RawMessage(emptySchema)}}
		for range 2 {
			if got := ask(t, m, r); got != "Fine." {
				t.Fatalf("%s: %s", c.name, got)
			}
		}
		var with []bool
		for _, b := range a.bodies {
			with = append(with, strings.Contains(b, c.gone))
		}
		if fmt.Sprint(with) != "[true false false]" {
			t.Errorf("%s: %v", c.name, with)
		}
	}
	for _, text := range []string{"max_tokens: 9000 > 8192, which is the maximum", "thinking and signature", "adaptive thinking is not supported", "strict"} {
		m, a := made(t, Config{MaxTokens: 9000, NoThinking: true}, mistake(text), fine)
		if got := ask(t, m, hello()); !strings.HasPrefix(got, "internal") || len(a.bodies) != 1 {
			t.Errorf("nothing to leave out: %s in %d requests", got, len(a.bodies))
		}
	}
}

// TestThinkingThatIsNotAccepted is left out of that request, and of no other.
func TestThinkingThatIsNotAccepted(t *testing.T) {
	t.Parallel()
	m, a := made(t, Config{}, mistake("messages.1.content.0: Invalid `signature` in `thinking` block"), fine)
	r := hello()
	data := `[{"thinking":{"type":"thinking","thinking":"","signature":"c2ln"}},{"text":3}]`
	r.Messages = append(r.Messages, deputy.Message{Role: deputy.FromModel, Parts: []deputy.Part{
		{Opaque: &deputy.Opaque{Model: "anthropic model-1", Data: json.RawMessage(data)}}, {Text: "Yes"},
	}}, hello().Messages[0])
	for range 2 {
		if got := ask(t, m, r); got != "Fine." {
			t.Fatal(got)
		}
	}
	for i, want := range []bool{true, false, true} {
		if strings.Contains(a.bodies[i], "c2ln") != want || !strings.Contains(a.bodies[i], `"text":"Yes"`) {
			t.Errorf("request %d: %s", i, a.bodies[i])
		}
	}
}

// TestLayoutThatDoesNotFit: what a store gives back for another text or other calls is no layout, whatever it says.
func TestLayoutThatDoesNotFit(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		`null`, `{}`, `[{"text":4}]`, `[{"text":2},{"text":1}]`, `[{"text":1},{"text":9223372036854775807}]`, `[{"text":3},{"call":true}]`, `[{"text":3,"skip":1}]`, `[{"text":-1},{"text":4}]`,
		`[{"text":2,"skip":-1},{"text":2}]`, `[{"thinking":{"type":"thinking","signature":"c2ln"}}]`, `[{"text":9223372036854775807}]`,
	} {
		h := history{mark: "m", replay: true}
		h.model(deputy.Message{Role: deputy.FromModel, Parts: []deputy.Part{{Opaque: &deputy.Opaque{Model: "m", Data: json.RawMessage(data)}}, {Text: "aé"}}}, "aé")
		got, err := json.Marshal(h.out)
		if err != nil || string(got) != `[{"role":"assistant","content":[{"type":"text","text":"aé"}]}]` {
			t.Errorf("%s: %s %v", data, got, err)
		}
	}
}

// TestStrictLimits: tools are strict in their order, until there would be too much of it for one request.
func TestStrictLimits(t *testing.T) {
	t.Parallel()
	m := &model{config: Config{Strict: true}}
	spec := func(optional int) deputy.ToolSpec {
		var ps []string
		for i := range optional {
			ps = append(ps, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
		}
		return deputy.ToolSpec{Schema: json.RawMessage(`{"type":"object","properties":{` + strings.Join(ps, ",") + `}}`)}
	}
	count := func(specs ...deputy.ToolSpec) (out string) {
		for _, tool := range m.tools(specs) {
			out += map[bool]string{true: "s", false: "-"}[tool.Strict]
		}
		return out
	}
	if got := count(spec(20), spec(5), spec(4), spec(1), spec(0)); got != "s-s-s" {
		t.Errorf("optional properties: %s", got)
	}
	var many []deputy.ToolSpec
	for range maxStrict + 2 {
		many = append(many, spec(0))
	}
	if got := count(many...); got != strings.Repeat("s", maxStrict)+"--" {
		t.Errorf("tools: %s", got)
	}
}

func TestPing(t *testing.T) {
	t.Parallel()
	ping := func(says string) error {
		m, _ := made(t, Config{NoThinking: true}, says)
		return m.(interface{ Ping(context.Context) error }).Ping(t.Context())
	}
	if err := ping(fine); err != nil {
		t.Error(err)
	}
	if err := ping(mistake("no")); deputy.CodeOf(err) != deputy.Internal {
		t.Error(err)
	}
}
