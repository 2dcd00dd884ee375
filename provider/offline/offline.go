// Package offline is a small model of built-in rules: it answers plain English questions by calling the same tools as any model, and needs no key.
//
// It is no language model. It reads what the person wrote, learns the tables with list_tables and describe_table, and knows nothing else.
// What stands in records is never read as an instruction: rules look at the person's words and at the shape of results only.
package offline

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"strings"

	"example.com/deputy"
)

// Option changes the model that New makes.
type Option func(*model)

// Name sets the name under which the operator knows the model; without it, it is "offline".
func Name(name string) Option { return func(m *model) { m.name = name } }

// New makes the model. It keeps nothing between requests: the same request gets the same answer, byte for byte. It is safe for concurrent use.
func New(options ...Option) deputy.Model {
	m := &model{name: "offline"}
	for _, o := range options {
		o(m)
	}
	return m
}

type model struct{ name string }

// Info says that these are rules and cost nothing.
func (m *model) Info() deputy.ModelInfo {
	return deputy.ModelInfo{Name: m.name, Provider: "offline", Model: "built-in rules", Offline: true}
}

// Stream answers with text, word by word, or with tool calls; never with both.
func (m *model) Stream(ctx context.Context, r deputy.Request) iter.Seq2[deputy.Chunk, error] {
	return func(yield func(deputy.Chunk, error) bool) {
		text, calls := reply(r)
		for _, c := range calls {
			if !yield(deputy.Chunk{Call: &c}, nil) {
				return
			}
		}
		for _, word := range strings.SplitAfter(text, " ") {
			if err := ctx.Err(); err != nil {
				yield(deputy.Chunk{}, err)
				return
			}
			if word != "" && !yield(deputy.Chunk{Text: word}, nil) {
				return
			}
		}
		yield(deputy.Chunk{Usage: &deputy.Usage{}, Stop: deputy.StopEnd}, nil)
	}
}

// maxSteps ends a turn that gets nowhere, below the usual limit of steps.
const maxSteps = 18

// reply is what comes next: the calls whose results are needed, or the answer.
func reply(r deputy.Request) (string, []deputy.ToolCall) {
	d := newDesk(r)
	if d.steps >= maxSteps {
		return "That took too many look-ups, so I stopped. " + connect(), nil
	}
	text, err := d.answer()
	if len(d.wants) > 0 && err == errPending {
		return "", d.wants
	}
	if err != nil {
		return d.explain(err), nil
	}
	return text, nil
}

// desk is one request being worked on. Plans are written straight through: where a result is not there yet, call notes the call and
// fails with errPending, and the plan is run again from its start when the result has come.
type desk struct {
	transcript
	tools   map[string]bool
	actions []action
	system  string
	text    string  // the person's message
	words   []token // of text
	schema  schema
	screen  screen
	wants   []deputy.ToolCall
}

func newDesk(r deputy.Request) *desk {
	d := &desk{transcript: readTranscript(r.Messages), tools: map[string]bool{}, system: r.Instructions(), screen: readScreen(r.Tail)}
	for _, t := range r.Tools {
		d.tools[t.Name] = true
		if a, ok := readAction(t); ok {
			d.actions = append(d.actions, a)
		}
	}
	if n := len(d.said); n > 0 {
		d.text = d.said[n-1]
	}
	d.text = d.continued()
	d.words = tokenize(d.text)
	d.schema = learn(d.calls)
	return d
}

// continued is the message with those before it that it completes: what a new record still needed.
func (d *desk) continued() string {
	text := d.text
	for n := len(d.said) - 2; n >= 0 && n >= len(d.said)-4; n-- {
		if !strings.HasPrefix(d.replies[n], newNeeds) && !strings.HasPrefix(d.replies[n], actionNeeds) || verb(tokenize(d.said[n+1]), 0) != "" || strings.HasSuffix(strings.TrimSpace(d.said[n+1]), "?") {
			break
		}
		text = strings.TrimRight(d.said[n], " .!") + " with " + text
	}
	return text
}

// call is the result of a tool call of this turn; of any turn where lasting says that it still holds.
func (d *desk) call(tool string, args any, lasting bool) (*result, error) {
	if !d.tools[tool] {
		return nil, noTool(tool)
	}
	raw, err := marshal(args)
	if err != nil {
		return nil, err
	}
	key := canonical(raw)
	for i := len(d.calls) - 1; i >= 0; i-- {
		c := d.calls[i]
		switch now := c.turn == len(d.said); {
		case c.tool != tool || c.args != key || !now && (!lasting || c.result == nil || c.result.err != ""):
		case c.result == nil:
			return nil, toolError("no result came")
		case c.result.err != "":
			return nil, toolError(c.result.err)
		default:
			return c.result, nil
		}
	}
	for _, w := range d.wants {
		if w.Tool == tool && canonical(w.Arguments) == key {
			return nil, errPending
		}
	}
	d.wants = append(d.wants, deputy.ToolCall{Tool: tool, Arguments: raw})
	return nil, errPending
}

// marshal writes arguments as a person would read them: > and & as they are.
func marshal(args any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(args); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
