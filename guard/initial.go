package guard

import (
	"strings"

	"example.com/deputy/policy"
	"example.com/deputy/query"
)

// initial is what a field of a new record has when nobody gives it a value; not known where the host makes it.
func initial(f query.Field) (v query.Value, known bool) {
	text := strings.TrimSpace(f.Default)
	for len(text) > 1 && text[0] == '(' && text[len(text)-1] == ')' {
		text = strings.TrimSpace(text[1 : len(text)-1])
	}
	switch {
	case f.Generated:
		return nil, false
	case text == "":
		return nil, true
	case len(text) > 1 && (text[0] == '\'' || text[0] == '"') && text[len(text)-1] == text[0]:
		quote := text[:1]
		text = strings.ReplaceAll(text[1:len(text)-1], quote+quote, quote)
	case strings.Contains(text, "(") || strings.HasPrefix(strings.ToUpper(text), "CURRENT_") || strings.HasPrefix(strings.ToUpper(text), "LOCALTIME"):
		return nil, false
	case f.Type == query.Bool:
		text = strings.ToLower(strings.NewReplacer("1", "true", "0", "false").Replace(text))
	}
	v, err := query.ParseValue(f.Type, text)
	if err != nil || f.Type == query.Timestamp {
		return nil, false
	}
	return v, true
}

// given adds, of a record that is created, what nobody has given: defaults, and what the host makes.
func (w *drafter) given(t *query.Table, c Change) {
	for _, f := range t.Fields {
		if f.Default == "" && !f.Generated || f.Secret || c.sets(f.Name) {
			continue
		}
		l := Line{Table: c.Table, Verb: policy.Create, Field: f.Name, Label: f.Label, Source: SourceDefault}
		if v, ok := initial(f); ok {
			if text, ok := query.FormatValue(v); ok {
				l.After = &text
			}
		}
		w.out.Lines = append(w.out.Lines, l)
	}
}

func (c Change) sets(field string) bool {
	for _, a := range c.Values {
		if a.Field == field {
			return true
		}
	}
	return false
}
