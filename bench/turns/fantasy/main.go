// Command fantasy serves the known answer with charm.land/fantasy behind a handler of net/http: its agent, its typed tool, and the messages of a conversation kept in memory. It knows no person, no permission and no log. It is a module of its own, so that nothing of it gets near Deputy's.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"charm.land/fantasy"
)

// answer is as in the package fake of the other servers, which another module cannot see.
type answer struct {
	Before    []string        `json:"before"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Columns   []string        `json:"columns"`
	Rows      [][]string      `json:"rows"`
	After     []string        `json:"after"`
}

const hold = "hold"

func main() {
	path := flag.String("answer", "", "file with the answer")
	flag.Parse()
	if err := serve(*path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return http.Serve(l, newServer(a))
}

type server struct {
	agent fantasy.Agent

	mu            sync.Mutex
	conversations map[string][]fantasy.Message
}

func newServer(a answer) http.Handler {
	s := &server{conversations: map[string][]fantasy.Message{}}
	s.agent = fantasy.NewAgent(model{a}, fantasy.WithSystemPrompt("You answer questions about orders."), fantasy.WithTools(queryRecords(a)))
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/conversations", s.begin)
	mux.HandleFunc("POST /v1/conversations/{id}/turns", s.turn)
	return mux
}

type queryRecordsIn struct {
	Table string `json:"table"`
	Where string `json:"where,omitempty"`
	Limit int    `json:"limit,omitempty"`
}

// queryRecords finds the same rows whatever it is asked, and gives them as Deputy's tool does: columns and rows as JSON.
func queryRecords(a answer) fantasy.AgentTool {
	return fantasy.NewParallelAgentTool(a.Tool, "Reads records of a table.", func(_ context.Context, in queryRecordsIn, _ fantasy.ToolCall) (fantasy.ToolResponse, error) {
		rows := a.Rows[:min(in.Limit, len(a.Rows))]
		text, err := json.Marshal(map[string]any{"columns": a.Columns, "rows": rows, "returned": len(rows)})
		return fantasy.NewTextResponse(string(text)), err
	})
}

func (s *server) begin(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	id := fmt.Sprintf("cnv_%d", len(s.conversations))
	s.conversations[id] = nil
	s.mu.Unlock()
	w.WriteHeader(http.StatusCreated)
	_, _ = fmt.Fprintf(w, `{"id":%q}`, id)
}

func (s *server) turn(w http.ResponseWriter, r *http.Request) {
	var in struct{ Text string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	id := r.PathValue("id")
	s.mu.Lock()
	history := slices.Clone(s.conversations[id])
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	out := &stream{w: w, c: http.NewResponseController(w), step: 1}
	out.send("turn.started", object{"turn": "trn_1", "conversation": id})
	result, err := s.agent.Stream(r.Context(), out.follow(in.Text, history))
	if err != nil {
		out.send("turn.finished", object{"turn": "trn_1", "state": "failed", "reason": "model_error"})
		return
	}
	history = append(history, fantasy.NewUserMessage(in.Text))
	for _, step := range result.Steps {
		history = append(history, step.Messages...)
	}
	s.mu.Lock()
	s.conversations[id] = history
	s.mu.Unlock()
	out.send("turn.finished", object{"turn": "trn_1", "state": "completed", "reason": "answered", "text": result.Response.Content.Text()})
}

// stream writes events, a flush each.
type stream struct {
	w    http.ResponseWriter
	c    *http.ResponseController
	id   int
	step int
	at   int
}

type object map[string]any

type delta struct {
	Step int    `json:"step"`
	At   int    `json:"at"`
	Text string `json:"text"`
}

func (s *stream) send(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	s.id++
	_, _ = fmt.Fprintf(s.w, "id: %d\nevent: %s\ndata: %s\n\n", s.id, name, text)
	_ = s.c.Flush()
}

// follow makes events of what the agent does.
func (s *stream) follow(text string, history []fantasy.Message) fantasy.AgentStreamCall {
	return fantasy.AgentStreamCall{
		Prompt: text, Messages: history, StopWhen: []fantasy.StopCondition{fantasy.StepCountIs(20)},
		OnTextDelta: func(_, text string) error {
			s.send("text.delta", delta{s.step, s.at, text})
			s.at += len(text)
			return nil
		},
		OnToolCall: func(c fantasy.ToolCallContent) error {
			s.send("tool.started", object{"call": c.ToolCallID, "tool": c.ToolName, "kind": "read"})
			return nil
		},
		OnToolResult: func(r fantasy.ToolResultContent) error {
			s.send("tool.finished", object{"call": r.ToolCallID, "tool": r.ToolName, "outcome": "ran"})
			return nil
		},
		OnStepFinish: func(r fantasy.StepResult) error {
			s.send("usage", object{"input": r.Usage.InputTokens, "output": r.Usage.OutputTokens})
			s.step, s.at = s.step+1, 0
			return nil
		},
	}
}

// model takes no time. It calls the tool after the person's message, and says the rest after the tool's.
type model struct{ answer answer }

func (m model) Provider() string { return "fake" }
func (m model) Model() string    { return "fake" }

var errUnused = errors.New("not used here")

func (m model) Generate(context.Context, fantasy.Call) (*fantasy.Response, error) {
	return nil, errUnused
}

func (m model) GenerateObject(context.Context, fantasy.ObjectCall) (*fantasy.ObjectResponse, error) {
	return nil, errUnused
}

func (m model) StreamObject(context.Context, fantasy.ObjectCall) (fantasy.ObjectStreamResponse, error) {
	return nil, errUnused
}

func (m model) Stream(ctx context.Context, c fantasy.Call) (fantasy.StreamResponse, error) {
	last := c.Prompt[len(c.Prompt)-1]
	pieces, calls, held, reason := m.answer.After, false, false, fantasy.FinishReasonStop
	if last.Role == fantasy.MessageRoleUser {
		said, _ := fantasy.AsMessagePart[fantasy.TextPart](last.Content[0])
		pieces, calls, held, reason = m.answer.Before, true, strings.TrimSpace(said.Text) == hold, fantasy.FinishReasonToolCalls
	}
	return func(yield func(fantasy.StreamPart) bool) {
		if !m.say(pieces, yield) {
			return
		}
		if held {
			<-ctx.Done()
			yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeError, Error: ctx.Err()})
			return
		}
		call := fantasy.StreamPart{Type: fantasy.StreamPartTypeToolCall, ID: "call_1", ToolCallName: m.answer.Tool, ToolCallInput: string(m.answer.Arguments)}
		if calls && !yield(call) {
			return
		}
		yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeFinish, FinishReason: reason, Usage: fantasy.Usage{InputTokens: 1, OutputTokens: 1, TotalTokens: 2}})
	}, nil
}

func (m model) say(pieces []string, yield func(fantasy.StreamPart) bool) bool {
	if !yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeTextStart, ID: "0"}) {
		return false
	}
	for _, p := range pieces {
		if !yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeTextDelta, ID: "0", Delta: p}) {
			return false
		}
	}
	return yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeTextEnd, ID: "0"})
}
