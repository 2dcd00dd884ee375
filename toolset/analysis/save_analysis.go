package analysis

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"example.com/deputy"
	"example.com/deputy/internal/plain"
	"example.com/deputy/internal/schema"
)

//go:embed save_analysis.md
var saveAnalysisText string

// Bounds of what is saved, in bytes.
const (
	mostName        = 120
	mostDescription = 1000
	mostDefinition  = 16 << 10
)

type saveAnalysisIn struct {
	Name        string  `json:"name"`
	CallID      string  `json:"call_id"`
	AnalysisID  string  `json:"analysis_id,omitzero"`
	Description *string `json:"description,omitzero"`
	Shared      *bool   `json:"shared,omitzero"`
}

func (k keeper) saveAnalysis() deputy.Tool {
	return deputy.EffectTool(deputy.Definition{
		Name: "save_analysis", Label: "Proposed to save an analysis", Description: strings.TrimSpace(saveAnalysisText),
		Operation: "PUT /analyses", Offered: offered,
	}, k.proposeSave, k.save)
}

func (k keeper) proposeSave(ctx context.Context, s *deputy.Scope, in saveAnalysisIn) (d deputy.Draft, err error) {
	if err := worded(in); err != nil {
		return d, err
	}
	def, err := k.behind(ctx, s, in.CallID)
	if err != nil {
		return d, err
	}
	old, was, err := k.replaced(ctx, s, in.AnalysisID)
	if err != nil {
		return d, err
	}
	if err := k.free(ctx, s.Person(), in.Name, in.AnalysisID); err != nil {
		return d, err
	}
	raw, err := encoded(def)
	if err != nil {
		return d, err
	}
	p := prepared{Version: old.Version, Description: old.Description, Shared: old.Shared, Definition: string(raw)}
	if in.Description != nil {
		p.Description = *in.Description
	}
	if in.Shared != nil {
		p.Shared = *in.Shared
	}
	if d.Prepared, err = json.Marshal(p); err != nil {
		return d, err
	}
	return shown(s, d, in, old, difference(was, entries(in.Name, p.Description, p.Shared, def)), p.Shared)
}

// shown adds what the person is shown.
func shown(s *deputy.Scope, d deputy.Draft, in saveAnalysisIn, old deputy.SavedAnalysis, lines []deputy.Line, shared bool) (deputy.Draft, error) {
	if len(lines) == 0 {
		return d, deputy.Errorf(deputy.Invalid, "Nothing would change: it is saved like that already.")
	}
	d.Summary = "Save analysis " + plain.Quoted(in.Name)
	if old.ID != "" {
		d.Summary = "Change saved analysis " + plain.Quoted(old.Name)
	}
	for _, l := range lines {
		l.Table, l.Record, l.RecordLabel = "saved analyses", old.ID, old.Name
		if (l.Field == "name" || l.Field == "description") && l.After != nil {
			l.Source = s.Source(*l.After)
		}
		d.Lines = append(d.Lines, l)
	}
	switch {
	case shared && !old.Shared:
		d.Warnings = append(d.Warnings, "Everybody who may read what it asks about can then see all of this and run it, each with their own rights.")
	case shared: // no line of the difference says so
		d.Warnings = append(d.Warnings, "It is shared: everybody who may read what it asks about sees and runs it as it is then.")
	}
	return d, nil
}

// worded refuses names and descriptions that are none, or cannot be read.
func worded(in saveAnalysisIn) error {
	unseen := func(c rune) bool { return c != '\n' && plain.Hidden(c) }
	switch {
	case in.Name != strings.TrimSpace(in.Name) || in.Name == "":
		return deputy.Errorf(deputy.Invalid, "`name` is a text without spaces around it, like Revenue by month")
	case len(in.Name) > mostName:
		return deputy.Errorf(deputy.TooLarge, "`name` has at most %d bytes: put the rest into `description`", mostName)
	case strings.ContainsFunc(in.Name, unseen) || strings.Contains(in.Name, "\n"):
		return deputy.Errorf(deputy.Invalid, "`name` is one line of characters that can be seen")
	case in.Description != nil && len(*in.Description) > mostDescription:
		return deputy.Errorf(deputy.TooLarge, "`description` has at most %d bytes", mostDescription)
	case in.Description != nil && strings.ContainsFunc(*in.Description, unseen):
		return deputy.Errorf(deputy.Invalid, "`description` has characters that cannot be seen: leave them out")
	}
	return nil
}

