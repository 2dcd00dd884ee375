package api

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"example.com/deputy/query"
)

func csvOf(t testing.TB, zone *time.Location, rows query.Rows) string {
	t.Helper()
	var b bytes.Buffer
	if err := writeCSV(&b, rows, zone); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCSV(t *testing.T) {
	t.Parallel()
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		value query.Value
		want  string
	}{
		{nil, ``}, {"", `""`}, {"a", `a`}, {`say "a"`, `"say ""a"""`}, {"a,b", `"a,b"`}, {"a\nb", "\"a\nb\""}, {"a\r\nb\r", "\"a\r\nb\r\""}, {" a", `" a"`},
		{"=1+1", `'=1+1`}, {"=1,2", `"'=1,2"`}, {"+1", `+1`}, {"-1.50", `-1.50`}, {"-1e5", `-1e5`}, {"+47 1", `'+47 1`}, {"-", `'-`}, {"@a", `'@a`},
		{"\t=1", "'\t=1"}, {"\r=1", "\"'\r=1\""}, {"'=1", `'=1`}, {"1=1", `1=1`}, {"-1=1", `'-1=1`},
		{int64(-5), `-5`}, {int64(9007199254740993), `9007199254740993`}, {query.Decimal("-12345678901234567890.10"), `-12345678901234567890.10`}, {true, `true`},
		{query.Day("2026-01-31"), `2026-01-31`}, {time.Date(2026, 1, 31, 22, 30, 0, 250_000, time.UTC), `2026-01-31T23:30:00.00025+01:00`},
		{query.Doc(`{"a":1}`), `"{""a"":1}"`}, {[]query.Value{"=1"}, `"[""=1""]"`},
	} {
		got := csvOf(t, oslo, query.Rows{Columns: []query.Column{{As: "-total"}, {As: "n"}}, Rows: [][]query.Value{{c.value, int64(1)}}})
		if want := "'-total,n\r\n" + c.want + ",1\r\n"; got != want {
			t.Errorf("%#v: %q, want %q", c.value, got, want)
		}
	}
	one := query.Rows{Columns: []query.Column{{As: "a"}}, Rows: [][]query.Value{{nil}, {""}, {"x"}}}
	if got := csvOf(t, nil, one); got != "a\r\n\"\"\r\n\"\"\r\nx\r\n" {
		t.Errorf("a row that holds nothing is no row to a reader: %q", got)
	}
}

// FuzzCSV: whatever texts there are, a reader finds them, with one quote before what would be run.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"", "=1", "a,b", "\"", "a\r\nb", "\r", "\xff", "-1", "\t", " x"} {
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		text := csvOf(t, nil, query.Rows{Columns: []query.Column{{As: "a"}, {As: "b"}}, Rows: [][]query.Value{{a, b}, {b, nil}}})
		got, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(got) != 3 {
			t.Fatalf("%q: %v", text, err)
		}
		for i, want := range []string{a, b, b, ""} {
			cell := got[1+i/2][i%2]
			want = strings.ReplaceAll(inert(want), "\r\n", "\n") // as this reader reads lines
			if cell != want {
				t.Fatalf("%q became %q in %q", want, cell, text)
			}
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) && !number.MatchString(cell) {
				t.Fatalf("%q would be run", cell)
			}
		}
	})
}
