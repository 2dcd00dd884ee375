package api

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"example.com/deputy/query"
)

// readCell is a cell as a reader of sheets sees it: its kind (number, text, bool), what is in it and the format it is shown in.
type readCell struct{ kind, value, format string }

// readXLSX is a reader of its own, which knows of workbooks what their standard says.
func readXLSX(t testing.TB, book []byte) map[string]readCell {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	part := func(name string, into any) {
		f, err := z.Open(name)
		if err == nil {
			var text []byte
			if text, err = io.ReadAll(f); err == nil {
				err = xml.Unmarshal(text, into)
			}
		}
		if err != nil {
			t.Fatal(name, err)
		}
	}
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Uses []struct {
			ID     int    `xml:"numFmtId,attr"`
			Prefix string `xml:"quotePrefix,attr"`
		} `xml:"cellXfs>xf"`
	}
	var sheet struct {
		Rows []struct {
			Cells []struct {
				Ref     string  `xml:"r,attr"`
				Type    string  `xml:"t,attr"`
				Style   int     `xml:"s,attr"`
				Value   string  `xml:"v"`
				Text    string  `xml:"is>t"`
				Formula *string `xml:"f"`
			} `xml:"c"`
		} `xml:"sheetData>row"`
	}
	part("xl/styles.xml", &styles)
	part("xl/worksheets/sheet1.xml", &sheet)
	codes := map[int]string{0: "General", 49: "@"}
	for _, f := range styles.Formats {
		codes[f.ID] = f.Code
	}
	out := map[string]readCell{}
	for _, row := range sheet.Rows {
		for _, c := range row.Cells {
			if c.Formula != nil {
				t.Errorf("%s has a formula: %s", c.Ref, *c.Formula)
			}
			got := readCell{"number", c.Value, codes[styles.Uses[c.Style].ID]}
			switch c.Type {
			case "inlineStr":
				got.kind, got.value = "text", unescape(c.Text)
				if styles.Uses[c.Style].Prefix != "1" || got.format != "@" {
					t.Errorf("%s is a text that becomes something else when it is edited", c.Ref)
				}
			case "b":
				got.kind = "bool"
			case "":
			default:
				t.Errorf("%s is of type %s", c.Ref, c.Type)
			}
			out[c.Ref] = got
		}
	}
	return out
}

// unescape reads _x000D_ as the character of that number.
func unescape(s string) string {
	return regexp.MustCompile(`_x([0-9A-Fa-f]{4})_`).ReplaceAllStringFunc(s, func(m string) string {
		n, _ := strconv.ParseUint(m[2:6], 16, 16)
		return string(rune(n))
	})
}

