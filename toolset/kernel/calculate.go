package kernel

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

//go:embed calculate.md
var calculateText string

type calculateIn struct {
	Expr string `json:"expr"`
}

// Figure is what calculate answers: an exact text.
type Figure struct {
	Result string `json:"result"`
}

func calculate() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "calculate", Label: "Calculated", Description: strings.TrimSpace(calculateText),
		Operation: "GET /calculate", NoHost: true,
	}, runCalculate)
}

func runCalculate(ctx context.Context, s *deputy.Scope, in calculateIn) (deputy.Result, error) {
	src, err := query.Parse(in.Expr)
	if err != nil {
		return deputy.Result{}, refused(in.Expr, err)
	}
	clock := s.Clock()
	e, err := query.Check(ctx, query.Env{Catalog: nothing{}, Table: "calculate", Now: clock.Now, Zone: clock.Zone}, src)
	if err != nil {
		return deputy.Result{}, refused(in.Expr, err)
	}
	text, ok := query.FormatValue(query.Eval(e, query.Row{}, nil))
	if !ok {
		return deputy.Result{}, deputy.Errorf(deputy.Invalid, "`%s` has no result: it divides by zero, or its number is too large", in.Expr)
	}
	return deputy.Result{Value: Figure{text}}, nil
}

// refused passes on what the language says about a text.
func refused(text string, err error) error {
	var e *query.Error
	if errors.As(err, &e) {
		return deputy.Errorf(deputy.Invalid, "in `%s`: %s", text, e.Error())
	}
	return err
}

// nothing is a catalog with one table that has no fields: every name is unknown.
type nothing struct{}

// Tables implements query.Catalog.
func (nothing) Tables(context.Context, string, string) ([]query.Summary, error) { return nil, nil }

// Table implements query.Catalog.
func (nothing) Table(_ context.Context, name string) (*query.Table, error) {
	if name != "calculate" {
		return nil, query.ErrUnknown
	}
	return &query.Table{Name: name}, nil
}

// Features implements query.Catalog.
func (nothing) Features() query.Features { return query.Features{} }
