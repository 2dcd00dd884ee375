package query

import (
	"context"
	"errors"
	"time"

	"github.com/google/cel-go/common/ast"
)

// Env is what an expression is checked against.
type Env struct {
	Catalog Catalog
	Table   string         // whose row the bare names are of
	Params  []string       // roots of names that are bound later: "person"; nil: none
	Given   map[string]Lit // what parameters.x is, by x: each with its type, NULL as a nil V; nil: there are no parameters
	Now     time.Time      // what now() is
	Zone    *time.Location // the person's; nil is UTC
	// Label finds the records that a text may mean where a parent is compared with it (customer == "Acme AS"): those whose label is the text,
	// as far as they may be read. nil: labels are refused.
	Label func(ctx context.Context, rel Relation, text string) ([]Candidate, error)
	// Groups makes it an expression over groups of the table's rows: of aggregates and of these keys and measures. nil: over a row.
	Groups *Groups
}

// Candidate is a record that a label may mean.
type Candidate struct {
	Key   string // text of the value of the relation's To[0]
	Label string
}

// Check resolves the names of an expression and gives everything its type. A parent that is the whole expression stands for its foreign key. Its
// errors are *Error, but for those of the catalog, of Label and of the context.
func Check(ctx context.Context, env Env, src *Source) (Expr, error) {
	return check(ctx, env, src, true)
}

// check is Check; parents says whether a parent may be the whole.
func check(ctx context.Context, env Env, src *Source, parents bool) (Expr, error) {
	c, err := newChecker(ctx, env, src)
	if err != nil {
		return nil, err
	}
	root := src.ast.Expr()
	e, err := c.expr(root)
	if err != nil {
		return nil, err
	}
	if r, ok := e.(record); ok && parents {
		e = c.foreignKey(r)
	}
	if e, err = c.plain(e, src.at(root)); err != nil {
		return nil, err
	}
	switch e.Type() {
	case Null:
		return nil, failAt(src.at(root), "null alone says nothing: write x == null")
	case List:
		if !isListField(e) {
			return nil, failAt(src.at(root), "a list stands to the right of in only: x in %s", Text(e))
		}
	}
	if _, isParam := e.(Param); isParam {
		return c.settle(e, String), nil
	}
	return c.settle(e, JSON), nil
}

// Condition is Check for an expression that must be true or false.
func Condition(ctx context.Context, env Env, src *Source) (Expr, error) {
	c, err := newChecker(ctx, env, src)
	if err != nil {
		return nil, err
	}
	return c.condition(src.ast.Expr())
}

// SortKey is Check for an expression that rows are ordered by: what is read from JSON is read as text, and a parent is refused, for it has no
// order of its own.
func SortKey(ctx context.Context, env Env, src *Source) (Expr, error) {
	e, err := check(ctx, env, src, false)
	if err != nil || e.Type() != JSON {
		return e, err
	}
	if r, ok := e.(Ref); ok && r.Path != nil {
		r.As = String
		return r, nil
	}
	return nil, failAt(0, "JSON has no order: name a path in it, like data.name")
}

type checker struct {
	ctx    context.Context
	src    *Source
	env    Env
	zone   *time.Location
	root   *Table
	vars   []loop
	tables map[string]*Table
	keys   []ast.Expr // of env.Groups
	within bool       // an aggregate, whose argument is over a row
}

// loop is a loop variable in scope.
type loop struct {
	v     *Var
	table *Table
}

func newChecker(ctx context.Context, env Env, src *Source) (*checker, error) {
	c := &checker{ctx: ctx, src: src, env: env, zone: env.Zone, tables: map[string]*Table{}}
	if c.zone == nil {
		c.zone = time.UTC
	}
	var err error
	c.root, err = c.table(env.Table)
	if errors.Is(err, ErrUnknown) {
		return nil, failAt(0, "no table `%s`", env.Table)
	}
	if err != nil {
		return nil, err
	}
	return c, c.parseKeys()
}

// table asks the catalog once for each table.
func (c *checker) table(name string) (*Table, error) {
	if t, ok := c.tables[name]; ok {
		return t, nil
	}
	t, err := c.env.Catalog.Table(c.ctx, name)
	if err == nil && t == nil {
		err = ErrUnknown
	}
	if err == nil {
		c.tables[name] = t
	}
	return t, err
}

// While an expression is checked there are two more kinds, which never leave the checker: a parent as a whole, and a number of days, months
// or years.
const (
	recordType Type = "record"
	spanType   Type = "span"
)

type record struct {
	v     *Var
	hops  []Relation
	table *Table // where the relation starts
	rel   Relation
}

type span struct {
	unit string
	n    Expr
}

func (record) Type() Type { return recordType }
func (span) Type() Type   { return spanType }

// expr gives an expression as it stands: records, spans, null, lists, secrets, and values that take the type of what they meet (Any).
func (c *checker) expr(e ast.Expr) (Expr, error) {
	if x, ok := c.named(e); ok {
		return x, nil
	}
	switch e.Kind() {
	case ast.LiteralKind:
		l, err := c.src.literal(e)
		return l, err
	case ast.IdentKind, ast.SelectKind:
		return c.path(e)
	case ast.ListKind:
		return nil, failAt(c.src.at(e), "a list stands to the right of in only: x in [1, 2]")
	}
	call := e.AsCall()
	if call.FunctionName() == "_[_]" {
		return c.path(e)
	}
	if fn, ok := operator(call.FunctionName()); ok && !call.IsMemberFunction() {
		return c.operation(fn, c.src.at(e), call.Args())
	}
	return c.call(e, call)
}

