package querytest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"example.com/deputy/query"
)

// Condition makes a random condition over a table: a text that parses and checks. depth bounds how deep it is nested; 3 is plenty.
func (w *World) Condition(r *rand.Rand, table string, depth int) string {
	return w.Value(r, table, query.Bool, depth)
}

// Types are the types that Value makes.
func Types() []query.Type {
	return []query.Type{query.Bool, query.Int, query.Dec, query.String, query.Date, query.Timestamp}
}

// Value makes a random expression of a type over a table.
func (w *World) Value(r *rand.Rand, table string, t query.Type, depth int) string {
	for {
		g := &generator{w: w, r: r}
		g.rows = []place{{"", g.table(table)}}
		text := g.expr(t, depth)
		if _, err := query.Parse(text); err == nil {
			return text // else it is beyond the bounds
		}
	}
}

// place is a row in scope: the outermost, without a name, or that of a loop variable.
type place struct {
	name  string
	table *query.Table
}

type generator struct {
	w    *World
	r    *rand.Rand
	rows []place
}

func (g *generator) table(name string) *query.Table {
	for _, t := range g.w.Tables {
		if t.Name == name {
			return t
		}
	}
	panic("no table " + name)
}

// oneOf calls one of some makers.
func (g *generator) oneOf(list ...func() string) string { return pick(g.r, list)() }

// expr makes an expression of a type, in brackets where it needs them.
func (g *generator) expr(t query.Type, depth int) string {
	if depth <= 0 || g.r.IntN(5) == 0 {
		return g.leaf(t)
	}
	d := depth - 1
	if t != query.Bool && g.r.IntN(6) == 0 {
		return g.oneOf(
			func() string {
				return fmt.Sprintf("(%s ? %s : %s)", g.expr(query.Bool, d), g.expr(t, d), g.expr(t, d))
			},
			func() string { return fmt.Sprintf("coalesce(%s, %s)", g.expr(t, d), g.expr(t, d)) },
			func() string { return g.fold(pick(g.r, []string{"min", "max"}), t, d) },
		)
	}
	switch t {
	case query.Bool:
		return g.condition(d)
	case query.Int:
		return g.integer(d)
	case query.Dec:
		return g.decimal(d)
	case query.String:
		return g.str(d)
	}
	return g.when(t, d)
}

func (g *generator) leaf(t query.Type) string {
	if g.r.IntN(3) > 0 {
		if path, _, ok := g.field(func(f query.Field) bool { return f.Type == t && !f.Secret && f.Values == nil }); ok {
			return path
		}
	}
	return g.literal(t)
}

func (g *generator) literal(t query.Type) string {
	switch t {
	case query.Bool:
		return pick(g.r, []string{"true", "false"})
	case query.Int:
		return pick(g.r, []string{"0", "1", "2", "(-1)", "7", "3", "100", "9223372036854775807", "(-9223372036854775808)"})
	case query.Dec:
		return pick(g.r, []string{"0.0", "0.10", "1.5", "(-2.5)", "100.1", "1e3", "99999999999999999999999999999999999999.0", "0.00000000000000000001"})
	case query.String:
		return quoted(pick(g.r, texts()))
	case query.Date:
		return pick(g.r, []string{"today()", "date(" + quoted(pick(g.r, days())) + ")", `date("9999-12-31")`, `date("0001-01-01")`})
	}
	return pick(g.r, []string{"now()", `timestamp("` + pick(g.r, instants()).Format(time.RFC3339Nano) + `")`, `timestamp("2026-10-25 02:30")`})
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`).Replace(s) + `"`
}

// walk picks a row in scope and goes over up to three parents.
func (g *generator) walk() (path string, t *query.Table) {
	p := pick(g.r, g.rows)
	if g.r.IntN(2) == 0 {
		p = g.rows[len(g.rows)-1]
	}
	path, t = p.name, p.table
	for range g.r.IntN(4) {
		var parents []query.Relation
		for _, rel := range t.Relations {
			if !rel.Many {
				parents = append(parents, rel)
			}
		}
		if len(parents) == 0 {
			break
		}
		rel := pick(g.r, parents)
		path, t = dot(path, rel.Name), g.table(rel.Table)
	}
	return path, t
}

