package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var countAsked = regexp.MustCompile(`(?i)\bhow many\b|^\s*(please\s+)?(count|number of|the number of|total number of)\b|\bnumber of\b.*\?|\bwhat is the (total )?number of\b|\bcount (of|the|all)\b`)

// look answers a question: a list, one record, or how many.
func (d *desk) look(start int) (string, error) {
	if text, ok, err := d.more(); ok || err != nil {
		return text, err
	}
	if text, ok, err := d.figures(start); ok || err != nil {
		return text, err
	}
	m, err := d.subject(d.words)
	if err == errLost {
		if text, ok, err := d.found(); ok {
			return text, err
		}
	}
	if err != nil {
		return "", err
	}
	if text, ok, err := d.verbed(start, m); ok || err != nil {
		return text, err
	}
	if err := d.beyond(m); err != nil {
		return "", err
	}
	r := d.read(m)
	r.owned(m)
	if err := r.pointed(m); err != nil {
		return "", err
	}
	if countAsked.MatchString(d.text) {
		return r.count()
	}
	if m.from >= 0 && m.from < len(d.words) && d.words[m.from].quoted {
		return "", errLost
	}
	if r.id != "" {
		return r.one()
	}
	if err := r.conditions(); err != nil {
		return "", err
	}
	if d.counts(m) {
		return r.total()
	}
	return r.list()
}

// pointed takes up the record that stands right behind the subject, or the conditions of the last question that it goes on with.
func (r *reading) pointed(m mention) error {
	if m.from < 0 {
		return r.carry()
	}
	x := r.d.refOf(r.ts, m)
	switch {
	case x.this || x.id != "" && (r.tok(x.to).is("'s", ".", "?", "!", ",", "") || x.to >= len(r.ts) || !r.tok(x.to).mark()):
		id, err := r.d.identify(r.t, x)
		if err != nil {
			return err
		}
		if r.id = id; len(r.t.key) > 0 {
			r.spend(m.from, r.past(x.to))
			return nil
		}
		r.id = ""
	}
	return nil
}

// one shows one record by its id, and says what was asked of it.
func (r *reading) one() (string, error) {
	got, err := r.d.call("get_record", struct {
		Table string `json:"table"`
		ID    string `json:"id"`
	}{r.t.name, r.id}, false)
	if err != nil {
		return "", err
	}
	if err := r.present1(got, "record"); err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s %s", r.t.noun(1), r.id)
	var saids []string
	for i := range r.ts {
		fs, n, sure := r.named(i)
		if n == 0 || sure < synonym {
			continue
		}
		r.spend(i, i+n)
		for _, f := range fs {
			saids = append(saids, "the "+f.called()+" is "+f.text(got.display(0, f.name)))
		}
	}
	if len(saids) > 0 {
		return "For " + name + ", " + strings.Join(saids, " and ") + ".", nil
	}
	return "Here is " + name + ".", nil
}

// text writes a value of the field for people.
func (f *field) text(v string) string {
	switch {
	case f.typ == "bool" && v == "true":
		return "yes"
	case f.typ == "bool" && v != "":
		return "no"
	}
	return firstOf(v, "empty")
}

// present1 offers a view over a result where that can be done.
func (r *reading) present1(got *result, view string) error {
	if !r.d.tools["present_results"] || got.ref == "" {
		return nil
	}
	_, err := r.d.call("present_results", struct {
		View string `json:"view"`
		Call string `json:"call_id"`
	}{view, got.ref}, false)
	var failed toolError
	if isTool(err, &failed) {
		return nil // the sentence still says what was found
	}
	return err
}

// list shows the records that meet the conditions.
func (r *reading) list() (string, error) {
	args := queryArgs{Table: r.t.name, Where: where(r.conds), OrderBy: r.order, Limit: r.limit}
	if r.ranks != "" {
		args.Select = append(r.labels(), r.ranks)
	}
	for _, f := range r.columns {
		if len(args.Select) == 0 {
			args.Select = r.labels()
		}
		if slices.Contains(args.Select, f.name) {
			continue
		}
		args.Select = append(args.Select, f.name)
	}
	return r.run(args)
}

// labels are the fields that say which record a row is.
func (r *reading) labels() []string {
	out := slices.Clone(r.t.key)
	for _, f := range r.t.labelFields() {
		out = append(out, f.name)
	}
	return out
}

func (r *reading) run(args queryArgs) (string, error) {
	got, err := r.d.call("query_records", args, false)
	if err != nil {
		return "", err
	}
	r.conds = append(slices.Clone(r.conds), r.sortSaid(args.OrderBy)...)
	n := len(got.rows)
	if n == 0 {
		return fmt.Sprintf("There are no %s%s.", r.t.noun(2), said(r.conds)), nil
	}
	view := "table"
	if n == 1 && (!got.more || args.Limit == 1) {
		view = "record"
	}
	shown := r.present1(got, view)
	if got.more && r.limit == 0 && args.Offset == 0 && r.d.tools["count_records"] {
		all, err := r.countOf(args.Where, "")
		if shown != nil || err == errPending {
			return "", firstErr(shown, err)
		}
		if err == nil {
			return fmt.Sprintf("Here are the first %d of %s %s%s.", n, all.figure("count"), r.t.noun(2), said(r.conds)), nil
		}
	}
	if shown != nil {
		return "", shown
	}
	switch noun := r.t.noun(n); {
	case got.more && r.limit == 0:
		return fmt.Sprintf("Here are %d %s%s; there are more.", n, noun, said(r.conds)), nil
	case n == 1:
		return fmt.Sprintf("Here is 1 %s%s%s.", noun, said(r.conds), r.firstSaid(got, args.OrderBy)), nil
	default:
		return fmt.Sprintf("Here are %d %s%s.", n, noun, said(r.conds)), nil
	}
}

