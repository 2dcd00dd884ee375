package openai

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"

	"example.com/deputy"
	"example.com/deputy/internal/modelhttp"
)

// The order of the fields is the order of the bytes.
type responsesRequest struct {
	Model        string              `json:"model"`
	Instructions string              `json:"instructions,omitempty"`
	Tools        []any               `json:"tools,omitempty"`
	Input        []any               `json:"input"`
	Include      []string            `json:"include,omitempty"`
	Reasoning    *responsesReasoning `json:"reasoning,omitempty"`
	CacheKey     string              `json:"prompt_cache_key,omitempty"`
	Store        bool                `json:"store"`
	Stream       bool                `json:"stream"`
}

type responsesReasoning struct {
	Summary string `json:"summary"`
}

// responsesTool always says whether it is strict: left out, it would be.
type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
	Defer       bool            `json:"defer_loading,omitempty"`
}

type messageItem struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Phase   string `json:"phase,omitempty"`
}

type callItem struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type outputItem struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output string `json:"output"`
}

// reasoningItem is what the vendor wants back of its reasoning.
type reasoningItem struct {
	Type      string        `json:"type"`
	ID        string        `json:"id,omitempty"`
	Summary   []summaryPart `json:"summary"`
	Encrypted string        `json:"encrypted_content"`
}

type summaryPart struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// responsesBody writes the body of a request.
func (m *model) responsesBody(r deputy.Request) ([]byte, schemas, error) {
	search := m.search(r)
	tools, deferred, held := m.tools(r, search)
	input := responsesWriter{mark: m.mark(), items: []any{}, search: search, deferred: deferred, searches: map[string]bool{}}
	write(r, &input)
	w := responsesRequest{Model: m.info.Model, Instructions: r.Instructions(), Tools: tools, Input: input.items, Stream: true}
	if !m.options.encrypted.Load() {
		w.Include = []string{"reasoning.encrypted_content"}
	}
	if !m.options.summary.Load() {
		w.Reasoning = &responsesReasoning{Summary: "auto"}
	}
	if !m.options.cacheKey.Load() {
		w.CacheKey = cacheKey(r)
	}
	body, err := modelhttp.Marshal(w)
	return body, held, err
}

// cacheKey leads the requests of one conversation to the same cache. It tells nothing of it.
func cacheKey(r deputy.Request) string {
	first := r.System
	if len(r.Messages) > 0 {
		first = cmp.Or(r.Messages[0].Turn, first)
	}
	sum := sha256.Sum256([]byte("deputy\n" + first))
	return hex.EncodeToString(sum[:16])
}

// mark says whose reasoning an Opaque part holds.
func (m *model) mark() string { return "openai responses " + m.info.Model }

// responsesWriter is the input so far.
type responsesWriter struct {
	mark  string
	items []any

	search   string                   // the tool whose results reveal deferred ones
	deferred map[string]responsesTool // by name
	searches map[string]bool          // calls of it, by their refs
}

func (w *responsesWriter) user(text string) {
	w.items = append(w.items, messageItem{Role: "user", Content: text})
}

func (w *responsesWriter) result(ref, text string, reveals []string) {
	if w.searches[ref] {
		w.reveal(ref, reveals)
		return
	}
	w.items = append(w.items, outputItem{"function_call_output", ref, text})
	if w.search != "" && len(reveals) > 0 { // a deferred tool was called though nothing had revealed it: as if it had been searched for
		again := deputy.ToolCall{Ref: ref + "_tools"}
		w.items = append(w.items, searched(&again))
		w.reveal(again.Ref, reveals)
	}
}

// model writes what the model said, in the order it said it in where that is known.
func (w *responsesWriter) model(msg deputy.Message) {
	text := msg.Text()
	var calls []any
	var shape layout
	for _, p := range msg.Parts {
		switch c := p.Call; {
		case c == nil:
		case c.Tool == w.search && w.search != "":
			w.searches[c.Ref] = true
			calls = append(calls, searched(c))
		default:
			calls = append(calls, callItem{"function_call", c.Ref, modelhttp.ToolName(c.Tool), arguments(c.Arguments)})
		}
		if p.Opaque != nil && p.Opaque.Model == w.mark && json.Unmarshal(p.Opaque.Data, &shape) != nil {
			shape = nil
		}
	}
	if !shape.fits(text, len(calls)) {
		shape = plain(text, len(calls))
	}
	for _, s := range shape {
		switch {
		case s.Reasoning != nil:
			w.items = append(w.items, s.Reasoning)
		case s.Call:
			w.items = append(w.items, calls[0])
			calls = calls[1:]
		default:
			w.items = append(w.items, messageItem{Role: "assistant", Content: text[s.Skip : s.Skip+s.Text], Phase: s.Phase})
			text = text[s.Skip+s.Text:]
		}
	}
}

// layout is the order of an answer's items, and what of it only its own model understands: the data of an Opaque part.
type layout []layoutItem

// layoutItem is reasoning as it came, the next bytes of the text, or the next call.
type layoutItem struct {
	Reasoning *reasoningItem `json:"reasoning,omitempty"`
	Text      int            `json:"text,omitempty"` // bytes
	Skip      int            `json:"skip,omitempty"` // bytes before them that were put between messages, and are not the model's
	Phase     string         `json:"phase,omitempty"`
	Call      bool           `json:"call,omitempty"`
}

// plain is the order of an answer of which no more is known: text, then calls.
func plain(text string, calls int) layout {
	var out layout
	if text != "" {
		out = append(out, layoutItem{Text: len(text)})
	}
	for range calls {
		out = append(out, layoutItem{Call: true})
	}
	return out
}

// fits says whether the layout is that of a text and a number of calls. One of nothing but reasoning is none: what it led to is gone.
func (l layout) fits(text string, calls int) bool {
	bytes, n := 0, 0
	for _, s := range l {
		switch {
		case s.Reasoning != nil:
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

// opaque says whether anything of the layout is worth keeping.
func (l layout) opaque() bool {
	for _, s := range l {
		if s.Reasoning != nil || s.Phase != "" {
			return true
		}
	}
	return false
}
