package modelhttp

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestObject(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``: `{}`, ` `: `{}`, `{ "a" : 1 }`: `{"a":1}`, `[1]`: `{"not_an_object":[1]}`, `"{"`: `{"not_an_object":"{"}`, `{"a":`: `{"not_an_object":"{\"a\":"}`,
		`{"a":"1 \u003c 2 \u0026\u0026 \\u003c \u003E"}`: `{"a":"1 < 2 && \\u003c >"}`, `{"a":"\u2028"}`: "{\"a\":\"\u2028\"}", `{"a":"<"}`: `{"a":"<"}`,
	} {
		if got := string(Object([]byte(in))); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

func TestToolName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "unnamed", "query_records": "query_records", "functions.query records": "functions_query_records", "søk\u202e": "s_k_",
		strings.Repeat("a", 70): strings.Repeat("a", 64),
	} {
		if got := ToolName(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// FuzzObject: an object, with the same bytes again after a store has written it, and the same value.
func FuzzObject(f *testing.F) {
	for _, s := range []string{`{"a":"\u003c\\u003c"}`, `{"a":`, `"\u2028"`, `{"\\\u0026":"\"<"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		out := Object(raw)
		if !json.Valid(out) || out[0] != '{' {
			t.Fatalf("%q became %q", raw, out)
		}
		stored, err := json.Marshal(out)
		if err != nil || !bytes.Equal(out, Object(stored)) {
			t.Fatalf("%q, stored, became %q; %v", out, Object(stored), err)
		}
		var before, after map[string]any
		if json.Unmarshal(raw, &before) == nil && before != nil {
			if err := json.Unmarshal(out, &after); err != nil || !reflect.DeepEqual(before, after) {
				t.Fatalf("%q means something else than %q: %v", out, raw, err)
			}
		}
	})
}
