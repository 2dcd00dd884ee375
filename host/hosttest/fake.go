// Package hosttest holds the contract of a host as a suite that every host runs, and a host in memory that passes it and records what
// it was asked.
package hosttest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"example.com/deputy"
	"example.com/deputy/query"
)

// Method names one of the requests that a host answers.
type Method string

// The methods.
const (
	Catalog Method = "catalog"
	Query   Method = "query"
	Analyze Method = "analyze"
	Apply   Method = "apply"
)

// Asked is one request that the host was asked.
type Asked struct {
	Person deputy.Person
	Turn   string // that it was asked for
	Method Method
	Table  string // of a question; of the first write
	Query  query.Query
	Figure query.Analysis
	Key    string // idempotency key of the writes
	Writes []deputy.Write
}

// Fake is a host in memory: it answers with query.Eval over its rows, records every request, and can be told to fail or to wait. It is
// safe for concurrent use.
type Fake struct {
	features query.Features
	tables   []query.Table // by name

	mu       sync.Mutex
	rows     map[string][]query.Row
	asked    []Asked
	catalogs int
	fail     map[Method]error
	lose     error
	hold     map[Method]*gate
	next     int64 // the last key made
}

var _ deputy.Host = (*Fake)(nil)

// New makes a host of tables and their rows, by table name. Both are copied. Its features are transactions and aggregates.
func New(tables []query.Table, rows map[string][]query.Row) *Fake {
	f := &Fake{
		features: query.Features{Transactions: true, Aggregates: true},
		tables:   slices.Clone(tables), rows: clone(rows),
		fail: map[Method]error{}, hold: map[Method]*gate{},
	}
	slices.SortFunc(f.tables, byName)
	return f
}

// WithoutTransactions is the same host unable to make a group of writes all or nothing: it stops at the first failure.
func (f *Fake) WithoutTransactions() *Fake {
	f.features.Transactions = false
	return f
}

func clone(rows map[string][]query.Row) map[string][]query.Row {
	out := make(map[string][]query.Row, len(rows))
	for name, rs := range rows {
		out[name] = copyRows(rs)
	}
	return out
}

func copyRows(rows []query.Row) []query.Row {
	out := make([]query.Row, len(rows))
	for i, r := range rows {
		out[i] = maps.Clone(r)
	}
	return out
}

// Asked lists the requests about rows so far, in their order: queries, analyses and writes, also those that failed. Requests for the
// catalog are only counted, see Catalogs.
func (f *Fake) Asked() []Asked {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked)
}

// Catalogs is how often the catalog was asked for.
func (f *Fake) Catalogs() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.catalogs
}

// Forget empties the record.
func (f *Fake) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked, f.catalogs = nil, 0
}

// Rows is a copy of the rows of a table, as they are now.
func (f *Fake) Rows(table string) []query.Row {
	f.mu.Lock()
	defer f.mu.Unlock()
	return copyRows(f.rows[table])
}

// Change gives the rows of a table to change and keeps what is returned: somebody else writes, unrecorded.
func (f *Fake) Change(table string, change func([]query.Row) []query.Row) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows[table] = copyRows(change(copyRows(f.rows[table])))
}

// Fail makes every request of a method return err, having done nothing; nil ends it.
func (f *Fake) Fail(m Method, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail[m] = err
}

// LoseAnswer makes the next Apply write as it should and return err all the same.
func (f *Fake) LoseAnswer(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lose = err
}

type gate struct {
	arrived chan struct{}
	open    chan struct{}
}

// Hold makes every request of a method wait, once it is recorded, until release is called or its context ends. arrived gets one
// signal for each that waits.
func (f *Fake) Hold(m Method) (arrived <-chan struct{}, release func()) {
	g := &gate{arrived: make(chan struct{}, 1024), open: make(chan struct{})}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hold[m] = g
	return g.arrived, sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.hold[m] == g {
			delete(f.hold, m)
		}
		close(g.open)
	})
}

// record notes a request, waits where it is held, and answers the error it is to return.
func (f *Fake) record(ctx context.Context, a Asked) error {
	a.Turn = deputy.TurnOf(ctx)
	f.mu.Lock()
	if a.Method == Catalog {
		f.catalogs++
	} else {
		f.asked = append(f.asked, a)
	}
	g := f.hold[a.Method]
	f.mu.Unlock()
	if g != nil {
		g.arrived <- struct{}{}
		select {
		case <-g.open:
		case <-ctx.Done():
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(ctx.Err(), f.fail[a.Method])
}

// data finds the rows behind a relation. The lock is held.
func (f *Fake) data(from query.Row, r query.Relation) []query.Row {
	if len(r.From) == 0 {
		return f.rows[r.Table]
	}
	if from == nil {
		return nil
	}
	var out []query.Row
	for _, row := range f.rows[r.Table] {
		if linked(from, row, r) {
			out = append(out, row)
		}
	}
	return out
}

func linked(from, to query.Row, r query.Relation) bool {
	for i := range r.From {
		if c, ok := query.Compare(from[r.From[i]], to[r.To[i]]); !ok || c != 0 {
			return false
		}
	}
	return true
}

func (f *Fake) table(name string) (*query.Table, error) {
	i, ok := slices.BinarySearchFunc(f.tables, query.Table{Name: name}, byName)
	if !ok {
		return nil, query.ErrUnknown
	}
	return &f.tables[i], nil
}
