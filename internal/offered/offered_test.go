package offered

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// The budgets: how many bytes the definitions of what is always offered cost at most in a request, without the analysis and with it. Actions are
// the operator's, and what switches toolsets has a budget with them: neither is counted.
const (
	coreBytes     = 6 << 10
	analysisBytes = 8 << 10
)

// TestWhatModelsAreTold asks every scenario on every engine: the requests are what the golden files hold, keep the rules and the budgets, and
// are the same bytes again, in another process, and on every engine.
func TestWhatModelsAreTold(t *testing.T) {
	t.Parallel()
	made := businesses(t)
	all := map[string][]request{}
	for _, s := range scenarios() {
		requests, err := s.ask(t.Context(), made[s.business][sqlite])
		if err != nil {
			t.Fatal(err)
		}
		all[s.name] = requests
	}
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			requests := all[s.name]
			golden(t, s, requests)
			keepsItsPromises(t, s, requests)
			knowsItsOwn(t, requests, everyName(all))
			for _, r := range requests {
				for _, wrong := range refused(r) {
					t.Errorf("%s, step %d: %s", r.Model, r.Step, wrong)
				}
				looseTools(t, r)
			}
			for engine, url := range made[s.business] {
				again, err := s.ask(t.Context(), url)
				if err != nil {
					t.Fatal(err)
				}
				same(t, engine, requests, again)
			}
		})
	}
	t.Run("another process", func(t *testing.T) {
		t.Parallel()
		for name, again := range child(t, made) {
			same(t, name+" in another process", all[name], again)
		}
	})
}

// same compares requests byte by byte.
func same(t *testing.T, where string, want, got []request) {
	t.Helper()
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%s: %d requests, want %d", where, len(got), len(want))
	}
	for i, r := range got {
		if !bytes.Equal(r.Body, want[i].Body) || r.Model != want[i].Model {
			t.Errorf("%s: %s is sent other bytes in step %d:\n%s", where, r.Model, r.Step, apart(want[i].Body, r.Body))
		}
	}
}

// apart shows two texts from where they differ.
func apart(want, got []byte) string {
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	from := max(0, at-80)
	return fmt.Sprintf("at %d: %.300s\n  want %.300s", at, got[from:], want[from:])
}

// child asks every scenario on SQLite in another process, which is in another folder, zone and language and has one processor.
func child(t *testing.T, made map[string]hosts) map[string][]request {
	t.Helper()
	urls, err := json.Marshal(map[string]string{"trade": made["trade"][sqlite], "bare": made["bare"][sqlite]})
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, self)
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), childKey+"="+string(urls), "TZ=Pacific/Auckland", "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8", "GOMAXPROCS=1")
	var errs bytes.Buffer
	c.Stderr = &errs
	text, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	var out map[string][]request
	if err := json.Unmarshal(text, &out); err != nil || len(out) != len(scenarios()) {
		t.Fatalf("%d scenarios: %v", len(out), err)
	}
	return out
}

// keepsItsPromises tests what is promised of every list: its order, what must not come up, and what it costs.
func keepsItsPromises(t *testing.T, s scenario, requests []request) {
	t.Helper()
	for _, r := range requests {
		for _, word := range s.never {
			if at := bytes.Index(r.Body, []byte(word)); at >= 0 {
				t.Errorf("%s, step %d: there is word of %s: %.200s", r.Model, r.Step, word, r.Body[max(0, at-80):])
			}
		}
		if r.system != requests[0].system || r.system == "" {
			t.Errorf("%s, step %d: another system text", r.Model, r.Step)
		}
		earlier := requests[first(requests, r.Model)]
		if !strings.HasPrefix(names(r.tools), names(earlier.tools)) {
			t.Errorf("%s, step %d: what was told first is no prefix any more", r.Model, r.Step)
		}
		if strings.HasSuffix(r.Model, "deferred") && r.sets != earlier.sets {
			t.Errorf("%s, step %d: another section, though the tools are deferred", r.Model, r.Step)
		}
	}
	if core, all := cost(requests); core > coreBytes || all > analysisBytes || core == 0 {
		t.Errorf("the core costs %d bytes without the analysis and %d with it; at most %d and %d", core, all, coreBytes, analysisBytes)
	}
}

// everyName is the names of all tools that somebody is offered.
func everyName(all map[string][]request) map[string]bool {
	out := map[string]bool{}
	for _, requests := range all {
		for _, r := range requests {
			for _, one := range append(append([]tool{}, r.tools...), r.result...) {
				out[one.Name] = !one.Search
			}
		}
	}
	return out
}

// knowsItsOwn tests that a request has no word of a tool which is not offered: neither by name nor in what is said of others.
func knowsItsOwn(t *testing.T, requests []request, every map[string]bool) {
	t.Helper()
	offered := map[string]bool{}
	for _, r := range requests {
		for _, one := range append(append([]tool{}, r.tools...), r.result...) {
			offered[one.Name] = true
		}
	}
	for name, real := range every {
		for _, r := range requests {
			if real && !offered[name] && bytes.Contains(r.Body, []byte(name)) {
				t.Errorf("%s, step %d: there is word of %s, which is not offered", r.Model, r.Step, name)
			}
		}
	}
}

// first is where a model was asked first.
func first(requests []request, model string) int {
	return slices.IndexFunc(requests, func(r request) bool { return r.Model == model })
}

func names(tools []tool) string {
	var b strings.Builder
	for _, t := range tools {
		b.WriteString(t.Name + "\n")
	}
	return b.String()
}

// cost is how many bytes the definitions take that are there from the beginning: without the analysis, and with it.
func cost(requests []request) (core, all int) {
	r := requests[first(requests, "openai chat")]
	var plain, more []json.RawMessage
	for _, t := range r.tools {
		switch {
		case slices.Contains(analysisWords(), t.Name):
			more = append(more, t.definition())
		case !slices.Contains(append(actionWords(), "enable_toolset", "disable_toolset"), t.Name):
			plain = append(plain, t.definition())
		}
	}
	return bytesOf(plain), bytesOf(append(plain, more...))
}

// definition is a tool as it stands in a request.
func (t tool) definition() json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(struct { // what was read as JSON is written
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}{t.Name, t.Description, t.Schema})
	return bytes.TrimSpace(b.Bytes())
}

// bytesOf is the length of a list.
func bytesOf(all []json.RawMessage) int {
	n := len("[]") + max(0, len(all)-1)
	for _, raw := range all {
		n += len(raw)
	}
	return n
}
