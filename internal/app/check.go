package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/query"
)

type checkCommand struct {
	ConfigPath string `name:"config" default:"deputy.yaml" help:"The configuration file."`
	As         string `help:"An id of auth.tokens: say what that person may see and do."`
}

// Run validates everything without serving.
func (c *checkCommand) Run(in invocation) error {
	d, err := load(c.ConfigPath)
	if err != nil {
		return err
	}
	p, err := build(in.ctx, d, newLog(in.errOut, slog.LevelWarn))
	if err != nil {
		return err
	}
	if c.As != "" {
		err = p.describePerson(in, c.As)
	} else {
		err = p.describe(in)
	}
	return errors.Join(err, p.Close())
}

// describe says, a line each, what was found good.
func (p *parts) describe(in invocation) error {
	say := func(what, format string, args ...any) {
		_, _ = fmt.Fprintf(in.out, "%-14s %s\n", what, fmt.Sprintf(format, args...)) // a reader that is gone is not ours to mend
	}
	if err := p.ready(in.ctx); err != nil {
		return err
	}
	tables, err := p.tables(in.ctx)
	if err != nil {
		return fmt.Errorf("database %s: %w", p.Host.Database, err)
	}
	say("configuration", "%s is good", p.file)
	say("database", "%s answers: %d tables", p.Host.Database, len(tables))
	say("store", "%s answers", p.storeName())
	say("policy", "%d roles compile: %s", len(p.Policy.Roles), strings.Join(slices.Sorted(maps.Keys(p.Policy.Roles)), ", "))
	say("people", "%d tokens", len(p.Auth.Tokens))
	for _, set := range p.tools {
		var names []string
		for _, t := range set.Tools {
			names = append(names, t.Name())
		}
		say("toolset", "%s: %s", set.Name, strings.Join(names, ", "))
	}
	var errs []error
	for i, m := range p.models {
		info, err := m.Info(), p.probe(in.ctx, i)
		if err != nil {
			errs = append(errs, fmt.Errorf("model %s: %w", info.Name, err))
			continue
		}
		say("model", "%s (%s %s) answers", info.Name, info.Provider, info.Model)
	}
	if len(p.Auth.Tokens) == 0 {
		say("note", "no auth.tokens: serve would refuse to start")
	}
	return errors.Join(errs...)
}

func (p *parts) storeName() string {
	if p.Store == "" {
		return "sqlite:deputy.db"
	}
	return p.Store
}

// tables are the names of all tables that are offered to anybody.
func (p *parts) tables(ctx context.Context) ([]query.Summary, error) {
	cat, err := p.host.Catalog(ctx, deputy.Person{})
	if err != nil {
		return nil, err
	}
	var out []query.Summary
	for after := ""; ; after = out[len(out)-1].Name {
		page, err := cat.Tables(ctx, "", after)
		if err != nil || len(page) == 0 {
			return out, err
		}
		out = append(out, page...)
	}
}

// probe asks a model's server whether it is there and takes the key, without spending a token: its list of models.
func (p *parts) probe(ctx context.Context, i int) error {
	if i >= len(p.Models) || p.Models[i].Provider != "openai" {
		return nil // made of this binary's own code: nothing to reach
	}
	_, err := listModels(ctx, p.Models[i].BaseURL, p.Models[i].APIKey)
	return err
}

// statusError is a server's refusal.
func statusError(url string, status int) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%s refuses the key (%d): mend api_key", url, status)
	}
	return fmt.Errorf("%s answers %d: mend base_url", url, status)
}

// describePerson says what one person may see and do, in words.
func (p *parts) describePerson(in invocation, id string) error {
	who, ok := p.tokens.byID(id)
	if !ok {
		var ids []string
		for _, t := range p.Auth.Tokens {
			ids = append(ids, t.ID)
		}
		return usageError{fmt.Sprintf("--as %s: no such id in auth.tokens%s", id, near(id, ids))}
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
	_, err = fmt.Fprintln(in.out, strings.Join(lines, "\n"))
	return err
}
