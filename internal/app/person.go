package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/query"
	"example.com/deputy/store/memory"
)

// describePerson says what one person may see and do: in words, then the tools, then table by table with fields and rules.
func (p *parts) describePerson(in invocation, id string) error {
	who, err := p.personNamed(id)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(in.ctx, 30*time.Second)
	defer cancel()
	me, err := p.assistant.Door(deputy.Chat).Me(ctx, who)
	if err != nil {
		return fmt.Errorf("%s: %s", id, deputy.MessageOf(err))
	}
	lines := []string{fmt.Sprintf("%s (%s), roles: %s", me.Person.Name, me.Person.ID, strings.Join(me.Person.Roles, ", "))}
	lines = append(lines, me.Words...)
	if !me.Confirm {
		lines = append(lines, "May not confirm proposals with this token.")
	}
	if me.Killed != nil {
		lines = append(lines, "Nothing is answered now: the kill switch is on.")
	}
	tools, err := p.offered(ctx, who)
	if err != nil {
		return fmt.Errorf("%s: %s", id, deputy.MessageOf(err))
	}
	lines = append(lines, "", "tools: "+orNone(tools))
	if len(p.Host.Widgets) > 0 {
		asks, err := p.widgetsOf(ctx, me.Person)
		if err != nil {
			return fmt.Errorf("%s: %s", id, deputy.MessageOf(err))
		}
		lines = append(lines, "widgets: "+orNone(asks))
	}
	if len(p.Actions) > 0 {
		acts, err := p.actionsOf(ctx, me.Person)
		if err != nil {
			return fmt.Errorf("%s: %s", id, deputy.MessageOf(err))
		}
		lines = append(lines, "actions: "+orNone(acts))
	}
	for _, a := range me.Tables {
		more, err := p.describeTable(ctx, me.Person, a)
		if err != nil {
			return err
		}
		lines = append(lines, more...)
	}
	_, err = fmt.Fprintln(in.out, strings.Join(lines, "\n"))
	return err
}

// offered are the names of the tools that a person is offered. They are asked for in a store of their own: checking leaves nothing behind.
func (p *parts) offered(ctx context.Context, who deputy.Caller) ([]string, error) {
	a, err := p.assemble(ctx, memory.New())
	if err != nil {
		return nil, err
	}
	var out []string
	door := a.Door(deputy.Chat)
	c, err := door.NewConversation(ctx, who, deputy.Conversation{})
	if err == nil {
		var r deputy.Request
		r, err = door.Prompt(ctx, who, c.ID)
		for _, t := range r.Tools {
			out = append(out, t.Name)
		}
	}
	return out, errors.Join(err, a.Close())
}

// describeTable is one table as a person has it: fields by verb, what is hidden, and the rules.
func (p *parts) describeTable(ctx context.Context, who deputy.Person, a deputy.Ability) ([]string, error) {
	full, err := p.host.Catalog(ctx, deputy.Person{})
	if err != nil {
		return nil, err
	}
	t, err := full.Table(ctx, a.Table)
	if err != nil {
		return nil, err
	}
	roles := p.policy().Roles
	var shown, hidden, secret []string
	for _, f := range t.Fields {
		hides := slices.ContainsFunc(who.Roles, func(r string) bool { return slices.Contains(roles[r].Hide, t.Name+"."+f.Name) })
		switch {
		case hides || !a.Rights.Read.Has(f.Name):
			hidden = append(hidden, f.Name)
			continue
		case f.Secret:
			secret = append(secret, f.Name)
		default:
			shown = append(shown, f.Name)
		}
	}
	out := []string{"", fmt.Sprintf("%s (%s)", a.Table, a.Label)}
	say := func(what, text string) { out = append(out, fmt.Sprintf("  %-7s %s", what, text)) }
	say("read", orNone(shown))
	if !a.Rights.Create.None() {
		say("create", orNone(writable(t, a.Rights.Create, shown, true)))
	}
	if !a.Rights.Update.None() {
		say("update", orNone(writable(t, a.Rights.Update, shown, false)))
	}
	if a.Rights.Delete {
		say("delete", "whole records")
	}
	if len(hidden) > 0 {
		say("hidden", strings.Join(hidden, ", "))
	}
	if len(secret) > 0 {
		say("secret", strings.Join(secret, ", ")+": only whether there is a value")
	}
	return out, p.describeRules(ctx, full, t, who, say)
}

// writable are the fields that a verb may set, of those that are shown.
func writable(t *query.Table, may deputy.Fields, shown []string, creating bool) []string {
	var out []string
	for _, name := range shown {
		f, _ := t.Field(name)
		if may.Has(name) && !f.Generated && !f.ReadOnly && (creating || !slices.Contains(t.Key, name)) {
			out = append(out, name)
		}
	}
	return out
}

// describeRules says which records each role of a person is about, for the verbs it grants.
func (p *parts) describeRules(ctx context.Context, full query.Catalog, t *query.Table, who deputy.Person, say func(what, text string)) error {
	roles := p.policy().Roles
	for _, name := range slices.Compact(slices.Sorted(slices.Values(who.Roles))) {
		a, ok := roles[name].Tables[t.Name]
		if !ok {
			a, ok = roles[name].Tables["*"]
			ok = ok && !t.View
		}
		verbs := grantedVerbs(a)
		if !ok || len(verbs) == 0 {
			continue
		}
		rows, results := "every row", ""
		for rule, into := range map[string]*string{a.Rows: &rows, a.WriteRows: &results} {
			if rule == "" {
				continue
			}
			r, err := compileRule(ctx, full, t.Name, rule)
			if err != nil {
				return err
			}
			*into = r.words(who)
		}
		say("rows", fmt.Sprintf("%s (%s): %s", name, strings.Join(verbs, ", "), rows))
		if results != "" && !slices.Equal(verbs, []string{"read"}) {
			say("results", fmt.Sprintf("%s, of a write: %s", name, strings.Replace(results, "sees no row", "writes nothing", 1)))
		}
	}
	return nil
}

func grantedVerbs(a deputy.Access) []string {
	var out []string
	for _, v := range []struct {
		name string
		may  bool
	}{{"read", !a.Read.None()}, {"create", !a.Create.None()}, {"update", !a.Update.None()}, {"delete", a.Delete}} {
		if v.may {
			out = append(out, v.name)
		}
	}
	return out
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
