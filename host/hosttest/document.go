package hosttest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/deputy/query"
	"example.com/deputy/query/querytest"
)

// sheet is a table of a document: its caption is the line of text before it.
type sheet struct {
	caption string
	head    []string
	lines   [][]string
}

// sheets are the tables of a document.
func sheets(document string) []*sheet {
	var out []*sheet
	var s *sheet
	last := ""
	for line := range strings.Lines(document) {
		line = strings.TrimSpace(line)
		cells, isRow := cellsOf(line)
		switch {
		case !isRow:
			if s = nil; line != "" {
				last = line
			}
		case s == nil:
			s = &sheet{caption: last, head: cells}
			out = append(out, s)
		case !strings.HasPrefix(cells[0], "---"):
			s.lines = append(s.lines, cells)
		}
	}
	return out
}

func cellsOf(line string) ([]string, bool) {
	if !strings.HasPrefix(line, "|") || !strings.HasSuffix(line, "|") || len(line) < 2 {
		return nil, false
	}
	cells := strings.Split(strings.ReplaceAll(line[1:len(line)-1], `\|`, "\x00"), "|")
	for i := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), "\x00", "|")
	}
	return cells, true
}

var codeSpan = regexp.MustCompile("`` ?(.*?) ?``|`([^`]*)`")

// spans are what stands as code in a cell.
func spans(cell string) (out []string) {
	for _, m := range codeSpan.FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}

func span(cell string) string { return strings.Join(spans(cell), " ") }

func (s *sheet) is(head ...string) bool {
	return len(s.head) >= len(head) && slices.Equal(s.head[:len(head)], head)
}

// Examples runs every example of a document of the language, docs/expressions.md: what query.Eval says is what the document says, and what
// the host says. The host has no columns of the types in without: examples over tables that have some are left out. That nothing of the
// language is missing in the document is tested too.
func Examples(t *testing.T, open Open, document string, without ...query.Type) {
	tables, rows := shop()
	tables = slices.DeleteFunc(tables, func(table query.Table) bool {
		return slices.ContainsFunc(table.Fields, func(f query.Field) bool { return slices.Contains(without, f.Type) })
	})
	w, err := shopWorld(tables, rows)
	if err != nil {
		t.Fatal(err)
	}
	e := &examples{bench: &bench{TB: t, host: open(t, tables, rows), fake: New(tables, rows), tables: tables}, world: w, without: without}
	for _, s := range sheets(document) {
		e.sheet(s)
	}
	e.complete()
}

// examples runs examples, and keeps what they have used.
type examples struct {
	*bench
	world   *querytest.World
	without []query.Type

	seen  []query.Expr // checked
	texts []string
	shown []string // tables whose rows stood in the document
	over  string   // the example that runs
}

// sheet runs a table of examples; a table of something else is left alone.
func (e *examples) sheet(s *sheet) {
	var run func(cells []string)
	switch {
	case s.is("expression", "over", "value"):
		run = e.value
	case s.is("condition", "over", "holds for"):
		run = e.condition
	case s.is("order_by", "over", "order"):
		run = e.order
	case s.is("expression", "over", "error"):
		run = e.refusal
	case s.is("over", "group_by", "measures", "having", "order_by", "rows"):
		run = e.analysis
	case s.is("foreign key", "leads to", "parent", "children"):
		run = e.relation
	case s.is("bound", "most"):
		run = e.bound
	default:
		if name := strings.Trim(s.caption, "`"); slices.ContainsFunc(e.tables, func(t query.Table) bool { return t.Name == name }) {
			e.data(name, s)
		}
		return
	}
	for _, cells := range s.lines {
		e.over = strings.Join(cells, " | ")
		run(cells)
	}
}

// Errorf names the example.
func (e *examples) Errorf(format string, args ...any) {
	e.Helper()
	e.TB.Errorf("| %s |\n%s", e.over, fmt.Sprintf(format, args...))
}
