package storetest

import (
	"fmt"
	"testing"
	"time"

	"example.com/deputy"
)

// attempt is one that somebody works on until at(until), and that is forgotten at(60).
func attempt(key, id string, until int) deputy.Attempt {
	return deputy.Attempt{Key: key, Body: "body", ID: id, Until: at(until), Expires: at(60)}
}

// begun begins an attempt and says what stands and whose it is.
func begun(t *testing.T, s deputy.Store, as deputy.Person, a deputy.Attempt, now time.Time) (deputy.Attempt, bool) {
	t.Helper()
	stands, mine, err := s.Attempts.Begin(t.Context(), as, a, now)
	must(t, err)
	return stands, mine
}

// stands fails the test unless an attempt does, and it is not for the asker to work on.
func stands(t *testing.T, s deputy.Store, as deputy.Person, want deputy.Attempt, now time.Time) {
	t.Helper()
	got, mine := begun(t, s, as, attempt(want.Key, "another", 50), now)
	same(t, "what stands", got, want)
	same(t, "mine", mine, false)
}

func attempts(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	given := full[deputy.Attempt]()
	given.Until, given.Expires = at(5), at(60)
	want := given
	want.Done, want.Epoch = false, 1 // whatever else is said
	got, mine := begun(t, s, ana(), given, at(0))
	same(t, "new", got, want)
	same(t, "mine", mine, true)
	stands(t, s, ana(), want, at(4))

	// Another's key of the same name is another key, and so is another key of one's own.
	for _, stranger := range []deputy.Person{bo(), twin()} {
		if got, mine := begun(t, s, stranger, attempt(given.Key, "theirs", 5), at(0)); !mine || got.ID != "theirs" {
			t.Errorf("%s got %s", stranger.Key(), show(got))
		}
		must(t, s.Attempts.Forget(ctx, stranger, want)) // not theirs
	}
	if got, mine := begun(t, s, ana(), attempt("another key", "x", 5), at(0)); !mine || got.ID != "x" {
		t.Error(show(got))
	}
	stands(t, s, ana(), want, at(4))

	want.Done = true
	must(t, s.Attempts.End(ctx, ana(), want))
	want.Until = time.Time{}
	stands(t, s, ana(), want, at(40))
	must(t, s.Attempts.Forget(ctx, ana(), want)) // what is done stays
	stands(t, s, ana(), want, at(40))
	must(t, s.Attempts.End(ctx, ana(), attempt("no such key", "y", 5)))
	must(t, s.Attempts.Forget(ctx, ana(), attempt("no such key", "y", 5)))
}

func attemptTakenOver(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	first, _ := begun(t, s, ana(), attempt("k", "first", 5), at(0))
	stands(t, s, ana(), first, at(5).Add(-time.Microsecond))
	other := attempt("k", "other", 20)
	other.Body = "another"
	if got, mine := begun(t, s, ana(), other, at(5)); mine || got != first {
		t.Errorf("taken over for something else: %s", show(got))
	}
	second, mine := begun(t, s, ana(), attempt("k", "second", 20), at(5))
	want := first
	want.Epoch, want.Until = 2, at(20)
	same(t, "taken over", second, want)
	same(t, "mine", mine, true)

	// Who lost it can do nothing to it any more.
	first.Done = true
	must(t, s.Attempts.End(ctx, ana(), first))
	must(t, s.Attempts.Forget(ctx, ana(), first))
	stands(t, s, ana(), second, at(6))

	// Who has it can give it back.
	must(t, s.Attempts.End(ctx, ana(), second))
	third, mine := begun(t, s, ana(), attempt("k", "third", 20), at(6))
	want.Epoch = 3
	same(t, "given back", third, want)
	same(t, "mine", mine, true)
	must(t, s.Attempts.Forget(ctx, ana(), third))
	if got, mine := begun(t, s, ana(), attempt("k", "fourth", 20), at(6)); !mine || got.ID != "fourth" || got.Epoch != 1 {
		t.Errorf("after it was forgotten: %s", show(got))
	}
	must(t, s.Attempts.Forget(ctx, ana(), first)) // that was another one
	if got, mine := begun(t, s, ana(), attempt("k", "fifth", 20), at(6)); mine || got.ID != "fourth" {
		t.Errorf("forgotten by somebody who never had it: %s", show(got))
	}
}

func attemptExpiry(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	for n := range 150 { // more than are swept at once, the wanted one last
		a := attempt(fmt.Sprintf("old %d", n), "old", 5)
		a.Expires = at(10).Add(time.Duration(n) * time.Microsecond)
		a, _ = begun(t, s, ana(), a, at(0))
		a.Done = true
		must(t, s.Attempts.End(ctx, ana(), a))
	}
	if _, mine := begun(t, s, ana(), attempt("old 0", "new", 20), at(10).Add(-time.Microsecond)); mine {
		t.Error("forgotten too early")
	}
	for _, key := range []string{"old 149", "old 0"} {
		got, mine := begun(t, s, ana(), attempt(key, "new", 20), at(11))
		if !mine || got.ID != "new" || got.Epoch != 1 || got.Done || !got.Expires.Equal(at(60)) {
			t.Errorf("%s has expired: %s", key, show(got))
		}
	}
}

func attemptContention(t *testing.T, s deputy.Store) {
	for round, now := range []time.Time{at(0), at(6)} { // new, then left half way
		race(t, 30, deputy.Conflict, func(n int) error { return contend(t, s, n, now, 5+10*round) })
	}
}

// contend is one who wants to work on an attempt; conflict for who may not.
func contend(t *testing.T, s deputy.Store, n int, now time.Time, until int) error {
	_, mine, err := s.Attempts.Begin(t.Context(), ana(), attempt("k", fmt.Sprint(n), until), now)
	if err == nil && !mine {
		return deputy.Errorf(deputy.Conflict, "somebody else works on it")
	}
	return err
}

func attemptTogether(t *testing.T, here, there deputy.Store) {
	race(t, 40, deputy.Conflict, func(n int) error {
		return contend(t, []deputy.Store{here, there}[n%2], n, at(0), 5)
	})
	got, _ := begun(t, there, ana(), attempt("k", "another", 50), at(1))
	got.Done = true
	must(t, there.Attempts.End(t.Context(), ana(), got))
	got.Until = time.Time{}
	stands(t, here, ana(), got, at(30))
}
