package offline

import (
	"encoding/json"
	"slices"
)

// scalar is an id or number for a field: a JSON number where the field holds whole numbers that JSON keeps, else text.
func scalar(f *field, text string) any {
	if f.typ == "int" && number.MatchString(text) && len(text) <= 15 {
		return json.Number(text)
	}
	return text
}

// assigned is where a message names a field for a write.
type assigned struct {
	f        *field
	from, to int
}

// fieldsIn are the fields that a message names outside of some tokens; parts of names count only where a separator follows.
func (d *desk) fieldsIn(t *table, from int, spent []bool) []assigned {
	r := &reading{d: d, t: t, ts: d.words, used: spent}
	var out []assigned
	for i := from; i < len(d.words); i++ {
		if spent[i] || d.words[i].quoted {
			continue
		}
		fs, n, sure := r.named(i)
		if n == 0 || sure < whole && len(fs) > 1 || sure < synonym && !separator(r.tok(i+n)) {
			continue
		}
		if len(out) > 0 && !d.opens(out[len(out)-1], i, n) {
			continue
		}
		out = append(out, assigned{writable(t, fs), i, i + n})
		i += n - 1
	}
	return out
}

// opens says whether a field's name at a place begins an assignment of its own, and is no word of the value before it.
func (d *desk) opens(before assigned, i, n int) bool {
	prev := d.words[i-1]
	if i == before.to {
		return true
	}
	joined := prev.is("and", ",", ";", "with", "its", "their", "the", "set") || prev.quoted
	return joined && (i+n >= len(d.words) || separator(d.words[i+n]) || d.words[i+n].quoted || prev.is(",", ";", "with", "and") || prev.quoted)
}

func writable(t *table, fs []*field) *field {
	for _, f := range fs {
		if !f.readOnly && !t.isKey(f) {
			return f
		}
	}
	return fs[0]
}

func separator(t token) bool { return t.is("to", "=", ":", "is", "as", "into", "==", "of", "for") }

// assignments reads "phone of customer 12 to X", "customer 12's email to X and phone to Y", "order 3: status = shipped".
func (d *desk) assignments(m mention, x ref, from int) []wish {
	spent := make([]bool, len(d.words))
	end := max(m.to, x.to)
	for i := max(m.from, 0); i < min(end, len(spent)); i++ {
		spent[i] = true
	}
	fields := d.fieldsIn(m.table, from, spent)
	var out []wish
	for k, a := range fields {
		begin := a.to
		if m.from >= a.to && between(d.words[a.to:m.from]) {
			begin = end // the phone of customer 12 to …
		}
		stopAt := len(d.words)
		if k+1 < len(fields) {
			stopAt = fields[k+1].from
		} else if m.from >= begin {
			stopAt = m.from
		}
		if stopAt < begin {
			continue // a field of two halves: the name and phone of customer 12
		}
		if text, ok := d.newValue(begin, stopAt, a.from < m.from || m.from < 0); ok {
			out = append(out, wish{a.f, text})
		}
	}
	return out
}

// between says whether only small words stand between a field and its record.
func between(ts []token) bool {
	for _, t := range ts {
		if !t.is("of", "for", "on", "in", "the", "this", "from", "that") {
			return false
		}
	}
	return true
}

// newValue is the text of a value between two places, separators and joining words at its ends left out.
func (d *desk) newValue(from, to int, sep bool) (string, bool) {
	for k := from; k < to && k < from+8; k++ { // from open to closed
		if d.words[from].is("from") && d.words[k].is("to") {
			from = k
		}
	}
	found := false
	for from < to && d.words[from].is("to", "=", ":", "is", "as", "into", "==", "'s", ",", "should", "be", "of") {
		found = true
		from++
	}
	for to > from && d.words[to-1].is("and", ",", ";", "its", "their", "the", "with", "set", "on", "in", "for") && !d.words[to-1].quoted {
		to--
	}
	if sep && !found && !(from < to && d.words[from].quoted) || from >= to {
		return "", false
	}
	text := spoken(d.text, d.words, from, to)
	return text, text != "" || d.words[from].quoted
}

// bareValue reads a value without its field: "mark invoice 3 as paid", "rename customer 12 to Acme".
func (d *desk) bareValue(m mention, x ref, start int) []wish {
	end := max(m.to, x.to, start+1)
	text, ok := d.newValue(end, len(d.words), false)
	if !ok {
		return nil
	}
	for _, f := range m.table.fields {
		if v, ok := f.pick(text); ok && !f.readOnly {
			return []wish{{f, v}}
		}
	}
	for _, f := range m.table.fields {
		if f.typ != "bool" || f.readOnly {
			continue
		}
		if f.names[squeeze(text)] > 0 {
			return []wish{{f, "true"}}
		}
		if len(text) > 2 && f.names[squeeze(text)[min(2, len(squeeze(text))):]] > 0 && text[:2] == "un" {
			return []wish{{f, "false"}}
		}
	}
	if d.words[start].is("assign", "reassign", "give", "transfer", "move") {
		if f := m.table.assignee(); f != nil {
			return []wish{{f, text}}
		}
	}
	if d.words[start].is("rename") {
		if fs := m.table.labelFields(); len(fs) == 1 {
			return []wish{{fs[0], text}}
		}
	}
	return nil
}

