package offline

import (
	"strings"
)

// listed reads values of a value list, or a flag: "open", "unpaid", "high or urgent", "not active".
func (r *reading) listed(i int) (int, error) {
	n := 0
	for r.tok(i+n).is("that", "which", "who", "are", "is", "not", "still", "marked", "as", "currently", "aren't", "isn't") && n < 4 {
		n++
	}
	no := n > 0 && anyOf(r.ts[i:i+n], "not", "aren't", "isn't")
	c, k := r.adjective(i + n)
	if k == 0 {
		return 0, nil
	}
	n += k
	exprs := []string{c.expr}
	for r.tok(i+n).is("or", ",", "and", "nor") {
		x, m := r.adjective(i + n + 1)
		same := c.field() == x.field()
		if m == 0 || !same && !r.tok(i+n).is("or") {
			break
		}
		if same {
			x.said = x.value()
		}
		exprs, c.said = append(exprs, x.expr), c.said+" or "+x.said
		n += 1 + m
	}
	switch {
	case no:
		c = cond{negate(exprs), denied(c.said)}
	default:
		c.expr = either(exprs)
	}
	r.conds = append(r.conds, c)
	if fs, k, _ := r.named(i + n); k > 0 && strings.HasPrefix(exprs[0], fs[0].name+" ") {
		n += k // high priority
	}
	return n, nil
}

// field is the first name of a condition.
func (c cond) field() string { return identifier.FindString(c.expr) }

// value is what a condition says of its field.
func (c cond) value() string {
	_, v, _ := strings.Cut(c.said, " is ")
	return firstOf(v, c.said)
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
		if r.used[i] || r.ts[i].quoted || r.ts[i+k-1].mark() || k == 1 && stop(r.ts[i].low) && r.ts[i].low != "new" {
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
