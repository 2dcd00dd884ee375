package query_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
)

// rounds is how many random worlds a property is tried in.
func rounds(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// TestRestrictIsReadingLess is the heart of what keeps rows apart: an expression restricted by rules means over all rows what it meant over only
// those rows that the rules leave.
func TestRestrictIsReadingLess(t *testing.T) {
	t.Parallel()
	differed := 0
	for seed := range uint64(rounds(1500)) {
		differed += readsLess(t, seed)
	}
	if differed < rounds(100) {
		t.Errorf("rules changed %d values only: the test shows little", differed)
	}
}

// FuzzRestrict is TestRestrictIsReadingLess over any world.
func FuzzRestrict(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) { readsLess(t, seed) })
}

// readsLess tries one random world, and counts the values that its rules change.
func readsLess(t *testing.T, seed uint64) (differed int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	w := querytest.NewWorld(r)
	texts := w.Rules(r, 2)
	rules, err := w.CheckRules(texts)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	kept := w.Rows.Keep(rules)
	for _, table := range w.Tables {
		kind := querytest.Types()[r.IntN(len(querytest.Types()))]
		text := w.Value(r, table.Name, kind, 3)
		e, err := w.Check(table.Name, text, kind == query.Bool)
		if err != nil {
			t.Fatalf("seed %d: %s over %s: %v", seed, text, table.Name, err)
		}
		restricted := query.Restrict(e, rules)
		for _, row := range w.Rows[table.Name] {
			want, got := query.Eval(e, row, kept.Data), query.Eval(restricted, row, w.Rows.Data)
			if !query.Same(want, got) {
				t.Fatalf("seed %d: %s over %v with rules %v: %v restricted, %v over the rows that are left", seed, text, row, texts, got, want)
			}
			typed(t, e, got)
			if !query.Same(got, query.Eval(e, row, w.Rows.Data)) {
				differed++
			}
		}
	}
	return differed
}

// typed fails where a value is not of the type that the check promised.
func typed(t *testing.T, e query.Expr, v query.Value) {
	t.Helper()
	var got query.Type
	switch v.(type) {
	case nil:
		return
	case bool:
		got = query.Bool
	case int64:
		got = query.Int
	case query.Decimal:
		got = query.Dec
	case string:
		got = query.String
	case query.Day:
		got = query.Date
	case time.Time:
		got = query.Timestamp
	case query.Doc:
		got = query.JSON
	}
	if got != e.Type() {
		t.Fatalf("%s is %s, its value %v is %s", query.Text(e), e.Type(), v, got)
	}
}

// TestHostsMeetKnownOperators: nothing but what ops.go lists comes out of a check.
func TestHostsMeetKnownOperators(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for seed := range uint64(rounds(1000)) {
		r := rand.New(rand.NewPCG(seed, 2))
		w := querytest.NewWorld(r)
		text := w.Condition(r, w.Tables[0].Name, 4)
		e, err := w.Check(w.Tables[0].Name, text, true)
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, text, err)
		}
		query.Walk(e, func(e query.Expr) {
			switch x := e.(type) {
			case query.Op:
				seen[x.Fn] = true
				if !query.Known(x) {
					t.Errorf("%s: ops.go does not list %s of %d", text, x.Fn, len(x.Args))
				}
			case query.Lit, query.Ref, query.Each:
			default:
				t.Errorf("%s holds a %T", text, e)
			}
			if e.Type() == query.Any || e.Type() == "" {
				t.Errorf("%s: %s has no type", text, query.Text(e))
			}
		})
	}
	for _, s := range query.Ops() {
		if !seen[s.Fn] && !testing.Short() {
			t.Errorf("the generator never made %s", s.Fn)
		}
	}
}
