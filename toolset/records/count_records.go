package records

import (
	"context"
	_ "embed"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

//go:embed count_records.md
var countRecordsText string

type countRecordsIn struct {
	Table    string `json:"table"`
	Where    string `json:"where,omitzero"`
	Distinct string `json:"distinct,omitzero"`
}

func countRecords() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "count_records", Label: "Counted records", Description: strings.TrimSpace(countRecordsText),
		Operation: "GET /table/{table}/count",
		Offered: func(ctx context.Context, v *deputy.View) (bool, error) {
			if !v.Catalog().Features().Aggregates {
				return false, nil
			}
			return readable(ctx, v)
		},
	}, runCountRecords)
}

func runCountRecords(ctx context.Context, s *deputy.Scope, in countRecordsIn) (deputy.Result, error) {
	if _, err := s.View().Table(ctx, in.Table); err != nil {
		return deputy.Result{}, err
	}
	where, err := s.View().Condition(ctx, in.Table, in.Where)
	if err != nil {
		return deputy.Result{}, err
	}
	count := query.Agg{Fn: "count", T: query.Int}
	if in.Distinct != "" {
		if count.Arg, err = s.View().Expr(ctx, in.Table, in.Distinct); err != nil {
			return deputy.Result{}, err
		}
		count.Fn = "count_distinct"
	}
	rows, err := s.View().Analyze(ctx, query.Analysis{Table: in.Table, Where: where,
		Measures: []query.Column{{As: "count", Label: "Count", Expr: count}}})
	return deputy.Result{Rows: &rows}, err
}
