package query

import (
	"slices"
	"strings"
	"time"

	"github.com/google/cel-go/common/ast"

	"example.com/deputy/internal/near"
)

// What a parameter of a function takes, beside the types themselves.
const (
	numberType Type = "number" // Int or Dec
	whenType   Type = "when"   // Date or Timestamp
	unitType   Type = "unit"   // the name of a period, as a constant
)

// function is one row of the table of functions.
type function struct {
	params   []Type
	optional int    // how many of the last parameters may be left out
	result   Type   // numberType, whenType: that of the argument
	usage    string // an example
}

// Functions lists the functions of values, f(x, y) or x.f(y).
func Functions() []string {
	return []string{"contains", "startsWith", "endsWith", "lower", "length", "blank", "substring", "coalesce", "round", "abs", "number", "now", "today", "date",
		"timestamp", "days", "months", "years", "start_of", "end_of", "year", "quarter", "month", "week", "day", "hour", "year_of", "month_of_year", "weekday",
		"hour_of_day", "days_between", "years_between"}
}

// lookup finds a function whose arguments are checked by their types alone; coalesce and the conversions are checked apart.
func lookup(name string) function {
	switch name {
	case "contains", "startsWith", "endsWith":
		return function{[]Type{String, String}, 0, Bool, `name.` + name + `("ab")`}
	case "lower":
		return function{[]Type{String}, 0, String, "lower(name)"}
	case "length":
		return function{[]Type{String}, 0, Int, "length(name)"}
	case "blank":
		return function{[]Type{String}, 0, Bool, "blank(name)"}
	case "substring":
		return function{[]Type{String, Int, Int}, 1, String, "substring(name, 1, 3)"}
	case "round":
		return function{[]Type{numberType, Int}, 1, numberType, "round(total, 2)"}
	case "abs":
		return function{[]Type{numberType}, 0, numberType, "abs(total)"}
	case "now":
		return function{nil, 0, Timestamp, "now()"}
	case "today":
		return function{nil, 0, Date, "today()"}
	case "days", "months", "years":
		return function{[]Type{Int}, 0, spanType, name + "(7)"}
	case "start_of", "end_of":
		return function{[]Type{unitType, whenType}, 0, whenType, name + `("month", ordered_at)`}
	case "year", "quarter", "month", "week", "day":
		return function{[]Type{whenType}, 0, Date, name + "(ordered_at)"}
	case "hour":
		return function{[]Type{Timestamp}, 0, Timestamp, "hour(ordered_at)"}
	case "year_of", "month_of_year", "weekday":
		return function{[]Type{whenType}, 0, Int, name + "(ordered_at)"}
	case "hour_of_day":
		return function{[]Type{Timestamp}, 0, Int, "hour_of_day(ordered_at)"}
	case "days_between", "years_between":
		return function{[]Type{whenType, whenType}, 0, Int, name + "(ordered_at, now())"}
	}
	return function{}
}

// call checks a function, f(x, y) or x.f(y), or looks at children.
func (c *checker) call(e ast.Expr, call ast.CallExpr) (Expr, error) {
	fn, at, args := call.FunctionName(), c.src.nameAt(e), call.Args()
	if call.IsMemberFunction() {
		if isEach(fn) {
			return c.each(e, call)
		}
		if err := c.notOfChildren(fn, at, call.Target()); err != nil {
			return nil, err
		}
		args = append([]ast.Expr{call.Target()}, args...)
	} else if c.env.Groups != nil && isAggregate(fn) {
		return c.aggregate(fn, at, args)
	}
	if !slices.Contains(Functions(), fn) {
		return nil, c.unknownFunction(fn, at, call)
	}
	switch fn {
	case "coalesce":
		return c.coalesce(at, args)
	case "number", "date", "timestamp":
		return c.conversion(fn, at, args)
	}
	f := lookup(fn)
	if len(args) > len(f.params) || len(args) < len(f.params)-f.optional {
		return nil, failAt(at, "%s takes %s: write %s", fn, count(len(f.params)-f.optional, len(f.params)), f.usage)
	}
	list := make([]Expr, len(args))
	for i, a := range args {
		x, err := c.argument(a, f.params[i], f.usage)
		if err != nil {
			return nil, err
		}
		list[i] = x
	}
	return c.apply(fn, f, list)
}