func dot(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// field picks a field that meets a condition, over parents or not.
func (g *generator) field(want func(query.Field) bool) (path string, f query.Field, ok bool) {
	path, t := g.walk()
	var list []query.Field
	for _, f := range t.Fields {
		if want(f) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return "", f, false
	}
	f = pick(g.r, list)
	return dot(path, f.Name), f, true
}

// children picks children, over parents or not, or all rows of a table.
func (g *generator) children() (path string, t *query.Table) {
	path, t = g.walk()
	var many []query.Relation
	for _, rel := range t.Relations {
		if rel.Many {
			many = append(many, rel)
		}
	}
	if len(many) == 0 || g.r.IntN(6) == 0 {
		t = pick(g.r, g.w.Tables)
		return "all." + t.Name, t
	}
	rel := pick(g.r, many)
	return dot(path, rel.Name), g.table(rel.Table)
}

// each makes path.fn(v, body); the variable may hide an outer one.
func (g *generator) each(fn string, t query.Type, depth int) string {
	path, table := g.children()
	name := pick(g.r, []string{"x", "y", "z"})
	g.rows = append(g.rows, place{name, table})
	outer := g.rows
	g.rows = visible(outer)
	body := g.expr(t, depth)
	g.rows = outer[:len(outer)-1]
	return fmt.Sprintf("%s.%s(%s, %s)", path, fn, name, body)
}

// visible drops variables that another one of the same name hides.
func visible(rows []place) []place {
	var out []place
	for i, p := range rows {
		hidden := false
		for _, q := range rows[i+1:] {
			hidden = hidden || q.name == p.name
		}
		if !hidden {
			out = append(out, p)
		}
	}
	return out
}

func (g *generator) fold(fn string, t query.Type, depth int) string {
	return g.each(fn, t, depth)
}

func (g *generator) condition(d int) string {
	return g.oneOf(
		func() string { return g.compared(d) },
		func() string { return g.compared(d) },
		func() string {
			return fmt.Sprintf("(%s %s %s)", g.expr(query.Bool, d), pick(g.r, []string{"&&", "||"}), g.expr(query.Bool, d))
		},
		func() string { return "!(" + g.expr(query.Bool, d) + ")" },
		func() string {
			return fmt.Sprintf("(%s ? %s : %s)", g.expr(query.Bool, d), g.expr(query.Bool, d), g.expr(query.Bool, d))
		},
		func() string { return g.each(pick(g.r, []string{"exists", "exists", "all"}), query.Bool, d) },
		func() string { return g.each("exists", query.Bool, d) },
		func() string { path, _ := g.children(); return path + ".exists()" },
		func() string { return g.nullTest() },
		func() string { return g.found(d) },
		func() string { return g.listed(d) },
		func() string { return g.oneOfValues() },
		func() string { return g.json() },
	)
}

func (g *generator) compared(d int) string {
	t := pick(g.r, []query.Type{query.Int, query.Dec, query.String, query.Date, query.Timestamp})
	u, ops := t, []string{"==", "!=", "<", "<=", ">", ">="}
	switch {
	case g.r.IntN(4) == 0 && t == query.Int:
		u = query.Dec
	case g.r.IntN(4) == 0 && t == query.Date:
		u, ops = query.Timestamp, ops[2:]
	}
	if g.r.IntN(10) == 0 {
		t, u, ops = query.Bool, query.Bool, []string{"==", "!="}
	}
	return fmt.Sprintf("(%s %s %s)", g.expr(t, d), pick(g.r, ops), g.expr(u, d))
}

func (g *generator) nullTest() string {
	op := pick(g.r, []string{" == null", " != null"})
	path, t := g.walk()
	if g.r.IntN(3) == 0 {
		for _, rel := range t.Relations {
			if !rel.Many {
				return "(" + dot(path, rel.Name) + op + ")"
			}
		}
	}
	return "(" + dot(path, pick(g.r, t.Fields).Name) + op + ")"
}

func (g *generator) found(d int) string {
	if g.r.IntN(4) == 0 {
		return "blank(" + g.expr(query.String, d) + ")"
	}
	return fmt.Sprintf("%s.%s(%s)", g.leaf(query.String), pick(g.r, []string{"contains", "startsWith", "endsWith"}), g.expr(query.String, d))
}

func (g *generator) listed(d int) string {
	t := pick(g.r, []query.Type{query.Int, query.Dec, query.String, query.Date, query.Timestamp})
	var items []string
	for range g.r.IntN(4) {
		items = append(items, g.leaf(t))
	}
	return fmt.Sprintf("(%s in [%s])", g.expr(t, d), strings.Join(items, ", "))
}

// oneOfValues compares a field that has a value list with one of its values, in any case.
func (g *generator) oneOfValues() string {
	path, f, ok := g.field(func(f query.Field) bool { return f.Values != nil })
	if !ok {
		return "true"
	}
	v := pick(g.r, f.Values)
	if g.r.IntN(2) == 0 {
		v = strings.ToUpper(v)
	}
	return fmt.Sprintf("(%s %s %s)", path, pick(g.r, []string{"==", "!="}), quoted(v))
}

func (g *generator) jsonPath() (string, bool) {
	path, _, ok := g.field(func(f query.Field) bool { return f.Type == query.JSON })
	return path + pick(g.r, []string{".a", ".n", ".b", ".o.a", ".l[0]", ".l[2].a", `["odd key"].a`, ".missing"}), ok
}

func (g *generator) json() string {
	a, okA := g.jsonPath()
	b, okB := g.jsonPath()
	if !okA || !okB {
		return "false"
	}
	return pick(g.r, []string{
		"(" + a + ` == "x")`, "(" + a + " != 1.5)", "(" + a + " > 1)", "(" + a + " == true)", "(" + a + " == null)", "(" + a + " == " + b + ")", a + `.contains("a")`,
		"(" + a + ` < date("2026-02-01"))`, "(" + a + " ? true : false)", "(" + a + ` in ["x", "A"])`, "(number(" + a + ") <= 5)", "(length(" + a + ") == 1)",
		"(coalesce(" + a + ", " + b + `) == "x")`,
	})
}

func (g *generator) integer(d int) string {
	return g.oneOf(
		func() string {
			return fmt.Sprintf("(%s %s %s)", g.expr(query.Int, d), pick(g.r, []string{"+", "-", "*", "%"}), g.expr(query.Int, d))
		},
		func() string { return "-(" + g.expr(query.Int, d) + ")" },
		func() string { return "abs(" + g.expr(query.Int, d) + ")" },
		func() string { return "length(" + g.expr(query.String, d) + ")" },
		func() string { return g.each("count", query.Bool, d) },
		func() string { path, _ := g.children(); return path + ".count()" },
		func() string { return g.fold("sum", query.Int, d) },
		func() string {
			return pick(g.r, []string{"year_of", "month_of_year", "weekday"}) + "(" + g.whenever(d) + ")"
		},
		func() string { return "hour_of_day(" + g.expr(query.Timestamp, d) + ")" },
		func() string {
			return fmt.Sprintf("%s(%s, %s)", pick(g.r, []string{"days_between", "years_between"}), g.whenever(d), g.whenever(d))
		},
	)
}

func (g *generator) decimal(d int) string {
	number := func() string { return g.expr(pick(g.r, []query.Type{query.Int, query.Dec}), d) }
	return g.oneOf(
		func() string {
			return fmt.Sprintf("(%s %s %s)", g.expr(query.Dec, d), pick(g.r, []string{"+", "-", "*", "%"}), number())
		},
		func() string { return fmt.Sprintf("(%s / %s)", number(), number()) },
		func() string { return fmt.Sprintf("round(%s, %d)", g.expr(query.Dec, d), g.r.IntN(5)) },
		func() string { return "abs(" + g.expr(query.Dec, d) + ")" },
		func() string { return "-(" + g.expr(query.Dec, d) + ")" },
		func() string { return "number(" + g.expr(query.String, d) + ")" },
		func() string { return g.fold("sum", query.Dec, d) },
		func() string { return g.each("avg", pick(g.r, []query.Type{query.Int, query.Dec}), d) },
	)
}

func (g *generator) str(d int) string {
	return g.oneOf(
		func() string { return fmt.Sprintf("(%s + %s)", g.expr(query.String, d), g.expr(query.String, d)) },
		func() string { return "lower(" + g.expr(query.String, d) + ")" },
		func() string {
			return "substring(" + g.expr(query.String, d) + ", " + strconv.Itoa(g.r.IntN(4)) + ", " + strconv.Itoa(g.r.IntN(4)) + ")"
		},
		func() string { return "substring(" + g.expr(query.String, d) + ", " + g.expr(query.Int, d) + ")" },
		func() string {
			if path, ok := g.jsonPath(); ok {
				return "(" + path + ` + "")`
			}
			return g.leaf(query.String)
		},
		func() string {
			if path, _, ok := g.field(func(f query.Field) bool { return f.Values != nil }); ok {
				return "(" + path + ` + "")` // bare, it would be compared with its own values only
			}
			return g.leaf(query.String)
		},
	)
}

// whenever is a date or a timestamp.
func (g *generator) whenever(d int) string {
	return g.expr(pick(g.r, []query.Type{query.Date, query.Timestamp}), d)
}

func (g *generator) when(t query.Type, d int) string {
	unit := pick(g.r, []string{"year", "quarter", "month", "week", "day"})
	list := []func() string{
		func() string {
			return fmt.Sprintf("(%s %s %s(%s))", g.expr(t, d), pick(g.r, []string{"+", "-"}), pick(g.r, []string{"days", "months", "years"}), g.leaf(query.Int))
		},
		func() string {
			return fmt.Sprintf("%s(%q, %s)", pick(g.r, []string{"start_of", "end_of"}), unit, g.expr(t, d))
		},
	}
	if t == query.Date {
		list = append(list, func() string { return unit + "(" + g.whenever(d) + ")" },
			func() string {
				if path, _, ok := g.field(func(f query.Field) bool { return f.Type == query.String && !f.Secret }); ok && g.r.IntN(2) == 0 {
					return "date(" + path + ")" // a constant that is no date would be refused
				}
				return "date(" + g.expr(query.Timestamp, d) + ")"
			})
	} else {
		list = append(list, func() string { return "hour(" + g.expr(query.Timestamp, d) + ")" },
			func() string { return "timestamp(" + g.expr(query.Date, d) + ")" })
	}
	return g.oneOf(list...)
}
