package toolset_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"example.com/deputy/internal/strictschema"
)

// TestDefinitionsAreHeld: what a model reads of each tool of the core, and of analysis, stands in a file of its own. The files are written by hand: whoever
// changes a definition reads what it became. Both strict forms exist of every schema.
func TestDefinitionsAreHeld(t *testing.T) {
	t.Parallel()
	held, err := filepath.Glob("testdata/definitions/*.json")
	if err != nil || len(held) != len(withAnalysis()) {
		t.Errorf("%d files of definitions for %d tools (%v)", len(held), len(withAnalysis()), err)
	}
	for _, tool := range withAnalysis() {
		path := "testdata/definitions/" + tool.Name() + ".json"
		want, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		var got bytes.Buffer
		e := json.NewEncoder(&got)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(wire{tool.Name(), tool.Definition().Description, tool.Schema()}); err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%s is not as held: if the change is meant, write it to the file\n%s", path, got.String())
		}
		if _, ok := strictschema.Nullable(tool.Schema()); !ok {
			t.Errorf("%s has no strict form with nulls", tool.Name())
		}
		if _, _, ok := strictschema.Closed(tool.Schema()); !ok {
			t.Errorf("%s has no closed strict form", tool.Name())
		}
	}
}