func count(least, most int) string {
	words := []string{"no argument", "one argument", "two arguments", "three arguments"}
	if least == most {
		return words[most]
	}
	return strings.Fields(words[least])[0] + " or " + words[most]
}

// apply makes the operator of a checked call.
func (c *checker) apply(fn string, f function, args []Expr) (Expr, error) {
	t := f.result
	switch fn {
	case "now":
		return Lit{V: instant(c.env.Now), T: Timestamp}, nil
	case "today":
		return Lit{V: dayOf(c.env.Now.In(c.zone)), T: Date}, nil
	case "days", "months", "years":
		return span{fn, args[0]}, nil
	case "round":
		if len(args) == 1 {
			args = append(args, Lit{V: int64(0), T: Int})
		}
		t = args[0].Type()
	case "abs":
		t = args[0].Type()
	case "start_of", "end_of":
		t = args[1].Type()
	}
	if err := c.onDates(fn, args); err != nil {
		return nil, err
	}
	return c.op(fn, t, c.zoneFor(args), args...), nil
}

// zoneFor is the zone of an operator over these arguments: none where no timestamp is among them.
func (c *checker) zoneFor(args []Expr) *time.Location {
	for _, a := range args {
		if a.Type() == Timestamp {
			return c.zone
		}
	}
	return nil
}

// onDates makes two dates of a date and a timestamp between which units are counted, and refuses hours of a date.
func (c *checker) onDates(fn string, args []Expr) error {
	switch fn {
	case "days_between", "years_between":
		if args[0].Type() != args[1].Type() {
			for i := range args {
				if args[i].Type() == Timestamp {
					args[i] = c.op("date", Date, c.zone, args[i])
				}
			}
		}
	case "start_of", "end_of":
		if l, _ := args[0].(Lit); l.V == "hour" && args[1].Type() == Date {
			return failAt(0, "`%s` is a date and has no hours", Text(args[1]))
		}
	}
	return nil
}

// argument checks one argument against what its parameter takes.
func (c *checker) argument(a ast.Expr, want Type, usage string) (Expr, error) {
	at := c.src.at(a)
	if want == unitType {
		return c.unit(a, usage)
	}
	x, err := c.value(a)
	if err != nil {
		return nil, err
	}
	switch want {
	case numberType:
		return c.amount(x, at)
	case whenType, Timestamp:
		return c.when(x, want, at)
	}
	x = c.settle(x, want)
	if x.Type() == want {
		return x, nil
	}
	hint := ""
	if want == String && x.Type() == JSON {
		hint = ": read JSON by a path, like " + Text(x) + ".name"
	}
	return nil, failAt(at, "`%s` is %s, %s is wanted, as in %s%s", Text(x), typeName(x.Type()), typeName(want), usage, hint)
}

// when is a date or timestamp; a constant text is read as one.
func (c *checker) when(x Expr, want Type, at int) (Expr, error) {
	if l, ok := textLiteral(x); ok {
		text, _ := l.V.(string)
		if _, isDay := civil(Day(text)); isDay && want == whenType {
			return Lit{V: Day(text), T: Date}, nil
		}
		return c.timestampLiteral(text, "<", at)
	}
	if x.Type() == Any && want == Timestamp {
		x = c.settle(x, Timestamp)
	}
	switch x.Type() {
	case Timestamp:
		return x, nil
	case Date:
		if want == whenType {
			return x, nil
		}
		return nil, failAt(at, "`%s` is a date and has no hours", Text(x))
	case String, Any:
		return nil, failAt(at, "`%s` is text, a date is wanted: write date(%s) or timestamp(%s)", Text(x), Text(x), Text(x))
	case Null:
		return nil, failAt(at, "null is no date")
	}
	return nil, failAt(at, "`%s` is %s, a date or timestamp is wanted", Text(x), typeName(x.Type()))
}

// Units lists the units of start_of and end_of, from long to short; each is the name of a function as well.
func Units() []string { return []string{"year", "quarter", "month", "week", "day", "hour"} }

