package strictschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/deputy/internal/strictrules"
)

// TestNullable: what has a strict form, and which; "-" is for none.
func TestNullable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, schema, want string }{
		{"no parameters", `{"type":"object","properties":{},"additionalProperties":false}`, `{"type":"object","properties":{},"additionalProperties":false,"required":[]}`},
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
		{"of another type", `{"type":"object","items":{"type":"string"},"properties":{"n":{"type":"number","pattern":"a","minItems":1,"minimum":2}},"required":["n"]}`,
			`{"type":"object","properties":{"n":{"type":"number","minimum":2}},"required":["n"],"additionalProperties":false}`},
		{"no type of JSON", `{"type":"object","properties":{"f":{"type":"file"}},"required":["f"]}`, "-"},
		{"a value that is an object", `{"type":"object","properties":{"o":{"type":"object","properties":{},"enum":[{}]}},"required":["o"]}`, "-"},
		{"a value that is a list", `{"type":"object","properties":{"o":{"type":"array","items":{"type":"string"},"const":[]}},"required":["o"]}`, "-"},
		{"a keyword twice", `{"type":"object","properties":{},"type":"string"}`, "-"},
		{"a property twice", `{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"integer"}}}`, "-"},
		{"null for values", `{"type":"object","properties":{"o":{"type":"string","enum":null}},"required":["o"]}`, "-"},
	} {
		got, ok := Nullable([]byte(c.schema))
		if !ok {
			got = []byte("-")
		}
		if string(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// TestWhatFits: a schema that is as large as may be has a nullable form, one more has none; the closed form has no such limits.
func TestWhatFits(t *testing.T) {
	t.Parallel()
	nested := func(n int) string {
		return strings.Repeat(`{"type":"object","properties":{"a":`, n) + `{"type":"string"}` + strings.Repeat(`},"required":["a"]}`, n)
	}
	listed := func(n int) string {
		return strings.Repeat(`{"type":"object","properties":{"a":{"type":"array","items":`, n) + `{"type":"string"}` + strings.Repeat(`}},"required":["a"]}`, n)
	}
	values := func(n, length int) string {
		return `{"type":"object","properties":{"a":{"type":"string","enum":[` + strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%q,", strings.Repeat("é", length)), n), ",") + `]}}}`
	}
	properties := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"p%d":{"type":"string"}`, i)
		}
		return `{"type":"object","properties":{` + strings.TrimPrefix(b.String(), ",") + `}}`
	}
	named := func(n int) string {
		return `{"type":"object","properties":{"` + strings.Repeat("é", n) + `":{"type":"string"}}}`
	}
	for _, c := range []struct {
		name, schema string
		fits         bool
	}{
		{"ten levels", nested(10), true}, {"eleven levels", nested(11), false}, {"five lists", listed(5), true}, {"six lists", listed(6), false},
		{"values", values(1000, 1), true}, {"more values", values(1001, 1), false}, {"250 long values", values(250, 100), true}, {"251 long values", values(251, 100), false},
		{"properties", properties(5000), true}, {"more properties", properties(5001), false}, {"a long name", named(120_000), true}, {"a longer name", named(120_001), false},
	} {
		if _, ok := Nullable([]byte(c.schema)); ok != c.fits {
			t.Errorf("%s: a nullable form: %v", c.name, ok)
		}
		if _, _, ok := Closed([]byte(c.schema)); !ok {
			t.Errorf("%s: no closed form", c.name)
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
		if got := string(WithoutNulls([]byte(in), json.RawMessage(lookup))); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

// lookup is a tool's parameters, optional ones among them.
const lookup = `{"type":"object","properties":{"table":{"type":"string"},"limit":{"type":"integer"},"where":{"type":"array","items":` +
	`{"type":"object","properties":{"field":{"type":"string"},"value":{"type":["string","null"]},"not":{"type":"boolean"}},` +
	`"required":["field","value"],"additionalProperties":false}}},"required":["table"],"additionalProperties":false}`

// TestClosed: optional properties stay optional and are counted, limits go.
func TestClosed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, schema, want string
		count              Count
	}{
		{"parameters of a tool", lookup, lookup, Count{Optional: 3, Unions: 1}},
		{"limits", `{"type":"object","properties":{"n":{"type":"integer","minimum":1,"maximum":9},"s":{"type":"string","pattern":"^a","format":"x"}},"required":["n","s"]}`,
			`{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}},"required":["n","s"],"additionalProperties":false}`, Count{}},
		{"a constant may be optional", `{"type":"object","properties":{"c":{"type":"string","const":"x"}}}`,
			`{"type":"object","properties":{"c":{"type":"string","const":"x"}},"additionalProperties":false}`, Count{Optional: 1}},
		{"open", `{"type":"object","properties":{},"additionalProperties":true}`, "-", Count{}},
		{"union", `{"type":"object","properties":{"x":{"anyOf":[{"type":"string"}]}}}`, "-", Count{}},
	} {
		got, count, ok := Closed([]byte(c.schema))
		if !ok {
			got, count = []byte("-"), Count{}
		}
		if string(got) != c.want || count != c.count {
			t.Errorf("%s: got %s %+v, want %s %+v", c.name, got, count, c.want, c.count)
		}
	}
}

// FuzzStrict: a strict form is JSON, the same every time, its own strict form, and keeps its vendor's published rules; dropping nulls keeps JSON
// JSON and has nothing left to do the second time.
func FuzzStrict(f *testing.F) {
	f.Add([]byte(lookup), []byte(`{"table":"a","limit":null,"where":[{"field":"x","value":null,"not":null}]}`))
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string","enum":["x"]}}}}}`), []byte(`{"a":{"b":null}}`))
	f.Add([]byte(`{"type":["object","null"]}`), []byte(`{"a":1,"a":null}`))
	f.Add([]byte(`{"type":"object","additionalProperties":false}`), []byte(`null`))
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"number","pattern":"b","minItems":2},"a":{"type":"file"}},"items":{}}`), []byte(`{}`))
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"string","format":"uri","pattern":"(?=b)","minLength":1},"b":{"type":"object","properties":{},"enum":[{}]}}}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, schema, args []byte) {
		if !json.Valid(schema) {
			return
		}
		if form, _, ok := Closed(schema); ok {
			if wrong := strictrules.Anthropic(form); wrong != nil {
				t.Errorf("%s has the closed form %s: %q", schema, form, wrong)
			}
			if again, _, ok := Closed(form); !json.Valid(form) || !ok || !bytes.Equal(form, again) {
				t.Fatalf("%s has the closed form %s, and that has %s", schema, form, again)
			}
		}
		form, ok := Nullable(schema)
		if !ok {
			return
		}
		if wrong := strictrules.OpenAI(form); wrong != nil {
			t.Errorf("%s has the form %s: %q", schema, form, wrong)
		}
		again, ok := Nullable(form)
		if !json.Valid(form) || !ok || !bytes.Equal(form, again) {
			t.Fatalf("%s has the form %s, and that has %s", schema, form, again)
		}
		once := WithoutNulls(args, schema)
		if json.Valid(args) != json.Valid(once) || !bytes.Equal(once, WithoutNulls(once, schema)) {
			t.Fatalf("%s became %s", args, once)
		}
	})
}
