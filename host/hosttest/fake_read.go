package hosttest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

// Catalog implements deputy.Host; it is the same for everybody.
func (f *Fake) Catalog(ctx context.Context, as deputy.Person) (query.Catalog, error) {
	if err := f.record(ctx, Asked{Person: as, Method: Catalog}); err != nil {
		return nil, err
	}
	return catalog{f}, nil
}

type catalog struct{ f *Fake }

func (c catalog) Features() query.Features { return c.f.features }

func (c catalog) Table(_ context.Context, name string) (*query.Table, error) { return c.f.table(name) }

func (c catalog) Tables(_ context.Context, term, after string) ([]query.Summary, error) {
	var out []query.Summary
	term = strings.ToLower(term)
	for _, t := range c.f.tables {
		found := strings.Contains(strings.ToLower(t.Name), term) || strings.Contains(strings.ToLower(t.Label), term)
		if t.Name > after && found && len(out) < query.TablePage {
			out = append(out, query.Summary{Name: t.Name, Label: t.Label, Comment: t.Comment, View: t.View})
		}
	}
	return out, nil
}

func byName(a, b query.Table) int { return cmp.Compare(a.Name, b.Name) }

// Query implements deputy.Host.
func (f *Fake) Query(ctx context.Context, as deputy.Person, q query.Query) (query.Rows, error) {
	if err := f.record(ctx, Asked{Person: as, Method: Query, Table: q.Table, Query: q}); err != nil {
		return query.Rows{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	t, err := f.table(q.Table)
	if err != nil {
		return query.Rows{}, err
	}
	rows := f.ordered(t, f.where(t, q.Where), q.Order)
	rows = rows[min(q.Offset, len(rows)):]
	out := query.Rows{Columns: q.Select, HasMore: len(rows) > q.Limit}
	for _, row := range rows[:min(q.Limit, len(rows))] {
		out.Rows = append(out.Rows, f.values(row, q.Select))
		if q.Version != nil {
			out.Versions = append(out.Versions, version(row, q.Version))
		}
	}
	return out, nil
}

func (f *Fake) where(t *query.Table, where query.Expr) []query.Row {
	var out []query.Row
	for _, row := range f.rows[t.Name] {
		if f.holds(where, row) {
			out = append(out, row)
		}
	}
	return out
}

func (f *Fake) holds(condition query.Expr, row query.Row) bool {
	return condition == nil || query.Eval(condition, row, f.data) == true
}

func (f *Fake) values(row query.Row, columns []query.Column) []query.Value {
	out := make([]query.Value, len(columns))
	for i, c := range columns {
		out[i] = query.Eval(c.Expr, row, f.data)
	}
	return out
}

func version(row query.Row, fields []string) string {
	values := make([]query.Value, len(fields))
	for i, name := range fields {
		values[i] = row[name]
	}
	return query.Version(values)
}

// ordered sorts rows by the orders, NULL last, ties by the key.
func (f *Fake) ordered(t *query.Table, rows []query.Row, orders []query.Order) []query.Row {
	type keyed struct {
		row  query.Row
		keys []query.Value
	}
	all := make([]keyed, len(rows))
	for i, row := range rows {
		all[i].row = row
		for _, o := range orders {
			all[i].keys = append(all[i].keys, query.Eval(o.Expr, row, f.data))
		}
		for _, name := range t.Key {
			all[i].keys = append(all[i].keys, row[name])
		}
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		for i := range a.keys {
			if c := nullsLast(a.keys[i], b.keys[i], i < len(orders) && orders[i].Desc); c != 0 {
				return c
			}
		}
		return 0
	})
	out := make([]query.Row, len(all))
	for i := range all {
		out[i] = all[i].row
	}
	return out
}

func nullsLast(a, b query.Value, desc bool) int {
	if a == nil || b == nil {
		return cmp.Compare(rank(a), rank(b))
	}
	c, _ := query.Compare(a, b)
	if desc {
		c = -c
	}
	return c
}

func rank(v query.Value) int {
	if v == nil {
		return 1
	}
	return 0
}

// Analyze implements deputy.Host.
func (f *Fake) Analyze(ctx context.Context, as deputy.Person, a query.Analysis) (query.Rows, error) {
	if err := f.record(ctx, Asked{Person: as, Method: Analyze, Table: a.Table, Figure: a}); err != nil {
		return query.Rows{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	t, err := f.table(a.Table)
	if err != nil {
		return query.Rows{}, err
	}
	if len(a.GroupBy)+len(a.Measures) == 0 {
		return query.Rows{}, deputy.Errorf(deputy.Invalid, "The analysis asks for nothing.")
	}
	return a.Eval(f.rows[t.Name], f.data), nil
}
