package analysis

import (
	"context"

	"example.com/deputy"
	"example.com/deputy/query"
)

// Figures are the arguments of analyze_records, for a question that is asked again and again: what a widget asks.
type Figures struct {
	Table    string
	Where    string
	GroupBy  []string
	Measures []Measure
	Having   string
	OrderBy  []string
	Limit    int
}

// Measure is one of the figures: an expression over the records of a group, and its name.
type Measure struct {
	As   string `json:"as"`
	Expr string `json:"expr"`
}

func (f Figures) arguments() analyzeRecordsIn {
	return analyzeRecordsIn{Table: f.Table, Where: f.Where, GroupBy: f.GroupBy, Measures: f.Measures, Having: f.Having, OrderBy: f.OrderBy, Limit: f.Limit}
}

// Check reads the texts as a view may ask them, and asks nothing.
func (f Figures) Check(ctx context.Context, v *deputy.View) error {
	if !v.Catalog().Features().Aggregates {
		return deputy.Errorf(deputy.Unprocessable, "this host has no analyses: write query instead")
	}
	_, err := compile(ctx, v, f.arguments())
	return err
}

// Ask reads the texts and asks, for as many groups as the scope wants.
func (f Figures) Ask(ctx context.Context, s *deputy.Scope, v *deputy.View) (query.Rows, error) {
	a, err := compile(ctx, v, f.arguments())
	if err != nil {
		return query.Rows{}, err
	}
	a.Limit = s.Window(f.Limit, mostGroups)
	return v.Analyze(ctx, a)
}
