package sqldb

import (
	"fmt"
	"slices"
	"strings"

	"example.com/deputy/query"
)

// dialect is what an engine says in its own way. A form is how every value of a type is written inside a statement; conditions may be
// NULL where they are not true.
type dialect interface {
	mark(n int) string                                                                       // where the n-th argument stands, from 1
	constant(c *compiler, v query.Value, t query.Type) string                                // a value in the form of its type; NULL where it is nil
	table(t *table) string                                                                   // a table's name
	field(c *compiler, ref string, col *column) string                                       // what a column holds, in the form of its type
	output(c *compiler, p part) output                                                       // a column of the result
	version(ref string, col *column) output                                                  // what of a column the version of a record is made of
	unchanged(c *compiler, ref string, col *column, seen query.Value) string                 // a condition: a column holds what the version was made of
	missing(p part) string                                                                   // a condition: p is NULL
	compare(c *compiler, fn string, a, b part) string                                        // a condition: one of == < <= > >=
	among(c *compiler, a part, items []part) string                                          // a condition: a is one of the items
	function(c *compiler, x query.Op, args []part) string                                    // any other operator or function
	path(c *compiler, doc string, x query.Ref) string                                        // a value inside of JSON
	carry(c *compiler, fn string, p part, text, name string) []string                        // the columns of a subquery r that an aggregate of r.name reads: p is text
	fold(c *compiler, fn, value string, of, as query.Type) string                            // sum, avg, min or max of a column of a subquery
	over(c *compiler, fn string, body part, as query.Type, inner *scope, from string) string // sum, avg, min or max of what is said of the rows of a FROM
	distinct(value string, t query.Type) string                                              // one form for all values that are the same, that can be compared
	widen(text string, from, to query.Type) string                                           // a whole number in a decimal's place
	sort(text string, t query.Type, desc, nullable bool) string                              // a sort key, NULL last
	page(text string, limit, offset string, order []string) string                           // the window of a question
	lock() string                                                                            // what keeps the rows of a SELECT as they are; empty: nothing is needed
}

// compiler makes one statement. Identifiers come from the schema only; every value is bound.
type compiler struct {
	catalog  *catalog
	dialect  dialect
	args     []any
	calls    []int64            // that the statement needs while it runs
	shared   map[string]string  // arguments that several places share
	digits   map[string]digits  // of decimals, by their text: as far as they are known
	within   map[string]operand // what a text is made of, where the dialect can compute it together with what stands around it
	aliases  int
	computed bool     // what is compiled is computed of rows that are there already: no index serves
	figures  *figures // of an analysis, over groups
	err      error    // the first mistake
}

// digits are the most that a number can have before and after the point.
type digits struct{ whole, scale int }

// part is an expression as SQL, in the form of its type.
type part struct {
	text string
	t    query.Type
	lit  *query.Lit // of a constant
	col  *column    // of a plain field: its column,
	ref  string     // the column itself where it can be compared as it is kept,
	raw  string     // and what is read to have the value as it is kept
	only string     // of a field's value or NULL: the condition, and
	then string     // what is read where it holds
}

// scope is one FROM of the statement: a table, and the parents joined to it.
type scope struct {
	v      *query.Var
	root   node
	outer  *scope
	joins  []string
	joined map[string]node
	known  map[string]part // over groups: all that is known of the row
}

// node is one table in a FROM.
type node struct {
	scope *scope
	alias string
	t     *table
}

func (c *compiler) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

func (c *compiler) bind(v any) string {
	c.args = append(c.args, v)
	return c.dialect.mark(len(c.args))
}

// share binds an argument once, whatever the number of places that it stands in.
func (c *compiler) share(key string, v func() any) string {
	if _, ok := c.shared[key]; !ok {
		if c.shared == nil {
			c.shared = map[string]string{}
		}
		c.shared[key] = c.bind(v())
	}
	return c.shared[key]
}

func (c *compiler) table(name string) *table {
	t, err := c.catalog.find(name)
	if err != nil {
		c.fail("table %q: %w", name, err)
		return &table{}
	}
	return t
}

// open begins a FROM.
func (c *compiler) open(t *table, v *query.Var, outer *scope) *scope {
	s := &scope{v: v, outer: outer, joined: map[string]node{}}
	s.root = node{s, c.alias(), t}
	return s
}

func (c *compiler) alias() string {
	c.aliases++
	return fmt.Sprintf("t%d", c.aliases)
}

// from is the text of a FROM; asked for once everything that stands on it is compiled.
func (c *compiler) from(s *scope) string {
	return c.dialect.table(s.root.t) + " AS " + s.root.alias + strings.Join(s.joins, "")
}

func (c *compiler) find(s *scope, v *query.Var) node {
	for ; s != nil; s = s.outer {
		if s.v == v && s.root.t != nil {
			return s.root
		}
	}
	c.fail("a variable that stands for nothing")
	return node{scope: &scope{joined: map[string]node{}}, t: &table{}}
}

