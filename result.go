package deputy

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"example.com/deputy/internal/plain"
	"example.com/deputy/query"
)

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
	head, err := json.Marshal(query.Headings(rows.Columns))
	if err != nil {
		return 0, false, err
	}
	b.WriteString(`,"columns":`)
	b.Write(head)
	b.WriteString(`,"rows":[`)
	start := b.Len()
	for i, row := range rows.Rows {
		line, err := json.Marshal(query.Cells(row, zone))
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
	if truncated && returned == 0 {
		return 0, false, Errorf(Unprocessable, "One record alone is larger than %d bytes: name fewer fields in select.", l.ResultBytes)
	}
	b.WriteString(`],"returned":` + strconv.Itoa(returned) + `,"has_more":` + strconv.FormatBool(rows.HasMore || truncated))
	b.WriteString(`,"truncated":` + strconv.FormatBool(truncated))
	return returned, truncated, nil
}

func fenced(ref, text string) string { return `<data call="` + ref + "\">\n" + text + "\n</data>" }

// errorText is what a model is told of a call that was refused or failed.
func errorText(ref string, err error) string {
	text := plain.Escaped(plain.Cut(MessageOf(err), maxSentence))
	var e *Error
	if errors.As(err, &e) && e.Quotes {
		text = fenced(ref, text)
	}
	return "Error: " + text
}

// short is a value as it is told to the model, which knows the rest.
func short(text *string) *string {
	if text == nil || len(*text) <= 1<<10 {
		return text
	}
	s := plain.Cut(*text, 1<<10)
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
		Record   string   `json:"record,omitempty"`
		Changes  []line   `json:"changes,omitempty"`
		Warnings []string `json:"warnings,omitempty"`
	}{Call: ref, Status: "proposed, awaiting the person: nothing is changed yet", Summary: p.Summary, Warnings: p.Warnings}
	for _, c := range p.Changes {
		if c.Verb == Create && said.Record == "" {
			said.Record = NewRecord + c.ID
		}
	}
	for _, l := range p.Lines {
		if l.Verb != Delete && l.Source != SourceDefault {
			said.Changes = append(said.Changes, line{l.Field, short(l.Before), short(l.After)})
		}
	}
	raw, err := json.Marshal(said)
	return fenced(ref, string(raw)), err
}
