package offline

import (
	"fmt"
	"slices"
	"strings"
)

// redraw shows the last figures once more, as the chart that a message asks for and for nothing else.
func (d *desk) redraw(a *ask) (string, bool, error) {
	if a.chart == "" || len(a.keys) > 0 {
		return "", false, nil
	}
	for i, t := range a.ts {
		if !a.gone[i] && !t.mark() && !t.is("it", "that", "this", "them", "those", "show", "me", "please", "now", "instead", "again", "and", "the", "same", "rather", "can", "you", "figures", "numbers") {
			return "", false, nil
		}
	}
	c := d.analyzed()
	if c == nil {
		return "", false, nil
	}
	last := c.analysis()
	if len(last.GroupBy) == 0 || len(last.Measures) == 0 {
		return "", false, nil
	}
	view := chartOf(a.chart, strings.Contains(last.GroupBy[0], "("))
	err := d.show(c.result, view, c.result.labelled(last.GroupBy[0]), []string{last.Measures[len(last.Measures)-1].As})
	return "Here is the same as a " + view + " chart.", true, err
}

// analyzed is the analysis that the person saw last; nil where they saw something else after it.
func (d *desk) analyzed() *exchange {
	if c := d.presented(nil); c != nil && c.tool == "analyze_records" {
		return c
	}
	return nil
}

// again asks the last question about figures once more, by other groups or of other records: "and by month?", "and in 2024?".
func (d *desk) again(a *ask) (string, bool, error) {
	c := d.analyzed()
	goesOn := len(a.ts) > 0 && (a.ts[0].is("and", "now", "same", "or", "but", "only", "just", "what", "how", "then") || len(a.keys) > 0 && a.keys[0].at <= 2)
	if c == nil || !goesOn || len(d.mentions(a.ts)) > 0 && len(a.keys) == 0 || a.rank != 0 || a.verb != "" {
		return "", false, nil
	}
	args := c.analysis()
	if d.schema.find(args.Table) == nil || len(args.Measures) == 0 {
		return "", false, nil
	}
	if err := d.describe(args.Table); err != nil {
		return "", true, err
	}
	q := &figures{ask: a, r: d.read(mention{from: -1, to: -1, table: d.schema.find(args.Table)})}
	copy(q.r.used, a.gone)
	m := mention{from: -1}
	if ok, err := q.groups(m); !ok && len(a.keys) > 0 || err != nil {
		return "", err != nil, err
	}
	if err := q.bareTime(); err != nil {
		return "", true, err
	}
	for i, t := range a.ts {
		if t.is("same", "about", "instead", "again") {
			q.r.spend(i, i+1)
		}
	}
	if err := q.r.conditions(); err != nil {
		return "", true, err
	}
	whole := slices.ContainsFunc(args.Measures, func(m measure) bool { return strings.Contains(m.Expr, "all.") })
	if len(q.named)+len(q.r.conds) == 0 || len(q.r.order) > 0 || whole && len(q.r.conds) > 0 {
		return "", false, nil
	}
	q.change(&args)
	got, err := d.call("analyze_records", args, false)
	if err != nil {
		return "", true, err
	}
	text, err := q.retell(got, args)
	return text, true, err
}

// bareTime reads a period that stands alone: "and 2025?", "what about last month".
func (q *figures) bareTime() error {
	f := q.r.dateField("")
	for i := range q.ts {
		if _, n := periodAt(q.ts, i, true); n == 0 || f == nil || !q.tok(i-1).is("and", "about", "or", "now") {
			continue
		}
		c, n, err := q.r.compareDate(f, operator{}, i)
		if err == nil && n > 0 {
			q.r.conds = append(q.r.conds, c)
			q.r.spend(i, i+n)
		}
		return err
	}
	return nil
}

// change puts new groups and new conditions into an analysis. Shares of all are of the records that its condition left: they keep it.
func (q *figures) change(args *analyzeArgs) {
	main := args.Measures[len(args.Measures)-1].As
	if len(q.named) > 0 {
		args.GroupBy, args.Limit, args.Having = nil, 0, ""
		for _, k := range q.named {
			args.GroupBy = append(args.GroupBy, k.expr)
		}
		args.OrderBy = []string{main + " desc"}
		if q.named[0].period != "" {
			args.OrderBy = args.GroupBy
		}
	}
	if len(q.r.conds) == 0 {
		return
	}
	kept := q.kept(args.Where)
	args.Where = where(append(kept, q.r.conds...))
	q.r.conds = append(kept, q.r.conds...)
}

// kept is what stays of a condition: all of it for "only those", else what is about other fields than the new conditions.
func (q *figures) kept(old string) []cond {
	if old == "" || strings.ContainsAny(old, "|?") && !anyOf(q.ts, "only", "just") {
		return nil
	}
	if anyOf(q.ts, "only", "just") {
		return []cond{{bracketed(old), "as before"}}
	}
	var out []cond
	for _, part := range strings.Split(old, " && ") {
		name := identifier.FindString(strings.TrimLeft(part, "!("))
		about := func(c cond) bool { return identifier.FindString(strings.TrimLeft(c.expr, "!(")) == name }
		if slices.ContainsFunc(q.r.conds, about) {
			continue
		}
		c := cond{expr: part}
		if !strings.HasSuffix(part, " != null") && !slices.ContainsFunc(out, func(c cond) bool { return c.said != "" }) {
			c.said = "as before"
		}
		out = append(out, c)
	}
	return out
}

// retell shows and says the figures of an analysis that was changed.
func (q *figures) retell(got *result, args analyzeArgs) (string, error) {
	main := args.Measures[len(args.Measures)-1].As
	if len(got.rows) == 0 {
		return fmt.Sprintf("There are no %s%s.", q.r.t.noun(2), said(q.r.conds)), nil
	}
	view := "number"
	if len(args.GroupBy) > 0 {
		view = chartOf(q.chart, strings.Contains(args.GroupBy[0], "("))
	}
	if err := q.r.d.show(got, view, got.labelled(first(args.GroupBy)), []string{main}); err != nil {
		return "", err
	}
	if len(q.named) == 0 {
		for _, g := range args.GroupBy {
			fn, _, _ := strings.Cut(g, "(")
			q.named = append(q.named, key{expr: g, said: g, period: unitOf(fn)})
		}
	}
	if len(q.r.conds) == 0 && args.Where != "" {
		q.r.conds = []cond{{said: "as before"}}
	}
	var groups []string
	for i := range got.rows[:min(len(got.rows), told)] {
		if len(q.named) == 0 {
			groups = append(groups, q.number(got, i, main))
			continue
		}
		groups = append(groups, q.group(got, i)+" ("+q.number(got, i, main)+")")
	}
	text := fmt.Sprintf("%s of %s%s: %s", title(strings.ReplaceAll(main, "_", " ")), q.r.t.noun(2), said(q.r.conds), strings.Join(groups, ", "))
	if rest := len(got.rows) - len(groups); rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text + ".", nil
}
