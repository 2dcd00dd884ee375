package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	modernc "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"example.com/deputy/query"
)

// readers is how many questions run at once; others wait.
const readers = 8

// sqlite is a SQLite database: one pool of connections that cannot write, and one connection that can.
type sqlite struct {
	reads, writes *sql.DB
	prepared      *prepared // over reads
	columns       []*column // what the function deputy_value reads, by number; fixed once the schema is read
	zone          *time.Location
	calls         sync.Map // of the statements under way: number → *call
	last          atomic.Int64
}

// connector opens connections of a driver of its own, so that nothing is registered for the process.
type connector struct {
	driver *modernc.Driver
	name   string
}

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.name) }

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver { return c.driver }

func openSQLite(c Config) (*sqlite, error) {
	if c.Schemas != nil {
		return nil, mistake("host.schemas", "a SQLite database has no schemas; leave the key out")
	}
	path, wait := strings.TrimPrefix(c.URL, "sqlite:"), c.Busy
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if full, err := filepath.Abs(path); err == nil && full != path {
			return nil, mistake("host.database", "there is no file %s, that is %s", path, full)
		}
		return nil, mistake("host.database", "there is no file %s", path)
	}
	db := &sqlite{}
	d := &modernc.Driver{}
	if err := db.register(d); err != nil {
		return nil, fmt.Errorf("registering functions: %w", err)
	}
	db.reads = sql.OpenDB(connector{d, sqliteName(path, wait, "mode", "ro", "_query_only", "1")})
	db.reads.SetMaxOpenConns(readers)
	db.reads.SetMaxIdleConns(readers)
	db.reads.SetConnMaxIdleTime(time.Minute)
	db.prepared = &prepared{db: db.reads}
	db.writes = sql.OpenDB(connector{d, sqliteName(path, wait, "mode", "rw", "_foreign_keys", "1")})
	db.writes.SetMaxOpenConns(1)
	return db, nil
}

// sqliteName is the file and how it is to be opened. A name in double quotes that is not there is an error, never a text.
func sqliteName(path string, wait time.Duration, options ...string) string {
	q := url.Values{"_dqs": {"0"}, "_defensive": {"1"}, "_busy_timeout": {fmt.Sprint(wait.Milliseconds())}}
	for i := 0; i < len(options); i += 2 {
		q.Set(options[i], options[i+1])
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}).String()
}

func (db *sqlite) close() error { return errors.Join(db.reads.Close(), db.writes.Close()) }

func (db *sqlite) schema(ctx context.Context) (s *schema, err error) {
	err = db.reading(ctx, func(querier) error {
		s, err = readSQLite(ctx, db.reads)
		return err
	})
	return s, err
}

// reading asks on a connection that cannot write. Where a program died while it wrote, nobody can read before a connection that can write has
// undone what that one had begun: any reading of its own does.
func (db *sqlite) reading(ctx context.Context, ask func(querier) error) error {
	err := ask(db.prepared)
	if c := code(err); c != sqlite3.SQLITE_READONLY_ROLLBACK && c != sqlite3.SQLITE_READONLY_RECOVERY {
		return err
	}
	var n int
	if undone := db.writes.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n); undone != nil {
		return errors.Join(err, undone)
	}
	return ask(db.prepared)
}

func (db *sqlite) ask(ctx context.Context, q question) ([][]query.Value, error) {
	return askInSteps(ctx, db, q)
}

func (db *sqlite) begin(ctx context.Context) (session, error) {
	conn, err := db.writes.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func (db *sqlite) rollback(ctx context.Context, conn session) error {
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil && !notBegun(err) {
		return err
	}
	return nil
}

// know numbers the columns for deputy_value.
func (db *sqlite) know(c *catalog, zone *time.Location) {
	db.zone = zone
	for _, t := range c.list {
		for _, col := range t.columns {
			if col.zone == nil {
				col.zone = zone
			}
			col.exact = asKept(col) == "integer" && (t.strict || t.autoKey && col.name == t.key[0])
			col.number = len(db.columns)
			db.columns = append(db.columns, col)
		}
	}
}
