package offline

import (
	"fmt"
	"regexp"
	"strings"
)

// assign is a field and its new value, as a tool takes it.
type assign struct {
	Field string `json:"field"`
	Value any    `json:"value"`
}

var many = regexp.MustCompile(`(?i)\b(all|every|each|everything|all of)\b`)

// target is the record that a write is about.
func (d *desk) target(start int) (mention, ref, error) {
	m, err := d.subject(d.words[start:])
	if err != nil {
		return m, ref{}, err
	}
	if m.from < 0 {
		return m, ref{this: true}, nil
	}
	m.from, m.to = m.from+start, m.to+start
	if x := d.refOf(d.words, m); !x.none() {
		return m, x, nil
	}
	for _, o := range d.mentions(d.words[m.to:]) { // the phone number of customer 12: the field had a table's name
		o.from, o.to = o.from+m.to, o.to+m.to
		if x := d.refOf(d.words, o); !x.none() && (x.id != "" || x.this) {
			return o, x, d.describe(o.table.name)
		}
	}
	if many.MatchString(d.text) {
		return m, ref{}, unclear("I can propose a change of one record at a time: please say which " + m.table.noun(1) + ".")
	}
	return m, ref{}, unclear("Which " + m.table.noun(1) + " do you mean? Please say its id or its name.")
}

// update proposes a change of one record.
func (d *desk) update(start int) (string, error) {
	m, x, err := d.target(start)
	if err != nil {
		return "", err
	}
	found := d.assignments(m, x, start+1)
	if len(found) == 0 {
		found = d.bareValue(m, x, start)
	}
	if len(found) == 0 {
		return "", unclear(fmt.Sprintf("I did not understand what to change of the %s. Write it like: change the %s of %s 12 to ….", m.table.noun(1), d.exampleField(m.table), m.table.noun(1)))
	}
	return d.proposeUpdate(m.table, x, found)
}

func (d *desk) exampleField(t *table) string {
	for _, f := range t.fields {
		if !f.readOnly && !t.isKey(f) && f.parent == "" {
			return f.called()
		}
	}
	return "name"
}

// wish is a field and the words of its new value.
type wish struct {
	f    *field
	text string
}

func (d *desk) proposeUpdate(t *table, x ref, wishes []wish) (string, error) {
	id, err := d.identify(t, x)
	if err != nil {
		return "", err
	}
	values, err := d.assigns(t, wishes)
	if err != nil {
		return "", err
	}
	_, err = d.call("update_record", struct {
		Table  string   `json:"table"`
		ID     string   `json:"id"`
		Values []assign `json:"values"`
	}{t.name, id, values}, false)
	if err != nil {
		return "", err
	}
	var names []string
	for _, w := range wishes {
		names = append(names, w.f.called())
	}
	return fmt.Sprintf("I have prepared the change of %s %s: %s. Nothing is written until you confirm it.", t.noun(1), id, strings.Join(names, ", ")), nil
}

// assigns turns words into values of their fields' types.
func (d *desk) assigns(t *table, wishes []wish) ([]assign, error) {
	var out []assign
	for _, w := range wishes {
		v, err := d.valueOf(t, w.f, w.text)
		if err != nil {
			return nil, err
		}
		out = append(out, assign{w.f.name, v})
	}
	return out, nil
}

func (d *desk) valueOf(t *table, f *field, text string) (any, error) {
	low := strings.ToLower(strings.TrimSpace(text))
	if low == "" || low == "nothing" || low == "null" || low == "empty" || low == "none" {
		if _, ok := f.pick(text); !ok {
			return nil, nil
		}
	}
	if v, ok := f.pick(text); ok {
		text = v
	} else if len(f.values) > 0 {
		var names []string
		for _, v := range f.values {
			names = append(names, v.text)
		}
		return nil, unclear(fmt.Sprintf("%q is no %s of %s. It is one of: %s.", text, f.called(), addArticle(t.noun(1)), strings.Join(names, ", ")))
	}
	switch {
	case f.parent != "":
		id, err := d.refer(f, text)
		if err != nil {
			return nil, err
		}
		return scalar(f, id), nil
	case f.typ == "bool":
		return truth(text) == "true", nil
	case f.dated():
		return d.dateValue(text)
	}
	if n, ok := (token{text: text}).figure(); ok && f.numeric() {
		return scalar(f, n), nil
	}
	return text, nil
}

// dateValue reads a day in words as a date; what it cannot read goes as it is, for the tool to judge.
func (d *desk) dateValue(text string) (any, error) {
	ts := tokenize(text)
	if len(ts) == 0 {
		return text, nil
	}
	if ts[0].is("today", "now") && len(ts) == 1 {
		r, err := d.call("current_datetime", struct{}{}, false)
		if err != nil {
			return nil, err
		}
		if v := firstOf(str(r.cell(0, "date")), str(r.body["date"]), str(object(r.body["value"])["date"])); v != "" {
			return v, nil
		}
	}
	for _, read := range []func([]token, int) (period, int){dateAt, monthAt} {
		if p, n := read(ts, 0); n == len(ts) && strings.HasPrefix(p.from, `date("`) {
			return p.from[6:16], nil
		}
	}
	return text, nil
}

