package query

import (
	"strings"
)

// Text writes a checked expression as a text, for errors, tests and logs. It reads like the language; parents and rules show as what they were
// made into.
func Text(e Expr) string {
	switch x := e.(type) {
	case nil:
		return "true"
	case Lit:
		return literalText(x)
	case Param:
		return strings.Join(x.Path, ".")
	case Ref:
		return pathText(x.Var, x.Hops, x.Field.Name) + jsonText(x.Path)
	case record:
		return pathText(x.v, x.hops, x.rel.Name)
	case span:
		return x.unit + "(" + Text(x.n) + ")"
	case Op:
		return opText(x)
	case Each:
		return eachText(x)
	case Agg:
		if x.Arg == nil {
			return x.Fn + "()"
		}
		return x.Fn + "(" + Text(x.Arg) + ")"
	case GroupKey:
		return x.As
	}
	return "?"
}

func literalText(l Lit) string {
	text, ok := FormatValue(l.V)
	switch {
	case !ok:
		return "null"
	case l.T == Date, l.T == Timestamp:
		return string(l.T) + "(" + quote(text) + ")"
	case l.T == Bool, l.T == Int, l.T == Dec:
		return text
	}
	return quote(text)
}

func pathText(v *Var, hops []Relation, last string) string {
	var parts []string
	if v != nil {
		parts = append(parts, v.Name)
	}
	for _, h := range hops {
		parts = append(parts, h.Name)
	}
	return strings.Join(append(parts, last), ".")
}

func jsonText(path []string) string {
	var b strings.Builder
	for _, s := range path {
		b.WriteString("[" + quote(s) + "]")
	}
	return b.String()
}

func opText(x Op) string {
	args := make([]string, len(x.Args))
	for i, a := range x.Args {
		args[i] = Text(a)
		if op, ok := a.(Op); ok && isInfix(op.Fn) && isInfix(x.Fn) {
			args[i] = "(" + args[i] + ")"
		}
	}
	switch {
	case x.Fn == "?:" && len(args) == 3:
		return args[0] + " ? " + args[1] + " : " + args[2]
	case x.Fn == "list":
		return "[" + strings.Join(args, ", ") + "]"
	case x.Fn == "neg":
		return "-" + strings.Join(args, "")
	case x.Fn == "!":
		return "!(" + strings.Join(args, "") + ")"
	case isInfix(x.Fn) && len(args) == 2:
		return args[0] + " " + x.Fn + " " + args[1]
	case (x.Fn == "contains" || x.Fn == "startsWith" || x.Fn == "endsWith") && len(args) == 2:
		return args[0] + "." + x.Fn + "(" + args[1] + ")"
	}
	return x.Fn + "(" + strings.Join(args, ", ") + ")"
}

func isInfix(fn string) bool {
	switch fn {
	case "&&", "||", "==", "!=", "<", "<=", ">", ">=", "in", "+", "-", "*", "/", "%", "?:", "neg":
		return true
	}
	return false
}

func eachText(x Each) string {
	of := "all." + x.Child.Table
	if len(x.Child.From) > 0 {
		of = pathText(x.From, x.Hops, x.Child.Name)
	}
	name := ""
	if x.Var != nil {
		name = x.Var.Name
	}
	var inside []string
	if x.Where != nil {
		inside = append(inside, Text(x.Where))
	}
	if x.Body != nil {
		inside = append(inside, Text(x.Body))
	}
	if len(inside) == 0 {
		return of + "." + x.Fn + "()"
	}
	return of + "." + x.Fn + "(" + name + ", " + strings.Join(inside, ", ") + ")"
}
