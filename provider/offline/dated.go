package offline

import (
	"fmt"
	"strings"
)

// compareDate compares a date with a period.
func (r *reading) compareDate(f *field, op operator, i int) (cond, int, error) {
	start := i
	for r.tok(i).is("in", "on", "within", "during", "of", "from") {
		i++
	}
	p, n := periodAt(r.ts, i, true)
	if n == 0 {
		return cond{}, -1, nil
	}
	saidAt := spoken(r.d.text, r.ts, i, i+n)
	switch op.op {
	case "between":
		if q, k := periodAt(r.ts, i+n+1, true); k > 0 {
			return cond{span(f.name, p.from, q.before), f.called() + " between " + saidAt + " and " + spoken(r.d.text, r.ts, i+n+1, i+n+1+k)}, i + n + 1 + k - start, nil
		}
	case "<", "before":
		return cond{f.name + " < " + p.from, f.called() + " before " + saidAt}, i + n - start, nil
	case ">", "after":
		if p.before == "" {
			p.before = "now()"
		}
		return cond{f.name + " >= " + p.before, f.called() + " after " + saidAt}, i + n - start, nil
	case ">=":
		return cond{f.name + " >= " + p.from, f.called() + " since " + saidAt}, i + n - start, nil
	case "<=", "until":
		if p.before == "" {
			p.before = "now()"
		}
		return cond{f.name + " < " + p.before, f.called() + " until " + saidAt}, i + n - start, nil
	case "since":
		if !r.tok(start - 1).is("from") {
			return cond{f.name + " >= " + p.from, f.called() + " since " + saidAt}, i + n - start, nil
		}
	}
	c := cond{span(f.name, p.from, p.before), f.called() + ": " + saidAt}
	if op.no {
		c = cond{"!(" + c.expr + ")", f.called() + ": not " + saidAt}
	}
	return c, i + n - start, nil
}

func span(name, from, before string) string {
	if before == "" {
		return name + " >= " + from
	}
	return name + " >= " + from + " && " + name + " < " + before
}

// dated reads a period that no field goes with: "from last month", "opened this week", "since 2024", "older than 30 days".
func (r *reading) dated(i int) (int, error) {
	n, hint := 0, ""
	if w := r.tok(i); len(w.low) >= 3 && !w.quoted && !stop(w.low) && !w.is("since", "before", "after", "until", "from", "date") && r.dateLike(w.low) {
		n, hint = 1, w.low
	}
	op, ok := operatorAt(r.ts, i+n)
	if !ok || op.op == "==" {
		op = operator{}
	}
	n += op.n
	lead := op.op == "since" || op.op == "before" || op.op == "after" || op.op == "until" || op.op == "between"
	for r.tok(i+n).is("in", "during", "within", "on", "of", "for", "from", "at") {
		lead = lead || !r.tok(i+n).is("of")
		n++
	}
	if k, old := r.age(i, n, op, hint); old {
		return k, nil
	}
	_, k := periodAt(r.ts, i+n, lead || hint != "")
	f := r.dateField(hint)
	if k == 0 || f == nil || op.n > 0 && !lead {
		return 0, nil
	}
	c, m, err := r.compareDate(f, op, i+n)
	if err != nil || m < 0 {
		return 0, err
	}
	r.conds = append(r.conds, c)
	return n + m, nil
}

// dateLike says whether some date is called after a verb: opened_at, hire_date.
func (r *reading) dateLike(verb string) bool {
	for _, f := range r.t.fields {
		for _, w := range words(f.name + " " + f.label) {
			if f.dated() && len(w) > 2 && (stem(w) == stem(verb) || len(verb) > 4 && strings.HasPrefix(stem(w), stem(verb))) {
				return true
			}
		}
	}
	return false
}

// age reads "older than 30 days".
func (r *reading) age(i, n int, op operator, hint string) (int, bool) {
	num, ok := r.tok(i + n).figure()
	u := unitOf(r.tok(i + n + 1).low)
	f := r.dateField(hint)
	if !ok || u == "" || f == nil || op.op != ">" && op.op != "<" || strings.Contains(num, ".") {
		return 0, false
	}
	limit := weeks(period{from: fmt.Sprintf("today() - %ss(%s)", u, num)}).from
	c := cond{f.name + " < " + limit, f.called() + " more than " + num + " " + r.tok(i+n+1).low + " ago"}
	if op.op == "<" {
		c = cond{f.name + " >= " + limit, f.called() + " within " + num + " " + r.tok(i+n+1).low}
	}
	r.conds = append(r.conds, c)
	n += 2
	if r.tok(i+n).is("ago", "old") {
		n++
	}
	return n, true
}
