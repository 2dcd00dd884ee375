package working_test

import (
	"context"
	"errors"
	"testing"

	"example.com/deputy/internal/working"
)

func TestSet(t *testing.T) {
	t.Parallel()
	var s working.Set
	why, end := errors.New("why"), errors.New("end")
	causes := make(chan error, 3)
	start := func(name string) bool {
		ctx, stop := context.WithCancelCause(context.Background())
		return s.Go(name, stop, func() {
			<-ctx.Done()
			causes <- context.Cause(ctx)
		})
	}
	for _, name := range []string{"a", "a", "b"} {
		if !start(name) {
			t.Fatal("an open set takes no work")
		}
	}
	s.Stop("nobody", why)
	s.Stop("a", why)
	if one, two := <-causes, <-causes; !errors.Is(one, why) || !errors.Is(two, why) {
		t.Error(one, two)
	}
	if !s.Running("b") {
		t.Error("b does not run")
	}
	s.Close(end)
	if last := <-causes; !errors.Is(last, end) {
		t.Error(last)
	}
	if s.Running("b") || start("c") {
		t.Error("a closed set works")
	}
}
