package anthropic

import (
	"encoding/json"
	"unicode/utf8"

	"example.com/deputy"
	"example.com/deputy/internal/modelhttp"
)

const (
	notePrefix = "Note of the system, not of the person: "
	noResult   = "No result: the call was interrupted before it ran."
)

// history writes messages. Each message with calls is followed by one with all their results, as the protocol demands: a call that never
// got one says so, and a result without its call is left out.
type history struct {
	mark   string // whose thinking is sent back
	replay bool   // false: nobody's
	reveal bool   // results make deferred tools usable
	out    []message

	open    []string // calls that wait for their results
	results []block
}

func (h *history) write(messages []deputy.Message) {
	for _, msg := range messages {
		h.add(msg)
	}
	h.settle()
}

func (h *history) user(text string) {
	h.out = append(h.out, message{"user", []block{{Type: "text", Text: text}}})
}

func (h *history) add(msg deputy.Message) {
	if msg.Role == deputy.FromTool {
		h.take(msg)
		return
	}
	h.settle()
	switch text := msg.Text(); {
	case msg.Role == deputy.FromModel:
		h.model(msg, text)
	case blank(text):
	case msg.Role == deputy.FromNote:
		h.user(notePrefix + text)
	default:
		h.user(text)
	}
}

// take keeps the results of calls that wait for one.
func (h *history) take(msg deputy.Message) {
	for _, p := range msg.Parts {
		if p.Result == nil {
			continue
		}
		for i, ref := range h.open {
			if ref == p.Result.Ref {
				h.open = append(h.open[:i], h.open[i+1:]...)
				h.result(ref, p.Result.Text, p.Result.Outcome == deputy.CallFailed || p.Result.Outcome == deputy.Refused)
				h.reveals(p.Result.Reveals)
				break
			}
		}
	}
}

func (h *history) result(ref, text string, failed bool) {
	h.results = append(h.results, block{Type: "tool_result", ToolUseID: ref, Content: text, IsError: failed})
}

// reveals makes tools usable from the last result on. An error holds nothing but text.
func (h *history) reveals(tools []string) {
	last := &h.results[len(h.results)-1]
	if h.reveal && !last.IsError && !blank(last.Content) {
		last.reveals = tools
	}
}

// settle writes the results, with those of calls that nobody answered.
func (h *history) settle() {
	for _, ref := range h.open {
		h.result(ref, noResult, true)
	}
	if len(h.results) > 0 {
		h.out = append(h.out, message{"user", h.results})
	}
	h.open, h.results = nil, nil
}

// model writes what the model said, in the order it said it in where that is known. A message of nothing but thinking is left out.
func (h *history) model(msg deputy.Message, text string) {
	var calls []block
	var shape layout
	for _, p := range msg.Parts {
		if p.Call != nil {
			calls = append(calls, block{Type: "tool_use", ID: p.Call.Ref, Name: modelhttp.ToolName(p.Call.Tool), Input: modelhttp.Object(p.Call.Arguments)})
			h.open = append(h.open, p.Call.Ref)
		}
		if o := p.Opaque; o != nil && h.replay && o.Model == h.mark && json.Unmarshal(o.Data, &shape) != nil {
			shape = nil
		}
	}
	if !shape.fits(text, len(calls)) {
		shape = plain(text, len(calls))
	}
	if content := shape.blocks(text, calls); len(content) > 0 {
		h.out = append(h.out, message{"assistant", content})
	}
}

// layout is the order of an answer's blocks, and what of it only its own model understands: the data of an Opaque part.
type layout []layoutBlock

// layoutBlock is thinking as it came, the next bytes of the text, or the next call.
type layoutBlock struct {
	Thinking *thinkingBlock `json:"thinking,omitempty"`
	Text     int            `json:"text,omitempty"` // bytes
	Skip     int            `json:"skip,omitempty"` // bytes before them that were put between blocks, and are not the model's
	Call     bool           `json:"call,omitempty"`
}

// plain is the order of an answer of which no more is known: text, then calls.
func plain(text string, calls int) layout {
	var out layout
	if text != "" {
		out = append(out, layoutBlock{Text: len(text)})
	}
	for range calls {
		out = append(out, layoutBlock{Call: true})
	}
	return out
}

// fits says whether the layout is that of a text and a number of calls. One of nothing but thinking is none: what it led to is gone.
func (l layout) fits(text string, calls int) bool {
	bytes, n := 0, 0
	for _, s := range l {
		switch {
		case s.Thinking != nil:
		case s.Call:
			n++
		case s.Text <= 0, s.Skip < 0, max(s.Text, s.Skip) > len(text), bytes+s.Skip+s.Text > len(text):
			return false
		default:
			bytes += s.Skip + s.Text
		}
		if bytes < len(text) && !utf8.RuneStart(text[bytes]) {
			return false
		}
	}
	return bytes == len(text) && n == calls && bytes+n > 0
}

// blocks puts text and calls in their places.
func (l layout) blocks(text string, calls []block) []block {
	var out []block
	for _, s := range l {
		switch {
		case s.Thinking != nil:
			out = append(out, block{thinking: s.Thinking})
		case s.Call:
			out = append(out, calls[0])
			calls = calls[1:]
		default:
			said := text[s.Skip : s.Skip+s.Text]
			if !blank(said) {
				out = append(out, block{Type: "text", Text: said})
			}
			text = text[s.Skip+s.Text:]
		}
	}
	return out
}
