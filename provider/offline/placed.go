package offline

import (
	"fmt"
	"strings"
)

// placed reads a text behind a small word: "in Norway", "by AC/DC", "called Acme".
func (r *reading) placed(i int) (int, error) {
	if n, err := r.elsewhere(i); n > 0 || err != nil {
		return n, err
	}
	if !r.tok(i).is("in", "from", "at", "near", "of", "by", "for", "named", "called", "around", "within") {
		return 0, nil
	}
	n := 1
	for r.tok(i + n).is("the") {
		n++
	}
	if i+n >= len(r.ts) || r.used[i+n] || r.ts[i+n].mark() || !r.ts[i+n].quoted && stop(r.ts[i+n].low) {
		return 0, nil
	}
	if c, k := r.adjective(i + n); k > 0 {
		r.conds = append(r.conds, c)
		return n + k, nil
	}
	how := plainly
	switch {
	case r.tok(i).is("in", "from", "at", "near", "around", "within"):
		how = place
	case r.tok(i).is("by"):
		how = by
	}
	return r.probed(i, n, how)
}

// elsewhere reads "not in Norway", "outside Oslo".
func (r *reading) elsewhere(i int) (int, error) {
	n, no, out := 0, false, false
	for r.tok(i+n).is("not", "outside", "except", "excluding", "aren't", "isn't", "based", "located", "living") && n < 3 {
		out = r.tok(i + n).is("outside")
		no = no || !r.tok(i+n).is("based", "located", "living")
		n++
	}
	near := r.tok(i+n).is("in", "from", "at", "near")
	if !no || !near && !out {
		return 0, nil
	}
	if near {
		n++
	}
	before := len(r.conds)
	k, err := r.probed(i, n, place)
	if err != nil {
		return 0, err
	}
	for c := before; c < len(r.conds); c++ {
		if strings.HasPrefix(r.conds[c].said, "with ") {
			return 0, unclear(fmt.Sprintf("No text of the %s is exactly %q, so I cannot leave it out.", r.t.noun(2), spoken(r.d.text, r.ts, i+n, i+k)))
		}
		r.conds[c] = cond{negate([]string{r.conds[c].expr}), denied(r.conds[c].said)}
	}
	return k, nil
}

// left reads words that nothing else explains: they are looked for in the texts, never passed over.
func (r *reading) left(i int) (int, error) {
	t := r.ts[i]
	if t.mark() || !t.quoted && stop(t.low) {
		return 1, nil
	}
	if _, ok := t.figure(); ok {
		return 0, unclear(fmt.Sprintf("I do not see what %s is about. Please name the field, as in: %s with … %s.", t.text, r.t.noun(2), t.text))
	}
	f := r.explains(t.low)
	if f == nil && t.is("assigned", "handled", "owned", "managed") {
		f = r.t.assignee()
	}
	if f != nil || r.tok(i+1).is("by") {
		return r.passive(i, f)
	}
	return r.probed(i, 0, plainly)
}

// explains says whether a word is a verb of some field's name: customers that Jane supports, with a support_rep_id.
func (r *reading) explains(word string) *field {
	for _, f := range r.t.fields {
		for _, w := range words(f.name + " " + f.label) {
			if len(w) > 3 && stem(w) == stem(word) {
				return f
			}
		}
	}
	return nil
}

// passive reads who stands behind a verb, where the verb names a foreign key: "report to Nancy Edwards".
func (r *reading) passive(i int, f *field) (int, error) {
	n := 1
	for r.tok(i+n).is("by", "to", "with", "for") {
		n++
	}
	if f == nil || f.parent == "" || i+n >= len(r.ts) || r.used[i+n] || !r.ts[i+n].capital() || r.ts[i+n].mark() {
		return 1, nil
	}
	to := nameEnd(r.ts, i+n)
	name := spoken(r.d.text, r.ts, i+n, to)
	expr, err := r.d.refersTo(f, name)
	if err != nil {
		return 0, err
	}
	r.conds = append(r.conds, cond{expr, f.called() + ` is "` + name + `"`})
	return to - i, nil
}

// probed makes a condition of a text n tokens behind a place, and of those that follow it after "or", "and" and commas.
func (r *reading) probed(i, n int, how hint) (int, error) {
	var exprs, saids []string
	at := i + n
	for {
		c, to, err := r.probe1(at, how)
		if err != nil {
			return 0, err
		}
		exprs, saids = append(exprs, c.expr), append(saids, c.said)
		next := r.tok(to + 1)
		if at = to + 1; how != place || !r.tok(to).is("or", "and", ",") || at >= len(r.ts) || r.used[at] || !next.capital() || len(exprs) > 4 {
			r.conds = append(r.conds, cond{either(exprs), strings.Join(saids, " or ")})
			return to - i, nil
		}
	}
}

func (r *reading) probe1(at int, how hint) (cond, int, error) {
	to := nameEnd(r.ts, at)
	for k := at; k < to; k++ {
		if r.used[k] || k > at && r.tok(k).quoted {
			to = k
		}
	}
	to = min(max(to, at+1), len(r.ts))
	want := spoken(r.d.text, r.ts, at, to)
	if want == "" {
		return cond{}, to, errLost
	}
	var c *cond
	var err error
	if r.scope != nil {
		if c, err = r.d.exactly(r.t, r.scope, want); c == nil && err == nil {
			c, err = r.d.loosely(r.t, r.scope, want)
		}
	} else {
		c, err = r.d.probe(r.t, want, how)
	}
	if err != nil {
		return cond{}, to, err
	}
	if c == nil {
		return cond{}, to, unclear(fmt.Sprintf("I found no %s for %q: no text of theirs, or of the records they belong to, says so.", r.t.noun(2), want))
	}
	return *c, to, nil
}
