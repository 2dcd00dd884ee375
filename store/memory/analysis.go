package memory

import (
	"context"
	"slices"
	"strings"

	"example.com/deputy"
)

type analyses struct{ *store }

// analysis finds one by id that wanted says yes to.
func (s *store) analysis(id string, wanted func(deputy.SavedAnalysis) bool) (int, error) {
	i := slices.IndexFunc(s.analyses, func(a deputy.SavedAnalysis) bool { return a.ID == id && wanted(a) })
	if i < 0 {
		return i, missing("analysis")
	}
	return i, nil
}

func owns(as deputy.Person) func(deputy.SavedAnalysis) bool {
	return func(a deputy.SavedAnalysis) bool { return a.Owner.Key() == as.Key() }
}

func mayRun(as deputy.Person) func(deputy.SavedAnalysis) bool {
	return func(a deputy.SavedAnalysis) bool { return a.Shared || owns(as)(a) }
}

func (s analyses) Put(ctx context.Context, as deputy.Person, a deputy.SavedAnalysis) (deputy.SavedAnalysis, error) {
	if err := s.enter(ctx); err != nil {
		return deputy.SavedAnalysis{}, err
	}
	defer s.leave()
	a = kept(a)
	a.Owner = kept(as)
	at := len(s.analyses)
	if a.Version == 0 {
		if _, err := s.analysis(a.ID, func(deputy.SavedAnalysis) bool { return true }); err == nil {
			return a, deputy.Errorf(deputy.Conflict, "There is an analysis of this id already.")
		}
		a.Seq = 0
	} else {
		i, err := s.analysis(a.ID, owns(as))
		if err != nil {
			return a, err
		}
		old := s.analyses[i]
		if old.Version != a.Version {
			return a, deputy.Errorf(deputy.Stale, "The saved analysis has changed since.")
		}
		at, a.Seq, a.CreatedAt = i, old.Seq, old.CreatedAt
	}
	if slices.ContainsFunc(s.analyses, func(o deputy.SavedAnalysis) bool { return owns(as)(o) && o.ID != a.ID && fold(o.Name) == fold(a.Name) }) {
		return a, deputy.Errorf(deputy.Conflict, "You have another analysis of this name.")
	}
	a.Version++
	if at == len(s.analyses) {
		a.Seq = s.next()
		s.analyses = append(s.analyses, a)
	}
	s.analyses[at] = a
	return kept(a), nil
}

func (s analyses) Get(ctx context.Context, as deputy.Person, id string) (deputy.SavedAnalysis, error) {
	if err := s.enter(ctx); err != nil {
		return deputy.SavedAnalysis{}, err
	}
	defer s.leave()
	i, err := s.analysis(id, mayRun(as))
	if err != nil {
		return deputy.SavedAnalysis{}, err
	}
	return kept(s.analyses[i]), nil
}

func (s analyses) List(ctx context.Context, as deputy.Person, f deputy.AnalysisFilter, before int64, limit int) ([]deputy.SavedAnalysis, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	return newest(s.analyses, limit, func(a deputy.SavedAnalysis) bool {
		return mayRun(as)(a) && (before == 0 || a.Seq < before) && (f.Table == "" || a.Table == f.Table) &&
			(strings.Contains(fold(a.Name), fold(f.Term)) || strings.Contains(fold(a.Description), fold(f.Term)))
	}), nil
}

func (s analyses) Delete(ctx context.Context, as deputy.Person, id string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	i, err := s.analysis(id, owns(as))
	if err == nil {
		s.analyses = slices.Delete(s.analyses, i, i+1)
	}
	return err
}
