package app

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// storeInUse is the absolute path of a store that a server has made. It makes nothing.
func storeInUse(ctx context.Context, path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		switch _, made, err := tablesIn(ctx, path); {
		case err != nil:
			return "", fmt.Errorf("store %s: %w", path, err)
		case made:
			return path, nil
		}
	}
	return "", fmt.Errorf("store %s: there is no store here: no server has run on it; relative paths are relative to the current folder", path)
}

// tablesIn counts the tables of a database, and says whether the one that the switch is kept in is among them: whether it is a store.
func tablesIn(ctx context.Context, path string) (tables int, store bool, err error) {
	source := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: "mode=rw&_query_only=1&_busy_timeout=5000"}
	db, err := sql.Open("sqlite", source.String()) // the driver that store/sqlite stands on
	if err != nil {
		return 0, false, err
	}
	err = db.QueryRowContext(ctx, "SELECT count(*), coalesce(sum(name = 'deputy_settings'), 0) > 0 FROM sqlite_master WHERE type = 'table'").Scan(&tables, &store)
	return tables, store, errors.Join(err, db.Close())
}

// ownStore refuses a file for Deputy's own data that is somebody else's: the application's database, or one with other tables in it.
func (d *document) ownStore(ctx context.Context) error {
	path, err := storePath(d.Store)
	if err != nil || path == "" {
		return err
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() == 0 {
		return nil // it is made, or cannot be, and that is said then
	}
	at := Mistake{File: d.file, at: d.values["store"], Key: "store"}
	if file, ok := strings.CutPrefix(d.Host.Database, "sqlite:"); ok {
		if host, err := os.Stat(file); err == nil && os.SameFile(info, host) {
			at.Text = "this is the application's database: name a file of its own for Deputy's data"
			return Mistakes{at}
		}
	}
	if tables, store, err := tablesIn(ctx, path); err == nil && tables > 0 && !store {
		at.Text = fmt.Sprintf("%s is a database with other tables in it: name a file of its own for Deputy's data", path)
		return Mistakes{at}
	}
	return nil
}
