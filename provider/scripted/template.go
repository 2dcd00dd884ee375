package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// fill replaces {{ path }} in every text of v.
func fill(v any, read func(path) (any, error)) (any, error) {
	switch v := v.(type) {
	case string:
		return fillText(v, read)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			var err error
			if out[i], err = fill(e, read); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			var err error
			if out[k], err = fill(e, read); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}

// fillText gives a text, or the value itself where the text is one path and nothing else.
func fillText(text string, read func(path) (any, error)) (any, error) {
	var out strings.Builder
	for rest := text; ; {
		before, after, found := strings.Cut(rest, "{{")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		inside, after, found := strings.Cut(after, "}}")
		if !found {
			return nil, fmt.Errorf("%q: {{ without }}", text)
		}
		p, err := parsePath(strings.TrimSpace(inside))
		if err != nil {
			return nil, err
		}
		v, err := read(p)
		if err != nil {
			return nil, err
		}
		if before == "" && after == "" && out.Len() == 0 {
			return v, nil
		}
		out.WriteString(asText(v))
		rest = after
	}
}

// asText is a value inside a sentence.
func asText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// path leads to a part of a result: calls[0], then names and indexes.
type path struct {
	text  string
	call  int
	steps []any // string or int
}

// parsePath reads calls[0].rows[0][0].
func parsePath(text string) (path, error) {
	wrong := fmt.Errorf("{{ %s }} is no path: write it like calls[0].rows[0][0] or calls[0].call_id", text)
	rest, ok := strings.CutPrefix(text, "calls")
	if !ok {
		return path{}, wrong
	}
	var steps []any
	for rest != "" {
		var step any
		switch rest[0] {
		case '.':
			end := strings.IndexAny(rest[1:], ".[") + 1
			if end == 0 {
				end = len(rest)
			}
			step, rest = rest[1:end], rest[end:]
		case '[':
			inside, after, found := strings.Cut(rest[1:], "]")
			n, err := strconv.Atoi(inside)
			if !found || err != nil || n < 0 {
				return path{}, wrong
			}
			step, rest = n, after
		default:
			return path{}, wrong
		}
		if step == "" {
			return path{}, wrong
		}
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		return path{}, wrong
	}
	call, ok := steps[0].(int)
	if !ok {
		return path{}, wrong
	}
	return path{text: text, call: call, steps: steps[1:]}, nil
}

// in reads the path in the results of a turn.
func (p path) in(results []string) (any, error) {
	if p.call >= len(results) {
		return nil, fmt.Errorf("%s: the turn has made %d calls so far", p.text, len(results))
	}
	v, ok := object(results[p.call])
	if !ok {
		return nil, fmt.Errorf("%s: that call's result holds no JSON object: %.200s", p.text, results[p.call])
	}
	for _, step := range p.steps {
		switch in := v.(type) {
		case map[string]any:
			name, isName := step.(string)
			v, ok = in[name]
			ok = ok && isName
		case []any:
			n, isIndex := step.(int)
			if ok = isIndex && n < len(in); ok {
				v = in[n]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, fmt.Errorf("%s: there is no %v in that call's result", p.text, step)
		}
	}
	return v, nil
}

// object finds the first JSON object in a text, whatever stands around it.
func object(text string) (any, bool) {
	for from := strings.IndexByte(text, '{'); from >= 0; {
		d := json.NewDecoder(bytes.NewReader([]byte(text[from:])))
		d.UseNumber()
		var v map[string]any
		if d.Decode(&v) == nil {
			return v, true
		}
		next := strings.IndexByte(text[from+1:], '{')
		if next < 0 {
			break
		}
		from += 1 + next
	}
	return nil, false
}
