package hosttest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
)

// env is what the document says: who asks, and that a label is the name of a record.
func (e *examples) env(table string) query.Env {
	env := e.world.Env(table)
	env.Params = []string{"person"}
	env.Given = map[string]query.Lit{"since": {V: query.Day("2026-02-01"), T: query.Date}, "status": {V: "paid", T: query.String}, "note": {T: query.String}}
	env.Label = func(_ context.Context, rel query.Relation, text string) ([]query.Candidate, error) {
		var out []query.Candidate
		for _, row := range e.world.Rows[rel.Table] {
			if key, ok := query.FormatValue(row[rel.To[0]]); ok && row["name"] == text {
				out = append(out, query.Candidate{Key: key, Label: text})
			}
		}
		return out, nil
	}
	return env
}

// asker answers the parameters: ann, who has two roles and two attributes.
func asker(path []string) (string, bool) {
	v, ok := map[string]string{"person.id": "ann", "person.roles": `["sales","support"]`, "person.attributes.country": "NO", "person.attributes.employee_id": "2"}[strings.Join(path, ".")]
	return v, ok
}

type check func(context.Context, query.Env, *query.Source) (query.Expr, error)

// checked reads a text over a table. An error is that of the language.
func (e *examples) checked(table, text string, how check) (query.Expr, error) {
	e.texts = append(e.texts, text)
	src, err := query.Parse(text)
	if err != nil {
		return nil, err
	}
	x, err := how(context.Background(), e.env(table), src)
	if err != nil {
		return nil, err
	}
	x, missing := query.Bind(x, asker)
	if missing {
		return nil, errors.New("the person has no such attribute")
	}
	e.seen = append(e.seen, x)
	return x, nil
}

