package analysis

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"example.com/deputy"
	"example.com/deputy/internal/plain"
	"example.com/deputy/internal/schema"
)

// keeper are the tools' common part: where analyses are kept.
type keeper struct{ analyses deputy.Analyses }

// missing is the one answer for an analysis that is not there, that is another's own, and that asks about what this person may not read.
func missing(id string) error {
	return deputy.Errorf(deputy.NotFound, "No saved analysis %s: list_analyses names those there are", plain.Quoted(id))
}

// find is one that the person may run: their own, or a shared one of which they may read everything it asks about. One of their own that cannot be
// run any more comes with why.
func (k keeper) find(ctx context.Context, v *deputy.View, who deputy.Person, id string) (a deputy.SavedAnalysis, def analyzeRecordsIn, broken, err error) {
	if k.analyses == nil {
		return a, def, nil, missing(id)
	}
	a, err = k.analyses.Get(ctx, who, id)
	if deputy.CodeOf(err) == deputy.NotFound {
		err = missing(id)
	}
	if err != nil {
		return a, def, nil, err
	}
	def, broken, err = runnable(ctx, v, a)
	if broken != nil && a.Owner.Key() != who.Key() {
		return a, def, nil, missing(id)
	}
	return a, def, broken, err
}

// runnable reads the definition of an analysis as a person may ask it now. broken says why they may not; err, that nobody knows.
func runnable(ctx context.Context, v *deputy.View, a deputy.SavedAnalysis) (def analyzeRecordsIn, broken, err error) {
	if err := schema.Decode(a.Definition, &def); err != nil {
		return def, deputy.Errorf(deputy.Invalid, "its definition cannot be read: %v", err), nil
	}
	_, err = compile(ctx, v, def)
	switch deputy.CodeOf(err) {
	case deputy.Invalid, deputy.NotFound, deputy.PermissionDenied, deputy.Unprocessable:
		if err != nil {
			return def, err, nil
		}
	}
	return def, nil, err
}

// saved is a saved analysis and what it asks, for a call that names it.
func (k keeper) saved(ctx context.Context, s *deputy.Scope, in analyzeRecordsIn) (deputy.SavedAnalysis, analyzeRecordsIn, error) {
	id, limit := in.AnalysisID, in.Limit
	if alone(in) != nil {
		return deputy.SavedAnalysis{}, in, alone(in)
	}
	a, def, broken, err := k.find(ctx, s.View(), s.Person(), id)
	switch {
	case err != nil:
		return a, def, err
	case broken != nil:
		return a, def, cannotRun(a, broken)
	case s.Asked().Before(s.Clock().Now) && a.UpdatedAt.After(s.Asked()): // a handle: its rows are to be those of what was asked
		return a, def, deputy.Errorf(deputy.Conflict, "The saved analysis has been changed since this call ran: run it again.")
	}
	if limit != 0 {
		def.Limit = limit
	}
	return a, def, nil
}

// alone refuses what would change a saved analysis in passing.
func alone(in analyzeRecordsIn) error {
	if in.Table != "" || in.Where != "" || in.Having != "" || len(in.GroupBy)+len(in.Measures)+len(in.OrderBy) > 0 {
		return deputy.Errorf(deputy.Invalid, "`analysis_id` runs an analysis as it was saved: only `limit` goes with it. To ask something else, leave it out and send the definition, changed")
	}
	return nil
}

func cannotRun(a deputy.SavedAnalysis, why error) error {
	out := *asError(why)
	out.Message = fmt.Sprintf("The saved analysis %s cannot be run any more: %s", plain.Quoted(a.Name), out.Message)
	return &out
}

// asError is an error as one whose text may be read.
func asError(err error) *deputy.Error {
	var e *deputy.Error
	if errors.As(err, &e) {
		return e
	}
	return &deputy.Error{Code: deputy.CodeOf(err), Message: deputy.MessageOf(err), Cause: err}
}

// entry is one value of a saved analysis, as it is shown.
type entry struct{ field, label, text string }

// entries are all of one, in the order in which they are shown.
func entries(name, description string, shared bool, def analyzeRecordsIn) []entry {
	out := []entry{{"name", "Name", name}}
	add := func(field, label, text string) {
		if text != "" {
			out = append(out, entry{field, label, text})
		}
	}
	add("description", "Description", description)
	add("shared", "Shared with everybody", map[bool]string{true: "yes", false: "no"}[shared])
	add("table", "Table", def.Table)
	add("where", "Where", def.Where)
	for i, text := range def.GroupBy {
		add(fmt.Sprintf("group_by[%d]", i), "Group by", text)
	}
	for _, m := range def.Measures {
		add("measures."+m.As, "Measure "+m.As, m.Expr)
	}
	add("having", "Having", def.Having)
	for i, text := range def.OrderBy {
		add(fmt.Sprintf("order_by[%d]", i), "Order by", text)
	}
	if def.Limit > 0 {
		add("limit", "Limit", strconv.Itoa(def.Limit))
	}
	return out
}

// difference is what a person is shown of one that takes the place of another: the values that differ; all of a new one.
func difference(old, now []entry) (out []deputy.Line) {
	in := func(list []entry, field string) *string {
		if i := slices.IndexFunc(list, func(e entry) bool { return e.field == field }); i >= 0 {
			return &list[i].text
		}
		return nil
	}
	verb := deputy.Update
	if old == nil {
		verb = deputy.Create
	}
	for _, e := range now {
		before := in(old, e.field)
		if before == nil || *before != e.text {
			out = append(out, deputy.Line{Verb: verb, Field: e.field, Label: e.label, Before: before, After: &e.text})
		}
	}
	for _, e := range old {
		if in(now, e.field) == nil {
			out = append(out, deputy.Line{Verb: verb, Field: e.field, Label: e.label, Before: &e.text})
		}
	}
	return out
}

// prepared is what a confirmed save writes.
type prepared struct {
	Version     int64  `json:"version,omitzero"` // of the one that it replaces
	Description string `json:"description,omitzero"`
	Shared      bool   `json:"shared,omitzero"`
	Definition  string `json:"definition"` // JSON, byte by byte
}

// owned is the name of the owner, for others.
func owned(a deputy.SavedAnalysis) string { return cmp.Or(a.Owner.Name, a.Owner.ID) }

// encoded is a definition as it is kept.
func encoded(def analyzeRecordsIn) (json.RawMessage, error) {
	raw, err := json.Marshal(def)
	if err == nil && len(raw) > mostDefinition {
		err = deputy.Errorf(deputy.TooLarge, "The analysis takes %d bytes; one that is saved has at most %d.", len(raw), mostDefinition)
	}
	return raw, err
}