// verbed reads a verb that is a value: "close ticket 7", "cancel order 5".
func (d *desk) verbed(start int, m mention) (string, bool, error) {
	if m.from <= start || start >= len(d.words) || m.from > start+2 {
		return "", false, nil
	}
	w := d.words[start]
	x := d.refOf(d.words, m)
	if w.quoted || stop(w.low) || x.none() || len(w.low) < 3 || m.from == start+2 && !d.words[start+1].is("the", "this") {
		return "", false, nil
	}
	if text, ok, err := d.switched(w, m, x); ok {
		return text, true, err
	}
	for _, f := range m.table.fields {
		if f.readOnly {
			continue
		}
		for _, v := range f.values {
			vs := words(v.text)
			exact := len(vs) == 1 && vs[0] == w.low && m.from == start+1 && x.id == ""
			if len(vs) == 1 && !exact && stem(vs[0]) == stem(w.low) || w.is("reopen") && len(vs) == 1 && vs[0] == "open" {
				text, err := d.proposeUpdate(m.table, x, []wish{{f, v.text}})
				return text, true, err
			}
		}
	}
	if _, k := d.read(mention{table: m.table}).adjective(start); k > 0 || x.id == "" || w.capital() && start > 0 {
		return "", false, nil
	}
	return "", true, unclear(fmt.Sprintf("I do not know how to %s %s. To change a field, write: set the %s of %s %s to ….", w.low, addArticle(m.table.noun(1)), d.exampleField(m.table), m.table.noun(1), x.id))
}

// switched reads a verb that turns a flag on or off: "deactivate customer 12", "discontinue product 5".
func (d *desk) switched(w token, m mention, x ref) (string, bool, error) {
	for _, f := range m.table.fields {
		if f.typ != "bool" || f.readOnly {
			continue
		}
		for _, name := range words(f.name) {
			verb, to := w.low, "true"
			if rest, ok := strings.CutPrefix(verb, "de"); ok && stem(rest) == stem(name) || ok && verbOf(rest) == verbOf(name) {
				verb, to = rest, "false"
			} else if rest, ok := strings.CutPrefix(verb, "dis"); ok && stem(rest) == stem(name) {
				verb, to = rest, "false"
			}
			if stem(verb) == stem(name) || verbOf(verb) == verbOf(name) {
				text, err := d.proposeUpdate(m.table, x, []wish{{f, to}})
				return text, true, err
			}
		}
	}
	return "", false, nil
}

// verbOf takes the ending of activate and active off.
func verbOf(w string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(w, "ate"), "e"), "d")
}

func addArticle(noun string) string {
	if noun != "" && strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// clears are the fields that "remove the phone of customer 12" is about: it is no deletion.
func (d *desk) clears(m mention, x ref, start int) []wish {
	spent := make([]bool, len(d.words))
	for i := max(m.from, 0); i < max(m.to, x.to) && i < len(spent); i++ {
		spent[i] = true
	}
	r := &reading{d: d, t: m.table, ts: d.words, used: spent}
	var out []wish
	for i := start + 1; i < len(d.words); i++ {
		if fs, n, sure := r.named(i); n > 0 && sure >= 2 && !d.words[i].quoted {
			out = append(out, wish{writable(m.table, fs), ""})
			i += n - 1
		}
	}
	return out
}

// remove proposes that one record be deleted, or that fields of it be emptied.
func (d *desk) remove(start int) (string, error) {
	m, x, err := d.target(start)
	if err != nil {
		return "", err
	}
	if found := d.clears(m, x, start); len(found) > 0 {
		return d.proposeUpdate(m.table, x, found)
	}
	if d.words[start].is("clear", "empty", "unset", "reset") {
		return "", unclear("Which field should be emptied? Write it like: clear the " + d.exampleField(m.table) + " of " + m.table.noun(1) + " 12.")
	}
	id, err := d.identify(m.table, x)
	if err != nil {
		return "", err
	}
	_, err = d.call("delete_record", struct {
		Table string `json:"table"`
		ID    string `json:"id"`
	}{m.table.name, id}, false)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("I have prepared the deletion of %s %s. Nothing is deleted until you confirm it.", m.table.noun(1), id), nil
}

// create proposes a new record.
func (d *desk) create(start int) (string, error) {
	m, err := d.subject(d.words[start:])
	if err != nil {
		return "", err
	}
	if m.from < 0 {
		return "", errLost
	}
	m.from, m.to = m.from+start, m.to+start
	wishes := d.newValues(m, start)
	var missing []string
	for _, f := range m.table.fields {
		if f.required && !f.readOnly && !wished(wishes, f) {
			missing = append(missing, f.called())
		}
	}
	if len(missing) > 0 || len(wishes) == 0 {
		return "", unclear(askFor(m.table, missing))
	}
	values, err := d.assigns(m.table, wishes)
	if err != nil {
		return "", err
	}
	_, err = d.call("create_record", struct {
		Table  string   `json:"table"`
		Values []assign `json:"values"`
	}{m.table.name, values}, false)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("I have prepared a new %s. Nothing is written until you confirm it.", m.table.noun(1)), nil
}

// newNeeds begins the answer that a person may complete.
const newNeeds = "A new"

func askFor(t *table, missing []string) string {
	if len(missing) == 0 {
		return "What should stand in the new " + t.noun(1) + "? Please name fields and values, as in: create a " + t.noun(1) + " with … \"…\"."
	}
	var parts []string
	for _, f := range missing {
		parts = append(parts, f+" \"…\"")
	}
	return fmt.Sprintf(newNeeds+" %s also needs: %s. Please go on with: %s.", t.noun(1), strings.Join(missing, ", "), strings.Join(parts, " and "))
}

func wished(ws []wish, f *field) bool {
	for _, w := range ws {
		if w.f == f {
			return true
		}
	}
	return false
}
