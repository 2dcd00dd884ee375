package openai

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
)

var update = flag.Bool("update", false, "rewrite the last section of the files in testdata")

// section is a part of a file: a line "-- title --" and what follows it.
type section struct{ title, body string }

func sections(t testing.TB, file string) []section {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	heads := regexp.MustCompile(`(?m)^-- (.+) --\n`).FindAllSubmatchIndex(raw, -1)
	var out []section
	for i, h := range heads {
		end := len(raw)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		out = append(out, section{string(raw[h[2]:h[3]]), string(raw[h[1]:end])})
	}
	if len(out) != 2 {
		t.Fatalf("%s has %d sections, want 2", file, len(out))
	}
	return out
}

// golden compares, or rewrites the second section.
func golden(t *testing.T, file string, s []section, got string) {
	t.Helper()
	if *update {
		text := fmt.Sprintf("-- %s --\n%s-- %s --\n%s", s[0].title, s[0].body, s[1].title, got)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != s[1].body {
		t.Errorf("%s:\ngot\n%s\nwant\n%s", file, got, s[1].body)
	}
}

func files(t testing.TB, pattern string) []string {
	t.Helper()
	out, err := filepath.Glob(pattern)
	if err != nil || len(out) == 0 {
		t.Fatalf("no files at %s: %v", pattern, err)
	}
	return out
}

// TestStreams holds what comes of answers. The title of the first section is "answer STATUS TYPE [strict]".
func TestStreams(t *testing.T) {
	t.Parallel()
	for _, file := range files(t, "testdata/stream/*.txt") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			s := sections(t, file)
			var status int
			var kind string
			if _, err := fmt.Sscanf(s[0].title, "answer %d %s", &status, &kind); err != nil {
				t.Fatal(err)
			}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				readAll(t, req)
				w.Header().Set("Content-Type", kind)
				w.WriteHeader(status)
				_, _ = w.Write([]byte(s[0].body))
			}))
			defer srv.Close()
			m := start(t, srv.URL, Config{Strict: strings.HasSuffix(s[0].title, " strict")})
			got := transcript(context.Background(), m, deputy.Request{Tools: []deputy.ToolSpec{lookup()}})
			golden(t, file, s, got+waited(m))
		})
	}
}

// lookup is a tool with optional parameters.
func lookup() deputy.ToolSpec {
	return deputy.ToolSpec{Name: "lookup", Description: "Looks up.", Schema: json.RawMessage(
		`{"type":"object","properties":{"table":{"type":"string"},"limit":{"type":"integer"},"where":{"type":"array","items":` +
			`{"type":"object","properties":{"field":{"type":"string"},"value":{"type":["string","null"]},"not":{"type":"boolean"}},` +
			`"required":["field","value"],"additionalProperties":false}}},"required":["table"],"additionalProperties":false}`)}
}

// transcript writes one line for each part of an answer.
func transcript(ctx context.Context, m deputy.Model, r deputy.Request) string {
	var b strings.Builder
	for c, err := range m.Stream(ctx, r) {
		if err != nil {
			fmt.Fprintf(&b, "error %s: %s\ncause %v\n", deputy.CodeOf(err), deputy.MessageOf(err), causeOf(err))
			continue
		}
		if c.Reasoning != "" {
			fmt.Fprintf(&b, "reasoning %q\n", c.Reasoning)
		}
		if c.Text != "" {
			fmt.Fprintf(&b, "text %q\n", c.Text)
		}
		if c.Call != nil {
			fmt.Fprintf(&b, "call %s %s\n", c.Call.Tool, c.Call.Arguments)
		}
		if c.Usage != nil {
			fmt.Fprintf(&b, "usage %d %d %d\n", c.Usage.Input, c.Usage.CachedInput, c.Usage.Output)
		}
		if c.Stop != "" {
			fmt.Fprintf(&b, "stop %s\n", c.Stop)
		}
	}
	return b.String()
}

// start makes a model whose pauses are noted and not made.
func start(t testing.TB, base string, c Config) *testModel {
	t.Helper()
	c.Name, c.Model, c.BaseURL = "main", "gpt-test", base+"/v1"
	made, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	m := &testModel{model: made.(*model)}
	m.http.Random = func() float64 { return 0 }
	m.http.Wait = func(ctx context.Context, d time.Duration) error {
		m.waits = append(m.waits, d)
		return ctx.Err()
	}
	return m
}

type testModel struct {
	*model
	waits []time.Duration
}

func waited(m *testModel) string {
	if m.waits == nil {
		return ""
	}
	return fmt.Sprintf("waited %v\n", m.waits)
}
