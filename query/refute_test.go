package query_test

import (
	"testing"

	"example.com/deputy/query"
)

func TestRefutes(t *testing.T) {
	t.Parallel()
	x, y := query.Ref{Table: "t", Field: query.Field{Name: "x", Type: query.Int}}, query.Ref{Table: "t", Field: query.Field{Name: "y", Type: query.Int}}
	op := func(fn string, args ...query.Expr) query.Expr { return query.Op{Fn: fn, Args: args, T: query.Bool} }
	lit := func(n int64) query.Expr { return query.Lit{V: n, T: query.Int} }
	positive, null := op(">", x, lit(0)), op("==", x, query.Lit{T: query.Null})
	other := op(">", y, lit(0)) // y is to come
	each := query.Each{Fn: "exists", Child: query.Relation{Table: "u", Many: true}, Var: &query.Var{Name: "u"}, T: query.Bool}
	for name, c := range map[string]struct {
		e    query.Expr
		x    query.Value
		want bool
	}{
		"nothing":                    {nil, int64(1), false},
		"holds":                      {positive, int64(1), false},
		"fails":                      {positive, int64(-1), true},
		"NULL, as the caller has it": {positive, nil, false},
		"a test for NULL":            {null, int64(1), true},
		"which holds":                {null, nil, false},
		"not":                        {op("!", positive), int64(1), true},
		"to come":                    {other, int64(1), false},
		"not to come":                {op("!", other), int64(1), false},
		"and":                        {op("&&", other, positive), int64(-1), true},
		"and, to come":               {op("&&", other, positive), int64(1), false},
		"or":                         {op("||", positive, null), int64(-1), true},
		"or, to come":                {op("||", other, positive), int64(-1), false},
		"children":                   {op("&&", each, positive), int64(1), false},
		"children, and that":         {op("&&", each, positive), int64(0), true},
		"a constant":                 {query.Lit{V: false, T: query.Bool}, nil, true},
	} {
		row := query.Row{"x": c.x}
		unknown := func(r query.Ref, test bool) bool { return r.Field.Name == "y" || row[r.Field.Name] == nil && !test }
		if got := query.Refutes(c.e, row, nil, unknown); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
