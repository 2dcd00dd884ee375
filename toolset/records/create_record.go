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
	own, children, err := byRecord(t, in.Values)
	if err != nil {
		return deputy.Draft{}, err
	}
	parent := deputy.Change{ID: parentID, Verb: deputy.Create, Table: t.Name}
	if parent.Values, err = assigns(ctx, s, t, own); err != nil {
		return deputy.Draft{}, err
	}
	out := deputy.Draft{Changes: []deputy.Change{parent}}
	for _, c := range children {
		change, err := c.draft(ctx, s, t, parent)
		if err != nil {
			return deputy.Draft{}, err
		}
		out.Changes = append(out.Changes, change)
	}
	return out, nil
}
