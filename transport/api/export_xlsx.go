package api

import (
	"archive/zip"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"example.com/deputy"
	"example.com/deputy/query"
)

// What a sheet holds at most. Characters are counted as UTF-16 counts them.
const (
	mostSheetRows    = 1 << 20
	mostSheetColumns = 1 << 14
	mostCellText     = 32767
)

// mostDigits is how many digits a spreadsheet keeps of a number.
const mostDigits = 15

// fits refuses what a spreadsheet would cut without a word. The first line of a sheet is of names.
func fits(rows query.Rows, zone *time.Location) error {
	if len(rows.Rows) >= mostSheetRows || len(rows.Columns) > mostSheetColumns {
		return deputy.Errorf(deputy.Unprocessable, "%d rows of %d columns are more than a sheet holds (%d and %d). Use CSV (format=csv), which has no limit.",
			len(rows.Rows), len(rows.Columns), mostSheetRows-1, mostSheetColumns)
	}
	for i, row := range rows.Rows {
		for j, v := range row {
			cell := text(v, zone)
			if len(cell) <= mostCellText {
				continue // and so no more characters
			}
			if n := len(utf16.Encode([]rune(cell))); n > mostCellText {
				return deputy.Errorf(deputy.Unprocessable, "Column %q has a text of %d characters in row %d; a cell of a spreadsheet holds %d. Use CSV (format=csv), which has no limit.",
					rows.Columns[j].As, n, i+1, mostCellText)
			}
		}
	}
	return nil
}

// The fixed parts of a workbook with one sheet.
const (
	xmlHead      = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	spreadsheet  = `http://schemas.openxmlformats.org/spreadsheetml/2006/main`
	relations    = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	packages     = `http://schemas.openxmlformats.org/package/2006/`
	sheetTypes   = `application/vnd.openxmlformats-officedocument.spreadsheetml.`
	contentTypes = xmlHead + `<Types xmlns="` + packages + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + sheetTypes + `sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + sheetTypes +
		`worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="` + sheetTypes + `styles+xml"/></Types>`
	rootRelations = xmlHead + `<Relationships xmlns="` + packages + `relationships"><Relationship Id="rId1" Type="` + relations + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`
	workbook      = xmlHead + `<workbook xmlns="` + spreadsheet + `" xmlns:r="` + relations + `"><sheets><sheet name="Result" sheetId="1" r:id="rId1"/></sheets></workbook>`
	bookRelations = xmlHead + `<Relationships xmlns="` + packages + `relationships"><Relationship Id="rId1" Type="` + relations + `/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Type="` + relations + `/styles" Target="styles.xml"/></Relationships>`
)

