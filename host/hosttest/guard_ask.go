package hosttest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/deputy"
	"example.com/deputy/internal/decimal"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
)

// question is a call and what must come back: the rows in their order, and whether there are more.
type question struct {
	call scripted.Call
	want []string
	more bool
	says string // what an answer that is an error contains; empty: it is none
}

// ask puts questions, all in one turn.
func (g *guarded) ask(n int) {
	var qs []question
	for range n {
		t := g.seen.Tables[g.r.IntN(len(g.seen.Tables))]
		if len(t.Fields) == 0 {
			continue
		}
		where := g.seen.Condition(g.r, t.Name, 3)
		switch g.r.IntN(8) {
		case 7:
			qs = append(qs, g.named(t)...)
		case 0:
			qs = append(qs, g.count(t, where))
		case 1:
			qs = append(qs, g.whole(t, where))
		case 2, 3, 4:
			qs = append(qs, g.analyzed(t))
		default:
			qs = append(qs, g.chosen(t, where))
		}
	}
	g.run(qs)
	for i, q := range qs {
		if q.says != "" {
			if !strings.HasPrefix(g.texts[i], "Error") || !strings.Contains(g.texts[i], q.says) {
				g.Errorf("%v\n got %s\nwant an error: %s", q.call, g.texts[i], q.says)
			}
			continue
		}
		if got, more := g.found(i); !slices.Equal(got, q.want) || more != q.more {
			raw, _ := json.Marshal(q.call)
			g.Errorf("%s\n got %s, more: %v\nwant %s, more: %v\n%s", raw, got, more, q.want, q.more, g.texts[i])
		}
	}
}

func (g *guarded) run(qs []question) {
	g.calls, g.texts = nil, nil
	for _, q := range qs {
		g.calls = append(g.calls, q.call)
	}
	for e, err := range g.door.Turn(context.Background(), deputy.Caller{Person: g.who}, deputy.TurnInput{Text: "ask"}) {
		if err != nil {
			g.Fatal(err)
		}
		if e.Name == deputy.EventTurnFinished && !strings.Contains(string(e.Data), `"answered"`) {
			g.Fatal(string(e.Data))
		}
	}
	if len(g.texts) != len(qs) {
		g.Fatalf("%d answers to %d questions", len(g.texts), len(qs))
	}
}

func (g *guarded) answer(r deputy.Request) scripted.Answer {
	if scripted.Step(r) == 1 {
		return scripted.Answer{Calls: g.calls}
	}
	g.texts = scripted.Results(r)
	return scripted.Answer{Text: "done"}
}

// found are the rows of an answer, and whether there are more; its text where it is none.
func (g *guarded) found(i int) (rows []string, more bool) {
	text := g.texts[i]
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	var r struct {
		Rows    []json.RawMessage
		HasMore bool `json:"has_more"`
	}
	if from < 0 || json.Unmarshal([]byte(text[from:to+1]), &r) != nil {
		return []string{text}, false
	}
	rows = []string{}
	for _, row := range r.Rows {
		rows = append(rows, withoutZeros(row))
	}
	return rows, r.HasMore
}

// withoutZeros is a row in which no decimal ends with zeros after the point: an engine in which a computed column has one scale writes them.
func withoutZeros(row []byte) string {
	var cells []any
	d := json.NewDecoder(bytes.NewReader(row))
	d.UseNumber()
	if d.Decode(&cells) != nil {
		return string(row)
	}
	for i, c := range cells {
		text, _ := c.(string)
		if n, ok := decimal.Parse(text); ok {
			cells[i] = n.Trim().String()
		}
	}
	out, err := json.Marshal(cells)
	if err != nil {
		return string(row)
	}
	return string(out)
}

// holds are the rows of a table that meet a condition, as far as the person may know.
func (g *guarded) holds(table, where string) (out []query.Row) {
	e := g.check(table, where, true)
	for _, row := range g.seen.Rows[table] {
		if query.Truth(query.Eval(e, row, g.seen.Rows.Data)) {
			out = append(out, row)
		}
	}
	return out
}

func (g *guarded) check(table, text string, condition bool) query.Expr {
	e, err := g.seen.Check(table, text, condition)
	if err != nil {
		g.Fatalf("%s: %v", text, err)
	}
	return e
}

