package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the tables up to date, forward only. Processes that start at once on one file get past each other.
func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	goose, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithTableName("deputy_migrations"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	sources := goose.ListSources()
	target := sources[len(sources)-1].Version
	at, err := version(ctx, db)
	for err == nil && at < target {
		_, failed := goose.Up(ctx)
		before := at
		if at, err = version(ctx, db); err == nil && failed != nil && at == before {
			return fmt.Errorf("bringing its tables up to date: %w", failed)
		}
	}
	if err == nil && at > target {
		return fmt.Errorf("its tables are version %d and this Deputy knows %d: a newer one has used the file. Start that one, or restore a backup from before", at, target)
	}
	return err
}

// version is that of the tables; 0 where there are none.
func version(ctx context.Context, db *sql.DB) (v int64, err error) {
	var there bool
	err = db.QueryRowContext(ctx, `SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = 'deputy_migrations'`).Scan(&there)
	if err != nil || !there {
		return 0, err
	}
	err = db.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM deputy_migrations WHERE is_applied`).Scan(&v)
	return v, err
}
