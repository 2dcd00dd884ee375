package analysis

import (
	"context"
	_ "embed"
	"errors"
	"regexp"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

//go:embed analyze_records.md
var analyzeRecordsText string

// Bounds of one analysis.
const (
	mostGroups   = 100 // groups that a model gets that asks for no number; never more than the limits of the assistant
	mostKeys     = 10
	mostMeasures = 30
	mostAlias    = 60 // bytes of a measure's name
)

type analyzeRecordsIn struct {
	Table      string    `json:"table,omitzero"`
	AnalysisID string    `json:"analysis_id,omitzero"`
	Where      string    `json:"where,omitzero"`
	GroupBy    []string  `json:"group_by,omitzero"`
	Measures   []Measure `json:"measures,omitzero"`
	Having     string    `json:"having,omitzero"`
	OrderBy    []string  `json:"order_by,omitzero"`
	Limit      int       `json:"limit,omitzero"`
}

func (k keeper) analyzeRecords() deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "analyze_records", Label: "Analyzed records", Description: strings.TrimSpace(analyzeRecordsText),
		Operation: "GET /table/{table}/analysis", Offered: offered,
	}, k.runAnalyzeRecords)
}

// offered is to who may read any table at all of a host that has aggregates.
func offered(ctx context.Context, v *deputy.View) (bool, error) {
	if !v.Catalog().Features().Aggregates {
		return false, nil
	}
	some, err := v.Catalog().Tables(ctx, "", "")
	return len(some) > 0, err
}

// ofSaved says beside the figures which saved analysis they are of.
type ofSaved struct {
	Analysis string `json:"analysis"`
}

func (k keeper) runAnalyzeRecords(ctx context.Context, s *deputy.Scope, in analyzeRecordsIn) (out deputy.Result, err error) {
	if in.AnalysisID != "" {
		var of deputy.SavedAnalysis
		if of, in, err = k.saved(ctx, s, in); err != nil {
			return out, err
		}
		out.Value = ofSaved{of.Name}
	}
	a, err := compile(ctx, s.View(), in)
	if err != nil {
		return out, err
	}
	a.Limit = s.Window(in.Limit, mostGroups)
	rows, err := s.View().Analyze(ctx, a)
	out.Rows = &rows
	return out, err
}

// compile reads the texts of an analysis as the person may ask them.
func compile(ctx context.Context, v *deputy.View, in analyzeRecordsIn) (a query.Analysis, err error) {
	if err := bounded(in); err != nil {
		return a, err
	}
	if _, err := v.Table(ctx, in.Table); err != nil {
		return a, err
	}
	a = query.Analysis{Table: in.Table}
	if a.Where, err = v.Condition(ctx, in.Table, in.Where); err != nil {
		return a, explained(err, "where")
	}
	if a.GroupBy, err = keys(ctx, v, in.Table, in.GroupBy); err != nil {
		return a, err
	}
	groups := query.Groups{Keys: a.GroupBy}
	for _, m := range in.Measures {
		if err := named(m.As, groups); err != nil {
			return a, err
		}
		e, err := v.Over(groups).Expr(ctx, in.Table, m.Expr)
		if err != nil {
			return a, explained(err, "measure "+m.As)
		}
		a.Measures = append(a.Measures, query.Column{As: m.As, Label: m.As, Expr: e})
		groups.Measures = a.Measures
	}
	if a.Having, err = v.Over(groups).Condition(ctx, in.Table, in.Having); err != nil {
		return a, explained(err, "having")
	}
	for _, text := range in.OrderBy {
		o, err := v.Over(groups).Order(ctx, in.Table, text)
		if err != nil {
			return a, explained(err, "order_by")
		}
		a.Order = append(a.Order, o)
	}
	return a, nil
}