func book(t testing.TB, rows query.Rows, zone *time.Location) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := writeXLSX(&b, rows, zone); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func moments(t testing.TB, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestCellsOfASheet: each value as the standard stores it, and as an independent reader shows it.
func TestCellsOfASheet(t *testing.T) {
	t.Parallel()
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	const iso, stamp = `yyyy\-mm\-dd`, `yyyy\-mm\-dd\ hh:mm:ss`
	for _, c := range []struct {
		value               query.Value
		kind, stored, shown string
		format              string
	}{
		{int64(42), "number", "42", "42", "0"},
		{int64(-999_999_999_999_999), "number", "-999999999999999", "-999999999999999", "0"},
		{int64(1_000_000_000_000_000), "text", "1000000000000000", "1000000000000000", "@"},
		{int64(9007199254740993), "text", "9007199254740993", "9007199254740993", "@"},
		{query.Decimal("100.10"), "number", "100.10", "100.10", "0.00"},
		{query.Decimal("-0.5"), "number", "-0.5", "-0.5", "0.0"},
		{query.Decimal("7"), "number", "7", "7", "0"},
		{query.Decimal("9999999999999.99"), "number", "9999999999999.99", "9999999999999.99", "0.00"},
		{query.Decimal("99999999999999.99"), "text", "99999999999999.99", "99999999999999.99", "@"},
		{query.Decimal("0.1234567890123456"), "text", "0.1234567890123456", "0.1234567890123456", "@"},
		{true, "bool", "1", "TRUE", "General"},
		{false, "bool", "0", "FALSE", "General"},
		{query.Day("2026-01-31"), "number", "46053", "2026-01-31", iso},
		{query.Day("1900-03-01"), "number", "61", "1900-03-01", iso},
		{query.Day("1900-02-28"), "text", "1900-02-28", "1900-02-28", "@"},
		{query.Day("9999-12-31"), "number", "2958465", "9999-12-31", iso},
		{moments(t, "2026-01-31T22:30:00Z"), "number", "46053.979166666664", "2026-01-31 23:30:00 +01:00", stamp + `\ \+\0\1\:\0\0`},
		{moments(t, "2026-07-31T22:30:00Z"), "number", "46235.020833333336", "2026-08-01 00:30:00 +02:00", stamp + `\ \+\0\2\:\0\0`},
		{moments(t, "2026-10-25T00:30:00Z"), "number", "46320.104166666664", "2026-10-25 02:30:00 +02:00", stamp + `\ \+\0\2\:\0\0`},
		{moments(t, "2026-10-25T01:30:00Z"), "number", "46320.104166666664", "2026-10-25 02:30:00 +01:00", stamp + `\ \+\0\1\:\0\0`},
		{moments(t, "2026-01-31T11:00:00.25Z"), "number", "46053.50000289352", "2026-01-31 12:00:00.000 +01:00" /* this reader knows no milliseconds */, stamp + `.000\ \+\0\1\:\0\0`},
		{moments(t, "1850-01-01T00:00:00Z"), "text", "1850-01-01T00:43:00+00:43", "1850-01-01T00:43:00+00:43", "@"},
		{"plain", "text", "plain", "plain", "@"}, {"", "text", "", "", "@"}, {"007", "text", "007", "007", "@"},
		{"=1+1", "text", "=1+1", "=1+1", "@"}, {"+1", "text", "+1", "+1", "@"}, {"-1", "text", "-1", "-1", "@"}, {"@SUM(A1)", "text", "@SUM(A1)", "@SUM(A1)", "@"},
		{"\t=1", "text", "\t=1", "\t=1", "@"}, {"<b>&\"'", "text", "<b>&\"'", "<b>&\"'", "@"}, {" spaces ", "text", " spaces ", " spaces ", "@"},
		{"two\nlines", "text", "two\nlines", "two\nlines", "@"}, {"two\r\nlines\r", "text", "two\r\nlines\r", "two\r\nlines\r", "@"},
		{"bell\a nul\x00 esc\x1b end\x1f del\x7f", "text", "bell\a nul\x00 esc\x1b end\x1f del\x7f", "bell\a nul\x00 esc\x1b end\x1f del\x7f", "@"},
		{"_x0041_ and _x005F_", "text", "_x0041_ and _x005F_", "_x0041_ and _x005F_", "@"}, {"odd \uffff", "text", "odd \uffff", "odd \uffff", "@"},
		{"Ω 🙂", "text", "Ω 🙂", "Ω 🙂", "@"},
		{query.Doc(`{"a":[1,"x"]}`), "text", `{"a":[1,"x"]}`, `{"a":[1,"x"]}`, "@"}, {[]query.Value{"a", int64(1)}, "text", `["a",1]`, `["a",1]`, "@"},
	} {
		b := book(t, query.Rows{Columns: []query.Column{{As: "=name"}, {As: "null"}}, Rows: [][]query.Value{{c.value, nil}}}, oslo)
		got := readXLSX(t, b)
		if want := (readCell{c.kind, c.stored, c.format}); got["A2"] != want {
			t.Errorf("%#v is stored as %q, want %q", c.value, got["A2"], want)
		}
		if _, there := got["B2"]; there || got["A1"].value != "=name" {
			t.Errorf("NULL is a cell, or the heading is %q", got["A1"])
		}
		f, err := excelize.OpenReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if shown, err := f.GetCellValue("Result", "A2"); err != nil || shown != c.shown {
			t.Errorf("%#v shows as %q (%v), want %q", c.value, shown, err, c.shown)
		}
	}
}

// TestManyCells: a thousand rows of fifty columns of anything come back cell by cell.
func TestManyCells(t *testing.T) {
	t.Parallel()
	rows, r := query.Rows{}, rand.New(rand.NewPCG(1, 2))
	for j := range 50 {
		rows.Columns = append(rows.Columns, query.Column{As: fmt.Sprintf("column_%d", j)})
	}
	for range 1000 {
		row := make([]query.Value, 50)
		for j := range row {
			row[j] = anything(r)
		}
		rows.Rows = append(rows.Rows, row)
	}
	got := readXLSX(t, book(t, rows, time.UTC))
	if len(got) < 40_000 {
		t.Fatalf("%d cells", len(got))
	}
	for i, row := range rows.Rows {
		for j, v := range row {
			at, err := excelize.CoordinatesToCellName(j+1, i+2)
			if err != nil {
				t.Fatal(err)
			}
			if !same(v, got, at) {
				t.Fatalf("%s: %#v became %q", at, v, got[at])
			}
		}
	}
}

func anything(r *rand.Rand) query.Value {
	switch r.IntN(6) {
	case 0:
		return nil
	case 1:
		return r.Int64() >> r.IntN(63)
	case 2:
		return query.Decimal(fmt.Sprintf("%d.%02d", r.Int64N(1<<r.IntN(62)+1)-1000, r.IntN(100)))
	case 3:
		return query.Day(time.Unix(r.Int64N(4e9)-2e9, 0).UTC().Format(time.DateOnly))
	case 4:
		return time.UnixMilli(r.Int64N(4e12) - 2e12).UTC()
	}
	text := make([]rune, r.IntN(12))
	for i := range text {
		text[i] = rune(r.IntN(0x180))
	}
	return string(text)
}

// same says whether a cell holds a value: as a text its text, as a number the number.
func same(v query.Value, cells map[string]readCell, at string) bool {
	c, there := cells[at]
	if v == nil {
		return !there
	}
	want := text(v, time.UTC)
	if c.kind == "text" {
		return c.value == want
	}
	n, err := strconv.ParseFloat(c.value, 64)
	switch x := v.(type) {
	case query.Day:
		return err == nil && excelDay(n).Format(time.DateOnly) == want
	case time.Time:
		return err == nil && excelDay(n).Sub(x).Abs() < time.Millisecond/2
	}
	_, fraction, _ := strings.Cut(want, ".")
	return err == nil && strconv.FormatFloat(n, 'f', len(fraction), 64) == want
}

func excelDay(n float64) time.Time {
	return time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).Add(time.Duration(n*86400e3+0.5) * time.Millisecond)
}

