// Package scripted is a model that says what it was told to: from a scenario file, or from a Go function in a test.
package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"example.com/deputy"
)

// Answer is what the model says in one step: the text first, in pieces of a word, then the calls. Err, if any, comes last instead of the
// end: a model that breaks off.
type Answer struct {
	Text  string
	Calls []Call
	Err   error
}

// Call asks for a tool. Arguments are marshalled; a json.RawMessage is sent as it is, valid or not, and nil is an empty object.
type Call struct {
	Tool      string
	Arguments any
}

// Model implements deputy.Model. Its usage is counted in bytes: four are a token.
type Model struct {
	Name   string // as the operator names it; not to be changed once the model is in use
	answer func(deputy.Request) Answer
}

var _ deputy.Model = (*Model)(nil)

// New makes a model of a function. It is called once for each model call, by several goroutines at once where several turns run.
func New(answer func(deputy.Request) Answer) *Model { return &Model{Name: "scripted", answer: answer} }

// Info describes the model.
func (m *Model) Info() deputy.ModelInfo {
	return deputy.ModelInfo{Name: m.Name, Provider: "scripted", Model: "scripted"}
}

// Stream answers.
func (m *Model) Stream(ctx context.Context, r deputy.Request) iter.Seq2[deputy.Chunk, error] {
	return func(yield func(deputy.Chunk, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(deputy.Chunk{}, err)
			return
		}
		chunks, err := m.answer(r).chunks(size(r))
		for _, c := range chunks {
			if err := ctx.Err(); err != nil {
				yield(deputy.Chunk{}, err)
				return
			}
			if !yield(c, nil) {
				return
			}
		}
		if err != nil {
			yield(deputy.Chunk{}, err)
		}
	}
}

// chunks are the pieces of an answer; with an error the last one is missing.
func (a Answer) chunks(asked int) ([]deputy.Chunk, error) {
	var out []deputy.Chunk
	for _, word := range strings.SplitAfter(a.Text, " ") {
		if word != "" {
			out = append(out, deputy.Chunk{Text: word})
		}
	}
	said := len(a.Text)
	for _, c := range a.Calls {
		arguments, err := encode(c.Arguments)
		if err != nil {
			return out, fmt.Errorf("scripted: the arguments of %s: %w", c.Tool, err)
		}
		said += len(c.Tool) + len(arguments)
		out = append(out, deputy.Chunk{Call: &deputy.ToolCall{Tool: c.Tool, Arguments: arguments}})
	}
	if a.Err != nil {
		return out, a.Err
	}
	usage := deputy.Usage{Input: int64(asked / 4), Output: int64(said / 4)}
	return append(out, deputy.Chunk{Usage: &usage, Stop: deputy.StopEnd}), nil
}

func encode(arguments any) (json.RawMessage, error) {
	switch v := arguments.(type) {
	case nil:
		return json.RawMessage("{}"), nil
	case json.RawMessage:
		return v, nil
	}
	return json.Marshal(arguments)
}

// size is how many bytes a request has.
func size(r deputy.Request) int {
	n := len(r.System) + len(r.Toolsets) + len(r.Tail)
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			n += len(p.Text)
			if p.Call != nil {
				n += len(p.Call.Tool) + len(p.Call.Arguments)
			}
			if p.Result != nil {
				n += len(p.Result.Text)
			}
		}
	}
	return n
}
