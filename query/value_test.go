package query_test

import (
	"testing"
	"time"

	"example.com/deputy/query"
)

func TestParseValueIsExact(t *testing.T) {
	t.Parallel()
	good := map[query.Type][]string{
		query.Int:       {"0", "-1", "9223372036854775807", "-9223372036854775808"},
		query.Dec:       {"0", "-0.5", "100.10", "99999999999999999999999999999999999999.99"},
		query.Bool:      {"true", "false"},
		query.String:    {"", " a ", "null", "😀"},
		query.Date:      {"2026-01-31", "0001-01-01", "9999-12-31", "2024-02-29"},
		query.Timestamp: {"2026-01-31T14:30:00Z", "2026-01-31T14:30:00.123456Z"},
		query.JSON:      {`{"a": [1, 2]}`, "null", "1.50"},
		query.List:      {`[]`, `["a","b"]`, `[1,2.50,true,null,"<x>"]`},
	}
	for typ, texts := range good {
		for _, text := range texts {
			v, err := query.ParseValue(typ, text)
			if err != nil {
				t.Errorf("%s %q: %v", typ, text, err)
				continue
			}
			if got, ok := query.FormatValue(v); !ok || got != text {
				t.Errorf("%s %q comes back as %q", typ, text, got)
			}
		}
	}
	if v, err := query.ParseValue(query.Timestamp, "2026-01-31T14:30:00+02:00"); err != nil || !v.(time.Time).Equal(time.Date(2026, 1, 31, 12, 30, 0, 0, time.UTC)) {
		t.Errorf("with an offset: %v, %v", v, err)
	}
	bad := map[query.Type][]string{
		query.Int:       {"", " 1", "1 ", "+1", "01", "1.0", "9223372036854775808", "1e3", "0x1", "-0", "١"},
		query.Dec:       {"", "+1", "1.", ".5", "1e3", "1,5", "01.5", " 1", "NaN", "Infinity"},
		query.Bool:      {"", "True", "1", "yes"},
		query.Date:      {"", "2026-1-31", "2026-02-30", "0000-01-01", "2026-01-31T00:00:00Z", "31.01.2026", "10000-01-01"},
		query.Timestamp: {"", "2026-01-31", "2026-01-31T14:30:00", "2026-01-31 14:30:00Z", "2026-01-31T14:30:00.1234567Z", "2026-01-31T14:30:60Z", "0000-12-31T23:00:00Z", "9999-12-31T23:00:00-02:00", "2026-01-31T14:30:00,5Z"},
		query.String:    {"\xff"},
		query.JSON:      {"", "{", "{} {}"},
		query.List:      {"", "null", "{}", "[[1]]", "[] []", `"a"`},
		query.Null:      {"", "null"},
		query.Any:       {"1"},
	}
	for typ, texts := range bad {
		for _, text := range texts {
			if v, err := query.ParseValue(typ, text); err == nil {
				t.Errorf("%s %q is read as %v", typ, text, v)
			}
		}
	}
	for _, v := range []query.Value{nil, 1.5, 7, struct{}{}} {
		if text, ok := query.FormatValue(v); ok {
			t.Errorf("FormatValue(%v) = %q", v, text)
		}
	}
}

func TestCompareAndSame(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		a, b query.Value
		c    int
		ok   bool
	}{
		{int64(1), query.Decimal("1.00"), 0, true},
		{query.Decimal("0.1"), query.Decimal("0.10"), 0, true},
		{query.Decimal("-1"), int64(0), -1, true},
		{int64(9223372036854775807), query.Decimal("9223372036854775807.1"), -1, true},
		{"a", "B", 1, true},
		{"é", "e", 1, true},
		{query.Day("2026-01-31"), query.Day("2026-02-01"), -1, true},
		{noon, noon.In(time.FixedZone("x", 3600)), 0, true},
		{false, true, -1, true},
		{nil, nil, 0, false},
		{nil, int64(1), 0, false},
		{"1", int64(1), 0, false},
		{query.Day("2026-01-31"), "2026-01-31", 0, false},
		{1.5, 1.5, 0, false},
		{query.Decimal("x"), query.Decimal("x"), 0, false},
	} {
		if c, ok := query.Compare(tt.a, tt.b); ok != tt.ok || ok && c != tt.c {
			t.Errorf("Compare(%v, %v) = %d, %v", tt.a, tt.b, c, ok)
		}
		if got := query.Same(tt.a, tt.b); got != (tt.ok && tt.c == 0 || tt.a == nil && tt.b == nil) {
			t.Errorf("Same(%v, %v) = %v", tt.a, tt.b, got)
		}
	}
	if !query.Same(query.Doc(`{"a": 1}`), query.Doc(`{"a":1}`)) || query.Same(query.Doc(`{"a":1}`), query.Doc(`{"a":2}`)) {
		t.Error("JSON")
	}
	if !query.Same([]query.Value{nil, "a"}, []query.Value{nil, "a"}) || query.Same([]query.Value{"a"}, []query.Value{"a", nil}) {
		t.Error("lists")
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	same := [][2][]query.Value{
		{{query.Decimal("1.50"), nil}, {query.Decimal("1.5"), nil}},
		{{query.Doc(`{"a": 1}`)}, {query.Doc(`{"a":1}`)}},
	}
	for _, p := range same {
		if query.Version(p[0]) != query.Version(p[1]) {
			t.Errorf("%v and %v differ", p[0], p[1])
		}
	}
	seen := map[string]int{}
	for i, values := range [][]query.Value{{}, {nil}, {nil, nil}, {""}, {"", nil}, {nil, ""}, {"a", "b"}, {"ab", ""}, {"", "ab"}, {"ab"}, {int64(1)}, {"1"}, {true}, {"true"},
		{query.Day("2026-01-31")}, {"2026-01-31"}, {query.Doc("1")}} {
		v := query.Version(values)
		if before, ok := seen[v]; ok {
			t.Errorf("versions %d and %d are the same", before, i)
		}
		seen[v] = i
	}
}

