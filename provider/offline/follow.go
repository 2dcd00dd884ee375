package offline

import (
	"regexp"
	"slices"
	"strings"
)

// presented is the last list, record or number of earlier turns that a person saw, of one table or of any (nil): probes are left out.
func (d *desk) presented(t *table) *exchange {
	for i := len(d.calls) - 1; i >= 0; i-- {
		c := &d.calls[i]
		name := c.arg("table")
		if c.turn == len(d.said) || name == "" || t != nil && t.name != name || c.result == nil || c.result.err != "" {
			continue
		}
		switch c.tool {
		case "get_record", "update_record", "delete_record", "count_records", "analyze_records":
			return c
		case "query_records":
			if d.wasShown(c.result.ref) {
				return c
			}
		}
	}
	return nil
}

func (d *desk) wasShown(call string) bool {
	return slices.ContainsFunc(d.calls, func(c exchange) bool { return c.tool == "present_results" && c.arg("call_id") == call })
}

// shown is the record that "it" or "this customer" means: the screen's, else the one that was shown last, if it was one.
func (d *desk) shown(t *table) (tableName, id string) {
	if d.screen.record != "" && d.screen.table != "" && (t == nil || d.screen.table == t.name) {
		return d.screen.table, d.screen.record
	}
	c := d.presented(t)
	if c == nil {
		return "", ""
	}
	if id := c.arg("id"); id != "" {
		return c.arg("table"), id
	}
	s := d.schema.find(c.arg("table"))
	one := len(c.result.rows) == 1 || len(c.result.rows) > 0 && anyOf(d.words, "first")
	if c.tool != "query_records" || s == nil || len(s.key) == 0 || !one {
		return "", ""
	}
	return s.name, c.result.recordID(0, s.key)
}

func pronoun(ts []token) bool { return anyOf(ts, "it", "its", "his", "her", "he", "she", "him") }

// carry takes over the last question's conditions for "those in Oslo", or its record for "it".
func (r *reading) carry() error {
	if pronoun(r.ts) || anyOf(r.ts, "this", "record") && !anyOf(r.ts, "week", "month", "year", "quarter") || anyOf(r.ts, "first") && anyOf(r.ts, "one") {
		if _, id := r.d.shown(r.t); id != "" {
			r.id = id
			return nil
		}
		return unclear("Which " + r.t.noun(1) + " do you mean? Please say its id or its name.")
	}
	bare := countAsked.MatchString(r.d.text) && len(r.ts) <= 3
	if !bare && !anyOf(r.ts, "those", "them", "these", "they", "ones", "only", "just", "there") {
		return nil
	}
	if c := r.d.presented(r.t); c != nil && c.arg("where") != "" {
		r.conds = append(r.conds, cond{bracketed(c.arg("where")), "as before"})
	}
	return nil
}

func bracketed(w string) string {
	if strings.Contains(w, "||") && !outer(w) {
		return "(" + w + ")"
	}
	return w
}

// owned reads "his invoices": those of the record that was shown last.
func (r *reading) owned(m mention) {
	if m.from < 1 || !r.tok(m.from-1).is("its", "his", "her", "their") {
		return
	}
	for _, p := range r.t.parents {
		t := r.d.schema.find(p.table)
		if t == nil || len(p.fields) != 1 {
			continue
		}
		if _, id := r.d.shown(t); id != "" {
			r.conds = append(r.conds, cond{p.fields[0] + " == " + literal(r.t.field(p.fields[0]), id), t.noun(1) + " " + id})
			r.spend(m.from-1, m.from)
			return
		}
	}
}

// counts says whether a question that goes on with the last one wants a number, as that one did.
func (d *desk) counts(m mention) bool {
	if m.from >= 0 && !(len(d.words) > 0 && d.words[0].is("and")) || anyOf(d.words, "show", "list", "sort", "sorted", "order", "which", "who") {
		return false
	}
	c := d.presented(nil)
	if c == nil || c.tool != "count_records" {
		return false
	}
	for _, o := range d.calls { // the count beside a long list is no answer of its own
		if o.turn == c.turn && o.tool == "query_records" && o.result != nil && d.wasShown(o.result.ref) {
			return false
		}
	}
	return true
}

var nextPage = regexp.MustCompile(`(?i)^\s*(show |see |give me |list )?(me )?(the )?(next( \d+| page| ones)?|more|more please|continue|the rest)\s*[.!?]*\s*$`)

// more goes on with the last list.
func (d *desk) more() (string, bool, error) {
	if !nextPage.MatchString(d.text) {
		return "", false, nil
	}
	for i := len(d.calls) - 1; i >= 0; i-- {
		c := d.calls[i]
		if c.turn == len(d.said) || c.tool != "query_records" || c.result == nil {
			continue
		}
		t := d.schema.find(c.arg("table"))
		if t == nil || !c.result.more {
			return "There are no more.", true, nil
		}
		args := c.query()
		args.Offset += len(c.result.rows)
		r := &reading{d: d, t: t}
		text, err := r.run(args)
		return text, true, err
	}
	return "", false, nil
}
