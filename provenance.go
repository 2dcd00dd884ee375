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

// says looks for a value in what a person wrote, as whole words; a number is no part of another.
func says(text, want string) bool {
	text = normal(text)
	for at := 0; ; {
		i := strings.Index(text[at:], want)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(want)
		if !continued(text[:from], want) && !continues(strings.TrimPrefix(text[to:], ".00")) {
			return true
		}
		at = from + 1
	}
}

// continued says whether what stands before a value belongs to it: a word, a sign, the digits before a point or comma.
func continued(before, want string) bool {
	if before == "" {
		return false
	}
	last := before[len(before)-1]
	switch {
	case isWord(last):
		return true
	case last == '-':
		return isDigit(want[0])
	case last == '.' || last == ',':
		return isDigit(want[0]) && len(before) > 1 && isDigit(before[len(before)-2])
	}
	return false
}

// continues says whether what stands after a value belongs to it.
func continues(after string) bool {
	switch {
	case after == "":
		return false
	case after[0] == '.' || after[0] == ',':
		return len(after) > 1 && isDigit(after[1])
	}
	return isWord(after[0])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'z' || c >= 0x80 || c == '_' }

// found are the rows of a result as its text has them.
type found struct {
	Columns []struct {
		Name string `json:"name"`
	} `json:"columns"`
	Rows     [][]json.RawMessage `json:"rows"`
	Children map[string]found    `json:"children"`
}

// hasCell looks for a value among the rows of a result. What stands in a column that is no field but a formula may be the model's own.
func hasCell(result, want string) bool {
	from, to := strings.IndexByte(result, '{'), strings.LastIndexByte(result, '}')
	var f found
	if from < 0 || to < from || json.Unmarshal([]byte(result[from:to+1]), &f) != nil {
		return false
	}
	return f.has(want)
}

func (f found) has(want string) bool {
	for _, row := range f.Rows {
		for i, cell := range row {
			if i < len(f.Columns) && isPath(f.Columns[i].Name) && normalCell(cell) == want {
				return true
			}
		}
	}
	for _, child := range f.Children {
		if child.has(want) {
			return true
		}
	}
	return false
}

// isPath says whether a column's name is a field, or a path to one.
func isPath(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isWord(c) && c != '.' || c >= 0x80 {
			return false
		}
	}
	return name != "" && !isDigit(name[0])
}

func normalCell(cell json.RawMessage) string {
	var s string
	switch {
	case string(cell) == "null":
		return ""
	case json.Unmarshal(cell, &s) == nil:
		return normal(s)
	}
	return normal(string(cell))
}
