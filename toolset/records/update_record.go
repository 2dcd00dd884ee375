package records

import (
	"context"
	_ "embed"
	"strings"

	"example.com/deputy"
)

//go:embed update_record.md
var updateRecordText string

type updateRecordIn struct {
	Table  string    `json:"table"`
	ID     string    `json:"id"`
	Values []valueIn `json:"values"`
	Reason string    `json:"reason,omitzero"`
}

func updateRecord() deputy.Tool {
	return deputy.ProposeTool(deputy.Definition{
		Name: "update_record", Label: "Proposed a change", Description: strings.TrimSpace(updateRecordText),
		Operation: "PATCH /table/{table}/{id}", Offered: writable(deputy.Update),
	}, draftUpdate)
}

func draftUpdate(ctx context.Context, s *deputy.Scope, in updateRecordIn) (deputy.Draft, error) {
	t, err := s.View().Table(ctx, in.Table)
	if err != nil {
		return deputy.Draft{}, err
	}
	key, _, err := s.View().Key(ctx, t.Name, in.ID)
	if err != nil {
		return deputy.Draft{}, err
	}
	values, err := assigns(ctx, s, t, in.Values)
	if err != nil {
		return deputy.Draft{}, err
	}
	return deputy.Draft{Changes: []deputy.Change{{Verb: deputy.Update, Table: t.Name, Key: key, Values: values}}}, nil
}
