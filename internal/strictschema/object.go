package strictschema

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object in the order it was written.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

// parseObject reads one level; false is for everything that is no object.
func parseObject(raw json.RawMessage) (object, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	o := object{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		m := member{name: name.(string)} // a key is always a string
		if err := d.Decode(&m.value); err != nil {
			return nil, false
		}
		o = append(o, m)
	}
	_, err := d.Token()
	return o, err == nil
}

func (o object) get(name string) json.RawMessage {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// twice says whether a name stands twice: readers differ in which of them they take.
func (o object) twice() bool {
	names := map[string]bool{}
	for _, m := range o {
		names[m.name] = true
	}
	return len(names) < len(o)
}

// set replaces the value in its place, or adds it at the end.
func (o object) set(name string, value json.RawMessage) object {
	for i, m := range o {
		if m.name == name {
			o[i].value = value
			return o
		}
	}
	return append(o, member{name, value})
}

func (o object) encode() json.RawMessage {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, quote(m.name)...)
		b = append(b, ':')
		b = append(b, m.value...)
	}
	return append(b, '}')
}

// quote writes a value that cannot fail: strings and lists of strings.
func quote(v any) json.RawMessage {
	b, _ := marshal(v) // strings have no form that fails
	return b
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// marshal keeps <, > and & as they are, so that a schema keeps its bytes.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
