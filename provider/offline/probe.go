package offline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// text is a field that may hold a text, and the path to it from the subject.
type text struct {
	path string
	said string
	f    *field
}

// most bounds the texts that one probe asks for.
const most = 20

func ownTexts(t *table, prefix, saidPrefix string, fields []*field) []text {
	var out []text
	for _, f := range fields {
		out = append(out, text{prefix + f.name, saidPrefix + f.called(), f})
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
	r, err := d.call("query_records", queryArgs{Table: t.name, Where: strings.Join(exprs, " || "), Select: paths, Limit: 50}, false)
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

// found reads from the rows which texts held which of the names.
func found(r *result, texts []text, names []string) *cond {
	var exprs, saids []string
	for i, x := range texts {
		var values []string
		for row := range r.rows {
			v := r.selected(row, i, x.path)
			if slices.Contains(names, strings.ToLower(v)) && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
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
			exprs = append(exprs, x.path+".contains("+quote(w)+")")
		}
		if len(all) < 4 && len(exprs) > 0 {
			all = append(all, either(exprs))
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	expr := strings.Join(all, " && ")
	r, err := d.call("query_records", queryArgs{Table: t.name, Where: expr, Limit: 1}, false)
	if err != nil || len(r.rows) == 0 {
		return nil, err
	}
	return &cond{"(" + expr + ")", fmt.Sprintf("with %q in its texts", want)}, nil
}

// probe finds the records of a table that a text describes, near fields first: own texts, those of its parents, and one step further.
func (d *desk) probe(t *table, want string, byName bool) (*cond, error) {
	own := ownTexts(t, "", "", t.textFields())
	if c, err := d.exactly(t, own, want); c != nil || err != nil {
		return c, err
	}
	parents, err := d.parentsOf(t)
	if err != nil {
		return nil, err
	}
	var near, far []text
	for _, p := range t.parents {
		if pt := parents[p.name]; pt != nil {
			near = append(near, ownTexts(pt, p.name+".", p.name+" ", bounded(pt, byName))...)
		}
	}
	if c, err := d.exactly(t, near, want); c != nil || err != nil {
		return c, err
	}
	for _, p := range t.parents {
		pt := parents[p.name]
		if pt == nil || pt == t {
			continue
		}
		grand, err := d.parentsOf(pt)
		if err != nil {
			return nil, err
		}
		for _, g := range pt.parents {
			if gt := grand[g.name]; gt != nil && gt != t {
				path := p.name + "." + g.name
				far = append(far, ownTexts(gt, path+".", strings.ReplaceAll(path, ".", " ")+" ", bounded(gt, byName))...)
			}
		}
	}
	if c, err := d.exactly(t, far, want); c != nil || err != nil {
		return c, err
	}
	if c, err := d.loosely(t, own, want); c != nil || err != nil {
		return c, err
	}
	return d.loosely(t, near, want)
}

// bounded are a parent's texts: those that name it, and for a place all.
func bounded(t *table, byName bool) []*field {
	if byName {
		return t.labelFields()
	}
	fs := t.textFields()
	return fs[:min(len(fs), 10)]
}

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
	own := ownTexts(t, "", "", t.textFields())
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
