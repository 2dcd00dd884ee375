package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestCheckAsksEveryModel: a model that is there, has the name, takes the key and answers is good; the operator reads what is wrong with
// every other.
func TestCheckAsksEveryModel(t *testing.T) {
	t.Parallel()
	server := modelServer(t)
	for name, c := range map[string]struct {
		model string
		want  int
		says  string
	}{
		"chat":               {"provider: openai, model: one, base_url: \"URL/v1\", api_key: right", good, "main (openai one) answers"},
		"responses":          {"provider: openai, api: responses, model: one, base_url: \"URL/v1\", api_key: right", good, "main (openai one) answers"},
		"anthropic":          {"provider: anthropic, model: one, base_url: \"URL\", api_key: right, max_tokens: 100", good, "main (anthropic one) answers"},
		"wrong key":          {"provider: openai, model: one, base_url: \"URL/v1\", api_key: wrong", failed, "check the API key"},
		"wrong key, other":   {"provider: anthropic, model: one, base_url: \"URL\", api_key: wrong", failed, "check the API key"},
		"wrong address":      {"provider: anthropic, model: one, base_url: \"URL/v2\", api_key: right", failed, "check its name and its address"},
		"nobody at the port": {"provider: openai, model: one, base_url: \"http://127.0.0.1:1/v1\", api_key: right", failed, "cannot be reached"},
	} {
		model := strings.ReplaceAll("models: [ { name: main, "+c.model+" } ]\nauth:", "URL", server.URL)
		status, out, errOut := deputyCommand(t, "check", "--config", shop(t, strings.Replace(goodConfig, "auth:", model, 1)))
		if status != c.want || !strings.Contains(out+errOut, c.says) || strings.Contains(out+errOut, "wrong") {
			t.Errorf("%s: %d %s%s", name, status, out, errOut)
		}
	}
}

// modelServer speaks three protocols and knows one key.
func modelServer(t *testing.T) *httptest.Server {
	t.Helper()
	answers := map[string]string{
		"/v1/models":           `{"data":[{"id":"one"},{"id":"two"}]}`,
		"/v1/chat/completions": "data: {\"choices\":[{\"delta\":{\"content\":\"OK\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		"/v1/responses":        "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
		"/v1/messages":         "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		switch {
		case r.Header.Get("Authorization") != "Bearer right" && r.Header.Get("X-Api-Key") != "right":
			w.WriteHeader(http.StatusUnauthorized)
		case !ok:
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = io.WriteString(w, answer)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func TestModelsOfTheDemo(t *testing.T) {
	t.Parallel()
	url := modelServer(t).URL + "/v1"
	for name, c := range map[string]struct {
		command       demoCommand
		openai, other string
		want          string // provider, model, key
	}{
		"nothing":                     {want: ""},
		"OpenAI":                      {openai: "right", want: "openai " + demoOpenAI + " right"},
		"Anthropic":                   {other: "right", want: "anthropic " + demoAnthropic + " right"},
		"both":                        {openai: "a", other: "b", want: "openai " + demoOpenAI + " a"},
		"both, and a name":            {command: demoCommand{Model: "claude-x"}, openai: "a", other: "b", want: "anthropic claude-x b"},
		"a server, and its first":     {command: demoCommand{ModelURL: url}, openai: "right", other: "b", want: "openai one right"},
		"a server, and another model": {command: demoCommand{ModelURL: url, Model: "two"}, other: "b", want: "openai two "},
	} {
		got := ""
		ms, err := c.command.models(t.Context(), func(name string) string {
			return map[string]string{"OPENAI_API_KEY": c.openai, "ANTHROPIC_API_KEY": c.other}[name]
		})
		for _, m := range ms {
			got += m.Provider + " " + m.Model + " " + m.APIKey
		}
		if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
	}
	if _, err := (&demoCommand{ModelURL: url}).models(t.Context(), func(string) string { return "" }); err == nil || !strings.Contains(err.Error(), "mend OPENAI_API_KEY") {
		t.Errorf("without a key: %v", err)
	}
}

// TestKeysOfModels: each provider is given the keys that mean something to it, and no other.
func TestKeysOfModels(t *testing.T) {
	t.Parallel()
	strict := true
	for _, c := range []struct {
		m    ModelConfig
		want bool
	}{
		{ModelConfig{Provider: "openai"}, true}, {ModelConfig{Provider: "openai", BaseURL: "http://x"}, false},
		{ModelConfig{Provider: "anthropic", BaseURL: "http://x", StrictTools: &strict}, true},
	} {
		if c.m.strict() != c.want {
			t.Errorf("%+v: strict %v", c.m, c.m.strict())
		}
	}
	for key, model := range map[string]string{
		"api": "provider: anthropic, model: m, api: chat", "strict_tools": "provider: offline, strict_tools: true", "max_tokens": "provider: openai, model: m, max_tokens: 5",
		"scenario": "provider: anthropic, model: m, scenario: s.yaml",
	} {
		_, _, errOut := deputyCommand(t, "check", "--config", shop(t, strings.Replace(goodConfig, "auth:", "models: [ { name: main, "+model+" } ]\nauth:", 1)))
		if !strings.Contains(errOut, "models[0]."+key+": means nothing to provider") {
			t.Errorf("%s: %s", key, errOut)
		}
	}
}
