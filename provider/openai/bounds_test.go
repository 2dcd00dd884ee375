package openai

import (
	"fmt"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/internal/modelhttp"
)

// TestItemsAreBounded: an answer of more items than anybody sends is given up, whatever events they come in.
func TestItemsAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 2 * callLimit {
		_, _ = fmt.Fprintf(&b, "data: {\"type\":\"response.output_text.delta\",\"output_index\":%d,\"delta\":\"a\"}\n\n", i)
	}
	n := 0
	a := &response{model: &model{}, ended: func() {}, out: &sink{yield: func(deputy.Chunk, error) bool { n++; return true }}}
	if err := a.read(&modelhttp.Body{Reader: strings.NewReader(b.String())}); err == nil || len(a.items) > callLimit+1 {
		t.Errorf("%d items, %d chunks: %v", len(a.items), n, err)
	}
}