// orList is "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (c *checker) unit(a ast.Expr, usage string) (Expr, error) {
	at := c.src.at(a)
	x, err := c.value(a)
	if err != nil {
		return nil, err
	}
	l, ok := textLiteral(x)
	if ok {
		text, _ := l.V.(string)
		if slices.Contains(Units(), text) {
			return l, nil
		}
	}
	return nil, failAt(at, "the first argument is %s, in quotes, as in %s", orList(Units()), usage)
}

func (c *checker) coalesce(at int, args []ast.Expr) (Expr, error) {
	if len(args) < 2 {
		return nil, failAt(at, "coalesce takes two arguments or more: write coalesce(nickname, name)")
	}
	list, t, err := c.alike(at, args)
	if err != nil {
		return nil, err
	}
	return Op{Fn: "coalesce", Args: list, T: t}, nil
}

// conversion checks number(x), date(x) and timestamp(x).
func (c *checker) conversion(fn string, at int, args []ast.Expr) (Expr, error) {
	if len(args) != 1 {
		return nil, failAt(at, "%s takes one argument: write %s", fn, conversionUsage(fn))
	}
	x, err := c.value(args[0])
	if err != nil {
		return nil, err
	}
	if fn == "number" {
		return c.toNumber(x, c.src.at(args[0]))
	}
	return c.toWhen(fn, x, c.src.at(args[0]))
}

func conversionUsage(fn string) string {
	switch fn {
	case "number":
		return "number(code)"
	case "date":
		return `date("2026-01-31")`
	}
	return `timestamp("2026-01-31T14:30:00Z")`
}

func (c *checker) toNumber(x Expr, at int) (Expr, error) {
	if ref, ok := x.(Ref); ok && x.Type() == Any { // a number in JSON, or a text that holds one
		text := Op{Fn: "number", Args: []Expr{c.settle(ref, String)}, T: Dec}
		return Op{Fn: "coalesce", Args: []Expr{c.settle(ref, Dec), text}, T: Dec}, nil
	}
	x = c.settle(x, String)
	switch x.Type() {
	case Int, Dec:
		return x, nil
	case String:
		return c.op("number", Dec, nil, x), nil
	}
	return nil, failAt(at, "`%s` is %s, number reads a text%s", Text(x), typeName(x.Type()), periodHint(x))
}

func (c *checker) toWhen(fn string, x Expr, at int) (Expr, error) {
	to := Date
	if fn == "timestamp" {
		to = Timestamp
	}
	if l, ok := textLiteral(x); ok {
		return c.literalAs(l, to, "<", at)
	}
	x = c.settle(x, String)
	switch x.Type() {
	case to:
		return x, nil
	case Date, Timestamp:
		return c.op(fn, to, c.zone, x), nil
	case String:
		zone := c.zone
		if to == Date {
			zone = nil
		}
		return c.op(fn, to, zone, x), nil
	}
	return nil, failAt(at, "`%s` is %s, %s reads a text, a date or a timestamp", Text(x), typeName(x.Type()), fn)
}

// notOfChildren refuses a function of values that is asked of children.
func (c *checker) notOfChildren(fn string, at int, target ast.Expr) error {
	list, ok := c.steps(target)
	if !ok || list[0].name == "all" && len(list) == 2 {
		if ok {
			return failAt(at, "rows have no %s: write %s.exists(x, …), .all .count .sum .avg .min or .max", fn, c.text(target))
		}
		return nil
	}
	v, t, rest, err := c.start(list)
	if err != nil {
		return nil // said again, better, where the name is read
	}
	_, _, t, rest, err = c.parents(v, t, rest)
	if err != nil || len(rest) != 1 {
		return err
	}
	if rel, ok := c.relation(t, rest[0].name); ok && rel.Many {
		return failAt(at, "children have no %s: write %s.exists(x, …), .all .count .sum .avg .min or .max", fn, c.text(target))
	}
	return nil
}

// text writes a path as it was written.
func (c *checker) text(e ast.Expr) string {
	list, ok := c.steps(e)
	if !ok {
		return "orders"
	}
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = s.name
	}
	return strings.Join(parts, ".")
}

