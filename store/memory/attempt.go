package memory

import (
	"context"
	"maps"
	"time"

	"example.com/deputy"
)

type attempts struct{ *store }

func (s attempts) Begin(ctx context.Context, as deputy.Person, a deputy.Attempt, now time.Time) (deputy.Attempt, bool, error) {
	if err := s.enter(ctx); err != nil {
		return deputy.Attempt{}, false, err
	}
	defer s.leave()
	maps.DeleteFunc(s.attempts, func(_ key, a deputy.Attempt) bool { return !a.Expires.After(moment(now)) })
	k := key{as.Key(), a.Key}
	stands, ok := s.attempts[k]
	switch {
	case !ok:
		stands, stands.Done, stands.Epoch = kept(a), false, 1
	case !stands.Done && stands.Body == a.Body && !stands.Until.After(moment(now)):
		stands.Epoch, stands.Until = stands.Epoch+1, moment(a.Until)
	default:
		return stands, false, nil
	}
	s.attempts[k] = stands
	return stands, true, nil
}

func (s attempts) End(ctx context.Context, as deputy.Person, a deputy.Attempt) error {
	return s.worked(ctx, as, a, func(k key, stands deputy.Attempt) {
		stands.Done, stands.Until = a.Done, time.Time{}
		s.attempts[k] = stands
	})
}

func (s attempts) Forget(ctx context.Context, as deputy.Person, a deputy.Attempt) error {
	return s.worked(ctx, as, a, func(k key, _ deputy.Attempt) { delete(s.attempts, k) })
}

// worked does something to an attempt for who works on it.
func (s attempts) worked(ctx context.Context, as deputy.Person, a deputy.Attempt, do func(key, deputy.Attempt)) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	k := key{as.Key(), a.Key}
	if stands, ok := s.attempts[k]; ok && stands.ID == a.ID && stands.Epoch == a.Epoch && !stands.Done {
		do(k, stands)
	}
	return nil
}
