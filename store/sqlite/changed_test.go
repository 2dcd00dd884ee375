package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"example.com/deputy"
)

// running opens a store with one running turn.
func running(t testing.TB) (*store, deputy.Person, deputy.Lease) {
	t.Helper()
	s, err := open(t.Context(), filepath.Join(t.TempDir(), "deputy.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.closing(); err != nil {
			t.Error(err)
		}
	})
	as := deputy.Person{Issuer: "token", ID: "ana"}
	if err := (conversations{s}).Create(t.Context(), as, deputy.Conversation{ID: "cnv_1"}); err != nil {
		t.Fatal(err)
	}
	l, err := turns{s}.Start(t.Context(), as, deputy.Turn{ID: "trn_1", Conversation: "cnv_1"}, nil, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return s, as, l
}

// Who waits and goes away leaves nothing behind: no entry, no goroutine; and so does who is woken.
func TestWaitersLeave(t *testing.T) {
	t.Parallel()
	s, as, l := running(t)
	for range 3 {
		for _, woken := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			for range 20 {
				if _, err := (turns{s}).Changed(ctx, as, "trn_1"); err != nil {
					t.Fatal(err)
				}
			}
			if woken {
				if err := (turns{s}).Commit(ctx, l, deputy.Step{}); err != nil {
					t.Fatal(err)
				}
			}
			cancel()
			s.watch.looks.Wait() // ends when nobody waits any more
			s.watch.mu.Lock()
			if len(s.watch.waits) != 0 || s.watch.looking {
				t.Errorf("%d waits are left, looking: %v", len(s.watch.waits), s.watch.looking)
			}
			s.watch.mu.Unlock()
		}
	}
	if open := s.readers.Stats().InUse; open != 0 {
		t.Errorf("%d connections are in use", open)
	}
}

// A plain step costs little: see -bench.
func BenchmarkCommit(b *testing.B) {
	s, _, l := running(b)
	seq := int64(0)
	for b.Loop() {
		seq++
		step := deputy.Step{
			Messages: []deputy.Message{{Role: deputy.FromModel, Parts: []deputy.Part{{Text: "Two customers are in Norway."}}}},
			Events:   []deputy.Event{{Seq: seq, Name: "text.delta", Data: []byte(`{"step":1,"at":0,"text":"Two customers"}`)}},
		}
		if err := (turns{s}).Commit(b.Context(), l, step); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPage(b *testing.B) {
	s, as, l := running(b)
	const count = 10_000
	ms := make([]deputy.Message, count)
	for i := range ms {
		ms[i] = deputy.Message{Role: deputy.FromPerson, Parts: []deputy.Part{{Text: fmt.Sprint("message ", i)}}}
	}
	if err := (turns{s}).Commit(b.Context(), l, deputy.Step{Messages: ms}); err != nil {
		b.Fatal(err)
	}
	after := int64(0)
	for b.Loop() {
		page, err := messages{s}.Page(b.Context(), as, "cnv_1", after, 100)
		if err != nil || len(page) != 100 {
			b.Fatal(len(page), err)
		}
		after = (after + 100) % count
	}
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "deputy.db")
	for b.Loop() {
		s, err := Open(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
