package deputy

import (
	"example.com/deputy/internal/provenance"
	"example.com/deputy/query"
)

// turning is a turn as the calls in it see it.
type turning struct {
	turn    Turn
	who     Person // with the rights of now
	whole   bool   // full results are wanted: a handle is read
	history []Message
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

// collides refuses a second change of one field, or of a record that is deleted, within a turn: a group is applied as one.
func (t *turning) collides(cs []Change) error {
	for _, p := range t.group {
		for _, old := range p.Changes {
			for _, c := range cs {
				if err := collide(old, c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func collide(old, c Change) error {
	if old.Table != c.Table || len(c.Key) == 0 || query.RecordID(old.Key) != query.RecordID(c.Key) {
		return nil
	}
	if old.Verb == Delete || c.Verb == Delete {
		return Errorf(Conflict, "%s %s has a proposal in this turn already.", c.Table, query.RecordID(c.Key))
	}
	for _, a := range old.Values {
		for _, b := range c.Values {
			if a.Field == b.Field {
				return Errorf(Conflict, "%s of %s %s has a proposal in this turn already.", b.Field, c.Table, query.RecordID(c.Key))
			}
		}
	}
	return nil
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
