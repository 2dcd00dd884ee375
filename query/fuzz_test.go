package query_test

import (
	"context"
	"errors"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
)

func fails(t *testing.T, env query.Env, text string) string {
	t.Helper()
	src, err := query.Parse(text)
	if err == nil {
		_, err = query.Check(context.Background(), env, src)
	}
	if err == nil {
		t.Fatalf("%s is accepted", text)
	}
	return err.Error()
}

func seeds(f *testing.F) {
	for _, m := range meanings {
		f.Add(m.text)
	}
	for _, l := range lessons {
		f.Add(l.text)
	}
	for _, s := range []string{"((((", "!!!!a", "a.b.c.d.e", "\"\\u00e9\" == 'x'", "r'\\' == name", `"""a""" == name`, "// comment", "name == 'a' // b = c", "- // x\n 1.5 < id", "a\u00a0== 1", "[[[]]]", "id == -0x1F", "1.e5 == id"} {
		f.Add(s)
	}
}

// FuzzParse: any text parses or is refused with a place inside it.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		src, err := query.Parse(text)
		if err == nil {
			if src.String() != text {
				t.Fatalf("%q comes back as %q", text, src)
			}
			return
		}
		var e *query.Error
		if !errors.As(err, &e) || e.Message == "" {
			t.Fatalf("%q: %#v", text, err)
		}
		if e.At < 0 || e.At > utf8.RuneCountInString(text)+1 {
			t.Fatalf("%q: column %d is outside", text, e.At)
		}
	})
}

// FuzzCheckEval: what checks has a value over any rows, whatever they hold, the same restricted as over the rows that are left.
func FuzzCheckEval(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		src, err := query.Parse(text)
		if err != nil {
			return
		}
		env, good := env(t, "customers"), rows(t)
		e, err := query.Check(context.Background(), env, src)
		if err != nil {
			var qe *query.Error
			if !errors.As(err, &qe) {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		e, _ = query.Bind(e, func(path []string) (string, bool) { return "1", len(path) == 2 })
		rules := rulesOf(t, map[string]string{"orders": `total > 1`, "employees": `customers.exists(c, c.active)`, "order_lines": `order.customer.name.contains("a")`, "customers": `id == 1`})
		restricted := query.Restrict(e, rules)
		kept := good.Keep(rules)
		for _, row := range good["customers"] {
			want, got := query.Eval(e, row, kept.Data), query.Eval(restricted, row, good.Data)
			if !query.Same(want, got) {
				t.Fatalf("%q: %v restricted, want %v", text, got, want)
			}
			typed(t, e, got)
		}
		for _, junk := range []query.Value{nil, "x", true, int64(-1), query.Decimal("x"), query.Day("x"), time.Time{}, query.Doc("{"), []query.Value{nil}, 1.5, struct{}{}} {
			bad := querytest.Rows{}
			for table, list := range good {
				for _, row := range list {
					wrong := query.Row{}
					for name := range row {
						wrong[name] = junk
					}
					bad[table] = append(bad[table], wrong)
				}
			}
			query.Eval(restricted, bad["customers"][0], bad.Data)
		}
		query.Eval(restricted, nil, nil)
		query.Text(restricted)
	})
}

// FuzzParseValue: what is read is written again as it was.
func FuzzParseValue(f *testing.F) {
	for _, s := range []string{"1", "-0.5", "2026-01-31", "2026-01-31T14:30:00Z", `["a",1]`, "true", "{}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, typ := range []query.Type{query.Bool, query.Int, query.Dec, query.String, query.Date, query.Timestamp, query.JSON, query.List} {
			v, err := query.ParseValue(typ, text)
			if err != nil {
				continue
			}
			again, ok := query.FormatValue(v)
			if !ok {
				t.Fatalf("%s %q has no text", typ, text)
			}
			w, err := query.ParseValue(typ, again)
			if err != nil || !query.Same(v, w) {
				t.Fatalf("%s %q: %v, then %v, %v", typ, text, v, w, err)
			}
			if typ != query.List && typ != query.Timestamp && again != text {
				t.Fatalf("%s %q is written %q", typ, text, again)
			}
		}
	})
}
