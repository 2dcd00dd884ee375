package records

import (
	"context"
	_ "embed"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/internal/near"
	"example.com/deputy/query"
)

//go:embed render_widget.md
var renderWidgetText string

// Widget is a named question of the operator's, asked with the rights of whoever asks it.
type Widget struct {
	Label      string                     // for people
	Parameters map[string]query.Parameter // by name: what expressions may read as parameters.x
	Question   Question
}

// Question is what a widget asks: the arguments of a tool that reads.
type Question interface {
	// Check reads its texts as a view may ask them, and asks nothing.
	Check(ctx context.Context, v *deputy.View) error
	// Ask reads them and asks, as much as the scope wants.
	Ask(ctx context.Context, s *deputy.Scope, v *deputy.View) (query.Rows, error)
}

type renderWidgetIn struct {
	Widget     string   `json:"widget,omitzero"`
	Parameters []string `json:"parameters,omitzero"`
}

// widgets are those of the configuration by name.
type widgets map[string]Widget

func renderWidget(all widgets) deputy.Tool {
	return deputy.ReadTool(deputy.Definition{
		Name: "render_widget", Label: "Asked a prepared question", Description: strings.TrimSpace(renderWidgetText),
		Operation: "GET /widget/{widget}", Offered: all.offered,
	}, all.run)
}

// offered is to who may ask any of them.
func (all widgets) offered(ctx context.Context, v *deputy.View) (bool, error) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if ok, err := all[name].asked(ctx, v); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// asked says whether a person may ask a widget: whether there is for them all that it names.
func (w Widget) asked(ctx context.Context, v *deputy.View) (bool, error) {
	err := w.Check(ctx, v)
	if err == nil {
		return true, nil
	}
	switch deputy.CodeOf(err) {
	case deputy.Invalid, deputy.NotFound, deputy.Unprocessable:
		return false, nil
	}
	return false, err
}

// Check finds what a view may not ask of it, or what is wrong with it, whatever its parameters are.
func (w Widget) Check(ctx context.Context, v *deputy.View) error {
	return w.Question.Check(ctx, v.Given(query.Blank(w.Parameters)))
}

func (all widgets) run(ctx context.Context, s *deputy.Scope, in renderWidgetIn) (deputy.Result, error) {
	if in.Widget == "" {
		return all.list(ctx, s)
	}
	w, there := all[in.Widget]
	if there {
		var err error
		if there, err = w.asked(ctx, s.View()); err != nil {
			return deputy.Result{}, err
		}
	}
	if !there {
		return deputy.Result{}, all.unknown(ctx, s.View(), in.Widget)
	}
	given, err := w.given(in.Widget, in.Parameters, s.Clock())
	if err != nil {
		return deputy.Result{}, err
	}
	rows, err := w.Question.Ask(ctx, s, s.View().Given(given))
	if err != nil {
		return deputy.Result{}, err
	}
	return deputy.Result{Rows: &rows, Value: struct {
		Label string `json:"label,omitzero"`
	}{unlike(w.Label, in.Widget)}}, nil
}

// names are the widgets that a person may ask.
func (all widgets) names(ctx context.Context, v *deputy.View) (out []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		ok, err := all[name].asked(ctx, v)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, name)
		}
	}
	return out, nil
}

// unknown is the answer for what is not there and for what this person may not ask.
func (all widgets) unknown(ctx context.Context, v *deputy.View, name string) error {
	known, err := all.names(ctx, v)
	if err != nil {
		return err
	}
	return deputy.Errorf(deputy.NotFound, "Unknown widget: %s%s", short(name), near.HintOrAll(name, known, "; there are "))
}

// list tells the widgets that a person may ask, as rows like any others.
func (all widgets) list(ctx context.Context, s *deputy.Scope) (deputy.Result, error) {
	names, err := all.names(ctx, s.View())
	if err != nil {
		return deputy.Result{}, err
	}
	most := s.Window(0, len(names))
	out := query.Rows{Columns: []query.Column{textColumn("widget", "Widget"), textColumn("label", "Label"), textColumn("parameters", "Parameters")}, HasMore: len(names) > most}
	for _, name := range names[:min(most, len(names))] {
		var parameters []string
		for _, p := range all[name].parameterNames() {
			parameters = append(parameters, takes(p, all[name].Parameters[p]))
		}
		out.Rows = append(out.Rows, []query.Value{name, all[name].Label, strings.Join(parameters, "; ")})
	}
	return deputy.Result{Rows: &out}, nil
}

// takes says what a parameter takes, in a line.
func takes(name string, p query.Parameter) string {
	out := name + ": " + string(p.Type)
	if len(p.Enum) > 0 {
		out += ", one of " + strings.Join(p.Enum, ", ")
	}
	switch {
	case !p.Optional:
		out += ", required"
	case p.Default != nil:
		out += ", " + *p.Default + " if not given"
	}
	if label := unlike(p.Label, name); label != "" {
		out += " (" + label + ")"
	}
	return out
}

// given reads texts like since=2026-01-31 as the values of the parameters.
func (w Widget) given(widget string, texts []string, clock deputy.Clock) (map[string]query.Lit, error) {
	out := map[string]query.Lit{}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		p, there := w.Parameters[name]
		switch _, twice := out[name]; {
		case !ok:
			return nil, deputy.Errorf(deputy.Invalid, "parameters: write a name, = and a value, like \"since=2026-01-31\", not %q", short(text))
		case !there && len(w.Parameters) == 0:
			return nil, deputy.Errorf(deputy.Invalid, "parameters: %s has none", widget)
		case !there:
			return nil, deputy.Errorf(deputy.Invalid, "parameters: %s has no `%s`%s", widget, short(name), near.HintOrAll(name, w.parameterNames(), "; it has "))
		case twice:
			return nil, deputy.Errorf(deputy.Invalid, "parameters: `%s` is given twice", name)
		}
		v, err := ReadParameter(name, p, value, clock.Zone)
		if err != nil {
			return nil, err
		}
		out[name] = v
	}
	for _, name := range w.parameterNames() {
		p := w.Parameters[name]
		if _, ok := out[name]; ok {
			continue
		}
		var err error
		switch {
		case !p.Optional:
			return nil, deputy.Errorf(deputy.Invalid, "parameters: %s needs `%s`: give it like %q", widget, name, name+"="+example(p))
		case p.Default == nil:
			out[name] = query.Lit{T: p.Type}
		default:
			out[name], err = ReadParameter(name, p, *p.Default, clock.Zone)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (w Widget) parameterNames() []string {
	return slices.Sorted(maps.Keys(w.Parameters))
}

// ReadParameter reads the text of a parameter's value, and says what it must be.
func ReadParameter(name string, p query.Parameter, text string, zone *time.Location) (query.Lit, error) {
	v, err := p.Read(text, zone)
	switch {
	case err != nil:
		return query.Lit{}, deputy.Errorf(deputy.Invalid, "parameters: `%s`: %v", name, err)
	case !p.Allows(text):
		return query.Lit{}, deputy.Errorf(deputy.Invalid, "parameters: `%s` is one of %s, not %q", name, strings.Join(p.Enum, ", "), short(text))
	}
	return v, nil
}

// example is a value that a parameter may have.
func example(p query.Parameter) string {
	switch {
	case len(p.Enum) > 0:
		return p.Enum[0]
	case p.Type == query.Int:
		return "42"
	case p.Type == query.Dec:
		return "12.50"
	case p.Type == query.Bool:
		return "true"
	case p.Type == query.Date:
		return "2026-01-31"
	case p.Type == query.Timestamp:
		return "2026-01-31T14:30:00Z"
	}
	return "text"
}
