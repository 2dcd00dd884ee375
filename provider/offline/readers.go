package offline

import (
	"fmt"
	"strings"
)

// absent reads "without email", "with no orders", "that have no invoices".
func (r *reading) absent(i int) (int, error) {
	n := anyAt(r.ts, i, "without", "without any", "with no", "have no", "has no", "having no", "no", "missing", "lacking", "do not have", "don't have", "never placed")
	if n == 0 {
		return r.present(i)
	}
	for r.tok(i+n).is("a", "an", "any", "the") {
		n++
	}
	if c, k := r.child(i + n); k > 0 {
		r.conds = append(r.conds, cond{"!" + c.name + ".exists()", "without " + spoken(r.d.text, r.ts, i+n, i+n+k)})
		return n + k, nil
	}
	if fs, k, _ := r.named(i + n); k > 0 {
		r.conds = append(r.conds, blankCond(fs, false))
		return n + k, nil
	}
	return 0, nil
}

// present reads "with invoices", "with open tickets", "with more than 3 orders".
func (r *reading) present(i int) (int, error) {
	n := anyAt(r.ts, i, "with", "having", "who have", "that have", "which have", "have", "has", "who placed", "that has")
	if n == 0 || anyAt(r.ts, i+n, "most", "the most", "fewest", "the fewest", "least", "the least") > 0 {
		return 0, nil
	}
	op, counted := operatorAt(r.ts, i+n)
	if counted && op.op != "" && strings.ContainsAny(op.op, "<>=") && op.n > 0 {
		if f, ok := r.tok(i + n + op.n).figure(); ok {
			if c, k := r.child(i + n + op.n + 1); k > 0 {
				r.conds = append(r.conds, cond{c.name + ".count() " + op.op + " " + f, fmt.Sprintf("%s %s %s", saidOp(op.op), f, spoken(r.d.text, r.ts, i+n+op.n+1, i+n+op.n+1+k))})
				return n + op.n + 1 + k, nil
			}
		}
		return 0, nil
	}
	for j := i + n; j < i+n+3; j++ {
		c, k := r.child(j)
		if k == 0 {
			continue
		}
		return r.presentChild(c, i+n, j, k, i)
	}
	return 0, nil
}

// presentChild asks for a child, with the words before it as values of its lists.
func (r *reading) presentChild(c relation, from, at, k, start int) (int, error) {
	body := ""
	if from < at && !r.tok(from).is("a", "an", "any", "the", "some") {
		if err := r.d.describe(c.table); err != nil {
			return 0, err
		}
		child := &reading{d: r.d, t: r.d.schema.find(c.table), ts: r.ts, used: make([]bool, len(r.ts))}
		if child.t == nil {
			return 0, nil
		}
		x, n := child.adjective(from)
		if n == 0 {
			return 0, nil
		}
		body = "c, c." + x.expr
		if rest, ok := strings.CutPrefix(x.expr, "!"); ok {
			body = "c, !c." + rest
		}
	}
	r.conds = append(r.conds, cond{c.name + ".exists(" + body + ")", "with " + spoken(r.d.text, r.ts, from, at+k)})
	return at + k - start, nil
}

// parentAt is the parent that is named at a place, by its table or by the relation.
func (r *reading) parentAt(i int) (relation, int) {
	if i >= len(r.ts) {
		return relation{}, 0
	}
	var best relation
	n, sure := 0, 0
	for _, p := range r.t.parents {
		names := namesOf(p.name, "")
		if t := r.d.schema.find(p.table); t != nil {
			for w, s := range t.names {
				names[w] = max(names[w], s)
			}
		}
		if k, s := called(names, r.ts, i); s >= 2 && (s > sure || k > n) {
			best, n, sure = p, k, s
		}
	}
	return best, n
}

// related reads "of customer 12", "for customer Acme AS", "customer 12's".
func (r *reading) related(i int) (int, error) {
	n := anyAt(r.ts, i, "of", "for", "by", "from", "to", "with", "in", "on", "belonging to", "placed by", "made by", "and")
	for r.tok(i+n).is("the", "this", "that", "a") && n < 4 {
		n++
	}
	if p, k := r.parentAt(i + n); k > 0 && !r.used[i+n] {
		return r.parent(i, n, p, k)
	}
	m := mention{}
	if i+n < len(r.ts) && !r.used[i+n] {
		m = r.d.mentionAt(r.ts, i+n)
	}
	if m.table == nil || m.sure < 2 || m.table == r.t {
		return 0, nil
	}
	x := r.d.refOf(r.ts, m)
	if x.none() {
		return 0, nil
	}
	expr, err := r.far(m.table, x)
	if err != nil {
		return 0, err
	}
	if expr == "" {
		return 0, unclear("I do not see how " + r.t.noun(2) + " belong to a " + m.table.noun(1) + ": no relation leads from the one to the other in two steps.")
	}
	r.conds = append(r.conds, cond{expr, spoken(r.d.text, r.ts, m.from, x.to)})
	return r.past(x.to) - i, nil
}

