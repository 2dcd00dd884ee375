package openai

import (
	"encoding/json"

	"example.com/deputy"
	"example.com/deputy/internal/modelhttp"
)

// Deferred tools are not in a request. They are found by a tool of the vendor's own kind, tool_search, which stands in the place of the one
// whose results reveal them: its calls and outputs are items of their own, and an output holds the definitions.

// searchTool is the search, carried out by us.
type searchTool struct {
	Type        string          `json:"type"`
	Execution   string          `json:"execution"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

type searchCallItem struct {
	Type      string          `json:"type"`
	CallID    string          `json:"call_id"`
	Execution string          `json:"execution"`
	Status    string          `json:"status"`
	Arguments json.RawMessage `json:"arguments"`
}

type searchOutputItem struct {
	Type      string          `json:"type"`
	CallID    string          `json:"call_id"`
	Execution string          `json:"execution"`
	Status    string          `json:"status"`
	Tools     []responsesTool `json:"tools"`
}

// search is the name of the tool whose results reveal deferred ones; empty where none is deferred, or the vendor does not know of such.
func (m *model) search(r deputy.Request) string {
	name, deferred := "", false
	for _, s := range r.Tools {
		if deferred = deferred || s.Deferred; s.Reveals {
			name = s.Name
		}
	}
	if !deferred || m.options.deferred.Load() {
		return ""
	}
	return name
}

// tools are those of a request, and the deferred ones by name.
func (m *model) tools(r deputy.Request, search string) (sent []any, deferred map[string]responsesTool, held schemas) {
	definitions, held := m.definitions(r.Tools)
	deferred = map[string]responsesTool{}
	for i, d := range definitions {
		t := responsesTool{"function", d.Name, d.Description, d.Parameters, d.Strict, false}
		switch {
		case search == "":
		case r.Tools[i].Deferred:
			t.Defer = true
			deferred[d.Name] = t
			continue
		case d.Name == search:
			delete(held, d.Name)
			sent = append(sent, searchTool{"tool_search", "client", d.Name + ": " + d.Description, r.Tools[i].Schema}) // it has no name of its own, and the system text speaks of this one
			continue
		}
		sent = append(sent, t)
	}
	return sent, deferred, held
}

// reveal writes an output of a search.
func (w *responsesWriter) reveal(ref string, names []string) {
	out := searchOutputItem{"tool_search_output", ref, "client", "completed", []responsesTool{}}
	for _, n := range names {
		if t, ok := w.deferred[n]; ok {
			out.Tools = append(out.Tools, t)
		}
	}
	w.items = append(w.items, out)
}

// searched is a call of a search as an item.
func searched(c *deputy.ToolCall) searchCallItem {
	return searchCallItem{"tool_search_call", c.Ref, "client", "completed", modelhttp.Object(c.Arguments)}
}

// argumentsText is the arguments of a call as JSON: of a function they come as a text, of a search as they are.
type argumentsText string

// UnmarshalJSON implements json.Unmarshaler.
func (a *argumentsText) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) != nil && string(raw) != "null" {
		text = string(raw)
	}
	*a = argumentsText(text)
	return nil
}
