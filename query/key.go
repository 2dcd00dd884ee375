package query

import (
	"encoding/json"
	"fmt"
)

// Keyed is the condition for the record of a table that has a key, given as the texts of its values; not ok where they are not as many as
// the key's fields, or a text cannot be a value of its field.
func Keyed(t *Table, texts []string) (is Expr, ok bool) {
	if len(texts) != len(t.Key) {
		return nil, false
	}
	for i, name := range t.Key {
		f, _ := t.Field(name)
		v, err := ParseValue(f.Type, texts[i])
		if err != nil || v == nil {
			return nil, false
		}
		is = And(is, Equal(t.Name, f, v))
	}
	return is, true
}

// KeyTexts reads the id of a record whose key has several fields: a JSON array of texts, or of other scalars, whose texts are taken.
func KeyTexts(id string) ([]string, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(id), &raw); err != nil {
		return nil, err
	}
	out := make([]string, len(raw))
	for i, r := range raw {
		if json.Unmarshal(r, &out[i]) != nil {
			out[i] = string(r)
		}
	}
	return out, nil
}

// RecordID is the id of a record, from the texts of its key's values: the text itself, or a JSON array of several.
func RecordID(key []string) string {
	if len(key) == 1 {
		return key[0]
	}
	b, err := json.Marshal(key)
	if err != nil {
		return fmt.Sprint(key)
	}
	return string(b)
}
