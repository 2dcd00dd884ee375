package offline_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/provider/offline"
)

var update = flag.Bool("update", false, "rewrite the galleries in testdata")

// TestGallery holds the calls and the answer to each question. A gallery is a text file: a line with > is a question, a line with >> goes
// on with the conversation of the one before.
func TestGallery(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"shop", "zorbs"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := "testdata/" + name + ".txt"
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := gallery(t, readDesk(t, name), string(want))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(want) {
				t.Errorf("%s differs (rewrite with -update and look at the difference):\n%s", path, difference(string(want), got))
			}
		})
	}
}

func gallery(t *testing.T, h *host, text string) string {
	t.Helper()
	var out strings.Builder
	var talk []deputy.Message
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		question, on := strings.CutPrefix(line, ">> ")
		if !on {
			var ok bool
			if question, ok = strings.CutPrefix(line, "> "); !ok {
				continue
			}
			talk = nil
		}
		said, calls, after := h.turn(t, talk, question)
		talk = after
		if out.Len() > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintln(&out, line)
		for _, c := range calls {
			if c.Tool != "list_tables" && c.Tool != "describe_table" {
				fmt.Fprintf(&out, "%s %s\n", c.Tool, c.Arguments)
			}
		}
		for l := range strings.Lines(said) {
			fmt.Fprintln(&out, "  "+strings.TrimSuffix(l, "\n"))
		}
	}
	return out.String()
}

func difference(want, got string) string {
	var out strings.Builder
	ws, gs := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(ws), len(gs)) {
		w, g := "", ""
		if i < len(ws) {
			w = ws[i]
		}
		if i < len(gs) {
			g = gs[i]
		}
		if w != g {
			fmt.Fprintf(&out, "line %d\n-%s\n+%s\n", i+1, w, g)
		}
	}
	return out.String()
}

// host answers tool calls from a file: every query of a table returns the table's rows, whatever its condition.
type host struct {
	Tables []map[string]any
	Rows   map[string][]map[string]any
	screen string
	system string
	tools  []deputy.ToolSpec // nil: all
	always *string           // the result of every call
	// enabled are the tools that come when a set is enabled.
	enabled []deputy.ToolSpec
}

func readDesk(t testing.TB, name string) *host {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var h host
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if err := d.Decode(&h); err != nil {
		t.Fatal(err)
	}
	return &h
}

func tools() []deputy.ToolSpec {
	var out []deputy.ToolSpec
	for _, n := range strings.Fields("calculate count_records create_record current_datetime delete_record describe_table get_record list_tables navigate present_results query_records update_record") {
		out = append(out, deputy.ToolSpec{Name: n})
	}
	return out
}

// turn plays one message of the person to its end.
func (h *host) turn(t testing.TB, talk []deputy.Message, question string) (string, []deputy.ToolCall, []deputy.Message) {
	t.Helper()
	talk = append(talk, deputy.Message{Role: deputy.FromPerson, Parts: []deputy.Part{{Text: question}}})
	var all []deputy.ToolCall
	offered := h.tools
	if offered == nil {
		offered = tools()
	}
	for range 25 {
		text, calls := ask(t, deputy.Request{System: h.system, Tools: offered, Messages: talk, Tail: h.screen})
		answer := deputy.Message{Role: deputy.FromModel}
		results := deputy.Message{Role: deputy.FromTool}
		if text != "" {
			answer.Parts = append(answer.Parts, deputy.Part{Text: text})
		}
		for _, c := range calls {
			c.Ref = fmt.Sprintf("c%d", count(talk)+len(answer.Parts)+1)
			c.ID = "tcl_" + c.Ref
			answer.Parts = append(answer.Parts, deputy.Part{Call: &c})
			results.Parts = append(results.Parts, deputy.Part{Result: &deputy.ToolResult{Call: c.ID, Ref: c.Ref, Text: h.run(t, c)}})
			all = append(all, c)
			if c.Tool == "enable_toolset" {
				offered = append(offered, h.enabled...)
			}
		}
		talk = append(talk, answer)
		if len(calls) == 0 {
			return text, all, talk
		}
		talk = append(talk, results)
	}
	t.Fatalf("%q never ends", question)
	return "", nil, nil
}

func count(talk []deputy.Message) (n int) {
	for _, m := range talk {
		for _, p := range m.Parts {
			if p.Call != nil {
				n++
			}
		}
	}
	return n
}

// ask streams one answer and holds it to the contract of a stream.
func ask(t testing.TB, r deputy.Request) (text string, calls []deputy.ToolCall) {
	t.Helper()
	stopped := false
	for c, err := range offline.New().Stream(t.Context(), r) {
		if err != nil || stopped {
			t.Fatalf("error %v, or a chunk after the last", err)
		}
		text += c.Text
		if c.Call != nil {
			calls = append(calls, *c.Call)
		}
		stopped = c.Stop != ""
	}
	if !stopped || (text == "") == (len(calls) == 0) {
		t.Fatalf("want a stop, and text or calls: %q, %v, stopped %v", text, calls, stopped)
	}
	return text, calls
}

