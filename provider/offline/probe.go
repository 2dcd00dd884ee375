package offline

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// text is an expression that may hold a wanted text, and how it is said.
type text struct{ path, said string }

// most bounds the texts that one probe asks for.
const most = 20

// ownTexts are the texts of a table's own records, their whole name first.
func ownTexts(t *table) []text {
	var out []text
	if x, ok := t.fullName(""); ok {
		out = append(out, text{x, "name"})
	}
	for _, f := range t.textFields() {
		out = append(out, text{f.name, f.called()})
	}
	return out
}

type queryArgs struct {
	Table   string   `json:"table"`
	Where   string   `json:"where,omitempty"`
	Select  []string `json:"select,omitempty"`
	OrderBy []string `json:"order_by,omitempty"`
	Limit   int      `json:"limit,omitempty"`
	Offset  int      `json:"offset,omitempty"`
}

// exactly looks which of some texts are the wanted one, case aside, and answers with a condition over those that are; nil where none is.
func (d *desk) exactly(t *table, texts []text, want string) (*cond, error) {
	names := []string{strings.ToLower(want)}
	if a := countryAliases(names[0]); a != nil {
		names = a
	}
	var exprs, paths []string
	for _, x := range texts[:min(len(texts), most)] {
		exprs, paths = append(exprs, foldedIn(x.path, names)), append(paths, x.path)
	}
	if len(exprs) == 0 {
		return nil, nil
	}
	r, err := d.call("query_records", queryArgs{Table: t.name, Where: strings.Join(exprs, " || "), Select: paths, Limit: 100}, false)
	if err != nil {
		return nil, err
	}
	return found(r, texts[:len(exprs)], names), nil
}

func foldedIn(path string, names []string) string {
	if len(names) == 1 {
		return "lower(" + path + ") == " + quote(names[0])
	}
	var qs []string
	for _, n := range names {
		qs = append(qs, quote(n))
	}
	return "lower(" + path + ") in [" + strings.Join(qs, ", ") + "]"
}

// found reads from the rows which texts held which of the names. A two-letter code counts only where no text held a whole name: CA is
// Canada, or a state.
func found(r *result, texts []text, names []string) *cond {
	held := make([][]string, len(texts))
	whole := false
	for i, x := range texts {
		for row := range r.rows {
			v := r.selected(row, i, x.path)
			if slices.Contains(names, strings.ToLower(v)) && !slices.Contains(held[i], v) {
				held[i] = append(held[i], v)
				whole = whole || len(v) > 2
			}
		}
	}
	var exprs, saids []string
	for i, x := range texts {
		values := slices.DeleteFunc(held[i], func(v string) bool { return whole && len(v) <= 2 })
		slices.Sort(values)
		for _, v := range values {
			exprs = append(exprs, x.path+" == "+quote(v))
		}
		if len(values) > 0 {
			saids = append(saids, x.said+" is "+quoted(values))
		}
	}
	if len(exprs) == 0 {
		return nil
	}
	return &cond{either(exprs), strings.Join(saids, " or ")}
}

// selected is the text of the nth selected value of a row.
func (r *result) selected(row, n int, path string) string {
	if v := r.cell(row, path); v != nil {
		return str(v)
	}
	for i, c := range r.columns {
		if strings.HasSuffix(c, ".label") {
			continue
		}
		if n == 0 && !slices.Contains(r.columns, path) && i < len(r.rows[row]) {
			return str(r.rows[row][i])
		}
		n--
	}
	return ""
}

func quoted(values []string) string {
	var out []string
	for _, v := range values {
		out = append(out, `"`+v+`"`)
	}
	return strings.Join(out, " or ")
}

