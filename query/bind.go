package query

// Bind puts values in the place of parameters. lookup answers the exact text of a name's value (see ParseValue), a list as a JSON array.
// missing is true where one is absent or cannot be read as the type of what it meets: then the expression means nothing, and a rule is
// false as a whole. Every other parameter is still bound. No Param is left in out.
func Bind(e Expr, lookup func([]string) (string, bool)) (out Expr, missing bool) {
	out = Map(e, func(e Expr) Expr {
		switch x := e.(type) {
		case Param:
			bound, ok := bindParam(x, lookup)
			missing = missing || !ok
			return bound
		case Op:
			if x.Fn != "in" || len(x.Args) != 2 {
				return x
			}
			ok := readItems(x.Args)
			missing = missing || !ok
			return x
		}
		return e
	})
	return out, missing
}

func bindParam(p Param, lookup func([]string) (string, bool)) (Expr, bool) {
	text, ok := lookup(p.Path)
	if !ok {
		return unbound(p.Want), false
	}
	v, err := ParseValue(p.Want, text)
	if err != nil {
		return unbound(p.Want), false
	}
	if list, ok := v.([]Value); ok {
		return listOf(list), true
	}
	return Lit{V: v, T: p.Want}, true
}

// unbound stands for a parameter without a value: NULL, or the empty list.
func unbound(t Type) Expr {
	if t == List {
		return Op{Fn: "list", T: List}
	}
	return Lit{T: t}
}

// listOf writes a list of values as the list of the language, as texts: what it meets says how they are read.
func listOf(values []Value) Expr {
	op := Op{Fn: "list", T: List}
	for _, v := range values {
		if text, ok := FormatValue(v); ok {
			op.Args = append(op.Args, Lit{V: text, T: String})
		}
	}
	return op
}

// readItems reads the texts of a list as values of the type that is looked for in it.
func readItems(args []Expr) bool {
	list, ok := args[1].(Op)
	t := args[0].Type()
	if !ok || list.Fn != "list" || t == String {
		return true
	}
	items := make([]Expr, len(list.Args))
	for i, item := range list.Args {
		items[i] = item
		l, isLit := item.(Lit)
		text, isText := l.V.(string)
		if !isLit || !isText {
			continue
		}
		v, err := ParseValue(t, text)
		if err != nil {
			return false
		}
		items[i] = Lit{V: v, T: t}
	}
	list.Args = items
	args[1] = list
	return true
}
