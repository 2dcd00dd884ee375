package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"example.com/deputy"
)

// tx is a transaction of the writer.
type tx struct {
	ctx   context.Context
	store *store
}

// write runs do in one transaction: all it does is stored, or nothing. The end of ctx ends the wait for the writer's turn; what has
// begun is finished.
func (s *store) write(ctx context.Context, what string, do func(tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.writing <- struct{}{}:
	case <-s.closed:
		return deputy.Errorf(deputy.Unavailable, "The store is closed.")
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.writing }()
	if err := ctx.Err(); err != nil { // both were ready
		return err
	}
	t := tx{context.WithoutCancel(ctx), s}
	done := false
	defer func() {
		if !done {
			_, _ = t.exec(`ROLLBACK`)
		}
	}()
	if _, err := t.exec(`BEGIN IMMEDIATE`); err != nil {
		return failed(what, err)
	}
	if err := do(t); err != nil {
		return failed(what, err)
	}
	_, err := t.exec(`COMMIT`)
	done = err == nil
	return failed(what, err)
}

// prepare gives a statement, prepared once.
func (t tx) prepare(query string) (*sql.Stmt, error) {
	if stmt, ok := t.store.written[query]; ok {
		return stmt, nil
	}
	stmt, err := t.store.writer.PrepareContext(t.ctx, query)
	if err == nil {
		t.store.written[query] = stmt
	}
	return stmt, err
}

// exec says how many rows it changed.
func (t tx) exec(query string, args ...any) (int64, error) {
	stmt, err := t.prepare(query)
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(t.ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// get reads one row; sql.ErrNoRows where there is none.
func (t tx) get(query string, args []any, into ...any) error {
	stmt, err := t.prepare(query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(t.ctx, args...).Scan(into...)
}

// list reads rows inside a transaction.
func (t tx) list(query string, args []any, scan func(scanner) error) error {
	stmt, err := t.prepare(query)
	if err != nil {
		return err
	}
	return each(t.ctx, stmt, args, scan)
}

// scanner is a row.
type scanner interface{ Scan(into ...any) error }

// list reads rows, outside any transaction.
func (s *store) list(ctx context.Context, what, query string, args []any, scan func(scanner) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return failed(what, err)
	}
	return failed(what, each(ctx, stmt, args, scan))
}

// get reads one row; not_found, naming what, where there is none.
func (s *store) get(ctx context.Context, what, query string, args []any, scan func(scanner) error) error {
	found := false
	err := s.list(ctx, what, query, args, func(row scanner) error {
		found = true
		return scan(row)
	})
	if err == nil && !found {
		return missing(what)
	}
	return err
}

func (s *store) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt, ok := s.read.Load(query); ok {
		return stmt.(*sql.Stmt), nil
	}
	stmt, err := s.readers.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if first, raced := s.read.LoadOrStore(query, stmt); raced {
		return first.(*sql.Stmt), stmt.Close()
	}
	return stmt, nil
}

func each(ctx context.Context, stmt *sql.Stmt, args []any, scan func(scanner) error) error {
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := scan(rows); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// failed says which work failed. Deputy's own errors and those of the context stay as they are.
func failed(what string, err error) error {
	var own *deputy.Error
	var e *driver.Error
	switch {
	case err == nil, errors.As(err, &own), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &e) && e.Code()&0xff == codes.SQLITE_BUSY:
		return &deputy.Error{Code: deputy.Unavailable, Message: "The store is busy. Try again.", Cause: err}
	}
	return fmt.Errorf("sqlite store: %s: %w", what, err)
}

// taken says whether an insert met a row that is there already.
func taken(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code()&0xff == codes.SQLITE_CONSTRAINT
}

func missing(what string) error { return deputy.Errorf(deputy.NotFound, "There is no such %s.", what) }

// below is the exclusive upper bound of a list; 0 is none.
func below(before int64) int64 {
	if before == 0 {
		return math.MaxInt64
	}
	return before
}
