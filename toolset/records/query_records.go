package records

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

//go:embed query_records.md
var queryRecordsText string

// usualRows is how many rows a model gets that asks for no number.
const usualRows = 25

// Rows are the arguments of query_records; they are a Question too.
type Rows struct {
	Table   string   `json:"table"`
	Where   string   `json:"where,omitzero"`
	Select  []string `json:"select,omitzero"`
	OrderBy []string `json:"order_by,omitzero"`
	Limit   int      `json:"limit,omitzero"`
	Offset  int      `json:"offset,omitzero"`
}

func queryRecords() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "query_records", Label: "Looked up records", Description: strings.TrimSpace(queryRecordsText),
		Operation: "GET /table/{table}", Offered: readable,
	}, runQueryRecords)
}

func runQueryRecords(ctx context.Context, s *deputy.Scope, in Rows) (deputy.Result, error) {
	rows, err := in.Ask(ctx, s, s.View())
	return deputy.Result{Rows: &rows}, err
}

// Ask implements Question.
func (in Rows) Ask(ctx context.Context, s *deputy.Scope, v *deputy.View) (query.Rows, error) {
	q, _, err := in.read(ctx, v)
	if err != nil {
		return query.Rows{}, err
	}
	q.Limit = s.Window(in.Limit, usualRows)
	return v.Query(ctx, q)
}

// Check implements Question.
func (in Rows) Check(ctx context.Context, v *deputy.View) error {
	_, at, err := in.read(ctx, v)
	var e *deputy.Error
	if at == "" || !errors.As(err, &e) {
		return err
	}
	say := *e
	say.Message = at + ": " + e.Message
	return &say
}

// read reads the texts as a view may ask them. at is the argument that an error is about, where it is one of those.
func (in Rows) read(ctx context.Context, v *deputy.View) (q query.Query, at string, err error) {
	if in.Limit < 0 || in.Offset < 0 {
		return q, "", deputy.Errorf(deputy.Invalid, "`limit` and `offset` must not be negative")
	}
	t, err := v.Table(ctx, in.Table)
	if err != nil {
		return q, "", err
	}
	q = query.Query{Table: in.Table, Offset: in.Offset}
	if q.Where, err = v.Condition(ctx, in.Table, in.Where); err != nil {
		return q, "where", err
	}
	if q.Select, err = selected(ctx, v, t, in.Select); err != nil {
		return q, "select", err
	}
	q.Order, err = ordered(ctx, v, in.Table, in.OrderBy)
	return q, "order_by", err
}

// selected are the columns of a list of expressions, each once; a foreign key is followed by the label of what it leads to, and a label
// brings its foreign key along. None named means all fields (nil).
func selected(ctx context.Context, v *deputy.View, t *query.Table, texts []string) ([]query.Column, error) {
	var once []string
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if key, ok := strings.CutSuffix(text, ".label"); ok {
			if _, ok := t.Parent(key); ok {
				text = key
			}
		}
		if !slices.Contains(once, text) {
			once = append(once, text)
		}
	}
	if len(once) == 0 {
		return nil, nil
	}
	return v.Select(ctx, t.Name, once)
}

// ordered reads sort keys: an expression, then optionally asc or desc.
func ordered(ctx context.Context, v *deputy.View, table string, texts []string) ([]query.Order, error) {
	var out []query.Order
	for _, text := range texts {
		o, err := v.Order(ctx, table, text)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}
