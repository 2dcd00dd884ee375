package offline

import (
	"slices"
	"strings"
)

// figures is a question about many records of one table at once: what is measured, of which, in which groups.
type figures struct {
	*ask
	r     *reading // of the table whose records count; its conditions are the question's
	expr  string   // what is added up or averaged
	said  string
	named []key
	part  []cond // what a share is of
}

// analysis says whether figures can be had; a set that is not active yet is asked for.
func (d *desk) analysis() (bool, error) {
	return d.has("analyze_records", "analysis")
}

// figures answers what a message asks of many records at once; ok says that it asks for that.
func (d *desk) figures(start int) (text string, ok bool, err error) {
	a := asked(d.words, start)
	for _, on := range []func(*ask) (string, bool, error){d.redraw, d.again} {
		if text, ok, err := on(a); ok || err != nil {
			return text, true, err
		}
	}
	if !a.any() {
		return "", false, nil
	}
	if can, err := d.analysis(); !can || err != nil {
		return "", err != nil, err
	}
	if err := d.listed(); err != nil {
		return "", true, err
	}
	m, err := d.counted(a)
	before := d.carriedOver(a, m)
	if before != nil {
		m = mention{from: -1, to: -1, table: d.schema.find(before.arg("table"))}
	}
	if m.table == nil || err != nil {
		return "", err != nil, err
	}
	q := &figures{ask: a, r: d.read(m)}
	if w := before.arg("where"); w != "" {
		q.r.conds = append(q.r.conds, cond{bracketed(w), "as before"})
	}
	if ok, err = q.understood(m); !ok || err != nil {
		return "", err != nil, err
	}
	if a.two[1].to > 0 {
		text, err = q.side()
	} else {
		text, err = q.answer()
	}
	return text, true, err
}

// carriedOver is the list that a message without a table goes on with: "how many per city?"; nil where it names one.
func (d *desk) carriedOver(a *ask, m mention) *exchange {
	c := d.presented(nil)
	if m.table != nil || c == nil || len(a.keys) == 0 && a.rank == 0 || a.rank != 0 && len(d.mentions(a.ts)) > 0 {
		return nil
	}
	if t := d.schema.find(c.arg("table")); t == nil || !t.described {
		return nil
	}
	return c
}

// counted is the table whose records are counted or added up: the one that a message names outside of its groups, else the one that has the figure.
func (d *desk) counted(a *ask) (mention, error) {
	groups := func(m mention) bool {
		return a.x.has(m.from) || slices.ContainsFunc(a.keys, func(p spot) bool {
			return m.from >= p.at && m.from <= p.at+1 && (m.from == p.at || a.tok(p.at).is("the", "each", "every"))
		})
	}
	var out, group mention
	for _, m := range d.mentions(a.ts) {
		switch {
		case a.gone[m.from]:
		case groups(m):
			if group.table == nil {
				group = m
			}
		case out.table == nil || a.x.to > 0 && out.from < a.x.to && m.from >= a.from:
			out = m
		}
	}
	if out.table == nil {
		return d.owner(a, group.table)
	}
	if x := d.refOf(a.ts, out); x.id != "" && !a.share && len(a.keys) == 0 && a.rank == 0 {
		if !a.spent {
			return mention{}, nil // the total of invoice 5
		}
		return d.owner(a, out.table) // the revenue of customer 5
	}
	return out, d.describe(out.table.name)
}

