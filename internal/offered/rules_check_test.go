package offered

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/deputy/internal/strictrules"
)

// TestTheRulesOfARequestRefuse: what is limited for a request as a whole.
func TestTheRulesOfARequestRefuse(t *testing.T) {
	t.Parallel()
	strict := func(n int, schema string) (out []tool) {
		for i := range n {
			out = append(out, tool{Name: fmt.Sprint("t", i), Description: "x", Schema: json.RawMessage(schema), Strict: true})
		}
		return out
	}
	none, plain := object(""), tool{Name: "plain", Description: "x", Schema: json.RawMessage(`{"type":"object"}`)}
	union := object(`"a":{"type":["string","null"]}`, "a")
	for _, c := range []struct {
		name, model string
		tools       []tool
		body, want  string
	}{
		{"as many as may be", "anthropic", strict(strictrules.AnthropicStrict, none), "", ""},
		{"too many strict", "anthropic", strict(strictrules.AnthropicStrict+1, none), "", "21 strict tools of at most 20"},
		{"too many strict, of another vendor", "openai chat", strict(strictrules.AnthropicStrict+1, none), "", ""},
		{"some that are not strict", "anthropic", append(strict(strictrules.AnthropicStrict, none), plain), "", ""},
		{"optional", "anthropic", strict(strictrules.AnthropicOptional/2+1, object(`"a":{"type":"string"},"b":{"type":"string"}`)), "", "26 optional parameters of at most 24"},
		{"unions", "anthropic", strict(strictrules.AnthropicUnions+1, union), "", "17 parameters of several types of at most 16"},
		{"unions, of another vendor", "openai responses", strict(strictrules.AnthropicUnions+1, union), "", ""},
		{"a schema of the other vendor's", "openai chat", strict(1, object(`"a":{"type":"string"}`)), "", "t0 .a: it is not required"},
		{"twice", "openai chat", append(strict(1, none), strict(1, none)...), "", "stands twice"},
		{"a name", "openai chat", []tool{{Name: "a b", Description: "x"}}, "", "is no name"},
		{"no description", "openai chat", []tool{{Name: "a"}}, "", "0 characters"},
		{"a long description", "openai chat", []tool{{Name: "a", Description: strings.Repeat("é", mostDescribed+1)}}, "", "1025 characters"},
		{"all deferred", "anthropic", []tool{{Name: "a", Description: "x", Deferred: true}}, "", "one that is not deferred: false"},
		{"deferred and cached", "anthropic", []tool{plain, {Name: "a", Description: "x", Deferred: true, Cache: true}}, "", "is deferred and marks"},
		{"many marks", "anthropic", []tool{plain}, strings.Repeat(`"cache_control":`, mostMarks+1), "5 marks"},
		{"many tools", "openai chat", strict(mostTools+1, none), "", "129 tools"},
	} {
		got := refused(request{Model: c.model, tools: c.tools, Body: []byte(c.body)})
		if c.want == "" && len(got) > 0 || c.want != "" && !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, c.want) }) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func object(properties string, required ...string) string {
	names, _ := json.Marshal(append([]string{}, required...)) // texts marshal
	return `{"type":"object","properties":{` + properties + `},"required":` + string(names) + `,"additionalProperties":false}`
}
