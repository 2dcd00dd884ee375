package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"example.com/deputy"
	"example.com/deputy/internal/modelhttp"
)

// response is what has been read of an answer, in responses.
type response struct {
	model  *model
	held   schemas
	search string // the tool whose results reveal deferred ones
	out    *sink
	ended  func()

	items   []*item
	usage   *deputy.Usage
	stop    deputy.Stop // empty until known
	refused bool
	kind    string // of the events that reasoning comes in: the summary or the text of it, never both
}

// item is one of the answer's: a message, reasoning, or a call.
type item struct {
	index     int64
	id        string
	kind      string
	name      string
	arguments []byte
	text      int // bytes of a message, or of reasoning that is seen
	skip      int // bytes that were put between the message before and this one
	phase     string
	reasoning *reasoningItem
}

// itemEvent is the data of an event. Which fields are set depends on its type.
type itemEvent struct {
	Type         string     `json:"type"`
	OutputIndex  *int64     `json:"output_index"`
	ItemID       string     `json:"item_id"`
	SummaryIndex int64      `json:"summary_index"`
	Delta        string     `json:"delta"`
	Item         *wireItem  `json:"item"`
	Response     *wireWhole `json:"response"`
	Arguments    string     `json:"arguments"`
}

type wireItem struct {
	ID        string        `json:"id"`
	Type      string        `json:"type"`
	Name      string        `json:"name"`
	Arguments argumentsText `json:"arguments"`
	Phase     string        `json:"phase"`
	Summary   []summaryPart `json:"summary"`
	Encrypted string        `json:"encrypted_content"`
	Content   []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
}

type wireWhole struct {
	Status     string          `json:"status"`
	Error      json.RawMessage `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Output []wireItem `json:"output"`
	Usage  *struct {
		Input   int64 `json:"input_tokens"`
		Output  int64 `json:"output_tokens"`
		Details struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"input_tokens_details"`
	} `json:"usage"`
}

// read yields what comes, and the calls, the reasoning to keep and the reason to stop at the end.
func (a *response) read(b *modelhttp.Body) error {
	var err error
	if b.Document {
		err = a.document(b)
	} else {
		err = events(b, a.event)
	}
	if err == nil && a.stop == "" {
		err = modelhttp.CutOff()
	}
	var f *modelhttp.Failure
	if err != nil && (a.stop == "" || !errors.As(err, &f) || !f.Cut) {
		return err
	}
	return a.finish()
}

// document reads a whole answer of a server that does not stream.
func (a *response) document(in io.Reader) error {
	raw, err := io.ReadAll(in)
	if err != nil {
		return modelhttp.Broken(err)
	}
	if err := modelhttp.InStream(false, raw); err != nil {
		return err
	}
	var w wireWhole
	if err := json.Unmarshal(raw, &w); err != nil || w.Output == nil {
		return modelhttp.Unreadable()
	}
	return a.whole(&w)
}

func (a *response) event(kind string, data []byte) (done bool, err error) {
	var e itemEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return false, a.noEvent(data)
	}
	if len(a.items) > callLimit {
		return false, modelhttp.Unreadable()
	}
	switch e.Type = cmp.Or(e.Type, kind); e.Type {
	case "error":
		return false, modelhttp.InStream(true, data)
	case "response.output_text.delta", "response.refusal.delta":
		a.refused = a.refused || e.Type == "response.refusal.delta"
		return false, a.text(a.item(&e), e.Delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return false, a.reasoning(&e)
	case "response.reasoning_summary_part.added":
		if e.SummaryIndex > 0 {
			return false, a.out.send(deputy.Chunk{Reasoning: gap})
		}
	case "response.output_item.added", "response.output_item.done":
		return false, a.note(&e)
	case "response.function_call_arguments.delta":
		it := a.item(&e)
		it.arguments = append(it.arguments, e.Delta...)
	case "response.function_call_arguments.done":
		it := a.item(&e)
		it.complete(e.Arguments)
	case "response.completed", "response.incomplete", "response.failed":
		if e.Response == nil {
			return false, modelhttp.Unreadable()
		}
		err := a.whole(e.Response)
		return err == nil, err
	default:
		return false, modelhttp.InStream(false, data)
	}
	return false, nil
}

// noEvent is what stands where an event should: the end that other protocols have, an event of a kind that is of no interest, or nothing
// that can be read.
func (a *response) noEvent(data []byte) error {
	var e struct {
		Type string `json:"type"`
	}
	switch err := json.Unmarshal(data, &e); {
	case string(data) == "[DONE]":
		return modelhttp.CutOff()
	case err == nil && e.Type != "" && !slices.Contains(understood(), e.Type):
		return nil
	}
	return modelhttp.Unreadable()
}

// understood are the events that an answer is made of.
func understood() []string {
	return []string{
		"error", "response.output_text.delta", "response.refusal.delta", "response.reasoning_summary_text.delta", "response.reasoning_text.delta",
		"response.reasoning_summary_part.added", "response.output_item.added", "response.output_item.done",
		"response.function_call_arguments.delta", "response.function_call_arguments.done", "response.completed", "response.incomplete",
		"response.failed",
	}
}

// item finds what an event is about; servers that leave the index out say the id, or mean the latest.
func (a *response) item(e *itemEvent) *item {
	for _, it := range slices.Backward(a.items) {
		if e.OutputIndex != nil && it.index == *e.OutputIndex || e.OutputIndex == nil && (e.ItemID == "" || e.ItemID == it.id) {
			return it
		}
	}
	it := &item{index: int64(len(a.items)), id: e.ItemID}
	if e.OutputIndex != nil {
		it.index = *e.OutputIndex
	}
	a.items = append(a.items, it)
	return it
}