// owner is the table that has the figure of a message that names none: among the children of the groups' table, else among all.
func (d *desk) owner(a *ask, group *table) (mention, error) {
	var names []string
	if group != nil {
		if err := d.describe(group.name); err != nil {
			return mention{}, err
		}
		if group = d.schema.find(group.name); group == nil {
			return mention{}, nil
		}
		own := &reading{d: d, t: group, ts: a.ts, used: make([]bool, len(a.ts))}
		if _, _, sure := own.measuredAt(own.past0(a.from)); sure >= synonym {
			return mention{}, nil // the employee with the highest salary: a list
		}
		for _, c := range group.children {
			if c.table != group.name {
				names = append(names, c.table)
			}
		}
	} else if a.from < 0 && a.rank == 0 && a.least == "" {
		return mention{}, nil
	} else {
		if c := d.presented(nil); c != nil {
			names = append(names, c.arg("table")) // the first of equals
		}
		for _, t := range d.schema.tables {
			names = append(names, t.name)
		}
	}
	if err := d.describeAll(names); err != nil {
		return mention{}, err
	}
	var best mention
	for _, n := range names {
		t := d.schema.find(n)
		if t == nil || !t.described {
			continue
		}
		r := &reading{d: d, t: t, ts: a.ts, used: make([]bool, len(a.ts))}
		at := r.past0(a.from)
		_, _, sure := r.measuredAt(at)
		if f := t.quantity(); a.sold && f != nil {
			sure = whole
		}
		if (a.spent || a.verb == "sum") && sure == 0 {
			_, sure, _ = r.money()
		}
		if sure > best.sure {
			best = mention{from: -1, to: -1, sure: sure, table: t}
		}
	}
	return best, nil
}

// past0 is the place behind small words before a measure.
func (r *reading) past0(i int) int {
	for i >= 0 && r.tok(i).is("of", "the", "all", "our", "their", "a", "in", "for") {
		i++
	}
	return i
}

// understood reads groups, measure and conditions; false says that the message asks for no figures after all.
func (q *figures) understood(m mention) (bool, error) {
	r := q.r
	for i, gone := range q.gone {
		r.used[i] = r.used[i] || gone
	}
	if m.from >= 0 {
		r.spend(m.from, m.to)
	}
	if ok, err := q.groups(m); !ok || err != nil {
		return false, err
	}
	if anyOf(q.ts, "median", "percentile") {
		return false, unclear("I know averages, not medians: ask for the average, the lowest or the highest.")
	}
	if err := q.measure(m); err != nil {
		return false, err
	}
	if q.expr == "" && (q.verb == "max" || q.verb == "min") && len(q.named) == 0 {
		return false, nil // the biggest customers: a list
	}
	if q.verb == "count" && len(q.named) == 0 && !q.share && q.two[1].to == 0 {
		return false, nil
	}
	for i := range r.ts {
		if r.tok(i).is("make", "earn", "sell", "generate", "altogether", "average", "compare", "overall", "together") {
			r.spend(i, i+1)
		}
	}
	if err := q.filter(); err != nil {
		return false, err
	}
	if len(q.named) > 0 && (len(r.order) > 0 || r.limit > 0) {
		return false, unclear("I can count and add up the " + r.t.noun(2) + " of each group, not pick the first ones of each.")
	}
	if q.rank != 0 || q.least != "" {
		for _, k := range q.named {
			r.conds = append(r.conds, cond{k.expr + " != null", ""})
		}
	}
	return true, nil
}

// groups reads what groups are made by; false says that what is named makes none.
func (q *figures) groups(m mention) (bool, error) {
	if q.x.from < q.x.to {
		if ok, err := q.ranked(m); !ok || err != nil {
			return false, err
		}
	}
	for _, p := range q.keys {
		if err := q.keyed(p); err != nil {
			return false, err
		}
	}
	return len(q.named) > 0 || !q.weak(), nil
}

// ranked reads the groups of which the first ones are wanted, or those that must have something.
func (q *figures) ranked(m mention) (bool, error) {
	r := q.r
	k, n, err := r.keyAt(q.x.from)
	if err != nil {
		return false, err
	}
	if f := r.t.assignee(); n == 0 && f != nil && q.tok(q.x.from).is("who", "whose") {
		k, n = key{expr: f.name, said: f.called(), foreign: true}, 1
	}
	if n < q.x.to-q.x.from || m.from < 0 && k.plain {
		return false, nil
	}
	if group := r.d.mentionAt(q.ts, q.x.from).table; group != nil && (q.rank < 0 || q.least != "") && r.d.parentOf(r.t, group) {
		return false, nil // of those with none too: a list of them
	}
	q.named = append(q.named, k)
	r.spend(q.x.from, q.x.from+n)
	return true, nil
}

