package records

import (
	"context"
	_ "embed"
	"fmt"
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
	Label      string      // for people
	Parameters []Parameter // what expressions may name as parameters.x, each name once
	Question   Question
}

// Question is what a widget asks: the arguments of a tool that reads.
type Question interface {
	// Check reads its texts as a view may ask them, and asks nothing.
	Check(ctx context.Context, v *deputy.View) error
	// Ask reads them and asks, as much as the scope wants.
	Ask(ctx context.Context, s *deputy.Scope, v *deputy.View) (query.Rows, error)
}

// Parameter is a value that who asks may give.
type Parameter struct {
	Name     string
	Label    string     // what it is, where the name does not say as much
	Type     query.Type // string, int, decimal, bool, date or timestamp
	Required bool
	Default  *string  // its value where none is given, in the form of query.ParseValue; nil: NULL
	Values   []string // of a string: those that it may have; none: any
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
	blank := map[string]query.Lit{}
	for _, p := range w.Parameters {
		blank[p.Name] = query.Lit{T: p.Type}
	}
	return w.Question.Check(ctx, v.Given(blank))
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
	return deputy.Errorf(deputy.NotFound, "Unknown widget: %s%s", short(name), nearOrAll(name, known, "; there are "))
}

// nearOrAll names those of a list that a name may have meant, or the first of the list.
func nearOrAll(name string, list []string, all string) string {
	const most = 20
	if hint := near.Hint(name, list); hint != "" || len(list) == 0 {
		return hint
	}
	if len(list) > most {
		return all + strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return all + strings.Join(list, ", ")
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
		for _, p := range all[name].Parameters {
			parameters = append(parameters, p.text())
		}
		out.Rows = append(out.Rows, []query.Value{name, all[name].Label, strings.Join(parameters, "; ")})
	}
	return deputy.Result{Rows: &out}, nil
}

// text says what a parameter takes, in a line.
func (p Parameter) text() string {
	out := p.Name + ": " + string(p.Type)
	if len(p.Values) > 0 {
		out += ", one of " + strings.Join(p.Values, ", ")
	}
	switch {
	case p.Required:
		out += ", required"
	case p.Default != nil:
		out += ", " + *p.Default + " if not given"
	}
	if label := unlike(p.Label, p.Name); label != "" {
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
		i := slices.IndexFunc(w.Parameters, func(p Parameter) bool { return p.Name == name })
		switch _, twice := out[name]; {
		case !ok:
			return nil, deputy.Errorf(deputy.Invalid, "parameters: write a name, = and a value, like \"since=2026-01-31\", not %q", short(text))
		case i < 0 && len(w.Parameters) == 0:
			return nil, deputy.Errorf(deputy.Invalid, "parameters: %s has none", widget)
		case i < 0:
			return nil, deputy.Errorf(deputy.Invalid, "parameters: %s has no `%s`%s", widget, short(name), nearOrAll(name, w.parameterNames(), "; it has "))
		case twice:
			return nil, deputy.Errorf(deputy.Invalid, "parameters: `%s` is given twice", name)
		}
		v, err := w.Parameters[i].Read(value, clock.Zone)
		if err != nil {
			return nil, err
		}
		out[name] = v
	}
	for _, p := range w.Parameters {
		if _, ok := out[p.Name]; ok {
			continue
		}
		var err error
		switch {
		case p.Required:
			return nil, deputy.Errorf(deputy.Invalid, "parameters: %s needs `%s`: give it like %q", widget, p.Name, p.Name+"="+p.example())
		case p.Default == nil:
			out[p.Name] = query.Lit{T: p.Type}
		default:
			out[p.Name], err = p.Read(*p.Default, clock.Zone)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (w Widget) parameterNames() []string {
	out := make([]string, len(w.Parameters))
	for i, p := range w.Parameters {
		out[i] = p.Name
	}
	return out
}

// Read reads the text of a value; that of a timestamp may also be a date or a date and a time, on the clock of the zone.
func (p Parameter) Read(text string, zone *time.Location) (query.Lit, error) {
	v, err := query.ParseValue(p.Type, text)
	if err != nil && p.Type == query.Timestamp {
		if at := query.Compute("timestamp", zone, text); at != nil {
			return query.Lit{V: at, T: p.Type}, nil
		}
	}
	switch {
	case err != nil:
		return query.Lit{}, deputy.Errorf(deputy.Invalid, "parameters: `%s`: %v", p.Name, err)
	case len(p.Values) > 0 && !slices.Contains(p.Values, text):
		return query.Lit{}, deputy.Errorf(deputy.Invalid, "parameters: `%s` is one of %s, not %q", p.Name, strings.Join(p.Values, ", "), short(text))
	}
	return query.Lit{V: v, T: p.Type}, nil
}

// example is a value that a parameter may have.
func (p Parameter) example() string {
	switch {
	case len(p.Values) > 0:
		return p.Values[0]
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
