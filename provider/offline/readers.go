package offline

import (
	"fmt"
	"strings"
)

// absent reads "without email", "with no orders", "that have no invoices".
func (r *reading) absent(i int) (int, error) {
	if fs, k, _ := r.named(i + 2); k > 0 && anyAt(r.ts, i, "out of") > 0 && fs[0].numeric() {
		r.conds = append(r.conds, cond{fs[0].name + " <= 0", "no " + fs[0].called()})
		return 2 + k, nil
	}
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
	if k, err := r.numbered(i, n); k != 0 || err != nil {
		return max(k, 0), err
	}
	for j := i + n; j < i+n+3; j++ {
		x, k, err := r.childAt(i+n, j)
		if err != nil {
			return 0, err
		}
		if k > 0 {
			r.conds = append(r.conds, cond{x.call("exists", ""), "with " + spoken(r.d.text, r.ts, i+n, j+k)})
			return j + k - i, nil
		}
	}
	return 0, nil
}

// numbered reads "more than 3 open tickets" and "invoice total over 10000" behind "with"; -1 says that a number is asked for of something else.
func (r *reading) numbered(i, n int) (int, error) {
	at := i + n
	op, ok := operatorAt(r.ts, at)
	if ok && op.n > 0 && strings.Contains("> >= < <= ==", op.op) {
		f, ok := r.tok(at + op.n).figure()
		if !ok {
			return -1, nil
		}
		for j := at + op.n + 1; j < at+op.n+4; j++ {
			x, k, err := r.childAt(at+op.n+1, j)
			if err != nil || k > 0 {
				r.conds = append(r.conds, cond{x.call("count", "") + " " + op.op + " " + f, fmt.Sprintf("%s %s %s", saidOp(op.op), f, spoken(r.d.text, r.ts, at+op.n+1, j+k))})
				return j + k - i, err
			}
		}
		return -1, nil
	}
	for r.tok(at).is("a", "total", "the") {
		at++
	}
	c, k := r.child(at)
	if k == 0 {
		return 0, nil
	}
	if err := r.d.describe(c.table); err != nil {
		return 0, err
	}
	child := &reading{d: r.d, t: r.d.schema.find(c.table), ts: r.ts, used: make([]bool, len(r.ts))}
	if child.t == nil {
		return 0, nil
	}
	fs, m, _ := child.named(at + k)
	op, ok = operatorAt(r.ts, at+k+m)
	f, isFigure := r.tok(at + k + m + op.n).figure()
	if m == 0 || !fs[0].numeric() || !ok || !isFigure || !strings.Contains("> >= < <= ==", op.op) {
		return 0, nil
	}
	r.conds = append(r.conds, cond{offspring{c, ""}.call("sum", fs[0].name) + " " + op.op + " " + f, fmt.Sprintf("%s of %s %s %s", fs[0].called(), child.t.noun(2), saidOp(op.op), f)})
	return at + k + m + op.n + 1 - i, nil
}

// offspring are the children of a relation that meet a condition, which is over the variable c; empty for all.
type offspring struct {
	relation
	cond string
}

// call is a method over them, of a field where it needs one.
func (o offspring) call(method, field string) string {
	switch {
	case field == "" && o.cond == "":
		return o.name + "." + method + "()"
	case field == "":
		return o.name + "." + method + "(c, " + o.cond + ")"
	}
	return o.name + "." + method + "(c, c." + field + ")"
}

// childAt reads a child at a place, with the words from another place up to it as values of its lists; 0 where there is none.
func (r *reading) childAt(from, at int) (offspring, int, error) {
	c, k := r.child(at)
	if k == 0 || from >= at || r.tok(from).is("a", "an", "any", "the", "some") {
		return offspring{c, ""}, k, nil
	}
	if err := r.d.describe(c.table); err != nil {
		return offspring{}, 0, err
	}
	child := &reading{d: r.d, t: r.d.schema.find(c.table), ts: r.ts, used: make([]bool, len(r.ts))}
	if child.t == nil {
		return offspring{}, 0, nil
	}
	x, n := child.adjective(from)
	if n == 0 {
		return offspring{}, 0, nil
	}
	return offspring{c, child.within(x.expr, "c")}, k, nil
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