// quote writes an identifier.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func (n node) column(c *compiler, field string) *column {
	col, ok := n.t.byField[field]
	if !ok {
		c.fail("no field %q of table %q", field, n.t.offered.Name)
		return &column{}
	}
	return col
}

func (n node) ref(col *column) string { return n.alias + "." + quote(col.name) }

// field is a field of a node.
func (c *compiler) field(n node, name string) part {
	if n.scope != nil && n.scope.known != nil && n.alias == n.scope.root.alias {
		p, ok := n.scope.known[name]
		if !ok {
			c.fail("the field %q is not the same for all of a group", name)
		}
		return p
	}
	col := n.column(c, name)
	return c.kept(n.ref(col), col)
}

// kept is what a column holds, by whatever name it is known.
func (c *compiler) kept(ref string, col *column) part {
	return part{text: c.dialect.field(c, ref, col), t: col.field.Type, col: col, ref: ref, raw: ref}
}

// mostJoins is how many parents one FROM joins: engines stop at 64 tables. Beyond, they are read in subqueries.
const mostJoins = 40

// walk goes to a parent. One that the schema says is unique is joined; else it is the first by its key, and what is read of it has to
// stand in a subquery that wrap makes.
func (c *compiler) walk(n node, hops []query.Relation) (to node, wrap func(string) string) {
	for i, h := range hops {
		t := c.table(h.Table)
		if t.isUnique(h.To) && len(n.scope.joins) < mostJoins {
			n = c.join(n, h, t)
			continue
		}
		sub := c.open(t, nil, nil)
		link := c.link(sub.root, n, h)
		to, rest := c.walk(sub.root, hops[i+1:])
		return to, func(text string) string {
			if rest != nil {
				text = rest(text)
			}
			return "(SELECT " + text + " FROM " + c.from(sub) + " WHERE " + link + c.byKey(sub.root, " ORDER BY ") + " LIMIT 1)"
		}
	}
	return n, nil
}

func (c *compiler) join(n node, h query.Relation, t *table) node {
	key := fmt.Sprint(n.alias, h.Table, h.From, h.To)
	if to, ok := n.scope.joined[key]; ok {
		return to
	}
	to := node{n.scope, c.alias(), t}
	n.scope.joins = append(n.scope.joins, " LEFT JOIN "+c.dialect.table(t)+" AS "+to.alias+" ON "+c.link(to, n, h))
	n.scope.joined[key] = to
	return to
}

// link is the condition that a row is what a relation leads to.
func (c *compiler) link(to, from node, r query.Relation) string {
	var all []string
	for i := range r.From {
		all = append(all, c.dialect.compare(c, "==", c.field(to, r.To[i]), c.field(from, r.From[i])))
	}
	return strings.Join(all, " AND ")
}

// byKey is the sort by the key, after some words; empty where there is no key.
func (c *compiler) byKey(n node, words string) string {
	keys := c.keyOrder(n)
	if len(keys) == 0 {
		return ""
	}
	return words + strings.Join(keys, ", ")
}

func (c *compiler) keyOrder(n node) []string {
	var out []string
	for _, name := range n.t.offered.Key {
		p := c.field(n, name)
		out = append(out, c.dialect.sort(p.text, p.t, false, false))
	}
	return out
}

// condition compiles what only counts when it is true; nil is true.
func (c *compiler) condition(e query.Expr, s *scope) string {
	x, ok := e.(query.Op)
	if !ok {
		return c.sql(c.expr(e, s))
	}
	switch x.Fn {
	case "&&":
		return "(" + c.condition(x.Args[0], s) + " AND " + c.condition(x.Args[1], s) + ")"
	case "||":
		return "(" + c.condition(x.Args[0], s) + " OR " + c.condition(x.Args[1], s) + ")"
	case "!":
		return "(" + c.condition(x.Args[0], s) + " IS NOT TRUE)"
	case "==", "!=":
		return c.equality(x, s)
	case "<", "<=", ">", ">=":
		return c.dialect.compare(c, x.Fn, c.expr(x.Args[0], s), c.expr(x.Args[1], s))
	case "in":
		return c.among(x, s)
	}
	return c.op(x, s)
}

func (c *compiler) equality(x query.Op, s *scope) string {
	text := ""
	if side, ok := query.NullTest(x); ok {
		text = c.dialect.missing(c.expr(side, s))
	} else {
		text = c.dialect.compare(c, "==", c.expr(x.Args[0], s), c.expr(x.Args[1], s))
	}
	if x.Fn == "!=" {
		return "(" + text + " IS NOT TRUE)"
	}
	return text
}