// loosely looks for records in whose texts every word of the wanted one stands, and answers with a condition; nil where there are none.
func (d *desk) loosely(t *table, texts []text, want string) (*cond, error) {
	var all []string
	for _, w := range strings.Fields(want) {
		var exprs []string
		for _, x := range texts[:min(len(texts), most/2)] {
			if !strings.Contains(x.path, " ") {
				exprs = append(exprs, x.path+".contains("+quote(w)+")")
			}
		}
		if len(all) < 4 && len(exprs) > 0 {
			all = append(all, either(exprs))
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	expr := where([]cond{{expr: strings.Join(all, " && ")}})
	r, err := d.call("query_records", queryArgs{Table: t.name, Where: expr, Limit: 1}, false)
	if err != nil || len(r.rows) == 0 {
		return nil, err
	}
	return &cond{"(" + expr + ")", fmt.Sprintf("with %q in its texts", want)}, nil
}

// probe finds the records of a table that a text describes. It looks into their own texts, those of their parents, and one step further;
// for what a record is "by", into parents first.
func (d *desk) probe(t *table, want string, how hint) (*cond, error) {
	own := ownTexts(t)
	if how != by {
		if c, err := d.exactly(t, own, want); c != nil || err != nil {
			return c, err
		}
	}
	near, far, err := d.parentTexts(t, how)
	if err != nil {
		return nil, err
	}
	steps := [][]text{near, far}
	if how == by {
		steps = [][]text{append(slices.Clone(near), far...), own}
	}
	for _, texts := range steps {
		if c, err := d.exactly(t, texts, want); c != nil || err != nil {
			return c, err
		}
	}
	if c, err := d.loosely(t, own, want); c != nil || err != nil {
		return c, err
	}
	return d.loosely(t, near, want)
}

// hint is how a text stands in a question.
type hint string

const (
	plainly hint = ""      // rock tracks
	place   hint = "place" // in Norway
	by      hint = "by"    // by AC/DC
)

// parentTexts are the texts of the records that a table's belong to, and of those that these belong to.
func (d *desk) parentTexts(t *table, how hint) (near, far []text, err error) {
	parents, err := d.parentsOf(t)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range t.parents {
		pt := parents[p.name]
		if pt == nil {
			continue
		}
		near = append(near, pt.texts(p.name, how)...)
		if pt == t {
			continue
		}
		grand, err := d.parentsOf(pt)
		if err != nil {
			return nil, nil, err
		}
		for _, g := range pt.parents {
			if gt := grand[g.name]; gt != nil && gt != t {
				far = append(far, gt.texts(p.name+"."+g.name, how)...)
			}
		}
	}
	return near, far, nil
}

// texts are a parent's: those that name it, and for a place all.
func (t *table) texts(path string, how hint) []text {
	said := strings.ReplaceAll(strings.ReplaceAll(path, ".", " "), "_", " ")
	var out []text
	if x, ok := t.fullName(path + "."); ok {
		out = append(out, text{x, said})
	}
	fields := t.labelFields()
	if how == place {
		fields = t.textFields()
		fields = fields[:min(len(fields), 10)]
	}
	for _, f := range fields {
		out = append(out, text{path + "." + f.name, said + " " + f.called()})
	}
	return out
}

// fullName is the label of a table's records as an expression, where it is made of several fields.
func (t *table) fullName(prefix string) (string, bool) {
	if t.field(t.recordLabel) != nil || t.recordLabel == "" || len(t.recordLabel) > 200 {
		return "", false
	}
	var out strings.Builder
	for i, part := range strings.Split(t.recordLabel, `"`) {
		if i > 0 {
			out.WriteByte('"')
		}
		if i%2 == 1 {
			out.WriteString(part)
			continue
		}
		for _, w := range identifier.FindAllString(part, -1) {
			if t.field(w) == nil {
				return "", false
			}
		}
		out.WriteString(identifier.ReplaceAllString(part, prefix+"$0"))
	}
	return out.String(), true
}

var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// identify is the id of the one record of a table that a reference means.
func (d *desk) identify(t *table, r ref) (string, error) {
	switch {
	case r.id != "":
		return r.id, nil
	case r.this:
		if _, id := d.shown(t); id != "" {
			return id, nil
		}
		return "", unclear("Which " + t.noun(1) + " do you mean? Please say its id or its name.")
	}
	ids, err := d.named(t, r.name)
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		return "", unclear(fmt.Sprintf("I found no %s called %q.", t.noun(1), r.name))
	case len(ids) > 1:
		return "", unclear(fmt.Sprintf("More than one %s matches %q: %s. Please ask again with the id of one.", t.noun(1), r.name, strings.Join(ids, ", ")))
	}
	return ids[0], nil
}

// named are the ids of the records that a name means, at most ten.
func (d *desk) named(t *table, name string) ([]string, error) {
	if err := d.describe(t.name); err != nil {
		return nil, err
	}
	if len(t.key) == 0 {
		return nil, unclear("The " + t.noun(2) + " have no key, so one of them cannot be picked.")
	}
	own := ownTexts(t)
	c, err := d.exactly(t, own, name)
	if c == nil && err == nil {
		c, err = d.loosely(t, own, name)
	}
	if c == nil || err != nil {
		return nil, err
	}
	r, err := d.call("query_records", queryArgs{Table: t.name, Where: where([]cond{*c}), Limit: 10}, false)
	if err != nil {
		return nil, err
	}
	var ids []string
	for row := range r.rows {
		ids = append(ids, r.recordID(row, t.key))
	}
	return ids, nil
}

// recordID is the id of a row's record: the text of its key, a JSON array of texts where the key has several fields.
func (r *result) recordID(row int, key []string) string {
	if len(key) == 1 {
		return str(r.cell(row, key[0]))
	}
	var parts []any
	for _, k := range key {
		parts = append(parts, r.cell(row, k))
	}
	b, err := json.Marshal(parts)
	if err != nil {
		return ""
	}
	return string(b)
}
