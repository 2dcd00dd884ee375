package modelhttp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
)

// Marshal writes JSON that keeps <, > and & as they are, so that a schema keeps its bytes.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Object writes any text as a JSON object, with the same bytes whatever a store has done to white space and to <, > and &. What is no
// object is the value of not_an_object: a JSON value as such, anything else as a string. Nothing is an empty object.
func Object(raw []byte) json.RawMessage {
	if len(bytes.TrimSpace(raw)) == 0 {
		return json.RawMessage("{}")
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		b.Reset()
		quoted, _ := Marshal(string(raw)) // a string has no form that fails
		b.Write(quoted)
	}
	out := unescaped(b.Bytes())
	if out[0] != '{' {
		return json.RawMessage(`{"not_an_object":` + string(out) + `}`)
	}
	return out
}

// unescaped writes the characters that a JSON writer may or may not escape as themselves.
func unescaped(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			continue
		}
		if c := plain(raw[i:]); c != "" {
			out = append(out, c...)
			i += len(`\u003c`) - 1
			continue
		}
		out = append(out, raw[i], raw[i+1])
		i++
	}
	return out
}

// plain is the character of an escape that need not be one, else empty.
func plain(raw []byte) string {
	if len(raw) < len(`\u003c`) || raw[1] != 'u' {
		return ""
	}
	switch string(bytes.ToLower(raw[2:6])) {
	case "003c":
		return "<"
	case "003e":
		return ">"
	case "0026":
		return "&"
	case "2028":
		return "\u2028"
	case "2029":
		return "\u2029"
	}
	return ""
}

// mostOfName is how long the name of a tool may be.
const mostOfName = 64

// ToolName is the name of a tool as a request may hold it. A model may have called one by any name, and a vendor refuses all of a conversation in
// which there is one that it does not allow: other characters than letters, digits, _ and - become _.
func ToolName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	return cmp.Or(name[:min(len(name), mostOfName)], "unnamed")
}