func (g *guarded) lines(rows []query.Row, columns ...query.Expr) []string {
	out := []string{}
	for _, row := range rows {
		var cells []query.Value
		for _, c := range columns {
			cells = append(cells, query.Eval(c, row, g.seen.Rows.Data))
		}
		out = append(out, g.line(cells))
	}
	return out
}

func (g *guarded) line(cells []query.Value) string {
	raw, err := json.Marshal(query.Cells(cells, g.seen.Zone))
	if err != nil {
		g.Fatal(err)
	}
	return withoutZeros(raw)
}

// count asks how many rows there are, or how many different values.
func (g *guarded) count(t *query.Table, where string) question {
	arguments := map[string]any{"table": t.Name, "where": where}
	count := query.Agg{Fn: "count", T: query.Int}
	if g.r.IntN(2) == 0 {
		text := g.seen.Value(g.r, t.Name, pick(g.r, querytest.Types()), 2)
		arguments["distinct"], count.Fn, count.Arg = text, "count_distinct", g.check(t.Name, text, false)
	}
	n := query.Aggregate(count, g.holds(t.Name, where), g.seen.Rows.Data)
	return question{scripted.Call{Tool: "count_records", Arguments: arguments}, []string{g.line([]query.Value{n})}, false, ""}
}

// chosen asks for an expression, in the order of others, a window of the rows.
func (g *guarded) chosen(t *query.Table, where string) question {
	value := g.seen.Value(g.r, t.Name, pick(g.r, querytest.Types()), 3)
	var orders []query.Order
	var texts []string
	for range g.r.IntN(3) {
		text := g.seen.Value(g.r, t.Name, pick(g.r, querytest.Types()), 2)
		o := query.Order{Expr: g.check(t.Name, text, false), Desc: g.r.IntN(2) == 0}
		if orders = append(orders, o); o.Desc {
			text += " desc"
		}
		texts = append(texts, text)
	}
	f := New([]query.Table{*t}, nil)
	f.rows = g.seen.Rows
	rows := f.ordered(t, g.holds(t.Name, where), orders)
	limit, offset := 1+g.r.IntN(6), g.r.IntN(2)
	rows = rows[min(offset, len(rows)):]
	return question{scripted.Call{Tool: "query_records", Arguments: map[string]any{"table": t.Name, "where": where, "select": []string{"(" + value + ")"}, "order_by": texts, "limit": limit, "offset": offset}},
		g.lines(rows[:min(limit, len(rows))], g.check(t.Name, value, false)), len(rows) > limit, ""}
}

// analyzed asks for figures. A key that is a foreign key is followed by the label of what it leads to, as another key.
func (g *guarded) analyzed(t *query.Table) question {
	asked := g.seen.Analysis(g.r, t.Name, 2)
	if rel := g.parent(t); rel != "" && !slices.Contains(asked.GroupBy, rel) && g.r.IntN(3) == 0 {
		asked.GroupBy = append(asked.GroupBy, rel)
	}
	if f := t.Fields[0]; !f.Secret && f.Type != query.JSON && g.r.IntN(3) == 0 { // in the order of something that rules may change
		asked.GroupBy, asked.Measures, asked.Having = []string{f.Name}, nil, ""
		of := g.seen.Value(g.r, t.Name, pick(g.r, querytest.Types()[1:]), 4)
		asked.OrderBy = []string{pick(g.r, []string{"min", "max"}) + "(" + of + ")" + pick(g.r, []string{"", " desc"})}
	}
	meant := asked
	meant.GroupBy = nil
	for _, key := range asked.GroupBy {
		meant.GroupBy = append(meant.GroupBy, key)
		if label := g.label(t, key); label != "" {
			meant.GroupBy = append(meant.GroupBy, label)
		}
	}
	a, err := g.seen.CheckAnalysis(meant, nil)
	if err != nil {
		g.Fatal(err)
	}
	var measures []map[string]string
	for i, m := range asked.Measures {
		measures = append(measures, map[string]string{"as": asked.Name(i), "expr": m})
	}
	rows, want := a.Eval(g.seen.Rows[t.Name], g.seen.Rows.Data), []string{}
	for _, row := range rows.Rows {
		want = append(want, g.line(row))
	}
	return question{scripted.Call{Tool: "analyze_records", Arguments: map[string]any{"table": asked.Table, "where": asked.Where, "group_by": asked.GroupBy, "measures": measures,
		"having": asked.Having, "order_by": asked.OrderBy, "limit": asked.Limit}}, want, rows.HasMore, ""}
}

