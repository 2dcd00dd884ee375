package query

import (
	"strconv"

	"example.com/deputy/internal/decimal"
)

// Row is a record in memory, by field. A field that is not there is NULL.
type Row map[string]Value

// Data gives the rows behind a relation: those of r.Table whose r.To fields equal the r.From fields of from, none where one is NULL. A
// relation without fields means every row of r.Table, and from is nil.
type Data func(from Row, r Relation) []Row

// frame is a row that a variable stands for, and the frames around it.
type frame struct {
	v    *Var
	row  Row
	next *frame
}

// Eval is the meaning of the language: the value of a checked expression for a row. A nil expression is true. It never fails: whatever the
// rows hold, what cannot be computed is NULL. Parameters that were not bound, and aggregates, are NULL.
func Eval(e Expr, row Row, data Data) Value {
	return evaluator{data}.eval(e, &frame{row: row})
}

type evaluator struct{ data Data }

func (f *frame) find(v *Var) Row {
	for ; f != nil; f = f.next {
		if f.v == v {
			return f.row
		}
	}
	return nil
}

// related is what Data gives, but nothing from a row that is not there and nothing over a NULL.
func (ev evaluator) related(from Row, r Relation) []Row {
	if ev.data == nil || len(r.From) > 0 && from == nil {
		return nil
	}
	for _, name := range r.From {
		if from[name] == nil {
			return nil
		}
	}
	if len(r.From) == 0 {
		from = nil
	}
	return ev.data(from, r)
}

// hop goes to a parent; nil where there is none.
func (ev evaluator) hop(row Row, hops []Relation) Row {
	for _, h := range hops {
		parents := ev.related(row, h)
		if len(parents) == 0 {
			return nil
		}
		row = parents[0]
	}
	return row
}

func (ev evaluator) eval(e Expr, f *frame) Value {
	switch x := e.(type) {
	case nil:
		return true
	case Lit:
		return x.V
	case Ref:
		return ev.ref(x, f)
	case Op:
		return widen(ev.op(x, f), x.T)
	case Each:
		return widen(ev.each(x, f), x.T)
	}
	return nil
}

// widen gives an integer in a decimal's place the decimal's type.
func widen(v Value, t Type) Value {
	if n, ok := v.(int64); ok && t == Dec {
		return Decimal(strconv.FormatInt(n, 10))
	}
	return v
}

func (ev evaluator) ref(x Ref, f *frame) Value {
	v := ev.hop(f.find(x.Var), x.Hops)[x.Field.Name]
	if x.Path == nil {
		return v
	}
	doc, ok := v.(Doc)
	if !ok {
		return nil
	}
	return Extract(doc, x.Path, x.As)
}

func (ev evaluator) op(x Op, f *frame) Value {
	arg := func(i int) Value {
		if i >= len(x.Args) {
			return nil
		}
		return ev.eval(x.Args[i], f)
	}
	switch x.Fn {
	case "&&":
		return Truth(arg(0)) && Truth(arg(1))
	case "||":
		return Truth(arg(0)) || Truth(arg(1))
	case "?:":
		if Truth(arg(0)) {
			return arg(1)
		}
		return arg(2)
	case "coalesce":
		return ev.first(x.Args, f)
	case "==", "!=":
		if side, ok := NullTest(x); ok {
			return (ev.eval(side, f) == nil) == (x.Fn == "==")
		}
	}
	args := make([]Value, len(x.Args))
	for i := range x.Args {
		args[i] = arg(i)
	}
	return Compute(x.Fn, x.Zone, args...)
}

func (ev evaluator) first(args []Expr, f *frame) Value {
	for _, a := range args {
		if v := ev.eval(a, f); v != nil {
			return v
		}
	}
	return nil
}

// NullTest says whether an == or != is a comparison with the literal null, and what is compared.
func NullTest(x Op) (side Expr, ok bool) {
	if x.Fn != "==" && x.Fn != "!=" || len(x.Args) != 2 {
		return nil, false
	}
	for i, a := range x.Args {
		if l, isLit := a.(Lit); isLit && l.T == Null {
			return x.Args[1-i], true
		}
	}
	return nil, false
}

func (ev evaluator) each(x Each, f *frame) Value {
	var rows []Row
	if len(x.Child.From) == 0 {
		rows = ev.related(nil, x.Child)
	} else if from := ev.hop(f.find(x.From), x.Hops); from != nil {
		rows = ev.related(from, x.Child)
	}
	fold := folder{fn: x.Fn}
	for _, row := range rows {
		inner := &frame{x.Var, row, f}
		if !Truth(ev.eval(x.Where, inner)) {
			continue
		}
		var v Value = true
		if x.Body != nil {
			v = ev.eval(x.Body, inner)
		}
		if fold.add(v) {
			break
		}
	}
	return fold.result(x.T)
}

// folder folds the values of an Each into one.
type folder struct {
	fn    string
	found bool // exists: one is true; all: one is false
	count int64
	sum   decimal.D
	best  Value
}

// add takes one value; done says that no other can change the result.
func (f *folder) add(v Value) (done bool) {
	switch f.fn {
	case "exists":
		f.found = f.found || Truth(v)
		return f.found
	case "all":
		f.found = f.found || !Truth(v)
		return f.found
	case "count":
		if Truth(v) {
			f.count++
		}
	case "sum", "avg":
		if d, ok := number(v); ok {
			f.count++
			f.sum = decimal.Add(f.sum, d)
		}
	case "min", "max":
		f.take(v)
	}
	return false
}

func (f *folder) take(v Value) {
	c, ok := Compare(v, f.best)
	switch {
	case ok && (f.fn == "min" && c < 0 || f.fn == "max" && c > 0):
		f.best = v
	case f.best == nil:
		if _, comparable := Compare(v, v); comparable {
			f.best = v
		}
	}
}

func (f *folder) result(t Type) Value {
	switch f.fn {
	case "exists":
		return f.found
	case "all":
		return !f.found
	case "count":
		return f.count
	case "min", "max":
		return f.best
	}
	if f.count == 0 {
		return nil
	}
	if f.fn == "avg" {
		q, _ := decimal.Quo(f.sum, decimal.FromInt(f.count), quotientPlaces)
		return limited(q.Trim())
	}
	if t == Int {
		return whole(f.sum)
	}
	return limited(f.sum)
}
