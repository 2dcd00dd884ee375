package providertest

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/store/memory"
)

// sameMessages is what the case turn leaves in the conversation, whatever the vendor.
//
//go:embed testdata/turn.txt
var sameMessages string

const nextSays = "The next model answers."

// tool counts.
func tool() deputy.Tool {
	type parameters struct {
		Table string `json:"table" doc:"its name"`
		Limit int    `json:"limit,omitzero" doc:"at most"`
	}
	d := deputy.Definition{Name: "lookup", Label: "Counted", Description: "Counts the rows of a table.", Operation: "COUNT {table}", NoHost: true}
	return deputy.ReadTool(d, func(_ context.Context, _ *deputy.Scope, in parameters) (deputy.Result, error) {
		return deputy.Result{Value: map[string]any{"table": in.Table, "rows": 12}}, nil
	})
}

// turn asks through an assistant that has another model behind this one, and holds what the person and the operator get.
func turn(t *testing.T, api API, f *file, e expectation) {
	s := &server{answers: f.answers(t)}
	took := 0
	next := scripted.New(func(deputy.Request) scripted.Answer {
		took++
		return scripted.Answer{Text: nextSays}
	})
	next.Name = "next"
	var log bytes.Buffer
	a, door := assistant(t, &log, api.model(t, s, false), next)
	who := deputy.Caller{Person: deputy.Person{Issuer: "test", ID: "ann", Name: "ann", Roles: []string{"all"}}}
	var end deputy.TurnFinished
	var started deputy.TurnStarted
	shown := map[string]string{}
	for ev, err := range door.Turn(t.Context(), who, deputy.TurnInput{Text: "How many customers are there?"}) {
		if err != nil {
			t.Fatal(err)
		}
		read(t, ev, deputy.EventTurnStarted, &started)
		read(t, ev, deputy.EventTurnFinished, &end)
		var d deputy.Delta
		if read(t, ev, deputy.EventTextDelta, &d) && d.Text != "" {
			shown[ev.Name] += d.Text
		}
	}
	messages := conversation(t, door, who, started.Conversation)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	f.hold(t, "turn", fmt.Sprintf("%s%s %s\nnext model %d\n%s", messages, end.State, end.Reason, took, operator(log.String())))
	if end.Text != "" && !strings.HasSuffix(shown[deputy.EventTextDelta], end.Text) {
		t.Errorf("the person saw %q, and the answer is %q", shown[deputy.EventTextDelta], end.Text)
	}
	if e.own {
		return
	}
	if e.name == "turn" && messages != sameMessages {
		t.Errorf("the messages are\n%s\nand not those of every provider:\n%s", messages, sameMessages)
	}
	if want := reasonOf(e); end.Reason != want || (took > 0) != e.next {
		t.Errorf("the turn ended as %s, the next model was asked %d times; want %s, %v", end.Reason, took, want, e.next)
	}
	if e.code != "" && !strings.Contains(log.String(), "model "+Model) {
		t.Errorf("the operator does not read the cause: %s", log.String())
	}
	if strings.Contains(log.String(), Key) {
		t.Errorf("the operator reads the key: %s", log.String())
	}
}

func reasonOf(e expectation) deputy.Reason {
	if e.reason == "" {
		return deputy.Answered
	}
	return e.reason
}

func assistant(t *testing.T, log *bytes.Buffer, models ...deputy.Model) (*deputy.Assistant, *deputy.Door) {
	t.Helper()
	a, err := deputy.New(t.Context(), deputy.Config{
		Host: hosttest.New(nil, nil), Models: models, Store: memory.New(),
		Policy:   deputy.Policy{Roles: map[string]deputy.Role{"all": {Tools: []string{"*"}}}},
		Toolsets: []deputy.Toolset{{Name: "suite", Tools: []deputy.Tool{tool()}}},
		Log:      slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return a, a.Door(deputy.Embedded)
}

func read(t *testing.T, e deputy.Event, name string, into any) bool {
	t.Helper()
	if e.Name != name {
		return false
	}
	if err := json.Unmarshal(e.Data, into); err != nil {
		t.Fatal(err)
	}
	return true
}

// conversation writes one line for each part of each message, but for what only its own model understands.
func conversation(t *testing.T, door *deputy.Door, who deputy.Caller, id string) string {
	t.Helper()
	ms, err := door.Messages(t.Context(), who, id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range ms {
		for _, p := range m.Parts {
			switch {
			case p.Call != nil:
				fmt.Fprintf(&b, "%s: call %s %s %s\n", m.Role, p.Call.Ref, p.Call.Tool, p.Call.Arguments)
			case p.Result != nil:
				fmt.Fprintf(&b, "%s: result %s %s %q\n", m.Role, p.Result.Ref, p.Result.Outcome, p.Result.Text)
			case p.Reasoning != "":
				fmt.Fprintf(&b, "%s: reasoning %q\n", m.Role, p.Reasoning)
			case p.Text != "":
				fmt.Fprintf(&b, "%s: %q\n", m.Role, p.Text)
			}
		}
	}
	return b.String()
}

// operator is the log without what differs from run to run.
func operator(log string) string {
	return regexp.MustCompile(`time=\S+ |turn=trn_\w+ `).ReplaceAllString(log, "")
}
