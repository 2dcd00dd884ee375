// Command sqlite compares the SQLite drivers that need no cgo under the statements that Deputy issues: readers beside one writer. The drivers take turns, each in a process of its own.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/deputy/bench/sqlite/load"
)

var names = [...]string{"modernc", "ncruces"}

var kinds = [...]string{"record", "list", "sum", "total", "turn", "events", "step"}

func main() {
	rounds := flag.Int("rounds", 5, "how often each driver takes its turn")
	during := flag.Duration("for", 5*time.Second, "how long each phase of a round lasts")
	flag.Parse()
	if err := run(context.Background(), *rounds, *during); err != nil {
		fmt.Fprintln(os.Stderr, "sqlite:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int, during time.Duration) error {
	dir, err := os.MkdirTemp("", "deputy-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	sizes, found := map[string]int64{}, map[string][]load.Report{}
	for _, name := range names {
		if sizes[name], err = build(ctx, name, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	for i := range rounds {
		for _, name := range names {
			r, err := one(ctx, filepath.Join(dir, name), during)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			found[name] = append(found[name], r)
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", i+1, rounds)
	}
	print(found, sizes)
	return nil
}

func build(ctx context.Context, name, into string) (int64, error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", into, "./"+name)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("building %s: %w\n%s", name, err, out)
	}
	info, err := os.Stat(into)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func one(ctx context.Context, binary string, during time.Duration) (r load.Report, err error) {
	cmd := exec.CommandContext(ctx, binary, "-for", during.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}

// print writes the tables of docs/benchmarks.md: medians of the rounds.
func print(found map[string][]load.Report, sizes map[string]int64) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	defer func() { _ = w.Flush() }()
	_, _ = fmt.Fprint(w, "| driver\t| SQLite\t| reads/s alone\t| steps/s alone\t| reads/s beside the writer\t| steps/s beside the readers\t| MB resident\t| MB binary\t|\n|---\t|---\t|---:\t|---:\t|---:\t|---:\t|---:\t|---:\t|\n")
	for _, name := range names {
		all := found[name]
		_, _ = fmt.Fprintf(w, "| %s\t| %s\t", name, all[0].SQLite)
		for _, of := range []func(load.Report) float64{
			func(r load.Report) float64 { return r.ReadsAlone }, func(r load.Report) float64 { return r.StepsAlone },
			func(r load.Report) float64 { return r.Reads }, func(r load.Report) float64 { return r.Steps },
		} {
			_, _ = fmt.Fprintf(w, "| %.0f\t", median(all, of))
		}
		_, _ = fmt.Fprintf(w, "| %.1f\t| %.1f\t|\n", median(all, func(r load.Report) float64 { return float64(r.Resident) / (1 << 20) }), float64(sizes[name])/(1<<20))
	}
	_, _ = fmt.Fprintf(w, "\n| p99 in ms, all at once\t| %s\t|\n|---\t%s|\n", strings.Join(kinds[:], "\t| "), strings.Repeat("| ---:\t", len(kinds)))
	for _, name := range names {
		_, _ = fmt.Fprintf(w, "| %s\t", name)
		for _, kind := range kinds {
			_, _ = fmt.Fprintf(w, "| %.2f\t", median(found[name], func(r load.Report) float64 { return r.P99[kind] }))
		}
		_, _ = fmt.Fprint(w, "|\n")
	}
}

func median(all []load.Report, of func(load.Report) float64) float64 {
	var values []float64
	for _, r := range all {
		values = append(values, of(r))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
