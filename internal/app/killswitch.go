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
	State      string `arg:"" enum:"on,off,show" help:"on: stop every assistant on the store; off: let them go on; show: say which it is, and change nothing."`
	Reason     string `help:"Why; people are told."`
	ConfigPath string `name:"config" default:"deputy.yaml" help:"The configuration file; only its store is used."`
}

// Run reads or throws the switch. It needs the store alone: a configuration with other mistakes must not be in the way of stopping everything.
func (c *killCommand) Run(in invocation) error {
	d, err := load(c.ConfigPath)
	if d == nil {
		return err
	}
	if err := d.storeMistakes(); err != nil {
		return err
	}
	path, err := storePath(d.Store)
	switch {
	case err != nil:
		return err
	case path == "":
		return usageError{"the store of " + c.ConfigPath + " is memory:, which no other process can reach; use the page or PUT /v1/admin/kill-switch of the running server"}
	}
	if path, err = storeInUse(in.ctx, path); err != nil {
		return err
	}
	store, err := openStore(in.ctx, &d.Config)
	if err != nil {
		return fmt.Errorf("store %s: %w", path, err)
	}
	k, err := c.throw(in.ctx, store.Settings)
	if err == nil {
		_, err = fmt.Fprintf(in.out, "%s\nstore: %s\n", describeSwitch(k), path)
	}
	return errors.Join(err, store.Close())
}

// storeMistakes are those that leave open which store is meant: of the key itself, and an unknown key where it is absent, which may be it.
func (d *document) storeMistakes() error {
	_, stands := d.keys["store"]
	var out Mistakes
	for _, m := range d.mistakes {
		if m.Key == "store" || m.first && !stands {
			out = append(out, m)
		}
	}
	return out.err()
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
