package guard

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.com/deputy/fault"
	"example.com/deputy/internal/plain"
	"example.com/deputy/policy"
	"example.com/deputy/query"
)

// View is the host as this person may see it: the only way from a tool to the application. It has no way to write, and it is a struct, so
// that nothing behind it can be reached by a type assertion.
type View struct {
	host Host
	who  Person
	g    *policy.Grants
	now  Clock
	read *query.Parser
	over *query.Groups // what Expr, Condition and Order are about; nil: rows

	given map[string]query.Lit // what parameters.x is in expressions; nil: there are none
	start bool                 // expressions are read, and not asked
	lent  []Grant              // see Lend
}

// AtStart is the same view, to check what an operator wrote before anybody asks it: what the person lacks is no mistake there, and a label of a
// record is one, for the data must not decide whether a configuration is right.
func (v *View) AtStart() *View {
	start := *v
	start.start = true
	return &start
}

// Given is the same view, where expressions may name parameters.x: the values of an operator's own, each with its type.
func (v *View) Given(values map[string]query.Lit) *View {
	given := *v
	given.given = values
	return &given
}

// Over is the same view, where Expr, Condition and Order read what is asked of groups of rows.
func (v *View) Over(g query.Groups) *View {
	over := *v
	over.over = &g
	return &over
}

// Catalog is narrowed to what this person may read: tables, fields, and relations between them.
func (v *View) Catalog() query.Catalog { return v.g.Catalog() }

// Rights says what this person may do to a table; query.ErrUnknown for one that is not there or may not be read.
func (v *View) Rights(ctx context.Context, table string) (policy.Rights, error) {
	return v.g.Rights(ctx, table)
}

// Writable says whether any table grants the verb to this person.
func (v *View) Writable(verb policy.Verb) bool { return v.g.Writable(verb) }

// Table describes one table as this person may see it. The error, not_found, is the same for one that is not there and one that may not
// be read.
func (v *View) Table(ctx context.Context, name string) (*query.Table, error) {
	t, err := v.Catalog().Table(ctx, name)
	return t, sayUnknown(err)
}

func noRecord(table, id string) error {
	return fault.Errorf(fault.NotFound, "No such record: %s %s", plain.Name(table), plain.Name(id))
}

// Expr parses and checks an expression of the model's over a table, against what this person may see. A label is accepted where it
// means exactly one record that this person may read.
func (v *View) Expr(ctx context.Context, table, text string) (query.Expr, error) {
	return v.checked(ctx, table, text, query.Check)
}

// Condition is Expr for what must be true or false; an empty text is no condition.
func (v *View) Condition(ctx context.Context, table, text string) (query.Expr, error) {
	if text == "" {
		return nil, nil
	}
	return v.checked(ctx, table, text, query.Condition)
}

// Order reads one sort key of the model's: an expression, and maybe asc or desc behind it.
func (v *View) Order(ctx context.Context, table, text string) (query.Order, error) {
	if _, err := v.Table(ctx, table); err != nil {
		return query.Order{}, err
	}
	src, desc, err := query.ParseOrder(text)
	if err != nil {
		return query.Order{}, teach(text, err, false)
	}
	e, err := v.checked(ctx, table, src.String(), query.SortKey)
	return query.Order{Expr: e, Desc: desc}, err
}

func (v *View) checked(ctx context.Context, table, text string,
	check func(context.Context, query.Env, *query.Source) (query.Expr, error)) (query.Expr, error) {
	if _, err := v.Table(ctx, table); err != nil {
		return nil, err
	}
	src, err := v.read.Parse(text)
	if err != nil {
		return nil, teach(text, err, false)
	}
	quotes := false
	env := query.Env{Catalog: v.Catalog(), Table: table, Params: []string{"person"}, Given: v.given, Now: v.now.Now, Zone: v.now.Zone, Groups: v.over,
		Label: func(ctx context.Context, rel query.Relation, text string) ([]query.Candidate, error) {
			found, err := v.labelled(ctx, rel, text)
			quotes = quotes || len(found) > 0 // an error lists them
			return found, err
		}}
	if v.start {
		env.Label = nil
	}
	e, err := check(ctx, env, src)
	if err != nil {
		return nil, teach(text, err, quotes)
	}
	e, missing := query.Bind(e, v.who.Lookup)
	if missing && !v.start {
		return nil, fault.Errorf(fault.Invalid, "in `%s`: the person has no such attribute", text)
	}
	return e, nil
}

// teach passes on what the language says about a text; every other error stays what it is.
func teach(text string, err error, quotes bool) error {
	var e *query.Error
	if errors.As(err, &e) {
		return &fault.Error{Code: fault.Invalid, Message: fmt.Sprintf("in `%s`: %s", plain.Cut(text, 2*plain.MaxName), e.Error()), Quotes: quotes}
	}
	return err
}