// FuzzSheetText: whatever text there is, it is the text that a reader finds.
func FuzzSheetText(f *testing.F) {
	for _, s := range []string{"", "=1", "_x0041_", "_x005F_x0041_", "a\r\nb\x00", "]]>", "<t>&amp;", "\xff", "_x_x0041_0041_", "_x0041\x00", "\ufffe\uffff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want := strings.ToValidUTF8(s, "\uFFFD")
		if utf8.RuneCountInString(want) > mostCellText {
			return
		}
		got := readXLSX(t, book(t, query.Rows{Columns: []query.Column{{As: "a"}}, Rows: [][]query.Value{{s}}}, nil))
		if got["A2"].value != want || got["A2"].kind != "text" {
			t.Fatalf("%q became %q", want, got["A2"])
		}
	})
}

// TestSheetLimits: what is more than a sheet holds is refused before it is written.
func TestSheetLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rows, columns int
		fits          bool
	}{{mostSheetRows - 1, 1, true}, {mostSheetRows, 1, false}, {0, mostSheetColumns, true}, {0, mostSheetColumns + 1, false}} {
		rows := query.Rows{Columns: make([]query.Column, c.columns), Rows: make([][]query.Value, c.rows)}
		if err := fits(rows, nil); (err == nil) != c.fits || err != nil && !strings.Contains(err.Error(), "format=csv") {
			t.Errorf("%d rows of %d columns: %v", c.rows, c.columns, err)
		}
	}
}
