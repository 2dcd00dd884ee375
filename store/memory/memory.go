// Package memory is the store that forgets: everything is in the process and gone with it. For tests and for trying out.
package memory

import (
	"context"
	"slices"
	"strings"
	"sync"

	"example.com/deputy"
)

// store holds everything behind one lock. Nothing that goes in or comes out shares memory with it: see kept.
type store struct {
	mu            sync.Mutex
	seq           int64 // of conversations, proposals and analyses: one counter serves all, for it only has to grow
	conversations map[key]*conversation
	turns         map[string]*turn // by id
	proposals     []*deputy.Proposal
	log           []deputy.Entry
	settings      map[string][]byte
	attempts      map[key]deputy.Attempt
	analyses      []deputy.SavedAnalysis // by Seq
}

// key names what is a person's: the person is in every key.
type key struct{ person, id string }

type conversation struct {
	deputy.Conversation
	person   string
	messages []deputy.Message
	running  *turn // nil: none
}

// New opens an empty store. Close releases nothing, and the store can be read afterwards; it only wakes who waits.
// Text that goes in must be UTF-8, as with every store.
func New() deputy.Store {
	s := &store{conversations: map[key]*conversation{}, turns: map[string]*turn{}, settings: map[string][]byte{},
		attempts: map[key]deputy.Attempt{}}
	return deputy.Store{
		Conversations: conversations{s}, Turns: turns{s}, Messages: messages{s}, Proposals: proposals{s}, Log: log{s}, Settings: settings{s},
		Attempts: attempts{s}, Analyses: analyses{s}, Close: s.close,
	}
}

// enter locks the store, unless the context has ended: then it does nothing. Who enters must leave.
func (s *store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	return nil
}

func (s *store) leave() { s.mu.Unlock() }

func (s *store) next() int64 {
	s.seq++
	return s.seq
}

func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.turns {
		t.changed()
	}
	return nil
}

func missing(what string) error { return deputy.Errorf(deputy.NotFound, "There is no such %s.", what) }

// fold makes texts comparable without regard to case.
func fold(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// page takes what is wanted of a list in order, up to limit; each is copied.
func page[T any](list []T, limit int, wanted func(T) bool) (out []T) {
	for _, v := range list {
		if len(out) >= limit {
			break
		}
		if wanted(v) {
			out = append(out, kept(v))
		}
	}
	return out
}

// newest is page from the other end.
func newest[T any](list []T, limit int, wanted func(T) bool) (out []T) {
	for _, v := range slices.Backward(list) {
		if len(out) >= limit {
			break
		}
		if wanted(v) {
			out = append(out, kept(v))
		}
	}
	return out
}
