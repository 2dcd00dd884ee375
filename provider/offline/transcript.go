package offline

import (
	"encoding/json"
	"errors"
	"strings"

	"example.com/deputy"
)

// errPending says that a result is not there yet.
var errPending = errors.New("a result is awaited")

// toolError is what a tool answered instead of a result.
type toolError string

func (e toolError) Error() string { return string(e) }

// noTool names a tool that this person is not offered.
type noTool string

func (e noTool) Error() string { return "no tool " + string(e) }

// unclear is a question back to the person: a whole sentence.
type unclear string

func (e unclear) Error() string { return string(e) }

// transcript is the conversation so far.
type transcript struct {
	said    []string   // by the person
	replies []string   // the last text of the model to each
	calls   []exchange // in order
	steps   int        // model messages since the person last spoke
}

// exchange is a tool call and its result; the result is nil where none came or none may be read.
type exchange struct {
	tool   string
	args   string // canonical
	turn   int    // how many messages of the person came before
	result *result
}

func readTranscript(ms []deputy.Message) transcript {
	var t transcript
	byID := map[string]int{}
	for _, m := range ms {
		switch m.Role {
		case deputy.FromPerson:
			t.said, t.replies, t.steps = append(t.said, m.Text()), append(t.replies, ""), 0
		case deputy.FromModel:
			if t.steps++; len(t.replies) > 0 {
				t.replies[len(t.replies)-1] = m.Text()
			}
		}
		for _, p := range m.Parts {
			if p.Call != nil {
				byID[p.Call.ID], byID[p.Call.Ref] = len(t.calls), len(t.calls)
				t.calls = append(t.calls, exchange{tool: p.Call.Tool, args: canonical(p.Call.Arguments), turn: len(t.said)})
			}
			if r := p.Result; r != nil && !r.Withheld {
				i, ok := byID[r.Call]
				if !ok || r.Call == "" {
					i, ok = byID[r.Ref]
				}
				if ok {
					t.calls[i].result = readResult(r.Text, r.Ref)
				}
			}
		}
	}
	return t
}

// canonical writes arguments the same way whoever wrote them: sorted, without what is empty.
func canonical(raw []byte) string {
	var v any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(raw)
	}
	if m, ok := v.(map[string]any); ok {
		for k, x := range m {
			if empty(x) {
				delete(m, k)
			}
		}
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(out)
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case json.Number:
		return v == "0"
	}
	return false
}

// arg is a text among canonical arguments; of nothing, it is empty.
func (e *exchange) arg(name string) string {
	if e == nil {
		return ""
	}
	var m map[string]any
	if json.Unmarshal([]byte(e.args), &m) != nil {
		return ""
	}
	s, _ := m[name].(string)
	return s
}

// result is what a tool said, read leniently.
type result struct {
	ref     string
	err     string
	body    map[string]any
	columns []string
	rows    [][]any
	more    bool
}

func readResult(text, ref string) *result {
	r := &result{ref: ref}
	text = unfence(text)
	if rest, ok := strings.CutPrefix(text, "Error:"); ok {
		r.err = strings.TrimSpace(unfence(strings.TrimSpace(rest)))
		if r.err == "" {
			r.err = "the tool gave no reason"
		}
		return r
	}
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return r
	}
	d := json.NewDecoder(strings.NewReader(text[at:]))
	d.UseNumber()
	if d.Decode(&r.body) != nil {
		return r
	}
	if id, _ := r.body["call_id"].(string); id != "" {
		r.ref = id
	}
	r.readRows()
	return r
}

func (r *result) readRows() {
	for _, c := range list(r.body["columns"]) {
		m, _ := c.(map[string]any)
		r.columns = append(r.columns, str(m["name"]))
	}
	for _, row := range list(r.body["rows"]) {
		r.rows = append(r.rows, list(row))
	}
	r.more = r.body["has_more"] == true || r.body["truncated"] == true
}

// unfence takes off the lines that mark data as data.
func unfence(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<data") {
		if at := strings.IndexByte(text, '\n'); at >= 0 {
			text = text[at+1:]
		}
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "</data>"))
}

// cell is the value of a column of a row, nil where there is none.
func (r *result) cell(row int, column string) any {
	for i, c := range r.columns {
		if c == column && row < len(r.rows) && i < len(r.rows[row]) {
			return r.rows[row][i]
		}
	}
	return nil
}

// display is the text of a cell for people: its label where it has one.
func (r *result) display(row int, column string) string {
	if s := str(r.cell(row, column+".label")); s != "" {
		return s
	}
	return str(r.cell(row, column))
}

func list(v any) []any { l, _ := v.([]any); return l }

// str is the text of a scalar, empty for everything else.
func str(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	return ""
}

// screen is what the person is looking at.
type screen struct{ table, record string }

// readScreen reads the JSON object that the engine puts behind history.
func readScreen(tail string) screen {
	at := strings.IndexByte(tail, '{')
	if at < 0 {
		return screen{}
	}
	var seen struct{ Table, Record string }
	if json.NewDecoder(strings.NewReader(tail[at:])).Decode(&seen) != nil {
		return screen{}
	}
	return screen{seen.Table, seen.Record}
}

// query reads the arguments of a query back.
func (e exchange) query() queryArgs {
	var q queryArgs
	if json.Unmarshal([]byte(e.args), &q) != nil {
		return queryArgs{}
	}
	return q
}

// analysis reads the arguments of an analysis back.
func (e exchange) analysis() analyzeArgs {
	var a analyzeArgs
	if json.Unmarshal([]byte(e.args), &a) != nil {
		return analyzeArgs{}
	}
	return a
}
