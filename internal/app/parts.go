package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/internal/near"
	"example.com/deputy/query"
	"example.com/deputy/store/memory"
	"example.com/deputy/store/sqlite"
	"example.com/deputy/toolset/analysis"
	"example.com/deputy/toolset/kernel"
	"example.com/deputy/toolset/present"
	"example.com/deputy/toolset/records"
)

// This file is the one list of what the binary has: every host, store, provider and toolset, chosen by the configuration.

// toolsets are the tools there are; some keep what is theirs in the store.
func toolsets(c *Config, store deputy.Store) []deputy.Toolset {
	return []deputy.Toolset{
		records.New(records.Config{Pages: c.Host.Pages, Widgets: c.widgets()}),
		analysis.Saving(store.Analyses),
		present.New(),
		kernel.New(),
	}
}

// openStore opens Deputy's own data.
func openStore(ctx context.Context, c *Config) (deputy.Store, error) {
	path, err := storePath(c.Store)
	if err != nil {
		return deputy.Store{}, err
	}
	if path == "" {
		return memory.New(), nil
	}
	return sqlite.Open(ctx, path)
}

// openHost opens the business application.
func openHost(ctx context.Context, c *Config) (*sqldb.Host, error) {
	config := sqldb.Config{URL: c.Host.Database, Schemas: c.Host.Schemas, Zone: zone(c.Zone), Tables: map[string]sqldb.Table{}}
	for name, t := range c.Host.Tables {
		table := sqldb.Table{Label: t.Label, RecordLabel: t.RecordLabel, Version: t.Version, Hidden: t.Hidden, Search: t.Search, Fields: map[string]sqldb.Field{}}
		for field, f := range t.Fields {
			table.Fields[field] = sqldb.Field{Label: f.Label, Zone: f.Zone}
		}
		config.Tables[name] = table
	}
	for _, r := range c.Host.Relations {
		config.Relations = append(config.Relations, sqldb.Relation(r))
	}
	return sqldb.Open(ctx, config)
}

// zone is a time zone that validate has seen; UTC where none is named.
func zone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return z
}

// parts are a configuration, put together.
type parts struct {
	*document
	assistant *deputy.Assistant
	host      *sqldb.Host
	store     deputy.Store
	models    []deputy.Model
	tokens    tokens
	tools     []deputy.Toolset
	log       *slog.Logger
	metrics   *metrics
}

// build puts a configuration together. What is wrong with the configuration comes as Mistakes; any other error is a part that does not answer.
func build(ctx context.Context, d *document, log *slog.Logger) (*parts, error) {
	p := &parts{document: d, tokens: newTokens(d.Auth), log: log, metrics: newMetrics()}
	var err error
	if p.models, err = newModels(&d.Config); err != nil {
		return nil, d.located(err, nil)
	}
	if err := d.checkTools(toolsets(&d.Config, memory.New())); err != nil { // by their names, before anything is opened
		return nil, err
	}
	if p.host, err = openHost(ctx, &d.Config); err != nil {
		return nil, d.hostless(ctx, err)
	}
	acts, err := d.openActions(ctx, p.host)
	if err != nil {
		return nil, errors.Join(err, p.host.Close())
	}
	if err := d.checkWidgets(ctx, p.host); err != nil {
		return nil, errors.Join(err, p.host.Close())
	}
	if err := d.ownStore(ctx); err != nil {
		return nil, errors.Join(err, p.host.Close())
	}
	if p.store, err = openStore(ctx, &d.Config); err != nil {
		return nil, errors.Join(fmt.Errorf("store %s: %w", d.Store, err), p.host.Close())
	}
	p.metrics.registry.MustRegister(newPools(poolsOf(p.host, p.store)))
	p.store = p.metrics.counted(p.store)
	p.tools = append(toolsets(&d.Config, p.store), acts...)
	if p.assistant, err = p.assemble(ctx, p.store); err != nil {
		tables, _ := p.tables(ctx) // without them the mistake is the same
		return nil, errors.Join(d.located(err, tables), p.host.Close(), p.store.Close())
	}
	return p, nil
}

// hostless says why there is no host: mistakes in what the configuration says of its tables, or a database that cannot be read, with the
// place of its key.
func (d *document) hostless(ctx context.Context, err error) error {
	var tables []query.Summary
	if !strings.Contains(err.Error(), "no table `") {
		// no table is missed: the database need not be asked again
	} else if bare, err := sqldb.Open(ctx, sqldb.Config{URL: d.Host.Database, Schemas: d.Host.Schemas}); err == nil {
		tables, _ = (&parts{host: bare}).tables(ctx) // without them the mistake is the same
		_ = bare.Close()                             // it was only read
	}
	err = d.located(err, tables)
	if mistakes := (Mistakes)(nil); !errors.As(err, &mistakes) {
		at := Mistake{File: d.file, at: d.values["host.database"], Key: "host.database", Text: strings.TrimPrefix(err.Error(), "host.database: ")}
		err = errors.New(at.String() + "; name a database that this account may read")
	}
	return err
}

// assemble makes the assistant that keeps its own data in a store.
func (p *parts) assemble(ctx context.Context, store deputy.Store) (*deputy.Assistant, error) {
	return deputy.New(ctx, deputy.Config{
		Name: p.Assistant.Name, Instructions: p.Assistant.Instructions, Host: p.host, Models: p.models, Store: store, Policy: p.policy(),
		Toolsets: p.tools, Core: p.core(), Directory: p.tokens, Limits: p.limits(), Zone: zone(p.Zone), Log: p.log, Observe: p.observe,
	})
}

// Close ends the assistant and closes what it stood on.
func (p *parts) Close() error { return errors.Join(p.assistant.Close(), p.host.Close()) }

// checkTools refuses a tool that a role names and that does not exist.
func (d *document) checkTools(sets []deputy.Toolset) error {
	names := toolNames(sets)
	d.checkActions(sets)
	for role, r := range d.Policy.Roles {
		for i, t := range r.Tools {
			if _, action := d.Actions[t]; !action && !strings.ContainsAny(t, "*?[\\") && !slices.Contains(names, t) {
				d.badValue(fmt.Sprintf("policy.roles.%s.tools[%d]", role, i), "no such tool: %s%s", t, near.Hint(t, names))
			}
		}
	}
	if d.Toolsets.Core != nil {
		sets := setNames(sets)
		if len(d.Actions) > 0 {
			sets = append(sets, "actions")
		}
		for i, name := range *d.Toolsets.Core {
			if !slices.Contains(sets, name) {
				d.badValue(fmt.Sprintf("toolsets.core[%d]", i), "no such toolset: %s%s", name, near.Hint(name, sets))
			}
		}
	}
	return d.mistakes.err()
}

func setNames(sets []deputy.Toolset) []string {
	out := make([]string, len(sets))
	for i, s := range sets {
		out[i] = s.Name
	}
	return out
}

func toolNames(sets []deputy.Toolset) (out []string) {
	for _, s := range sets {
		for _, t := range s.Tools {
			out = append(out, t.Name())
		}
	}
	return out
}
