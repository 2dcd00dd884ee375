package working_test

import (
	"context"
	"errors"
	"testing"
	"time"

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
	if !s.Close(end, time.Minute) {
		t.Error("what has ended is waited for")
	}
	if last := <-causes; !errors.Is(last, end) {
		t.Error(last)
	}
	if s.Running("b") || start("c") {
		t.Error("a closed set works")
	}
}

func TestDrain(t *testing.T) {
	t.Parallel()
	var s working.Set
	begun, release, returned := make(chan struct{}), make(chan struct{}), make(chan bool, 1)
	go func() { returned <- s.Do(func() { close(begun); <-release }) }()
	<-begun
	if s.Drain(time.Millisecond) || s.Close(errors.New("end"), time.Millisecond) {
		t.Error("it is not waited for")
	}
	if s.Do(func() { t.Error("done") }) {
		t.Error("a drained set works")
	}
	close(release)
	if !s.Drain(time.Minute) || !<-returned {
		t.Error("it has not returned")
	}
}
