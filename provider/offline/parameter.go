package offline

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// param is what an action takes besides the id.
type param struct {
	name, typ string // integer, number, boolean, string; of the strings date and decimal are told apart
	about     string // what it is said to be
	enum      []string
	required  bool
}

// declared is one property of a tool's schema.
type declared struct {
	Type        any    `json:"type"`
	Enum        []any  `json:"enum"`
	Description string `json:"description"`
}

// read is a parameter as it is declared. Its description says what it is, then what form it has.
func (p declared) read(name string, required bool) param {
	x := param{name: name, typ: str(p.Type), required: required}
	about, form, formed := strings.Cut(p.Description, ";")
	if x.about = about; !formed {
		form = about
	}
	for _, v := range list(p.Type) {
		if s := str(v); s != "null" {
			x.typ = s
		} else {
			x.required = false
		}
	}
	switch form = strings.TrimSpace(form); {
	case x.typ != "string":
	case strings.HasPrefix(form, "a decimal number"):
		x.typ = "decimal"
	case strings.HasPrefix(form, "a date"), strings.HasPrefix(form, "a timestamp"):
		x.typ = "date"
	}
	for _, v := range p.Enum {
		if s := str(v); s != "" {
			x.enum = append(x.enum, s)
		}
	}
	return x
}

func (p param) said() string { return strings.Join(words(strings.TrimSuffix(p.name, "_id")), " ") }

func (p param) wanted() string {
	if len(p.enum) > 0 {
		return "the " + p.said() + " (" + strings.Join(p.enum, ", ") + ")"
	}
	return "the " + p.said()
}

// argument is the value of a parameter behind a place of the message and how it is said; nil where it says none. alone says that there is no other
// parameter that a text could be for.
func (d *desk) argument(p param, t *table, from int, alone bool) (any, string, error) {
	ts := d.words
	switch {
	case len(p.enum) > 0:
		v := chosen(p.enum, ts[min(from, len(ts)):])
		if v == "" {
			return nil, "", nil
		}
		return v, v, nil
	case p.typ == "boolean":
		if at, ok := d.paramAt(p, from); ok {
			no := ts[max(at-2, 0)].is("no", "not", "without") || ts[max(at-1, 0)].is("is", "=", ":") && truth(ts[min(at, len(ts)-1)].low) == "false"
			return !no, map[bool]string{true: "no", false: "yes"}[no], nil
		}
		return nil, "", nil
	}
	at, named := d.paramAt(p, from)
	if to := d.leadsTo(t, p); to != nil {
		return d.recordFor(p, to, from, at, named)
	}
	switch p.typ {
	case "integer", "number", "decimal":
		n := d.numberFor(from, at, named, alone)
		switch {
		case n == "":
			return nil, "", nil
		case p.typ == "decimal":
			return n, n, nil
		}
		return json.Number(n), n, nil
	case "date":
		return d.dateFor(from)
	}
	text := d.freeText(from, at, named, alone)
	if text == "" {
		return nil, "", nil
	}
	return text, "“" + text + "”", nil
}

// numberFor is the number behind a parameter's name, else the only one that the message has for it.
func (d *desk) numberFor(from, at int, named, alone bool) string {
	if at < len(d.words) {
		if n, ok := d.words[at].figure(); ok {
			return n
		}
	}
	var all []string
	for _, t := range d.words[min(from, len(d.words)):] {
		if n, ok := t.figure(); ok {
			all = append(all, n)
		}
	}
	if len(all) != 1 || !named && !alone {
		return ""
	}
	return all[0]
}

// dateFor is the day that the message names.
func (d *desk) dateFor(from int) (any, string, error) {
	for i := from; i < len(d.words); i++ {
		for n := min(4, len(d.words)-i); n > 0; n-- {
			text := spoken(d.text, d.words, i, i+n)
			v, err := d.dateValue(text)
			if err != nil {
				return nil, "", err
			}
			if s, ok := v.(string); ok && s != text || len(dayText.FindString(text)) == len(text) && text != "" {
				return v, str(v), nil
			}
		}
	}
	return nil, "", nil
}

