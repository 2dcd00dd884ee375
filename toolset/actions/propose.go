package actions

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/internal/plain"
	"example.com/deputy/query"
)

// propose drafts the changes: the record's own first, which carries the condition and how many children were found, then what the steps make.
func (a action) propose(ctx context.Context, s *deputy.Scope, raw json.RawMessage) (deputy.Draft, error) {
	id, given, err := a.arguments(raw, s.Clock().Zone)
	if err != nil {
		return deputy.Draft{}, err
	}
	v := s.View().Given(given)
	p, err := a.read(ctx, v)
	if err != nil {
		return deputy.Draft{}, err
	}
	d := drafting{action: a, view: v, plan: p, id: id, given: given, touched: map[string]bool{}}
	if d.key, d.is, err = v.Key(ctx, a.Table, id); err != nil {
		return deputy.Draft{}, err
	}
	if err := d.record(ctx); err != nil {
		return deputy.Draft{}, err
	}
	for i := range p.then {
		if err := d.step(ctx, i); err != nil {
			return deputy.Draft{}, err
		}
	}
	return deputy.Draft{Title: a.title(), Changes: d.changes}, nil
}

// drafting is one proposal of an action being made.
type drafting struct {
	action
	view  *deputy.View
	plan  plan
	id    string
	key   []string
	is    query.Expr // the record
	given map[string]query.Lit

	ties    map[string]query.Value // of the record: the fields that its children refer to
	made    [][]query.Value        // for each step: what it creates
	changes []deputy.Change        // the first is the record's own
	touched map[string]bool        // table and id of what is changed
}

// columns collects what is asked about one row. Constants are not asked.
type columns struct {
	list []query.Column
	at   []int // of what was added: its column; -1: a constant
	lits []query.Value
}

func (c *columns) add(e query.Expr) {
	if l, ok := e.(query.Lit); ok {
		c.at, c.lits = append(c.at, -1), append(c.lits, l.V)
		return
	}
	c.at, c.lits = append(c.at, len(c.list)), append(c.lits, nil)
	c.list = append(c.list, query.Column{As: fmt.Sprintf("v%d", len(c.list)), Expr: e})
}

// values are those of what was added, in its order.
func (c *columns) values(row []query.Value) []query.Value {
	out := make([]query.Value, len(c.at))
	for i, at := range c.at {
		if out[i] = c.lits[i]; at >= 0 {
			out[i] = row[at]
		}
	}
	return out
}

// record reads, in one question, all that the action asks about the record it acts on, and drafts its change. One that the person may not read is
// like one that is not there.
func (d *drafting) record(ctx context.Context) error {
	c := &columns{}
	when := d.plan.when
	if when == nil {
		when = query.Lit{V: true, T: query.Bool}
	}
	c.add(when)
	for _, one := range d.plan.set {
		c.add(one.expr)
	}
	var ties []query.Field
	for _, s := range d.plan.then {
		if s.relation.Name != "" {
			for _, from := range s.relation.From {
				f, _ := d.plan.table.Field(from)
				ties = append(ties, f)
				c.add(query.Ref{Table: d.plan.table.Name, Field: f})
			}
			continue
		}
		for _, one := range s.set {
			c.add(one.expr)
		}
	}
	c.list = append(c.list, query.Column{As: "there", Expr: query.Lit{V: true, T: query.Bool}})
	rows, err := d.view.Query(ctx, query.Query{Table: d.Table, Where: d.is, Select: c.list, Limit: 1, Version: d.view.VersionOf(d.plan.table)})
	if err != nil {
		return err
	}
	if len(rows.Rows) == 0 {
		return deputy.Errorf(deputy.NotFound, "No such record: %s %s", plain.Name(d.Table), plain.Name(d.id))
	}
	found := c.values(rows.Rows[0])
	if found[0] != true {
		return d.refused(ctx)
	}
	own := deputy.Change{Verb: deputy.Update, Table: d.Table, Key: d.key, Version: version(rows, 0), When: d.When, Given: givenTo(d.given, d.conditions()...)}
	own.Values, found = take(d.plan.set, found[1:])
	d.ties = map[string]query.Value{}
	for _, s := range d.plan.then {
		n := len(s.set)
		if s.relation.Name != "" {
			n = len(s.relation.From)
			for i := range n {
				d.ties[ties[0].Name], ties = found[i], ties[1:]
			}
		}
		d.made, found = append(d.made, found[:n]), found[n:]
	}
	d.touched[d.Table+" "+query.RecordID(d.key)] = true
	d.changes = []deputy.Change{own}
	return nil
}

// conditions are those that the record's own change carries: the action's, and those that its children are counted by.
func (a Action) conditions() []string {
	out := []string{a.When}
	for _, s := range a.Then {
		if s.Update != nil {
			out = append(out, s.Update.Where)
		}
	}
	return out
}

// version is that of a row; empty of a host that tells none.
func version(rows query.Rows, i int) string {
	if i < len(rows.Versions) {
		return rows.Versions[i]
	}
	return ""
}

