package anthropic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"example.com/deputy"
	"example.com/deputy/internal/modelhttp"
	"example.com/deputy/internal/sse"
)

// blockLimit is how many blocks one answer may have.
const blockLimit = 1024

// answer is what has been read of one.
type answer struct {
	yield func(deputy.Chunk, error) bool
	mark  string
	began bool
	ended func() // called once the reason to stop is known

	blocks []*piece
	base   int // blocks before the interruption
	usage  usage
	before usage // of the requests before the interruption
	stop   deputy.Stop
	paused bool // the vendor interrupted it, and wants to be asked to go on
}

// piece is a block of the answer.
type piece struct {
	index int
	kind  string
	text  string // text or thinking
	sign  string // the signature of thinking, or the data of hidden thinking
	skip  int    // bytes that were put between the text before and this one
	name  string
	input []byte
}

// gap stands between two blocks of text, or of thinking.
const gap = "\n\n"

// usage counts as the vendor does: input is what was neither read from a cache nor written to one.
type usage struct {
	Input   *int64 `json:"input_tokens"`
	Written *int64 `json:"cache_creation_input_tokens"`
	Cached  *int64 `json:"cache_read_input_tokens"`
	Output  *int64 `json:"output_tokens"`
}

func (u *usage) take(v *usage) {
	if v != nil {
		u.Input, u.Written = cmp.Or(v.Input, u.Input), cmp.Or(v.Written, u.Written)
		u.Cached, u.Output = cmp.Or(v.Cached, u.Cached), cmp.Or(v.Output, u.Output)
	}
}

// total is usage as Deputy counts, or nil where nothing is known.
func (u usage) total() *deputy.Usage {
	if u == (usage{}) {
		return nil
	}
	n := func(p *int64) int64 {
		if p == nil {
			return 0
		}
		return max(0, *p)
	}
	return &deputy.Usage{Input: n(u.Input) + n(u.Written) + n(u.Cached), CachedInput: n(u.Cached), Output: n(u.Output)}
}

// event is the data of one. Which fields are set depends on its type; a whole answer has the same names.
type event struct {
	Type    string       `json:"type"`
	Index   *int         `json:"index"`
	Message *wireMessage `json:"message"`
	Block   *wireBlock   `json:"content_block"`
	Delta   struct {
		wireBlock
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage *usage `json:"usage"`
}

type wireMessage struct {
	Content    []wireBlock `json:"content"`
	StopReason string      `json:"stop_reason"`
	Usage      *usage      `json:"usage"`
}

// wireBlock is a block as it begins, or what is added to one.
type wireBlock struct {
	Type        string          `json:"type"`
	Text        string          `json:"text"`
	Thinking    string          `json:"thinking"`
	Signature   string          `json:"signature"`
	Data        string          `json:"data"`
	Name        string          `json:"name"`
	Input       json.RawMessage `json:"input"`
	PartialJSON string          `json:"partial_json"`
}

// read yields what comes; calls, usage and the reason to stop are for finish.
func (a *answer) read(b *modelhttp.Body) error {
	read := a.events
	if b.Document {
		read = a.document
	}
	err := read(b)
	if err == nil && a.stop == "" {
		err = modelhttp.CutOff()
	}
	var f *modelhttp.Failure
	if err != nil && a.stop != "" && errors.As(err, &f) && f.Cut {
		return nil
	}
	return err
}

// events reads a stream. The last event may lack its empty line.
func (a *answer) events(in io.Reader) error {
	for e, err := range sse.Read(io.MultiReader(in, bytes.NewReader([]byte("\n\n")))) {
		if err != nil {
			return modelhttp.Broken(err)
		}
		data := bytes.TrimSpace(e.Data)
		if len(data) == 0 {
			continue
		}
		if done, err := a.event(e.Name, data); done || err != nil {
			return err
		}
	}
	return nil
}

// document reads a whole answer of a server that does not stream.
func (a *answer) document(in io.Reader) error {
	raw, err := io.ReadAll(in)
	if err != nil {
		return modelhttp.Broken(err)
	}
	var m wireMessage
	if err := modelhttp.InStream(false, raw); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &m); err != nil || m.Content == nil || len(m.Content) > blockLimit {
		return modelhttp.Unreadable()
	}
	for i, b := range m.Content {
		if err := a.begin(i, &b); err != nil {
			return err
		}
	}
	a.usage.take(m.Usage)
	a.reason(cmp.Or(m.StopReason, "end_turn"))
	return nil
}

