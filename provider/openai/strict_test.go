package openai

import (
	"strings"
	"testing"
)

// TestStrictForm: what has a strict form, and which; "-" is for none.
func TestStrictForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, schema, want string }{
		{"no parameters", noParameters, `{"type":"object","properties":{},"additionalProperties":false,"required":[]}`},
		{"closed without properties", `{"type":"object","additionalProperties":false}`,
			`{"type":"object","additionalProperties":false,"properties":{},"required":[]}`},
		{"order is kept", `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}},"required":["a","z"]}`,
			`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}},"required":["z","a"],"additionalProperties":false}`},
		{"formats", `{"type":"object","properties":{"d":{"type":"string","format":"date"},"u":{"type":"string","format":"x-url"}},"required":["d","u"]}`,
			`{"type":"object","properties":{"d":{"type":"string","format":"date"},"u":{"type":"string"}},"required":["d","u"],"additionalProperties":false}`},
		{"limits and notes", `{"$schema":"x","title":"T","type":"object","properties":{"s":{"type":"string","minLength":1,"default":"q","examples":["r"]}},"required":["s"]}`,
			`{"type":"object","properties":{"s":{"type":"string"}},"required":["s"],"additionalProperties":false}`},
		{"null already", `{"type":"object","properties":{"s":{"type":["string","null"],"enum":["a",null]}}}`,
			`{"type":"object","properties":{"s":{"type":["string","null"],"enum":["a",null]}},"required":["s"],"additionalProperties":false}`},
		{"object in it", `{"type":"object","properties":{"o":{"type":"object","properties":{"x":{"type":"integer"}}}}}`,
			`{"type":"object","properties":{"o":{"type":["object","null"],"properties":{"x":{"type":["integer","null"]}},"required":["x"],"additionalProperties":false}},"required":["o"],"additionalProperties":false}`},
		{"constant, required", `{"type":"object","properties":{"c":{"type":"string","const":"x"}},"required":["c"]}`,
			`{"type":"object","properties":{"c":{"type":"string","const":"x"}},"required":["c"],"additionalProperties":false}`},
		{"constant, optional", `{"type":"object","properties":{"c":{"type":"string","const":"x"}}}`, "-"},
		{"anything", `{"type":"object"}`, "-"},
		{"open", `{"type":"object","properties":{},"additionalProperties":true}`, "-"},
		{"open below", `{"type":"object","properties":{"m":{"type":"object"}}}`, "-"},
		{"no type", `{"type":"object","properties":{"x":{}}}`, "-"},
		{"boolean schema", `{"type":"object","properties":{"x":true}}`, "-"},
		{"list of anything", `{"type":"object","properties":{"x":{"type":"array"}}}`, "-"},
		{"union", `{"type":"object","properties":{"x":{"anyOf":[{"type":"string"}]}}}`, "-"},
		{"union beside a type", `{"type":"object","properties":{"x":{"type":"string","oneOf":[{"type":"string"}]}}}`, "-"},
		{"required and not there", `{"type":"object","properties":{},"required":["x"]}`, "-"},
		{"no list of values", `{"type":"object","properties":{"x":{"type":"string","enum":"a"}}}`, "-"},
		{"no format", `{"type":"object","properties":{"x":{"type":"string","format":1}},"required":["x"]}`,
			`{"type":"object","properties":{"x":{"type":"string"}},"required":["x"],"additionalProperties":false}`},
		{"no object", `{"type":"array","items":{"type":"string"}}`, "-"},
		{"object or null", `{"type":["object","null"],"properties":{}}`, "-"},
	} {
		got, ok := strictForm([]byte(c.schema))
		if !ok {
			got = []byte("-")
		}
		if string(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// TestWithoutNulls: only nulls of optional properties go, and what has none keeps its bytes.
func TestWithoutNulls(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{ "table" : "a" }`:                     `{ "table" : "a" }`,
		`{"table":"a","limit":null}`:            `{"table":"a"}`,
		`{"table":"a","limit": null }`:          `{"table":"a"}`,
		`{"limit":null,"table":null}`:           `{"table":null}`,
		`{"table":"a","where":null}`:            `{"table":"a"}`,
		`{"table":"a","where":[null]}`:          `{"table":"a","where":[null]}`,
		`{"where":[{"value":null,"not":null}]}`: `{"where":[{"value":null}]}`,
		`{"where":{"not":null}}`:                `{"where":{"not":null}}`,
		`{"limit":null,"limit":1}`:              `{"limit":1}`,
		`{"unknown":null}`:                      `{"unknown":null}`,
		`{"table":"<é>","limit":null}`:          `{"table":"<é>"}`,
		`[{"limit":null}]`:                      `[{"limit":null}]`,
		`null`:                                  `null`,
		`{"limit":null`:                         `{"limit":null`,
		``:                                      ``,
	} {
		if got := string(withoutNulls([]byte(in), lookup().Schema)); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

// TestLongMessagesAreCut: what a vendor says in the operator's log is short and on one line.
func TestLongMessagesAreCut(t *testing.T) {
	t.Parallel()
	got := scrub(strings.Repeat("é ", 400) + "\nend")
	if len(got) > 310 || strings.ContainsAny(got, "\n") || !strings.HasSuffix(got, "…") {
		t.Errorf("got %q", got)
	}
	if got := scrub("one\ntwo"); got != "one…two" {
		t.Errorf("got %q", got)
	}
}
