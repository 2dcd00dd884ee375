package records

import (
	"cmp"
	"context"
	_ "embed"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

//go:embed list_possible_values.md
var listPossibleValuesText string

type listPossibleValuesIn struct {
	Table string `json:"table"`
	Field string `json:"field"`
	Term  string `json:"term,omitzero"`
	Limit int    `json:"limit,omitzero"`
}

func listPossibleValues() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "list_possible_values", Label: "Looked up possible values", Description: strings.TrimSpace(listPossibleValuesText),
		Operation: "GET /tables/{table}/{field}/values", Offered: func(ctx context.Context, v *deputy.View) (bool, error) {
			return anyTable(ctx, v, func(t *query.Table) bool {
				return slices.ContainsFunc(t.Fields, func(f query.Field) bool {
					_, leads := t.Parent(f.Name)
					return !f.Secret && (leads || len(f.Values) > 0)
				})
			})
		},
	}, runListPossibleValues)
}

func runListPossibleValues(ctx context.Context, s *deputy.Scope, in listPossibleValuesIn) (deputy.Result, error) {
	t, err := s.View().Table(ctx, in.Table)
	if err != nil {
		return deputy.Result{}, err
	}
	f, ok := t.Field(in.Field)
	if !ok {
		return deputy.Result{}, unknownName("no field", in.Field, t.Name, t.FieldNames())
	}
	look, err := readTerm(in.Term)
	if err != nil {
		return deputy.Result{}, err
	}
	if in.Limit < 0 {
		return deputy.Result{}, deputy.Errorf(deputy.Invalid, "`limit` must not be negative")
	}
	rel, leads := t.Parent(f.Name)
	most := s.Window(in.Limit, usualRows)
	switch {
	case f.Secret:
		return deputy.Result{}, deputy.Errorf(deputy.Invalid, "`%s` is secret: its values are not listed", f.Name)
	case leads:
		return parentsOf(ctx, s.View(), t, f, rel, look, most)
	case len(f.Values) > 0:
		return deputy.Result{Rows: valuesOf(f, look, most)}, nil
	}
	return deputy.Result{}, unlisted(t, f)
}

// parentsOf are the keys and labels of the readable records that a foreign key can lead to.
func parentsOf(ctx context.Context, v *deputy.View, t *query.Table, f query.Field, rel query.Relation, look term, most int) (deputy.Result, error) {
	parent, err := v.Table(ctx, rel.Table)
	if err != nil {
		return deputy.Result{}, err
	}
	key, ok := parent.Field(rel.To[0])
	if !ok || key.Secret {
		return deputy.Result{}, unlisted(t, f)
	}
	label, err := labelOf(ctx, v, parent)
	if err != nil {
		return deputy.Result{}, err
	}
	q := query.Query{Table: parent.Name, Limit: most, Select: []query.Column{{As: "value", Label: f.Label, Expr: query.Ref{Table: parent.Name, Field: key}}}}
	named := with([]query.Expr{q.Select[0].Expr}, label)
	if len(look.words) > 0 {
		if q.Where, ok = look.found(slices.Concat(named, searched(parent))); !ok {
			q.Where = query.Lit{V: false, T: query.Bool}
		}
		q.Order = append(q.Order, query.Order{Expr: look.rank(named)})
	}
	if label != nil {
		q.Select = append(q.Select, query.Column{As: "label", Label: parent.Label, Expr: label})
		q.Order = append(q.Order, query.Order{Expr: label})
	}
	rows, err := v.Query(ctx, q)
	return deputy.Result{Rows: &rows}, err
}

// valuesOf are the values of a list, in its own order; those that suit the term best come first.
func valuesOf(f query.Field, look term, most int) *query.Rows {
	ranked := [3][]string{}
	for _, v := range f.Values {
		if rank, ok := look.suits(v); ok {
			ranked[rank] = append(ranked[rank], v)
		}
	}
	all := slices.Concat(ranked[0], ranked[1], ranked[2])
	rows := query.Rows{Columns: []query.Column{{As: "value", Label: cmp.Or(f.Label, f.Name), Expr: query.Lit{T: query.String}}}, HasMore: len(all) > most}
	for _, v := range all[:min(len(all), most)] {
		rows.Rows = append(rows.Rows, []query.Value{v})
	}
	return &rows
}

// suits says whether all words are in a text, and how well the whole does: 0 it is the text, 1 it begins it, 2 neither.
func (look term) suits(text string) (rank int, ok bool) {
	low, whole := strings.ToLower(text), strings.ToLower(look.whole)
	for _, w := range look.words {
		if !strings.Contains(low, strings.ToLower(w)) {
			return 0, false
		}
	}
	switch {
	case low == whole:
		return 0, true
	case strings.HasPrefix(low, whole):
		return 1, true
	}
	return 2, true
}

// unlisted is the error for a field whose values are no list.
func unlisted(t *query.Table, f query.Field) error {
	if f.Type == query.Bool {
		return deputy.Errorf(deputy.Invalid, "`%s` has no list of values: it is true or false", f.Name)
	}
	for _, r := range t.Relations {
		if !r.Many && len(r.From) > 1 && slices.Contains(r.From, f.Name) {
			return deputy.Errorf(deputy.Invalid, "`%s` leads to a record of %s together with other fields: look that up with query_records", f.Name, r.Table)
		}
	}
	return deputy.Errorf(deputy.Invalid, "`%s` has no list of values: it takes any %s. Those in use can be seen with query_records", f.Name, f.Type)
}
