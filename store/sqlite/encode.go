package sqlite

import (
	"encoding/json"
	"strings"
	"time"

	"example.com/deputy"
)

// micros is a time as it is stored; the zero time is one as any other.
func micros(t time.Time) int64 { return t.UnixMicro() }

func moment(us int64) time.Time { return time.UnixMicro(us).UTC() }

// raw is JSON as it is stored, byte by byte; none is the empty text.
func raw(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// known is the person behind a key.
func known(key, name string) deputy.Person {
	issuer, id, _ := strings.Cut(key, "\x1f")
	return deputy.Person{Issuer: issuer, ID: id, Name: name}
}

// fold makes texts comparable without regard to case; SQLite alone knows that of ASCII only.
func fold(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// part is a deputy.Part as it is stored. JSON inside is kept as text: encoded as JSON in JSON it would come back without its spaces and
// with other escapes, and the bytes of history must not change.
type part struct {
	Text      string             `json:"text,omitempty"`
	Reasoning string             `json:"reasoning,omitempty"`
	Call      *call              `json:"call,omitempty"`
	Result    *deputy.ToolResult `json:"result,omitempty"`
	Proposal  string             `json:"proposal,omitempty"`
	Display   string             `json:"display,omitempty"`
	Opaque    *opaque            `json:"opaque,omitempty"`
	Rights    string             `json:"rights,omitempty"`
}

type call struct {
	ID        string `json:"id"`
	Ref       string `json:"ref"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
}

type opaque struct {
	Model string `json:"model"`
	Data  string `json:"data"`
}

func encodeParts(ps []deputy.Part) (string, error) {
	var out []part
	if ps != nil {
		out = make([]part, len(ps))
	}
	for i, p := range ps {
		out[i] = part{Text: p.Text, Reasoning: p.Reasoning, Result: p.Result, Proposal: p.Proposal, Display: string(p.Display), Rights: p.Rights}
		if c := p.Call; c != nil {
			out[i].Call = &call{c.ID, c.Ref, c.Tool, string(c.Arguments)}
		}
		if o := p.Opaque; o != nil {
			out[i].Opaque = &opaque{o.Model, string(o.Data)}
		}
	}
	return encode(out)
}

func decodeParts(text string) ([]deputy.Part, error) {
	var in []part
	if err := json.Unmarshal([]byte(text), &in); err != nil || in == nil {
		return nil, err
	}
	out := make([]deputy.Part, len(in))
	for i, p := range in {
		out[i] = deputy.Part{Text: p.Text, Reasoning: p.Reasoning, Result: p.Result, Proposal: p.Proposal, Display: raw(p.Display), Rights: p.Rights}
		if c := p.Call; c != nil {
			out[i].Call = &deputy.ToolCall{ID: c.ID, Ref: c.Ref, Tool: c.Tool, Arguments: raw(c.Arguments)}
		}
		if o := p.Opaque; o != nil {
			out[i].Opaque = &deputy.Opaque{Model: o.Model, Data: raw(o.Data)}
		}
	}
	return out, nil
}

func encode(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// decode reads texts of JSON, each into what follows it.
func decode(pairs ...any) error {
	for i := 0; i < len(pairs); i += 2 {
		if err := json.Unmarshal([]byte(pairs[i].(string)), pairs[i+1]); err != nil {
			return err
		}
	}
	return nil
}
