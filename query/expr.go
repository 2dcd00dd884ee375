package query

import (
	"slices"
	"time"
)

// Expr is a checked expression: one of Lit, Param, Ref, Op, Each, Agg, GroupKey. It is immutable: rewriting makes a new one. Hosts compile it; no host
// ever sees a policy, row rules have become part of the expression. nil stands for no condition (true).
type Expr interface{ Type() Type }

// Lit is a constant. V is nil for the literal null, whose T is Null; a bound NULL of another type keeps that type.
type Lit struct {
	V Value
	T Type
}

// Param is a name that is bound before a host sees the expression (person.id, person.attributes.x).
type Param struct {
	Path []string
	Want Type // of what it meets: an attribute is text until then
}

// Var is the loop variable of an Each; a nil *Var stands for the outermost row. Its identity is the pointer, so nothing is captured.
type Var struct{ Name string }

// Ref is a field of the row that Var stands for, reached over zero or more parents. NULL where a parent is missing on the way.
type Ref struct {
	Var   *Var
	Hops  []Relation
	Table string // where Field stands
	Field Field
	Path  []string // into a JSON field; a step of digits is an index where it meets an array
	As    Type     // with Path: how the value found there is read (String, Dec, Bool, or JSON as it is); another type there is NULL
}

// Op is an operator or a function, by the name it has in the language; the full list, with argument and result types, is in ops.go. Zone is
// the person's where the meaning depends on one, else nil.
type Op struct {
	Fn   string
	Args []Expr
	T    Type
	Zone *time.Location
}

// Each looks at the children of the row that From stands for (over zero or more parents), or at all rows of a table where Child has no fields.
// Fn is exists, all, count, sum, avg, min or max. Where says which children count (nil: every one); Body is the condition of
// all and the value of sum, avg, min, max; nil for exists and count. Inside both, Var is the child.
type Each struct {
	Fn    string
	From  *Var
	Hops  []Relation
	Child Relation
	Var   *Var
	Where Expr
	Body  Expr
	T     Type
}

// Agg is an aggregate over the rows of a group, see Aggregate: count (Arg nil: rows; else those where Arg is not NULL), count_distinct, sum, avg,
// min or max.
type Agg struct {
	Fn  string
	Arg Expr
	T   Type
}

// Type implements Expr.
func (e Lit) Type() Type { return e.T }

// Type implements Expr.
func (e Param) Type() Type { return e.Want }

// Type implements Expr.
func (e Ref) Type() Type {
	if e.Path != nil {
		return e.As
	}
	return e.Field.Type
}

// Type implements Expr.
func (e Op) Type() Type { return e.T }

// Type implements Expr.
func (e Each) Type() Type { return e.T }

// Type implements Expr.
func (e Agg) Type() Type { return e.T }

// And joins conditions; nil means none.
func And(es ...Expr) Expr {
	return join("&&", es)
}

// Or joins conditions by or; nil conditions are left out, so Or() of nothing is nil.
func Or(es ...Expr) Expr {
	return join("||", es)
}

func join(fn string, es []Expr) Expr {
	var out Expr
	for _, e := range es {
		switch {
		case e == nil:
		case out == nil:
			out = e
		default:
			out = Op{Fn: fn, Args: []Expr{out, e}, T: Bool}
		}
	}
	return out
}

// Map rewrites an expression bottom-up. f gets each node with its parts already rewritten.
func Map(e Expr, f func(Expr) Expr) Expr {
	switch x := e.(type) {
	case nil:
		return nil
	case Op:
		x.Args = slices.Clone(x.Args)
		for i := range x.Args {
			x.Args[i] = Map(x.Args[i], f)
		}
		return f(x)
	case Each:
		x.Where = Map(x.Where, f)
		x.Body = Map(x.Body, f)
		return f(x)
	case Agg:
		x.Arg = Map(x.Arg, f)
		return f(x)
	}
	return f(e)
}

// Walk calls f for every node.
func Walk(e Expr, f func(Expr)) {
	Map(e, func(e Expr) Expr {
		f(e)
		return e
	})
}

// Equal is the condition that a field has a value (never NULL).
func Equal(table string, f Field, v Value) Expr {
	return Op{Fn: "==", Args: []Expr{Ref{Table: table, Field: f}, Lit{V: v, T: f.Type}}, T: Bool}
}

// Rebase moves an expression about a row to a row reached from v over hops. Every Each in the result has a fresh variable, so that one
// expression put in at several places, one inside another, never takes another's rows for its own.
func Rebase(e Expr, v *Var, hops []Relation) Expr {
	return Map(Map(e, fresh), func(e Expr) Expr { // variables first: v may be one of e's own
		switch x := e.(type) {
		case Ref:
			if x.Var == nil {
				x.Var, x.Hops = v, slices.Concat(hops, x.Hops)
			}
			return x
		case Each:
			if x.From == nil && len(x.Child.From) > 0 {
				x.From, x.Hops = v, slices.Concat(hops, x.Hops)
			}
			return x
		}
		return e
	})
}

func fresh(e Expr) Expr {
	x, ok := e.(Each)
	if !ok || x.Var == nil {
		return e
	}
	old := x.Var
	x.Var = &Var{Name: old.Name}
	rename := func(e Expr) Expr {
		switch y := e.(type) {
		case Ref:
			if y.Var == old {
				y.Var = x.Var
			}
			return y
		case Each:
			if y.From == old {
				y.From = x.Var
			}
			return y
		}
		return e
	}
	x.Where, x.Body = Map(x.Where, rename), Map(x.Body, rename)
	return x
}
