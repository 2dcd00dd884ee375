package offline

import (
	"fmt"
	"slices"
	"strings"
)

type analyzeArgs struct {
	Table    string    `json:"table"`
	Where    string    `json:"where,omitempty"`
	GroupBy  []string  `json:"group_by,omitempty"`
	Measures []measure `json:"measures"`
	Having   string    `json:"having,omitempty"`
	OrderBy  []string  `json:"order_by,omitempty"`
	Limit    int       `json:"limit,omitempty"`
}

// filter reads the conditions. Of a share, those behind "is" or those that are no time are what it is the share of.
func (q *figures) filter() error {
	r := q.r
	copula := -1
	for i := range r.ts {
		if copula < 0 && q.share && !r.used[i] && r.tok(i).is("is", "are", "was", "were") {
			copula = i
		}
	}
	if err := r.conditions(); err != nil || !q.share {
		return err
	}
	var of, part []cond
	late := slices.ContainsFunc(r.condAt, func(i int) bool { return copula >= 0 && i >= copula })
	for i, c := range r.conds {
		if !r.timely(c) && (!late || i < len(r.condAt) && r.condAt[i] >= copula) {
			part = append(part, c)
		} else {
			of = append(of, c)
		}
	}
	if q.part, r.conds = part, of; len(part) == 0 && len(q.named) == 0 {
		return unclear("The share of which " + r.t.noun(2) + "? Write it like: share of " + r.t.noun(2) + " per …, or what percentage of " + r.t.noun(2) + " is ….")
	}
	return nil
}

// timely says whether a condition is about a date.
func (r *reading) timely(c cond) bool {
	f := r.t.field(identifier.FindString(strings.TrimLeft(c.expr, "!(")))
	return f != nil && f.dated()
}

// answer asks for the figures, shows them, and says the first of them.
func (q *figures) answer() (string, error) {
	args := analyzeArgs{Table: q.r.t.name, Where: where(q.r.conds), Measures: []measure{q.single()}}
	if q.share {
		args.Measures = q.shares()
	}
	main := args.Measures[len(args.Measures)-1].As
	for _, k := range q.named {
		args.GroupBy = append(args.GroupBy, k.expr)
	}
	if q.least != "" {
		args.Having = main + " " + q.least
	}
	q.ordered(&args, main)
	got, err := q.r.d.call("analyze_records", args, false)
	if err != nil {
		return "", err
	}
	if len(got.rows) == 0 {
		return fmt.Sprintf("There are no %s%s.", q.r.t.noun(2), said(q.r.conds)), nil
	}
	view, x, y := q.view(got, args)
	if err := q.r.d.show(got, view, x, y); err != nil {
		return "", err
	}
	return q.tell(got, args, main), nil
}

// ordered sorts groups of a period by time and others by their figure, and bounds those that are ranked.
func (q *figures) ordered(args *analyzeArgs, main string) {
	switch {
	case len(args.GroupBy) == 0:
		return
	case q.rank == 0 && q.named[0].period != "":
		args.OrderBy = args.GroupBy
	case q.rank < 0:
		args.OrderBy = []string{main}
	default:
		args.OrderBy = []string{main + " desc"}
	}
	if q.rank == 0 {
		return
	}
	switch w := q.tok(q.x.to - 1).low; {
	case q.limit > 0:
		args.Limit = q.limit
	case singular(w) == w && plural(w) != w:
		args.Limit = 1
	default:
		args.Limit = 10
	}
}

// view is how the groups are shown, and by which columns.
func (q *figures) view(got *result, args analyzeArgs) (view, x string, y []string) {
	main := args.Measures[len(args.Measures)-1].As
	if len(args.GroupBy) == 0 {
		return "number", "", []string{main}
	}
	return chartOf(q.chart, q.named[0].period != ""), got.labelled(args.GroupBy[0]), []string{main}
}

// chartOf is the view for a wish: a table where there is none.
func chartOf(wish string, period bool) string {
	switch {
	case wish == "":
		return "table"
	case wish != "chart":
		return wish
	case period:
		return "line"
	}
	return "bar"
}

// labelled is the column that names a group for people.
func (r *result) labelled(key string) string {
	if slices.Contains(r.columns, key+".label") {
		return key + ".label"
	}
	return key
}

// show offers a view over a result where that can be done; x and y are for charts and numbers.
func (d *desk) show(got *result, view, x string, y []string) error {
	if !d.tools["present_results"] || got.ref == "" {
		return nil
	}
	args := struct {
		View string   `json:"view"`
		Call string   `json:"call_id"`
		X    string   `json:"x,omitempty"`
		Y    []string `json:"y,omitempty"`
	}{View: view, Call: got.ref}
	switch view {
	case "bar", "line", "pie":
		args.X, args.Y = x, y
	case "number":
		args.Y = y
	}
	_, err := d.call("present_results", args, false)
	var failed toolError
	if isTool(err, &failed) {
		return nil // the sentence still says what was found
	}
	return err
}
