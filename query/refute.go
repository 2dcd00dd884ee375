package query

// verdict is what is known of a condition while not every value is.
type verdict int

const (
	open verdict = iota // may hold or not
	holds
	fails
)

// Refutes says whether a condition cannot hold for a row, whatever the fields are that unknown says: it is Eval for rows of which some values
// are to come. unknown is asked about each Ref; test says that only whether it is NULL matters. What looks at children is never refuted.
func Refutes(e Expr, row Row, data Data, unknown func(r Ref, test bool) bool) bool {
	return judge{row, data, unknown}.of(e) == fails
}

type judge struct {
	row     Row
	data    Data
	unknown func(Ref, bool) bool
}

func (j judge) of(e Expr) verdict {
	op, ok := e.(Op)
	if !ok {
		return j.leaf(e, false)
	}
	switch op.Fn {
	case "&&":
		return j.any(op.Args, fails, holds)
	case "||":
		return j.any(op.Args, holds, fails)
	case "!":
		switch j.of(op.Args[0]) {
		case holds:
			return fails
		case fails:
			return holds
		}
		return open
	}
	_, test := NullTest(op)
	return j.leaf(e, test)
}

// any is one verdict where any of the parts has it, and the other where all of them have that.
func (j judge) any(parts []Expr, one, all verdict) verdict {
	out := all
	for _, p := range parts {
		switch v := j.of(p); {
		case v == one:
			return one
		case v != all:
			out = open
		}
	}
	return out
}

func (j judge) leaf(e Expr, test bool) verdict {
	known := true
	Walk(e, func(part Expr) {
		switch x := part.(type) {
		case Each, Agg, Param, GroupKey:
			known = false
		case Ref:
			known = known && x.Var == nil && !j.unknown(x, test)
		}
	})
	switch {
	case !known:
		return open
	case Truth(Eval(e, j.row, j.data)):
		return holds
	}
	return fails
}
