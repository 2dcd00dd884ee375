package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/guard"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/near"
	"example.com/deputy/policy"
	"example.com/deputy/query"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/records"
)

// WidgetConfig is a named question: the arguments of query_records or those of analyze_records.
type WidgetConfig struct {
	Label      string                     `json:"label,omitempty" doc:"for people; the name if absent"`
	Query      *WidgetQueryConfig         `json:"query,omitempty" doc:"the arguments of query_records; or analyze"`
	Analyze    *WidgetAnalysisConfig      `json:"analyze,omitempty" doc:"the arguments of analyze_records; or query"`
	Parameters map[string]ParameterConfig `json:"parameters,omitempty" doc:"by name: what its expressions read as parameters.x"`
}

// WidgetQueryConfig is what a widget asks for as rows.
type WidgetQueryConfig struct {
	Table   string   `json:"table" doc:"by offered name"`
	Where   string   `json:"where,omitempty" doc:"a condition: which records; absent: all"`
	Select  []string `json:"select,omitempty" doc:"fields and expressions; absent: every field that may be read"`
	OrderBy []string `json:"order_by,omitempty" doc:"expressions, with desc behind them or not"`
	Limit   int      `json:"limit,omitempty" doc:"rows; if absent, 25 to the model and as many as a call id stands for to the person"`
	Offset  int      `json:"offset,omitempty" doc:"rows to leave out at the beginning"`
}

// WidgetAnalysisConfig is what a widget asks for as figures.
type WidgetAnalysisConfig struct {
	Table    string          `json:"table" doc:"by offered name"`
	Where    string          `json:"where,omitempty" doc:"a condition: which records; absent: all"`
	GroupBy  []string        `json:"group_by,omitempty" doc:"fields and expressions; absent: one row over all"`
	Measures []MeasureConfig `json:"measures,omitempty" doc:"figures of each group; absent: the different groups"`
	Having   string          `json:"having,omitempty" doc:"a condition: which groups; absent: all"`
	OrderBy  []string        `json:"order_by,omitempty" doc:"measures, keys or aggregates, with desc behind them or not"`
	Limit    int             `json:"limit,omitempty" doc:"groups; if absent, as many as an answer holds"`
}

// MeasureConfig is one figure.
type MeasureConfig struct {
	As   string `json:"as" doc:"its name"`
	Expr string `json:"expr" doc:"an expression over the records of a group"`
}

// ParameterConfig is a value that who asks may give.
type ParameterConfig struct {
	Label    string   `json:"label,omitempty" doc:"what it is, where the name does not say as much"`
	Type     string   `json:"type" doc:"of the value" enum:"string,int,decimal,bool,date,timestamp"`
	Required bool     `json:"required,omitempty" doc:"true: it must be given"`
	Default  *string  `json:"default,omitempty" doc:"its value where none is given; absent: null"`
	Enum     []string `json:"enum,omitempty" doc:"of a string: the values that it may have"`
}

// parameterPath is a parameter in an expression.
var parameterPath = regexp.MustCompile(`\bparameters\.[a-z][a-z0-9_]*`)

// validateWidgets finds what is wrong with widgets by themselves.
func (d *document) validateWidgets() {
	for _, name := range slices.Sorted(maps.Keys(d.Host.Widgets)) {
		w, key := d.Host.Widgets[name], "host.widgets."+name
		if !query.Identifier(name) {
			d.bad(key, "name a widget in lower-case letters, digits and _, beginning with a letter, at most 60")
		}
		if (w.Query == nil) == (w.Analyze == nil) {
			d.bad(key, "write what it asks, the arguments of one tool: query: { table: …, where: … } or analyze: { table: …, measures: … }")
		}
		d.validateParameters(key+".parameters", w.Parameters)
	}
}

func (d *document) validateParameters(key string, all map[string]ParameterConfig) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p, at := all[name], key+"."+name
		switch {
		case !query.Identifier(name):
			d.bad(at, "name a parameter in lower-case letters, digits and _, beginning with a letter, at most 60")
		case p.Type == "":
			d.badMissing(at+".type", "no type: write string, int, decimal, bool, date or timestamp")
		case len(p.Enum) > 0 && p.Type != "string":
			d.badValue(at+".enum", "only a string has a list of values: remove it, or write type: string")
		case p.Required && p.Default != nil:
			d.badValue(at+".default", "what is required has no default: remove one of the two")
		case p.Default != nil:
			if _, err := records.ReadParameter(name, p.parameter(), *p.Default, zone(d.Zone)); err != nil {
				d.badValue(at+".default", "%s", strings.TrimPrefix(deputy.MessageOf(err), "parameters: "))
			}
		}
	}
}

func (p ParameterConfig) parameter() query.Parameter {
	return query.Parameter{Label: p.Label, Type: query.Type(p.Type), Enum: p.Enum, Optional: !p.Required, Default: p.Default}
}