// assignee is the foreign key that a record is assigned by: the only one, or the one to a person.
func (t *table) assignee() *field {
	var all []*field
	for _, f := range t.fields {
		if f.parent == "" || f.readOnly {
			continue
		}
		if all = append(all, f); hasWord(f, "assignee", "assigned", "rep", "owner", "agent", "employee", "user", "staff", "responsible", "handler", "worker") {
			return f
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return nil
}

// newValues reads what a new record is to hold: "for customer 12 with subject "Printer broken"", "named Acme AS with email a@b.c".
func (d *desk) newValues(m mention, start int) []wish {
	spent := make([]bool, len(d.words))
	for i := start; i < m.to; i++ {
		spent[i] = true
	}
	var out []wish
	r := &reading{d: d, t: m.table, ts: d.words, used: make([]bool, len(d.words))}
	for i := start + 1; i < m.from; i++ { // an open ticket
		for _, f := range m.table.fields {
			if v, ok := f.pick(d.words[i].low); ok && !wished(out, f) && !f.readOnly {
				out = append(out, wish{f, v})
			}
		}
	}
	out = append(out, d.parentsIn(r, m, spent)...)
	fields := d.fieldsIn(m.table, m.to, spent)
	for k, a := range fields {
		stopAt := len(d.words)
		if k+1 < len(fields) {
			stopAt = fields[k+1].from
		}
		for j := a.to; j < stopAt; j++ {
			if spent[j] {
				stopAt = j
			}
		}
		if text, ok := d.newValue(a.to, stopAt, false); ok && !wished(out, a.f) {
			out = append(out, wish{a.f, text})
		}
		for j := a.from; j < stopAt; j++ {
			spent[j] = true
		}
	}
	return append(out, d.newName(m, out, spent)...)
}

// parentsIn reads the records that a new one belongs to, and spends their tokens.
func (d *desk) parentsIn(r *reading, m mention, spent []bool) []wish {
	var out []wish
	for i := m.to; i < len(d.words); i++ {
		p, n := r.parentAt(i)
		if n == 0 || len(p.fields) != 1 || d.words[i].quoted {
			continue
		}
		f := m.table.field(p.fields[0])
		at := i + n
		for r.tok(at).is("=", ":", "is", "to") {
			at++
		}
		x := refAt(d.text, d.words, at)
		text := firstOf(x.id, x.name)
		if r.tok(i - 1).is("this") {
			_, text = d.shown(d.schema.find(p.table))
			x.to = at
		}
		if f == nil || text == "" || slices.ContainsFunc(out, func(w wish) bool { return w.f == f }) {
			continue
		}
		out = append(out, wish{f, text})
		for k := i; k < x.to && k < len(spent); k++ {
			spent[k] = true
		}
		if i > 0 && r.tok(i-1).is("for", "of", "to", "by", "from", "with") {
			spent[i-1] = true
		}
		i = x.to - 1
	}
	return out
}

// newName reads what a new record is called: "customer Acme AS", "named Acme", or one quoted text.
func (d *desk) newName(m mention, have []wish, spent []bool) []wish {
	fs := m.table.labelFields()
	if len(fs) == 0 || slices.ContainsFunc(fs, func(f *field) bool { return wished(have, f) || f.readOnly }) {
		return nil
	}
	for i := m.to; i < len(d.words); i++ {
		if spent[i] || !d.words[i].quoted && (!d.words[i].capital() || d.words[i].mark()) && !d.words[i-1].is("named", "called", "titled") {
			continue
		}
		to := nameEnd(d.words, i)
		for k := i; k < to; k++ {
			if spent[k] {
				to = k
			}
		}
		text := spoken(d.text, d.words, i, to)
		if len(fs) == 2 && !d.words[i].quoted {
			return d.twoNames(fs, i, to)
		}
		if text == "" {
			return nil
		}
		return []wish{{fs[0], text}}
	}
	return nil
}

// twoNames parts a person's name: the last word is the last name.
func (d *desk) twoNames(fs []*field, from, to int) []wish {
	firstName, lastName := fs[0], fs[1]
	if hasWord(firstName, "last", "surname", "family") {
		firstName, lastName = lastName, firstName
	}
	if to-from < 2 {
		return []wish{{firstName, spoken(d.text, d.words, from, to)}}
	}
	return []wish{{firstName, spoken(d.text, d.words, from, to-1)}, {lastName, spoken(d.text, d.words, to-1, to)}}
}
