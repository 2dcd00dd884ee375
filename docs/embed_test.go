package docs_test

import (
	"bufio"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEmbed does with the module of embed-in-go.md what its reader does: vets it, tests it, builds it, runs it.
func TestEmbed(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here: ", err)
	}
	lookAtSources(t)
	binary := filepath.Join(t.TempDir(), "shop")
	for _, args := range [][]string{{"vet", "./..."}, {"build", "-o", binary, "."}, {"test", "./..."}} {
		if out, err := inEmbed(t, "go", args...).CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s\nwhere go.mod or go.sum are said to be old: run `go mod tidy` in docs/embed", strings.Join(args, " "), err, out)
		}
	}
	serves(t, binary)
}

func inEmbed(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.Env = "embed", append(os.Environ(), "GOWORK=off", "OPENAI_API_KEY=")
	return c
}

// serves runs the program, asks it, and stops it.
func serves(t *testing.T, binary string) {
	t.Helper()
	folder := t.TempDir()
	program := inEmbed(t, binary, "-listen", "127.0.0.1:0", "-database", filepath.Join(folder, "shop.db"), "-store", filepath.Join(folder, "assistant.db"))
	program.Stderr = os.Stderr
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("it does not say where it listens: %v, %v", lines.Err(), program.Wait())
	}
	for path, want := range map[string]int{"/": http.StatusUnauthorized, "/assistant/readyz": http.StatusOK, "/assistant/v1/me": http.StatusUnauthorized} {
		r, err := http.Get(lines.Text() + path)
		if err != nil {
			t.Fatal(err)
		}
		if _ = r.Body.Close(); r.StatusCode != want {
			t.Errorf("%s answers %s", path, r.Status)
		}
	}
	if err := program.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		t.Errorf("asked to stop, it ends with %v", err)
	}
}

// lookAtSources makes the result depend on every file that the module is built from: what a child process reads is invisible to the test cache.
func lookAtSources(t *testing.T) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"node_modules", "build", ".git", ".cache"}, d.Name()):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		seen++
		_, _ = os.Stat(name) // one that is gone meanwhile is no matter
		return nil
	})
	if err != nil || seen < 20 {
		t.Fatalf("%d files, %v", seen, err)
	}
}
