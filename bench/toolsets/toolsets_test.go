package toolsets

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
)

// data is a folder of data from outside; where it is absent, the test is skipped.
func data(t *testing.T, parts ...string) string {
	t.Helper()
	root := filepath.Join("..", "..", "..", "shared", "data")
	if _, err := os.Stat(root); err != nil {
		t.Skip("../shared is absent")
	}
	return filepath.Join(append([]string{root}, parts...)...)
}

// TestAtRest: many tools cost a line of each toolset, and the two tools that switch them.
func TestAtRest(t *testing.T) {
	count, err := newCounter()
	if err != nil {
		t.Fatal(err)
	}
	sets, err := github(data(t, "github-mcp", "__toolsnaps__"))
	if err != nil {
		t.Fatal(err)
	}
	var asked []deputy.Request
	answer := func(r deputy.Request) scripted.Answer {
		asked = append(asked, r)
		return scripted.Answer{Text: "done"}
	}
	a, err := assistant(t.Context(), sets, nil, answer)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	say(t, a, deputy.TurnInput{Text: "hello"})
	got, err := count.beyond(asked[0], []string{"calculate", "current_datetime"})
	if err != nil {
		t.Fatal(err)
	}
	tools, whole := 0, 0
	for _, s := range sets {
		for _, tool := range s.Tools {
			n, err := count.tool(deputy.ToolSpec{Name: tool.Name(), Description: tool.Definition().Description, Schema: tool.Schema()})
			if err != nil {
				t.Fatal(err)
			}
			tools, whole = tools+1, whole+n
		}
	}
	t.Logf("%d tools in %d toolsets: %d tokens at rest, %d with all of them", tools, len(sets), got, whole)
	if tools != 117 || got > 480 {
		t.Errorf("%d tokens at rest for %d tools, at most 480 for 117 are allowed", got, tools)
	}
}

func say(t *testing.T, a *deputy.Assistant, in deputy.TurnInput) string {
	t.Helper()
	var conversation string
	for e, err := range a.Door(deputy.Chat).Turn(t.Context(), person(), in) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Name == deputy.EventTurnStarted {
			var s deputy.TurnStarted
			if err := json.Unmarshal(e.Data, &s); err != nil {
				t.Fatal(err)
			}
			conversation = s.Conversation
		}
	}
	return conversation
}

// replay is a model that makes the right calls of a task, one a request, and then answers.
type replay struct {
	of     map[string]string
	enable bool
	calls  []string // of the turn, still to be made
	need   []string // toolsets of the turn, in the order of first use
	asked  []deputy.Request
	wrong  []string
}

// next begins a turn.
func (m *replay) next(calls []string) {
	m.calls, m.need = calls, nil
	for _, c := range calls {
		if !slices.Contains(m.need, m.of[c]) {
			m.need = append(m.need, m.of[c])
		}
	}
}

func (m *replay) answer(r deputy.Request) scripted.Answer {
	m.asked = append(m.asked, r)
	m.check(r)
	if missing := m.inactive(r); m.enable && len(missing) > 0 {
		raw, _ := json.Marshal(map[string][]string{"names": missing})
		return scripted.Answer{Calls: []scripted.Call{{Tool: "enable_toolset", Arguments: json.RawMessage(raw)}}}
	}
	if len(m.calls) == 0 {
		return scripted.Answer{Text: "done"}
	}
	name := m.calls[0]
	m.calls = m.calls[1:]
	return scripted.Answer{Calls: []scripted.Call{{Tool: name, Arguments: json.RawMessage(`{}`)}}}
}

// inactive are the toolsets that the calls of the turn need and whose tools are not in the request.
func (m *replay) inactive(r deputy.Request) (out []string) {
	there := map[string]bool{}
	for _, t := range r.Tools {
		there[m.of[t.Name]] = true
	}
	if len(m.calls) == 0 {
		return nil
	}
	for _, set := range m.need {
		if !there[set] {
			out = append(out, set)
		}
	}
	return out
}

// check looks at the last results: all have to have run.
func (m *replay) check(r deputy.Request) {
	if len(r.Messages) == 0 || r.Messages[len(r.Messages)-1].Role != deputy.FromTool {
		return
	}
	for _, p := range r.Messages[len(r.Messages)-1].Parts {
		if p.Result != nil && (p.Result.Outcome != deputy.Ran || strings.Contains(p.Result.Text, "not found")) {
			m.wrong = append(m.wrong, p.Result.Text)
		}
	}
}

// run replays every task, and counts model requests and the tokens of tools beyond the core.
func run(t *testing.T, count *counter, core []string, enable, preload bool) (requests, tokens, calls int) {
	t.Helper()
	folder := data(t, "bfcl")
	sets, of, err := bfclSets(folder)
	if err != nil {
		t.Fatal(err)
	}
	all, err := tasks(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 200 || len(of) != 128 {
		t.Fatalf("%d tasks, %d functions", len(all), len(of))
	}
	m := &replay{of: of, enable: enable}
	a, err := assistant(context.Background(), sets, core, m.answer)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	for _, one := range all {
		conversation := ""
		for i, said := range one.said {
			in := deputy.TurnInput{Conversation: conversation, Text: said}
			if preload && i == 0 {
				in.Screen = screen(one, of)
			}
			m.next(slices.Clone(one.calls[i]))
			calls += len(one.calls[i])
			conversation = say(t, a, in)
		}
		for _, r := range m.asked {
			n, err := count.beyond(r, []string{"calculate", "current_datetime"})
			if err != nil {
				t.Fatal(err)
			}
			tokens += n
		}
		requests += len(m.asked)
		m.asked = nil
	}
	if len(m.wrong) > 0 {
		t.Errorf("%d calls did not run, the first: %s", len(m.wrong), m.wrong[0])
	}
	return requests, tokens, calls
}

// screen shows the class of a task's first right call.
func screen(one task, of map[string]string) *deputy.Screen {
	for _, calls := range one.calls {
		if len(calls) > 0 {
			return &deputy.Screen{Table: of[calls[0]]}
		}
	}
	return nil
}

// TestReplay: 200 tasks over 128 functions in eight toolsets.
func TestReplay(t *testing.T) {
	count, err := newCounter()
	if err != nil {
		t.Fatal(err)
	}
	data(t)
	everything := []string{"files", "math", "messages", "posts", "tickets", "trading", "travel", "vehicle"}
	base, whole, calls := run(t, count, everything, false, false)
	for _, c := range []struct {
		name            string
		enable, preload bool
		requests        int // at most, in thousandths of what all tools always take
	}{{"enables, preloaded", true, true, 1080}, {"enables", true, false, 1200}, {"only calls", false, false, 1000}, {"only calls, preloaded", false, true, 1000}} {
		requests, tokens, _ := run(t, count, nil, c.enable, c.preload)
		t.Logf("%-22s %d requests for %d calls (%+.1f %%), %d tokens of tools (%.1f %% less than %d)", c.name, requests, calls, 100*float64(requests-base)/float64(base),
			tokens, 100-100*float64(tokens)/float64(whole), whole)
		if requests*1000 > base*c.requests {
			t.Errorf("%s: %d requests, %d without toolsets", c.name, requests, base)
		}
		if tokens*100 > whole*22 {
			t.Errorf("%s: %d tokens of tools, %d without toolsets: not 78 %% less", c.name, tokens, whole)
		}
	}
}