// writeXLSX writes a workbook of one sheet. What a spreadsheet keeps exactly is a number, a date or true and false; all else is text, and no
// text is ever a formula, not even after it is edited. Dates and times show as ISO 8601 has them, times with the offset of the zone.
func writeXLSX(w io.Writer, rows query.Rows, zone *time.Location) error {
	s := &sheet{zone: zone, formats: map[string]int{}}
	s.write(rows)
	z := zip.NewWriter(w)
	for _, part := range []struct{ name, text string }{
		{"[Content_Types].xml", contentTypes}, {"_rels/.rels", rootRelations}, {"xl/workbook.xml", workbook}, {"xl/_rels/workbook.xml.rels", bookRelations},
		{"xl/styles.xml", s.styles()}, {"xl/worksheets/sheet1.xml", s.body.String()},
	} {
		f, err := z.Create(part.name)
		if err == nil {
			_, err = io.WriteString(f, part.text)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// sheet is a sheet that is being written.
type sheet struct {
	zone    *time.Location
	body    strings.Builder
	formats map[string]int // of numbers and dates, by their place among the styles
	order   []string
}

// Styles that every workbook has: of nothing, and of texts, which stay text when they are edited.
const (
	plainStyle = iota
	textStyle
	ownStyles // the first of the formats
)

func (s *sheet) write(rows query.Rows) {
	s.body.WriteString(xmlHead + `<worksheet xmlns="` + spreadsheet + `"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`)
	s.widths(rows)
	s.body.WriteString(`<sheetData><row r="1">`)
	for j, c := range rows.Columns {
		s.text(ref(j, 1), c.As)
	}
	s.body.WriteString(`</row>`)
	for i, row := range rows.Rows {
		s.body.WriteString(`<row r="` + strconv.Itoa(i+2) + `">`)
		for j, v := range row {
			s.cell(ref(j, i+2), v)
		}
		s.body.WriteString(`</row>`)
	}
	s.body.WriteString(`</sheetData></worksheet>`)
}

// widths makes columns wide enough for what is in their first rows: a date that does not fit shows as ####.
func (s *sheet) widths(rows query.Rows) {
	const looked, least, most = 100, 9, 60
	if len(rows.Columns) == 0 {
		return
	}
	s.body.WriteString(`<cols>`)
	for j, c := range rows.Columns {
		wide := max(least, utf8.RuneCountInString(c.As)+2)
		for _, row := range rows.Rows[:min(looked, len(rows.Rows))] {
			wide = max(wide, utf8.RuneCountInString(text(row[j], s.zone))+2)
		}
		fmt.Fprintf(&s.body, `<col min="%d" max="%d" width="%d" customWidth="1"/>`, j+1, j+1, min(wide, most))
	}
	s.body.WriteString(`</cols>`)
}

// ref is the name of a cell: its column, from 0, in letters, and its row, from 1.
func ref(column, row int) string {
	letters := ""
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		letters = string(rune('A'+(n-1)%26)) + letters
	}
	return letters + strconv.Itoa(row)
}

// cell writes a value; NULL is no cell.
func (s *sheet) cell(at string, v query.Value) {
	switch x := v.(type) {
	case nil:
		return
	case bool:
		fmt.Fprintf(&s.body, `<c r="%s" t="b"><v>%d</v></c>`, at, map[bool]int{true: 1}[x])
		return
	case int64:
		if n := strconv.FormatInt(x, 10); exact(n) {
			s.number(at, n, "0")
			return
		}
	case query.Decimal:
		if exact(string(x)) {
			s.number(at, string(x), places(string(x)))
			return
		}
	case query.Day:
		if day, err := time.Parse(time.DateOnly, string(x)); err == nil && countable(day) {
			s.number(at, serial(day), `yyyy\-mm\-dd`)
			return
		}
	case time.Time:
		if local := clock(x, s.zone); countable(local) {
			s.number(at, serial(local), timeFormat(x, s.zone))
			return
		}
	}
	s.text(at, text(v, s.zone))
}

// number writes a number under a format.
func (s *sheet) number(at, n, format string) {
	style, ok := s.formats[format]
	if !ok {
		style = ownStyles + len(s.order)
		s.formats[format], s.order = style, append(s.order, format)
	}
	s.body.WriteString(`<c r="` + at + `" s="` + strconv.Itoa(style) + `"><v>` + n + `</v></c>`)
}

func (s *sheet) text(at, text string) {
	s.body.WriteString(`<c r="` + at + `" s="` + strconv.Itoa(textStyle) + `" t="inlineStr"><is><t xml:space="preserve">` + escapeText(text) + `</t></is></c>`)
}

// styles is the part of a workbook that says what its numbers look like.
func (s *sheet) styles() string {
	const firstFormat, textFormat = 164, 49
	var formats, uses strings.Builder
	for i, f := range s.order {
		fmt.Fprintf(&formats, `<numFmt numFmtId="%d" formatCode="%s"/>`, firstFormat+i, escapeText(f))
		fmt.Fprintf(&uses, `<xf numFmtId="%d" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`, firstFormat+i)
	}
	head := xmlHead + `<styleSheet xmlns="` + spreadsheet + `">`
	if len(s.order) > 0 {
		head += fmt.Sprintf(`<numFmts count="%d">%s</numFmts>`, len(s.order), formats.String())
	}
	return head + `<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		fmt.Sprintf(`<cellXfs count="%d"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>`, ownStyles+len(s.order)) +
		fmt.Sprintf(`<xf numFmtId="%d" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" quotePrefix="1"/>`, textFormat) + uses.String() + `</cellXfs>` +
		`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
}

// exact says whether a spreadsheet, whose numbers are floats, keeps and shows every digit of a number.
func exact(n string) bool {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(n, "-"), ".")
	return len(strings.TrimLeft(whole, "0"))+len(fraction) <= mostDigits
}

// places is the format that shows as many digits after the point as a number has.
func places(n string) string {
	_, fraction, ok := strings.Cut(n, ".")
	if !ok {
		return "0"
	}
	return "0." + strings.Repeat("0", len(fraction))
}

// clock is what the clock of a zone shows, as if it were of UTC.
func clock(t time.Time, zone *time.Location) time.Time {
	if zone == nil {
		zone = time.UTC
	}
	t = t.In(zone)
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// countable says whether a spreadsheet has a number for a day, and all of them the same one: not before March 1900, for some of them believe in
// a 29th of February in that year.
func countable(t time.Time) bool {
	return t.Year() > 1900 || t.Year() == 1900 && t.Month() >= time.March
}

// serial is a date and time as spreadsheets count it: days, and a part of one, since the end of 1899.
func serial(t time.Time) string {
	const day = 24 * 60 * 60
	seconds := t.Unix() - time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).Unix()
	part := (float64(seconds%day) + float64(t.Nanosecond())/1e9) / day
	return strconv.FormatFloat(float64(seconds/day)+part, 'f', -1, 64)
}

// timeFormat shows a moment by a zone's clock, to the millisecond where there are any, with the zone's offset then.
func timeFormat(t time.Time, zone *time.Location) string {
	if zone == nil {
		zone = time.UTC
	}
	format := `yyyy\-mm\-dd\ hh:mm:ss`
	if t.Nanosecond() != 0 {
		format += ".000"
	}
	format += `\ `
	for _, c := range t.In(zone).Format("Z07:00") {
		format += `\` + string(c)
	}
	return format
}

// escapes are the characters that XML cannot hold or does not keep, and what a sheet's reader would take for the number of one.
var escapes = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x{fffe}\x{ffff}]|_x[0-9A-Fa-f]{4}`)

// escapeText is a text inside an element or an attribute of a sheet.
func escapeText(s string) string {
	s = escapes.ReplaceAllStringFunc(strings.ToValidUTF8(s, "\uFFFD"), func(found string) string {
		if found[0] == '_' {
			return "_x005F" + found
		}
		r, _ := utf8.DecodeRuneInString(found)
		return fmt.Sprintf("_x%04X_", r)
	})
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}
