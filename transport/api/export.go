package api

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf16"

	"example.com/deputy"
	"example.com/deputy/query"
	"github.com/danielgtaylor/huma/v2"
	"github.com/xuri/excelize/v2"
)

const (
	csvType  = "text/csv; charset=utf-8"
	xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// export answers with a file. One that was cut at the most rows a result holds says so in the header Deputy-Truncated.
func export(id, format string, rows [][]string, truncated bool) (*huma.StreamResponse, error) {
	kind, write := csvType, writeCSV
	if format == "xlsx" {
		kind, write = xlsxType, writeXLSX
		if err := fits(rows); err != nil {
			return nil, err
		}
	}
	body, err := write(rows)
	if err != nil {
		return nil, fmt.Errorf("api: export as %s: %w", format, err)
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		c.SetHeader("Content-Type", kind)
		c.SetHeader("Content-Disposition", fmt.Sprintf("attachment; filename=%q", id+"."+format))
		if truncated {
			c.SetHeader("Deputy-Truncated", "true")
		}
		_, _ = c.BodyWriter().Write(body) // a reader that is gone is not ours to mend
	}}, nil
}

// writeCSV is UTF-8 without BOM, CRLF, a header of names, and no cell that a spreadsheet would run.
func writeCSV(rows [][]string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	for _, row := range rows {
		safe := make([]string, len(row))
		for i := range row {
			safe[i] = inert(row[i])
		}
		if err := w.Write(safe); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// fits refuses what a spreadsheet would cut without a word. The first row is of names.
func fits(rows [][]string) error {
	for i, row := range rows {
		for j, cell := range row {
			if len(cell) <= excelize.TotalCellChars {
				continue // and so no more characters
			}
			if n := len(utf16.Encode([]rune(cell))); n > excelize.TotalCellChars {
				return deputy.Errorf(deputy.Unprocessable, "Column %q has a text of %d characters in row %d; a cell of a spreadsheet holds %d. Use CSV (format=csv), which has no limit.",
					rows[0][j], n, i, excelize.TotalCellChars)
			}
		}
	}
	return nil
}

// writeXLSX writes every cell as text: a spreadsheet's numbers are floats.
func writeXLSX(rows [][]string) ([]byte, error) {
	f := excelize.NewFile()
	w, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		line := make([]any, len(row))
		for j := range row {
			line[j] = row[j]
		}
		if err := w.SetRow(fmt.Sprintf("A%d", i+1), line); err != nil {
			return nil, err
		}
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	b, err := f.WriteToBuffer()
	if err != nil {
		return nil, err
	}
	return b.Bytes(), f.Close()
}

// sheet is a result as texts, its names first.
func sheet(rows query.Rows, zone *time.Location) [][]string {
	names := make([]string, 0, len(rows.Columns))
	for _, c := range rows.Columns {
		names = append(names, c.As)
	}
	out := append(make([][]string, 0, len(rows.Rows)+1), names)
	for _, r := range rows.Rows {
		row := make([]string, len(r))
		for i, v := range r {
			row[i] = text(v, zone)
		}
		out = append(out, row)
	}
	return out
}

var number = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// inert puts a quote before what a spreadsheet would take for a formula.
func inert(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) && !number.MatchString(s) {
		return "'" + s
	}
	return s
}
