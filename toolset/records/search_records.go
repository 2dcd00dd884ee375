package records

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

//go:embed search_records.md
var searchRecordsText string

// mostSearched is how many tables one search looks in: one question each.
const mostSearched = 25

// mostFound is how much of a field is shown, in characters.
const mostFound = 120

type searchRecordsIn struct {
	Term   string   `json:"term"`
	Tables []string `json:"tables,omitzero"`
	Limit  int      `json:"limit,omitzero"`
}

// Unsearched says, beside the rows of search_records, where it did not look.
type Unsearched struct {
	// Tables are those that were named and have no search fields that this person may read.
	Tables []string `json:"not_searched,omitempty"`
	Note   string   `json:"note,omitzero"`
}

func searchRecords() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "search_records", Label: "Searched records", Description: strings.TrimSpace(searchRecordsText),
		Operation: "GET /search", Offered: func(ctx context.Context, v *deputy.View) (bool, error) {
			return anyTable(ctx, v, func(t *query.Table) bool { return len(searched(t)) > 0 })
		},
	}, runSearchRecords)
}

// hit is a record that was found.
type hit struct {
	rank  int64
	at    int // the table's place
	label query.Value
	row   []query.Value
}

func runSearchRecords(ctx context.Context, s *deputy.Scope, in searchRecordsIn) (deputy.Result, error) {
	look, err := readTerm(in.Term)
	switch {
	case err != nil:
		return deputy.Result{}, err
	case len(look.words) == 0:
		return deputy.Result{}, deputy.Errorf(deputy.Invalid, "`term` is empty: give a word or two of what is looked for, or list rows with query_records")
	case in.Limit < 0:
		return deputy.Result{}, deputy.Errorf(deputy.Invalid, "`limit` must not be negative")
	}
	tables, not, err := toSearch(ctx, s.View(), in.Tables)
	if err != nil {
		return deputy.Result{}, err
	}
	most := s.Window(in.Limit, usualRows)
	out := query.Rows{Columns: foundColumns()}
	var hits []hit
	for i, t := range tables {
		some, more, err := look.in(ctx, s.View(), t, i, most)
		if err != nil {
			return deputy.Result{}, err
		}
		hits, out.HasMore = append(hits, some...), out.HasMore || more
	}
	slices.SortStableFunc(hits, bestFirst)
	out.HasMore = out.HasMore || len(hits) > most
	for _, h := range hits[:min(len(hits), most)] {
		out.Rows = append(out.Rows, h.row)
	}
	return deputy.Result{Rows: &out, Value: not}, nil
}

// toSearch are the tables that are meant, those to be searched; none named means all, by name, as many as are searched at once.
func toSearch(ctx context.Context, v *deputy.View, names []string) (tables []*query.Table, not Unsearched, err error) {
	if len(names) == 0 {
		return allSearched(ctx, v)
	}
	var once []string
	for _, name := range names {
		if slices.Contains(once, name) {
			continue
		}
		t, err := v.Table(ctx, name)
		if err != nil {
			return nil, not, err
		}
		once = append(once, name)
		if len(searched(t)) == 0 {
			not.Tables = append(not.Tables, name)
			continue
		}
		tables = append(tables, t)
	}
	switch {
	case len(tables) == 0:
		return nil, not, deputy.Errorf(deputy.Invalid, "no search fields in %s: ask query_records with a condition like x.contains(\"…\")", strings.Join(not.Tables, ", "))
	case len(tables) > mostSearched:
		return nil, not, deputy.Errorf(deputy.Invalid, "`tables` names %d tables, more than %d: name those where it may be, or none", len(tables), mostSearched)
	}
	return tables, not, nil
}

func allSearched(ctx context.Context, v *deputy.View) (tables []*query.Table, not Unsearched, err error) {
	err = eachTable(ctx, v, func(t *query.Table) bool {
		switch {
		case len(searched(t)) == 0:
		case len(tables) == mostSearched:
			not.Note = fmt.Sprintf("Only %d tables were searched, %s to %s: name others in `tables`.", mostSearched, tables[0].Name, tables[mostSearched-1].Name)
			return false
		default:
			tables = append(tables, t)
		}
		return true
	})
	return tables, not, err
}

