package strictrules

import (
	"encoding/json"
	"fmt"
	"regexp"
)

func anthropicKeywords() keywords {
	return keywords{
		"":       {"type", "description", "enum", "const", "default"},
		"object": {"properties", "required", "additionalProperties"}, "array": {"items", "minItems"}, "string": {"pattern", "format"},
	}
}

// anthropicFormats are those of texts: one more than OpenAI's.
func anthropicFormats() []string { return append(openAIFormats(), "uri") }

// Anthropic says what of a strict schema Anthropic would refuse.
func Anthropic(schema json.RawMessage) []string {
	all, wrong := nodes(schema)
	wrong = append(wrong, shape(all, anthropicKeywords(), anthropicFormats())...)
	for _, n := range all {
		if least, ok := n.of["minItems"]; ok && least != 0.0 && least != 1.0 {
			wrong = append(wrong, n.path+": minItems is neither 0 nor 1")
		}
		values, _ := n.of["enum"].([]any)
		for _, v := range append(values, n.of["const"]) {
			switch v.(type) {
			case map[string]any, []any:
				wrong = append(wrong, n.path+": a value that is an object or a list")
			}
		}
		if pattern, ok := n.of["pattern"].(string); ok && complexPattern.MatchString(pattern) {
			wrong = append(wrong, n.path+": a pattern with a look around, a back reference or a word boundary")
		}
	}
	return wrong
}

var complexPattern = regexp.MustCompile(`\(\?[=!<]|\\[1-9bB]`)

// The limits that Anthropic publishes for all strict tools of a request together.
const (
	AnthropicStrict   = 20
	AnthropicOptional = 24 // parameters that are not required
	AnthropicUnions   = 16 // parameters of several types
)

// Counts are what Anthropic limits. The zero value is of a request without strict tools.
type Counts struct{ Strict, Optional, Unions int }

// With is what they are with one more strict tool.
func (c Counts) With(schema json.RawMessage) Counts {
	all, _ := nodes(schema)
	c.Strict++
	for _, n := range all {
		if n.optional {
			c.Optional++
		}
		if len(n.types) > 1 || n.of["anyOf"] != nil {
			c.Unions++
		}
	}
	return c
}

// Over says which limit is passed; empty: none.
func (c Counts) Over() string {
	switch {
	case c.Strict > AnthropicStrict:
		return fmt.Sprintf("with it there would be %d strict tools of at most %d", c.Strict, AnthropicStrict)
	case c.Optional > AnthropicOptional:
		return fmt.Sprintf("with it there would be %d optional parameters of at most %d", c.Optional, AnthropicOptional)
	case c.Unions > AnthropicUnions:
		return fmt.Sprintf("with it there would be %d parameters of several types of at most %d", c.Unions, AnthropicUnions)
	}
	return ""
}
