package demo

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// table is the rows of one table, ready to be written.
type table struct {
	name    string
	columns []string
	rows    [][]any
}

// table begins a table; columns are separated by blanks.
func (b *business) table(name, columns string) *table {
	t := &table{name: name, columns: strings.Fields(columns)}
	b.tables = append(b.tables, t)
	return t
}

// add appends a row. The first column is the id, which counts from 1 and is returned.
func (t *table) add(values ...any) int {
	id := len(t.rows) + 1
	t.rows = append(t.rows, append([]any{id}, values...))
	return id
}

// batch is how many rows one statement inserts.
const batch = 64

func (b *business) write(ctx context.Context, tx *sql.Tx) error {
	for _, t := range b.tables {
		if err := t.write(ctx, tx); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

func (t *table) write(ctx context.Context, tx *sql.Tx) error {
	whole, err := tx.PrepareContext(ctx, t.insert(batch))
	if err != nil {
		return err
	}
	defer func() { _ = whole.Close() }()
	rows := t.rows
	for ; len(rows) >= batch; rows = rows[batch:] {
		if _, err := whole.ExecContext(ctx, flat(rows[:batch])...); err != nil {
			return err
		}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err = tx.ExecContext(ctx, t.insert(len(rows)), flat(rows)...)
	return err
}

func (t *table) insert(rows int) string {
	one := "(" + strings.TrimSuffix(strings.Repeat("?,", len(t.columns)), ",") + ")"
	return "INSERT INTO " + t.name + " (" + strings.Join(t.columns, ", ") + ") VALUES " + strings.TrimSuffix(strings.Repeat(one+",", rows), ",")
}

func flat(rows [][]any) []any {
	var out []any
	for _, r := range rows {
		out = append(out, r...)
	}
	return out
}