// foundColumns are the one form of what a search finds, in one table or in several.
func foundColumns() []query.Column {
	return []query.Column{textColumn("table", "Table"), textColumn("id", "ID"), textColumn("label", "Label"), textColumn("field", "Field"), textColumn("text", "Text")}
}

// textColumn is a column of texts that are no field's.
func textColumn(as, label string) query.Column {
	return query.Column{As: as, Label: label, Expr: query.Lit{T: query.String}}
}

// in finds the best records of one table, as many as are wanted at most, with one question.
func (look term) in(ctx context.Context, v *deputy.View, t *query.Table, at, most int) (hits []hit, more bool, err error) {
	fields := searched(t)
	is, ok := look.found(fields)
	if !ok {
		return nil, false, nil
	}
	label, err := labelOf(ctx, v, t)
	if err != nil {
		return nil, false, err
	}
	rank := look.rank(with(fields, label))
	q := query.Query{Table: t.Name, Where: is, Limit: most, Order: []query.Order{{Expr: rank}},
		Select: []query.Column{{As: "rank", Expr: rank}, {As: "field", Expr: look.where(fields)}}}
	if label == nil {
		label = query.Lit{T: query.String}
	} else {
		q.Order = append(q.Order, query.Order{Expr: label})
	}
	q.Select = append(q.Select, query.Column{As: "label", Expr: label})
	for _, f := range fields {
		if f.Type() == query.String {
			f = op("substring", f, number(1), number(mostFound+1))
		}
		q.Select = append(q.Select, query.Column{As: "text", Expr: f})
	}
	for _, name := range t.Key {
		f, _ := t.Field(name)
		q.Select = append(q.Select, query.Column{As: name, Expr: query.Ref{Table: t.Name, Field: f}})
	}
	rows, err := v.Query(ctx, q)
	for _, row := range rows.Rows {
		hits = append(hits, hitOf(t, fields, at, row))
	}
	return hits, rows.HasMore, err
}

// where is the place, from 0, of the first field that has one of the words in it.
func (look term) where(fields []query.Expr) query.Expr {
	out := number(0)
	for i := len(fields) - 1; i > 0; i-- {
		out = choose(look.here(fields[i]), number(int64(i)), out)
	}
	return choose(look.here(fields[0]), number(0), out)
}

// hitOf reads a row of rank, field, label, the texts of the fields, and the key.
func hitOf(t *query.Table, fields []query.Expr, at int, row []query.Value) hit {
	h := hit{at: at, label: row[2]}
	h.rank, _ = row[0].(int64)
	n, _ := row[1].(int64)
	n = min(max(n, 0), int64(len(fields)-1))
	field, _ := fields[n].(query.Ref)
	h.row = []query.Value{t.Name, recordID(row[3+len(fields):]), cell(row[2]), field.Field.Name, cell(row[3+n])}
	return h
}

// recordID is NULL where a table has no key that this person may read.
func recordID(key []query.Value) query.Value {
	var texts []string
	for _, v := range key {
		text, ok := query.FormatValue(v)
		if !ok {
			return nil
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return nil
	}
	return query.RecordID(texts)
}

// cell is a value as a text, cut to what is shown.
func cell(v query.Value) query.Value {
	text, ok := query.FormatValue(v)
	if !ok {
		return nil
	}
	if rs := []rune(text); len(rs) > mostFound {
		return string(rs[:mostFound]) + "…"
	}
	return text
}

// bestFirst orders what was found over all tables as each table orders its own: by rank, by label. Labels that are no texts have no order
// among those of other tables: they stay as they came, behind the texts.
func bestFirst(a, b hit) int {
	x, isText := a.label.(string)
	y, both := b.label.(string)
	switch c := cmp.Compare(a.rank, b.rank); {
	case c != 0:
		return c
	case isText && both && x != y:
		return cmp.Compare(x, y)
	case labelKind(a.label) != labelKind(b.label):
		return cmp.Compare(labelKind(a.label), labelKind(b.label))
	}
	return cmp.Compare(a.at, b.at)
}

func labelKind(v query.Value) int {
	switch v.(type) {
	case string:
		return 0
	case nil:
		return 2
	}
	return 1
}
