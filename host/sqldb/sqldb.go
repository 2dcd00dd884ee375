// Package sqldb is the host that is a SQL database: its schema read from the database itself, questions compiled to SQL with every value
// bound, and writes made in one transaction.
package sqldb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/query"
)

// Host is a database as a host. It is safe for concurrent use. The schema is read once, by Open.
type Host struct {
	db      engine
	catalog *catalog
}

var _ deputy.Host = (*Host)(nil)

// Open connects to the database, reads its schema and applies the configuration. Mistakes of the configuration are all reported together,
// each a *ConfigError. Close the host when it is no longer used.
func Open(ctx context.Context, c Config) (*Host, error) {
	if c.Zone == nil {
		c.Zone = time.UTC
	}
	if c.Busy == 0 {
		c.Busy = 5 * time.Second
	}
	db, err := connect(ctx, c)
	if err != nil {
		return nil, err
	}
	h := &Host{db: db}
	if err := h.read(ctx, c); err != nil {
		db.close()
		return nil, err
	}
	return h, nil
}

// connect finds the engine that a URL names.
func connect(ctx context.Context, c Config) (engine, error) {
	name, rest, _ := strings.Cut(c.URL, ":")
	switch {
	case name == "sqlite" && rest != "":
		return openSQLite(c)
	case name == "postgres" || name == "postgresql":
		return openPostgres(ctx, c)
	case name == "mysql" || name == "mariadb":
		return openMaria(ctx, c)
	}
	return nil, mistake("host.database", "`%s` is no database that can be opened; write sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE", scheme(c.URL))
}

// scheme is what of a database's URL can be shown: never a password.
func scheme(url string) string {
	if s, _, ok := strings.Cut(url, ":"); ok {
		return s + ":…"
	}
	return url
}

func (h *Host) read(ctx context.Context, c Config) error {
	s, err := h.db.schema(ctx)
	if e := (*ConfigError)(nil); err != nil && !errors.As(err, &e) {
		err = fmt.Errorf("host.database: %w", err)
	}
	if err != nil {
		return err
	}
	if h.catalog, err = newCatalog(s, c); err != nil {
		return err
	}
	h.db.know(h.catalog, c.Zone)
	return nil
}

// Close ends all connections.
func (h *Host) Close() error { return h.db.close() }

// Catalog implements deputy.Host; a database without rights of its own is the same for everybody.
func (h *Host) Catalog(ctx context.Context, _ deputy.Person) (query.Catalog, error) {
	return h.catalog, ctx.Err()
}