// maxCandidates bounds what an ambiguous label lists.
const maxCandidates = 5

// labelled finds the readable records that a label means.
func (v *View) labelled(ctx context.Context, rel query.Relation, text string) ([]query.Candidate, error) {
	t, err := v.Catalog().Table(ctx, rel.Table)
	if err != nil || len(rel.To) != 1 {
		return nil, err
	}
	key, ok := t.Field(rel.To[0])
	label := v.g.Label(ctx, t.Name)
	if !ok || label == nil {
		return nil, nil
	}
	is := query.Op{Fn: "==", Args: []query.Expr{label, query.Lit{V: text, T: query.String}}, T: query.Bool}
	rows, err := v.Query(ctx, query.Query{Table: t.Name, Where: is, Limit: maxCandidates,
		Select: []query.Column{{As: key.Name, Expr: query.Ref{Table: t.Name, Field: key}}, {As: "label", Expr: label}}})
	if err != nil {
		return nil, err
	}
	var out []query.Candidate
	for _, r := range rows.Rows {
		k, _ := query.FormatValue(r[0])
		l, _ := query.FormatValue(r[1])
		out = append(out, query.Candidate{Key: k, Label: l})
	}
	return out, nil
}

// Columns are the fields this person may read, in the table's order, each foreign key followed by the label of what it leads to.
func (v *View) Columns(ctx context.Context, table string) ([]query.Column, error) {
	t, err := v.Table(ctx, table)
	if err != nil {
		return nil, err
	}
	var out []query.Column
	for _, f := range t.Fields {
		out = append(out, v.column(ctx, t, f)...)
	}
	return out, nil
}

// HasValue is what stands for the value of a secret field.
const HasValue = "has a value"

// column is one field, and the label of the record it leads to.
func (v *View) column(ctx context.Context, t *query.Table, f query.Field) []query.Column {
	ref := query.Ref{Table: t.Name, Field: f}
	out := []query.Column{{As: f.Name, Label: f.Label, Expr: ref}}
	if f.Secret {
		null := query.Lit{T: query.Null}
		out[0].Expr = query.Op{Fn: "?:", T: query.String, Args: []query.Expr{
			query.Op{Fn: "==", Args: []query.Expr{ref, null}, T: query.Bool}, query.Lit{T: query.String}, query.Lit{V: HasValue, T: query.String}}}
		return out
	}
	if e := v.parentLabel(ctx, t, f.Name); e != nil {
		out = append(out, query.Column{As: f.Name + ".label", Label: f.Label, Expr: e})
	}
	return out
}

func (v *View) parentLabel(ctx context.Context, t *query.Table, field string) query.Expr {
	rel, ok := t.Parent(field)
	if !ok {
		return nil
	}
	return query.Rebase(v.g.Label(ctx, rel.Table), nil, []query.Relation{rel})
}

// maxColumns bounds what is chosen at once.
const maxColumns = 200

// Select is the columns of a list of expressions; a foreign key, over parents too, is followed by the label of what it leads to.
func (v *View) Select(ctx context.Context, table string, texts []string) ([]query.Column, error) {
	t, err := v.Table(ctx, table)
	if err != nil {
		return nil, err
	}
	var out []query.Column
	if len(texts) > maxColumns {
		return nil, fault.Errorf(fault.Invalid, "select: at most %d columns", maxColumns)
	}
	for _, text := range texts {
		if f, ok := t.Field(text); ok {
			out = append(out, v.column(ctx, t, f)...)
			continue
		}
		e, err := v.Expr(ctx, table, text)
		if err != nil {
			return nil, err
		}
		out = append(out, query.Column{As: text, Label: text, Expr: e})
		if label := v.labelBeside(ctx, text, e); label != nil {
			out = append(out, query.Column{As: text + ".label", Label: text, Expr: label})
		}
	}
	return out, nil
}

// labelBeside is the label of the record that a foreign key leads to; nil for anything else, or where nothing names the record. A key in brackets
// is an expression and stands alone.
func (v *View) labelBeside(ctx context.Context, text string, e query.Expr) query.Expr {
	ref, ok := e.(query.Ref)
	if !ok || ref.Path != nil || ref.Var != nil || strings.HasPrefix(text, "(") {
		return nil
	}
	t, err := v.Table(ctx, ref.Table)
	if err != nil {
		return nil
	}
	label := v.parentLabel(ctx, t, ref.Field.Name)
	if label == nil {
		return nil
	}
	return query.Rebase(label, nil, ref.Hops)
}