// rowsOf finds the rows that "orders 10" or "orders" names; ok is false for a table that is left out here.
func (e *examples) rowsOf(cell string) (t *query.Table, rows []query.Row, ok bool) {
	name, id, _ := strings.Cut(span(cell), " ")
	t, err := e.fake.table(name)
	if err != nil {
		if all, _ := shop(); !slices.ContainsFunc(all, func(t query.Table) bool { return t.Name == name }) {
			e.Errorf("no table %s", name)
		}
		return nil, nil, false
	}
	for _, row := range e.world.Rows[name] {
		if id == "" || e.key(t, row) == id {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		e.Errorf("no row %s", id)
	}
	return t, rows, len(rows) > 0
}

func (e *examples) key(t *query.Table, row query.Row) string {
	var parts []string
	for _, name := range t.Key {
		text, _ := query.FormatValue(row[name])
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// shownAs is a value as the document writes it.
func shownAs(v query.Value) string {
	text, ok := query.FormatValue(v)
	if _, isText := v.(string); isText {
		return strconv.Quote(text)
	}
	if !ok {
		return "null"
	}
	return text
}

// asked compares the host with query.Eval: an expression as a value of every row, as a condition, its contrary, and as an order.
func (e *examples) asked(t *query.Table, x query.Expr) {
	q := query.Query{Table: t.Name, Limit: 100, Select: []query.Column{{As: "x", Expr: x}}}
	for _, k := range t.Key {
		f, _ := t.Field(k)
		q.Select = append(q.Select, query.Column{As: k, Expr: query.Ref{Table: t.Name, Field: f}})
	}
	e.same(q, "| "+e.over+" |")
	if x.Type() == query.Bool {
		q.Where = x
		e.same(q, "| "+e.over+" | as a condition")
		q.Where = query.Op{Fn: "!", Args: []query.Expr{x}, T: query.Bool}
		e.same(q, "| "+e.over+" | denied")
		q.Where = nil
	}
	if x.Type() != query.JSON && x.Type() != query.List {
		q.Order = []query.Order{{Expr: x, Desc: true}}
		e.same(q, "| "+e.over+" | as an order")
	}
}

// value runs | expression | over | value |.
func (e *examples) value(cells []string) {
	t, rows, ok := e.rowsOf(cells[1])
	if !ok {
		return
	}
	x, err := e.checked(t.Name, span(cells[0]), query.Check)
	if err != nil || len(rows) != 1 {
		e.Errorf("%d rows, %v", len(rows), err)
		return
	}
	if got := shownAs(query.Eval(x, rows[0], e.world.Rows.Data)); got != span(cells[2]) {
		e.Errorf("it is %s", got)
	}
	e.asked(t, x)
}

// condition runs | condition | over | holds for |.
func (e *examples) condition(cells []string) {
	t, rows, ok := e.rowsOf(cells[1])
	if !ok {
		return
	}
	x, err := e.checked(t.Name, span(cells[0]), query.Condition)
	if err != nil {
		e.Errorf("%v", err)
		return
	}
	var keys []string
	for _, row := range rows {
		if query.Truth(query.Eval(x, row, e.world.Rows.Data)) {
			keys = append(keys, e.key(t, row))
		}
	}
	e.wantKeys(keys, cells[2])
	e.asked(t, x)
}

func (e *examples) wantKeys(keys []string, cell string) {
	e.Helper()
	got := strings.Join(keys, ", ")
	if got == "" {
		got = "none"
	}
	if got != cell {
		e.Errorf("it is %s", got)
	}
}

// order runs | order_by | over | order |.
func (e *examples) order(cells []string) {
	t, _, ok := e.rowsOf(cells[1])
	if !ok {
		return
	}
	q := query.Query{Table: t.Name, Limit: 100}
	for _, text := range spans(cells[0]) {
		src, desc, err := query.ParseOrder(text)
		if err != nil {
			e.Errorf("%v", err)
			return
		}
		x, err := e.checked(t.Name, src.String(), query.SortKey)
		if err != nil {
			e.Errorf("%v", err)
			return
		}
		q.Order = append(q.Order, query.Order{Expr: x, Desc: desc})
	}
	for _, k := range t.Key {
		f, _ := t.Field(k)
		q.Select = append(q.Select, query.Column{As: k, Expr: query.Ref{Table: t.Name, Field: f}})
	}
	found, err := e.fake.Query(e.Context(), deputy.Person{}, q)
	if err != nil {
		e.Fatal(err)
	}
	var keys []string
	for _, row := range found.Rows {
		keys = append(keys, strings.ReplaceAll(line(row), ", ", " "))
	}
	e.wantKeys(keys, cells[2])
	e.same(q, "| "+e.over+" |")
}

func line(row []query.Value) string {
	var cells []string
	for _, v := range row {
		cells = append(cells, shownAs(v))
	}
	return strings.Join(cells, ", ")
}

// refusal runs | expression | over | error |.
func (e *examples) refusal(cells []string) {
	t, _, ok := e.rowsOf(cells[1])
	if !ok {
		return
	}
	_, err := e.checked(t.Name, span(cells[0]), query.Check)
	if err == nil || err.Error() != plain(cells[2]) {
		e.Errorf("the error is\n%s", fmt.Sprint(err))
	}
}

// plain is a cell whose text is not code and may have code in it.
func plain(cell string) string { return strings.ReplaceAll(cell, `\*`, "*") }

var namedMeasure = regexp.MustCompile(`^([a-z_]\w*): (.*)$`)

// analysis runs | over | group_by | measures | having | order_by | rows |.
func (e *examples) analysis(cells []string) {
	t, _, ok := e.rowsOf(cells[0])
	if !ok {
		return
	}
	asked := querytest.Analysis{Table: t.Name, GroupBy: spans(cells[1]), Having: span(cells[3]), OrderBy: spans(cells[4]), Limit: 100}
	for _, text := range spans(cells[2]) {
		name := ""
		if m := namedMeasure.FindStringSubmatch(text); m != nil {
			name, text = m[1], m[2]
		}
		asked.As, asked.Measures = append(asked.As, name), append(asked.Measures, text)
	}
	a, err := e.world.CheckAnalysis(asked, nil)
	if err != nil {
		e.Errorf("%v", err)
		return
	}
	for _, c := range append(a.Columns(), query.Column{Expr: a.Having}) {
		e.seen = append(e.seen, c.Expr)
	}
	e.texts = append(append(e.texts, asked.Having), slices.Concat(asked.GroupBy, asked.Measures, asked.OrderBy)...)
	var lines []string
	for _, row := range a.Eval(e.world.Rows[t.Name], e.world.Rows.Data).Rows {
		lines = append(lines, "`"+line(row)+"`")
	}
	if got := strings.Join(lines, " "); got != cells[5] {
		e.Errorf("it is %s", got)
	}
	e.sameFigures(a, "| "+e.over+" |")
}
