package guard

import (
	"errors"
	"fmt"

	"example.com/deputy/fault"
	"example.com/deputy/internal/plain"
	"example.com/deputy/policy"
)

// maxSentence bounds a sentence that a tool writes, in bytes.
const maxSentence = 1 << 10

// Said is what a tool says of a write outside the host, made fit to be shown: bounded, with nothing in its own words that cannot be seen. Values
// are kept as they are.
func Said(d Draft) (Draft, error) {
	if d.Summary == "" || len(d.Lines) == 0 {
		return d, errors.New("a draft of an effect says in a sentence and in lines what is written")
	}
	if len(d.Lines) > maxLines {
		return d, fault.Errorf(fault.Unprocessable, "This would write more than can be shown (%d values): ask for less at once.", maxLines)
	}
	out := Draft{Summary: plain.Visible(d.Summary, maxSentence)}
	for _, w := range d.Warnings {
		out.Warnings = append(out.Warnings, plain.Visible(w, maxSentence))
	}
	for _, l := range d.Lines {
		l.Table, l.Field, l.Label = plain.Visible(l.Table, plain.MaxName), plain.Visible(l.Field, plain.MaxName), plain.Visible(l.Label, plain.MaxName)
		l.Record, l.RecordLabel = plain.Visible(l.Record, plain.MaxName), plain.Visible(l.RecordLabel, plain.MaxName)
		l.BeforeLabel, l.AfterLabel = plain.Visible(l.BeforeLabel, maxSentence), plain.Visible(l.AfterLabel, maxSentence)
		if err := l.showable(); err != nil {
			return d, err
		}
		out.Lines = append(out.Lines, l)
		if l.Source == SourceModel {
			out.Warnings = append(out.Warnings, unsourced(l))
		}
	}
	return out, nil
}

// showable refuses a line of a tool's that no card could show.
func (l Line) showable() error {
	switch l.Verb {
	case policy.Create, policy.Update, policy.Delete:
	default:
		return fmt.Errorf("a line with the verb %q", l.Verb)
	}
	switch l.Source {
	case "", SourcePerson, SourceData, SourceModel:
	default:
		return fmt.Errorf("a line with the source %q", l.Source)
	}
	for _, text := range []*string{l.Before, l.After} {
		if text != nil && len(*text) > maxValue {
			return fault.Errorf(fault.TooLarge, "%s: longer than %d bytes.", l.Label, maxValue)
		}
	}
	return nil
}

// unsourced is the warning about a value that nobody has given.
func unsourced(l Line) string {
	return fmt.Sprintf("%s: %s stands neither in your messages nor in the data.", l.Label, quoted(l.After))
}