// gap stands between two messages, and between two pieces of reasoning.
const gap = "\n\n"

func (a *response) text(it *item, s string) error {
	if s == "" {
		return nil
	}
	it.kind = "message"
	if it.text == 0 && a.has("message") {
		it.skip = len(gap)
		if err := a.out.send(deputy.Chunk{Text: gap}); err != nil {
			return err
		}
	}
	it.text += len(s)
	return a.out.send(deputy.Chunk{Text: s})
}

// has says whether anything of a kind was seen.
func (a *response) has(kind string) bool {
	return slices.ContainsFunc(a.items, func(it *item) bool { return it.kind == kind && it.text > 0 })
}

func (a *response) reasoning(e *itemEvent) error {
	a.kind = cmp.Or(a.kind, e.Type)
	if e.Delta == "" || a.kind != e.Type {
		return nil
	}
	it := a.item(e)
	it.kind = "reasoning"
	if it.text == 0 && a.has("reasoning") {
		if err := a.out.send(deputy.Chunk{Reasoning: gap}); err != nil {
			return err
		}
	}
	it.text += len(e.Delta)
	return a.out.send(deputy.Chunk{Reasoning: e.Delta})
}

// note takes in an item that begins or is complete.
func (a *response) note(e *itemEvent) error {
	if e.Item == nil {
		return modelhttp.Unreadable()
	}
	if e.OutputIndex == nil {
		e.ItemID = cmp.Or(e.ItemID, e.Item.ID)
	}
	if e.Type == "response.output_item.added" && e.OutputIndex == nil && e.ItemID == "" {
		a.items = append(a.items, &item{index: int64(len(a.items))})
	}
	if len(a.items) > callLimit {
		return modelhttp.Unreadable()
	}
	a.item(e).take(e.Item)
	return nil
}

// complete takes arguments that are whole, if any are said.
func (it *item) complete(arguments string) {
	if arguments != "" {
		it.arguments = []byte(arguments)
	}
}

// take keeps what an item says of itself. Reasoning that is not encrypted is nothing that a vendor takes back.
func (it *item) take(w *wireItem) {
	it.kind = cmp.Or(w.Type, it.kind)
	it.id = cmp.Or(w.ID, it.id)
	it.name = cmp.Or(w.Name, it.name)
	it.phase = cmp.Or(w.Phase, it.phase)
	it.complete(string(w.Arguments))
	if it.kind == "reasoning" && w.Encrypted != "" {
		it.reasoning = &reasoningItem{"reasoning", w.ID, append([]summaryPart{}, w.Summary...), w.Encrypted}
	}
}

// whole is the end: the answer once more, with usage, and why it ended. What no event has said is taken from it.
func (a *response) whole(w *wireWhole) error {
	if u := w.Usage; u != nil {
		a.usage = usageOf(u.Input, u.Details.Cached, u.Output)
	}
	if w.Status == "failed" {
		return a.failed(w)
	}
	if len(a.items) == 0 {
		if err := a.fill(w.Output); err != nil {
			return err
		}
	}
	switch {
	case w.Status == "incomplete" && w.Incomplete.Reason == "content_filter":
		a.stop = deputy.StopRefused
	case w.Status == "incomplete":
		a.stop = deputy.StopLength
	case w.Status == "cancelled":
		return modelhttp.GaveUp()
	default:
		a.stop = deputy.StopEnd
	}
	a.ended()
	return nil
}

func (a *response) failed(w *wireWhole) error {
	if err := modelhttp.InStream(true, w.Error); err != nil {
		return err
	}
	return modelhttp.GaveUp()
}

// fill takes the items of an answer that came at once.
func (a *response) fill(output []wireItem) error {
	for i, w := range output {
		at := int64(i)
		it := a.item(&itemEvent{OutputIndex: &at})
		it.take(&w)
		for _, c := range w.Content {
			if w.Type != "message" {
				break
			}
			a.refused = a.refused || c.Refusal != ""
			if err := a.text(it, c.Text+c.Refusal); err != nil {
				return err
			}
		}
	}
	if len(a.items) > callLimit {
		return modelhttp.Unreadable()
	}
	return nil
}

// finish yields the calls, the layout if there is something in it to keep, usage and the reason to stop.
func (a *response) finish() error {
	slices.SortStableFunc(a.items, func(x, y *item) int { return cmp.Compare(x.index, y.index) })
	var shape layout
	for _, it := range a.items {
		switch {
		case it.reasoning != nil:
			shape = append(shape, layoutItem{Reasoning: it.reasoning})
		case it.kind == "message" && it.text > 0:
			shape = append(shape, layoutItem{Text: it.text, Skip: it.skip, Phase: it.phase})
		case it.kind == "function_call", it.kind == "tool_search_call" && a.search != "":
			shape = append(shape, layoutItem{Call: true})
			if it.kind != "function_call" {
				it.name = a.search
			}
			c := deputy.ToolCall{Tool: it.name, Arguments: a.held.arguments(it.name, it.arguments)}
			if err := a.out.send(deputy.Chunk{Call: &c}); err != nil {
				return err
			}
		}
	}
	if a.refused && a.stop == deputy.StopEnd {
		a.stop = deputy.StopRefused
	}
	last := deputy.Chunk{Usage: a.usage, Stop: a.stop}
	if shape.opaque() {
		data, err := modelhttp.Marshal(shape)
		if err != nil {
			return err
		}
		last.Opaque = &deputy.Opaque{Model: a.model.mark(), Data: data}
	}
	return a.out.send(last)
}