// Key reads a record id: the text of the key, or a JSON array of texts where it has several fields. It gives the texts of the key's
// values and the condition for that record. An id that cannot be one is like one that is not there: not_found.
func (v *View) Key(ctx context.Context, table, id string) ([]string, query.Expr, error) {
	t, err := v.Table(ctx, table)
	if err != nil {
		return nil, nil, err
	}
	if len(t.Key) == 0 {
		return nil, nil, fault.Errorf(fault.Invalid, "%s has no primary key that you may read: ask with query_records", table)
	}
	texts := []string{id}
	if len(t.Key) > 1 {
		if texts, err = query.KeyTexts(id); err != nil || len(texts) != len(t.Key) {
			return nil, nil, fault.Errorf(fault.Invalid, "the id of a record of %s is a JSON array of %d texts, %v", table, len(t.Key), t.Key)
		}
	}
	is, ok := query.Keyed(t, texts)
	if !ok {
		return nil, nil, noRecord(table, id)
	}
	return texts, is, nil
}

// Label is what names one record for people, as far as this person may read it; empty where nothing does. not_found where it is not there.
func (v *View) Label(ctx context.Context, table, id string) (string, error) {
	_, is, err := v.Key(ctx, table, id)
	if err != nil {
		return "", err
	}
	label, there, err := v.labelWhere(ctx, table, is)
	if err == nil && !there {
		err = noRecord(table, id)
	}
	return label, err
}

// labelWhere is the label of the first readable record that meets a condition.
func (v *View) labelWhere(ctx context.Context, table string, is query.Expr) (label string, there bool, err error) {
	e := v.g.Label(ctx, table)
	if e == nil {
		e = query.Lit{V: "", T: query.String}
	}
	rows, err := v.Query(ctx, query.Query{Table: table, Where: is, Limit: 1, Select: []query.Column{{As: "label", Expr: e}}})
	if err != nil || len(rows.Rows) == 0 {
		return "", false, err
	}
	label, _ = query.FormatValue(rows.Rows[0][0])
	return label, true, nil
}

// Query asks as the person: only the rows and fields they may read, at every hop. An empty Select becomes Columns.
func (v *View) Query(ctx context.Context, q query.Query) (query.Rows, error) {
	if _, err := v.Table(ctx, q.Table); err != nil {
		return query.Rows{}, err
	}
	if len(q.Order) > maxColumns {
		return query.Rows{}, fault.Errorf(fault.Invalid, "order_by: at most %d keys", maxColumns)
	}
	var err error
	if len(q.Select) == 0 {
		if q.Select, err = v.Columns(ctx, q.Table); err != nil {
			return query.Rows{}, err
		}
	}
	if q.Where, err = v.where(ctx, q.Table, q.Where); err != nil {
		return query.Rows{}, err
	}
	if q.Select, err = v.restricted(ctx, q.Select); err != nil {
		return query.Rows{}, err
	}
	if q.Order, err = v.restrictedOrder(ctx, q.Order); err != nil {
		return query.Rows{}, err
	}
	return v.host.Query(ctx, v.who, q)
}

// Analyze asks for figures as the person: of only the rows and fields they may read, at every hop.
func (v *View) Analyze(ctx context.Context, a query.Analysis) (query.Rows, error) {
	if _, err := v.Table(ctx, a.Table); err != nil {
		return query.Rows{}, err
	}
	var err error
	if a.Where, err = v.where(ctx, a.Table, a.Where); err != nil {
		return query.Rows{}, err
	}
	if a.GroupBy, err = v.restricted(ctx, a.GroupBy); err != nil {
		return query.Rows{}, err
	}
	if a.Measures, err = v.restricted(ctx, a.Measures); err != nil {
		return query.Rows{}, err
	}
	if a.Having, err = v.g.Restrict(ctx, a.Having); err != nil {
		return query.Rows{}, err
	}
	if a.Order, err = v.restrictedOrder(ctx, a.Order); err != nil {
		return query.Rows{}, err
	}
	return v.host.Analyze(ctx, v.who, a)
}

// where puts the table's row rule before a condition: it holds before anything else is computed.
func (v *View) where(ctx context.Context, table string, e query.Expr) (query.Expr, error) {
	t, err := v.g.Table(ctx, table)
	if err != nil {
		return nil, sayUnknown(err)
	}
	e, err = v.g.Restrict(ctx, e)
	return query.And(t.Before(policy.Read), e), err
}

func (v *View) restricted(ctx context.Context, cs []query.Column) ([]query.Column, error) {
	out := make([]query.Column, len(cs))
	for i, c := range cs {
		var err error
		if c.Expr, err = v.g.Restrict(ctx, c.Expr); err != nil {
			return nil, err
		}
		out[i] = c
	}
	return out, nil
}

func (v *View) restrictedOrder(ctx context.Context, os []query.Order) ([]query.Order, error) {
	out := make([]query.Order, len(os))
	for i, o := range os {
		var err error
		if o.Expr, err = v.g.Restrict(ctx, o.Expr); err != nil {
			return nil, err
		}
		out[i] = o
	}
	return out, nil
}
