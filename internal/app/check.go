package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	if err := d.mayServe(); err != nil {
		return err
	}
	store, err := d.spareStore()
	if err != nil {
		return err
	}
	p, err := build(in.ctx, d, newLog(in.errOut, LogConfig{}, slog.LevelWarn))
	if err != nil {
		return err
	}
	if c.As != "" {
		err = p.describePerson(in, c.As)
	} else {
		err = p.describe(in, store)
	}
	return errors.Join(err, p.Close())
}

// spareStore says how the store is. One that is not there yet is left to serve to make: checking leaves nothing behind, so it stands on memory.
func (d *document) spareStore() (string, error) {
	path, err := storePath(d.Store)
	if err != nil || path == "" {
		return "memory: answers", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return path + " answers", nil
	}
	probe, err := os.CreateTemp(filepath.Dir(path), ".deputy-*.part")
	if err != nil {
		return "", fmt.Errorf("store %s: cannot be made: %s; name a file in a folder that may be written, in the key store", path, reason(err))
	}
	d.Store = "memory:"
	return path + " is not there yet: serve makes it", errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// describe says, a line each, what was found good; store is how the store is.
func (p *parts) describe(in invocation, store string) error {
	say := func(what, format string, args ...any) {
		_, _ = fmt.Fprintf(in.out, "%-14s %s\n", what, fmt.Sprintf(format, args...)) // a reader that is gone is not ours to mend
	}
	if err := p.ready(in.ctx); err != nil {
		return err
	}
	tables, err := p.tables(in.ctx)
	if err != nil {
		return fmt.Errorf("database %s: %w", shown(p.Host.Database), err)
	}
	say("configuration", "%s is good", p.file)
	say("database", "%s answers: %d tables", shown(p.Host.Database), len(tables))
	say("tables", "%s", strings.Join(names(tables), ", "))
	say("store", "%s", store)
	say("policy", "%d roles compile: %s", len(p.Policy.Roles), strings.Join(slices.Sorted(maps.Keys(p.Policy.Roles)), ", "))
	say("people", "%d tokens", len(p.Auth.Tokens))
	if p.Metrics != "" {
		say("metrics", "serve tells them at http://%s/metrics", p.metricsAddress())
		if !loopback(p.metricsAddress()) {
			say("warning", "metrics: whoever reaches %s reads them, without a credential: write 127.0.0.1:PORT, or keep others away from it", p.Metrics)
		}
	}
	for _, set := range p.tools {
		var tools []string
		for _, t := range set.Tools {
			tools = append(tools, t.Name())
		}
		say("toolset", "%s: %s", set.Name, strings.Join(tools, ", "))
	}
	if len(p.Host.Widgets) > 0 {
		say("widgets", "%s", strings.Join(slices.Sorted(maps.Keys(p.Host.Widgets)), ", "))
	}
	warnings, err := p.warnings(in.ctx, tables)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		say("warning", "%s", w)
	}
	return p.probeAll(in.ctx, say)
}

// probeAll asks every model whether it is there.
func (p *parts) probeAll(ctx context.Context, say func(what, format string, args ...any)) error {
	var errs []error
	for i, m := range p.models {
		info, err := m.Info(), p.probe(ctx, i)
		if err != nil {
			errs = append(errs, fmt.Errorf("model %s: %w", info.Name, err))
			continue
		}
		say("model", "%s (%s %s) answers", info.Name, info.Provider, info.Model)
	}
	return errors.Join(errs...)
}

func (p *parts) storeName() string {
	if p.Store == "" {
		return "sqlite:deputy.db"
	}
	return p.Store
}

func names(tables []query.Summary) []string {
	out := make([]string, len(tables))
	for i, t := range tables {
		out[i] = t.Name
	}
	return out
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
