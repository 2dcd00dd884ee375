package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"example.com/deputy"
)

type log struct{ *store }

func (s log) Append(ctx context.Context, rows ...deputy.Entry) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	s.record(rows)
	return nil
}

func (s *store) record(rows []deputy.Entry) {
	for _, r := range rows {
		r = kept(r)
		r.Seq = int64(len(s.log)) + 1
		s.log = append(s.log, r)
	}
}

func (s log) Get(ctx context.Context, as deputy.Person, call string) (deputy.Entry, error) {
	if err := s.enter(ctx); err != nil {
		return deputy.Entry{}, err
	}
	defer s.leave()
	for _, e := range slices.Backward(s.log) {
		if e.ID == call && e.Phase == "turn" && e.Person.Key() == as.Key() {
			return kept(e), nil
		}
	}
	return deputy.Entry{}, missing("tool call")
}

func (s log) List(ctx context.Context, as deputy.Person, f deputy.LogFilter, before int64, limit int) ([]deputy.Entry, error) {
	return s.list(ctx, f, before, limit, func(e deputy.Entry) bool { return e.Person.Key() == as.Key() })
}

func (s log) All(ctx context.Context, f deputy.LogFilter, before int64, limit int) ([]deputy.Entry, error) {
	return s.list(ctx, f, before, limit, func(deputy.Entry) bool { return true })
}

func (s log) list(ctx context.Context, f deputy.LogFilter, before int64, limit int, may func(deputy.Entry) bool) ([]deputy.Entry, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	return newest(s.log, limit, func(e deputy.Entry) bool {
		return may(e) && (before == 0 || e.Seq < before) && (f.Conversation == "" || e.Conversation == f.Conversation) &&
			(f.Turn == "" || e.Turn == f.Turn) && (f.PersonID == "" || e.Person.ID == f.PersonID) &&
			(f.Tool == "" || e.Tool == f.Tool) && (f.Outcome == "" || e.Outcome == f.Outcome)
	}), nil
}

type settings struct{ *store }

func (s settings) Get(ctx context.Context, name string) (json.RawMessage, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	v, ok := s.settings[name]
	if !ok {
		return nil, missing("setting")
	}
	return bytes.Clone(v), nil
}

func (s settings) Put(ctx context.Context, name string, value json.RawMessage) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	if !json.Valid(value) {
		return deputy.Errorf(deputy.Invalid, "The value of setting %s is not JSON.", name)
	}
	s.settings[name] = bytes.Clone(value)
	return nil
}
