package deputy

import (
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
)

//go:embed system.md
var systemText string

// system is the stable text before everything: the same bytes in every request.
func (c Config) system() string {
	s := strings.TrimSpace(strings.ReplaceAll(systemText, "{{name}}", c.Name))
	if extra := strings.TrimSpace(c.Instructions); extra != "" {
		s += "\n\n" + extra
	}
	return s
}

// prompt is what a model is sent, before it is known which model that is.
type prompt struct {
	Request
	sets    []set
	active  []string // in the order of activation
	opening []string // active at the conversation's first request
	most    int      // sets that are told of
}

// prompt is made of system text, the tools this person is offered, history, and the screen.
func (a *Assistant) prompt(ctx context.Context, in *turning, screen *Screen) (prompt, error) {
	p := prompt{Request: Request{System: a.system, Messages: a.readable(in.who, in.history)}, most: a.cfg.Limits.Toolsets}
	v, err := a.view(ctx, in.who)
	if err != nil {
		return p, err
	}
	if p.sets, err = a.offeredSets(ctx, in.who, v); err != nil {
		return p, err
	}
	for _, name := range a.reg.core {
		if len(p.sets) == 0 && a.reg.tools[name].say != nil {
			continue
		}
		spec, ok, err := a.offer(ctx, in.who, v, a.reg.tools[name])
		if err != nil {
			return p, err
		}
		if ok {
			p.Tools = append(p.Tools, spec)
		}
	}
	if len(p.sets) > 0 {
		p.active = a.active(in.history, in.choices, a.cfg.Clock())
		p.opening = opening(in.choices)
	}
	for i := range p.Messages {
		p.Messages[i].Seq = 0 // of the store's, not of what is said
	}
	p.Tail = tail(ctx, v, screen)
	return p, nil
}

// opening are the sets that were active at a conversation's first request.
func opening(choices []Choice) (out []string) {
	for _, c := range choices {
		if c.Opening && c.Active {
			out = append(out, c.Toolset)
		}
	}
	return out
}

// request is exactly what one model is sent. With native deferral neither tools nor system text ever change in a conversation: all tools are
// there, those of sets that did not open it deferred, and results reveal them.
func (p prompt) request(m ModelInfo) Request {
	r, on := p.Request, p.active
	if m.Deferred {
		on = p.opening
	}
	r.Tools = slices.Clone(r.Tools)
	for _, name := range on {
		if i := slices.IndexFunc(p.sets, func(s set) bool { return s.Name == name }); i >= 0 {
			r.Tools = append(r.Tools, p.sets[i].tools...)
		}
	}
	r.Toolsets = section(p.sets[:min(len(p.sets), p.most)], on)
	var deferred []string
	for _, s := range p.sets {
		if !m.Deferred || slices.Contains(on, s.Name) {
			continue
		}
		for _, t := range s.tools {
			t.Deferred = true
			r.Tools, deferred = append(r.Tools, t), append(deferred, t.Name)
		}
	}
	r.Messages = revealing(r.Messages, deferred)
	return r
}

// revealing is history in which results reveal only what is deferred.
func revealing(ms []Message, deferred []string) []Message {
	out := slices.Clone(ms)
	for i, m := range ms {
		for k, part := range m.Parts {
			if part.Result == nil || part.Result.Reveals == nil {
				continue
			}
			if &out[i].Parts[0] == &m.Parts[0] {
				out[i].Parts = slices.Clone(m.Parts)
			}
			r := *part.Result
			r.Reveals = nil
			for _, name := range part.Result.Reveals {
				if slices.Contains(deferred, name) {
					r.Reveals = append(r.Reveals, name)
				}
			}
			out[i].Parts[k].Result = &r
		}
	}
	return out
}

const (
	withheldText = "withheld: the rights it was read under no longer hold"
	notRunText   = "Error: it was not run: the turn ended before"
)

// readable is history as this person may read it now: results read under rights that no longer hold are withheld, and calls that never
// got a result are given one, since a call without a result breaks the next request.
func (a *Assistant) readable(who Person, history []Message) []Message {
	rights := a.rightsOf(who)
	var out []Message
	for i, m := range history {
		out = append(out, withhold(m, rights))
		if m.Role != FromModel {
			continue
		}
		if missing := unanswered(m, history[i+1:]); len(missing) > 0 {
			out = append(out, Message{Role: FromTool, Turn: m.Turn, At: m.At, Parts: missing})
		}
	}
	return out
}

