package strictrules

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

func openAIKeywords() keywords {
	number := []string{"multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"}
	return keywords{
		"":       {"type", "description", "enum", "const"},
		"object": {"properties", "required", "additionalProperties"}, "array": {"items", "minItems", "maxItems"}, "string": {"pattern", "format"},
		"number": number, "integer": number,
	}
}

// openAIFormats are those of texts.
func openAIFormats() []string {
	return []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
}

// The limits that OpenAI publishes for one schema.
const (
	openAIProperties = 5000
	openAIDepth      = 10
	openAICharacters = 120_000 // of the names of properties, and of the values of enum and const
	openAIValues     = 1000    // of enum
	openAIManyValues = 250     // of one enum; with more of them …
	openAIManyLong   = 15_000  // … they have at most so many characters
)

// OpenAI says what of a strict schema OpenAI would refuse.
func OpenAI(schema json.RawMessage) []string {
	all, wrong := nodes(schema)
	wrong = append(wrong, shape(all, openAIKeywords(), openAIFormats())...)
	properties, characters, values := 0, 0, 0
	for _, n := range all {
		own, _ := n.of["properties"].(map[string]any)
		properties += len(own)
		for name := range own {
			characters += utf8.RuneCountInString(name)
			if !slices.Contains(texts(n.of["required"]), name) {
				wrong = append(wrong, fmt.Sprintf("%s.%s: it is not required", n.path, name))
			}
		}
		if n.depth > openAIDepth {
			wrong = append(wrong, fmt.Sprintf("%s: nested more than %d levels deep", n.path, openAIDepth))
		}
		list, _ := n.of["enum"].([]any)
		long := lengths(list)
		characters += long
		if text, ok := n.of["const"].(string); ok {
			characters += utf8.RuneCountInString(text)
		}
		if values += len(list); len(list) > openAIManyValues && long > openAIManyLong {
			wrong = append(wrong, fmt.Sprintf("%s: %d values of %d characters", n.path, len(list), long))
		}
		if n.is("null") && n.of["enum"] != nil && !slices.Contains(list, nil) {
			wrong = append(wrong, n.path+": it may be null, but null is none of its values")
		}
	}
	for _, limit := range []struct {
		what     string
		is, most int
	}{{"properties", properties, openAIProperties}, {"characters of names and values", characters, openAICharacters}, {"values", values, openAIValues}} {
		if limit.is > limit.most {
			wrong = append(wrong, fmt.Sprintf("%d %s, more than %d", limit.is, limit.what, limit.most))
		}
	}
	return wrong
}

func lengths(values []any) (n int) {
	for _, v := range values {
		if text, ok := v.(string); ok {
			n += utf8.RuneCountInString(text)
		}
	}
	return n
}
