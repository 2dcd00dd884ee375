package present

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/internal/near"
	"example.com/deputy/query"
)

//go:embed present_results.md
var presentResultsText string

type presentResultsIn struct {
	View    string   `json:"view" enum:"table|bar|line|pie|number|record|list"`
	CallID  string   `json:"call_id"`
	Title   string   `json:"title,omitzero"`
	X       string   `json:"x,omitzero"`
	Y       []string `json:"y,omitzero"`
	Columns []string `json:"columns,omitzero"`
	Note    string   `json:"note,omitzero"`
}

// View is how the rows of a call are shown. Its names of columns are all in that call.
type View struct {
	View    string   `json:"view"`
	Title   string   `json:"title,omitzero"`
	X       string   `json:"x,omitzero"`
	Y       []string `json:"y,omitempty"`
	Columns []string `json:"columns,omitempty"`
	Note    string   `json:"note,omitzero"`
}

func presentResults() deputy.Tool {
	return deputy.DisplayTool(deputy.Definition{
		Name: "present_results", Label: "Showed results", Description: strings.TrimSpace(presentResultsText),
		Operation: "GET /calls/{call_id}", NoHost: true, Always: true,
	}, run)
}

func run(ctx context.Context, s *deputy.Scope, in presentResultsIn) (deputy.Display, error) {
	rows, err := s.Result(ctx, in.CallID)
	if err != nil {
		return deputy.Display{}, err
	}
	if err := check(in, rows); err != nil {
		return deputy.Display{}, err
	}
	return deputy.Display{Call: in.CallID, View: View{in.View, in.Title, in.X, in.Y, in.Columns, in.Note},
		Text: fmt.Sprintf("Shown to the person: %s of %d rows of %s.", in.View, len(rows.Rows), in.CallID)}, nil
}

// check refuses a view that the rows cannot fill.
func check(in presentResultsIn, rows query.Rows) error {
	for _, name := range slices.Concat(in.Columns, in.Y) {
		if err := there(name, in.CallID, rows); err != nil {
			return err
		}
	}
	if in.X != "" {
		if err := there(in.X, in.CallID, rows); err != nil {
			return err
		}
	}
	switch in.View {
	case "bar", "line", "pie":
		return checkChart(in, rows)
	case "number":
		if len(in.Y) > 1 || len(in.Y) == 0 && len(rows.Columns) != 1 {
			return deputy.Errorf(deputy.Invalid, "a number shows one column: name it in `y`")
		}
		if len(rows.Rows) == 0 {
			return deputy.Errorf(deputy.Invalid, "%s has no row: there is no number to show", in.CallID)
		}
	case "record":
		if len(rows.Rows) == 0 {
			return deputy.Errorf(deputy.Invalid, "%s has no row: there is no record to show", in.CallID)
		}
	}
	return nil
}

func checkChart(in presentResultsIn, rows query.Rows) error {
	switch {
	case in.X == "" || len(in.Y) == 0:
		return deputy.Errorf(deputy.Invalid, "a %s chart needs `x` and `y`", in.View)
	case in.View == "pie" && len(in.Y) > 1:
		return deputy.Errorf(deputy.Invalid, "a pie shows one `y`; %d are named: use bar", len(in.Y))
	}
	for _, y := range in.Y {
		if c := rows.Columns[index(rows, y)]; c.Expr != nil && c.Expr.Type() != query.Int && c.Expr.Type() != query.Dec {
			return deputy.Errorf(deputy.Invalid, "`y` must be numbers; %s is of type %s", y, c.Expr.Type())
		}
	}
	return nil
}

func index(rows query.Rows, name string) int {
	return slices.IndexFunc(rows.Columns, func(c query.Column) bool { return c.As == name })
}

func there(name, call string, rows query.Rows) error {
	if index(rows, name) >= 0 {
		return nil
	}
	names := make([]string, len(rows.Columns))
	for i, c := range rows.Columns {
		names[i] = c.As
	}
	if hint := near.Hint(name, names); hint != "" {
		return deputy.Errorf(deputy.Invalid, "%s has no column `%s`%s", call, name, hint)
	}
	return deputy.Errorf(deputy.Invalid, "%s has no column `%s`; it has %s", call, name, strings.Join(names, ", "))
}
