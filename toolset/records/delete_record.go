package records

import (
	"context"
	_ "embed"
	"strings"

	"example.com/deputy"
)

//go:embed delete_record.md
var deleteRecordText string

type deleteRecordIn struct {
	Table  string `json:"table"`
	ID     string `json:"id"`
	Reason string `json:"reason,omitzero"`
}

func deleteRecord() deputy.Tool {
	return deputy.ProposeTool(deputy.Definition{
		Name: "delete_record", Label: "Proposed a deletion", Description: strings.TrimSpace(deleteRecordText),
		Operation: "DELETE /table/{table}/{id}", Offered: writable(deputy.Delete),
	}, draftDelete)
}

func draftDelete(ctx context.Context, s *deputy.Scope, in deleteRecordIn) (deputy.Draft, error) {
	key, _, err := s.View().Key(ctx, in.Table, in.ID)
	if err != nil {
		return deputy.Draft{}, err
	}
	return deputy.Draft{Changes: []deputy.Change{{Verb: deputy.Delete, Table: in.Table, Key: key}}}, nil
}
