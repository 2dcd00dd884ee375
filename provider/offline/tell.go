package offline

import (
	"fmt"
	"strings"
	"time"
)

// told is how many groups a sentence names; the others are in what is shown.
const told = 5

// tell says the figures of a result in a sentence: of rows that came back, and of nothing else.
func (q *figures) tell(got *result, args analyzeArgs, main string) string {
	head := q.head()
	cond := said(append(q.r.conds[:len(q.r.conds):len(q.r.conds)], q.part...))
	if len(q.named) == 0 {
		return q.whole(got, head, cond, main)
	}
	var groups []string
	names := told
	if q.rank != 0 {
		names = 2 * told
	}
	for i := range got.rows[:min(len(got.rows), names)] {
		groups = append(groups, q.group(got, i)+" ("+q.number(got, i, main)+")")
	}
	list := strings.Join(groups, ", ")
	switch rest := len(got.rows) - len(groups); {
	case q.rank != 0 && args.Limit == 1:
		most := map[bool]string{true: "highest", false: "lowest"}[q.rank > 0]
		return fmt.Sprintf("%s with the %s %s%s: %s.", title(q.named[0].said), most, head, cond, list)
	case q.rank != 0 && rest == 0:
		most := map[bool]string{true: "highest", false: "lowest"}[q.rank > 0]
		return fmt.Sprintf("The %d %s with the %s %s%s: %s.", len(groups), nouns(q.named[0].said), most, head, cond, list)
	case got.more && args.Limit == 0:
		return fmt.Sprintf("%s per %s%s, the first %d groups of more: %s and others.", title(head), q.per(), cond, len(got.rows), list)
	case rest > 0:
		return fmt.Sprintf("%s per %s%s: %s and %d more.", title(head), q.per(), cond, list, rest)
	}
	return fmt.Sprintf("%s per %s%s: %s.", title(head), q.per(), cond, list)
}

// whole says one figure over all.
func (q *figures) whole(got *result, head, cond, main string) string {
	n := q.number(got, 0, main)
	if q.share {
		return fmt.Sprintf("%s of the %s: %s of %s%s.", n, strings.TrimPrefix(strings.TrimPrefix(head, "share of "), "the "), str(got.cell(0, "part")), str(got.cell(0, q.single().As)), cond)
	}
	return fmt.Sprintf("The %s%s is %s.", head, cond, n)
}

// head is what is measured: the number of tickets, the total of invoices.
func (q *figures) head() string {
	nouns := q.r.t.noun(2)
	text := "number of " + nouns
	switch said := q.said + " of " + nouns; {
	case q.share && q.verb == "sum":
		return "share of the " + said
	case q.share:
		return "share of " + nouns
	case q.verb == "sum" && q.said == "total":
		text = said
	case q.verb == "sum":
		text = "sum of " + said
	case q.verb == "avg":
		text = "average " + said
	case q.verb == "min":
		text = "lowest " + said
	case q.verb == "max":
		text = "highest " + said
	}
	return text
}

func (q *figures) per() string {
	var out []string
	for _, k := range q.named {
		out = append(out, k.said)
	}
	return strings.Join(out, " and ")
}

// group names the group of a row.
func (q *figures) group(got *result, row int) string {
	var out []string
	for _, k := range q.named {
		out = append(out, k.text(got.display(row, k.expr)))
	}
	return strings.Join(out, " / ")
}

// text writes the value of a key for people.
func (k key) text(v string) string {
	day, err := time.Parse(time.DateOnly, v[:min(len(v), 10)])
	switch {
	case v == "":
		return "none"
	case k.period == "weekday":
		return weekday(v)
	case err != nil || k.period == "":
		return v
	case k.period == "year":
		return v[:4]
	case k.period == "quarter":
		return fmt.Sprintf("%d Q%d", day.Year(), (int(day.Month())+2)/3)
	case k.period == "month":
		return v[:7]
	case k.period == "week":
		return "week of " + v[:10]
	}
	return v
}

// weekday names a day of the week by its number, Monday being 1.
func weekday(n string) string {
	for i := range 7 {
		if n == fmt.Sprint(i+1) {
			return time.Weekday((i + 1) % 7).String()
		}
	}
	return n
}

// number is a figure of a row, with its unit.
func (q *figures) number(got *result, row int, column string) string {
	v := firstOf(str(got.cell(row, column)), "nothing")
	if column == "share" && v != "nothing" {
		v += " %"
	}
	return v
}

// nouns is a noun of one or several words in the plural.
func nouns(said string) string {
	at := strings.LastIndexByte(said, ' ') + 1
	return said[:at] + plural(singular(said[at:]))
}

func title(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// side sets the figures of two periods side by side.
func (q *figures) side() (string, error) {
	r := q.r
	f := r.dateField("")
	if f == nil {
		return "", unclear("The " + r.t.noun(2) + " have no date to compare by.")
	}
	var names, saids []string
	args := analyzeArgs{Table: r.t.name, Where: where(r.conds)}
	for i, s := range q.two {
		c, _, err := r.compareDate(f, operator{}, s.from)
		if err != nil {
			return "", err
		}
		names = append(names, []string{"first", "second"}[i])
		saids = append(saids, spoken(r.d.text, r.ts, s.from, s.to))
		args.Measures = append(args.Measures, q.when(names[i], c.expr))
	}
	old, later := 1, 0
	if q.earlier(0, 1) {
		old, later = 0, 1
	}
	args.Measures = append(args.Measures, measure{"change", fmt.Sprintf("round(100 * (%s - %s) / %s, 1)", names[later], names[old], names[old])})
	for _, k := range q.named {
		args.GroupBy = append(args.GroupBy, k.expr)
	}
	got, err := r.d.call("analyze_records", args, false)
	if err != nil {
		return "", err
	}
	if err := r.d.show(got, chartOf(q.chart, false), got.labelled(first(args.GroupBy)), names); err != nil {
		return "", err
	}
	if len(q.named) > 0 {
		return fmt.Sprintf("%s per %s%s, %s beside %s: %d groups.", title(q.head()), q.per(), said(r.conds), saids[0], saids[1], len(got.rows)), nil
	}
	text := fmt.Sprintf("%s%s: %s %s, %s %s", title(q.head()), said(r.conds), saids[old], str(got.cell(0, names[old])), saids[later], str(got.cell(0, names[later])))
	if change := str(got.cell(0, "change")); change != "" {
		text += " (" + signed(change) + " %)"
	}
	return text + ".", nil
}

func signed(n string) string {
	if strings.HasPrefix(n, "-") || n == "0" {
		return n
	}
	return "+" + n
}

// earlier says whether one of the compared periods begins before another.
func (q *figures) earlier(a, b int) bool {
	p, _ := periodAt(q.ts, q.two[a].from, true)
	o, _ := periodAt(q.ts, q.two[b].from, true)
	if strings.HasPrefix(p.from, "date(") && strings.HasPrefix(o.from, "date(") {
		return p.from < o.from
	}
	return anyOf(q.ts[q.two[a].from:q.two[a].to], "last", "previous", "yesterday")
}
