package sqldb

import (
	"context"
	"crypto/tls"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"example.com/deputy/query"
)

// maria is a MariaDB database, or one that speaks MySQL's dialect: a pool for questions, one for writes, and one connection that stops
// what the others are doing.
type maria struct {
	reads, writes *sql.DB
	kills         *sql.DB
	mysql         bool // not MariaDB
	binary        string
	folds         string // the collation whose LOWER is the nearest to Go's
	letters       []letter
	zones         sync.Map // zoneKey → *shifts
	ids           numbers
}

// letter is one that the server's LOWER makes another of than Go does.
type letter struct{ from, to string }

var _ engine = (*maria)(nil)

const mariaForm = "mysql://USER:PASSWORD@HOST:3306/DATABASE"

func openMaria(ctx context.Context, c Config) (*maria, error) {
	if c.Schemas != nil {
		return nil, mistake("host.schemas", "a MariaDB database has no schemas; leave the key out, and name the database in the URL")
	}
	config, err := mariaConfig(c)
	if err != nil {
		return nil, err
	}
	db := &maria{}
	if err := db.connect(ctx, config, c); err != nil {
		return nil, errors.Join(err, db.close())
	}
	return db, nil
}

// mariaConfig reads a URL as the driver wants it.
func mariaConfig(c Config) (*mysql.Config, error) {
	u, err := url.Parse(c.URL)
	if err != nil || len(u.Path) < 2 { // its text may hold the password
		return nil, mistake("host.database", "the URL cannot be read; write %s", mariaForm)
	}
	out := mysql.NewConfig()
	out.Net, out.Addr, out.DBName = "tcp", u.Host, u.Path[1:]
	if u.Host != "" && u.Port() == "" {
		out.Addr += ":3306"
	}
	if socket := u.Query().Get("socket"); socket != "" {
		out.Net, out.Addr = "unix", socket
	}
	out.User = u.User.Username()
	out.Passwd, _ = u.User.Password()
	switch mode := u.Query().Get("tls"); mode {
	case "", "false":
	case "true":
		out.TLS = &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
	case "preferred", "skip-verify":
		out.TLSConfig = mode
	default:
		return nil, mistake("host.database", "`tls=%s`: write true, preferred, skip-verify or false", mode)
	}
	out.ClientFoundRows, out.Timeout, out.Logger, out.ConnectionAttributes = true, 10*time.Second, &mysql.NopLogger{}, "program_name:assistant"
	return out, nil
}

// connect asks the server what it is, and opens the pools with settings that make it mean what we do.
func (db *maria) connect(ctx context.Context, config *mysql.Config, c Config) error {
	plain, err := mysql.NewConnector(config)
	if err != nil {
		return mistake("host.database", "the URL cannot be read; write %s", mariaForm)
	}
	first := sql.OpenDB(plain)
	defer first.Close()
	var version, collations string
	if err := first.QueryRowContext(ctx, `SELECT version(), (SELECT group_concat(COLLATION_NAME) FROM information_schema.COLLATIONS WHERE COLLATION_NAME IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin'))`).Scan(&version, &collations); err != nil {
		return fmt.Errorf("host.database: %w", err)
	}
	if err := db.known(version); err != nil {
		return err
	}
	config = config.Clone()
	db.binary, db.folds = "utf8mb4_nopad_bin", "utf8mb4_unicode_520_ci"
	if db.mysql {
		db.binary, db.folds = "utf8mb4_0900_bin", "utf8mb4_0900_ai_ci"
	}
	config.Params = db.settings(c)
	if err := config.Apply(mysql.Charset("utf8mb4", "")); err != nil {
		return err
	}
	settled, err := mysql.NewConnector(config)
	if err != nil {
		return err
	}
	config = config.Clone()
	config.Params = maps.Clone(config.Params)
	if config.Params["tx_read_only"] = "1"; db.mysql {
		delete(config.Params, "tx_read_only")
		config.Params["transaction_read_only"] = "1"
	}
	asking, err := mysql.NewConnector(config)
	if err != nil {
		return err
	}
	db.reads, db.writes, db.kills = mariaPool(asking, readers), mariaPool(settled, writers), mariaPool(settled, 1)
	return db.meet(ctx)
}

// known says whether a version has all that statements are made of.
func (db *maria) known(version string) error {
	var major, minor, patch int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); err != nil {
		return mistake("host.database", "the server's version `%s` cannot be read", version)
	}
	db.mysql = !strings.Contains(strings.ToLower(version), "mariadb")
	switch {
	case db.mysql && (major < 8 || major == 8 && minor == 0 && patch < 21):
		return mistake("host.database", "the server is MySQL %s; 8.0.21 or newer is needed", version)
	case !db.mysql && (major < 10 || major == 10 && minor < 6):
		return mistake("host.database", "the server is MariaDB %s; 10.6 or newer is needed", version)
	}
	return nil
}