// sortSaid says how a list is sorted.
func (r *reading) sortSaid(order []string) []cond {
	if len(order) == 0 {
		return nil
	}
	name, down := strings.CutSuffix(order[0], " desc")
	if f := r.t.field(name); f != nil {
		name = f.called()
	} else if name == r.ranks {
		name = "number of " + r.ranking
	}
	if down {
		name += ", descending"
	}
	return []cond{{said: "sorted by " + name}}
}

// firstSaid names the one record that was sorted to the top, and by what: "the cheapest product" wants to be told.
func (r *reading) firstSaid(got *result, order []string) string {
	if len(order) == 0 || r.limit != 1 {
		return ""
	}
	expr := strings.TrimSuffix(order[0], " desc")
	var out []string
	for _, f := range r.t.labelFields() {
		out = append(out, got.display(0, f.name))
	}
	v := str(got.cell(0, expr))
	if name := strings.TrimSpace(strings.Join(out, " ")); name != "" && v != "" {
		return ": " + name + ", " + v
	}
	return ""
}

func firstErr(errs ...error) error {
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

func (r *reading) countOf(where, distinct string) (*result, error) {
	return r.d.call("count_records", struct {
		Table    string `json:"table"`
		Where    string `json:"where,omitempty"`
		Distinct string `json:"distinct,omitempty"`
	}{r.t.name, where, distinct}, false)
}

// count answers "how many", of records or of different values of a field.
func (r *reading) count() (string, error) {
	field := r.distinct()
	if r.id != "" && len(r.t.key) == 1 {
		r.conds = append(r.conds, cond{r.t.key[0] + " == " + literal(r.t.field(r.t.key[0]), r.id), r.t.noun(1) + " " + r.id})
	}
	if err := r.conditions(); err != nil {
		return "", err
	}
	if field == nil {
		return r.total()
	}
	got, err := r.countOf(where(r.conds), field.name)
	if err != nil {
		return "", err
	}
	if err := r.present1(got, "number"); err != nil {
		return "", err
	}
	n := got.figure("count")
	return fmt.Sprintf("%s different values of %s among the %s%s.", n, field.called(), r.t.noun(2), said(r.conds)), nil
}

// distinct is the field whose different values are asked for: "how many different countries", "how many countries do customers live in".
func (r *reading) distinct() *field {
	for i := range r.ts {
		n := anyAt(r.ts, i, "how many", "how many different", "how many distinct", "how many unique", "count distinct", "count the distinct", "count different", "count the different", "number of different", "number of distinct", "number of unique", "count unique")
		if n == 0 {
			continue
		}
		fs, k, sure := r.named(i + n)
		if k == 0 || sure < 1 || i+n < len(r.used) && r.used[i+n] {
			continue
		}
		r.spend(i, i+n+k)
		return fs[0]
	}
	return nil
}

func (r *reading) total() (string, error) {
	got, err := r.countOf(where(r.conds), "")
	if err != nil {
		return "", err
	}
	if err := r.present1(got, "number"); err != nil {
		return "", err
	}
	figure := got.figure("count")
	n, err := strconv.Atoi(figure)
	if err != nil {
		return "", toolError("the count gave no number")
	}
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	return fmt.Sprintf("There %s %s %s%s.", verb, figure, r.t.noun(n), said(r.conds)), nil
}

var (
	grouped = regexp.MustCompile(`(?i)\b(per|(in|for|of|by) (each|every))\s+\p{L}|\b(number|count|how many)\b.*\bby\s+\p{L}|\b(group|grouped|broken down|breakdown) by\b`)
	summed  = regexp.MustCompile(`(?i)\b(sum|average|avg|mean|median|minimum|maximum)\b|\btotal (of|for|value|amount|revenue|sales)\b|\b(revenue|turnover)\b`)
)

// beyond says plainly what cannot be had: figures over groups and sums without the tool for them, or in words that these rules do not know.
func (d *desk) beyond(m mention) error {
	single := m.from >= 0 && !d.refOf(d.words, m).none()
	if grouped.MatchString(d.text) || summed.MatchString(d.text) && !single {
		text := "Sums, averages and figures per group are not open to you here; I can count, list, filter and sort " + m.table.noun(2) + "."
		if d.tools["analyze_records"] {
			text = "I did not understand which figure you want. Write it like: number of " + m.table.noun(2) + " per …, average … of " + m.table.noun(2) + " by …, or share of " + m.table.noun(2) + " per …."
		}
		return unclear(text + " " + connect())
	}
	return nil
}