func (r *reading) past(to int) int {
	if r.tok(to).is("'s") {
		to++
	}
	return to
}

func (r *reading) parent(i, n int, p relation, k int) (int, error) {
	m := mention{from: i + n, to: i + n + k}
	x := r.d.refOf(r.ts, m)
	if err := r.d.describe(p.table); err != nil {
		return 0, err
	}
	t := r.d.schema.find(p.table)
	if t == nil || len(p.fields) != 1 {
		return 0, nil
	}
	if x.none() { // invoices of customers in Norway
		r.scope = t.texts(p.name, place)
		return n + k, nil
	}
	id, err := r.d.identify(t, x)
	if err != nil {
		return 0, err
	}
	said := spoken(r.d.text, r.ts, i+n, x.to)
	if x.this {
		said = t.noun(1) + " " + id
	}
	r.conds = append(r.conds, cond{p.fields[0] + " == " + literal(r.t.field(p.fields[0]), id), said})
	return r.past(x.to) - i, nil
}

// literal writes an id for the field that holds it.
func literal(f *field, id string) string {
	if f != nil && f.numeric() && number.MatchString(id) {
		return id
	}
	return quote(id)
}

// far is the condition on a table two steps up, or one step down; empty where it is neither.
func (r *reading) far(t *table, x ref) (string, error) {
	for _, c := range r.t.children {
		if c.table != t.name {
			continue
		}
		if err := r.d.describe(t.name); err != nil || len(t.key) != 1 {
			return "", err
		}
		id, err := r.d.identify(r.d.schema.find(t.name), x)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s.exists(c, c.%s == %s)", c.name, t.key[0], literal(t.field(t.key[0]), id)), nil
	}
	parents, err := r.d.parentsOf(r.t)
	if err != nil {
		return "", err
	}
	for _, p := range r.t.parents {
		pt := parents[p.name]
		if pt == nil {
			continue
		}
		for _, g := range pt.parents {
			if g.table != t.name || len(g.fields) != 1 {
				continue
			}
			if err := r.d.describe(t.name); err != nil {
				return "", err
			}
			id, err := r.d.identify(t, x)
			return p.name + "." + g.fields[0] + " == " + literal(pt.field(g.fields[0]), id), err
		}
	}
	return r.across(t, x)
}

// across is the condition on a table at the other side of one that joins the two.
func (r *reading) across(t *table, x ref) (string, error) {
	for _, c := range r.t.children {
		if err := r.d.describe(c.table); err != nil {
			return "", err
		}
		child := r.d.schema.find(c.table)
		if child == nil {
			continue
		}
		for _, p := range child.parents {
			if p.table != t.name || len(p.fields) != 1 {
				continue
			}
			if err := r.d.describe(t.name); err != nil {
				return "", err
			}
			id, err := r.d.identify(t, x)
			return fmt.Sprintf("%s.exists(c, c.%s == %s)", c.name, p.fields[0], literal(child.field(p.fields[0]), id)), err
		}
	}
	return "", nil
}

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

// figured reads a comparison that no field goes with: "over 10", "cheaper than 50", "between 5 and 10 milliseconds".
func (r *reading) figured(i int) (int, error) {
	op, ok := operatorAt(r.ts, i)
	if ok && (op.op == "contains" || op.op == "startsWith" || op.op == "endsWith") && i+op.n < len(r.ts) {
		if fs := r.t.labelFields(); len(fs) > 0 {
			c, k, err := r.compare(fs, op, i+op.n)
			if err != nil || k < 0 {
				return 0, err
			}
			r.conds = append(r.conds, c)
			return op.n + k, nil
		}
	}
	if !ok || op.n == 0 || !strings.ContainsAny(op.op, "<>b") || op.op == "blank" || op.op == "before" {
		return 0, nil
	}
	at := i + op.n
	if _, ok := r.tok(at).figure(); !ok {
		return 0, nil
	}
	after := at + 1
	if op.op == "between" {
		after = at + 3
	}
	if fs, n, _ := r.named(after); n > 0 && fs[0].numeric() {
		c, k, err := r.compare(fs, op, at)
		if err != nil || k < 0 {
			return 0, err
		}
		r.conds = append(r.conds, c)
		return op.n + k + n, nil
	}
	f, err := r.figureField(joinLow(r.ts, max(0, i-1), op.n+1))
	if err != nil {
		return 0, err
	}
	c, k, err := r.compare([]*field{f}, op, at)
	if err != nil || k < 0 {
		return 0, err
	}
	r.conds = append(r.conds, c)
	return op.n + k, nil
}

