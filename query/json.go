package query

import (
	"encoding/json"
	"strconv"
	"strings"

	"example.com/deputy/internal/decimal"
)

// Extract reads the value at a path of a JSON document. A step is the name of a member, or the index from 0 where it meets an array. as is
// String, Dec, Bool, or JSON for the value as it is; a value of another JSON type, a path that leads nowhere, JSON null and a text that is
// no JSON are NULL. Of members with one name the last counts.
func Extract(doc Doc, path []string, as Type) Value {
	raw := json.RawMessage(doc)
	if !json.Valid(raw) {
		return nil
	}
	for _, step := range path {
		next, ok := member(raw, step)
		if !ok {
			return nil
		}
		raw = next
	}
	return readJSON(raw, as)
}

func member(raw json.RawMessage, step string) (json.RawMessage, bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(list) || strconv.Itoa(i) != step {
			return nil, false
		}
		return list[i], true
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return nil, false
	}
	v, ok := object[step]
	return v, ok
}

func readJSON(raw json.RawMessage, as Type) Value {
	text := strings.TrimSpace(string(raw))
	if text == "null" {
		return nil
	}
	switch as {
	case JSON:
		return Doc(compact(Doc(text)))
	case String:
		var s string
		if text[0] == '"' && json.Unmarshal(raw, &s) == nil {
			return s
		}
	case Bool:
		if text == "true" || text == "false" {
			return text == "true"
		}
	case Dec:
		return jsonNumber(text)
	}
	return nil
}

func jsonNumber(text string) Value {
	plain, ok := decimal.Expand(text)
	if !ok {
		return nil
	}
	d, ok := decimal.Parse(plain)
	if !ok {
		return nil
	}
	return limited(d)
}
