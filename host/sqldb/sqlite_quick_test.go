package sqldb

import (
	"database/sql/driver"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"example.com/deputy/query"
)

// kept is what a column of numbers may keep: mostly what it should, and what comes near to it.
func kept(r *rand.Rand) driver.Value {
	scale := r.IntN(8)
	n := r.Int64N(1 << uint(1+r.IntN(62)))
	if r.IntN(2) == 0 {
		n = -n
	}
	x := float64(n) / math.Pow10(scale)
	switch r.IntN(8) {
	case 0:
		return nil
	case 1:
		return n
	case 2:
		return math.Nextafter(x, math.Inf(1))
	case 3:
		return fmt.Sprintf("%d.%03d", n, r.IntN(1000))
	case 4:
		return []driver.Value{math.MaxInt64, int64(math.MinInt64), math.NaN(), math.Inf(-1), math.Copysign(0, -1), "x", []byte("1"), 1.005, 0.5e15, 1e15, 1e22, 5e-324}[r.IntN(12)]
	}
	text := strconv.FormatFloat(x, 'f', scale, 64)
	x, _ = strconv.ParseFloat(text, 64)
	return x
}

func numberColumn(r *rand.Rand) *column {
	if r.IntN(3) == 0 {
		return &column{field: query.Field{Type: query.Int}}
	}
	return &column{field: query.Field{Type: query.Dec, Scale: r.IntN(20) - 1}}
}

// longWay is what a column holds, the long way.
func longWay(c *column, raw driver.Value) query.Value {
	if c.field.Type == query.Int {
		return intValue(raw)
	}
	v, ok := decimalValue(raw, c.field.Scale).(query.Decimal)
	if !ok {
		return nil
	}
	return v
}

// TestQuickNumbers: what is computed in 64 bits is what is computed exactly, to the last digit shown.
func TestQuickNumbers(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	quickly := 0
	for range 50_000 {
		a, b := numberColumn(r), numberColumn(r)
		raw := []driver.Value{kept(r), kept(r)}
		v, w := longWay(a, raw[0]), longWay(b, raw[1])
		if n, k := a.scaled(raw[0]); k == isNull && v != nil || k == isScaled && n.String() != fmt.Sprint(v) {
			t.Fatalf("%v of %+v: %v %s, want %v", raw[0], a.field, k, n, v)
		}
		fn := []string{"+", "-", "*", "neg", "==", "!=", "<", "<=", ">", ">="}[r.IntN(10)]
		c := &call{fn: fn, t: query.Dec, args: []argument{{col: a, t: a.field.Type}, {col: b, t: b.field.Type}}}
		if fn == "neg" {
			c.args = c.args[:1]
		}
		if a.field.Type == query.Int && (b.field.Type == query.Int || fn == "neg") {
			c.t = query.Int
		}
		c.quicken()
		want := query.Compute(fn, nil, []query.Value{v, w}[:len(c.args)]...)
		switch c.quick {
		case quickNumber:
			passed := raw
			n, k := c.scaled(&passed)
			if k == isScaled {
				quickly++
			}
			if k == isNull && want != nil || k == isScaled && n.String() != fmt.Sprint(want) {
				t.Fatalf("%s of %v (%+v) and %v (%+v): %v %s, want %v", fn, raw[0], a.field, raw[1], b.field, k, n, want)
			}
		case quickComparison:
			if is, ok := c.compared(raw); ok && is != want {
				t.Fatalf("%v %s %v: %v, want %v", v, fn, w, is, want)
			}
		default:
			t.Fatalf("%s is not quick", fn)
		}
	}
	if quickly < 500 {
		t.Errorf("only %d were computed in 64 bits", quickly)
	}
}

// TestQuickAggregates: sums, averages, the least and the largest are the exact ones, whichever way each value goes.
func TestQuickAggregates(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 2_000 {
		col := numberColumn(r)
		col.field.Type = query.Dec
		fn := []string{"sum", "avg", "min", "max"}[r.IntN(4)]
		f := &fold{call: &call{fn: fn, t: query.Dec, args: []argument{{col: col, t: query.Dec}}}}
		var rows []query.Row
		for range r.IntN(20) {
			raw := kept(r)
			if err := f.Step(nil, []driver.Value{int64(0), raw}); err != nil {
				t.Fatal(err)
			}
			rows = append(rows, query.Row{"x": longWay(col, raw)})
		}
		got, err := f.WindowValue(nil)
		if err != nil {
			t.Fatal(err)
		}
		want := query.Aggregate(query.Agg{Fn: fn, Arg: query.Ref{Field: query.Field{Name: "x", Type: query.Dec}}, T: query.Dec}, rows, nil)
		if decode(got, query.Dec) != want {
			t.Fatalf("%s of %v (%+v): %v, want %v", fn, rows, col.field, got, want)
		}
	}
}

// FuzzQuickTimes: a text that is read quickly is the same time, in the same period, as read by every form.
func FuzzQuickTimes(f *testing.F) {
	for _, text := range []string{"2024-02-29 23:59:59", "2023-02-29 00:00:00", "2024-12-31T23:30:00Z", "2024-01-31", "0001-01-01 00:00:00", "9999-12-31 23:59:59", "9999-12-31 20:00:00", "0001-01-01 02:00:00", "0000-03-01 10:00:00",
		"2024-10-27 02:30:00", "2024-03-31 02:30:00", "2024-01-01 24:00:00", "2024-01-01 00:00:60", "2024-1-01 00:00:00", "2024-13-01", "２０24-01-01"} {
		f.Add(text, uint8(0))
		f.Add(text, uint8(7))
		f.Add(text, uint8(26)) // kept in New York, asked there
	}
	var zones []*time.Location
	for _, name := range []string{"UTC", "Europe/Oslo", "America/New_York", "Asia/Manila"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			f.Fatal(err)
		}
		zones = append(zones, zone)
	}
	f.Fuzz(func(t *testing.T, text string, pick uint8) {
		of, by := zones[pick%4], zones[pick/4%4]
		c, ok := readClock(text)
		if !ok {
			return
		}
		want, known := readForms(text, of)
		if got := c.in(of); !known || !got.Equal(want) {
			t.Fatalf("%s in %s: %v, want %v %v", text, of, got, want, known)
		}
		for _, kind := range []query.Type{query.Timestamp, query.Date} {
			col := &column{field: query.Field{Type: kind}, zone: of}
			for _, fn := range []string{"year", "quarter", "month", "day"} {
				call := &call{fn: fn, zone: by, t: query.Date, args: []argument{{col: col, t: kind}}}
				call.quicken()
				if got, ok := call.start(text); ok && got != encode(query.Compute(fn, by, col.value(text))) {
					t.Fatalf("%s of %s %q in %s by %s: %v", fn, kind, text, of, by, got)
				}
			}
		}
	})
}
