package main

import (
	"context"

	"example.com/deputy"
	"example.com/deputy/query"
)

// billing is what the assistant can do for the shop beyond looking at records.
func billing() deputy.Toolset {
	return deputy.Toolset{Name: "billing", Description: "Open invoices.", Tools: []deputy.Tool{listOverdue(), markPaid()}}
}

type listOverdueIn struct{}

func listOverdue() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "billing_list_overdue", Label: "Looked up overdue invoices", Operation: "GET /table/invoices",
		Description: "Lists invoices that are past their day and not paid, the oldest first.",
	}, func(ctx context.Context, s *deputy.Scope, _ listOverdueIn) (deputy.Result, error) {
		where, err := s.View().Condition(ctx, "invoices", `paid_on == null && due_on < today()`)
		if err != nil {
			return deputy.Result{}, err
		}
		oldest, err := s.View().Order(ctx, "invoices", "due_on")
		if err != nil {
			return deputy.Result{}, err
		}
		rows, err := s.View().Query(ctx, query.Query{Table: "invoices", Where: where, Order: []query.Order{oldest}, Limit: s.Window(0, 25)})
		return deputy.Result{Rows: &rows}, err
	})
}

type markPaidIn struct {
	ID string `json:"id" desc:"of the invoice"`
}

func markPaid() deputy.Tool {
	return deputy.ProposeTool(deputy.Definition{
		Name: "billing_mark_paid", Label: "Proposed to mark an invoice as paid", Operation: "PATCH /table/invoices/{id}",
		Description: "Proposes to mark one open invoice as paid today. The person confirms it.",
	}, func(ctx context.Context, s *deputy.Scope, in markPaidIn) (deputy.Draft, error) {
		key, _, err := s.View().Key(ctx, "invoices", in.ID)
		if err != nil {
			return deputy.Draft{}, err
		}
		clock := s.Clock()
		today := clock.Now.In(clock.Zone).Format("2006-01-02")
		return deputy.Draft{Changes: []deputy.Change{{
			Verb: deputy.Update, Table: "invoices", Key: key, When: `paid_on == null`,
			Values: []deputy.Assign{{Field: "paid_on", Type: query.Date, Text: &today}},
		}}}, nil
	})
}
