package openai

import (
	"cmp"
	"encoding/json"
	"slices"

	"example.com/deputy"
)

// callDelta is a fragment of a call.
type callDelta struct {
	Index    *int64 `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // a string; some servers send the object itself
	} `json:"function"`
}

// arguments is a piece of the arguments, whichever form it came in.
func (d *callDelta) arguments() string {
	var s string
	if raw := d.Function.Arguments; json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

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

func (c *calls) add(d callDelta) {
	at := c.find(d)
	if at == nil || at.isOther(d) {
		at = c.begin(d, at != nil)
	}
	c.latest = at
	at.id = cmp.Or(at.id, d.ID)
	at.name = cmp.Or(at.name, d.Function.Name)
	at.arguments = append(at.arguments, d.arguments()...)
}

func (c *calls) find(d callDelta) *call {
	if d.Index != nil {
		return c.index[*d.Index]
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
func (c *calls) begin(d callDelta, reused bool) *call {
	k := &call{order: int64(len(c.all))}
	if d.Index != nil {
		if !reused {
			k.order = *d.Index
		}
		if c.index == nil {
			c.index = map[int64]*call{}
		}
		c.index[*d.Index] = k
	}
	c.all = append(c.all, k)
	return k
}

// isOther says that a fragment which seems to belong to this call begins another.
func (k *call) isOther(d callDelta) bool {
	if d.Function.Name == "" || k.name == "" {
		return false
	}
	if d.ID != "" && k.id != "" {
		return d.ID != k.id
	}
	return json.Valid(k.arguments)
}

// done gives the calls in their order.
func (c *calls) done(held schemas) []deputy.ToolCall {
	slices.SortStableFunc(c.all, func(a, b *call) int { return cmp.Compare(a.order, b.order) })
	var out []deputy.ToolCall
	for _, k := range c.all {
		out = append(out, deputy.ToolCall{Tool: k.name, Arguments: held.arguments(k.name, k.arguments)})
	}
	return out
}
