package offline

import (
	"fmt"
	"strings"
)

// measured is what is added up or averaged, how it is said, and what is done with it where the message does not say.
type measured struct{ expr, said, verb string }

// measuredAt reads a number at a place: a field, an age, the time until something; how many tokens name it and how sure that is.
func (r *reading) measuredAt(i int) (measured, int, int) {
	if i < 0 || i >= len(r.ts) || r.ts[i].quoted {
		return measured{}, 0, 0
	}
	if r.tok(i).is("age", "ages", "old") {
		if f := r.dateField(""); f != nil {
			return measured{"days_between(" + f.name + ", now())", "age in days", "avg"}, 1, synonym
		}
	}
	if n := anyAt(r.ts, i, "time to", "days to", "time until", "days until", "time it takes to", "time to be", "days to be"); n > 0 {
		if x, ok := r.until(r.tok(i + n).low); ok {
			return x, n + 1, synonym
		}
	}
	fs, n, sure := r.named(i)
	for _, f := range fs {
		if !f.numeric() || f.parent != "" || r.t.isKey(f) {
			continue
		}
		if _, compared := operatorAt(r.ts, i+n); compared && !r.tok(i+n).is("is", "was", "has", "does", "from", "since", "before", "after", "until", ":") {
			return measured{}, 0, 0
		}
		return measured{f.name, f.called(), "sum"}, n, sure
	}
	if r.tok(i).is("value", "amount", "worth", "volume", "revenue", "sales", "turnover", "spending", "spend") {
		if x, sure, _ := r.money(); sure > 0 {
			return x, 1, sure
		}
	}
	return measured{}, 0, 0
}

// until is the time from a record's own date to the one that a verb points at: to close, to ship.
func (r *reading) until(verb string) (measured, bool) {
	from, to := r.dateField(""), r.dateField(verb)
	if from == nil || to == nil || from == to || !r.dateLike(verb) {
		return measured{}, false
	}
	return measured{"days_between(" + from.name + ", " + to.name + ")", "days from " + from.called() + " to " + to.called(), "avg"}, true
}

// money is the figure of a table when a message names none; a question back where there is none or it could be several.
func (r *reading) money() (measured, int, error) {
	x, sure, names := r.t.figure()
	switch {
	case sure > 0:
		return x, sure, nil
	case len(names) > 0:
		return x, 0, unclear("Which figure do you mean: " + strings.Join(names, ", ") + `? Please name it, as in "average ` + names[0] + " of " + r.t.noun(2) + `".`)
	}
	text := "The " + r.t.noun(2) + " have no number to add up or to average."
	for _, c := range r.t.children {
		if t := r.d.schema.find(c.table); t != nil && t.described {
			if x, sure, _ := t.figure(); sure >= head {
				text += fmt.Sprintf(" Their %s have: %s.", t.noun(2), x.said)
			}
		}
	}
	return x, 0, unclear(text)
}

// figure is the number that a table is about: a total or amount, quantity times price where there is no such, else the only one. Where it cannot be
// told, its numbers.
func (t *table) figure() (measured, int, []string) {
	var names []string
	var only, quantity, price *field
	before := ""
	for _, f := range t.fields {
		if !f.numeric() || t.isKey(f) || f.parent != "" {
			continue
		}
		names, only = append(names, f.called()), f
		switch {
		case hasWord(f, "total", "amount", "value", "sum", "balance", "revenue"):
			return measured{f.name, f.called(), "sum"}, whole, nil
		case hasWord(f, "quantity", "qty", "pieces"):
			quantity = f
		case hasWord(f, "price"):
			price = f
		case hasWord(f, "discount", "rebate"):
			before = " before " + f.called()
		}
	}
	switch {
	case quantity != nil && price != nil:
		return measured{quantity.name + " * " + price.name, quantity.called() + " × " + price.called() + before, "sum"}, head, nil
	case len(names) == 1:
		return measured{only.name, only.called(), "sum"}, part, nil
	}
	return measured{}, 0, names
}

