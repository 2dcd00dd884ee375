package app

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/provider/anthropic"
	"example.com/deputy/provider/offline"
	"example.com/deputy/provider/openai"
	"example.com/deputy/provider/scripted"
)

// newModels makes the models; without any there is the offline one.
func newModels(c *Config) ([]deputy.Model, error) {
	if len(c.Models) == 0 {
		return []deputy.Model{offline.New()}, nil
	}
	var out []deputy.Model
	for i, m := range c.Models {
		model, err := newModel(m)
		if err != nil {
			return nil, &located{fmt.Sprintf("models[%d]", i), err.Error()}
		}
		out = append(out, model)
	}
	return out, nil
}

func newModel(m ModelConfig) (deputy.Model, error) {
	price := deputy.Price{Input: string(m.Price.Input), CachedInput: string(m.Price.CachedInput), Output: string(m.Price.Output)}
	switch m.Provider {
	case "openai":
		return openai.New(openai.Config{
			Name: m.Name, Model: m.Model, API: openai.API(m.API), BaseURL: m.BaseURL, APIKey: m.APIKey, Price: price, Strict: m.strict(),
			Deferred: m.deferred(m.API == string(openai.Responses) && openai.Defers(m.Model)),
		})
	case "anthropic":
		return anthropic.New(anthropic.Config{
			Name: m.Name, Model: m.Model, BaseURL: m.BaseURL, APIKey: m.APIKey, Price: price, Strict: m.strict(), MaxTokens: m.MaxTokens,
			Deferred: m.deferred(anthropic.Defers(m.Model)),
		})
	case "scripted":
		s, err := scripted.Load(m.Scenario)
		if err != nil {
			return nil, err
		}
		s.Name = m.Name
		return s, nil
	case "offline":
		return offline.New(offline.Name(m.Name)), nil
	}
	return nil, fmt.Errorf("no such provider: %s", m.Provider)
}

// strict says whether the model is held to the schemas of tools: where nothing is said, at the vendor's own address.
func (m ModelConfig) strict() bool {
	if m.StrictTools != nil {
		return *m.StrictTools
	}
	return m.BaseURL == ""
}

// deferred says whether the model takes deferred tools: where nothing is said, one that is known to, at the vendor's own address.
func (m ModelConfig) deferred(known bool) bool {
	if m.DeferredTools != nil {
		return *m.DeferredTools
	}
	return known && m.BaseURL == ""
}

func (d *document) validateModel(i int) {
	m, key := d.Models[i], fmt.Sprintf("models[%d]", i)
	if m.Name == "" {
		d.badMissing(key+".name", "no name: write one of your own, such as main")
	}
	for _, other := range d.Models[:i] {
		if other.Name == m.Name && m.Name != "" {
			d.badValue(key+".name", "a second model named %s: name each once", m.Name)
		}
	}
	if u, err := url.Parse(m.BaseURL); m.BaseURL != "" && (err != nil || u.Host == "") {
		d.badValue(key+".base_url", "write a whole URL, such as http://127.0.0.1:4000/v1")
	}
	switch m.Provider {
	case "":
		d.badMissing(key+".provider", "no provider: write openai, anthropic, offline or scripted")
	case "openai", "anthropic":
		if m.Model == "" {
			d.badMissing(key+".model", "no model: write the vendor's name for it, such as gpt-4.1 or claude-sonnet-5")
		}
	case "scripted":
		if m.Scenario == "" {
			d.badMissing(key+".scenario", "no scenario: name its file")
		}
	}
	d.validateModelKeys(key, m)
}

// validateModelKeys refuses keys that the model's provider would ignore.
func (d *document) validateModelKeys(key string, m ModelConfig) {
	if !slices.Contains([]string{"openai", "anthropic", "offline", "scripted"}, m.Provider) {
		return // said already
	}
	remote := m.Provider == "openai" || m.Provider == "anthropic"
	means := map[string]bool{
		"api": m.Provider == "openai", "model": remote, "base_url": remote, "api_key": remote, "strict_tools": remote, "deferred_tools": remote,
		"max_tokens": m.Provider == "anthropic", "scenario": m.Provider == "scripted",
	}
	for name, something := range means {
		if _, stands := d.keys[key+"."+name]; stands && !something {
			d.bad(key+"."+name, "means nothing to provider %s: remove it", m.Provider)
		}
	}
}

// probeTimeout is how long a model may take to say its first word: a local server may have to load it first.
const probeTimeout = 2 * time.Minute

// probe asks a model for the shortest answer there is: that alone tells that address, key, name and account are right. Models made of this
// binary's own code have nothing to reach.
func (p *parts) probe(ctx context.Context, i int) error {
	m, ok := p.models[i].(interface{ Ping(context.Context) error })
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return m.Ping(ctx)
}

// The models of a demo that is given a key and no name.
const (
	demoOpenAI    = "gpt-4.1"
	demoAnthropic = "claude-sonnet-5"
)

// models are the one that the command line or the environment names; none: the offline one.
func (c *demoCommand) models(ctx context.Context, env func(string) string) ([]ModelConfig, error) {
	key, other := env("OPENAI_API_KEY"), env("ANTHROPIC_API_KEY")
	m := ModelConfig{Name: "main", Provider: "openai", Model: c.Model, BaseURL: c.ModelURL, APIKey: key}
	switch {
	case c.ModelURL == "" && other != "" && (key == "" || strings.HasPrefix(c.Model, "claude")):
		m.Provider, m.APIKey = "anthropic", other
		if m.Model == "" {
			m.Model = demoAnthropic
		}
	case c.ModelURL == "" && key == "":
		return nil, nil
	case c.Model != "":
	case c.ModelURL == "":
		m.Model = demoOpenAI
	default:
		names, err := listModels(ctx, c.ModelURL, key)
		if err != nil {
			return nil, fmt.Errorf("--model-url %s: %w", c.ModelURL, err)
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("--model-url %s has no model: name one with --model", c.ModelURL)
		}
		m.Model = names[0]
	}
	return []ModelConfig{m}, nil
}
