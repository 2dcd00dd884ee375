package api

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"strings"

	"example.com/deputy"
	"github.com/danielgtaylor/huma/v2"
	"github.com/xuri/excelize/v2"
)

const (
	csvType  = "text/csv; charset=utf-8"
	xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// export answers with a file. One that was cut at the most rows a result holds says so in the header Deputy-Truncated.
func export(id, format string, p deputy.ResultPage) (*huma.StreamResponse, error) {
	kind, write := csvType, writeCSV
	if format == "xlsx" {
		kind, write = xlsxType, writeXLSX
	}
	body, err := write(p)
	if err != nil {
		return nil, fmt.Errorf("api: export as %s: %w", format, err)
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		c.SetHeader("Content-Type", kind)
		c.SetHeader("Content-Disposition", fmt.Sprintf("attachment; filename=%q", id+"."+format))
		if p.Truncated {
			c.SetHeader("Deputy-Truncated", "true")
		}
		_, _ = c.BodyWriter().Write(body) // a reader that is gone is not ours to mend
	}}, nil
}

// writeCSV is UTF-8 without BOM, CRLF, a header of names, and no cell that a spreadsheet would run.
func writeCSV(p deputy.ResultPage) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	for _, row := range sheet(p) {
		for i := range row {
			row[i] = inert(row[i])
		}
		if err := w.Write(row); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// writeXLSX writes every cell as text: a spreadsheet's numbers are floats.
func writeXLSX(p deputy.ResultPage) ([]byte, error) {
	f := excelize.NewFile()
	w, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		return nil, err
	}
	for i, row := range sheet(p) {
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
func sheet(p deputy.ResultPage) [][]string {
	names := make([]string, 0, len(p.Rows.Columns))
	for _, c := range p.Rows.Columns {
		names = append(names, c.As)
	}
	out := append(make([][]string, 0, len(p.Rows.Rows)+1), names)
	for _, r := range p.Rows.Rows {
		row := make([]string, len(r))
		for i, v := range r {
			row[i] = text(v)
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