// quantity is the field that says how many pieces there are; nil where none does.
func (t *table) quantity() *field {
	for _, f := range t.fields {
		if f.numeric() && f.parent == "" && hasWord(f, "quantity", "qty", "pieces") {
			return f
		}
	}
	return nil
}

// measure is a column of an analysis.
type measure struct {
	As   string `json:"as"`
	Expr string `json:"expr"`
}

// single is the measure of a question that is no share.
func (q *figures) single() measure {
	name := strings.Trim(strings.Join(words(q.said), "_"), "_")
	if len(name) > 40 || !identifierOnly(name) {
		name = "figure"
	}
	switch q.verb {
	case "sum":
		return measure{"total_" + strings.TrimPrefix(name, "total_"), "sum(" + q.expr + ")"}.plain()
	case "avg":
		return measure{"average_" + name, "round(avg(" + q.expr + "), 2)"}
	case "min":
		return measure{"lowest_" + name, "min(" + q.expr + ")"}
	case "max":
		return measure{"highest_" + name, "max(" + q.expr + ")"}
	}
	return measure{"count", "count()"}
}

// plain shortens the name of the sum of a total.
func (m measure) plain() measure {
	if m.As == "total_total" {
		m.As = "sum_of_total"
	}
	return m
}

func identifierOnly(s string) bool { return identifier.FindString(s) == s && s != "" }

// when is the measure over the records that meet a condition.
func (q *figures) when(as, cond string) measure {
	switch q.verb {
	case "sum":
		return measure{as, "coalesce(sum_if(" + q.expr + ", " + cond + "), 0)"}
	case "avg":
		return measure{as, "round(sum_if(" + q.expr + ", " + cond + ") / count_if(" + cond + "), 2)"}
	}
	return measure{as, "count_if(" + cond + ")"}
}

// shares are the measures of a share, the share last: of what meets a condition in each group, or of each group in all.
func (q *figures) shares() []measure {
	base := q.single()
	if len(q.part) > 0 {
		part := q.when("part", where(q.part))
		return []measure{part, base, {"share", "round(100 * part / " + base.As + ", 1)"}}
	}
	var conds, sum []string
	for _, c := range q.r.conds {
		conds = append(conds, q.r.within(c.expr, "x"))
	}
	all := "all." + q.r.t.name + "."
	switch cond := strings.Join(conds, " && "); {
	case q.verb == "sum" && cond == "":
		sum = []string{"sum(x, ", q.r.within(q.expr, "x"), ")"}
	case q.verb == "sum":
		sum = []string{"sum(x, ", cond, " ? ", q.r.within(q.expr, "x"), " : 0)"}
	case cond == "":
		sum = []string{"count()"}
	default:
		sum = []string{"count(x, ", cond, ")"}
	}
	return []measure{base, {"share", "round(100 * " + base.As + " / " + all + strings.Join(sum, "") + ", 1)"}}
}

// within writes an expression over the fields of the table as one over a variable.
func (r *reading) within(expr, variable string) string {
	var out strings.Builder
	for i, part := range strings.Split(expr, `"`) {
		if i > 0 {
			out.WriteByte('"')
		}
		if i%2 == 1 {
			out.WriteString(part)
			continue
		}
		last := 0
		for _, at := range identifier.FindAllStringIndex(part, -1) {
			name := part[at[0]:at[1]]
			out.WriteString(part[last:at[0]])
			if (at[0] == 0 || part[at[0]-1] != '.') && r.t.knows(name) {
				out.WriteString(variable + ".")
			}
			out.WriteString(name)
			last = at[1]
		}
		out.WriteString(part[last:])
	}
	return out.String()
}

// knows says whether a name in an expression is a field of the table or a relation of it.
func (t *table) knows(name string) bool {
	for _, rs := range [][]relation{t.parents, t.children} {
		for _, x := range rs {
			if x.name == name {
				return true
			}
		}
	}
	return t.field(name) != nil
}
