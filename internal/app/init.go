package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/query"
)

// standardOutput is the --out that writes no file.
const standardOutput = "-"

type initCommand struct {
	Database string `arg:"" name:"database-url" help:"The application's database: sqlite:PATH, postgres://… or mysql://…"`
	Out      string `default:"deputy.yaml" help:"The file to write; - is standard output."`
	Force    bool   `help:"Replace the file if it is there."`
}

// Run drafts a configuration over a database that is there.
func (c *initCommand) Run(in invocation) error {
	if err := c.mayWrite(); err != nil {
		return err
	}
	tables, err := c.readSchema(in.ctx)
	if err != nil {
		return err
	}
	d := newDraft(tables)
	d.database, d.store, d.token = c.Database, c.store(), rand.Text()
	text, err := d.fit(maxConfigBytes)
	if err != nil {
		return err
	}
	if c.Out == standardOutput {
		_, err = fmt.Fprint(in.out, text)
		return err
	}
	if err := c.write(text); err != nil {
		return err
	}
	name := shellWord(c.Out)
	_, err = fmt.Fprintf(in.out, "Wrote %s. See that it is good:  deputy check --config %s --as example\n"+
		"Serve it, and sign in with the token in it:  deputy serve --config %s\n", c.Out, name, name)
	return err
}

// mayWrite refuses an --out that could not be written, before anything is read.
func (c *initCommand) mayWrite() error {
	if c.Out == standardOutput {
		return nil
	}
	switch info, err := os.Stat(c.Out); {
	case err == nil && info.IsDir():
		return usageError{"--out " + c.Out + " is a folder; name a file in it"}
	case err == nil && !c.Force:
		return c.exists()
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return usageError{"--out " + c.Out + ": " + reason(err) + "; name another file"}
	}
	if info, err := os.Stat(filepath.Dir(c.Out)); err != nil || !info.IsDir() {
		return usageError{"--out " + c.Out + ": there is no folder " + filepath.Dir(c.Out) + "; make it, or name another file"}
	}
	return nil
}

func (c *initCommand) exists() error {
	return usageError{c.Out + " is there already and stays as it is; name another file with --out, or replace it with --force"}
}

// store is where Deputy's own data goes: beside the configuration, and never into the application's database.
func (c *initCommand) store() string {
	name := "deputy.db"
	if strings.EqualFold(filepath.Base(c.Database), name) || strings.EqualFold(c.Database, "sqlite:"+name) {
		name = "deputy-store.db"
	}
	if c.Out != standardOutput {
		name = filepath.Join(filepath.Dir(c.Out), name)
	}
	return "sqlite:" + name
}

// readSchema describes every table of the database, in the order of their names.
func (c *initCommand) readSchema(ctx context.Context) ([]*query.Table, error) {
	h, err := c.openDatabase(ctx)
	if err != nil {
		return nil, err
	}
	tables, err := allTables(ctx, h)
	if err = errors.Join(err, h.Close()); err != nil {
		return nil, fmt.Errorf("database %s: %w", c.shown(), err)
	}
	if len(tables) == 0 {
		return nil, fmt.Errorf("database %s has no tables; name the one your application works on", c.shown())
	}
	return tables, nil
}

func (c *initCommand) openDatabase(ctx context.Context) (*sqldb.Host, error) {
	d := &document{keys: map[string]position{}, values: map[string]position{}}
	d.Host.Database = c.Database
	if d.validateHost(); len(d.mistakes) > 0 {
		return nil, usageError{"DATABASE_URL: " + d.mistakes[0].Text + ", such as sqlite:shop.db"}
	}
	h, err := openHost(ctx, &d.Config)
	if e := (*sqldb.ConfigError)(nil); errors.As(err, &e) {
		return nil, usageError{"DATABASE_URL: " + e.Message + "; name a database that is there"}
	}
	if err != nil {
		return nil, fmt.Errorf("database %s cannot be read: %s; name a database that this account may read", c.shown(),
			strings.TrimPrefix(err.Error(), "host.database: "))
	}
	return h, nil
}

// shown is what of the database's URL may be shown: no password.
func (c *initCommand) shown() string { return shown(c.Database) }

// shown is what of a database's URL may be shown: a file's path, and of a server no password.
func shown(database string) string {
	scheme, _, _ := strings.Cut(database, ":")
	if scheme == "sqlite" {
		return database
	}
	return scheme + ":…"
}

func allTables(ctx context.Context, h *sqldb.Host) ([]*query.Table, error) {
	list, err := (&parts{host: h}).tables(ctx)
	if err != nil {
		return nil, err
	}
	cat, err := h.Catalog(ctx, deputy.Person{})
	if err != nil {
		return nil, err
	}
	out := make([]*query.Table, len(list))
	for i, summary := range list {
		if out[i], err = cat.Table(ctx, summary.Name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// write makes the file whole or not at all, for its owner's eyes only.
func (c *initCommand) write(text string) error {
	f, err := os.CreateTemp(filepath.Dir(c.Out), ".deputy-*.part") // mode 0600
	if err != nil {
		return fmt.Errorf("--out %s: %w; name a file in a folder that may be written", c.Out, err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = c.place(f.Name())
	}
	if errors.Is(err, fs.ErrExist) {
		return c.exists()
	}
	return err
}

// place gives the finished file its name; without --force only where that name is free.
func (c *initCommand) place(part string) error {
	if c.Force {
		return os.Rename(part, c.Out)
	}
	err := os.Link(part, c.Out)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(c.Out); err == nil { // a file system without links
		return fs.ErrExist
	}
	return os.Rename(part, c.Out)
}

// plainWord is what a shell takes as one word as it stands.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=-]+$`)

func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
