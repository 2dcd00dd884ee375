package providertest

import (
	"bytes"
	"embed"
	"encoding/json"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/deputy"
)

// inputs are requests as Deputy has them, in JSON. The name of one that is strict begins so.
//
//go:embed testdata/request/*.json
var inputs embed.FS

// requests holds the bytes of requests, and that a longer history has the shorter one as its beginning.
func requests(t *testing.T, api API) {
	names, err := inputs.ReadDir("testdata/request")
	if err != nil || len(names) == 0 {
		t.Fatalf("no requests: %v", err)
	}
	for _, n := range names {
		name := strings.TrimSuffix(n.Name(), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r deputy.Request
			raw, err := inputs.ReadFile("testdata/request/" + n.Name())
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(raw, &r); err != nil {
				t.Fatal(err)
			}
			if deferred(r) && !api.defers(t) {
				return // its protocol has no deferred tools: no such request is made of it
			}
			hold(t, api, name, Model, r)
			grows(t, api, r)
		})
	}
	for _, name := range []string{"turn", "thinking_between", "reasoning_between"} {
		if slices.Contains(files(t, api), filepath.Join(api.Dir, name+".txt")) {
			t.Run("after "+name, func(t *testing.T) { t.Parallel(); carried(t, api, name) })
		}
	}
}

// deferred says whether a request has deferred tools.
func deferred(r deputy.Request) bool {
	return slices.ContainsFunc(r.Tools, func(s deputy.ToolSpec) bool { return s.Deferred })
}

// defers says whether a model of the protocol takes deferred tools, where it is said to.
func (api API) defers(t *testing.T) bool {
	t.Helper()
	m, err := api.New(Config{Model: Model, Client: &http.Client{Transport: &server{}}, Deferred: true})
	if err != nil {
		t.Fatal(err)
	}
	return m.Info().Deferred
}

// hold compares the body of a request with its file.
func hold(t *testing.T, api API, name, model string, r deputy.Request) {
	t.Helper()
	f := &file{name: filepath.Join(api.Dir, "request", name+".txt"), fresh: map[string]string{}}
	if !updating() {
		f = readFile(t, f.name)
	}
	body := api.body(t, model, strings.HasPrefix(name, "strict"), r)
	f.hold(t, "body", lines(body))
	f.save(t)
}

// body is what the server is sent, the same bytes each time.
func (api API) body(t *testing.T, model string, strict bool, r deputy.Request) []byte {
	t.Helper()
	var bodies [][]byte
	for range 3 {
		s := &server{answers: []answer{{status: http.StatusUnauthorized}}} // so that it is asked once
		m, err := api.New(Config{Model: model, Client: &http.Client{Transport: s}, Strict: strict, Deferred: deferred(r)})
		if err != nil {
			t.Fatal(err)
		}
		listen(t.Context(), m, r)
		for _, a := range s.requests() {
			bodies = append(bodies, a.body)
		}
	}
	for _, b := range bodies {
		if !bytes.Equal(b, bodies[0]) {
			t.Fatalf("the same request had other bytes:\n%s\n%s", bodies[0], b)
		}
	}
	return bodies[0]
}

// lines breaks a body where a message, a block or a tool begins, so that a difference can be seen.
func lines(body []byte) string {
	return regexp.MustCompile(`(\{"(?:role|type)":"(?:system|user|assistant|tool|function|function_call|function_call_output|tool_search|tool_search_call|tool_search_output|tool_reference|reasoning|text|tool_use|tool_result|thinking|redacted_thinking)"|\{"name":"\w+","(?:description|input_schema)"|"(?:tools|messages|input|system|stream|include)":)`).
		ReplaceAllString(string(body), "\n$1") + "\n"
}