func bounded(in analyzeRecordsIn) error {
	switch {
	case in.Table == "":
		return deputy.Errorf(deputy.Invalid, "missing parameter `table`: name one, or the `analysis_id` of a saved analysis")
	case len(in.GroupBy)+len(in.Measures) == 0:
		return deputy.Errorf(deputy.Invalid, `name what is wanted: "measures":[{"as":"rows","expr":"count()"}], "group_by":["customer.country"], or both`)
	case len(in.GroupBy) > mostKeys, len(in.OrderBy) > mostKeys+mostMeasures:
		return deputy.Errorf(deputy.Invalid, "at most %d keys in `group_by` and %d in `order_by`", mostKeys, mostKeys+mostMeasures)
	case len(in.Measures) > mostMeasures:
		return deputy.Errorf(deputy.Invalid, "at most %d measures: ask for the others in another call", mostMeasures)
	case in.Limit < 0:
		return deputy.Errorf(deputy.Invalid, "`limit` must not be negative")
	}
	return nil
}

// explained names the parameter that an error is about.
func explained(err error, where string) error {
	var e *deputy.Error
	if !errors.As(err, &e) || e.Code != deputy.Invalid {
		return err
	}
	say := *e
	say.Message = where + ": " + e.Message
	return &say
}

// keys reads what is grouped by, each once; a foreign key is followed by the label of what it leads to, which is the same for all its rows.
func keys(ctx context.Context, v *deputy.View, table string, texts []string) (out []query.Column, err error) {
	there := func(name string) bool {
		return slices.ContainsFunc(out, func(c query.Column) bool { return c.As == name })
	}
	for _, text := range texts {
		if text = strings.TrimSpace(text); there(text) {
			continue
		}
		key := strings.TrimSuffix(text, ".label")
		ref, label, err := foreignKey(ctx, v, table, key)
		switch {
		case err != nil:
			return nil, err
		case label.Expr == nil, key != text && query.Text(ref) != key: // customer.label may be a field of the customer
			key = text
		case there(key):
			continue
		default:
			out = append(out, column(key, ref), label)
			continue
		}
		o, err := v.Order(ctx, table, key)
		switch {
		case err != nil:
			return nil, explained(err, "group_by")
		case o.Desc:
			return nil, deputy.Errorf(deputy.Invalid, "group_by: `desc` belongs to order_by")
		case o.Expr.Type() == query.List:
			return nil, deputy.Errorf(deputy.Invalid, "group_by: `%s` is a list: group by a condition, like \"x\" in %s", key, key)
		}
		out = append(out, column(key, o.Expr))
	}
	return out, nil
}

// column is a key under the name by which having and order_by know it again.
func column(text string, e query.Expr) query.Column {
	c := query.Column{As: text, Label: text, Expr: e}
	if ref, ok := e.(query.Ref); ok && len(ref.Hops) == 0 && ref.Path == nil && ref.Field.Label != "" {
		c.Label = ref.Field.Label
	}
	return c
}

// foreignKey reads a foreign key, over parents or not, or the parent that it leads to, and the label of that record; no label where the text is
// no such key, or where nothing names the record.
func foreignKey(ctx context.Context, v *deputy.View, table, text string) (key query.Expr, label query.Column, err error) {
	e, err := v.Expr(ctx, table, text)
	ref, ok := e.(query.Ref)
	if err != nil || !ok || ref.Path != nil || len(ref.Hops) > 0 && ref.Hops[len(ref.Hops)-1].Many {
		return nil, label, nil // said where the key is read
	}
	both, err := v.Select(ctx, ref.Table, []string{ref.Field.Name})
	if err != nil || len(both) < 2 {
		return nil, label, err
	}
	return e, query.Column{As: text + ".label", Label: column(text, e).Label, Expr: query.Rebase(both[1].Expr, nil, ref.Hops)}, nil
}

var alias = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// named refuses a name by which nothing could be found again.
func named(as string, g query.Groups) error {
	switch taken := func(c query.Column) bool { return c.As == as }; {
	case len(as) > mostAlias || !alias.MatchString(as):
		return deputy.Errorf(deputy.Invalid, "`as` names a measure in letters, digits and _, like paid_share; at most %d of them", mostAlias)
	case slices.ContainsFunc(g.Measures, taken):
		return deputy.Errorf(deputy.Invalid, "two measures are named %s: each needs a name of its own", as)
	case slices.ContainsFunc(g.Keys, taken):
		return deputy.Errorf(deputy.Invalid, "a measure and a key of group_by are both named %s: name the measure otherwise, like total_%s", as, as)
	}
	return nil
}