func (a *answer) event(kind string, data []byte) (done bool, err error) {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return false, a.noEvent(data)
	}
	switch e.Type = cmp.Or(e.Type, kind); e.Type {
	case "error":
		return false, modelhttp.InStream(true, data)
	case "message_start":
		if e.Message != nil {
			a.usage.take(e.Message.Usage)
		}
	case "content_block_start":
		if e.Block == nil {
			return false, modelhttp.Unreadable()
		}
		return false, a.begin(a.at(&e), e.Block)
	case "content_block_delta":
		return false, a.delta(a.at(&e), &e.Delta.wireBlock)
	case "message_delta":
		a.usage.take(e.Usage)
		a.reason(e.Delta.StopReason)
	case "message_stop":
		a.stop = cmp.Or(a.stop, deputy.StopEnd)
		return true, nil
	default:
		return false, modelhttp.InStream(false, data)
	}
	return false, nil
}

// noEvent is what stands where an event should: one of a kind that is of no interest, or nothing that can be read.
func (a *answer) noEvent(data []byte) error {
	var e struct {
		Type string `json:"type"`
	}
	understood := []string{"error", "message_start", "content_block_start", "content_block_delta", "message_delta", "message_stop"}
	if json.Unmarshal(data, &e) == nil && e.Type != "" && !slices.Contains(understood, e.Type) {
		return nil
	}
	return modelhttp.Unreadable()
}

// at is the number of the block that an event is about; one that does not say means the next where it begins one, else the latest.
func (a *answer) at(e *event) int {
	switch {
	case e.Index != nil:
		return *e.Index
	case e.Type == "content_block_start":
		return len(a.blocks) - a.base
	}
	return max(0, len(a.blocks)-a.base-1)
}

// find gives the block of a number, from the interruption on.
func (a *answer) find(index int) *piece {
	for _, p := range slices.Backward(a.blocks[a.base:]) {
		if p.index == index {
			return p
		}
	}
	return nil
}

// begin takes a block in; a whole one, or the beginning of one.
func (a *answer) begin(index int, w *wireBlock) error {
	if len(a.blocks) >= blockLimit {
		return modelhttp.Unreadable()
	}
	p := &piece{index: index, kind: w.Type, name: w.Name}
	a.blocks = append(a.blocks, p)
	if raw := bytes.TrimSpace(w.Input); len(raw) > 0 && string(raw) != "{}" && string(raw) != "null" {
		p.input = raw
	}
	return a.add(p, w)
}

// apart puts a gap before the first words of a block, if another of its kind has any. The rest of an interrupted one follows at once.
func (a *answer) apart(p *piece) (deputy.Chunk, bool) {
	for i, other := range a.blocks {
		resumed := a.base > 0 && i < a.base && p == a.blocks[a.base]
		if other == p || p.text != "" || other.kind != p.kind || other.text == "" || resumed {
			continue
		}
		if p.kind == "text" {
			p.skip = len(gap)
			return deputy.Chunk{Text: gap}, true
		}
		return deputy.Chunk{Reasoning: gap}, true
	}
	return deputy.Chunk{}, false
}

// delta adds to a block. A server that has not begun it is understood.
func (a *answer) delta(index int, w *wireBlock) error {
	p := a.find(index)
	if p == nil {
		kinds := map[string]string{"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "thinking", "input_json_delta": "tool_use"}
		if err := a.begin(index, &wireBlock{Type: kinds[w.Type]}); err != nil {
			return err
		}
		p = a.blocks[len(a.blocks)-1]
	}
	return a.add(p, w)
}

func (a *answer) add(p *piece, w *wireBlock) error {
	p.sign += w.Signature + w.Data
	p.input = append(p.input, w.PartialJSON...)
	var c deputy.Chunk
	switch p.kind {
	case "text":
		c.Text = w.Text
	case "thinking":
		c.Reasoning = w.Thinking
	}
	if c == (deputy.Chunk{}) {
		return nil
	}
	if between, ok := a.apart(p); ok {
		if err := a.send(between); err != nil {
			return err
		}
	}
	p.text += c.Text + c.Reasoning
	return a.send(c)
}

func (a *answer) send(c deputy.Chunk) error {
	a.began = true
	if !a.yield(c, nil) {
		return modelhttp.ErrGone
	}
	return nil
}

func (a *answer) reason(r string) {
	switch r {
	case "":
		return
	case "max_tokens", "model_context_window_exceeded":
		a.stop = deputy.StopLength
	case "refusal":
		a.stop = deputy.StopRefused
	case "pause_turn":
		a.stop, a.paused = deputy.StopLength, true // where it is never taken up again, it is an answer that stopped too early
	default:
		a.stop = deputy.StopEnd
	}
	a.ended()
}
