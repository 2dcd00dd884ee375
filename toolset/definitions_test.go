package toolset_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/store/memory"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/kernel"
	"example.com/deputy/toolset/present"
	"example.com/deputy/toolset/records"
)

// Budgets: how many bytes the definitions of the core cost at most in every model request, and of the core with analysis.
const (
	budget         = 6144
	analysisBudget = 8192
)

type wire struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

func core() []deputy.Tool {
	var out []deputy.Tool
	for _, s := range []deputy.Toolset{records.New(records.Config{}), present.New(), kernel.New()} {
		out = append(out, s.Tools...)
	}
	return out
}

func withAnalysis() []deputy.Tool {
	return append(core(), analysis.Saving(memory.New().Analyses).Tools...)
}

func definitions(t *testing.T, tools []deputy.Tool) string {
	t.Helper()
	var all []wire
	for _, tool := range tools {
		all = append(all, wire{tool.Name(), tool.Definition().Description, tool.Schema()})
	}
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestDefinitionsFitTheBudget(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tools func() []deputy.Tool
		most  int
	}{{core, budget}, {withAnalysis, analysisBudget}} {
		one := definitions(t, c.tools())
		t.Logf("%d bytes of %d", len(one), c.most)
		if len(one) > c.most {
			t.Errorf("the definitions are %d bytes, more than %d", len(one), c.most)
		}
		if again := definitions(t, c.tools()); again != one {
			t.Error("the definitions differ between two starts")
		}
	}
}

func TestCore(t *testing.T) {
	t.Parallel()
	kinds := map[string]deputy.Kind{
		"list_tables": deputy.KindRead, "describe_table": deputy.KindRead, "query_records": deputy.KindRead, "count_records": deputy.KindRead,
		"get_record": deputy.KindRead, "search_records": deputy.KindRead, "list_possible_values": deputy.KindRead, "render_widget": deputy.KindRead, "create_record": deputy.KindPropose, "update_record": deputy.KindPropose, "delete_record": deputy.KindPropose,
		"navigate": deputy.KindDisplay, "present_results": deputy.KindDisplay, "calculate": deputy.KindRead, "current_datetime": deputy.KindRead,
		"analyze_records": deputy.KindRead, "list_analyses": deputy.KindRead, "save_analysis": deputy.KindPropose,
	}
	noHost := []string{"present_results", "calculate", "current_datetime"}
	for _, tool := range withAnalysis() {
		d := tool.Definition()
		if kinds[d.Name] != tool.Kind() {
			t.Errorf("%s is a %s tool, want %s", d.Name, tool.Kind(), kinds[d.Name])
		}
		delete(kinds, d.Name)
		if d.Description == "" || d.Description != strings.TrimSpace(d.Description) || d.Label == "" || d.Operation == "" {
			t.Errorf("%s: description, label and operation are not all there: %+v", d.Name, d)
		}
		if want := strings.Contains(strings.Join(noHost, " "), d.Name); d.NoHost != want || d.Always != (d.Name == "present_results") {
			t.Errorf("%s: NoHost %v, Always %v", d.Name, d.NoHost, d.Always)
		}
		if d.NoHost != (d.Offered == nil) {
			t.Errorf("%s: a tool of the host's, and only that, says to whom it is offered", d.Name)
		}
		if !json.Valid(tool.Schema()) || !strings.HasSuffix(string(tool.Schema()), `"additionalProperties":false}`) {
			t.Errorf("%s: schema %s", d.Name, tool.Schema())
		}
	}
	for name := range kinds {
		t.Errorf("%s is missing", name)
	}
}