var dayText = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)

// chosen is the value of a list that a message says, word for word or, where it is the only one, in all its words that carry something.
func chosen(values []string, ts []token) string {
	var said []string
	for _, t := range ts {
		said = append(said, words(t.low)...)
	}
	whole := " " + strings.Join(said, " ") + " "
	best := ""
	for _, v := range values {
		if strings.Contains(whole, " "+strings.Join(words(v), " ")+" ") && len(v) > len(best) {
			best = v
		}
	}
	if best != "" {
		return best
	}
	var found []string
	for _, v := range values {
		telling := slices.DeleteFunc(words(v), stop)
		missing := func(w string) bool {
			return !slices.ContainsFunc(said, func(s string) bool { return stem(s) == stem(w) })
		}
		if len(telling) > 0 && !slices.ContainsFunc(telling, missing) {
			found = append(found, v)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return ""
}

// paramAt is the place behind a parameter's name in the message.
func (d *desk) paramAt(p param, from int) (int, bool) {
	names := namesOf(strings.TrimSuffix(p.name, "_id"), "")
	for i := from; i < len(d.words); i++ {
		if n, sure := called(names, d.words, i); sure >= synonym && !d.words[i].quoted {
			i += n
			for i < len(d.words) && d.words[i].is("is", "=", ":", "of", "to", "as", "'s") {
				i++
			}
			return i, true
		}
	}
	return len(d.words), false
}

// leadsTo is the table whose record a parameter means: by a relation of the action's table, or by the table's name; nil for no record.
func (d *desk) leadsTo(t *table, p param) *table {
	ts := tokenize(strings.Join(words(strings.TrimSuffix(p.name, "_id")), " "))
	if p.typ != "integer" && p.typ != "string" || len(ts) == 0 {
		return nil
	}
	for _, r := range t.parents {
		if n, sure := called(namesOf(r.name, ""), ts, 0); sure >= synonym && n == len(ts) {
			return d.schema.find(r.table)
		}
	}
	about := tokenize(p.about)
	for _, x := range d.schema.tables {
		if n, sure := called(x.names, ts, len(ts)-1); sure >= whole && n == 1 {
			return x
		}
		for i := range about {
			if _, sure := called(x.names, about, i); sure >= whole && p.typ == "integer" {
				return x
			}
		}
	}
	return nil
}

// recordFor is the id of the record that stands behind a parameter's name, behind "to" or behind the table's name.
func (d *desk) recordFor(p param, t *table, from, at int, named bool) (any, string, error) {
	if !named {
		for at = from; at < len(d.words) && !d.words[at].is("to", "by", "with", "for"); at++ {
		}
		at++
	}
	for at < len(d.words) && d.words[at].is("the") {
		at++
	}
	if at >= len(d.words) {
		return nil, "", nil
	}
	if n, sure := called(t.names, d.words, at); sure >= synonym {
		at += n
	}
	x := refAt(d.text, d.words, at)
	if x.none() {
		return nil, "", nil
	}
	if err := d.describe(t.name); err != nil {
		return nil, "", err
	}
	id, err := d.identify(d.schema.find(t.name), x)
	if err != nil {
		return nil, "", err
	}
	text := t.noun(1) + " " + id
	if p.typ == "integer" && number.MatchString(id) {
		return json.Number(id), text, nil
	}
	return id, text, nil
}

// freeText is a text for a parameter: behind its name, in quotes, or, for the only one, behind "because" and its like.
func (d *desk) freeText(from, at int, named, alone bool) string {
	if named {
		if at < len(d.words) && d.words[at].quoted {
			return d.words[at].text
		}
		return spoken(d.text, d.words, at, len(d.words))
	}
	for i := from; i < len(d.words) && alone; i++ {
		if d.words[i].quoted {
			return d.words[i].text
		}
		if n := anyAt(d.words, i, "because of", "because", "since", "due to", "for", "to", "with", "saying", ":", "as"); n > 0 {
			return spoken(d.text, d.words, i+n, len(d.words))
		}
	}
	return ""
}
