package analysis

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"example.com/deputy"
)

//go:embed list_analyses.md
var listAnalysesText string

// Bounds of a list: how many it has, in how many bytes, and how many are looked at to find them.
const (
	mostListed     = 50
	mostListBytes  = 16 << 10
	mostLookedAt   = 1000
	pageOfAnalyses = 100
)

type listAnalysesIn struct {
	Table string `json:"table,omitzero"`
	Term  string `json:"term,omitzero"`
}

// Listed is one analysis of list_analyses.
type Listed struct {
	ID          string          `json:"analysis_id"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitzero"`
	Owner       string          `json:"owner,omitzero"` // a name; left out of the person's own
	Own         bool            `json:"own,omitzero"`
	Shared      bool            `json:"shared,omitzero"`
	Definition  json.RawMessage `json:"definition"`
	CannotRun   string          `json:"cannot_run,omitzero"` // of one's own: why not
}

// List is what list_analyses answers, the newest first.
type List struct {
	Analyses []Listed `json:"analyses"`
	HasMore  bool     `json:"has_more"`
}

func (k keeper) listAnalyses() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "list_analyses", Label: "Looked at saved analyses", Description: strings.TrimSpace(listAnalysesText),
		Operation: "GET /analyses", Offered: offered,
	}, k.runListAnalyses)
}

func (k keeper) runListAnalyses(ctx context.Context, s *deputy.Scope, in listAnalysesIn) (deputy.Result, error) {
	if in.Table != "" {
		if _, err := s.View().Table(ctx, in.Table); err != nil {
			return deputy.Result{}, err
		}
	}
	out, bytes, seen := List{Analyses: []Listed{}}, 0, 0
	err := k.each(ctx, s.Person(), deputy.AnalysisFilter{Table: in.Table, Term: in.Term}, func(a deputy.SavedAnalysis) (bool, error) {
		if seen++; seen > mostLookedAt {
			out.HasMore = true
			return false, nil
		}
		one, ok, err := listed(ctx, s, a)
		if err != nil || !ok {
			return err == nil, err
		}
		raw, err := json.Marshal(one)
		if err != nil {
			return false, err
		}
		if n := len(out.Analyses); n == mostListed || n > 0 && bytes+len(raw) > mostListBytes {
			out.HasMore = true
			return false, nil
		}
		out.Analyses, bytes = append(out.Analyses, one), bytes+len(raw)
		return true, nil
	})
	return deputy.Result{Value: out}, err
}

// each goes through what the person may know of, until f says no, or an error.
func (k keeper) each(ctx context.Context, who deputy.Person, f deputy.AnalysisFilter, do func(deputy.SavedAnalysis) (bool, error)) error {
	for before := int64(0); ; {
		page, err := k.analyses.List(ctx, who, f, before, pageOfAnalyses)
		if err != nil {
			return err
		}
		for _, a := range page {
			if more, err := do(a); err != nil || !more {
				return err
			}
		}
		if len(page) < pageOfAnalyses {
			return nil
		}
		before = page[len(page)-1].Seq
	}
}

// listed is an analysis as this person may know of it: not at all where its table may not be read, nor another's that they could not run.
func listed(ctx context.Context, s *deputy.Scope, a deputy.SavedAnalysis) (Listed, bool, error) {
	if _, err := s.View().Table(ctx, a.Table); deputy.CodeOf(err) == deputy.NotFound {
		return Listed{}, false, nil
	}
	out := Listed{ID: a.ID, Name: a.Name, Description: a.Description, Own: a.Owner.Key() == s.Person().Key(), Shared: a.Shared, Definition: a.Definition}
	_, broken, err := runnable(ctx, s.View(), a)
	switch {
	case err != nil, broken != nil && !out.Own:
		return out, false, err
	case broken != nil:
		out.CannotRun = deputy.MessageOf(broken)
	case !out.Own:
		out.Owner = owned(a)
	}
	return out, true, nil
}