func (h *host) run(t testing.TB, c deputy.ToolCall) string {
	if h.always != nil {
		return *h.always
	}
	var args struct {
		Table, Where, Distinct string
		Tables, Select         []string
		Limit                  int
	}
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{"call_id": c.Ref}
	switch c.Tool {
	case "list_tables":
		var ts []any
		for _, x := range h.Tables {
			ts = append(ts, map[string]any{"name": x["name"], "label": x["label"], "verbs": []string{"read"}})
		}
		out["tables"], out["next"] = ts, ""
	case "describe_table":
		var ts []any
		for _, x := range h.Tables {
			for _, n := range args.Tables {
				if x["name"] == n {
					ts = append(ts, x)
				}
			}
		}
		out["tables"] = ts
	case "query_records", "get_record":
		h.rows(out, args.Table, args.Where, args.Select)
	case "count_records":
		out["columns"], out["rows"], out["returned"] = []any{map[string]any{"name": "count", "type": "int"}}, [][]any{{59}}, 1
	case "calculate":
		out["value"] = "100"
	case "current_datetime":
		out["date"], out["time"], out["weekday"], out["zone"] = "2026-01-31", "12:00:00", "Saturday", "UTC"
	case "analyze_records":
		h.groups(t, c, out)
	case "present_results", "enable_toolset":
		return "Shown."
	}
	raw, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return "<data call=\"" + c.Ref + "\">\n" + string(raw) + "\n</data>"
}

func (h *host) rows(out map[string]any, table, where string, selected []string) {
	if strings.Contains(where, "nowhere") {
		out["columns"], out["rows"] = []any{}, [][]any{}
		return
	}
	names := selected
	if names == nil {
		for _, x := range h.Tables {
			if x["name"] == table {
				for _, f := range x["fields"].([]any) {
					names = append(names, f.(map[string]any)["name"].(string))
				}
			}
		}
	}
	var columns []any
	for _, n := range names {
		columns = append(columns, map[string]any{"name": n})
	}
	var rows [][]any
	for _, r := range h.Rows[table] {
		if !h.meets(r, table, where, names) {
			continue
		}
		var row []any
		for _, n := range names {
			row = append(row, h.at(r, table, n))
		}
		rows = append(rows, row)
	}
	out["columns"], out["rows"], out["returned"] = columns, rows, len(rows)
}

// at follows a path over parents.
func (h *host) at(row map[string]any, table, path string) any {
	head, rest, far := strings.Cut(path, ".")
	if !far {
		return row[path]
	}
	for _, x := range h.Tables {
		parents, _ := x["parents"].([]any)
		for _, p := range parents {
			m := p.(map[string]any)
			if x["name"] == table && m["name"] == head {
				for _, far := range h.Rows[m["table"].(string)] {
					if far[x0(h, m["table"].(string))] == row[m["fields"].([]any)[0].(string)] {
						return h.at(far, m["table"].(string), rest)
					}
				}
			}
		}
	}
	return nil
}

func x0(h *host, table string) string {
	for _, x := range h.Tables {
		if x["name"] == table {
			return x["key"].([]any)[0].(string)
		}
	}
	return ""
}

var literals = regexp.MustCompile(`"[^"]*"`)

// meets says whether a row holds one of the texts that a condition compares a text with; all conditions with other words are met.
func (h *host) meets(row map[string]any, table, where string, names []string) bool {
	found := literals.FindAllString(where, -1)
	if !strings.Contains(where, "lower(") && !strings.Contains(where, ".contains(") && !strings.Contains(where, "name == ") || len(found) == 0 {
		return true
	}
	for _, n := range names {
		v, _ := h.at(row, table, n).(string)
		for _, l := range found {
			l = strings.ToLower(strings.Trim(l, `"`))
			if v = strings.ToLower(v); v == l || strings.Contains(where, ".contains(") && strings.Contains(v, l) {
				return true
			}
		}
	}
	return false
}

// groups answers an analysis with two groups of every key and measure.
func (h *host) groups(t testing.TB, c deputy.ToolCall, out map[string]any) {
	t.Helper()
	var args struct {
		GroupBy  []string              `json:"group_by"`
		Measures []struct{ As string } `json:"measures"`
	}
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		t.Fatal(err)
	}
	var columns []any
	rows := [][]any{nil, nil}
	for i, k := range args.GroupBy {
		columns = append(columns, map[string]any{"name": k})
		rows[0], rows[1] = append(rows[0], fmt.Sprint("a", i)), append(rows[1], nil)
	}
	for i, m := range args.Measures {
		columns = append(columns, map[string]any{"name": m.As})
		rows[0], rows[1] = append(rows[0], 10+i), append(rows[1], "1.50")
	}
	if len(args.GroupBy) == 0 {
		rows = rows[:1]
	}
	out["columns"], out["rows"], out["returned"] = columns, rows, len(rows)
}