// listed reads a value of a value list, or a flag: "open", "unpaid", "in progress", "not active".
func (r *reading) listed(i int) (int, error) {
	n := 0
	for r.tok(i+n).is("that", "which", "who", "are", "is", "not", "still", "marked", "as", "currently", "aren't", "isn't") && n < 4 {
		n++
	}
	c, k := r.adjective(i + n)
	if k == 0 {
		return 0, nil
	}
	if n > 0 && anyOf(r.ts[i:i+n], "not", "aren't", "isn't") {
		c = cond{negate([]string{c.expr}), denied(c.said)}
	}
	r.conds = append(r.conds, c)
	n += k
	if fs, k, _ := r.named(i + n); k > 0 && strings.HasPrefix(c.expr, fs[0].name+" ") {
		n += k // high priority
	}
	return n, nil
}

func denied(said string) string {
	if head, rest, ok := strings.Cut(said, " is "); ok {
		return head + " is not " + rest
	}
	return "not " + said
}

// adjective is the condition that words at a place mean as values.
func (r *reading) adjective(i int) (cond, int) {
	for k := min(4, len(r.ts)-i); k > 0; k-- {
		if r.used[i] || r.ts[i].quoted || k == 1 && stop(r.ts[i].low) && r.ts[i].low != "new" {
			continue
		}
		joined := joinLow(r.ts, i, k)
		for _, f := range r.t.fields {
			if v, ok := f.pick(joined); ok {
				return cond{f.name + " == " + literal(f, v), f.called() + ` is "` + v + `"`}, k
			}
		}
	}
	if i >= len(r.ts) || r.used[i] || r.ts[i].quoted {
		return cond{}, 0
	}
	if c, ok := r.flag(i); ok {
		return c, 1
	}
	for _, prefix := range []string{"un", "non-", "non", "in", "not-"} {
		rest, ok := strings.CutPrefix(r.ts[i].low, prefix)
		for _, f := range r.t.fields {
			if v, found := f.pick(rest); ok && found {
				return cond{f.name + " != " + literal(f, v), f.called() + ` is not "` + v + `"`}, 1
			}
		}
	}
	return cond{}, 0
}

// flag reads a yes-or-no field by its name: "active", "unpaid".
func (r *reading) flag(i int) (cond, bool) {
	for _, f := range r.t.fields {
		if f.typ != "bool" {
			continue
		}
		if _, sure := called(f.names, r.ts, i); sure > 0 && !stop(r.ts[i].low) {
			return cond{f.name + " == true", f.called()}, true
		}
		for _, prefix := range []string{"un", "non-", "non", "in", "not-"} {
			if rest, ok := strings.CutPrefix(r.ts[i].low, prefix); ok && f.names[squeeze(rest)] > 0 {
				return cond{f.name + " == false", "not " + f.called()}, true
			}
		}
	}
	return cond{}, false
}

// placed reads a text behind a small word: "in Norway", "by AC/DC", "called Acme".
func (r *reading) placed(i int) (int, error) {
	no := 0
	for r.tok(i+no).is("not", "outside", "except", "excluding", "aren't", "isn't", "based", "located", "living") && no < 3 {
		no++
	}
	if no > 0 && (r.tok(i+no).is("in", "from", "at", "near") || r.tok(i+no-1).is("outside")) && anyOf(r.ts[i:i+no], "not", "outside", "except", "excluding", "aren't", "isn't") {
		before := len(r.conds)
		at := 0
		if r.tok(i+no-1).is("outside") && !r.tok(i+no).is("in", "from", "at", "near") {
			at = -1
		}
		n, err := r.probed(i+no, at+1, place)
		if err != nil {
			return 0, err
		}
		for k := before; k < len(r.conds); k++ {
			if strings.HasPrefix(r.conds[k].said, "with ") {
				return 0, unclear(fmt.Sprintf("No text of the %s is exactly %q, so I cannot leave it out.", r.t.noun(2), spoken(r.d.text, r.ts, i+no+at+1, i+no+n)))
			}
			r.conds[k] = cond{negate([]string{r.conds[k].expr}), denied(r.conds[k].said)}
		}
		return no + n, nil
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

// left reads words that nothing else explains: they are looked for in the texts, never passed over.
func (r *reading) left(i int) (int, error) {
	t := r.ts[i]
	if t.mark() || !t.quoted && stop(t.low) {
		return 1, nil
	}
	if _, ok := t.figure(); ok {
		return 0, unclear(fmt.Sprintf("I do not see what %s is about. Please name the field, as in: %s with … %s.", t.text, r.t.noun(2), t.text))
	}
	if f := r.explains(t.low); f != nil || r.tok(i+1).is("by") {
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