// value is an expression that has a value: no record, span or secret. Its type may still be Any.
func (c *checker) value(e ast.Expr) (Expr, error) {
	x, err := c.expr(e)
	if err != nil {
		return nil, err
	}
	return c.plain(x, c.src.at(e))
}

func (c *checker) plain(e Expr, at int) (Expr, error) {
	switch x := e.(type) {
	case record:
		return nil, failAt(at, "`%s` is a record: write `%s`, or a field of it", Text(x), c.keyName(x))
	case span:
		return nil, failAt(at, "%s stands beside a date only: today() - %s", Text(x), Text(x))
	case Ref:
		if x.Field.Secret {
			return nil, failAt(at, "`%s` is secret: only `%s == null` and `%s != null` can be asked", Text(x), Text(x), Text(x))
		}
	}
	return e, nil
}

// foreignKey is the column behind a parent; the parent as it is where it has several, or where that column is not shown.
func (c *checker) foreignKey(r record) Expr {
	if len(r.rel.From) == 1 {
		if f, ok := r.table.Field(r.rel.From[0]); ok {
			return Ref{Var: r.v, Hops: r.hops, Table: r.table.Name, Field: f}
		}
	}
	return r
}

// keyName is the path of the column behind a parent; where that column is not shown, of a field of the parent.
func (c *checker) keyName(r record) string {
	if key, ok := c.foreignKey(r).(Ref); ok {
		return Text(key)
	}
	return Text(r) + "." + c.exampleField(r.rel)
}

func (c *checker) condition(e ast.Expr) (Expr, error) {
	x, err := c.expr(e)
	if err != nil {
		return nil, err
	}
	at := c.src.at(e)
	if r, ok := x.(record); ok {
		return nil, failAt(at, "`%s` is a record, not a condition: write %s != null", Text(r), Text(r))
	}
	if x, err = c.plain(x, at); err != nil {
		return nil, err
	}
	x = c.settle(x, Bool)
	if x.Type() != Bool {
		return nil, failAt(at, "a condition is wanted, `%s` is %s: %s", Text(x), typeName(x.Type()), conditionHint(x))
	}
	return x, nil
}

func conditionHint(x Expr) string {
	switch x.Type() {
	case Int, Dec:
		return "compare it, like " + Text(x) + " > 0"
	case String:
		return "compare it, like " + Text(x) + ` == "…", or !blank(` + Text(x) + ")"
	}
	return "compare it, like " + Text(x) + " != null"
}

func typeName(t Type) string {
	switch t {
	case Int:
		return "a whole number"
	case Dec:
		return "a number"
	case String:
		return "text"
	case Bool:
		return "true or false"
	case Date:
		return "a date"
	case Timestamp:
		return "a timestamp"
	case List:
		return "a list"
	case JSON, Any:
		return "JSON"
	case recordType:
		return "a record"
	case spanType:
		return "a number of days, months or years"
	}
	return string(t)
}

// settle gives what takes the type of its neighbour that type; everything else stays as it is.
func (c *checker) settle(e Expr, t Type) Expr {
	if e.Type() != Any {
		return e
	}
	switch x := e.(type) {
	case Param:
		x.Want = t
		if t == JSON {
			x.Want = String
		}
		return x
	case Ref:
		return c.settlePath(x, t)
	case Op:
		return c.settleBranches(x, t)
	}
	return e
}

// settleBranches settles a ?: or coalesce of values that take the type of what they meet.
func (c *checker) settleBranches(x Op, t Type) Op {
	args := append([]Expr{}, x.Args...)
	for i := range args {
		if args[i] = c.settle(args[i], t); args[i].Type() != Null && (i > 0 || x.Fn != "?:") {
			x.T = args[i].Type()
		}
	}
	for i := range args {
		if args[i].Type() == Null {
			args[i] = Lit{T: x.T}
		}
	}
	x.Args = args
	return x
}

func (c *checker) settlePath(x Ref, t Type) Expr {
	switch t {
	case String, Bool, JSON:
		x.As = t
	case Int, Dec:
		x.As = Dec
	case Date:
		x.As = String
		return Op{Fn: "date", Args: []Expr{x}, T: Date}
	case Timestamp:
		x.As = String
		return Op{Fn: "timestamp", Args: []Expr{x}, T: Timestamp, Zone: c.zone}
	default:
		x.As = JSON
	}
	return x
}

// op makes an operator; of constants it is computed at once.
func (c *checker) op(fn string, t Type, zone *time.Location, args ...Expr) Expr {
	values := make([]Value, len(args))
	for i, a := range args {
		l, ok := a.(Lit)
		if !ok || l.T == Null {
			return Op{Fn: fn, Args: args, T: t, Zone: zone}
		}
		values[i] = l.V
	}
	return Lit{V: widen(Compute(fn, zone, values...), t), T: t}
}

// zoneOf is the zone of an operator on dates: none where its meaning does not depend on one.
func (c *checker) zoneOf(x Expr) *time.Location {
	if x.Type() == Date {
		return nil
	}
	return c.zone
}
