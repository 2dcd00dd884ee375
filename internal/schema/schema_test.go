package schema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"example.com/deputy/internal/schema"
)

type value struct {
	Field string          `json:"field" desc:"a name"`
	Value json.RawMessage `json:"value"`
}

type params struct {
	Table  string          `json:"table" desc:"a < b & c"`
	Limit  int             `json:"limit,omitzero"`
	Whole  *bool           `json:"whole"`
	Names  []string        `json:"names,omitzero" enum:"a|b"`
	View   string          `json:"view,omitzero" enum:"pie|bar"`
	Values []value         `json:"values,omitzero" desc:"new"`
	Any    json.RawMessage `json:"any,omitzero"`
	Small  int8            `json:"small,omitzero"`
}

func TestOf(t *testing.T) {
	t.Parallel()
	got, err := schema.Of(reflect.TypeFor[params]())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{"table":{"description":"a < b & c","type":"string"},"limit":{"type":"integer"},` +
		`"whole":{"type":"boolean"},"names":{"type":"array","items":{"type":"string","enum":["a","b"]}},` +
		`"view":{"type":"string","enum":["pie","bar"]},"values":{"type":"array","description":"new","items":{"type":"object","properties":` +
		`{"field":{"description":"a name","type":"string"},"value":{"type":["string","number","boolean","null"]}},` +
		`"required":["field","value"],"additionalProperties":false}},"any":{"type":["string","number","boolean","null"]},"small":{"type":"integer"}},` +
		`"required":["table"],"additionalProperties":false}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if empty, err := schema.Of(reflect.TypeFor[struct{}]()); err != nil || string(empty) != `{"type":"object","properties":{},"additionalProperties":false}` {
		t.Errorf("empty struct: %s %v", empty, err)
	}
}

type loop struct {
	Again []loop `json:"again"`
}

type embedded struct {
	value
}

