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
