package arch

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The budgets.
const (
	rootLines = 5000 // lines of code, comments and blank ones apart
	fileLines = 500
	halfOf    = 10 // lines between the first and the last that half of the functions have at most
	mostOf    = 45 // nine in ten
)

func TestSizeBudgets(t *testing.T) {
	t.Parallel()
	root := 0
	var functions []int
	for _, s := range sources(t) {
		if s.lines > fileLines {
			t.Errorf("%s has %d lines; a file has at most %d", s.name, s.lines, fileLines)
		}
		if s.test {
			continue
		}
		if s.pkg == "." {
			root += codeLines(s.text)
		}
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				functions = append(functions, max(0, s.set.Position(f.End()).Line-s.set.Position(f.Pos()).Line-1))
			}
		}
	}
	slices.Sort(functions)
	half, most := functions[len(functions)/2], functions[len(functions)*9/10]
	t.Logf("root: %d lines of code; %d functions, half up to %d lines, nine in ten up to %d", root, len(functions), half, most)
	if root > rootLines || root == 0 {
		t.Errorf("the root package has %d lines of code; at most %d", root, rootLines)
	}
	if half > halfOf || most > mostOf {
		t.Errorf("half of the functions have up to %d lines, nine in ten up to %d; at most %d and %d", half, most, halfOf, mostOf)
	}
}

// codeLines counts the lines on which a token stands.
func codeLines(text []byte) int {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		first := file.Line(pos)
		for i := range 1 + strings.Count(lit, "\n") {
			lines[first+i] = true
		}
	}
}

func TestCodeLines(t *testing.T) {
	t.Parallel()
	if n := codeLines([]byte("// Package x.\npackage x\n\n/* a\nb */\nvar a = `1\n2`\n")); n != 3 {
		t.Errorf("%d lines", n)
	}
}

// opening is how the sentence of a package begins.
var opening = regexp.MustCompile(`^(Package \w+|Command \w+|Deputy) .+`)

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	said, seen := map[string]int{}, map[string]bool{}
	for _, s := range sources(t) {
		if s.test && strings.HasSuffix(s.ast.Name.Name, "_test") {
			continue
		}
		seen[s.pkg] = true
		if s.ast.Doc != nil && opening.MatchString(s.ast.Doc.Text()) {
			said[s.pkg]++
		}
	}
	for pkg := range seen {
		if said[pkg] != 1 {
			t.Errorf("package %s opens with a sentence in %d of its files; in one it should", pkg, said[pkg])
		}
	}
}
