package openai

import (
	"encoding/json"

	"example.com/deputy"
	"example.com/deputy/internal/strictschema"
)

const noParameters = `{"type":"object","properties":{},"additionalProperties":false}`

// definition is a tool as both protocols write it, in their own envelopes.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict,omitempty"`
	Defer       bool            `json:"defer_loading,omitempty"`
}

// schemas are those of the tools that are held to their strict form, as they were given.
type schemas map[string]json.RawMessage

// definitions are the tools, in their strict form where that is wanted and there is one.
func (m *model) definitions(specs []deputy.ToolSpec) ([]definition, schemas) {
	var out []definition
	held := schemas{}
	for _, s := range specs {
		d := definition{Name: s.Name, Description: s.Description, Parameters: s.Schema}
		if len(d.Parameters) == 0 {
			d.Parameters = json.RawMessage(noParameters)
		}
		if m.strict && !m.options.strict.Load() {
			if form, ok := strictschema.Nullable(d.Parameters); ok {
				held[s.Name] = d.Parameters
				d.Parameters, d.Strict = form, true
			}
		}
		out = append(out, d)
	}
	return out, held
}

// arguments of a call, without the nulls of a strict form.
func (s schemas) arguments(tool string, raw []byte) json.RawMessage {
	args := json.RawMessage(raw)
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if schema, ok := s[tool]; ok {
		args = strictschema.WithoutNulls(args, schema)
	}
	return args
}