// widgets are the toolset's.
func (c *Config) widgets() map[string]records.Widget {
	out := map[string]records.Widget{}
	for name, w := range c.Host.Widgets {
		made := records.Widget{Label: w.Label, Parameters: map[string]query.Parameter{}}
		for p, one := range w.Parameters {
			made.Parameters[p] = one.parameter()
		}
		switch {
		case w.Query != nil:
			made.Question = records.Rows(*w.Query)
		case w.Analyze != nil:
			made.Question = w.Analyze.figures()
		}
		out[name] = made
	}
	return out
}

func (w WidgetAnalysisConfig) figures() analysis.Figures {
	f := analysis.Figures{Table: w.Table, Where: w.Where, GroupBy: w.GroupBy, Having: w.Having, OrderBy: w.OrderBy, Limit: w.Limit}
	for _, m := range w.Measures {
		f.Measures = append(f.Measures, analysis.Measure(m))
	}
	return f
}

// checkWidgets finds every mistake of the widgets against the whole schema, whoever may ask them.
func (d *document) checkWidgets(ctx context.Context, h *sqldb.Host) error {
	all := d.Config.widgets()
	if len(all) == 0 {
		return nil
	}
	tables, err := (&parts{host: h}).tables(ctx)
	if err != nil {
		return err
	}
	everything := policy.Role{Tables: map[string]policy.Access{}}
	for _, t := range tables {
		everything.Tables[t.Name] = policy.Access{Read: policy.Fields{All: true}}
	}
	v, err := d.viewOf(ctx, h, policy.Policy{Roles: map[string]policy.Role{"all": everything}}, deputy.Person{Roles: []string{"all"}})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var e *deputy.Error
		switch err := all[name].Check(ctx, v.AtStart()); {
		case err == nil:
		case errors.As(err, &e):
			d.badWidget("host.widgets."+name, d.Host.Widgets[name], e.Message, names(tables))
		default:
			return fmt.Errorf("widget %s: %w", name, err)
		}
	}
	return d.mistakes.err()
}

// badWidget notes what is wrong with a widget, at the argument that a message begins with.
func (d *document) badWidget(key string, w WidgetConfig, message string, tables []string) {
	table, lists := "", map[string][]string{}
	if w.Query != nil {
		key += ".query"
		table, lists["select"], lists["order_by"] = w.Query.Table, w.Query.Select, w.Query.OrderBy
	} else {
		key += ".analyze"
		table, lists["group_by"], lists["order_by"] = w.Analyze.Table, w.Analyze.GroupBy, w.Analyze.OrderBy
		for _, m := range w.Analyze.Measures {
			lists["measures"] = append(lists["measures"], m.Expr)
		}
	}
	if !slices.Contains(tables, table) {
		hint := near.Hint(table, tables)
		if hint == "" {
			hint = firstOf(tables)
		}
		d.badMissing(key+".table", fmt.Sprintf("no table `%s`%s", table, hint))
		return
	}
	argument, text, _ := strings.Cut(withParameter(message), ": ")
	measure, isMeasure := strings.CutPrefix(argument, "measure ")
	switch {
	case isMeasure:
		i := slices.IndexFunc(w.Analyze.Measures, func(m MeasureConfig) bool { return m.As == measure })
		d.badMissing(fmt.Sprintf("%s.measures[%d].expr", key, i), text)
	case argument == "where" || argument == "having":
		d.badMissing(key+"."+argument, text)
	case lists[argument] != nil:
		i := slices.IndexFunc(lists[argument], func(item string) bool { return strings.Contains(text, "in `"+item+"`") })
		d.badMissing(fmt.Sprintf("%s.%s[%d]", key, argument, max(i, 0)), text)
	default:
		d.badMissing(key, message)
	}
}

// withParameter puts the name of the one parameter that an expression has where a message shows its value, which is null while it is checked.
func withParameter(message string) string {
	found := slices.Compact(slices.Sorted(slices.Values(parameterPath.FindAllString(message, -1))))
	if len(found) != 1 {
		return message
	}
	return strings.NewReplacer("`null`", "`"+found[0]+"`", "(null)", "("+found[0]+")").Replace(message)
}

// viewOf is the host as a person may see it under a policy.
func (d *document) viewOf(ctx context.Context, h *sqldb.Host, p policy.Policy, who deputy.Person) (*deputy.View, error) {
	rules, err := p.Compile()
	if err != nil {
		return nil, err
	}
	return guard.New(h, rules).View(ctx, who, deputy.Clock{Now: time.Now(), Zone: zone(d.Zone)})
}

// widgetsOf names the widgets that a person may ask.
func (p *parts) widgetsOf(ctx context.Context, who deputy.Person) (out []string, err error) {
	v, err := p.viewOf(ctx, p.host, p.policy(), who)
	if err != nil {
		return nil, err
	}
	all := p.widgets()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name].Check(ctx, v) == nil {
			out = append(out, name)
		}
	}
	return out, nil
}
