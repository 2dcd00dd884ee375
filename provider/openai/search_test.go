package openai

import (
	"net/http"
	"strings"
	"testing"

	"example.com/deputy"
)

const searching = `event: response.output_item.added
data: {"type":"response.output_item.added","output_index":0,"item":{"id":"tsc_1","type":"tool_search_call","status":"in_progress","execution":"client","call_id":"call_1","arguments":{}}}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":0,"item":{"id":"tsc_1","type":"tool_search_call","status":"completed","execution":"client","call_id":"call_1","arguments":{"names":["ping"]}}}

event: response.completed
data: {"type":"response.completed","response":{"status":"completed","output":[{"id":"tsc_1","type":"tool_search_call","status":"completed","execution":"client","call_id":"call_1","arguments":{"names":["ping"]}}]}}

`

func deferredRequest() deputy.Request {
	return deputy.Request{Tools: []deputy.ToolSpec{{Name: "enable_toolset", Reveals: true}, {Name: "ping_send", Deferred: true}},
		Messages: []deputy.Message{{Role: deputy.FromPerson, Parts: []deputy.Part{{Text: "ping"}}}}}
}

func asked(t *testing.T, url string) (calls []deputy.ToolCall) {
	t.Helper()
	m, err := New(Config{Model: "gpt-5.4", API: Responses, BaseURL: url, Deferred: true})
	if err != nil {
		t.Fatal(err)
	}
	if !m.Info().Deferred {
		t.Fatal("it does not say that it takes deferred tools")
	}
	for c, err := range m.Stream(t.Context(), deferredRequest()) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Call != nil {
			calls = append(calls, *c.Call)
		}
	}
	return calls
}

// TestASearchIsACall of the tool in whose place the search stands, streamed and not.
func TestASearchIsACall(t *testing.T) {
	t.Parallel()
	whole := searching[strings.LastIndex(searching, `{"status"`):strings.LastIndex(searching, "}")]
	for name, answer := range map[string]http.HandlerFunc{
		"streamed": say(http.StatusOK, searching, "Content-Type", "text/event-stream"), "at once": say(http.StatusOK, whole, "Content-Type", "application/json"),
	} {
		calls := asked(t, serve(t, answer).URL+"/v1")
		if len(calls) != 1 || calls[0].Tool != "enable_toolset" || string(calls[0].Arguments) != `{"names":["ping"]}` {
			t.Errorf("%s: %v", name, calls)
		}
	}
}

// TestWithoutASearch: a server that does not know of deferred tools gets all of them.
func TestWithoutASearch(t *testing.T) {
	t.Parallel()
	done := "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n"
	s := serve(t, say(http.StatusBadRequest, `{"error":{"message":"Unknown tool type: tool_search","type":"invalid_request_error","param":"tools[0].type"}}`, "Content-Type", "application/json"),
		say(http.StatusOK, done, "Content-Type", "text/event-stream"))
	asked(t, s.URL+"/v1")
	if s.requests() != 2 || strings.Contains(s.bodies[1], "tool_search") || strings.Contains(s.bodies[1], "defer") || !strings.Contains(s.bodies[1], `"name":"ping_send"`) || !strings.Contains(s.bodies[1], `"name":"enable_toolset"`) {
		t.Errorf("asked %d times, the last with %s", s.requests(), s.bodies[len(s.bodies)-1])
	}
}

func TestWhichModelsDefer(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]bool{"gpt-5.4": true, "gpt-5.4-mini": true, "gpt-5.10": true, "gpt-6": true, "gpt-5": false, "gpt-5.3-codex": false, "gpt-4.1": false, "gpt-4o": false, "o3": false, "my-gpt-6": false, "": false} {
		if Defers(model) != want {
			t.Errorf("%s: %v", model, !want)
		}
	}
	if _, err := New(Config{Model: "gpt-5.4", API: Chat, Deferred: true}); err == nil {
		t.Error("chat completions have no deferred tools")
	}
}
