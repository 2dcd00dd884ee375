package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// module is the path that go.mod declares.
const module = "example.com/deputy"

// source is one Go file of the repository, parsed. Files are read in this process: what a child process reads is invisible to the test cache.
type source struct {
	name  string // from the root, with slashes
	pkg   string // its folder; "." is the root
	test  bool
	text  []byte
	lines int
	ast   *ast.File
	set   *token.FileSet
}

// sources reads every Go file of the module, folders of other modules apart.
func sources(t *testing.T) []source {
	t.Helper()
	root := os.DirFS("../..")
	var out []source
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skipFolder(root, name)
		case !strings.HasSuffix(name, ".go"):
			return nil
		}
		s, err := read(root, name)
		out = append(out, s)
		return err
	})
	if err != nil || len(out) < 20 {
		t.Fatalf("%d files, %v", len(out), err)
	}
	return out
}

func skipFolder(root fs.FS, name string) error {
	base := path.Base(name)
	if name != "." && (base == "node_modules" || base == "testdata" || base == "build" || strings.HasPrefix(base, ".")) {
		return fs.SkipDir
	}
	if _, err := fs.Stat(root, path.Join(name, "go.mod")); err == nil && name != "." {
		return fs.SkipDir
	}
	return nil
}

func read(root fs.FS, name string) (source, error) {
	s := source{name: name, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), set: token.NewFileSet()}
	var err error
	if s.text, err = fs.ReadFile(root, name); err != nil {
		return s, err
	}
	s.lines = strings.Count(string(s.text), "\n")
	s.ast, err = parser.ParseFile(s.set, name, s.text, parser.ParseComments)
	return s, err
}

// code leaves tests out.
func code(all []source) []source {
	var out []source
	for _, s := range all {
		if !s.test {
			out = append(out, s)
		}
	}
	return out
}

// at says where a node stands.
func (s source) at(n ast.Node) string { return s.set.Position(n.Pos()).String() }
