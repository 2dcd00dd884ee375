// Package working keeps track of work that runs by itself: each task can be stopped by name, and all are waited for.
package working

import (
	"context"
	"sync"
	"time"
)

// Set is the tasks that run. Its zero value is ready; it is safe for concurrent use.
type Set struct {
	mu     sync.Mutex
	wg     sync.WaitGroup
	closed bool
	tasks  map[*task]bool
}

type task struct {
	name string
	stop context.CancelCauseFunc
}

// Go runs work in a goroutine; stop ends its context, and is called when it returns. It answers false, and runs nothing, once the set is
// closed. Several tasks may have one name.
func (s *Set) Go(name string, stop context.CancelCauseFunc, work func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	if s.tasks == nil {
		s.tasks = map[*task]bool{}
	}
	t := &task{name, stop}
	s.tasks[t] = true
	s.wg.Go(func() {
		defer s.done(t)
		work()
	})
	return true
}

func (s *Set) done(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.stop(nil)
	delete(s.tasks, t)
}

// Do runs work in the caller's goroutine; Close and Drain wait for it, and nothing stops it. It answers false, and runs nothing, once the set is
// closed.
func (s *Set) Do(work func()) bool {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return false
	}
	s.wg.Add(1)
	s.mu.Unlock()
	defer s.wg.Done()
	work()
	return true
}

// Running says whether a task of this name runs.
func (s *Set) Running(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for t := range s.tasks {
		if t.name == name {
			return true
		}
	}
	return false
}

// Stop ends the contexts of the tasks of a name.
func (s *Set) Stop(name string, cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for t := range s.tasks {
		if t.name == name {
			t.stop(cause)
		}
	}
}

// Drain takes no more work, and waits until what runs has returned, or for a time; it says whether all has.
func (s *Set) Drain(most time.Duration) bool {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	empty := make(chan struct{})
	go func() { s.wg.Wait(); close(empty) }()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-empty:
		return true
	case <-timer.C:
		return false
	}
}

// Close ends all contexts, takes no more work, and waits until what runs has returned, or for a time; it says whether all has.
func (s *Set) Close(cause error, most time.Duration) bool {
	s.mu.Lock()
	s.closed = true
	for t := range s.tasks {
		t.stop(cause)
	}
	s.mu.Unlock()
	return s.Drain(most)
}