func (c *compiler) among(x query.Op, s *scope) string {
	var items []part
	switch list := x.Args[1].(type) {
	case query.Ref:
		return c.dialect.function(c, x, []part{c.expr(x.Args[0], s), c.expr(list, s)})
	case query.Op:
		for _, item := range list.Args {
			items = append(items, c.expr(item, s))
		}
	case query.Lit:
		values, _ := list.V.([]query.Value)
		for _, v := range values {
			items = append(items, c.constant(query.Lit{V: v, T: x.Args[0].Type()}))
		}
	default:
		c.fail("a list that is not written out")
	}
	items = slices.DeleteFunc(items, func(p part) bool { return p.lit != nil && p.lit.V == nil })
	if len(items) == 0 {
		return "FALSE"
	}
	return c.dialect.among(c, c.expr(x.Args[0], s), items)
}

// expr compiles an expression for its value.
func (c *compiler) expr(e query.Expr, s *scope) part {
	switch x := e.(type) {
	case query.Lit:
		return c.constant(x)
	case query.Ref:
		return c.reference(x, s)
	case query.Op:
		if x.Fn == "?:" {
			return c.choice(x, s)
		}
		return part{text: c.op(x, s), t: x.T}
	case query.Each:
		return part{text: c.each(x, s), t: x.T}
	case query.Agg:
		return c.figures.aggregate(c, x)
	case query.GroupKey:
		return c.figures.key(c, x)
	case nil:
		return part{text: "TRUE", t: query.Bool}
	}
	c.fail("%T cannot be compiled here", e)
	return part{text: c.dialect.constant(c, nil, query.Null), t: query.Null}
}

func (c *compiler) constant(x query.Lit) part {
	if n, ok := x.V.(int64); ok && x.T == query.Dec {
		x.V = query.Decimal(fmt.Sprint(n))
	}
	if x.V == nil {
		return part{text: c.dialect.constant(c, nil, x.T), t: x.T, lit: &x}
	}
	return part{t: x.T, lit: &x}
}

// sql is the text of a part; a constant is bound only now, since most operators keep theirs.
func (c *compiler) sql(p part) string {
	if p.lit != nil && p.text == "" {
		return c.dialect.constant(c, p.lit.V, p.t)
	}
	return p.text
}

func (c *compiler) reference(x query.Ref, s *scope) part {
	n, wrap := c.walk(c.find(s, x.Var), x.Hops)
	p := c.field(n, x.Field.Name)
	if x.Path != nil {
		p = part{text: c.dialect.path(c, p.text, x), t: x.As}
	}
	if wrap == nil {
		return p
	}
	p.text, p.ref = wrap(p.text), ""
	if p.col != nil {
		p.raw = wrap(p.raw)
	}
	return p
}

func (c *compiler) op(x query.Op, s *scope) string {
	switch x.Fn {
	case "&&", "||", "!", "==", "!=", "<", "<=", ">", ">=", "in":
		return "(" + c.condition(x, s) + " IS TRUE)"
	case "?:":
		return c.choice(x, s).text
	case "coalesce":
		if len(x.Args) == 1 {
			return c.as(x.Args[0], x.T, s)
		}
		var all []string
		for _, a := range x.Args {
			all = append(all, c.as(a, x.T, s))
		}
		return c.oneOf("coalesce("+strings.Join(all, ", ")+")", all...)
	}
	args := make([]part, len(x.Args))
	for i, a := range x.Args {
		args[i] = c.expr(a, s)
	}
	return c.dialect.function(c, x, args)
}

// choice compiles a ? b : c. A field's value, or else NULL, is still one of the field's column.
func (c *compiler) choice(x query.Op, s *scope) part {
	when, value := c.condition(x.Args[0], s), c.expr(x.Args[1], s)
	then, other := c.dialect.widen(c.sql(value), value.t, x.T), c.as(x.Args[2], x.T, s)
	p := part{text: c.oneOf("CASE WHEN "+when+" THEN "+then+" ELSE "+other+" END", then, other), t: x.T}
	if none, ok := x.Args[2].(query.Lit); ok && none.V == nil && value.col != nil && value.t == x.T {
		p.col, p.only, p.then, p.raw = value.col, when, value.raw, "CASE WHEN "+when+" THEN "+value.raw+" END"
	}
	return p
}

// as compiles an expression in the place of another type.
func (c *compiler) as(e query.Expr, t query.Type, s *scope) string {
	p := c.expr(e, s)
	return c.dialect.widen(c.sql(p), p.t, t)
}

// oneOf is a text whose value is one of others: it has no more digits than they.
func (c *compiler) oneOf(text string, others ...string) string {
	var most digits
	for _, other := range others {
		d, ok := c.digits[other]
		if !ok {
			return text
		}
		most = digits{max(most.whole, d.whole), max(most.scale, d.scale)}
	}
	return c.noted(text, most)
}

// noted remembers the digits of a number.
func (c *compiler) noted(text string, d digits) string {
	if c.digits == nil {
		c.digits = map[string]digits{}
	}
	c.digits[text] = d
	return text
}
