package app

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"time"

	"example.com/deputy"
)

type killCommand struct {
	State      string `arg:"" enum:"on,off,show" help:"on, off or show"`
	Reason     string `help:"Why; people are told."`
	ConfigPath string `name:"config" default:"deputy.yaml" help:"The configuration file; only its store is used."`
}

// Run reads or throws the switch. It needs the store alone: a configuration with other mistakes must not be in the way of stopping everything.
func (c *killCommand) Run(in invocation) error {
	d, err := load(c.ConfigPath)
	if d == nil {
		return err
	}
	for _, m := range d.mistakes {
		if m.Key == "store" {
			return Mistakes{m}
		}
	}
	switch path, err := storePath(d.Store); {
	case err != nil:
		return err
	case path == "":
		return usageError{"the store of " + c.ConfigPath + " is memory:, which no other process can reach; use the page or PUT /v1/admin/kill-switch of the running server"}
	case c.State == "show" && openable(path) != nil:
		return fmt.Errorf("store %s cannot be opened: %w", d.Store, openable(path))
	}
	store, err := openStore(in.ctx, &d.Config)
	if err != nil {
		return fmt.Errorf("store %s: %w", d.Store, err)
	}
	k, err := c.throw(in.ctx, store.Settings)
	if err == nil {
		_, err = fmt.Fprintln(in.out, describeSwitch(k))
	}
	return errors.Join(err, store.Close())
}

func (c *killCommand) throw(ctx context.Context, s deputy.Settings) (deputy.KillSwitch, error) {
	if c.State == "show" {
		return deputy.ReadKillSwitch(ctx, s)
	}
	k := deputy.KillSwitch{All: c.State == "on", Reason: c.Reason, By: operator(), At: time.Now().UTC().Truncate(time.Second)}
	return k, deputy.WriteKillSwitch(ctx, s, k)
}

// operator is who types: the account's name, for people to read.
func operator() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "command line"
}

func describeSwitch(k deputy.KillSwitch) string {
	out := "off: assistants answer"
	if k.All {
		out = "on: everything is stopped"
	}
	if k.Reason != "" {
		out += " (" + k.Reason + ")"
	}
	if k.By != "" {
		out += ", by " + k.By
	}
	if !k.At.IsZero() {
		out += ", " + k.At.Format(time.RFC3339)
	}
	return out
}
