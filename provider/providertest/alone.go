package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
)

// lookup is the one tool that models are offered, as a request has it.
func lookup() deputy.ToolSpec {
	return deputy.ToolSpec{Name: "lookup", Description: "Counts the rows of a table.", Schema: json.RawMessage(
		`{"type":"object","properties":{"table":{"type":"string"},"limit":{"type":"integer"}},"required":["table"],"additionalProperties":false}`)}
}

func says(role deputy.MessageRole, text string) deputy.Message {
	return deputy.Message{Role: role, Turn: "trn_1", Parts: []deputy.Part{{Text: text}}}
}

func question() deputy.Request {
	return deputy.Request{
		System: "You are Deputy.", Tools: []deputy.ToolSpec{lookup()},
		Messages: []deputy.Message{says(deputy.FromPerson, "How many customers are there?")},
	}
}

// heard is all that came of a request.
type heard struct {
	text, reasoning string
	calls           []deputy.ToolCall
	opaque          *deputy.Opaque
	usage           *deputy.Usage
	stop            deputy.Stop
	err             error
	ends            int    // chunks and errors after which nothing may come
	lines           string // one for each part, neighbours of a kind together
}

func listen(ctx context.Context, m deputy.Model, r deputy.Request) heard {
	var h heard
	for c, err := range m.Stream(ctx, r) {
		if h.ends > 0 || err != nil || c.Stop != "" {
			h.ends++
		}
		if err != nil {
			h.err = err
			continue
		}
		h.text += c.Text
		h.reasoning += c.Reasoning
		if c.Call != nil {
			h.calls = append(h.calls, *c.Call)
		}
		if c.Opaque != nil {
			h.opaque = c.Opaque
		}
		if c.Usage != nil {
			h.usage = c.Usage
		}
		h.stop = c.Stop
	}
	h.write()
	return h
}

// write makes the lines that files hold.
func (h *heard) write() {
	var b strings.Builder
	if h.reasoning != "" {
		fmt.Fprintf(&b, "reasoning %q\n", h.reasoning)
	}
	if h.text != "" {
		fmt.Fprintf(&b, "text %q\n", h.text)
	}
	for _, c := range h.calls {
		fmt.Fprintf(&b, "call %s %s\n", c.Tool, c.Arguments)
	}
	if h.opaque != nil {
		fmt.Fprintf(&b, "opaque %s: %s\n", h.opaque.Model, h.opaque.Data)
	}
	if h.usage != nil {
		fmt.Fprintf(&b, "usage: input %d, of it cached %d, output %d\n", h.usage.Input, h.usage.CachedInput, h.usage.Output)
	}
	if h.stop != "" {
		fmt.Fprintf(&b, "stop %s\n", h.stop)
	}
	if h.err != nil {
		fmt.Fprintf(&b, "error %s\nfor the person: %s\nfor the operator: %v\n", deputy.CodeOf(h.err), deputy.MessageOf(h.err), causeOf(h.err))
	}
	h.lines = b.String()
}

func causeOf(err error) error {
	var e *deputy.Error
	if errors.As(err, &e) {
		return e.Cause
	}
	return errors.New("not a *deputy.Error")
}

// alone asks the model once, without an assistant.
func alone(t *testing.T, api API, f *file, e expectation) {
	s := &server{answers: f.answers(t)}
	start := time.Now()
	h := listen(t.Context(), api.model(t, s, false), question())
	came := s.requests()
	f.hold(t, "chunks", h.lines+fmt.Sprintf("requests %d\n", len(came)))
	if h.ends != 1 {
		t.Errorf("%d ends", h.ends)
	}
	for _, r := range came {
		if string(r.body) != string(came[0].body) && !e.own {
			t.Errorf("it was asked again with other bytes:\n%s\n%s", came[0].body, r.body)
		}
	}
	if h.err != nil {
		sentence(t, h.err)
	}
	if took := time.Since(start); e.within > 0 && took > e.within {
		t.Errorf("it took %s", took)
	}
	if !e.own {
		e.hold(t, h, came)
	}
}

// sentence is what a person may read: whole, and without what is for the operator.
func sentence(t *testing.T, err error) {
	t.Helper()
	var e *deputy.Error
	if !errors.As(err, &e) || e.Cause == nil {
		t.Fatalf("%#v is no *deputy.Error with a cause", err)
	}
	if strings.Contains(e.Message, "status") || !strings.HasSuffix(e.Message, ".") || !strings.Contains(e.Message, "main") || strings.Contains(e.Message, Model) {
		t.Errorf("a person reads %q", e.Message)
	}
	if strings.Contains(err.Error(), Key) || strings.Contains(err.Error(), "customers") {
		t.Errorf("the error tells a secret: %v", err)
	}
}

// hold is what the contract says of the case.
func (e expectation) hold(t *testing.T, h heard, came []asked) {
	t.Helper()
	var calls []string
	for _, c := range h.calls {
		calls = append(calls, c.Tool+" "+string(c.Arguments))
	}
	stop := e.stop
	if stop == "" && e.code == "" {
		stop = deputy.StopEnd
	}
	switch code := codeOf(h.err); {
	case h.text != e.text || h.reasoning != e.reasoning || !slices.Equal(calls, e.calls):
		t.Errorf("it said %q, %q, %q; want %q, %q, %q", h.reasoning, h.text, calls, e.reasoning, e.text, e.calls)
	case code != e.code || h.stop != stop:
		t.Errorf("it ended with %q, %v; want %q, %q", h.stop, h.err, stop, e.code)
	case e.usage != nil && !reflect.DeepEqual(h.usage, e.usage):
		t.Errorf("usage is %+v, want %+v", h.usage, e.usage)
	case len(came) != max(1, e.asked):
		t.Fatalf("it was asked %d times, want %d", len(came), max(1, e.asked))
	}
	waited := came[len(came)-1].at.Sub(came[0].at)
	if most := max(2*e.waited, time.Nanosecond); waited < e.waited || waited > most {
		t.Errorf("it was asked again after %s, want %s to %s", waited, e.waited, most)
	}
}

func codeOf(err error) deputy.Code {
	if err == nil {
		return ""
	}
	return deputy.CodeOf(err)
}
