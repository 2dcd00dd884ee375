package deputy

import (
	"encoding/json"
	"strings"

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
	if old.Table != c.Table || len(c.Key) == 0 || RecordID(old.Key) != RecordID(c.Key) {
		return nil
	}
	if old.Verb == Delete || c.Verb == Delete {
		return Errorf(Conflict, "%s %s has a proposal in this turn already.", c.Table, RecordID(c.Key))
	}
	for _, a := range old.Values {
		for _, b := range c.Values {
			if a.Field == b.Field {
				return Errorf(Conflict, "%s of %s %s has a proposal in this turn already.", b.Field, c.Table, RecordID(c.Key))
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
	want := normal(*text)
	if want == "" {
		return SourceModel
	}
	for _, m := range t.history {
		for _, p := range m.Parts {
			if p.Result != nil && p.Result.Outcome == Ran && hasCell(p.Result.Text, want) {
				return SourceData
			}
		}
	}
	for _, m := range t.history {
		if m.Role == FromPerson && says(m.Text(), want) {
			return SourcePerson
		}
	}
	return SourceModel
}

// normal is the form in which values are compared: lower case, single spaces, a number without trailing zeros.
func normal(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	if v, err := query.ParseValue(query.Dec, s); err == nil && strings.Contains(s, ".") {
		text, _ := query.FormatValue(v)
		return strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return s
}

// says looks for a value in what a person wrote, as whole words.
func says(text, want string) bool {
	text = normal(text)
	for at := 0; ; {
		i := strings.Index(text[at:], want)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(want)
		if !wordBefore(text[:from]) && !wordAfter(strings.TrimPrefix(text[to:], ".00")) {
			return true
		}
		at = from + 1
	}
}

func wordBefore(s string) bool { return s != "" && isWord(s[len(s)-1]) }

func wordAfter(s string) bool { return s != "" && isWord(s[0]) }

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 0x80 || c == '_'
}

// hasCell looks for a value among the rows of a result.
func hasCell(result, want string) bool {
	from, to := strings.IndexByte(result, '{'), strings.LastIndexByte(result, '}')
	if from < 0 || to < from {
		return false
	}
	var r struct {
		Rows [][]json.RawMessage `json:"rows"`
	}
	if json.Unmarshal([]byte(result[from:to+1]), &r) != nil {
		return false
	}
	for _, row := range r.Rows {
		for _, cell := range row {
			text := string(cell)
			var s string
			if json.Unmarshal(cell, &s) == nil {
				text = s
			}
			if text != "null" && normal(text) == want {
				return true
			}
		}
	}
	return false
}
