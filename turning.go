package deputy

import (
	"time"

	"example.com/deputy/guard"
	"example.com/deputy/internal/provenance"
)

// turning is a turn as the calls in it see it.
type turning struct {
	turn    Turn
	who     Person // with the rights of now
	whole   bool   // full results are wanted: a handle is read
	history []Message
	choices []Choice
	group   []Proposal // made in this turn so far
}

// ran finds a call of the conversation that ran, by the name a model knows it by.
func (t *turning) ran(ref string) (ToolCall, bool) {
	var c ToolCall
	found := false
	for _, m := range t.history {
		for _, p := range m.Parts {
			if p.Call != nil && p.Call.Ref == ref {
				c = *p.Call
			}
			if p.Result != nil && p.Result.Ref == ref {
				found = p.Result.Outcome == Ran
			}
		}
	}
	return c, found
}

// when is the time of the message that made a call.
func (t *turning) when(c ToolCall) time.Time {
	for _, m := range t.history {
		for _, p := range m.Parts {
			if p.Call != nil && p.Call.ID == c.ID {
				return m.At
			}
		}
	}
	return t.turn.StartedAt
}

// ref is the name by which a model knows a call of the conversation.
func (t *turning) ref(call string) string {
	for _, m := range t.history {
		for _, p := range m.Parts {
			if p.Call != nil && p.Call.ID == call {
				return p.Call.Ref
			}
		}
	}
	return ""
}

// earlier are the proposals of the turn so far, as a draft reads through them.
func (t *turning) earlier() (out []guard.Earlier) {
	for _, p := range t.group {
		out = append(out, guard.Earlier{Position: p.Position, Changes: p.Changes})
	}
	return out
}

// source says where a new value comes from: a cell returned in this conversation, the person's own messages, or neither.
func (t *turning) source(text *string) Source {
	if text == nil {
		return SourceModel
	}
	want := provenance.Normal(*text)
	if want == "" {
		return SourceModel
	}
	for _, m := range t.history {
		for _, p := range m.Parts {
			if p.Result != nil && p.Result.Outcome == Ran && provenance.HasCell(p.Result.Text, want) {
				return SourceData
			}
		}
	}
	for _, m := range t.history {
		if m.Role == FromPerson && provenance.Says(m.Text(), want) {
			return SourcePerson
		}
	}
	return SourceModel
}
