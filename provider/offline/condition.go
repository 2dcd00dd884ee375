package offline

import (
	"fmt"
	"strings"
)

// operator is a comparison as people say it.
type operator struct {
	op string // == > >= < <= contains startsWith endsWith between blank filled
	n  int    // tokens
	no bool   // negated
}

func phrases() []struct{ op, said string } {
	return []struct{ op, said string }{
		{">=", "at least"}, {">=", "no less than"}, {">=", ">="}, {"<=", "at most"}, {"<=", "no more than"}, {"<=", "up to"}, {"<=", "<="},
		{">", "more than"}, {">", "greater than"}, {">", "larger than"}, {">", "higher than"}, {">", "bigger than"}, {">", "longer than"}, {">", "over"}, {">", "above"}, {">", "exceeds"}, {">", "exceeding"}, {">", ">"}, {">", "older than"}, {">", "more expensive than"},
		{"<", "less than"}, {"<", "fewer than"}, {"<", "smaller than"}, {"<", "lower than"}, {"<", "cheaper than"}, {"<", "shorter than"}, {"<", "under"}, {"<", "below"}, {"<", "<"}, {"<", "younger than"},
		{"contains", "contains"}, {"contains", "contain"}, {"contains", "containing"}, {"contains", "includes"}, {"contains", "including"}, {"contains", "like"},
		{"startsWith", "starts with"}, {"startsWith", "start with"}, {"startsWith", "starting with"}, {"startsWith", "begins with"}, {"startsWith", "begin with"}, {"startsWith", "beginning with"},
		{"endsWith", "ends with"}, {"endsWith", "end with"}, {"endsWith", "ending with"}, {"endsWith", "ends in"}, {"endsWith", "ending in"},
		{"between", "between"}, {"blank", "empty"}, {"blank", "blank"}, {"blank", "missing"}, {"blank", "unset"}, {"blank", "null"}, {"blank", "unknown"}, {"filled", "known"}, {"filled", "set"}, {"filled", "filled in"},
		{"since", "since"}, {"since", "from"}, {"before", "before"}, {"after", "after"}, {"until", "until"}, {"==", "equals"}, {"==", "equal to"}, {"==", "exactly"}, {"==", "=="}, {"==", "="}, {"==", ":"}, {"!=", "!="}, {"!=", "<>"}, {"!=", "different from"}, {"!=", "other than"},
	}
}

// operatorAt reads an optional "is", an optional "not" and what follows.
func operatorAt(ts []token, i int) (operator, bool) {
	start := i
	copula, no := false, false
	for i < len(ts) && i < start+3 && ts[i].is("is", "are", "was", "were", "has", "does", "do", "not", "isn't", "aren't", "doesn't", "don't", "wasn't", "isn’t", "doesn’t") {
		copula = true
		no = no || ts[i].is("not") || strings.HasSuffix(ts[i].low, "n't") || strings.HasSuffix(ts[i].low, "n’t")
		i++
	}
	best := operator{}
	for _, p := range phrases() {
		if n, ok := at(ts, i, p.said); ok && n > best.n {
			best = operator{op: p.op, n: n}
		}
	}
	switch {
	case best.n > 0:
		if best.op == "!=" {
			best.op, no = "==", !no
		}
		if best.op == "filled" {
			best.op, no = "blank", !no
		}
		return operator{best.op, i - start + best.n, no}, true
	case copula:
		return operator{"==", i - start, no}, true
	}
	return operator{}, false
}

// compared reads a field with a comparison: "total over 10", "whose email contains gmail", "country is Norway or Sweden".
func (r *reading) compared(i int) (int, error) {
	fs, n, sure := r.named(i)
	if n == 0 {
		return 0, nil
	}
	op, ok := operatorAt(r.ts, i+n)
	led := i > 0 && r.tok(i-1).is("with", "whose", "where", "having", "and", "by", "has", "have", "or", "when", "the")
	if ok && i+n+op.n >= len(r.ts) && op.op != "blank" || r.leads(i, fs) {
		ok = false // "what email is it"
	}
	if !ok {
		next := r.tok(i + n)
		_, listed := fs[0].pick(next.text)
		figure, isFigure := next.figure()
		if sure < 2 || !(next.quoted || listed || isFigure && figure != "" || led && next.capital()) || i+n < len(r.used) && r.used[i+n] {
			return r.column(i, fs, n, sure)
		}
		op = operator{op: "=="}
	}
	if sure < 2 && !led && !ok {
		return 0, nil
	}
	c, k, err := r.compare(fs, op, i+n+op.n)
	if err != nil || k < 0 {
		return 0, err
	}
	r.conds = append(r.conds, c)
	return n + op.n + k, nil
}

