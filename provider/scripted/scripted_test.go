package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
)

func said(text string) deputy.Message {
	return deputy.Message{Role: deputy.FromPerson, Parts: []deputy.Part{{Text: text}}}
}

func called(ref string) deputy.Message {
	return deputy.Message{Role: deputy.FromModel, Parts: []deputy.Part{{Call: &deputy.ToolCall{ID: "tcl_" + ref, Ref: ref, Tool: "query_records"}}}}
}

func found(ref, text string) deputy.Message {
	return deputy.Message{Role: deputy.FromTool, Parts: []deputy.Part{{Result: &deputy.ToolResult{Call: "tcl_" + ref, Ref: ref, Text: text}}}}
}

// drain reads a stream and checks its form.
func drain(t *testing.T, m deputy.Model, ms ...deputy.Message) (text string, calls []deputy.ToolCall, pieces int, err error) {
	t.Helper()
	stopped := false
	for c, e := range m.Stream(t.Context(), deputy.Request{System: "12345678", Messages: ms}) {
		if stopped || err != nil {
			t.Fatal("the stream goes on after its end")
		}
		if err = e; err != nil {
			continue
		}
		text += c.Text
		pieces++
		if c.Call != nil {
			calls = append(calls, *c.Call)
		}
		if stopped = c.Stop != ""; stopped && c.Usage == nil {
			t.Error("no usage at the end")
		}
	}
	if err == nil && !stopped {
		t.Error("the stream ends without a reason")
	}
	return text, calls, pieces, err
}

const scenario = `
- when: { user: "Show Acme" }
  calls: [ { tool: query_records, arguments: { table: customers, where: 'name == "Acme"', limit: 5 } } ]
- when: { user: "Show Acme", step: 2 }
  text: "It is {{ calls[0].rows[0][1] }}."
  calls:
    - tool: get_record
      arguments: { id: "{{ calls[0].rows[0][0] }}", deep: [ "{{calls[0].call_id}}", "no {{ calls[0].rows[0][0] }}" ] }
- when: { user: "Show Acme", step: 3 }
  text: "{{ calls[1].rows[0][0] }}"
- when: { user: "wrong", step: 1 }
  text: "{{ calls[0].rows[0][0] }}"
- when: { step: 1 }
  text: "I do not know <b>that</b> one."
`

func TestScenario(t *testing.T) {
	t.Parallel()
	m, err := scripted.Parse([]byte(scenario))
	if err != nil {
		t.Fatal(err)
	}
	old := []deputy.Message{said("Show Acme"), called("c1"), found("c1", "{}")}
	now := append(old, said(" show ACME "))
	_, calls, _, err := drain(t, m, now...)
	if err != nil || len(calls) != 1 || string(calls[0].Arguments) != `{"limit":5,"table":"customers","where":"name == \"Acme\""}` {
		t.Fatalf("step 1: %v %v", calls, err)
	}
	now = append(now, called("c2"), found("c2", "<data>\n{not json} {\"call_id\":\"c2\",\"rows\":[[12345678901234567890,\"Acme AS\"]]}\n</data>"))
	text, calls, _, err := drain(t, m, now...)
	if err != nil || text != "It is Acme AS." || len(calls) != 1 ||
		string(calls[0].Arguments) != `{"deep":["c2","no 12345678901234567890"],"id":12345678901234567890}` {
		t.Fatalf("step 2: %q %s %v", text, calls, err)
	}
	now = append(now, called("c3"), found("c3", "No such record."))
	if _, _, _, err = drain(t, m, now...); err == nil || !strings.Contains(err.Error(), "No such record.") {
		t.Errorf("a result without JSON: %v", err)
	}
	now = append(now, called("c4"), found("c4", "{}"))
	if _, _, _, err = drain(t, m, now...); err == nil || !strings.Contains(err.Error(), "step 4") {
		t.Errorf("nothing matches: %v", err)
	}
	if _, _, _, err = drain(t, m, said("wrong")); err == nil {
		t.Error("a result that is not there: no error")
	}
	text, _, pieces, err := drain(t, m, said("What?"))
	if err != nil || text != "I do not know <b>that</b> one." || pieces != 7 {
		t.Errorf("anything: %q in %d pieces, %v", text, pieces, err)
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"- when: { user: a }\n  txt: b":                                   "[2:3]",
		"- when: { usr: a }\n  text: b":                                   "[1:11]",
		"- when: { user: a }":                                             "neither text nor calls",
		"- when: { step: -1 }\n  text: a":                                 "step -1",
		"- text: '{{ rows[0] }}'":                                         "no path",
		"- text: '{{ calls[0].rows[0]'":                                   "without }}",
		"- calls: [ { arguments: {} } ]":                                  "names no tool",
		"- calls: [ { tool: a, arguments: [] } ]":                         "object",
		"- calls: [ { tool: a, arguments: { x: [ '{{ calls.x }}' ] } } ]": "no path",
		"! 0": "not YAML", "": "no entries",
		"when: { user: a }": "[1:",
	} {
		if _, err := scripted.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := scripted.Load("absent.yaml"); err == nil || !strings.Contains(err.Error(), "absent.yaml") {
		t.Errorf("absent file: %v", err)
	}
}

func TestFunction(t *testing.T) {
	t.Parallel()
	broken := errors.New("the line is cut")
	m := scripted.New(func(r deputy.Request) scripted.Answer {
		if scripted.Step(r) == 2 {
			return scripted.Answer{Text: "half a", Err: broken}
		}
		return scripted.Answer{Calls: []scripted.Call{{Tool: "a"}, {Tool: "b", Arguments: json.RawMessage("{bad")}, {Tool: "c", Arguments: struct{ X int }{1}}}}
	})
	m.Name = "replay"
	_, calls, _, err := drain(t, m, said("x"))
	if err != nil || len(calls) != 3 || string(calls[0].Arguments) != "{}" || string(calls[1].Arguments) != "{bad" || string(calls[2].Arguments) != `{"X":1}` {
		t.Errorf("calls: %s %v", calls, err)
	}
	if text, _, _, err := drain(t, m, said("x"), called("c1")); text != "half a" || !errors.Is(err, broken) {
		t.Errorf("broken off: %q %v", text, err)
	}
	if i := m.Info(); i.Name != "replay" || i.Provider != "scripted" {
		t.Errorf("info: %+v", i)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range m.Stream(ctx, deputy.Request{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(scenario), `{"rows":[[1]]}`)
	f.Add([]byte("- text: '{{ calls[0].rows[0][0] }}'"), "{{{")
	f.Add([]byte("! 0"), "")
	f.Fuzz(func(t *testing.T, file []byte, result string) {
		m, err := scripted.Parse(file)
		if err != nil {
			return
		}
		ended := false
		for c, err := range m.Stream(t.Context(), deputy.Request{Messages: []deputy.Message{said("Show Acme"), called("c1"), found("c1", result)}}) {
			ended = err != nil || c.Stop != ""
		}
		if !ended {
			t.Error("an answer without an end")
		}
	})
}
