// Package actions is the toolset of the changes that a business has names for: an order is cancelled, an invoice refunded. The operator declares
// them; each is one tool, which changes a record, and what hangs on it, as one proposal.
package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

// Most is how many records one action changes at most, the one it acts on counted too.
const Most = 50

// Action is a change that the business has a name for. Its texts are expressions of the language, about the record it acts on as that is before
// anything is changed, with parameters.x and person.x; they are evaluated as the person.
type Action struct {
	Label      string                     // a verb phrase for people: Cancel an order
	Table      string                     // of the record it acts on
	When       string                     // a condition: tested when it is proposed, and again, with the record held, when it is confirmed; empty: none
	Parameters map[string]query.Parameter // what is asked for beside the id of the record
	Set        map[string]string          // by field: the record's new values
	Then       []Step                     // in their order, after the record itself
}

// Step is one more thing that an action does: exactly one of its parts is set.
type Step struct {
	Create *Create
	Update *Update
}

// Create makes a record.
type Create struct {
	Table  string
	Values map[string]string // by field: expressions about the record that is acted on
}

// Update changes children of the record.
type Update struct {
	Children string            // the relation that leads to them
	Where    string            // a condition about a child; empty: all of them
	Set      map[string]string // by field: expressions about the child
}

// New makes the toolset of actions by name, checked against the host's whole catalog: the errors are *deputy.ConfigError, joined, with paths
// that begin with actions.
func New(ctx context.Context, full query.Catalog, all map[string]Action) (deputy.Toolset, error) {
	set := deputy.Toolset{Name: "actions", Description: "Change the business in the ways that have a name."}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := &checker{ctx: ctx, full: full, name: name, Action: all[name]}
		c.check()
		if errs = append(errs, c.errs...); len(c.errs) == 0 {
			set.Tools = append(set.Tools, action{name, all[name], c.grants}.tool())
			if !slices.Contains(set.Tables, all[name].Table) {
				set.Tables = append(set.Tables, all[name].Table)
			}
		}
	}
	return set, errors.Join(errs...)
}

// action is one that was checked.
type action struct {
	name string
	Action
	grants []deputy.Grant
}

func (a action) tool() deputy.Tool {
	return deputy.ProposeTool(deputy.Definition{
		Name: a.name, Label: "Proposed: " + a.title(), Action: a.title(), Description: a.describe(), Operation: "POST /table/" + a.Table + "/{id}/" + a.name,
		Schema: a.schema(), Offered: a.offered, Grants: a.grants,
	}, func(ctx context.Context, s *deputy.Scope, in json.RawMessage) (deputy.Draft, error) {
		return a.propose(ctx, s, in)
	})
}

// title is what the action is called.
func (a Action) title() string { return strings.TrimSuffix(strings.TrimSpace(a.Label), ".") }

// describe tells a model what the action does.
func (a action) describe() string {
	out := fmt.Sprintf("%s. Acts on one record of %s", a.title(), a.Table)
	if a.When != "" {
		out += ", only while " + oneLine(a.When)
	}
	var does []string
	if len(a.Set) > 0 {
		does = append(does, "sets "+fieldsOf(a.Set))
	}
	for _, s := range a.Then {
		if s.Create != nil {
			does = append(does, "creates a record of "+s.Create.Table)
		} else {
			does = append(does, "sets "+fieldsOf(s.Update.Set)+" of its "+s.Update.Children)
		}
	}
	return out + ". " + strings.ToUpper(does[0][:1]) + strings.Join(does, "; ")[1:] + ". The person is shown every change and confirms it."
}

func fieldsOf(values map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(values)), ", ")
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// offered is to who may read all that the action names: to others it is not there.
func (a action) offered(ctx context.Context, v *deputy.View) (bool, error) {
	err := Hidden(ctx, v, a.Action)
	switch deputy.CodeOf(err) {
	case deputy.Invalid, deputy.NotFound, deputy.Unprocessable:
		return false, nil
	}
	return err == nil, err
}

// Hidden says what of an action a view does not show; nil: nothing. Who is not shown it is not offered the action.
func Hidden(ctx context.Context, v *deputy.View, a Action) error {
	_, err := a.read(ctx, v.Given(query.Blank(a.Parameters)))
	return err
}