// leads says whether a field at a place begins a question about itself, as in "what is the total of invoice 5".
func (r *reading) leads(i int, fs []*field) bool {
	return len(fs) > 0 && i > 0 && r.tok(i-1).is("what", "which") && r.tok(i+1).is("is", "are", "do", "does")
}

// column notes a field that is only named: it is to be shown.
func (r *reading) column(i int, fs []*field, n, sure int) (int, error) {
	prev, next := r.tok(i-1), r.tok(i+n)
	if sure >= 2 && prev.is("with", "having", "has", "have") && (i+n >= len(r.ts) || next.is("and", ",", "?", ".", "but", "with")) {
		r.conds = append(r.conds, blankCond(fs, true))
		return n, nil
	}
	if sure < 2 || i > 0 && !prev.is("show", "list", "the", "and", ",", "what", "get", "give", "me", "all", "display", "only", "see", "find", "their") || !next.is("of", "for", "and", ",") {
		return r.noted(i, fs, n, sure)
	}
	if _, k := r.parentAt(i); k > 0 && !refAt(r.d.text, r.ts, i+k).none() {
		return 0, nil
	}
	if _, ok := r.flag(i); ok {
		return 0, nil
	}
	r.columns = append(r.columns, fs[0])
	return n, nil
}

// noted passes over the whole name of a field that asks for nothing.
func (r *reading) noted(i int, fs []*field, n, sure int) (int, error) {
	if _, k := r.adjective(i); k > 0 || sure < head || fs[0].typ == "bool" {
		return 0, nil
	}
	return n, nil
}

// compare makes the condition of fields (any of them) with a comparison and the values at a place; how many tokens those take, or -1.
func (r *reading) compare(fs []*field, op operator, i int) (cond, int, error) {
	if op.op == "blank" {
		return blankCond(fs, op.no), 0, nil
	}
	f := fs[0]
	if f.dated() {
		return r.compareDate(f, op, i)
	}
	for r.tok(i).is("the", "a", "an") && !r.tok(i).capital() {
		i++
	}
	if op.op == "between" {
		lo, ok1 := r.tok(i).figure()
		hi, ok2 := r.tok(i + 2).figure()
		if !ok1 || !ok2 || !f.numeric() {
			return cond{}, -1, unclear("Please write the bounds as numbers, as in \"" + f.called() + " between 5 and 10\".")
		}
		return cond{fmt.Sprintf("%s >= %s && %s <= %s", f.name, lo, f.name, hi), fmt.Sprintf("%s between %s and %s", f.called(), lo, hi)}, 3, nil
	}
	values, n := r.values(i, f)
	if n == 0 {
		return cond{}, -1, nil
	}
	c, err := r.compareValues(fs, op, values)
	return c, n, err
}

func blankCond(fs []*field, no bool) cond {
	var exprs []string
	for _, f := range fs {
		e := f.name + " == null"
		if f.typ == "string" {
			e = "blank(" + f.name + ")"
		}
		exprs = append(exprs, e)
	}
	if no {
		return cond{"!" + either([]string{either(exprs)}), fs[0].called() + " is set"}.fixed()
	}
	return cond{either(exprs), fs[0].called() + " is empty"}
}

// fixed writes the negation of a comparison with null as one.
func (c cond) fixed() cond {
	if name, ok := strings.CutSuffix(strings.TrimPrefix(c.expr, "!"), " == null"); ok && !strings.Contains(name, " ") {
		c.expr = name + " != null"
	}
	return c
}

// values reads one value, or several with "or" between them.
func (r *reading) values(i int, f *field) ([]string, int) {
	var out []string
	start := i
	for i < len(r.ts) {
		to := r.valueEnd(i, f)
		v := spoken(r.d.text, r.ts, i, to)
		if v == "" {
			break
		}
		out = append(out, v)
		if i = to; !(r.tok(i).is("or") || len(out) > 0 && r.tok(i).is(",") && f.values != nil) {
			break
		}
		_, listed := f.pick(r.tok(i + 1).text)
		if _, k, sure := r.named(i + 1); k > 0 && sure >= 2 && !listed {
			break
		}
		i++
	}
	return out, i - start
}