// mariaSortBuffer has room for fifteen rows of sixty texts, each as long as max_sort_length: with less, the server refuses to sort by them. It
// takes what the rows need.
const mariaSortBuffer = "67108864"

// settings are those of every session.
func (db *maria) settings(c Config) map[string]string {
	most := c.Statement
	if most == 0 {
		most = 30 * time.Second
	}
	wait := fmt.Sprint(int(math.Round(c.Busy.Seconds())))
	out := map[string]string{
		"sql_mode":  "'ANSI_QUOTES,STRICT_ALL_TABLES,STRICT_TRANS_TABLES,NO_BACKSLASH_ESCAPES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'",
		"time_zone": "'+00:00'", "innodb_lock_wait_timeout": wait, "lock_wait_timeout": fmt.Sprint(max(1, int(math.Round(c.Busy.Seconds())))),
		"div_precision_increment": "30", "foreign_key_checks": "1", "unique_checks": "1", "sql_auto_is_null": "0", "sql_safe_updates": "0",
		"autocommit": "1", "max_sort_length": "65536", "sort_buffer_size": mariaSortBuffer, "collation_connection": "'" + db.binary + "'",
	}
	if db.mysql {
		out["transaction_isolation"], out["max_execution_time"] = "'READ-COMMITTED'", fmt.Sprint(max(1, most.Milliseconds()))
		return out
	}
	out["tx_isolation"], out["max_statement_time"] = "'READ-COMMITTED'", fmt.Sprintf("%.6f", most.Seconds())
	return out
}

func mariaPool(to driver.Connector, most int) *sql.DB {
	db := sql.OpenDB(to)
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	db.SetConnMaxIdleTime(time.Minute)
	return db
}

// meet asks the server which collations it has, and how it makes capitals small.
func (db *maria) meet(ctx context.Context) error {
	if err := db.findFolding(ctx); err != nil {
		return fmt.Errorf("host.database: %w", err)
	}
	return nil
}

func (db *maria) close() error {
	var all []error
	for _, pool := range []*sql.DB{db.reads, db.writes, db.kills} {
		if pool != nil {
			all = append(all, pool.Close())
		}
	}
	return errors.Join(all...)
}

// reading asks in sessions whose every transaction, of one statement each, cannot write. A connection of the pool that has died meanwhile is no
// reason to fail: the driver says so before it sends anything.
func (db *maria) reading(ctx context.Context, ask func(querier) error) (err error) {
	for range readers + 1 {
		s, started := db.start(ctx, db.reads, "")
		if started != nil {
			return started
		}
		err = errors.Join(ask(s), s.Close())
		if !errors.Is(err, driver.ErrBadConn) || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func (db *maria) begin(ctx context.Context) (session, error) {
	return db.start(ctx, db.writes, "START TRANSACTION READ WRITE")
}

// start begins a transaction. A connection of the pool that has died meanwhile is no reason to fail: nothing was asked of it yet.
func (db *maria) start(ctx context.Context, pool *sql.DB, begin string) (*mariaSession, error) {
	var last error
	for range readers + 1 {
		conn, err := pool.Conn(ctx)
		if err != nil {
			return nil, err
		}
		s, err := db.open(ctx, conn)
		if err == nil && begin != "" {
			_, err = s.ExecContext(ctx, begin)
		}
		if err == nil {
			return s, nil
		}
		if last = errors.Join(err, s.Close()); db.fault(err) != lost || ctx.Err() != nil {
			return nil, last
		}
	}
	return nil, last
}

// rollback: where the connection is gone, so is the transaction; one that was just stopped may be told so a moment later.
func (db *maria) rollback(ctx context.Context, conn session) (err error) {
	for range 3 {
		if _, err = conn.ExecContext(ctx, "ROLLBACK"); err == nil || db.fault(err) == lost {
			return nil
		}
	}
	return err
}

func (db *maria) ask(ctx context.Context, q question) ([][]query.Value, error) {
	return askInSteps(ctx, db, q)
}

// forget has nothing to do: a statement leaves nothing behind.
func (db *maria) forget(*compiler) {}

// know gives naive timestamps the zone that they are of.
func (db *maria) know(c *catalog, zone *time.Location) {
	for _, t := range c.list {
		for _, col := range t.columns {
			if col.field.Type == query.Timestamp && col.zone == nil {
				col.zone = zone
			}
		}
	}
}
