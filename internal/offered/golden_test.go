package offered

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/deputy/internal/strictrules"
)

// The files of testdata are looked through and written by hand: -update, which rewrites those of other packages, changes nothing here.
var _ = flag.Bool("update", false, "changes nothing: what models are told is looked through and copied by hand")

// golden compares what models are told with the file of the scenario. Where they differ, the new text is left outside of the repository, for
// a person who reads it and copies it if it is meant.
func golden(t *testing.T, s scenario, requests []request) {
	t.Helper()
	got := report(t, s, requests)
	path := filepath.Join("testdata", s.name+".txt")
	want, err := os.ReadFile(path)
	if err == nil && string(want) == got {
		return
	}
	left := filepath.Join(os.TempDir(), "deputy-offered", s.name+".txt")
	if err := os.MkdirAll(filepath.Dir(left), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(left, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Errorf("%s is not what models are told. Read the difference, and all of it; if it is meant:\n  cp %s %s\n%s",
		path, left, filepath.Join("internal/offered", path), difference(string(want), got))
}

// report is what a scenario's models are told, to be read.
func report(t *testing.T, s scenario, requests []request) string {
	t.Helper()
	var b strings.Builder
	core, all := cost(requests)
	fmt.Fprintf(&b, "%s\n%s\n%s\n\nDefinitions from the beginning, actions and what switches toolsets apart: %d bytes without the analysis, %d with it.\n", s.name, strings.Repeat("=", len(s.name)), s.says, core, all)
	title(&b, "The section of toolsets, at the end of the system text")
	grouped(&b, requests, func(r request) string { return r.section() })
	if last := requests[len(requests)-1]; last.said != "" {
		title(&b, "What the model is answered when it activates "+strings.Join(s.enable, ", "))
		b.WriteString("\n" + indented(last.said))
	}
	title(&b, "The tools, and what they are told to be")
	definitions(t, &b, requests)
	title(&b, "The lists, in their order")
	grouped(&b, requests, func(r request) string { return r.list(t, requests[first(requests, r.Model)]) })
	return b.String()
}

func title(b *strings.Builder, text string) {
	fmt.Fprintf(b, "\n%s\n%s\n", text, strings.Repeat("-", len(text)))
}

// grouped writes a text of each request, those that have the same together.
func grouped(b *strings.Builder, requests []request, text func(request) string) {
	var order []string
	who, step := map[string]string{}, map[string]int{}
	for _, r := range requests {
		one := text(r)
		if who[one] == "" {
			order = append(order, one)
		}
		if step[one] == r.Step {
			who[one] += " | " + r.Model
		} else {
			who[one] += fmt.Sprintf("\n  step %d: %s", r.Step, r.Model)
		}
		step[one] = r.Step
	}
	for _, one := range order {
		b.WriteString(who[one] + "\n" + one)
	}
}

func (r request) section() string {
	if r.sets == "" {
		return "    (none)\n"
	}
	return indented("## Toolsets\n" + r.sets)
}

func indented(text string) string {
	var b strings.Builder
	for _, line := range strings.Split(text, "\n") {
		b.WriteString(strings.TrimRight("    "+line, " ") + "\n")
	}
	return b.String()
}

// definitions writes every tool once: its description, its schema, and the strict forms of it. What a model is sent is one of them.
func definitions(t *testing.T, b *strings.Builder, requests []request) {
	t.Helper()
	seen := map[string]tool{}
	for _, r := range requests {
		for _, one := range append(append([]tool{}, r.tools...), defined(r.result)...) {
			if r.Strict || one.Search {
				continue
			}
			if _, again := seen[one.Name]; !again {
				seen[one.Name] = one
				fmt.Fprintf(b, "\n%s\n%s", one.Name, indented(one.Description))
				fmt.Fprintf(b, "  schema     %s\n  OpenAI     %s\n  Anthropic  %s\n", one.Schema, form(t, "openai chat", one), form(t, "anthropic", one))
			}
		}
	}
	for _, r := range requests {
		for _, one := range append(append([]tool{}, r.tools...), defined(r.result)...) {
			known, ok := seen[one.Name]
			if want := string(known.Schema); !one.Search && (!ok || one.Description != known.Description || !one.Strict && string(one.Schema) != want) {
				t.Errorf("%s, step %d: %s is told to be something else", r.Model, r.Step, one.Name)
			}
		}
	}
}

// form is the strict form of a tool at a vendor.
func form(t *testing.T, api string, one tool) string {
	t.Helper()
	f := alone(t, api, one)
	switch {
	case !f.Strict:
		return "has no strict form"
	case string(f.Schema) == string(one.Schema):
		return "the same, strict"
	}
	return string(f.Schema)
}

// list is the tools of a request in their order, with how each stands there. Of a later step it is what has come to those of the first.
func (r request) list(t *testing.T, earlier request) string {
	t.Helper()
	all := lines(t, r)
	var b strings.Builder
	if before := lines(t, earlier); r.Step > 1 && len(all) >= len(before) && slices.Equal(before, all[:len(before)]) {
		fmt.Fprintf(&b, "    the %d of step 1, as they stand there\n", len(before))
		all = all[len(before):]
	}
	b.WriteString(strings.Join(all, ""))
	if len(r.result) > 0 {
		b.WriteString("    and found, by a result:\n")
	}
	for _, one := range r.result {
		how := ""
		if one.Strict {
			how = "strict"
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("      %-20s %s", one.Name, how), " ") + "\n")
	}
	return b.String()
}

// lines are those of the tools of a request.
func lines(t *testing.T, r request) (out []string) {
	t.Helper()
	var sum strictrules.Counts
	for _, one := range r.tools {
		var how []string
		if one.Strict {
			sum = sum.With(one.Schema)
			how = append(how, "strict")
		} else if r.Strict && !one.Search {
			how = append(how, "not strict: "+sum.With(alone(t, r.Model, one).Schema).Over())
		}
		if one.Deferred {
			how = append(how, "deferred")
		}
		if one.Search {
			how = append(how, "by which it finds deferred ones: "+one.Description)
		}
		out = append(out, strings.TrimRight(fmt.Sprintf("    %-22s %s", one.Name, strings.Join(how, "; ")), " ")+"\n")
	}
	return out
}

// difference shows the lines that are not the same, each with its number in the old or the new text.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	longest := make([][]int, len(a)+1) // of what is left of both
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if longest[i][j] = max(longest[i+1][j], longest[i][j+1]); a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	var out strings.Builder
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && longest[i+1][j] >= longest[i][j+1]:
			i++
			fmt.Fprintf(&out, "%4d - %s\n", i, a[i-1])
		default:
			j++
			fmt.Fprintf(&out, "%4d + %s\n", j, b[j-1])
		}
	}
	return out.String()
}

func TestDifference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ want, got, shown string }{
		{"a\nb\nc", "a\nb\nc", ""}, {"a\nb\nc", "a\nc", "   2 - b\n"}, {"a\nc", "a\nb\nc", "   2 + b\n"}, {"a\nb\nc", "a\nd\nc", "   2 - b\n   2 + d\n"}, {"", "a", "   1 - \n   1 + a\n"},
	} {
		if got := difference(c.want, c.got); got != c.shown {
			t.Errorf("%q and %q: %q", c.want, c.got, got)
		}
	}
}
