package records

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

//go:embed query_records.md
var queryRecordsText string

// usualRows is how many rows a model gets that asks for no number.
const usualRows = 25

type queryRecordsIn struct {
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

func runQueryRecords(ctx context.Context, s *deputy.Scope, in queryRecordsIn) (deputy.Result, error) {
	if in.Limit < 0 || in.Offset < 0 {
		return deputy.Result{}, deputy.Errorf(deputy.Invalid, "`limit` and `offset` must not be negative")
	}
	q := query.Query{Table: in.Table, Limit: s.Window(in.Limit, usualRows), Offset: in.Offset}
	t, err := s.View().Table(ctx, in.Table)
	if err != nil {
		return deputy.Result{}, err
	}
	if q.Where, err = s.View().Condition(ctx, in.Table, in.Where); err != nil {
		return deputy.Result{}, err
	}
	if q.Select, err = selected(ctx, s.View(), t, in.Select); err != nil {
		return deputy.Result{}, err
	}
	if q.Order, err = ordered(ctx, s.View(), in.Table, in.OrderBy); err != nil {
		return deputy.Result{}, err
	}
	rows, err := s.View().Query(ctx, q)
	return deputy.Result{Rows: &rows}, err
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
