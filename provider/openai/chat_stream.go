package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"example.com/deputy"
	"example.com/deputy/internal/modelhttp"
	"example.com/deputy/internal/sse"
)

// callLimit is how many calls one answer may hold.
const callLimit = 512

// answer is what has been read of one, in chat completions.
type answer struct {
	held  schemas
	out   *sink
	ended func() // called once the reason to stop is known

	calls   calls
	usage   *deputy.Usage
	stop    deputy.Stop // empty until known
	refused bool
}

// read yields what comes, and the calls and the reason to stop at the end.
func (a *answer) read(b *modelhttp.Body) error {
	read := a.events
	if b.Document {
		read = a.document
	}
	err := read(b)
	var f *modelhttp.Failure
	if err != nil && (a.stop == "" || !errors.As(err, &f) || !f.Cut) {
		return err
	}
	return a.finish()
}

// events gives the events of a stream to handle, until it says that it is done. The last may lack its empty line.
func events(in io.Reader, handle func(kind string, data []byte) (done bool, err error)) error {
	for e, err := range sse.Read(io.MultiReader(in, bytes.NewReader([]byte("\n\n")))) {
		if err != nil {
			return modelhttp.Broken(err)
		}
		data := bytes.TrimSpace(e.Data)
		if len(data) == 0 {
			continue
		}
		if done, err := handle(e.Name, data); done || err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) events(in io.Reader) error {
	err := events(in, func(kind string, data []byte) (bool, error) {
		if bytes.HasPrefix(data, []byte("[DONE]")) {
			if a.stop == "" {
				a.stop = deputy.StopEnd
			}
			return true, nil
		}
		return false, a.chunk(kind, data)
	})
	if err == nil && a.stop == "" {
		return modelhttp.CutOff()
	}
	return err
}

// document reads a whole answer of a server that does not stream as if it were one chunk: its message is the delta.
func (a *answer) document(in io.Reader) error {
	raw, err := io.ReadAll(in)
	if err != nil {
		return modelhttp.Broken(err)
	}
	if err := modelhttp.InStream(false, raw); err != nil {
		return err
	}
	var doc chatChunk
	if err := json.Unmarshal(raw, &doc); err != nil || len(doc.Choices) == 0 || doc.Choices[0].Message == nil {
		return modelhttp.Unreadable()
	}
	doc.Choices[0].Delta = *doc.Choices[0].Message
	if err := a.take(doc); err != nil {
		return err
	}
	if a.stop == "" {
		a.stop = deputy.StopEnd
	}
	return nil
}

// chatChunk is an event's data.
type chatChunk struct {
	Choices []struct {
		Index        int64      `json:"index"`
		Delta        chatDelta  `json:"delta"`
		Message      *chatDelta `json:"message"`
		FinishReason string     `json:"finish_reason"`
	} `json:"choices"`
	Usage *chatUsage `json:"usage"`
}

// chatDelta is a piece of the answer. Reasoning is under one of two names, outside what the vendor publishes; some servers send both with
// the same text.
type chatDelta struct {
	Content          content         `json:"content"`
	Refusal          string          `json:"refusal"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ToolCalls        []callDelta     `json:"tool_calls"`
}

// content is text; some servers send a list of parts, of which the texts count.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(raw []byte) error {
	var parts []struct {
		Text string `json:"text"`
	}
	if len(raw) == 0 || raw[0] != '[' {
		return json.Unmarshal(raw, (*string)(c))
	}
	err := json.Unmarshal(raw, &parts)
	for _, p := range parts {
		*c += content(p.Text)
	}
	return err
}

func (d *chatDelta) reasoning() string {
	for _, raw := range []json.RawMessage{d.ReasoningContent, d.Reasoning} {
		var s string
		if json.Unmarshal(raw, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

type chatUsage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	Details          struct {
		CachedTokens int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// usageOf is usage in which the cached part is never more than the whole.
func usageOf(input, cached, output int64) *deputy.Usage {
	input = max(0, input)
	return &deputy.Usage{Input: input, CachedInput: max(0, min(input, cached)), Output: max(0, output)}
}

func (a *answer) chunk(kind string, data []byte) error {
	if err := modelhttp.InStream(kind == "error", data); err != nil {
		return err
	}
	var c chatChunk
	if err := json.Unmarshal(data, &c); err != nil {
		return modelhttp.Unreadable()
	}
	return a.take(c)
}

// take keeps the newest usage: some servers send a running sum with every chunk.
func (a *answer) take(c chatChunk) error {
	if u := c.Usage; u != nil {
		a.usage = usageOf(u.PromptTokens, u.Details.CachedTokens, u.CompletionTokens)
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		if err := a.delta(choice.Delta); err != nil {
			return err
		}
		if err := a.reason(choice.FinishReason); err != nil {
			return err
		}
	}
	return nil
}

// delta yields reasoning before text: that is the order they are made in.
func (a *answer) delta(d chatDelta) error {
	if r := d.reasoning(); r != "" {
		if err := a.out.send(deputy.Chunk{Reasoning: r}); err != nil {
			return err
		}
	}
	a.refused = a.refused || d.Refusal != ""
	if t := string(d.Content) + d.Refusal; t != "" {
		if err := a.out.send(deputy.Chunk{Text: t}); err != nil {
			return err
		}
	}
	for _, c := range d.ToolCalls {
		a.calls.add(c)
	}
	if len(a.calls.all) > callLimit {
		return modelhttp.Unreadable()
	}
	return nil
}

func (a *answer) reason(r string) error {
	switch r {
	case "":
		return nil
	case "length", "max_tokens", "model_length":
		a.stop = deputy.StopLength
	case "content_filter", "refusal":
		a.stop = deputy.StopRefused
	case "error", "abort", "network_error", "insufficient_system_resource":
		return modelhttp.GaveUp()
	default:
		a.stop = deputy.StopEnd
	}
	a.ended()
	return nil
}

func (a *answer) finish() error {
	for _, c := range a.calls.done(a.held) {
		if err := a.out.send(deputy.Chunk{Call: &c}); err != nil {
			return err
		}
	}
	if a.refused && a.stop == deputy.StopEnd {
		a.stop = deputy.StopRefused
	}
	return a.out.send(deputy.Chunk{Usage: a.usage, Stop: a.stop})
}
