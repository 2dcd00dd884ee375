package strictrules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestTheRulesRefuse: each of the vendors' rules finds what breaks it, and lets pass what does not.
func TestTheRulesRefuse(t *testing.T) {
	t.Parallel()
	deep := `{"type":"string"}`
	for range openAIDepth + 1 {
		deep = object(`"a":`+deep, "a")
	}
	for _, c := range []struct{ name, schema, openAI, anthropic string }{
		{"nothing wrong", object(`"a":{"type":["string","null"],"description":"x","enum":["a",null]},"b":{"type":"array","items":{"type":"string"}}`, "a", "b"), "", ""},
		{"no JSON", `{`, "no JSON", "no JSON"},
		{"a list at the root", `{"type":"array","items":{"type":"string"}}`, "root is no object", "root is no object"},
		{"null at the root", `{"type":["object","null"],"properties":{},"required":[],"additionalProperties":false}`, "root is no object", "root is no object"},
		{"open", `{"type":"object","properties":{},"required":[]}`, "additionalProperties", "additionalProperties"},
		{"open below", object(`"a":{"type":"object","properties":{},"required":[],"additionalProperties":{"type":"string"}}`, "a"), ".a: additionalProperties", ".a: additionalProperties"},
		{"optional", object(`"a":{"type":"string"}`), ".a: it is not required", ""},
		{"optional below", object(`"a":{"type":"array","items":`+object(`"b":{"type":"string"}`)+`}`, "a"), ".a[].b: it is not required", ""},
		{"required and not there", object(`"a":{"type":"string"}`, "a", "b"), "requires b", "requires b"},
		{"anything", object(`"a":{}`, "a"), ".a: it has no type", ".a: it has no type"},
		{"a boolean schema", object(`"a":true`, "a"), "no schema", "no schema"},
		{"a list of anything", object(`"a":{"type":"array"}`, "a"), ".a[]: it is no schema", ".a[]: it is no schema"},
		{"another type", object(`"a":{"type":"file"}`, "a"), `no type "file"`, `no type "file"`},
		{"the length of a text", object(`"a":{"type":"string","minLength":1}`, "a"), "minLength is not", "minLength is not"},
		{"a default", object(`"a":{"type":"string","default":"b"}`, "a"), "default is not", ""},
		{"one of", object(`"a":{"type":"string","oneOf":[{"type":"string"}]}`, "a"), "oneOf is not", "oneOf is not"},
		{"a reference", object(`"a":{"type":"object","$ref":"#"}`, "a"), "$ref is not", "$ref is not"},
		{"the least number", object(`"a":{"type":"integer","minimum":1}`, "a"), "", "minimum is not"},
		{"the least number of a text", object(`"a":{"type":"string","minimum":1}`, "a"), "minimum is not", "minimum is not"},
		{"two items", object(`"a":{"type":"array","items":{"type":"string"},"minItems":2}`, "a"), "", "minItems"},
		{"one item", object(`"a":{"type":"array","items":{"type":"string"},"minItems":1}`, "a"), "", ""},
		{"a format of nobody's", object(`"a":{"type":"string","format":"colour"}`, "a"), "format colour", "format colour"},
		{"a format of one's", object(`"a":{"type":"string","format":"uri"}`, "a"), "format uri", ""},
		{"a value that is an object", object(`"a":{"type":"object","properties":{},"required":[],"additionalProperties":false,"enum":[{}]}`, "a"), "", "object or a list"},
		{"a look ahead", object(`"a":{"type":"string","pattern":"a(?=b)"}`, "a"), "", "look around"},
		{"null among the types alone", object(`"a":{"type":["string","null"],"enum":["a"]}`, "a"), "null is none of its values", ""},
		{"deep", deep, "levels deep", ""},
		{"many values", object(`"a":{"type":"string","enum":`+list(openAIValues+1, 3)+`}`, "a"), "1001 values", ""},
		{"long values", object(`"a":{"type":"string","enum":`+list(openAIManyValues+1, 60)+`}`, "a"), "251 values of 15060", ""},
		{"long names", object(`"`+strings.Repeat("a", openAICharacters+1)+`":{"type":"string"}`, strings.Repeat("a", openAICharacters+1)), "characters of names", ""},
		{"many properties", many(openAIProperties + 1), "5001 properties", ""},
	} {
		for vendor, got := range map[string][]string{"openai": OpenAI(json.RawMessage(c.schema)), "anthropic": Anthropic(json.RawMessage(c.schema))} {
			want := map[string]string{"openai": c.openAI, "anthropic": c.anthropic}[vendor]
			if want == "" && len(got) > 0 || want != "" && !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, want) }) {
				t.Errorf("%s: %s says %.300q, want %q", c.name, vendor, got, want)
			}
		}
	}
}

func object(properties string, required ...string) string {
	names, _ := json.Marshal(append([]string{}, required...)) // texts marshal
	return `{"type":"object","properties":{` + properties + `},"required":` + string(names) + `,"additionalProperties":false}`
}

// list is a list of different texts of a length.
func list(n, length int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("%0*d", length, i))
	}
	raw, _ := json.Marshal(all) // texts marshal
	return string(raw)
}

// many is an object with properties, all required.
func many(n int) string {
	var properties, names []string
	for i := range n {
		names = append(names, fmt.Sprint("p", i))
		properties = append(properties, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
	}
	return object(strings.Join(properties, ","), names...)
}