func TestExtract(t *testing.T) {
	t.Parallel()
	doc := query.Doc(`{"s":"x","n":12.50,"e":1e2,"big":1e99,"b":false,"z":null,"o":{"a":{"b":"c"}},"l":[1,[2,{"k":"v"}]],"d":1,"d":2}`)
	for _, tt := range []struct {
		path []string
		as   query.Type
		want query.Value
	}{
		{[]string{"s"}, query.String, "x"},
		{[]string{"s"}, query.Dec, nil},
		{[]string{"n"}, query.Dec, query.Decimal("12.50")},
		{[]string{"e"}, query.Dec, query.Decimal("100")},
		{[]string{"big"}, query.Dec, nil},
		{[]string{"n"}, query.String, nil},
		{[]string{"b"}, query.Bool, false},
		{[]string{"b"}, query.String, nil},
		{[]string{"z"}, query.JSON, nil},
		{[]string{"o", "a", "b"}, query.String, "c"},
		{[]string{"o", "a"}, query.JSON, query.Doc(`{"b":"c"}`)},
		{[]string{"l", "0"}, query.Dec, query.Decimal("1")},
		{[]string{"l", "1", "1", "k"}, query.String, "v"},
		{[]string{"l", "9"}, query.JSON, nil},
		{[]string{"l", "00"}, query.JSON, nil},
		{[]string{"l", "x"}, query.JSON, nil},
		{[]string{"s", "x"}, query.JSON, nil},
		{[]string{"S"}, query.String, nil},
		{[]string{"d"}, query.Dec, query.Decimal("2")},
	} {
		got := query.Extract(doc, tt.path, tt.as)
		if !query.Same(got, tt.want) {
			t.Errorf("Extract(%v, %s) = %#v, want %#v", tt.path, tt.as, got, tt.want)
		}
	}
	if got := query.Extract(query.Doc("not json"), nil, query.JSON); got != nil {
		t.Errorf("not JSON: %v", got)
	}
}

func TestComputeIsTotal(t *testing.T) {
	t.Parallel()
	values := []query.Value{nil, true, int64(-5), int64(9223372036854775807), query.Decimal("1.5"), query.Decimal("x"), "text", "month", query.Day("2026-01-31"), query.Day("junk"),
		time.Time{}, time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), time.Unix(1<<60, 0), []query.Value{nil, "x"}, query.Doc("{"), 1.5, struct{}{}}
	fns := []string{"nonsense", ""}
	for _, s := range query.Ops() {
		fns = append(fns, s.Fn)
	}
	for _, fn := range fns {
		query.Compute(fn, nil)
		for _, a := range values {
			query.Compute(fn, nil, a)
			for _, b := range values {
				query.Compute(fn, time.UTC, a, b)
				query.Compute(fn, nil, a, b, a, b)
				query.Compute(fn, nil, "month", a, b)
			}
		}
	}
}

func TestDaylightSaving(t *testing.T) {
	t.Parallel()
	zone := oslo(t)
	at := func(text string) query.Value { v, _ := query.ParseValue(query.Timestamp, text); return v }
	for _, tt := range []struct {
		fn   string
		args []query.Value
		want string
	}{
		{"add_days", []query.Value{at("2026-03-28T12:00:00Z"), int64(1)}, "2026-03-29T11:00:00Z"}, // 13:00 stays 13:00
		{"add_days", []query.Value{at("2026-10-24T12:00:00Z"), int64(1)}, "2026-10-25T13:00:00Z"},
		{"add_months", []query.Value{at("2026-01-31T11:00:00Z"), int64(3)}, "2026-04-30T10:00:00Z"},
		{"start_of", []query.Value{"day", at("2026-03-29T12:00:00Z")}, "2026-03-28T23:00:00Z"},
		{"end_of", []query.Value{"day", at("2026-10-25T12:00:00Z")}, "2026-10-25T22:59:59.999999Z"},
		{"hour", []query.Value{at("2026-10-25T00:30:00Z")}, "2026-10-25T00:00:00Z"}, // 02:30 the first time
		{"hour", []query.Value{at("2026-10-25T01:30:00Z")}, "2026-10-25T01:00:00Z"}, // and the second
		{"day", []query.Value{at("2026-10-24T22:30:00Z")}, "2026-10-25"},
		{"years_between", []query.Value{at("2025-01-01T22:30:00Z"), at("2026-01-01T22:29:59Z")}, "0"},
		{"years_between", []query.Value{at("2025-01-01T22:30:00Z"), at("2026-01-01T22:30:00Z")}, "1"},
		{"days_between", []query.Value{at("0001-01-01T00:00:00Z"), at("9999-12-31T00:00:00Z")}, "3652058"},
		{"days_between", []query.Value{at("2026-01-02T00:00:00Z"), at("2026-01-01T00:00:00.000001Z")}, "0"},
	} {
		got, _ := query.FormatValue(query.Compute(tt.fn, zone, tt.args...))
		if got != tt.want {
			t.Errorf("%s%v = %s, want %s", tt.fn, tt.args, got, tt.want)
		}
	}
}