// sameName is made at run time: vet refuses it in the source.
func sameName() reflect.Type {
	one := reflect.StructField{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"m"`}
	two := one
	two.Name = "B"
	return reflect.StructOf([]reflect.StructField{one, two})
}

func TestOfRefuses(t *testing.T) {
	t.Parallel()
	for name, typ := range map[string]reflect.Type{
		"no struct": reflect.TypeFor[string](),
		"map": reflect.TypeFor[struct {
			M map[string]int `json:"m"`
		}](),
		"interface": reflect.TypeFor[struct {
			M any `json:"m"`
		}](),
		"float": reflect.TypeFor[struct {
			M float64 `json:"m"`
		}](),
		"bytes": reflect.TypeFor[struct {
			M []byte `json:"m"`
		}](),
		"list of maps": reflect.TypeFor[struct {
			M []map[string]int `json:"m"`
		}](),
		"no tag": reflect.TypeFor[struct{ M int }](),
		"omitempty": reflect.TypeFor[struct {
			M int `json:"m,omitempty"`
		}](),
		"int enum": reflect.TypeFor[struct {
			M int `json:"m" enum:"1|2"`
		}](),
		"same name": sameName(),
		"cycle":     reflect.TypeFor[loop](),
		"embedded":  reflect.TypeFor[embedded](),
		"list pointers": reflect.TypeFor[struct {
			M []*int `json:"m"`
		}](),
	} {
		if got, err := schema.Of(typ); err == nil {
			t.Errorf("%s: got %s, want an error", name, got)
		}
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	yes := true
	for in, want := range map[string]params{
		`{"table":"x"}`: {Table: "x"},
		` {"t\u0061ble":"x","limit":3,"whole":true,"names":["a","b"],"view":"pie"} `:          {Table: "x", Limit: 3, Whole: &yes, Names: []string{"a", "b"}, View: "pie"},
		`{"table":"","limit":null,"whole":null,"names":null,"view":null,"any":null}`:          {},
		`{"table":"x","values":[{"field":"f","value":null},{"field":"g","value":12.50}]}`:     {Table: "x", Values: []value{{"f", json.RawMessage("null")}, {"g", json.RawMessage("12.50")}}},
		`{"table":"x","values":[{"field":"f","value" : "a\"b" }],"any":12345678901234567890}`: {Table: "x", Values: []value{{"f", json.RawMessage(`"a\"b"`)}}, Any: json.RawMessage("12345678901234567890")},
		`{"table":"x","names":[],"small":-128}`:                                               {Table: "x", Names: []string{}, Small: -128},
	} {
		var got params
		if err := schema.Decode([]byte(in), &got); err != nil {
			t.Errorf("%s: %v", in, err)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", in, got, want)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for in, want := range map[string]string{
		``:                             "`table` is missing: it is required",
		`null`:                         "`table` is missing: it is required",
		`{"table":null}`:               "`table` must be a string in quotes, not null",
		`{"Table":"x"}`:                "unknown key `Table`: write table",
		`{"tabel":"x"}`:                "unknown key `tabel`: write table",
		`{"table":"x","zzz":1}`:        "unknown key `zzz`: the keys are table, limit, whole, names, view, values, any, small",
		`{"table":"x","table":"y"}`:    "`table` stands twice: give each key once",
		`{"table":"x","t\u0061ble":1}`: "`table` stands twice: give each key once",
		`{"table":"x"} {}`:             "not valid JSON at byte 15 (invalid character '{' after top-level value): send one JSON object and nothing else",
		`{"table":"x"`:                 "not valid JSON at byte 12 (unexpected end of JSON input): send one JSON object and nothing else",
		`[]`:                           "they must be one JSON object, not a list",
		`"{\"table\":\"x\"}"`:          "they must be one JSON object, not the text \"{\\\"table\\\":\\\"x\\\"}\"",
		`{"table":5}`:                  "`table` must be a string in quotes, not the number 5",
		`{"table":"x","limit":"3"}`:    "`limit` must be a whole number without quotes, not the text \"3\"",
		`{"table":"x","limit":5.0}`:    "`limit` must be a whole number without point or exponent, not 5.0",
		`{"table":"x","limit":1e2}`:    "`limit` must be a whole number without point or exponent, not 1e2",
		`{"table":"x","small":128}`:    "`small` is out of range: 128",
		`{"table":"x","whole":"true"}`: "`whole` must be true or false, without quotes, not the text \"true\"",
		`{"table":"x","names":"a"}`:    "`names` must be a list like [ … ], not the text \"a\"",
		`{"table":"x","names":["c"]}`:  "`names[0]` must be one of a, b, not `c`",
		`{"table":"x","view":"line"}`:  "`view` must be one of pie, bar, not `line`",
		`{"table":"x","values":[{"field":"f","value":{"a":1}}]}`:         "`values[0].value` must be one string, number, boolean or null, not an object: send it as JSON text in a string",
		`{"table":"x","values":[{"field":"f"}]}`:                         "`values[0].value` is missing: it is required",
		`{"table":"x","values":[{"field":"f","value":1},{"feild":"f"}]}`: "unknown key `values[1].feild`: write field",
		`{"table":"x","values":[{"field":"f","value":1,"value":2}]}`:     "`values[0].value` stands twice: give each key once",
		`{"table":"x","any":` + deep + `}`:                               "`any[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0…` is nested deeper than 32 levels: send a flatter value",
		"{\"table\":\"\xff\"}":                                           "not valid UTF-8: send one JSON object in UTF-8",
	} {
		var got params
		err := schema.Decode([]byte(in), &got)
		if err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", in, err, want)
		}
	}
}

func TestDecodeNeedsPointer(t *testing.T) {
	t.Parallel()
	if err := schema.Decode([]byte(`{}`), params{}); err == nil {
		t.Error("decoded into a copy")
	}
}

// FuzzDecode: what is accepted is exactly what the strict reading of it says, and its canonical form is accepted again as the same.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{``, `{}`, `{"table":"x","limit":3}`, `{"table":"x","values":[{"field":"f","value":1.50}]}`, `{"Table":"x"}`,
		`{"table":"x","table":"y"}`, `{"table":"x","names":["a"],"whole":false,"any":"\ud83d\ude00"}`, `{"table":"x","extra":{"a":[[[[]]]]}}`,
		`{"table":"x","any":null}`, `[`, `{"table":"x"}{}`, strings.Repeat(`{"a":`, 50) + "1" + strings.Repeat("}", 50)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var in params
		if err := schema.Decode(raw, &in); err != nil {
			if err.Error() == "" || strings.Contains(err.Error(), "EOF") {
				t.Fatalf("no sentence: %q", err)
			}
			return
		}
		var loose params
		if err := json.Unmarshal(raw, &loose); err != nil {
			t.Fatalf("%q: strict took what the library refuses: %v", raw, err)
		}
		first, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var again params
		if err := schema.Decode(first, &again); err != nil {
			t.Fatalf("%q: its canonical form %s is refused: %v", raw, first, err)
		}
		second, err := json.Marshal(again)
		if err != nil || string(first) != string(second) {
			t.Fatalf("%s became %s (%v)", first, second, err)
		}
	})
}
