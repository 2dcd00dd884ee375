package anthropic

import "testing"

func TestWhichModelsDefer(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]bool{"claude-sonnet-4-5": true, "claude-opus-4-5-20251101": true, "claude-sonnet-5": true, "claude-haiku-4-5": true, "claude-opus-4-1-20250805": false,
		"claude-sonnet-4-20250514": false, "claude-3-5-sonnet-20241022": false, "gpt-5.4": false, "": false} {
		if Defers(model) != want {
			t.Errorf("%s: %v", model, !want)
		}
	}
}
