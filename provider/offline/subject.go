package offline

import "strings"

// mention is where a message names a table.
type mention struct {
	from, to, sure int
	table          *table
	tied           *table // another one that is as likely
}

// ref is the record that a message points at: by id, by a name, or by what is on the screen or was shown last.
type ref struct {
	id, name string
	this     bool
	to       int // token after it
}

func (r ref) none() bool { return r.id == "" && r.name == "" && !r.this }

// mentions are the tables that a message names, in order.
func (d *desk) mentions(ts []token) []mention {
	var out []mention
	for i := 0; i < len(ts); {
		m := d.mentionAt(ts, i)
		if m.table == nil || ts[i].quoted {
			i++
			continue
		}
		out = append(out, m)
		i = m.to
	}
	best := 0
	for _, m := range out {
		best = max(best, m.sure)
	}
	if best < 2 { // parts of names only: the likeliest is the first
		return out
	}
	sure := out[:0]
	for _, m := range out {
		if m.sure >= 2 {
			sure = append(sure, m)
		}
	}
	return sure
}

func (d *desk) mentionAt(ts []token, i int) mention {
	var best mention
	for _, t := range d.schema.tables {
		n, sure := called(t.names, ts, i)
		switch {
		case n == 0 || sure == 1 && stop(ts[i].low):
		case sure > best.sure || sure == best.sure && i+n > best.to:
			best = mention{from: i, to: i + n, sure: sure, table: t}
		case sure == best.sure && i+n == best.to:
			best.tied = t
		}
	}
	return best
}

// refAt reads which record of a table is meant after its name: "12", "#12", "no. 12", "Acme AS", "called Acme".
func refAt(text string, ts []token, i int) ref {
	marked := false
	for i < len(ts) && (ts[i].is("number", "no", "nr", "id", "#", "named", "called", "with", "(") || marked && ts[i].is(".", "=", "is", ":")) {
		if ts[i].is("with") && (i+1 >= len(ts) || !ts[i+1].is("id", "number", "no")) {
			return ref{to: i}
		}
		marked = true
		i++
	}
	if i >= len(ts) || ts[i].mark() {
		return ref{to: i}
	}
	if n, ok := ts[i].figure(); ok && !strings.Contains(n, ".") {
		return ref{id: n, to: i + 1}
	}
	if ts[i].quoted {
		return ref{name: ts[i].text, to: i + 1}
	}
	if strings.ContainsAny(ts[i].low, "0123456789") && !ts[i].capital() {
		if _, dated := dateAt(ts, i); dated == 0 {
			return ref{name: ts[i].text, to: i + 1} // so-20003
		}
	}
	if !marked && !ts[i].capital() {
		return ref{to: i}
	}
	to := nameEnd(ts, i)
	return ref{name: spoken(text, ts, i, to), to: to}
}

// nameEnd is where a name that begins at a token ends: at a mark, or at a small word that goes on with something else.
func nameEnd(ts []token, i int) int {
	to := i
	for to < len(ts) && !(to > i && ts[to].quoted) {
		t := ts[to]
		if t.is(",", ";", ":", "?", "!", "(", ")", "'s", "=", ">", "<", ">=", "<=") || t.is(".") {
			break
		}
		if to > i && ts[i].capital() && !t.capital() && !t.is("of", "and", "&", "de", "van", "von", "der", "la", "the", "og", "da", "di", "du", "dos", "del", "el", "al") {
			if _, ok := t.figure(); !ok && !t.mark() {
				break
			}
		}
		if to > i && !t.capital() && t.is("and", "or", "with", "whose", "where", "who", "that", "which", "in", "from", "at", "to", "as", "since", "before", "after", "during",
			"is", "are", "has", "have", "for", "by", "sorted", "ordered", "order", "over", "above", "under", "below", "last", "this", "today", "yesterday", "please", "live", "on", "but", "of", "place", "placed", "get", "status", "set", "made") {
			break
		}
		to++
	}
	return to
}

// refOf reads the reference of a mention, "this customer" included.
func (d *desk) refOf(ts []token, m mention) ref {
	if m.from > 0 && ts[m.from-1].is("this", "that", "current") {
		if r := refAt(d.text, ts, m.to); !r.none() {
			return r
		}
		return ref{this: true, to: m.to}
	}
	return refAt(d.text, ts, m.to)
}

// subject is the table that a message is about, and where it names it; the table of the last question where it names none but goes on with it.
func (d *desk) subject(ts []token) (mention, error) {
	if err := d.listed(); err != nil {
		return mention{}, err
	}
	ms := d.mentions(ts)
	if len(ms) == 0 || ms[0].from > 0 && anyOf(ts[:min(3, ms[0].from)], "those", "them", "these") {
		return d.carried(ts)
	}
	m := ms[0]
	for i, x := range ms[:len(ms)-1] {
		if r := refAt(d.text, ts, x.to); r.to < len(ts) && ts[r.to].is("'s") && ms[i+1].from == r.to+1 && ms[i+1].table != x.table {
			m = ms[i+1] // customer 12's orders
			break
		}
	}
	if m.tied != nil && m.sure < 2 {
		return m, unclear("Do you mean " + m.table.noun(2) + " or " + m.tied.noun(2) + "? Please ask again with the whole name.")
	}
	return m, d.describe(m.table.name)
}

func (d *desk) carried(ts []token) (mention, error) {
	name := ""
	goesOn := anyOf(ts, "it", "its", "his", "her", "him", "he", "she", "their", "them", "those", "these", "they", "this", "that", "there", "one", "ones") || len(ts) > 0 && ts[0].is("and", "what", "how", "only", "just", "now", "also", "sort", "order", "but", "in", "from", "more", "next")
	if (anyOf(ts, "this", "record") || pronoun(ts)) && d.screen.table != "" {
		name = d.screen.table
	}
	if c := d.presented(nil); c != nil && name == "" && goesOn {
		name = c.arg("table")
	}
	if len(d.schema.tables) == 1 && name == "" {
		name = d.schema.tables[0].name
	}
	if name == "" {
		return mention{}, errLost
	}
	if err := d.describe(name); err != nil {
		return mention{}, err
	}
	t := d.schema.find(name)
	if t == nil {
		return mention{}, errLost
	}
	return mention{from: -1, to: -1, table: t}, nil
}

func anyOf(ts []token, words ...string) bool {
	for _, t := range ts {
		if t.is(words...) {
			return true
		}
	}
	return false
}
