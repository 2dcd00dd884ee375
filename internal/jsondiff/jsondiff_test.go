package jsondiff

import (
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func show(p *string) string {
	if p == nil {
		return "-"
	}
	return "‹" + *p + "›"
}

func lines(cs []Change) string {
	var out []string
	for _, c := range cs {
		out = append(out, strings.TrimSpace(c.Path+" "+show(c.Before)+" "+show(c.After)))
	}
	return strings.Join(out, "\n")
}

func TestDiff(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", MaxPath)
	for _, c := range []struct{ name, before, after, want string }{
		{"nothing", "", "", ""},
		{"new", "", `{"a": 1}`, `- ‹{"a":1}›`},
		{"gone", `[1, 2]`, "", `‹[1,2]› -`},
		{"same in another order", `{"a":1,"b":[true,null]}`, ` {"b":[true,null], "a":1.0}`, ""},
		{"a field within", `{"address":{"city":"Oslo","zip":"0150"}}`, `{"address":{"city":"Bergen","zip":"0150"}}`, "address.city ‹Oslo› ‹Bergen›"},
		{"an element within", `{"items":[{"options":{"color":"red"}}]}`, `{"items":[{"options":{"color":"blue"}}]}`, "items[0].options.color ‹red› ‹blue›"},
		{"odd keys", `{"odd key":{"1":2},"":3}`, `{"odd key":{"1":3},"":4}`, "[\"odd key\"][\"1\"] ‹2› ‹3›\n[\"\"] ‹3› ‹4›"},
		{"a dotted key is not a path", `{"a.b":1,"a":{"b":1}}`, `{"a.b":2,"a":{"b":1}}`, `["a.b"] ‹1› ‹2›`},
		{"added and removed at the end", `{"l":[1,2,3]}`, `{"l":[1]}`, "l[1] ‹2› -\nl[2] ‹3› -"},
		{"whole elements", `[]`, `[{"a": "x"}]`, `[0] - ‹{"a":"x"}›`},
		{"order", `{"z":1,"b":2,"a":3}`, `{"a":4,"y":0,"b":2}`, "z ‹1› -\na ‹3› ‹4›\ny - ‹0›"},
		{"another type", `{"a":{"b":1}}`, `{"a":[1]}`, `a ‹{"b":1}› ‹[1]›`},
		{"text to number", `{"a":"1"}`, `{"a":1}`, `a ‹"1"› ‹1›`},
		{"text to null", `{"a":"null"}`, `{"a":null}`, `a ‹"null"› ‹null›`},
		{"null is not absence", `{"a":null}`, `{}`, "a ‹null› -"},
		{"text that looks like null", `{}`, `{"a":"null","b":null,"c":"x"}`, "a - ‹\"null\"›\nb - ‹null›\nc - ‹x›"},
		{"numbers exactly", `[1.0, 1e2, -0, 12345678901234567890, 0.10]`, `[1, 100, 0, 12345678901234567891, 1e-1]`, "[3] ‹12345678901234567890› ‹12345678901234567891›"},
		{"huge powers", `[1e99999999999999999999, 10e99999999999999999998]`, `[1e99999999999999999998, 1e99999999999999999999]`, "[0] ‹1e99999999999999999999› ‹1e99999999999999999998›"},
		{"as it is meant", `["\u00e9<"]`, `["é>"]`, "[0] ‹é<› ‹é>›"},
		{"a pair of halves", `["\ud83d\ude00"]`, `["😀"]`, ""},
		{"a path too long", `{"a":{"` + long + `":1,"b":2}}`, `{"a":{"` + long + `":1.0,"b":2}}`, ""},
		{"a value with a path too long", `{"a":{"` + long + `":1}}`, `{"a":{"` + long + `":2}}`, `a ‹{"` + long + `":1}› ‹{"` + long + `":2}›`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Diff(c.before, c.after)
			if err != nil || lines(got) != c.want {
				t.Errorf("%v\n%s\nwant\n%s", err, lines(got), c.want)
			}
		})
	}
}

func TestDiffRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{" ", "not JSON"}, {"{", "not JSON"}, {"1 2", "not JSON"}, {"'a'", "not JSON"},
		{`{"a":1,"\u0061":2}`, `"a" stands twice`},
		{`[{"b":{"a":1,"a":1}}]`, `"a" stands twice`},
		{"\"\xff\"", "not UTF-8"},
		{`["\ud800"]`, "half a character"}, {`["\ude00\ud83d"]`, "half a character"}, {`{"\\\ud83dx":1}`, "half a character"},
		{strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1), "deeper than 64"},
	} {
		for side, texts := range map[string][2]string{"before: ": {c.text, "1"}, "after: ": {"1", c.text}} {
			if got, err := Diff(texts[0], texts[1]); err == nil || got != nil || !strings.HasPrefix(err.Error(), side) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s%q: %v, %v", side, c.text, got, err)
			}
		}
	}
	deep := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	if _, err := Diff(deep, ""); err != nil {
		t.Error(err)
	}
}

// meaning is a document as encoding/json and math/big read it; false where they would not.
func meaning(text string) (any, bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if text == "" {
		return nil, true
	}
	if err := d.Decode(&v); err != nil {
		return nil, false
	}
	return rational(v)
}

// rational makes numbers comparable; false where one is too large to write out.
func rational(v any) (any, bool) {
	switch v := v.(type) {
	case json.Number:
		_, power, _ := strings.Cut(strings.ToLower(v.String()), "e")
		r, ok := new(big.Rat), len(power) <= 4
		if ok {
			r, ok = r.SetString(v.String())
		}
		if !ok {
			return nil, false
		}
		return "number " + r.RatString(), true
	case string:
		return "string " + v, true
	case []any:
		for i := range v {
			var ok bool
			if v[i], ok = rational(v[i]); !ok {
				return nil, false
			}
		}
	case map[string]any:
		for k := range v {
			var ok bool
			if v[k], ok = rational(v[k]); !ok {
				return nil, false
			}
		}
	}
	return v, true
}

func sorted(cs []Change, swap bool) []string {
	var out []string
	for _, c := range cs {
		if swap {
			c.Before, c.After = c.After, c.Before
		}
		out = append(out, lines([]Change{c}))
	}
	slices.Sort(out)
	return out
}

func FuzzDiff(f *testing.F) {
	for _, s := range []string{"", "null", `{"a":{"b":[1,"x",{"c":null}]}}`, `{"a":{"b":[1.0,"y"]},"odd key":1e3}`, `["\ud83d\ude00", -0, 1e-7]`, `{"a":1,"a":2}`, "[[[["} {
		f.Add(s, `{"a":{"b":[1,"x",{"c":2}]}}`)
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		if same, err := Diff(before, before); err == nil && len(same) > 0 {
			t.Fatalf("a document differs from itself: %s", lines(same))
		}
		there, err := Diff(before, after)
		if err != nil {
			return
		}
		back, err := Diff(after, before)
		if err != nil || !slices.Equal(sorted(there, false), sorted(back, true)) {
			t.Fatalf("there and back differ: %v\n%s\n%s", err, lines(there), lines(back))
		}
		for _, c := range there {
			if len(c.Path) > MaxPath || c.Before == nil && c.After == nil || c.Before != nil && c.After != nil && *c.Before == *c.After {
				t.Fatalf("no change: %s", lines([]Change{c}))
			}
		}
		b, ok := meaning(before)
		a, also := meaning(after)
		if ok && also && (before == "") == (after == "") && reflect.DeepEqual(b, a) != (len(there) == 0) {
			t.Fatalf("%s\n%s\ngive %q", before, after, lines(there))
		}
	})
}
