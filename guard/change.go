package guard

import (
	"example.com/deputy/policy"
	"example.com/deputy/query"
)

// Change is one write, as data: what a Propose tool returns, what a proposal stores, shows, hashes and checks again. It holds texts and
// types, never live values, so that it survives any store.
type Change struct {
	// ID names a change that creates, for later changes of its group. A tool names it within its draft; the engine makes it unique.
	ID     string `json:",omitempty"`
	Verb   policy.Verb
	Table  string
	Key    []string `json:",omitempty"` // texts of the key's values; empty when it creates
	Values []Assign `json:",omitempty"` // in the order of the table's fields; none when it deletes, or only tests
	// Version is of the record as it was shown, over the fields VersionOf; taken by the engine. A tool gives it where the values are made of what
	// it has read of the record (View.VersionOf): where that is not what is shown any more, the draft is refused.
	Version   string   `json:",omitempty"`
	VersionOf []string `json:",omitempty"`
	When      string   `json:",omitempty"` // a condition that must hold before, checked again at confirm
	Given     []Assign `json:",omitempty"` // what parameters.x is in When
	// Children are how many readable records stood below one that is updated or deleted, by relation: another number then is stale. Of a
	// delete they are the engine's.
	Children []Count `json:",omitempty"`
}

// Count is a number of records by relation: of those that meet Where, a condition about the child, in which parameters.x is what the change
// is Given; empty: of all.
type Count struct {
	Relation string
	N        int
	Where    string `json:",omitempty"`
}

// Assign sets a field to the exact text of a value (query.ParseValue); nil is NULL. With From, the value is the key of the record that an
// earlier change of the group creates, the one of this ID; Text is nil then.
type Assign struct {
	Field string
	Type  query.Type
	Text  *string
	From  string `json:",omitempty"`
	// Own says that the value is the operator's, by the configuration, or made of what stands in the data: nobody is asked where it comes from.
	Own bool `json:",omitempty"`
}

// NewRecord stands before the ID of a change where a model names the record that it will create: new:c3.
const NewRecord = "new:"

// Tests says whether a change makes none: an update without values only tests that its record is as it was shown, before the others of its
// group are made. To read the record is all it takes.
func (c Change) Tests() bool { return c.Verb == policy.Update && len(c.Values) == 0 }

// conditional says whether a change stands on more than its own record's values.
func (c Change) conditional() bool {
	return c.When != "" || c.Verb == policy.Update && (len(c.Children) > 0 || len(c.Values) == 0)
}

// given are the parameters that the conditions of a change may name.
func (c Change) given() (map[string]query.Lit, error) {
	out := map[string]query.Lit{}
	for _, a := range c.Given {
		l := query.Lit{T: a.Type}
		if a.Text != nil {
			var err error
			if l.V, err = query.ParseValue(a.Type, *a.Text); err != nil {
				return nil, err
			}
		}
		out[a.Field] = l
	}
	return out, nil
}
