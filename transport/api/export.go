package api

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/query"
	"github.com/danielgtaylor/huma/v2"
)

const (
	csvType  = "text/csv; charset=utf-8"
	xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// export answers with a file. One that was cut at the most rows a result holds says so in the header Deputy-Truncated, and one that is a page
// names the after of the next one in Deputy-Next.
func export(id, format string, p deputy.ResultPage, zone *time.Location) (*huma.StreamResponse, error) {
	kind, write := csvType, writeCSV
	if format == "xlsx" {
		kind, write = xlsxType, writeXLSX
		if err := fits(p.Rows, zone); err != nil {
			return nil, err
		}
	}
	var body bytes.Buffer
	if err := write(&body, p.Rows, zone); err != nil {
		return nil, fmt.Errorf("api: export as %s: %w", format, err)
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		c.SetHeader("Content-Type", kind)
		c.SetHeader("Content-Disposition", fmt.Sprintf("attachment; filename=%q", id+"."+format))
		if p.Truncated {
			c.SetHeader("Deputy-Truncated", "true")
		}
		if after := next(int64(p.Next)); after != nil {
			c.SetHeader("Deputy-Next", *after)
		}
		_, _ = c.BodyWriter().Write(body.Bytes()) // a reader that is gone is not ours to mend
	}}, nil
}

// writeCSV is UTF-8 without BOM, CRLF, a header of names, and no cell that a spreadsheet would run. NULL is nothing between two commas, the
// empty text a pair of quotes. Texts stand as they are, with the line ends they have.
func writeCSV(w io.Writer, rows query.Rows, zone *time.Location) error {
	line := make([]string, len(rows.Columns))
	for i, c := range rows.Columns {
		line[i] = quoted(inert(c.As))
	}
	err := writeLine(w, line)
	for _, row := range rows.Rows {
		for i, v := range row {
			if line[i] = ""; v != nil {
				line[i] = quoted(inert(text(v, zone)))
			}
		}
		if err == nil {
			err = writeLine(w, line)
		}
	}
	return err
}

func writeLine(w io.Writer, cells []string) error {
	line := strings.Join(cells, ",")
	if line == "" {
		line = `""` // a reader takes an empty line for none
	}
	_, err := io.WriteString(w, line+"\r\n")
	return err
}

// quoted is a cell of CSV.
func quoted(s string) string {
	if s == "" || strings.ContainsAny(s, "\",\r\n") || s[0] == ' ' || s[0] == '\t' {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

var number = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// inert puts a quote before what a spreadsheet would take for a formula.
func inert(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) && !number.MatchString(s) {
		return "'" + s
	}
	return s
}