// behind is what a call of this conversation asked, if it can still be asked: that of a saved analysis, where it ran one.
func (k keeper) behind(ctx context.Context, s *deputy.Scope, ref string) (def analyzeRecordsIn, err error) {
	c, ok := s.Call(ref)
	if !ok || c.Tool != "analyze_records" {
		return def, deputy.Errorf(deputy.NotFound, "No analysis behind call %s: give the call_id of a call of analyze_records in this conversation that ran", plain.Quoted(ref))
	}
	if err := schema.Decode(c.Arguments, &def); err != nil {
		return def, deputy.Errorf(deputy.Invalid, "call %s cannot be read: %v", ref, err)
	}
	if def.AnalysisID != "" {
		_, def, err = k.saved(ctx, s, def)
		return def, err
	}
	_, err = compile(ctx, s.View(), def)
	return def, err
}

// replaced is the analysis of one's own that another takes the place of, and what it says; nothing where there is to be a new one.
func (k keeper) replaced(ctx context.Context, s *deputy.Scope, id string) (old deputy.SavedAnalysis, was []entry, err error) {
	if id == "" {
		return old, nil, nil
	}
	old, def, _, err := k.find(ctx, s.View(), s.Person(), id)
	switch {
	case err != nil:
		return old, nil, err
	case old.Owner.Key() != s.Person().Key():
		return old, nil, deputy.Errorf(deputy.PermissionDenied, "Only its owner changes that analysis: leave out `analysis_id` to save one of the person's own")
	}
	return old, entries(old.Name, old.Description, old.Shared, def), nil
}

// free refuses a name that another analysis of the person's has.
func (k keeper) free(ctx context.Context, who deputy.Person, name, id string) error {
	return k.each(ctx, who, deputy.AnalysisFilter{Term: name}, func(a deputy.SavedAnalysis) (bool, error) {
		if a.Owner.Key() == who.Key() && a.ID != id && strings.EqualFold(a.Name, name) {
			return false, deputy.Errorf(deputy.Conflict, "The person has an analysis named %s: take another name, or replace that one with analysis_id %s", plain.Quoted(a.Name), a.ID)
		}
		return true, nil
	})
}

// save writes what was confirmed, if it may still be asked. Somebody's newer version is not overwritten: the store compares.
func (k keeper) save(ctx context.Context, e *deputy.Effect, in saveAnalysisIn) error {
	var p prepared
	if err := json.Unmarshal(e.Prepared(), &p); err != nil {
		return deputy.Errorf(deputy.Invalid, "what was prepared cannot be read")
	}
	var def analyzeRecordsIn
	if err := schema.Decode([]byte(p.Definition), &def); err != nil {
		return deputy.Errorf(deputy.Invalid, "its definition cannot be read: %v", err)
	}
	if _, err := compile(ctx, e.View(), def); err != nil {
		return asError(err)
	}
	now := e.Clock().Now
	a := deputy.SavedAnalysis{ID: in.AnalysisID, Name: in.Name, Description: p.Description, Table: def.Table, Definition: json.RawMessage(p.Definition),
		Shared: p.Shared, Version: p.Version, CreatedAt: now, UpdatedAt: now}
	if a.ID == "" { // the same each time, were it to run twice
		a.ID = "ana_" + strings.TrimPrefix(e.Key(), "prp_")
	}
	_, err := k.analyses.Put(ctx, e.Person(), a)
	return err
}
