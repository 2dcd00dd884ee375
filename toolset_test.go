package deputy_test

import (
	"context"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/store/memory"
)

// TestToolNames: what no vendor takes for a name, or stands twice, stops the start.
func TestToolNames(t *testing.T) {
	t.Parallel()
	named := func(names ...string) deputy.Toolset {
		set := deputy.Toolset{Name: "x", Description: "x"}
		for _, n := range names {
			set.Tools = append(set.Tools, deputy.ReadTool(deputy.Definition{Name: n, NoHost: true}, func(context.Context, *deputy.Scope, struct{}) (deputy.Result, error) {
				return deputy.Result{}, nil
			}))
		}
		return set
	}
	for _, c := range []struct {
		set  deputy.Toolset
		want string
	}{
		{named("good_1", "also-good"), ""}, {named(), "no tools"}, {named(""), `a tool named ""`}, {named("a.b"), `a tool named "a.b"`}, {named("ä"), "a tool named"},
		{named(strings.Repeat("a", 65)), "1 to 64"}, {named("same", "same"), "two tools are named same"},
	} {
		a, err := deputy.New(t.Context(), deputy.Config{Host: shop(), Store: memory.New(), Models: []deputy.Model{scripted.New(nil)}, Policy: policy(), Toolsets: []deputy.Toolset{c.set}})
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v: %v", c.set, err)
		case err == nil:
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