func withhold(m Message, rights string) Message {
	parts := make([]Part, 0, len(m.Parts))
	for _, p := range m.Parts {
		switch {
		case p.Result != nil && p.Result.Rights != "" && p.Result.Rights != rights:
			r := *p.Result
			r.Text, r.Withheld, r.Returned = withheldText, true, 0
			p.Result = &r
		case p.Rights != "" && p.Rights != rights && p.Display != nil:
			p.Display = withheldView(p.Display)
		case p.Rights != "" && p.Rights != rights:
			p.Text = withheldText
		}
		parts = append(parts, p)
	}
	m.Parts = parts
	return m
}

// withheldView is a display of which only the call is left: its rows are read again, with the rights of now.
func withheldView(raw json.RawMessage) json.RawMessage {
	var s Shows
	if json.Unmarshal(raw, &s) != nil {
		return json.RawMessage("{}")
	}
	return event(EventDisplay, Shows{Call: s.Call, View: json.RawMessage(`{"withheld":true}`)}).Data
}

// withholdEvent is an event of a journal as its reader may have it now.
func withholdEvent(e Event, rights string) Event {
	switch e.Name {
	case EventToolFinished:
		var f ToolFinished
		if json.Unmarshal(e.Data, &f) != nil {
			return e
		}
		if f.Rights != rights && f.Error != nil {
			f.Error.Message = withheldText
		}
		if f.Rights != rights {
			f.Returned = nil
		}
		f.Rights = ""
		return Event{e.Seq, e.Name, event(e.Name, f).Data}
	case EventDisplay:
		var s Shows
		if json.Unmarshal(e.Data, &s) != nil {
			return e
		}
		if s.Rights != rights {
			return Event{e.Seq, e.Name, withheldView(e.Data)}
		}
		s.Rights = ""
		return Event{e.Seq, e.Name, event(e.Name, s).Data}
	}
	return e
}

// unanswered makes results for the calls of a message that have none in what follows.
func unanswered(m Message, rest []Message) []Part {
	var out []Part
	for _, p := range m.Parts {
		if p.Call == nil || answered(p.Call.ID, rest) {
			continue
		}
		out = append(out, Part{Result: notRun(*p.Call)})
	}
	return out
}

func answered(call string, rest []Message) bool {
	for _, m := range rest {
		for _, p := range m.Parts {
			if p.Result != nil && p.Result.Call == call {
				return true
			}
		}
	}
	return false
}

func notRun(c ToolCall) *ToolResult {
	return &ToolResult{Call: c.ID, Ref: c.Ref, Outcome: Refused, Text: notRunText}
}

// tail tells the model what the person is looking at. It is checked like any other read: what they may not read is left out.
func tail(ctx context.Context, v *View, screen *Screen) string {
	if screen == nil {
		return ""
	}
	if _, err := v.Table(ctx, screen.Table); err != nil {
		return ""
	}
	seen := struct {
		Table  string `json:"table"`
		Record string `json:"record,omitempty"`
		Label  string `json:"label,omitempty"`
		Where  string `json:"where,omitempty"`
	}{Table: screen.Table}
	if screen.Record != "" {
		if label, err := v.Label(ctx, screen.Table, screen.Record); err == nil {
			seen.Record, seen.Label = screen.Record, label
		}
	}
	if _, err := v.Condition(ctx, screen.Table, screen.Where); err == nil {
		seen.Where = screen.Where
	}
	raw, err := json.Marshal(seen)
	if err != nil {
		return ""
	}
	return "The person is looking at:\n<data>\n" + string(raw) + "\n</data>"
}

// noteText tells the model what became of proposals, before the person's next message.
func noteText(ps []Proposal) (string, error) {
	type fate struct {
		Summary string `json:"summary"`
		State   State  `json:"state"`
		Outcome string `json:"outcome,omitempty"`
	}
	var all []fate
	for _, p := range ps {
		all = append(all, fate{p.Summary, p.State, p.Outcome})
	}
	raw, err := json.Marshal(all)
	return "What became of proposals:\n<data>\n" + string(raw) + "\n</data>", err
}