// grows: what was said before stays where it was, byte for byte, whatever is said after it; so does all around it. Cache marks move.
func grows(t *testing.T, api API, r deputy.Request) {
	t.Helper()
	shorter := r
	for n := range r.Messages {
		if n == 0 || r.Messages[n].Role == deputy.FromTool {
			continue // between calls and their results nobody asks
		}
		shorter.Messages, shorter.Tail = r.Messages[:n], ""
		before, around := split(t, api.body(t, Model, false, shorter))
		after, same := split(t, api.body(t, Model, false, r))
		if around != same {
			t.Errorf("around %d messages stands\n%s\nand around all\n%s", n, around, same)
		}
		for i, m := range before {
			if i >= len(after) || after[i] != m {
				t.Errorf("of %d messages, %d is no more what it was: %s", n, i, m)
			}
		}
	}
}

// split parts the messages of a body from all else.
func split(t *testing.T, body []byte) (messages []string, around string) {
	t.Helper()
	var o map[string]json.RawMessage
	body = bytes.ReplaceAll(body, []byte(`,"cache_control":{"type":"ephemeral"}`), nil)
	if err := json.Unmarshal(body, &o); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"messages", "input"} {
		var list []json.RawMessage
		if raw, ok := o[name]; ok {
			if err := json.Unmarshal(raw, &list); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range list {
			messages = append(messages, string(m))
		}
		delete(o, name)
	}
	rest, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return messages, string(rest)
}

// carried holds the request after a case: what only the model itself understands goes back to it, in its place and unchanged, also
// once a store has kept it; and to no other model.
func carried(t *testing.T, api API, name string) {
	s := &server{answers: readFile(t, filepath.Join(api.Dir, name+".txt")).answers(t)}
	m := api.model(t, s, false)
	first, second := listen(t.Context(), m, question()), listen(t.Context(), m, question())
	if first.err != nil || second.err != nil || api.Carries != (first.opaque != nil) {
		t.Fatalf("%v, %v; of its own it has %v", first.err, second.err, first.opaque)
	}
	r := question()
	r.Messages = append(r.Messages, first.message(), results(first), second.message(), says(deputy.FromPerson, "And how many are < 5 & > 2?"))
	hold(t, api, "after_"+name, Model, r)
	body := api.body(t, Model, false, r)
	if strings.Contains(string(body), Signature) != api.Carries {
		t.Errorf("the signature goes back: %v", !api.Carries)
	}
	kept, err := json.Marshal(r)
	var again deputy.Request
	if err != nil || json.Unmarshal(kept, &again) != nil || !bytes.Equal(body, api.body(t, Model, false, again)) {
		t.Errorf("kept in a store, the request has other bytes (%v):\n%s", err, api.body(t, Model, false, again))
	}
	if other := api.body(t, "another", false, r); strings.Contains(string(other), Signature) {
		t.Errorf("another model is sent what it does not understand: %s", other)
	}
}

// message is an answer as the engine keeps it.
func (h *heard) message() deputy.Message {
	m := deputy.Message{Role: deputy.FromModel, Turn: "trn_1"}
	if h.reasoning != "" {
		m.Parts = append(m.Parts, deputy.Part{Reasoning: h.reasoning})
	}
	if h.opaque != nil {
		m.Parts = append(m.Parts, deputy.Part{Opaque: h.opaque})
	}
	if h.text != "" {
		m.Parts = append(m.Parts, deputy.Part{Text: h.text})
	}
	for i := range h.calls {
		c := h.calls[i]
		c.Ref = "c" + string(rune('1'+i))
		m.Parts = append(m.Parts, deputy.Part{Call: &c})
	}
	return m
}

// results answers every call.
func results(h heard) deputy.Message {
	m := deputy.Message{Role: deputy.FromTool, Turn: "trn_1"}
	for _, p := range h.message().Parts {
		if p.Call != nil {
			m.Parts = append(m.Parts, deputy.Part{Result: &deputy.ToolResult{Ref: p.Call.Ref, Outcome: deputy.Ran, Text: `{"rows":12}`}})
		}
	}
	return m
}