// take makes assignments of the first of a row's values; the rest is left.
func take(set []value, found []query.Value) (out []deputy.Assign, rest []query.Value) {
	for i, one := range set {
		v := found[i]
		if at, ok := v.(time.Time); ok && one.now {
			v = at.Truncate(time.Second)
		}
		out = append(out, assign(one.field.Name, one.field.Type, v, one.own))
	}
	return out, found[len(set):]
}

// refused says that the condition does not hold, and what stands in the way as far as the record itself tells.
func (d *drafting) refused(ctx context.Context) error {
	label, err := d.view.Label(ctx, d.Table, d.id)
	if err != nil {
		return err
	}
	which := plain.Text(d.id)
	if label != "" && label != d.id {
		which += " (" + plain.Text(label) + ")"
	}
	now := "which does not hold"
	if fields := bare(d.plan.when); len(fields) > 0 {
		c := &columns{}
		for _, f := range fields {
			c.add(f)
		}
		rows, err := d.view.Query(ctx, query.Query{Table: d.Table, Where: d.is, Select: c.list, Limit: 1})
		if err != nil || len(rows.Rows) == 0 {
			return deputy.Errorf(deputy.NotFound, "No such record: %s %s", plain.Name(d.Table), plain.Name(d.id))
		}
		var said []string
		for i, f := range fields {
			said = append(said, f.Field.Name+" is "+shown(rows.Rows[0][i]))
		}
		now = "and now " + strings.Join(said, ", ")
	}
	refusal := deputy.Errorf(deputy.Unprocessable, "%s is not possible for %s %s: it needs %s, %s.", d.title(), d.Table, which, oneLine(d.When), now)
	refusal.Quotes = true
	return refusal
}

// shown is a value in a sentence.
func shown(v query.Value) string {
	text, ok := query.FormatValue(v)
	if !ok {
		return "empty"
	}
	return plain.Quoted(text)
}

// step drafts what one step makes.
func (d *drafting) step(ctx context.Context, i int) error {
	s := d.plan.then[i]
	if s.relation.Name == "" {
		c := deputy.Change{Verb: deputy.Create, Table: s.table.Name, ID: fmt.Sprintf("step%d", i+1)}
		c.Values, _ = take(s.set, d.made[i])
		for i, a := range c.Values {
			c.Values[i].Own = a.Own || a.Text == nil // a new record without a value has nothing that somebody made up
		}
		return d.add(c)
	}
	rows, versions, err := d.children(ctx, s)
	if err != nil {
		return err
	}
	d.changes[0].Children = append(d.changes[0].Children, deputy.Count{Relation: s.relation.Name, N: len(rows), Where: s.text})
	for i, row := range rows {
		c := deputy.Change{Verb: deputy.Update, Table: s.table.Name, Version: versions[i], When: s.text, Given: givenTo(d.given, s.text)}
		for k := range s.table.Key {
			text, _ := query.FormatValue(row[k])
			c.Key = append(c.Key, text)
		}
		c.Values, _ = take(s.set, row[len(s.table.Key):])
		if err := d.add(c); err != nil {
			return err
		}
	}
	return nil
}

// children reads the children that a step is about: the values of their keys, then what their fields are to become, and the version that is of.
func (d *drafting) children(ctx context.Context, s planned) (found [][]query.Value, versions []string, err error) {
	where := query.Expr(nil)
	for i, to := range s.relation.To {
		f, ok := s.table.Field(to)
		v := d.ties[s.relation.From[i]]
		if !ok || v == nil {
			return nil, nil, nil
		}
		where = query.And(where, query.Equal(s.table.Name, f, v))
	}
	c := &columns{}
	for _, k := range s.table.Key {
		f, _ := s.table.Field(k)
		c.add(query.Ref{Table: s.table.Name, Field: f})
	}
	for _, one := range s.set {
		c.add(one.expr)
	}
	rows, err := d.view.Query(ctx, query.Query{Table: s.table.Name, Where: query.And(where, s.where), Select: c.list, Limit: Most,
		Version: d.view.VersionOf(s.table)})
	if err != nil {
		return nil, nil, err
	}
	if rows.HasMore {
		return nil, nil, d.tooMany()
	}
	for i, row := range rows.Rows {
		found, versions = append(found, c.values(row)), append(versions, version(rows, i))
	}
	return found, versions, nil
}

func (d *drafting) tooMany() error {
	return deputy.Errorf(deputy.Unprocessable, "%s would change more than %d records here: it cannot be done at once.", d.title(), Most)
}

// add keeps a change: no record is changed twice.
func (d *drafting) add(c deputy.Change) error {
	if len(d.changes) >= Most {
		return d.tooMany()
	}
	if c.Verb == deputy.Update {
		name := c.Table + " " + query.RecordID(c.Key)
		if d.touched[name] {
			return deputy.Errorf(deputy.Unprocessable, "%s would change %s twice: two of its steps are about it.", d.title(), plain.Name(name))
		}
		d.touched[name] = true
	}
	d.changes = append(d.changes, c)
	return nil
}
