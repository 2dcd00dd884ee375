// Package querytest helps to test what stands on package query: a catalog and rows in memory, and random tables, rules and expressions.
package querytest

import (
	"context"
	"slices"
	"strings"

	"example.com/deputy/query"
)

// Tables is a catalog in memory: every table it holds is shown.
type Tables []*query.Table

var _ query.Catalog = Tables(nil)

// Tables implements query.Catalog.
func (ts Tables) Tables(ctx context.Context, term, after string) ([]query.Summary, error) {
	term = strings.ToLower(term)
	var list []query.Summary
	for _, t := range ts {
		if t.Name > after && (strings.Contains(strings.ToLower(t.Name), term) || strings.Contains(strings.ToLower(t.Label), term)) {
			list = append(list, query.Summary{Name: t.Name, Label: t.Label, Comment: t.Comment, View: t.View})
		}
	}
	slices.SortFunc(list, func(a, b query.Summary) int { return strings.Compare(a.Name, b.Name) })
	return list[:min(len(list), query.TablePage)], ctx.Err()
}

// Table implements query.Catalog.
func (ts Tables) Table(ctx context.Context, name string) (*query.Table, error) {
	for _, t := range ts {
		if t.Name == name {
			return t, ctx.Err()
		}
	}
	return nil, query.ErrUnknown
}

// Features implements query.Catalog.
func (ts Tables) Features() query.Features {
	return query.Features{Transactions: true, Aggregates: true}
}

// Rows is a database in memory: the rows of each table, by its name.
type Rows map[string][]query.Row

// Data reads the rows as query.Eval wants them.
func (rs Rows) Data(from query.Row, r query.Relation) []query.Row {
	var out []query.Row
	for _, row := range rs[r.Table] {
		if related(from, row, r) {
			out = append(out, row)
		}
	}
	return out
}

func related(from, to query.Row, r query.Relation) bool {
	for i := range r.From {
		if c, ok := query.Compare(from[r.From[i]], to[r.To[i]]); !ok || c != 0 {
			return false
		}
	}
	return true
}

// Keep is the rows that each table's rule leaves; a rule sees all rows.
func (rs Rows) Keep(rules query.Rules) Rows {
	out := Rows{}
	for table, rows := range rs {
		rule := rules(table)
		for _, row := range rows {
			if query.Truth(query.Eval(rule, row, rs.Data)) {
				out[table] = append(out[table], row)
			}
		}
	}
	return out
}