// keyed reads the groups at a place, and those that "and" joins to them.
func (q *figures) keyed(p spot) error {
	r := q.r
	for at, weak := p.at, p.weak; ; weak = true {
		k, n, err := r.keyAt(at)
		switch {
		case err != nil:
			return err
		case n == 0 && !weak:
			return unclear("I do not see what “" + spoken(r.d.text, q.ts, at, min(at+2, len(q.ts))) + "” is of " + r.t.noun(2) + ", so I cannot make groups by it.")
		case n == 0, q.weak() && q.listing(k):
			return nil
		}
		q.named = append(q.named, k)
		r.spend(p.at, at+n)
		if at += n; !r.tok(at).is("and", ",") {
			return nil
		}
		at++
	}
}

// parentOf says whether records of a table belong to those of another.
func (d *desk) parentOf(t, parent *table) bool {
	return slices.ContainsFunc(t.parents, func(p relation) bool { return p.table == parent.name })
}

// listing says whether "by" some key asks for an order of a list rather than for groups.
func (q *figures) listing(k key) bool {
	if k.period != "" {
		return false
	}
	listed := q.tok(0).is("list", "show", "display", "find", "get", "give")
	return k.plain || listed && q.verb == "" || !k.foreign && q.verb == "" && strings.Contains(k.expr, ".") && listed
}

// measure reads what is added up, averaged or compared: behind the word that says so, or behind the table's name.
func (q *figures) measure(m mention) error {
	r := q.r
	for _, at := range []int{q.from, m.to} {
		if at < 0 || q.verb == "count" {
			continue
		}
		at = r.past0(at)
		x, n, _ := r.measuredAt(at)
		if verb, k := aggregate(q.ts, at); n == 0 && k > 0 && !r.used[at] {
			r.spend(at, at+k)
			if q.verb = firstOf(q.verb, verb); q.verb == "count" {
				return nil
			}
			at = r.past0(at + k)
			x, n, _ = r.measuredAt(at)
		}
		if n == 0 || strings.HasPrefix(r.tok(at-1).low, "with") {
			continue
		}
		r.spend(at, at+n)
		q.expr, q.said = x.expr, x.said
		if q.verb == "" {
			q.verb = x.verb
		}
		return nil
	}
	if f := r.t.quantity(); q.sold && f != nil {
		q.verb, q.expr, q.said = "sum", f.name, f.called()
		return nil
	}
	if q.verb == "" && !q.spent {
		q.verb = "count"
	}
	if q.verb == "count" {
		return nil
	}
	if len(q.named) == 0 && (q.verb == "max" || q.verb == "min") {
		return nil
	}
	if q.verb == "avg" {
		if ok, err := q.averageCount(m); ok || err != nil {
			return err
		}
	}
	return q.money()
}

// averageCount reads "average number of orders per customer": how many children a record has.
func (q *figures) averageCount(m mention) (bool, error) {
	r := q.r
	if len(q.named) != 1 || m.from < 0 {
		return false, nil
	}
	for _, p := range r.t.parents {
		if len(p.fields) != 1 || p.fields[0] != q.named[0].expr {
			continue
		}
		if err := r.d.describe(p.table); err != nil {
			return false, err
		}
		t := r.d.schema.find(p.table)
		for _, c := range t.children {
			if c.table == r.t.name {
				q.expr, q.said, q.named = c.name+".count()", "number of "+r.t.noun(2), nil
				q.r = &reading{d: r.d, t: t, ts: r.ts, used: r.used}
				return true, nil
			}
		}
	}
	return false, nil
}

// money is the figure of a table when the message names none.
func (q *figures) money() error {
	if _, sure, names := q.r.t.figure(); sure == 0 && len(names) == 0 { // the answer points at children
		var children []string
		for _, c := range q.r.t.children {
			children = append(children, c.table)
		}
		if err := q.r.d.describeAll(children); err != nil {
			return err
		}
	}
	x, _, err := q.r.money()
	if anyOf(q.ts, "cheapest", "expensive") {
		var f *field
		if f, err = q.r.figureField("price"); err == nil {
			x = measured{expr: f.name, said: f.called()}
		}
	}
	q.expr, q.said = x.expr, x.said
	if q.verb == "" {
		q.verb = "sum"
	}
	return err
}
