package openai

import (
	"encoding/json"

	"example.com/deputy"
	"example.com/deputy/internal/modelhttp"
)

const (
	notePrefix = "Note of the system, not of the person: "
	noResult   = "No result: the call was interrupted before it ran."
)

// writer writes history in one of the protocols.
type writer interface {
	user(text string)
	model(msg deputy.Message)
	result(ref, text string, reveals []string)
}

// history walks through messages. Each call is followed by its result, as the protocols demand: one that never got one says so, and a
// result without its call is left out.
type history struct {
	writer
	open []string // calls that wait for their results
}

func write(r deputy.Request, w writer) {
	h := history{writer: w}
	for _, msg := range r.Messages {
		h.add(msg)
	}
	h.settle()
	if r.Tail != "" {
		h.user(r.Tail)
	}
}

func (h *history) add(msg deputy.Message) {
	if msg.Role == deputy.FromTool {
		h.results(msg)
		return
	}
	h.settle()
	switch content := msg.Text(); {
	case msg.Role == deputy.FromModel:
		h.model(msg)
		for _, p := range msg.Parts {
			if p.Call != nil {
				h.open = append(h.open, p.Call.Ref)
			}
		}
	case content == "":
	case msg.Role == deputy.FromNote:
		h.user(notePrefix + content)
	default:
		h.user(content)
	}
}

func (h *history) results(msg deputy.Message) {
	for _, p := range msg.Parts {
		if p.Result != nil && h.close(p.Result.Ref) {
			h.result(p.Result.Ref, p.Result.Text, p.Result.Reveals)
		}
	}
}

// close takes a call off those that wait.
func (h *history) close(ref string) bool {
	for i, open := range h.open {
		if open == ref {
			h.open = append(h.open[:i], h.open[i+1:]...)
			return true
		}
	}
	return false
}

// settle answers the calls that nobody answered.
func (h *history) settle() {
	for _, ref := range h.open {
		h.result(ref, noResult, nil)
	}
	h.open = nil
}

// arguments are always the text of a JSON object: servers parse them again and fail on anything else.
func arguments(raw json.RawMessage) string { return string(modelhttp.Object(raw)) }
