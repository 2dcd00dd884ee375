// Package toolsets measures what toolsets save of a prompt, in tokens, with the tools of others.
package toolsets

import (
	"encoding/json"
	"slices"

	"example.com/deputy"
	"github.com/tiktoken-go/tokenizer"
)

// counter counts tokens as o200k_base does, and keeps what it has counted.
type counter struct {
	codec tokenizer.Codec
	kept  map[string]int
}

func newCounter() (*counter, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	return &counter{codec, map[string]int{}}, err
}

func (c *counter) text(s string) (int, error) {
	if n, ok := c.kept[s]; ok {
		return n, nil
	}
	n, err := c.codec.Count(s)
	c.kept[s] = n
	return n, err
}

// tool is a definition as chat completions take it, as compact JSON.
func (c *counter) tool(t deputy.ToolSpec) (int, error) {
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	raw, err := json.Marshal(struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}{"function", function{t.Name, t.Description, t.Schema}})
	if err != nil {
		return 0, err
	}
	return c.text(string(raw))
}

// beyond are the tokens of a request that are there for toolsets: their section, and every tool that is not of the core.
func (c *counter) beyond(r deputy.Request, core []string) (int, error) {
	sum, err := c.text(r.Toolsets)
	if err != nil {
		return 0, err
	}
	for _, t := range r.Tools {
		if slices.Contains(core, t.Name) {
			continue
		}
		n, err := c.tool(t)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}
