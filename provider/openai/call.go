package openai

import (
	"cmp"
	"encoding/json"
	"slices"

	"example.com/deputy"
	sdk "github.com/openai/openai-go/v3"
)

// calls puts fragments of tool calls together. The protocol tells them apart by index; servers that leave it, or the id, out send each
// call whole, so that a new name after whole arguments begins another.
type calls struct {
	all    []*call
	index  map[int64]*call
	latest *call
}

type call struct {
	order     int64
	id, name  string
	arguments []byte
}

func (c *calls) add(d sdk.ChatCompletionChunkChoiceDeltaToolCall) {
	at := c.find(d)
	if at == nil || at.isOther(d) {
		at = c.begin(d, at != nil)
	}
	c.latest = at
	if at.id == "" {
		at.id = d.ID
	}
	if at.name == "" {
		at.name = d.Function.Name
	}
	at.arguments = append(at.arguments, fragment(d)...)
}

func (c *calls) find(d sdk.ChatCompletionChunkChoiceDeltaToolCall) *call {
	if d.JSON.Index.Valid() {
		return c.index[d.Index]
	}
	if d.ID == "" {
		return c.latest
	}
	for _, k := range c.all {
		if k.id == d.ID {
			return k
		}
	}
	return nil
}

// begin opens a call. One that reuses an index comes after all others.
func (c *calls) begin(d sdk.ChatCompletionChunkChoiceDeltaToolCall, reused bool) *call {
	k := &call{order: int64(len(c.all))}
	if d.JSON.Index.Valid() {
		if !reused {
			k.order = d.Index
		}
		if c.index == nil {
			c.index = map[int64]*call{}
		}
		c.index[d.Index] = k
	}
	c.all = append(c.all, k)
	return k
}

// isOther says that a fragment which seems to belong to this call begins another.
func (k *call) isOther(d sdk.ChatCompletionChunkChoiceDeltaToolCall) bool {
	if d.Function.Name == "" || k.name == "" {
		return false
	}
	if d.ID != "" && k.id != "" {
		return d.ID != k.id
	}
	return json.Valid(k.arguments)
}

// fragment is a piece of the arguments. A server that sends an object instead of its text is understood.
func fragment(d sdk.ChatCompletionChunkChoiceDeltaToolCall) string {
	raw := d.Function.JSON.Arguments.Raw()
	if raw != "" && raw[0] == '{' {
		return raw
	}
	return d.Function.Arguments
}

// done gives the calls in their order, without the nulls of those that were held to a strict form.
func (c *calls) done(held map[string]json.RawMessage) []deputy.ToolCall {
	slices.SortStableFunc(c.all, func(a, b *call) int { return cmp.Compare(a.order, b.order) })
	var out []deputy.ToolCall
	for _, k := range c.all {
		args := json.RawMessage(k.arguments)
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		if schema, ok := held[k.name]; ok {
			args = withoutNulls(args, schema)
		}
		out = append(out, deputy.ToolCall{Tool: k.name, Arguments: args})
	}
	return out
}