// named asks for the rows whose parent has a label, which may be that of nothing, of a record that the person may not read, or of several.
func (g *guarded) named(t *query.Table) []question {
	field := g.parent(t)
	_, rel, parent := g.leads(t.Name, field)
	if field == "" || parent == nil || len(g.full.Rows[parent.Name]) == 0 {
		return nil
	}
	label, ok := pick(g.r, g.full.Rows[parent.Name])[parent.RecordLabel].(string)
	if !ok {
		return nil
	}
	var keys []string
	for _, row := range g.seen.Rows[parent.Name] {
		if _, known := parent.Field(rel.To[0]); known && row[parent.RecordLabel] == label { // a label stands for a key that may be read
			text, _ := query.FormatValue(row[rel.To[0]])
			keys = append(keys, text)
		}
	}
	q := question{call: scripted.Call{Tool: "count_records", Arguments: map[string]any{"table": t.Name, "where": rel.Name + " == " + strconv.Quote(label)}}}
	switch len(keys) {
	case 0:
		q.says = "no record of `" + parent.Name + "` is called"
	case 1:
		q.want = []string{g.line([]query.Value{int64(len(g.holds(t.Name, field+" == "+keys[0])))})}
	default:
		q.says = field + " == " + keys[0] + " ("
	}
	return []question{q}
}

// parent is one of the foreign keys of one field; empty where there is none.
func (g *guarded) parent(t *query.Table) string {
	var list []string
	for _, f := range t.Fields {
		if _, ok := t.Parent(f.Name); ok {
			list = append(list, f.Name)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return pick(g.r, list)
}

// label is the text that stands for the label beside a key; empty where the key is no foreign key, or nothing names the record.
func (g *guarded) label(t *query.Table, key string) string {
	ref, ok := g.check(t.Name, key, false).(query.Ref)
	if !ok || ref.Path != nil {
		return ""
	}
	_, rel, parent := g.leads(ref.Table, ref.Field.Name)
	if parent == nil {
		return ""
	}
	return strings.TrimSuffix(key, ref.Field.Name) + rel.Name + "." + parent.RecordLabel
}

// leads is where a foreign key leads to; nil where that is nowhere, or nothing that may be read names the record.
func (g *guarded) leads(table, field string) (label query.Expr, rel query.Relation, parent *query.Table) {
	t, err := g.seen.Tables.Table(context.Background(), table)
	if err != nil {
		g.Fatal(err)
	}
	rel, ok := t.Parent(field)
	if !ok {
		return nil, rel, nil
	}
	if parent, err = g.seen.Tables.Table(context.Background(), rel.Table); err != nil {
		g.Fatal(err)
	}
	if label, err = g.seen.Check(parent.Name, parent.RecordLabel, false); parent.RecordLabel == "" || err != nil {
		return nil, rel, nil
	}
	return label, rel, parent
}

// whole asks for every column: the visible fields, and the labels of what foreign keys lead to.
func (g *guarded) whole(t *query.Table, where string) question {
	var columns []query.Expr
	for _, f := range t.Fields {
		columns = append(columns, g.value(t, f))
		if label, rel, parent := g.leads(t.Name, f.Name); parent != nil && !f.Secret {
			columns = append(columns, query.Rebase(label, nil, []query.Relation{rel}))
		}
	}
	rows := New([]query.Table{*t}, nil).ordered(t, g.holds(t.Name, where), nil)
	return question{scripted.Call{Tool: "query_records", Arguments: map[string]any{"table": t.Name, "where": where}}, g.lines(rows, columns...), false, ""}
}

// value is a field as it is returned: of a secret one, only whether it has a value.
func (g *guarded) value(t *query.Table, f query.Field) query.Expr {
	if !f.Secret {
		return query.Ref{Table: t.Name, Field: f}
	}
	return g.check(t.Name, fmt.Sprintf("%s != null ? %q : null", f.Name, deputy.HasValue), false)
}
