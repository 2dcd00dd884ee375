package deputy

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/deputy/query"
)

// Heading is a column of a result as everybody sees it: the model, the API, an export.
type Heading struct {
	Name  string     `json:"name"`
	Label string     `json:"label,omitempty"`
	Type  query.Type `json:"type"`
}

// Headings describes columns.
func Headings(cs []query.Column) []Heading {
	out := make([]Heading, len(cs))
	for i, c := range cs {
		out[i] = Heading{Name: c.As, Label: c.Label, Type: query.Null}
		if c.Expr != nil {
			out[i].Type = c.Expr.Type()
		}
	}
	return out
}

// maxExact is the largest integer that every JSON reader keeps.
const maxExact = 1 << 53

// Cell is a value in the one form that results have: decimals and integers beyond 2^53 as texts, timestamps in RFC 3339 with the offset
// of the zone (nil: UTC), dates in ISO 8601, JSON as it is.
func Cell(v query.Value, zone *time.Location) any {
	switch x := v.(type) {
	case int64:
		if x > maxExact || x < -maxExact {
			return strconv.FormatInt(x, 10)
		}
		return x
	case time.Time:
		if zone == nil {
			zone = time.UTC
		}
		return x.In(zone).Format(time.RFC3339Nano)
	case query.Decimal:
		return string(x)
	case query.Day:
		return string(x)
	case query.Doc:
		if json.Valid([]byte(x)) {
			return json.RawMessage(x)
		}
		return string(x)
	case []query.Value:
		out := make([]any, len(x))
		for i := range x {
			out[i] = Cell(x[i], zone)
		}
		return out
	}
	return v
}

// Cells is a row of cells.
func Cells(row []query.Value, zone *time.Location) []any {
	out := make([]any, len(row))
	for i, v := range row {
		out[i] = Cell(v, zone)
	}
	return out
}

// render is the text of a result that a model is given: JSON inside a fence that data cannot close (the encoder escapes <). Rows are cut
// at the limits, and it says so.
func render(r Result, ref string, l Limits, zone *time.Location) (text string, returned int, truncated bool, err error) {
	var b bytes.Buffer
	b.WriteString(`{"call_id":` + strconv.Quote(ref))
	if r.Rows != nil {
		if returned, truncated, err = renderRows(&b, *r.Rows, l, zone); err != nil {
			return "", 0, false, err
		}
	}
	if r.Value != nil {
		raw, err := json.Marshal(r.Value)
		if err != nil {
			return "", 0, false, err
		}
		if inner := bytes.TrimSuffix(bytes.TrimPrefix(raw, []byte("{")), []byte("}")); len(inner) > 0 {
			b.WriteByte(',')
			b.Write(inner)
		}
	}
	b.WriteByte('}')
	if b.Len() > 2*l.ResultBytes {
		return "", 0, false, Errorf(Unprocessable, "The result is too large (%d bytes): ask for less.", b.Len())
	}
	return fenced(ref, b.String()), returned, truncated, nil
}

func renderRows(b *bytes.Buffer, rows query.Rows, l Limits, zone *time.Location) (returned int, truncated bool, err error) {
	head, err := json.Marshal(Headings(rows.Columns))
	if err != nil {
		return 0, false, err
	}
	b.WriteString(`,"columns":`)
	b.Write(head)
	b.WriteString(`,"rows":[`)
	start := b.Len()
	for i, row := range rows.Rows {
		line, err := json.Marshal(Cells(row, zone))
		if err != nil {
			return 0, false, err
		}
		if i >= l.ResultRows || b.Len()-start+len(line) > l.ResultBytes {
			truncated = true
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(line)
		returned++
	}
	b.WriteString(`],"returned":` + strconv.Itoa(returned) + `,"has_more":` + strconv.FormatBool(rows.HasMore || truncated))
	b.WriteString(`,"truncated":` + strconv.FormatBool(truncated))
	return returned, truncated, nil
}

func fenced(ref, text string) string { return `<data call="` + ref + "\">\n" + text + "\n</data>" }

// cut is a text of at most n bytes, and an ellipsis where there was more.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// escaped is a text that cannot open or close a fence.
func escaped(text string) string {
	return strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(text)
}

// short is a value as it is told to the model, which knows the rest.
func short(text *string) *string {
	if text == nil || len(*text) <= 1<<10 {
		return text
	}
	s := cut(*text, 1<<10)
	return &s
}

// proposedText tells the model what waits now.
func proposedText(ref string, p *Proposal) (string, error) {
	type line struct {
		Field  string  `json:"field"`
		Before *string `json:"before"`
		After  *string `json:"after"`
	}
	said := struct {
		Call     string   `json:"call_id"`
		Status   string   `json:"status"`
		Summary  string   `json:"summary"`
		Changes  []line   `json:"changes,omitempty"`
		Warnings []string `json:"warnings,omitempty"`
	}{Call: ref, Status: "proposed, awaiting the person: nothing is changed yet", Summary: p.Summary, Warnings: p.Warnings}
	for _, l := range p.Lines {
		if l.Verb != Delete {
			said.Changes = append(said.Changes, line{l.Field, short(l.Before), short(l.After)})
		}
	}
	raw, err := json.Marshal(said)
	return fenced(ref, string(raw)), err
}
