// Package toolsettest runs the tools of a toolset in a real assistant, for their tests: a scripted model calls them one after another.
package toolsettest

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/store/memory"
)

// Bench is an assistant whose model calls what a test wants.
type Bench struct {
	door *deputy.Door

	mu      sync.Mutex
	calls   []scripted.Call
	results []string
	offered []string
}

// Reply is what became of the calls of one turn.
type Reply struct {
	Outcomes  []deputy.Outcome  // one a call
	Texts     []string          // what the model was given, one a call
	Displays  []deputy.Shows    // in their order
	Proposals []deputy.Proposal // in their order
	Offered   []string          // names of the tools the model was offered
}

// Now is the clock of every bench.
func Now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

// New makes an assistant over a host. A bench serves one test: turns run one after another.
func New(t testing.TB, host deputy.Host, policy deputy.Policy, sets ...deputy.Toolset) *Bench {
	t.Helper()
	b := &Bench{}
	a, err := deputy.New(t.Context(), deputy.Config{
		Host: host, Models: []deputy.Model{scripted.New(b.answer)}, Store: memory.New(), Policy: policy, Toolsets: sets, Clock: Now,
		Limits: deputy.Limits{TurnsPerMinute: 1 << 20},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	b.door = a.Door(deputy.Embedded)
	return b
}

// answer is the model: one call a step, then the end.
func (b *Bench) answer(r deputy.Request) scripted.Answer {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.results, b.offered = scripted.Results(r), nil
	for _, t := range r.Tools {
		b.offered = append(b.offered, t.Name)
	}
	if n := len(b.results); n < len(b.calls) {
		return scripted.Answer{Calls: b.calls[n : n+1]}
	}
	return scripted.Answer{Text: "Done."}
}

// Run has a person's turn make calls, each in a step of its own, in a new conversation: c1 is the first.
func (b *Bench) Run(t testing.TB, who deputy.Person, calls ...scripted.Call) Reply {
	t.Helper()
	b.mu.Lock()
	b.calls, b.results, b.offered = calls, nil, nil
	b.mu.Unlock()
	var out Reply
	var turn string
	ended := false
	for e, err := range b.door.Turn(t.Context(), deputy.Caller{Person: who}, deputy.TurnInput{Text: "Please."}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e.Name {
		case deputy.EventTurnStarted:
			turn = read[deputy.TurnStarted](t, e).Turn
		case deputy.EventToolFinished:
			out.Outcomes = append(out.Outcomes, read[deputy.ToolFinished](t, e).Outcome)
		case deputy.EventDisplay:
			out.Displays = append(out.Displays, read[deputy.Shows](t, e))
		case deputy.EventTurnFinished:
			if f := read[deputy.TurnFinished](t, e); f.Reason != deputy.Answered {
				t.Fatalf("the turn ended as %s", f.Reason)
			}
			ended = true
		}
	}
	if !ended {
		t.Fatal("the turn's journal ended without turn.finished")
	}
	b.mu.Lock()
	out.Texts, out.Offered = b.results, b.offered
	b.mu.Unlock()
	out.Proposals = b.proposals(t, who, turn)
	if len(out.Texts) != len(calls) || len(out.Outcomes) != len(calls) {
		t.Fatalf("%d calls, %d results, %d outcomes", len(calls), len(out.Texts), len(out.Outcomes))
	}
	return out
}

// proposals of a turn, oldest first.
func (b *Bench) proposals(t testing.TB, who deputy.Person, turn string) []deputy.Proposal {
	t.Helper()
	ps, err := b.door.Proposals(context.WithoutCancel(t.Context()), deputy.Caller{Person: who}, deputy.ProposalFilter{Turn: turn}, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for i, j := 0, len(ps)-1; i < j; i, j = i+1, j-1 {
		ps[i], ps[j] = ps[j], ps[i]
	}
	return ps
}

func read[T any](t testing.TB, e deputy.Event) T {
	t.Helper()
	var out T
	if err := json.Unmarshal(e.Data, &out); err != nil {
		t.Fatalf("%s: %v", e.Name, err)
	}
	return out
}

// Data is the JSON inside the fence of a result; a test fails where there is none.
func Data(t testing.TB, text string) string {
	t.Helper()
	from, to := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if from < 0 || to < from || !json.Valid([]byte(text[from:to+1])) {
		t.Fatalf("no data in %q", text)
	}
	return text[from : to+1]
}
