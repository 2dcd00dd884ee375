package anthropic

import (
	"example.com/deputy"
	"example.com/deputy/internal/modelhttp"
)

// said is what the answer has begun with: what an interrupted one is continued from. Empty while it has not been interrupted.
func (a *answer) said() []block {
	var out []block
	for _, p := range a.blocks[:a.base] {
		switch {
		case p.thinking() != nil:
			out = append(out, block{thinking: p.thinking()})
		case p.kind == "text" && !blank(p.text):
			out = append(out, block{Type: "text", Text: p.text})
		}
	}
	return out
}

// forget prepares for an attempt: nothing of one before it is left.
func (a *answer) forget(ended func()) {
	a.blocks, a.usage, a.stop, a.paused, a.ended = a.blocks[:a.base], usage{}, "", false, ended
}

// resume prepares for the rest of an interrupted answer.
func (a *answer) resume() {
	a.base, a.stop, a.paused = len(a.blocks), "", false
	a.before, a.usage = a.before.plus(a.usage), usage{}
}

func (u usage) plus(v usage) usage {
	add := func(x, y *int64) *int64 {
		if x == nil || y == nil {
			if x == nil {
				return y
			}
			return x
		}
		sum := *x + *y
		return &sum
	}
	return usage{add(u.Input, v.Input), add(u.Written, v.Written), add(u.Cached, v.Cached), add(u.Output, v.Output)}
}

// thinking is the block as the vendor wants it back; nil for every other, and for thinking without a signature: that broke off.
func (p *piece) thinking() *thinkingBlock {
	switch {
	case p.sign == "":
	case p.kind == "thinking":
		return &thinkingBlock{Type: p.kind, Thinking: &p.text, Signature: p.sign}
	case p.kind == "redacted_thinking":
		return &thinkingBlock{Type: p.kind, Data: p.sign}
	}
	return nil
}

// finish yields the calls, the layout if there is thinking in it, usage and the reason to stop.
func (a *answer) finish() error {
	var shape layout
	kept := false
	for _, p := range a.blocks {
		switch t := p.thinking(); {
		case t != nil:
			kept = true
			shape = append(shape, layoutBlock{Thinking: t})
		case p.kind == "text" && p.text != "":
			shape = append(shape, layoutBlock{Text: len(p.text), Skip: p.skip})
		case p.kind == "tool_use":
			shape = append(shape, layoutBlock{Call: true})
			if err := a.call(p); err != nil {
				return err
			}
		}
	}
	last := deputy.Chunk{Usage: a.before.plus(a.usage).total(), Stop: a.stop}
	if kept {
		data, err := modelhttp.Marshal(shape)
		if err != nil {
			return err
		}
		last.Opaque = &deputy.Opaque{Model: a.mark, Data: data}
	}
	return a.send(last)
}

func (a *answer) call(p *piece) error {
	args := p.input
	if len(args) == 0 {
		args = []byte("{}")
	}
	return a.send(deputy.Chunk{Call: &deputy.ToolCall{Tool: p.name, Arguments: args}})
}
