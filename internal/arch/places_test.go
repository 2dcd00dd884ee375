package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// calls gives every method call in a file: the name called, and the call.
func calls(s source, f func(name string, call *ast.CallExpr)) {
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
				f(sel.Sel.Name, c)
			}
		}
		return true
	})
}

func TestOnlyOnePlaceRunsATool(t *testing.T) {
	t.Parallel()
	found := false
	for _, s := range code(sources(t)) {
		if s.pkg != "." {
			continue
		}
		calls(s, func(name string, c *ast.CallExpr) {
			if !slices.Contains([]string{"read", "display", "propose", "effect"}, name) {
				return
			}
			found = true
			if s.name != "toolcall.go" {
				t.Errorf("%s calls %s of a tool; only toolcall.go may", s.at(c), name)
			}
		})
	}
	if !found {
		t.Error("nothing runs a tool: has toolcall.go moved?")
	}
}

func TestOnlyOnePlaceBuildsALogRow(t *testing.T) {
	t.Parallel()
	for _, s := range code(sources(t)) {
		if s.name == "toolcall.go" || strings.HasPrefix(s.pkg, "store/") {
			continue // a store builds again what it reads
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok && len(lit.Elts) > 0 && isEntry(lit.Type, s.pkg == ".") {
				t.Errorf("%s builds a log row; only toolcall.go may", s.at(lit))
			}
			return true
		})
	}
}

func isEntry(e ast.Expr, root bool) bool {
	switch x := e.(type) {
	case *ast.Ident:
		return root && x.Name == "Entry"
	case *ast.SelectorExpr:
		id, ok := x.X.(*ast.Ident)
		return ok && id.Name == "deputy" && x.Sel.Name == "Entry"
	}
	return false
}

func TestOnlyOnePlaceCallsAModel(t *testing.T) {
	t.Parallel()
	found := false
	for _, s := range code(sources(t)) {
		if strings.HasPrefix(s.pkg, "provider/") || s.pkg == "web" {
			continue
		}
		calls(s, func(name string, c *ast.CallExpr) {
			if name != "Stream" || len(c.Args) != 2 {
				return
			}
			found = true
			if s.name != "modelcall.go" {
				t.Errorf("%s calls a model; only modelcall.go may", s.at(c))
			}
		})
	}
	if !found {
		t.Error("nothing calls a model: has modelcall.go moved?")
	}
}

func TestNoInit(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: register by value, not in an init function", s.at(f))
			}
		}
	}
}

// packageVars are the variables that a file declares for its package.
func packageVars(s source, f func(*ast.ValueSpec)) {
	for _, d := range s.ast.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, spec := range g.Specs {
				f(spec.(*ast.ValueSpec))
			}
		}
	}
}

func TestNoMutableGlobals(t *testing.T) {
	t.Parallel()
	for _, m := range mutableGlobals(code(sources(t))) {
		t.Error(m)
	}
}

// mutableGlobals are the places where state of the whole process is kept or changed.
func mutableGlobals(all []source) []string {
	var out []string
	vars := map[string]bool{}
	for _, s := range all {
		packageVars(s, func(v *ast.ValueSpec) {
			if kind, ok := v.Type.(*ast.SelectorExpr); ok {
				if id, ok := kind.X.(*ast.Ident); ok && (id.Name == "sync" || id.Name == "atomic") {
					out = append(out, s.at(v)+": state of the whole process; give it to the part that needs it")
				}
			}
			for _, n := range v.Names {
				vars[s.pkg+"."+n.Name] = n.Name != "_"
			}
		})
	}
	for _, s := range all {
		ast.Inspect(s.ast, func(n ast.Node) bool {
			for _, id := range written(n) {
				if vars[s.pkg+"."+id.Name] && global(s, id) {
					out = append(out, s.at(id)+" writes the package variable "+id.Name)
				}
			}
			return true
		})
	}
	return out
}

// written are the variables that a statement changes.
func written(n ast.Node) []*ast.Ident {
	var targets []ast.Expr
	switch x := n.(type) {
	case *ast.AssignStmt:
		if x.Tok != token.DEFINE {
			targets = x.Lhs
		}
	case *ast.IncDecStmt:
		targets = []ast.Expr{x.X}
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			targets = []ast.Expr{x.X}
		}
	}
	var out []*ast.Ident
	for _, e := range targets {
		if id := base(e); id != nil {
			out = append(out, id)
		}
	}
	return out
}

// base is the variable that an assignable expression stands on.
func base(e ast.Expr) *ast.Ident {
	switch x := e.(type) {
	case *ast.Ident:
		return x
	case *ast.IndexExpr:
		return base(x.X)
	case *ast.SelectorExpr:
		return base(x.X)
	case *ast.ParenExpr:
		return base(x.X)
	}
	return nil
}

// global says whether a name is no local one: the parser resolves those of the same file, and only those.
func global(s source, id *ast.Ident) bool {
	return id.Obj == nil || s.ast.Scope.Lookup(id.Name) == id.Obj
}

func TestMutableGlobalsAreFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"var a = 1\nfunc f() { a = 2 }":                        1,
		"var a = map[int]int{}\nfunc f() { a[1]++ }":           1,
		"var a struct{ b int }\nfunc f() *int { return &a.b }": 1,
		"var a sync.Mutex":                                     1,
		"var a = 1\nfunc f() { var a int; a = 2; _ = a }":      0,
		"var a = 1\nfunc f() { a := 1; a++ }":                  0,
		"var a = 1\nfunc f(a int) { a = 2 }":                   0,
	} {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "x.go", "package x\n"+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := mutableGlobals([]source{{name: "x.go", pkg: "x", set: set, ast: file}}); len(got) != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
