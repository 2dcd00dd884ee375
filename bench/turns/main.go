// Command turns measures a whole turn over HTTP, events included, in three servers that say the same: a floor of net/http alone, Deputy, and charm.land/fantasy. They take turns, so that what else the machine does hits all alike.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/deputy/bench/turns/fake"
)

type options struct {
	source  string
	rounds  int
	during  time.Duration
	streams int
	pieces  []int
	profile string
}

func main() {
	o := options{pieces: []int{12, 80, 200}}
	flag.StringVar(&o.source, "source", "bench/turns", "the folder of this command")
	flag.IntVar(&o.rounds, "rounds", 5, "how often each server takes its turn")
	flag.DurationVar(&o.during, "for", 3*time.Second, "how long each measurement lasts")
	flag.IntVar(&o.streams, "streams", 1000, "how many streams are open while memory is measured")
	flag.StringVar(&o.profile, "profile", "", "file for a CPU profile of Deputy, in the last round")
	flag.Func("pieces", "sizes of the answer, in pieces of a word, as 12,80,200; memory is measured with the first", func(list string) error {
		o.pieces = nil
		for text := range strings.SplitSeq(list, ",") {
			n, err := strconv.Atoi(text)
			if err != nil || n < 3 {
				return fmt.Errorf("%q is no number of at least 3", text)
			}
			o.pieces = append(o.pieces, n)
		}
		return nil
	})
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "turns:", err)
		os.Exit(1)
	}
}

// people are how many ask at once.
var people = [...]int{1, 16}

// found is what was measured of each server: by the size of the answer, by people, a value a round.
type found struct {
	speeds map[string]map[int]map[int][]speed
	spaces map[string][]space
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "deputy-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := build(ctx, o.source, dir); err != nil {
		return err
	}
	f := found{map[string]map[int]map[int][]speed{}, map[string][]space{}}
	for _, name := range names {
		f.speeds[name] = map[int]map[int][]speed{}
		for _, n := range o.pieces {
			f.speeds[name][n] = map[int][]speed{}
		}
	}
	for i := range o.rounds {
		for _, n := range o.pieces {
			if err := f.round(ctx, o, dir, n, i == o.rounds-1); err != nil {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", i+1, o.rounds)
	}
	f.print(o)
	return nil
}

// round measures every server once, each in a new process.
func (f found) round(ctx context.Context, o options, dir string, pieces int, last bool) error {
	answer := filepath.Join(dir, "answer.json")
	a := fake.Sized(pieces)
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := os.WriteFile(answer, text, 0o600); err != nil {
		return err
	}
	word := strings.TrimSpace(a.After[len(a.After)-1])
	for _, name := range names {
		profile := ""
		if name == "deputy" && last && pieces == o.pieces[0] {
			profile = o.profile
		}
		if err := f.speed(ctx, o, filepath.Join(dir, name), answer, profile, word, pieces); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if pieces != o.pieces[0] {
		return nil
	}
	for _, name := range names {
		if err := f.space(ctx, o, filepath.Join(dir, name), answer, word); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (f found) speed(ctx context.Context, o options, binary, answer, profile, word string, pieces int) error {
	s, err := start(ctx, binary, answer, profile)
	if err != nil {
		return err
	}
	defer func() { _ = s.stop() }()
	if _, err := ask(s, 4, word, o.during/5); err != nil { // warm
		s.complain()
		return err
	}
	into := f.speeds[filepath.Base(binary)][pieces]
	for _, n := range people {
		v, err := ask(s, n, word, o.during)
		if err != nil {
			s.complain()
			return err
		}
		into[n] = append(into[n], v)
	}
	if profile != "" {
		return s.profiled()
	}
	return nil
}

func (f found) space(ctx context.Context, o options, binary, answer, word string) error {
	s, err := start(ctx, binary, answer, "")
	if err != nil {
		return err
	}
	defer func() { _ = s.stop() }()
	v, err := hold(s, o.streams, word, o.during/3)
	if err != nil {
		s.complain()
	}
	f.spaces[filepath.Base(binary)] = append(f.spaces[filepath.Base(binary)], v)
	return err
}

// print writes the tables of docs/benchmarks.md: medians of the rounds.
func (f found) print(o options) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	defer func() { _ = w.Flush() }()
	_, _ = fmt.Fprint(w, "| answer\t| at once\t| server\t| turns/s\t| ms a turn\t| median ms\t| p99 ms\t| CPU ms a turn\t| time to floor\t|\n|---\t|---:\t|---\t|---:\t|---:\t|---:\t|---:\t|---:\t|---:\t|\n")
	for _, pieces := range o.pieces {
		for _, n := range people {
			for _, name := range names {
				s := middle(f.speeds[name][pieces][n])
				_, _ = fmt.Fprintf(w, "| %d pieces\t| %d\t| %s\t| %.0f\t| %s\t| %s\t| %s\t| %s\t| %.2f\t|\n", pieces, n, name, s.perSecond, ms(s.perTurn(n)), ms(s.median), ms(s.p99), ms(s.cpu),
					f.toFloor(name, pieces, n))
			}
		}
	}
	_, _ = fmt.Fprintf(w, "\n| server\t| MB after some turns\t| MB with %d streams\t| KB a stream\t| memory to floor\t|\n|---\t|---:\t|---:\t|---:\t|---:\t|\n", o.streams)
	floor := medianOf(f.spaces["floor"], func(s space) int { return s.open })
	for _, name := range names {
		idle, open := medianOf(f.spaces[name], func(s space) int { return s.idle }), medianOf(f.spaces[name], func(s space) int { return s.open })
		_, _ = fmt.Fprintf(w, "| %s\t| %.1f\t| %.1f\t| %.1f\t| %.2f\t|\n", name, float64(idle)/(1<<20), float64(open)/(1<<20), float64(open-idle)/float64(o.streams)/(1<<10), float64(open)/float64(floor))
	}
}

// toFloor is the time per turn beside the floor's in the same round.
func (f found) toFloor(name string, pieces, people int) float64 {
	var ratios []float64
	for i, s := range f.speeds[name][pieces][people] {
		ratios = append(ratios, f.speeds["floor"][pieces][people][i].perSecond/s.perSecond)
	}
	return medianOf(ratios, func(r float64) float64 { return r })
}

// middle is the median of each figure.
func middle(all []speed) speed {
	return speed{medianOf(all, func(s speed) float64 { return s.perSecond }), medianOf(all, func(s speed) time.Duration { return s.median }),
		medianOf(all, func(s speed) time.Duration { return s.p99 }), medianOf(all, func(s speed) time.Duration { return s.cpu })}
}

func medianOf[S any, T int | float64 | time.Duration](all []S, of func(S) T) T {
	var values []T
	for _, s := range all {
		values = append(values, of(s))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.3f", float64(d)/float64(time.Millisecond)) }
