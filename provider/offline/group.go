package offline

import (
	"slices"
	"strings"
)

// key is what groups are made by.
type key struct {
	expr, said string
	period     string // month, week…; empty for no period
	foreign    bool   // of another table, or a foreign key
	plain      bool   // a number, a date or a name: what lists are sorted by
}

// keyAt reads by what groups are made at a place, and how many tokens name it: a period, a parent, a field, or a field of a parent.
func (r *reading) keyAt(i int) (key, int, error) {
	start := i
	for r.tok(i).is("the", "each", "every", "a", "calendar", "their", "its", "our", "different") {
		i++
	}
	if i >= len(r.ts) || r.ts[i].quoted {
		return key{}, 0, nil
	}
	if k, n := r.periodKey(i); n > 0 {
		return k, i + n - start, nil
	}
	k, n, sure := r.ownKey(i)
	if sure == whole && !r.toParent(k) {
		return k, i + n - start, nil
	}
	far, m, s, err := r.parentKey(i)
	if err != nil {
		return key{}, 0, err
	}
	if s > sure || s == sure && m >= n {
		k, n = far, m
	}
	if n == 0 {
		return key{}, 0, nil
	}
	return k, i + n - start, nil
}

// toParent says whether a key is a foreign key: what follows may be a field of its parent.
func (r *reading) toParent(k key) bool {
	f := r.t.field(k.expr)
	return f != nil && f.parent != ""
}

// periodKey reads "month", "quarter", "weekday": of the date that the message points at, else of the table's own.
func (r *reading) periodKey(i int) (key, int) {
	unit := unitOf(r.tok(i).low)
	if p := periodical(r.tok(i).low); p != "" {
		unit = p
	}
	fn := unit
	if r.tok(i).is("weekday", "weekdays", "hour", "hours") {
		unit = strings.TrimSuffix(r.tok(i).low, "s")
		fn = map[string]string{"weekday": "weekday", "hour": "hour_of_day"}[unit]
	}
	n := 1
	if r.tok(i).is("day") && anyAt(r.ts, i+1, "of the week", "of week") > 0 {
		unit, fn, n = "weekday", "weekday", 1+anyAt(r.ts, i+1, "of the week", "of week")
	}
	if unit == "" || unitOf(r.tok(i-1).low) != "" || r.tok(i-1).is("this", "last", "next", "past", "previous") {
		return key{}, 0
	}
	f := r.dateField("")
	if f == nil {
		return key{}, 0
	}
	for k := range r.ts { // closed per month
		if w := r.tok(k); len(w.low) > 3 && !stop(w.low) && !w.quoted && !r.used[k] && r.dateLike(w.low) {
			r.hint = w.low
			f = r.dateField("")
			r.spend(k, k+1)
			r.conds = append(r.conds, cond{expr: f.name + " != null"})
		}
	}
	return key{expr: fn + "(" + f.name + ")", said: unit, period: unit, foreign: true}, n
}

// periodical is the period of monthly and its like.
func periodical(word string) string {
	switch word {
	case "daily":
		return "day"
	case "weekly", "monthly", "quarterly", "yearly":
		return strings.TrimSuffix(word, "ly")
	case "annual", "annually":
		return "year"
	}
	return ""
}

// ownKey is a field of the table itself.
func (r *reading) ownKey(i int) (key, int, int) {
	fs, n, sure := r.named(i)
	if n == 0 || sure < synonym && len(fs) > 1 {
		return key{}, 0, 0
	}
	f := fs[0]
	for _, x := range fs[1:] {
		if f.numeric() && f.parent == "" && !x.numeric() {
			f = x
		}
	}
	k := key{expr: f.name, said: f.called(), foreign: f.parent != "" || len(f.values) > 0 || f.typ == "bool"}
	k.plain = !k.foreign && (f.numeric() || f.dated() || slices.Contains(r.t.labelFields(), f) || r.t.isKey(f))
	return k, n, sure
}

// parentKey is a parent, or a field of a parent or of one of its parents: customers, country, customer segment.
func (r *reading) parentKey(i int) (best key, n, sure int, err error) {
	p, k := r.parentAt(i)
	near, err := r.d.parentsOf(r.t)
	if err != nil {
		return key{}, 0, 0, err
	}
	if k > 0 && len(p.fields) == 1 {
		best, n, sure = key{expr: p.fields[0], said: spoken(r.d.text, r.ts, i, i+k), foreign: true}, k, whole
		if f, m, _ := fieldAt(near[p.name], r.ts, i+k); m > 0 && !separatorAfter(r.ts, i+k) {
			return key{expr: p.name + "." + f.name, said: r.t.singularOf(p) + " " + f.called(), foreign: true}, k + m, whole, nil
		}
		return best, n, sure, nil
	}
	take := func(t *table, path string) {
		if f, m, s := fieldAt(t, r.ts, i); m > 0 && (s > sure || s == sure && m > n) {
			best, n, sure = key{expr: path + f.name, said: f.called(), foreign: true}, m, s
		}
	}
	for _, p := range r.t.parents {
		take(near[p.name], p.name+".")
	}
	if sure >= head {
		return best, n, sure, nil
	}
	for _, p := range r.t.parents {
		if near[p.name] == nil || near[p.name] == r.t {
			continue
		}
		far, err := r.d.parentsOf(near[p.name])
		if err != nil {
			return key{}, 0, 0, err
		}
		up := &reading{d: r.d, t: near[p.name], ts: r.ts, used: r.used}
		if g, m := up.parentAt(i); m > 0 && len(g.fields) == 1 && sure < whole {
			best, n, sure = key{expr: p.name + "." + g.fields[0], said: spoken(r.d.text, r.ts, i, i+m), foreign: true}, m, whole
		}
		for _, g := range near[p.name].parents {
			take(far[g.name], p.name+"."+g.name+".")
		}
	}
	return best, n, sure, nil
}

// singularOf is what the record of a relation is called.
func (t *table) singularOf(p relation) string { return strings.ReplaceAll(p.name, "_", " ") }

// separatorAfter says whether what follows a parent is no word of its field.
func separatorAfter(ts []token, i int) bool { return i < len(ts) && ts[i].mark() }

// fieldAt is the field of a table that is surely named at a place; none of a table that is not there.
func fieldAt(t *table, ts []token, i int) (best *field, n, sure int) {
	if t == nil || i >= len(ts) || ts[i].quoted {
		return nil, 0, 0
	}
	for _, f := range t.fields {
		if k, s := called(f.names, ts, i); s >= synonym && !f.secret && (s > sure || s == sure && k > n) {
			best, n, sure = f, k, s
		}
	}
	return best, n, sure
}
