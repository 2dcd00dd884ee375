// Package load asks a SQLite driver what Deputy asks one: the statements of its host and of its store, by some readers and one writer at once.
package load

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Driver opens a database through database/sql. Each connection first runs the pragmas, and has a function kept(x) of Go's, which
// answers its argument: Deputy's host has such functions, for what SQLite computes otherwise.
type Driver func(path string, pragmas ...string) (*sql.DB, error)

// Report is what one run found.
type Report struct {
	SQLite     string             `json:"sqlite"`
	ReadsAlone float64            `json:"reads_alone"` // a second
	StepsAlone float64            `json:"steps_alone"` // transactions a second
	Reads      float64            `json:"reads"`       // a second, of readers and writer at once
	Steps      float64            `json:"steps"`       // likewise
	P99        map[string]float64 `json:"p99"`         // ms, likewise, by kind
	Resident   int                `json:"resident"`    // bytes, at the end
}

const (
	customers = 500
	orders    = 6000
	lines     = 20000
	readers   = 4
	every     = 5 * time.Millisecond // a step, beside the readers
)

// Main is a driver's main function: it runs the load and prints a report as JSON.
func Main(open Driver) {
	during := flag.Duration("for", time.Second, "how long each phase lasts")
	flag.Parse()
	report, err := run(context.Background(), open, *during)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(report)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, open Driver, during time.Duration) (r Report, err error) {
	dir, err := os.MkdirTemp("", "deputy-bench-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "load.db")
	writes, err := open(path, "busy_timeout(5000)", "journal_mode(wal)", "synchronous(normal)", "foreign_keys(1)")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, writes.Close()) }()
	writes.SetMaxOpenConns(1)
	if err := fill(ctx, writes); err != nil {
		return r, err
	}
	reads, err := open(path, "busy_timeout(5000)", "query_only(1)")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, reads.Close()) }()
	reads.SetMaxOpenConns(readers)
	reads.SetMaxIdleConns(readers)
	return measure(ctx, reads, writes, during)
}

func measure(ctx context.Context, reads, writes *sql.DB, during time.Duration) (r Report, err error) {
	if err := writes.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&r.SQLite); err != nil {
		return r, err
	}
	w, err := newWriter(ctx, writes)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for range 40 { // turns for the readers of the store to find
		if err := w.step(ctx); err != nil {
			return r, err
		}
	}
	if _, err := together(ctx, reads, w, during/4, 0); err != nil { // warm
		return r, err
	}
	alone, err := together(ctx, reads, nil, during, 0)
	if err != nil {
		return r, err
	}
	r.ReadsAlone, _ = rates(alone, during)
	steps, err := w.steps(ctx, time.Now().Add(during), 0)
	if err != nil {
		return r, err
	}
	_, r.StepsAlone = rates(steps, during)
	mixed, err := together(ctx, reads, w, during, every)
	if err != nil {
		return r, err
	}
	r.Reads, r.Steps = rates(mixed, during)
	r.P99 = map[string]float64{}
	for kind, times := range mixed {
		slices.Sort(times)
		r.P99[kind] = float64(times[len(times)*99/100]) / float64(time.Millisecond)
	}
	r.Resident, err = resident()
	return r, err
}

// rates are how many reads and steps a second there were.
func rates(all map[string][]time.Duration, during time.Duration) (reads, steps float64) {
	for kind, times := range all {
		if kind == "step" {
			steps += float64(len(times)) / during.Seconds()
		} else {
			reads += float64(len(times)) / during.Seconds()
		}
	}
	return reads, steps
}

// together lets the readers ask for a while, and the writer beside them where there is one: a step whenever one is due. It gives how long each question took, by kind.
func together(ctx context.Context, reads *sql.DB, w *writer, during, every time.Duration) (map[string][]time.Duration, error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var errs []error
	all, until := map[string][]time.Duration{}, time.Now().Add(during)
	add := func(times map[string][]time.Duration, err error) {
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, err)
		for kind, t := range times {
			all[kind] = append(all[kind], t...)
		}
	}
	for n := range readers {
		wg.Go(func() { add(ask(ctx, reads, n*997, until)) })
	}
	if w != nil {
		wg.Go(func() { add(w.steps(ctx, until, every)) })
	}
	wg.Wait()
	return all, errors.Join(errs...)
}

// resident is how much memory this process has, in bytes.
func resident() (int, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	var kb int
	_, err = fmt.Sscan(rest, &kb)
	return kb << 10, err
}