func (r *reading) valueEnd(i int, f *field) int {
	if r.tok(i).quoted {
		return i + 1
	}
	if _, ok := r.tok(i).figure(); ok && f.numeric() {
		return i + 1
	}
	for k := 4; k > 1; k-- {
		if _, ok := f.pick(joinLow(r.ts, i, k)); ok {
			return min(i+k, len(r.ts))
		}
	}
	if _, ok := f.pick(r.tok(i).text); ok {
		return i + 1
	}
	return nameEnd(r.ts, i)
}

func joinLow(ts []token, i, n int) string {
	var out []string
	for k := i; k < i+n && k < len(ts); k++ {
		out = append(out, ts[k].low)
	}
	return strings.Join(out, " ")
}

func (r *reading) compareValues(fs []*field, op operator, values []string) (cond, error) {
	var exprs []string
	for _, f := range fs {
		for _, v := range values {
			e, err := r.single(f, op.op, v)
			if err != nil {
				return cond{}, err
			}
			exprs = append(exprs, e)
		}
	}
	c := cond{either(exprs), fs[0].called() + " " + saidOp(op.op) + " " + quoted(values)}
	if fs[0].numeric() {
		c.said = fs[0].called() + " " + saidOp(op.op) + " " + strings.Join(values, " or ")
	}
	if op.no {
		c.said = strings.Replace(c.said, " "+saidOp(op.op)+" ", " "+strings.TrimSuffix("not "+saidOp(op.op), " is")+" ", 1)
		c.expr = negate(exprs)
	}
	return c, nil
}

func negate(exprs []string) string {
	if len(exprs) == 1 && strings.Count(exprs[0], " == ") == 1 {
		return strings.Replace(exprs[0], " == ", " != ", 1)
	}
	return "!(" + strings.Join(exprs, " || ") + ")"
}

func saidOp(op string) string {
	switch op {
	case "==":
		return "is"
	case ">":
		return "over"
	case ">=":
		return "at least"
	case "<":
		return "under"
	case "<=":
		return "at most"
	case "startsWith":
		return "starts with"
	case "endsWith":
		return "ends with"
	}
	return op
}

// single compares one field with one value.
func (r *reading) single(f *field, op, v string) (string, error) {
	switch {
	case f.typ == "bool":
		return f.name + " == " + truth(v), nil
	case f.parent != "" && (op == "==" || !f.numeric()):
		return r.d.refersTo(f, v)
	case f.numeric():
		n, ok := token{text: v}.figure()
		if !ok {
			return "", unclear(fmt.Sprintf("The %s of %s is a number, and %q is none.", f.called(), r.t.noun(2), v))
		}
		return f.name + " " + op + " " + n, nil
	case op == "==":
		if x, ok := f.pick(v); ok {
			return f.name + " == " + quote(x), nil
		}
		if f.typ != "string" {
			return f.name + " == " + quote(v), nil
		}
		return "lower(" + f.name + ") == " + quote(strings.ToLower(v)), nil
	case op == "contains" || op == "startsWith" || op == "endsWith":
		return f.name + "." + op + "(" + quote(v) + ")", nil
	}
	return "", unclear(fmt.Sprintf("The %s is a text: it can be compared with is, contains, starts with and ends with.", f.called()))
}

func truth(v string) string {
	switch strings.ToLower(v) {
	case "no", "false", "0", "off", "n":
		return "false"
	}
	return "true"
}

// refersTo compares a foreign key with an id or with the name of a record.
func (d *desk) refersTo(f *field, v string) (string, error) {
	id, err := d.refer(f, v)
	if err != nil {
		return "", err
	}
	if f.numeric() {
		return f.name + " == " + id, nil
	}
	return f.name + " == " + quote(id), nil
}

// refer is the id that an id or the name of a record stands for.
func (d *desk) refer(f *field, v string) (string, error) {
	if n, ok := (token{text: v}).figure(); ok && f.numeric() {
		return n, nil
	}
	if err := d.describe(f.parent); err != nil {
		return "", err
	}
	t := d.schema.find(f.parent)
	if t == nil {
		return v, nil
	}
	ts := tokenize(v)
	if n, sure := called(t.names, ts, 0); sure >= 2 && n < len(ts) { // "customer 12"
		if x := refAt(v, ts, n); !x.none() {
			return d.identify(t, x)
		}
	}
	return d.identify(t, ref{name: v})
}
