package records

import (
	"context"
	_ "embed"
	"strings"

	"example.com/deputy"
)

//go:embed create_record.md
var createRecordText string

type createRecordIn struct {
	Table  string    `json:"table"`
	Values []valueIn `json:"values"`
	Reason string    `json:"reason,omitzero"`
}

func createRecord() deputy.Tool {
	return deputy.ProposeTool(deputy.Definition{
		Name: "create_record", Label: "Proposed a new record", Description: strings.TrimSpace(createRecordText),
		Operation: "POST /table/{table}", Offered: writable(deputy.Create),
	}, draftCreate)
}

func draftCreate(ctx context.Context, s *deputy.Scope, in createRecordIn) (deputy.Draft, error) {
	t, err := s.View().Table(ctx, in.Table)
	if err != nil {
		return deputy.Draft{}, err
	}
	values, err := assigns(ctx, s, t, in.Values)
	if err != nil {
		return deputy.Draft{}, err
	}
	return deputy.Draft{Changes: []deputy.Change{{Verb: deputy.Create, Table: t.Name, Values: values}}}, nil
}
