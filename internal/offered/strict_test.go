package offered

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/internal/strictrules"
	vendorA "example.com/deputy/provider/anthropic"
	vendorO "example.com/deputy/provider/openai"
)

// looseTools are those that a vendor is not asked to hold a model to, though it is asked to do so with strict tools: there is a reason for
// each. A tool has a strict form at every vendor, which keeps the vendor's rules; Anthropic limits what a request may have of them.
func looseTools(t *testing.T, r request) {
	t.Helper()
	theirs := strings.HasPrefix(r.Model, "anthropic")
	var sum strictrules.Counts
	for _, one := range append(append([]tool{}, r.tools...), defined(r.result)...) {
		switch {
		case one.Strict && !r.Strict:
			t.Errorf("%s, step %d: %s is strict", r.Model, r.Step, one.Name)
		case one.Strict:
			sum = sum.With(one.Schema)
		case r.Strict && !theirs && !one.Search:
			t.Errorf("%s, step %d: %s is not strict, and nothing limits that", r.Model, r.Step, one.Name)
		case r.Strict && theirs && sum.With(alone(t, r.Model, one).Schema).Over() == "":
			t.Errorf("%s, step %d: %s is not strict, and no limit is reached", r.Model, r.Step, one.Name)
		}
		if r.Strict && !one.Search {
			form := alone(t, r.Model, one)
			if !form.Strict || one.Strict && string(form.Schema) != string(one.Schema) {
				t.Errorf("%s: %s has no strict form by itself, or another one than beside others: %s", r.Model, one.Name, form.Schema)
			}
			for _, wrong := range refused(request{Model: r.Model, tools: []tool{form}}) {
				t.Errorf("%s, alone: %s", r.Model, wrong)
			}
		}
	}
}

// alone is a tool as a vendor is sent it when there is no other, and it is to be strict if it can.
func alone(t testing.TB, model string, one tool) tool {
	t.Helper()
	var body []byte
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		var err error
		body, err = io.ReadAll(r.Body)
		return &http.Response{StatusCode: http.StatusUnauthorized, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, err
	})}
	m, err := vendorA.New(vendorA.Config{Model: "some-model", HTTPClient: client, Strict: true})
	if api, _, _ := strings.Cut(model, ","); api != "anthropic" {
		m, err = vendorO.New(vendorO.Config{Model: "some-model", API: vendorO.API(strings.TrimPrefix(api, "openai ")), HTTPClient: client, Strict: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	spec := deputy.ToolSpec{Name: one.Name, Description: one.Description, Schema: one.Schema}
	for _, err := range m.Stream(t.Context(), deputy.Request{System: "x", Tools: []deputy.ToolSpec{spec}}) {
		if err == nil {
			t.Fatal("there was an answer")
		}
	}
	r := request{Model: model, Body: body}
	if err := r.read(); err != nil || len(r.tools) != 1 {
		t.Fatalf("%s: %v: %s", one.Name, err, body)
	}
	return r.tools[0]
}

type transport func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// apis are the ways in which a tool is written.
func apis() []string { return []string{"openai chat", "openai responses", "anthropic"} }

// TestForeignTools: what others define as tools is strict only where the form that is made of it keeps the vendor's rules.
func TestForeignTools(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../shared/data/github-mcp/__toolsnaps__/*.snap")
	if err != nil || len(files) == 0 {
		t.Skip("../shared/data/github-mcp is not there")
	}
	strict := map[string]int{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var one struct {
			Name        string
			InputSchema json.RawMessage
		}
		if err := json.Unmarshal(raw, &one); err != nil {
			t.Fatal(err)
		}
		var schema bytes.Buffer
		if err := json.Compact(&schema, one.InputSchema); err != nil {
			t.Fatal(err)
		}
		for _, api := range apis() {
			form := alone(t, api, tool{Name: one.Name, Description: "x", Schema: schema.Bytes()})
			if form.Strict {
				strict[api]++
			} else if !bytes.Equal(form.Schema, schema.Bytes()) {
				t.Errorf("%s: %s is not strict, but its schema is another one", api, one.Name)
			}
			for _, wrong := range refused(request{Model: api, tools: []tool{form}}) {
				t.Errorf("%s: %s", api, wrong)
			}
		}
	}
	t.Logf("of %d tools strict: %v", len(files), strict)
	for _, api := range apis() {
		if strict[api] < len(files)/2 {
			t.Errorf("%s: only %d of %d are strict", api, strict[api], len(files))
		}
	}
}
