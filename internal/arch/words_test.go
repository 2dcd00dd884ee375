package arch

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestTheRepositorySpeaksOfItselfAlone: no path of the machine it was written on, no place that packages were fetched from.
func TestTheRepositorySpeaksOfItselfAlone(t *testing.T) {
	t.Parallel()
	banned := []string{"/work/" + "main", "/work/" + "shared", "/tmp/" + "brief", "registry." + "npmjs", "proxy." + "golang.org", "sum." + "golang.org", "/root/" + "go"}
	root := os.DirFS("../..")
	seen := 0
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && name != "." && (slices.Contains([]string{".git", "node_modules", "build", ".cache"}, path.Base(name))) {
				return fs.SkipDir
			}
			return err
		}
		if !slices.Contains([]string{".go", ".md", ".yaml", ".yml", ".json", ".ts", ".tsx", ".css", ".sql", ".mod", ""}, path.Ext(name)) {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		seen++
		for _, w := range banned {
			if strings.Contains(string(text), w) {
				t.Errorf("%s mentions %s", name, w)
			}
		}
		return err
	})
	if err != nil || seen < 20 {
		t.Fatalf("%d files, %v", seen, err)
	}
}
