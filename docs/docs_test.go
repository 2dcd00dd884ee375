package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages are the documents and the README.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("*.md")
	if err != nil || len(names) < 5 {
		t.Fatalf("%v, %v", names, err)
	}
	out := map[string]string{}
	for _, name := range append(names, "../README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(text)
	}
	return out
}

// TestWhatIsDocumentedCompiles: every block of Go in the documents stands, word for word, in a test that runs, or in the module that TestEmbed builds.
func TestWhatIsDocumentedCompiles(t *testing.T) {
	t.Parallel()
	var code []byte
	files, err := filepath.Glob("embed/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range append(files, "example_test.go") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, text...)
	}
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	block := regexp.MustCompile("(?s)```go\n(.*?)```")
	seen := 0
	for name, text := range pages(t) {
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			seen++
			if !strings.Contains(flat(string(code)), flat(m[1])) {
				t.Errorf("%s: this stands in no test that compiles:\n%s", name, m[1])
			}
		}
	}
	if seen == 0 {
		t.Error("no Go in the documents: are the blocks marked as go?")
	}
}

// TestLinksLeadSomewhere: every relative link of the documents is a file.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)
	for name, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			}
		}
	}
}

// TestEveryDirectDependencyIsExplained: go.mod and docs/dependencies.md name the same modules.
func TestEveryDirectDependencyIsExplained(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	page := pages(t)["dependencies.md"]
	require := regexp.MustCompile(`(?m)^\t(\S+) (v\S+)( // indirect)?$`)
	direct := 0
	for _, m := range require.FindAllStringSubmatch(string(mod), -1) {
		if m[3] != "" {
			continue
		}
		direct++
		if !strings.Contains(page, "| "+m[1]+" |") {
			t.Errorf("docs/dependencies.md does not say what %s is for", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^\| ([a-z0-9.]+\.[a-z]+/\S+) \|`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(string(mod), "\t"+m[1]+" v") && !strings.Contains(m[1], "staticcheck") {
			t.Errorf("docs/dependencies.md explains %s, which go.mod does not name", m[1])
		}
	}
	if direct == 0 {
		t.Error("go.mod has no direct dependency: has its form changed?")
	}
}
