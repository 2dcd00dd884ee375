package hosttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/query"
)

// testOperators asks every operator over the values at its edges, in zones whose clocks do what clocks do, and compares with query.Eval.
func testOperators(t *testing.T, open Open) {
	tables, rows := edges()
	b := &bench{TB: t, host: open(t, tables, rows), fake: New(tables, rows), tables: tables}
	for _, name := range []string{"UTC", "Europe/Oslo", "America/Sao_Paulo", "Pacific/Apia", "Australia/Lord_Howe", "Asia/Kathmandu"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		env := query.Env{Catalog: catalog{b.fake}, Table: "edges", Zone: zone, Now: time.Date(2026, 2, 1, 0, 30, 0, 0, time.UTC)}
		list := zonedOperators()
		if name == "UTC" {
			list = append(list, operators()...)
		}
		for _, text := range list {
			src, err := query.Parse(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			e, err := query.Check(t.Context(), env, src)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			b.eachRow(name+": "+text, e)
		}
	}
}

// eachRow compares row by row, so that what differs is shown alone.
func (b *bench) eachRow(name string, e query.Expr) {
	b.Helper()
	q := b.all("edges")
	q.Select = append(q.Select, query.Column{As: "x", Expr: e})
	want, err := b.fake.Query(b.Context(), deputy.Person{}, q)
	if err != nil {
		b.Fatal(err)
	}
	got, err := b.host.Query(b.Context(), deputy.Person{}, q)
	if err != nil || len(got.Rows) != len(want.Rows) {
		b.Errorf("%s: %d rows, %v; want %d", name, len(got.Rows), err, len(want.Rows))
		return
	}
	for i, row := range want.Rows {
		if !slices.EqualFunc(row, got.Rows[i], sameValue) {
			b.Errorf("%s: %s, want %s", name, show(got.Rows[i:i+1]), show(want.Rows[i:i+1]))
			return
		}
	}
}

// edges is one table of two columns a type, whose values are met by chance, each many times.
func edges() ([]query.Table, map[string][]query.Row) {
	t := query.Table{Name: "edges", Label: "Edges", Key: []string{"id"}, Fields: []query.Field{field("id", query.Int, required)}}
	pools := map[query.Type][]query.Value{query.String: edgeTexts(), query.Int: edgeInts(), query.Dec: edgeDecimals(), query.Date: edgeDays(), query.Timestamp: edgeInstants()}
	for _, of := range []struct {
		name string
		t    query.Type
	}{{"s", query.String}, {"i", query.Int}, {"d", query.Dec}, {"day", query.Date}, {"at", query.Timestamp}} {
		t.Fields = append(t.Fields, field(of.name+"1", of.t), field(of.name+"2", of.t))
	}
	r := rand.New(rand.NewPCG(3, 1))
	var rows []query.Row
	for id := range int64(400) {
		row := query.Row{"id": id}
		for _, f := range t.Fields[1:] {
			pool := pools[f.Type]
			row[f.Name] = pool[r.IntN(len(pool))]
			if strings.HasSuffix(f.Name, "1") {
				row[f.Name] = pool[int(id)%len(pool)]
			}
		}
		rows = append(rows, row)
	}
	return []query.Table{t}, map[string][]query.Row{"edges": rows}
}

func values[T any](list ...T) []query.Value {
	out := []query.Value{nil}
	for _, v := range list {
		out = append(out, v)
	}
	return out
}

func edgeTexts() []query.Value {
	out := values("", " ", "\t\n", "\u00a0\u3000", "\u200b", "a", "A", "aB", "é", "É", "ß", "ẞ", "İstanbul", "ıI", "ΣΑΣ", "ǅ", "K", "Å", "Ⅷ", "𐐀", "Ꭰ", "Ჰ", "x%_y", "%", "_", `a\b`, "it's", `"`, "😀b", "Ж", "ԱԲ", "A\u0301",
		"12.50", " 7 ", "+.5", "-.5", "5.", ".", "-", "+", "+-1", "--1", "1e5", "0x1", "１２", "-0", "00012", "1.2.3", "12 3", "99999999999999999999999999999999999999", "99999999999999999999999999999999999999.999999999999999999999", "100000000000000000000000000000000000000",
		"2026-01-31", " 2026-01-31 ", "2026-02-29", "2024-02-29", "0001-01-01", "0000-01-01", "0000-02-29", "9999-12-31", "10000-01-01", "2026-00-10", "2026-13-01", "2026-01-00", "2026-01-32", "2026-1-31", "2026-01-31x",
		"2026-01-31T10:00:00Z", "2026-01-31 9:05", "2026-01-31   10:00", "2026-03-29T02:30", "2026-10-25 02:30:00", "2018-11-04 00:30", "2011-12-30 12:00", "2026-01-31T10:00:00.1234567+02:00", "2026-01-31T10:00:00,5Z", "2026-01-31T24:00:00Z",
		"2026-01-31T10:00Z", "0000-12-31T23:30:00-05:00", "0001-01-01T00:30:00+01:00", "9999-12-31T23:59:59.9999999Z", "9999-12-31T23:30:00-01:00", "2026-01-31T10:00:00+24:60", "2026-01-31T10:00:00+25:00", "2026-01-31T10:60:00Z", "2026-01-31 10:00:00.5", "2026-01-31t10:00:00z")
	for _, n := range []int{199, 200, 201} {
		out = append(out, strings.Repeat("0", n), "-"+strings.Repeat("0", n-1), "."+strings.Repeat("3", n-1), strings.Repeat("0", n-1)+".")
	}
	return out
}

func edgeInts() []query.Value {
	return values[int64](0, 1, -1, 2, 3, -7, 12, -12, 20, 21, 100, 400, -400, 9999, 119_976, 120_000, 120_001, 3_652_058, 4_000_000, 4_000_001, -4_000_000, 1<<31, -(1 << 31), 1<<62, 9223372036854775807, -9223372036854775808, -9223372036854775807)
}

func edgeDecimals() []query.Value {
	return values[query.Decimal]("0", "0.00", "0.5", "-0.5", "1.5", "2.5", "-2.5", "0.05", "3", "-7", "10.10", "0.1", "0.30", "9223372036854775808", "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999",
		"99999999999999999999999999999999999999.99999999999999999999", "0.00000000000000000001", "0.000000000000000000005", "0.0000000000000000000049", "12345678901234567890.123456789", "-0.33333333333333333333333333", "100000000000000000000000000000000000000", "-100000000000000000000000000000000000000.5", "1000000000000000000", "7.00")
}

func edgeDays() []query.Value {
	return values[query.Day]("0001-01-01", "0001-01-02", "0001-12-31", "9999-12-31", "9999-12-01", "9999-01-31", "2024-02-29", "2026-03-29", "2026-10-25", "1582-10-10", "1900-02-28", "2000-02-29", "2026-02-01", "2026-01-31", "2011-12-30", "2018-11-04", "2100-03-01")
}

func edgeInstants() []query.Value {
	out := values[time.Time]()
	for _, text := range []string{"0001-01-01T00:00:00Z", "0001-01-01T04:00:00Z", "0001-01-02T12:00:00.000001Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T12:00:00Z", "9999-12-30T00:00:00Z", "1894-12-31T23:15:00Z", "1900-06-01T00:00:00Z",
		"1969-12-31T23:59:59.999999Z", "2026-03-29T00:59:59.999999Z", "2026-03-29T01:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z", "2018-11-04T02:59:59Z", "2018-11-04T03:00:00Z", "2018-02-18T01:30:00Z",
		"2011-12-30T09:59:59Z", "2011-12-30T10:00:00Z", "2026-04-04T15:15:00Z", "2026-10-03T15:45:00Z", "2024-02-29T12:00:00Z", "2024-12-31T23:30:00Z", "2039-12-31T23:59:59.999999Z", "2040-01-01T00:00:00Z", "2100-02-28T23:30:00Z", "2400-02-29T23:30:00Z",
		"2439-12-31T23:30:00Z", "2440-01-01T00:30:00Z", "2500-07-01T12:00:00Z", "8765-10-31T01:00:00Z", "2026-02-01T00:30:00Z", "1883-11-18T17:00:00Z"} {
		out = append(out, at(text))
	}
	return out
}

// operators are those that ask no clock.
func operators() []string {
	out := []string{`i1 + i2`, `i1 - i2`, `i1 * i2`, `i1 / i2`, `i1 % i2`, `-i1`, `abs(i1)`, `round(i1, i2)`, `d1 + d2`, `d1 - d2`, `d1 * d2`, `d1 / d2`, `d1 % d2`, `-d1`, `abs(d1)`, `round(d1, i2)`, `round(d1, 2)`, `round(d1)`, `i1 + d2`, `d1 * i2`, `i1 / d2`,
		`i1 < i2`, `i1 == i2`, `d1 < d2`, `d1 == d2`, `i1 <= d2`, `d1 in [i2, d2, 0.5]`, `number(s1)`, `number(s1) + d2`, `s1 + s2`, `lower(s1)`, `length(s1)`, `blank(s1)`, `substring(s1, i2)`, `substring(s1, i2, i1)`, `substring(s1, 2, 3)`,
		`s1.contains(s2)`, `s1.startsWith(s2)`, `s1.endsWith(s2)`, `s1.contains("É")`, `s1.endsWith("ς")`, `s1 < s2`, `s1 == s2`, `s1 in [s2, "a", "É"]`, `coalesce(s1, s2)`, `i1 > i2 ? d1 : i2`, `day1 < day2`, `day1 == day2`, `at1 < at2`, `at1 == at2`, `date(s1)`,
		`all.edges.sum(e, e.i1)`, `all.edges.sum(e, e.d1)`, `all.edges.avg(e, e.i1)`, `all.edges.avg(e, e.d1 % 1000)`, `all.edges.min(e, e.s1)`, `all.edges.max(e, e.d2)`, `all.edges.max(e, e.at1)`, `all.edges.min(e, e.day2)`}
	return out
}

// zonedOperators are those that ask a clock.
func zonedOperators() []string {
	var out []string
	for _, v := range []string{"day1", "at1"} {
		for _, unit := range []string{"days", "months", "years"} {
			out = append(out, fmt.Sprintf("%s + %s(i2)", v, unit), fmt.Sprintf("%s - %s(1)", v, unit))
		}
		for _, unit := range []string{"year", "quarter", "month", "week", "day"} {
			out = append(out, fmt.Sprintf("start_of(%q, %s)", unit, v), fmt.Sprintf("end_of(%q, %s)", unit, v), unit+"("+v+")")
		}
		out = append(out, "year_of("+v+")", "month_of_year("+v+")", "weekday("+v+")")
	}
	return append(out, `start_of("hour", at1)`, `end_of("hour", at1)`, `hour(at1)`, `hour_of_day(at1)`, `date(at1)`, `timestamp(day1)`, `timestamp(s1)`, `days_between(day1, day2)`, `days_between(at1, at2)`, `days_between(day1, at2)`,
		`years_between(day1, day2)`, `years_between(at1, at2)`, `day1 < at2`)
}