// unknownFunction teaches what to write for functions of other languages.
func (c *checker) unknownFunction(fn string, at int, call ast.CallExpr) error {
	if isEach(fn) {
		return failAt(at, "%s", aggregateHint(c, fn, call))
	}
	if hint := foreign(strings.ToLower(fn)); hint != "" {
		return failAt(at, "no function `%s`: %s", fn, hint)
	}
	return failAt(at, "no function `%s`%s", fn, near.Hint(fn, append(Functions(), Folds()...)))
}

// aggregateHint says where sum(total) and its like belong, and how children are asked.
func aggregateHint(c *checker, fn string, call ast.CallExpr) string {
	of, table := c.someChildren(call.Args())
	return fn + " stands after the name of children: write " + example(fn, of, table) + "; over all rows it is a measure, and what groups must meet is having"
}

// example asks children for a figure, of an amount where they have one.
func example(fn, of string, t *Table) string {
	i := slices.IndexFunc(t.Fields, func(f Field) bool { return f.Type == Dec && !f.Secret })
	if i < 0 {
		return usage(fn, of, t)
	}
	text := of + "." + fn + "(x, x." + t.Fields[i].Name
	switch fn {
	case "exists", "all", "count":
		text += " > 100"
	}
	return text + ")"
}

// someChildren are the children that the first argument names, else the first that the table has, else some.
func (c *checker) someChildren(args []ast.Expr) (string, *Table) {
	found := Relation{Name: "orders"}
	for _, r := range slices.Backward(c.root.Relations) {
		if _, shown := c.relation(c.root, r.Name); r.Many && shown {
			found = r
		}
	}
	if len(args) > 0 {
		if r, ok := c.relation(c.root, c.text(args[0])); ok && r.Many {
			found = r
		}
	}
	t, err := c.table(found.Table)
	if err != nil {
		t = &Table{}
	}
	return found.Name, t
}

// foreign is what to write instead of a function that other languages have.
func foreign(fn string) string {
	switch fn {
	case "has":
		return "write x != null"
	case "not":
		return "write !(x)"
	case "size", "len", "char_length":
		return "write length(x) for a text, orders.count() for children"
	case "upper", "ucase", "tolower", "lowerascii", "tolowercase", "touppercase", "upperascii":
		return "write lower(x); contains, startsWith and endsWith ignore case"
	case "like", "ilike", "matches", "regexp", "regex", "includes", "indexof", "find", "icontains":
		return `write x.contains("…"), x.startsWith("…") or x.endsWith("…")`
	case "starts_with", "startswith":
		return `write x.startsWith("…")`
	case "ends_with", "endswith":
		return `write x.endsWith("…")`
	case "int", "double", "float", "decimal", "uint", "tonumber", "cast":
		return "write number(x)"
	case "ifnull", "isnull", "nvl", "default", "isempty", "is_null":
		return "write coalesce(x, y), x == null or blank(x)"
	case "filter", "map", "exists_one", "any", "some", "where", "none":
		return "write orders.exists(o, o.total > 100), or .all .count .sum .avg .min .max"
	case "datediff", "date_diff", "timestampdiff", "age":
		return "write days_between(a, b) or years_between(a, b)"
	case "dateadd", "date_add", "date_sub", "duration", "interval", "weeks", "hours", "minutes":
		return "write x + days(7), x - months(1)"
	case "date_trunc", "trunc", "datetrunc", "beginning_of":
		return `write start_of("month", x), or year(x) quarter(x) month(x) week(x) day(x)`
	case "getfullyear", "extract", "date_part", "strftime", "yearof":
		return "write year_of(x), month_of_year(x), weekday(x) or hour_of_day(x)"
	case "getmonth", "monthof", "month_of":
		return "write month_of_year(x)"
	case "dayofweek", "getdayofweek", "day_of_week", "getday":
		return "write weekday(x), Monday is 1"
	case "current_date", "curdate":
		return "write today()"
	case "current_timestamp", "getdate":
		return "write now()"
	case "if", "iif", "iff":
		return "write condition ? a : b"
	case "concat", "concat_ws", "format":
		return "write a + b"
	case "substr", "mid", "left", "slice":
		return "write substring(x, 1, 3)"
	case "count_distinct", "count_if", "sum_if":
		return "aggregates over all rows belong to measures"
	case "trim", "replace", "split", "string", "bool":
		return "there is nothing like it here; compare the value as it is"
	}
	return ""
}
