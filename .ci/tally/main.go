// Command tally reads the output of go test -json: it shows what failed and a line for each package, counts, and fails if anything did. With
// CI=true nothing may skip but what needs the data of ../shared.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

type tally struct {
	passed, failed, skipped int
	output                  map[string]*strings.Builder // by package and test
	wrongSkips              []string
	broken                  bool // a package that does not build, or fails outside of a test
	strict, part            bool
	out                     io.Writer
}

func main() {
	t := tally{output: map[string]*strings.Builder{}, strict: os.Getenv("CI") == "true", part: os.Getenv("TALLY") != "", out: os.Stdout}
	if err := t.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(1)
	}
	good := t.good()
	t.keep(os.Getenv("TALLY"))
	if !good {
		os.Exit(1)
	}
}

func (t *tally) read(r io.Reader) error {
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				_, _ = fmt.Fprintf(t.out, "%s", line)
				t.broken = true
			}
			t.see(e)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (t *tally) see(e event) {
	key := e.Package + " " + e.Test
	if e.Package == "" {
		key = e.ImportPath + " "
	}
	switch e.Action {
	case "output", "build-output":
		if t.output[key] == nil {
			t.output[key] = &strings.Builder{}
		}
		t.output[key].WriteString(e.Output)
		return
	case "build-fail":
		t.broken = true
		t.show(key)
		return
	case "pass", "fail", "skip":
	default:
		return
	}
	if e.Test == "" {
		t.packageEnds(e, key)
	} else {
		t.testEnds(e, key)
	}
	delete(t.output, key)
}

func (t *tally) packageEnds(e event, key string) {
	switch e.Action {
	case "fail":
		t.broken = true
		t.show(key)
		_, _ = fmt.Fprintf(t.out, "FAIL %s %.1fs\n", e.Package, e.Elapsed)
	case "pass":
		_, _ = fmt.Fprintf(t.out, "ok   %s %.1fs\n", e.Package, e.Elapsed)
	}
}

func (t *tally) testEnds(e event, key string) {
	switch e.Action {
	case "pass":
		t.passed++
	case "fail":
		t.failed++
		t.show(key)
	case "skip":
		t.skipped++
		why := ""
		if b := t.output[key]; b != nil {
			why = b.String()
		}
		if !strings.Contains(why, "../shared") {
			t.wrongSkips = append(t.wrongSkips, key+": "+strings.Join(strings.Fields(why), " "))
		}
	}
}

func (t *tally) show(key string) {
	if b := t.output[key]; b != nil {
		_, _ = fmt.Fprint(t.out, b.String())
	}
}

// good says the totals, and whether nothing was wrong.
func (t *tally) good() bool {
	for _, s := range t.wrongSkips {
		_, _ = fmt.Fprintf(t.out, "skipped: %s\n", s)
	}
	if t.broken && t.failed == 0 {
		t.failed = 1 // a package that does not build
	}
	form := "%d passed, %d failed, %d skipped\n"
	if t.part {
		form = "%d tests passed, %d failed, %d were skipped\n" // one of several: the sum comes at the end
	}
	_, _ = fmt.Fprintf(t.out, form, t.passed, t.failed, t.skipped)
	if t.strict && len(t.wrongSkips) > 0 {
		_, _ = fmt.Fprintln(t.out, "with CI=true only what needs ../shared may skip")
		return false
	}
	return !t.broken && t.failed == 0 && t.passed > 0
}

// keep adds the totals to a file, for the sum at the end.
func (t *tally) keep(path string) {
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		return
	}
	_, _ = fmt.Fprintln(f, t.passed, t.failed, t.skipped)
	_ = f.Close()
}
