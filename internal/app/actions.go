package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/near"
	"example.com/deputy/query"
	"example.com/deputy/toolset/actions"
)

// ActionConfig is a change that the business has a name for.
type ActionConfig struct {
	Label      string                           `json:"label" doc:"a verb phrase for people, such as Cancel an order"`
	Table      string                           `json:"table" doc:"by offered name: of the record it acts on"`
	When       string                           `json:"when,omitempty" doc:"a condition on the record: tested when it is proposed and again when it is confirmed; absent: none"`
	Parameters map[string]ActionParameterConfig `json:"parameters,omitempty" doc:"by name: what its expressions read as parameters.x"`
	Set        map[string]string                `json:"set,omitempty" doc:"by field: what the record is to be, each an expression"`
	Then       []StepConfig                     `json:"then,omitempty" doc:"what else it changes, in this order"`
}

// ActionParameterConfig is what is asked for beside the id of the record.
type ActionParameterConfig struct {
	Label    string   `json:"label,omitempty" doc:"what it is, where the name does not say as much"`
	Type     string   `json:"type" doc:"of the value" enum:"string,int,decimal,bool,date,timestamp"`
	Enum     []string `json:"enum,omitempty" doc:"of a string: the values that it may have"`
	Optional bool     `json:"optional,omitempty" doc:"true: it may be left out, and is null then"`
}

// StepConfig is one more thing that an action does.
type StepConfig struct {
	Create *CreateConfig `json:"create,omitempty" doc:"makes a record; or update"`
	Update *UpdateConfig `json:"update,omitempty" doc:"changes children of the record; or create"`
}

// CreateConfig makes a record.
type CreateConfig struct {
	Table  string            `json:"table" doc:"by offered name"`
	Values map[string]string `json:"values,omitempty" doc:"by field: expressions about the record that is acted on"`
}

// UpdateConfig changes children of the record that is acted on.
type UpdateConfig struct {
	Children string            `json:"children" doc:"the relation that leads to them"`
	Where    string            `json:"where,omitempty" doc:"a condition on a child; absent: all of them"`
	Set      map[string]string `json:"set" doc:"by field: what a child is to be, expressions about the child"`
}

// actions are the toolset's.
func (c *Config) actions() map[string]actions.Action {
	out := map[string]actions.Action{}
	for name, a := range c.Actions {
		made := actions.Action{Label: a.Label, Table: a.Table, When: a.When, Set: a.Set, Parameters: map[string]query.Parameter{}}
		for p, one := range a.Parameters {
			made.Parameters[p] = query.Parameter{Type: query.Type(one.Type), Label: one.Label, Enum: one.Enum, Optional: one.Optional}
		}
		for _, s := range a.Then {
			made.Then = append(made.Then, actions.Step{Create: (*actions.Create)(s.Create), Update: (*actions.Update)(s.Update)})
		}
		out[name] = made
	}
	return out
}

// checkActions refuses an action whose name another tool has, an empty condition, and a role's action that does not exist.
func (d *document) checkActions(sets []deputy.Toolset) {
	for _, name := range slices.Sorted(maps.Keys(d.Actions)) {
		if slices.Contains(toolNames(sets), name) {
			d.bad("actions."+name, "there is a tool of this name: take another one")
		}
		d.emptyCondition("actions."+name+".when", d.Actions[name].When)
		for i, s := range d.Actions[name].Then {
			if s.Update != nil {
				d.emptyCondition(fmt.Sprintf("actions.%s.then[%d].update.where", name, i), s.Update.Where)
			}
		}
	}
	for role, r := range d.Policy.Roles {
		for i, name := range r.Actions {
			if _, ok := d.Actions[name]; !ok && strings.Contains(name, "*") {
				d.badValue(fmt.Sprintf("policy.roles.%s.actions[%d]", role, i), "no pattern here: name each action by itself")
			} else if !ok {
				d.badValue(fmt.Sprintf("policy.roles.%s.actions[%d]", role, i), "no such action: %s%s", name, near.Hint(name, slices.Sorted(maps.Keys(d.Actions))))
			}
		}
		for i, name := range r.Tools {
			if _, ok := d.Actions[name]; ok {
				d.badValue(fmt.Sprintf("policy.roles.%s.tools[%d]", role, i), "%s is an action: name it in actions", name)
			}
		}
	}
}

func (d *document) emptyCondition(key, text string) {
	if _, stands := d.keys[key]; stands && strings.TrimSpace(text) == "" {
		d.badMissing(key, "an empty condition would mean every record: write one, or remove the key")
	}
}

// openActions makes the actions' toolset, which has to know the schema; none where none is declared.
func (d *document) openActions(ctx context.Context, h *sqldb.Host) ([]deputy.Toolset, error) {
	if len(d.Actions) == 0 {
		return nil, nil
	}
	full, err := h.Catalog(ctx, deputy.Person{})
	if err != nil {
		return nil, err
	}
	set, err := actions.New(ctx, full, d.actions())
	if err == nil {
		return []deputy.Toolset{set}, nil
	}
	tables, _ := (&parts{host: h}).tables(ctx) // without them the mistake is the same
	return nil, d.located(err, tables)
}

// idleActions warns of actions that a role names and its people are never offered, for what they may not read.
func (p *parts) idleActions(ctx context.Context) (out []string, err error) {
	for _, role := range slices.Sorted(maps.Keys(p.Policy.Roles)) {
		if len(p.Policy.Roles[role].Actions) == 0 {
			continue
		}
		v, err := p.viewOf(ctx, p.host, p.policy(), deputy.Person{Roles: []string{role}})
		if err != nil {
			return nil, err
		}
		for i, name := range p.Policy.Roles[role].Actions {
			why := actions.Hidden(ctx, v.AtStart(), p.actions()[name])
			if e := (*deputy.Error)(nil); errors.As(why, &e) {
				out = append(out, p.placed(fmt.Sprintf("policy.roles.%s.actions[%d]", role, i))+
					name+" is not offered by this role alone: it names what the role may not read: "+e.Message)
			}
		}
	}
	return out, nil
}

// actionsOf names the actions that a person is offered.
func (p *parts) actionsOf(ctx context.Context, who deputy.Person) (out []string, err error) {
	v, err := p.viewOf(ctx, p.host, p.policy(), who)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(p.Actions)) {
		has := p.policy().Any(who.Roles, func(r deputy.Role) bool { return slices.Contains(r.Actions, name) })
		if has && actions.Hidden(ctx, v, p.actions()[name]) == nil {
			out = append(out, name)
		}
	}
	return out, nil
}
