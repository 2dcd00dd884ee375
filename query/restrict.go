package query

// Rules answers the row rule of a table, bound and checked against that table; nil for none.
type Rules func(table string) Expr

// Restrict writes the rules of all tables that an expression reaches into it, so that it means, over all rows, what it meant over the rows
// that the rules leave: a parent that may not be read is like a missing one, at every hop; children, and the rows of all.x, that may not be
// read are not there; nothing is reached through a parent that may not be read. The rule of the outermost row's own table is not in it: whoever
// asks for rows adds that one. Rules themselves are not restricted: they see all rows.
func Restrict(e Expr, rules Rules) Expr {
	if rules == nil {
		return e
	}
	return Map(e, func(e Expr) Expr {
		switch x := e.(type) {
		case Ref:
			return guarded(readable(x.Var, x.Hops, rules), x, Lit{T: x.Type()})
		case Each:
			if rule := rules(x.Child.Table); rule != nil {
				x.Where = And(Rebase(rule, x.Var, nil), x.Where)
			}
			return guarded(readable(x.From, x.Hops, rules), x, Lit{V: ofNone(x.Fn), T: x.T})
		}
		return e
	})
}

// readable is the condition that all parents on the way may be read; nil where no rule says otherwise.
func readable(v *Var, hops []Relation, rules Rules) Expr {
	var c Expr
	for i, h := range hops {
		if rule := rules(h.Table); rule != nil {
			c = And(c, Rebase(rule, v, hops[:i+1]))
		}
	}
	return c
}

func guarded(c, then Expr, otherwise Lit) Expr {
	if c == nil {
		return then
	}
	return Op{Fn: "?:", Args: []Expr{c, then, otherwise}, T: then.Type()}
}

// ofNone is the value of an Each over no rows.
func ofNone(fn string) Value {
	switch fn {
	case "exists":
		return false
	case "all":
		return true
	case "count":
		return int64(0)
	}
	return nil
}
