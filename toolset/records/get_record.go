package records

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

//go:embed get_record.md
var getRecordText string

type getRecordIn struct {
	Table    string   `json:"table"`
	ID       string   `json:"id"`
	Children []string `json:"children,omitzero"`
}

// ChildRows are the rows of one relation beside a record, in the form of every result.
type ChildRows struct {
	Columns []query.Heading `json:"columns"`
	Rows    [][]any         `json:"rows"`
	HasMore bool            `json:"has_more"`
}

// Children is what stands beside the record that get_record found, by relation name.
type Children struct {
	Children map[string]ChildRows `json:"children"`
}

func getRecord() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "get_record", Label: "Looked up a record", Description: strings.TrimSpace(getRecordText),
		Operation: "GET /table/{table}/{id}", Offered: keyed,
	}, runGetRecord)
}

func runGetRecord(ctx context.Context, s *deputy.Scope, in getRecordIn) (deputy.Result, error) {
	t, err := s.View().Table(ctx, in.Table)
	if err != nil {
		return deputy.Result{}, err
	}
	rels, err := children(t, in.Children)
	if err != nil {
		return deputy.Result{}, err
	}
	_, is, err := s.View().Key(ctx, t.Name, in.ID)
	if err != nil {
		return deputy.Result{}, err
	}
	rows, err := s.View().Query(ctx, query.Query{Table: t.Name, Where: is, Limit: 1})
	switch {
	case err != nil:
		return deputy.Result{}, err
	case len(rows.Rows) == 0:
		return deputy.Result{}, deputy.Errorf(deputy.NotFound, "No such record: %s %s", in.Table, in.ID)
	case len(rels) == 0:
		return deputy.Result{Rows: &rows}, nil
	}
	out := Children{map[string]ChildRows{}}
	for _, r := range rels {
		if out.Children[r.Name], err = childRows(ctx, s, rows, r); err != nil {
			return deputy.Result{}, err
		}
	}
	return deputy.Result{Rows: &rows, Value: out}, nil
}

// children finds the relations that are meant.
func children(t *query.Table, names []string) ([]query.Relation, error) {
	var out []query.Relation
	var there []string
	for _, r := range t.Relations {
		if r.Many && len(r.From) > 0 {
			there = append(there, r.Name)
		}
	}
	for _, n := range names {
		r, ok := t.Relation(n)
		if !ok || !r.Many || len(r.From) == 0 {
			return nil, unknownName("no children", n, t.Name, there)
		}
		out = append(out, r)
	}
	return out, nil
}

// childRows reads the children of the record in rows.
func childRows(ctx context.Context, s *deputy.Scope, rows query.Rows, r query.Relation) (ChildRows, error) {
	out := ChildRows{Columns: []query.Heading{}, Rows: [][]any{}}
	child, err := s.View().Table(ctx, r.Table)
	if err != nil {
		return out, err
	}
	is, ok := tied(rows, child, r)
	if !ok {
		return out, nil
	}
	found, err := s.View().Query(ctx, query.Query{Table: child.Name, Where: is, Limit: usualRows})
	if err != nil {
		return out, err
	}
	out.Columns, out.HasMore = query.Headings(found.Columns), found.HasMore
	for _, row := range found.Rows {
		out.Rows = append(out.Rows, query.Cells(row, s.Clock().Zone))
	}
	return out, nil
}

// tied is the condition that a row of child belongs to the record in rows; not ok where none can.
func tied(rows query.Rows, child *query.Table, r query.Relation) (is query.Expr, ok bool) {
	for i, from := range r.From {
		at := slices.IndexFunc(rows.Columns, func(c query.Column) bool { return c.As == from })
		to, known := child.Field(r.To[i])
		if at < 0 || !known || rows.Rows[0][at] == nil {
			return nil, false
		}
		is = query.And(is, query.Equal(child.Name, to, rows.Rows[0][at]))
	}
	return is, true
}
