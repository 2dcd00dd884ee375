package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"example.com/deputy"
)

// oldest is the first version of Postgres that has all that statements are made of.
const oldest = 140000

// writers is how many groups of writes are under way at once; others wait.
const writers = 4

// postgres is a Postgres database: a pool for questions and one for writes. A session keeps no state: whatever a transaction needs it sets
// for itself, so that a pooler may stand between.
type postgres struct {
	reads, writes *sql.DB
	schemas       []string
	wait          time.Duration // for another's lock
	most          time.Duration // for one statement
	session       string        // a statement that makes the settings of a transaction, with limits as its arguments
	zone          *time.Location
	zones         sync.Map // zoneKey → *shifts
	letters       letters
	unnamed       atomic.Bool // a session keeps no prepared statement: a pooler stands between
}

var _ engine = (*postgres)(nil)

func openPostgres(ctx context.Context, c Config) (*postgres, error) {
	config, err := pgx.ParseConfig(c.URL)
	if err != nil { // its text may hold the password
		return nil, mistake("host.database", "the URL cannot be read; write postgres://USER:PASSWORD@HOST:5432/DATABASE")
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	config.StatementCacheCapacity, config.DescriptionCacheCapacity = 0, 0
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 10 * time.Second
	}
	if _, ok := config.RuntimeParams["application_name"]; !ok {
		config.RuntimeParams["application_name"] = "assistant"
	}
	db := &postgres{schemas: c.Schemas, wait: c.Busy, most: c.Statement, zone: c.Zone, letters: newLetters()}
	if db.schemas == nil {
		db.schemas = []string{"public"}
	}
	if db.most == 0 {
		db.most = 30 * time.Second
	}
	// What a question is made of and gives has the types that its text says: how it is to be sent can be kept, without a statement at the server.
	asking := config.Copy()
	asking.DefaultQueryExecMode, asking.DescriptionCacheCapacity = pgx.QueryExecModeCacheDescribe, 200
	db.reads, db.writes = pool(asking, readers), pool(config, writers)
	if err := db.meet(ctx); err != nil {
		return nil, errors.Join(err, db.close())
	}
	return db, nil
}

func pool(config *pgx.ConnConfig, most int) *sql.DB {
	// Whether a connection is alive is told by the first statement that it is given.
	db := stdlib.OpenDB(*config, stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return false }))
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	db.SetConnMaxIdleTime(time.Minute)
	return db
}

// meet asks the server what has to be known before the first statement.
func (db *postgres) meet(ctx context.Context) error {
	var version int
	var encoding string
	err := db.reads.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_encoding')`).Scan(&version, &encoding)
	switch {
	case err != nil:
		return fmt.Errorf("host.database: %w", err)
	case version < oldest:
		return mistake("host.database", "the server is Postgres %d; version 14 or newer is needed", version/10000)
	case encoding != "UTF8":
		return mistake("host.database", "the database is encoded in %s; UTF8 is needed", encoding)
	}
	zone := db.zone.String()
	if _, err := db.reads.ExecContext(ctx, `SELECT now() AT TIME ZONE $1`, zone); err != nil {
		zone = "UTC" // a zone that the server does not know: its own clock is of no use there
	}
	db.session = "SELECT " + strings.Join([]string{setting("TimeZone", zone), setting("DateStyle", "ISO, YMD"), setting("IntervalStyle", "postgres"),
		setting("extra_float_digits", "1"), setting("bytea_output", "hex"), setting("jit", "off"), setting("idle_in_transaction_session_timeout", "60s")}, ", ") +
		", set_config('application_name', $1::text, true), set_config('statement_timeout', $2::text, true), set_config('lock_timeout', $3::text, true)"
	return nil
}

// setting is one of a transaction: all are made by one statement.
func setting(name, value string) string {
	return "set_config(" + text(name) + ", " + text(value) + ", true)"
}

// text writes a constant of ours; values are bound.
func text(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func (db *postgres) close() error { return errors.Join(db.reads.Close(), db.writes.Close()) }

// reading asks in a transaction that cannot write.
func (db *postgres) reading(ctx context.Context, ask func(querier) error) error {
	conn, err := db.start(ctx, db.reads, beginReading)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := ask(conn); err != nil {
		return errors.Join(err, db.rollback(context.WithoutCancel(ctx), conn))
	}
	return db.rollback(ctx, conn)
}

func (db *postgres) begin(ctx context.Context) (session, error) {
	return db.start(ctx, db.writes, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
}

// start begins a transaction. A connection of the pool that has died meanwhile is no reason to fail: nothing was asked of it yet.
func (db *postgres) start(ctx context.Context, pool *sql.DB, begin string) (*sql.Conn, error) {
	l := db.limits(ctx)
	begin += "; " + strings.NewReplacer("$1", text(string(l[0])), "$2", text(string(l[1])), "$3", text(string(l[2]))).Replace(db.session)
	for range readers {
		conn, err := pool.Conn(ctx)
		if err != nil {
			return nil, err
		}
		if _, err = conn.ExecContext(ctx, begin); err == nil {
			return conn, nil
		}
		if err = errors.Join(err, conn.Close()); db.fault(err) != lost || ctx.Err() != nil {
			return nil, err
		}
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err = conn.ExecContext(ctx, begin); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// limits are the settings that depend on who asks: for whom, and how long.
func (db *postgres) limits(ctx context.Context) [][]byte {
	name, most := "assistant", db.most
	if turn := deputy.TurnOf(ctx); turn != "" {
		name += "/" + turn
	}
	if end, ok := ctx.Deadline(); ok {
		most = max(min(most, time.Until(end)), time.Millisecond)
	}
	return [][]byte{[]byte(name), fmt.Append(nil, most.Milliseconds()), fmt.Append(nil, max(db.wait.Milliseconds(), 1))}
}

// rollback: where the connection is gone, so is the transaction.
func (db *postgres) rollback(ctx context.Context, conn session) error {
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil && db.fault(err) != lost {
		return err
	}
	return nil
}

// forget has nothing to do: a statement leaves nothing behind.
func (db *postgres) forget(*compiler) {}

// fault reads the server's own codes. An error that ends the session (FATAL) is none that it answers to a statement.
func (db *postgres) fault(err error) fault {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return lostOr(err)
	}
	switch {
	case e.Severity != "ERROR" && e.SeverityUnlocalized != "ERROR", strings.HasPrefix(e.Code, "08"), strings.HasPrefix(e.Code, "57P"), e.Code == "53300":
		return lost
	case e.Code == "55P03", e.Code == "40P01":
		return busy
	case e.Code == "57014":
		return slow
	case strings.HasPrefix(e.Code, "40"):
		return outdated
	case e.Code == "42501", e.Code == "25006":
		return denied
	case strings.HasPrefix(e.Code, "54"), e.Code == "42601" && strings.HasPrefix(e.Message, "memory exhausted"): // the parser's own limit
		return tooMuch
	case strings.HasPrefix(e.Code, "22"):
		return badValue
	}
	return ruleFault(e.Code)
}

func ruleFault(code string) fault {
	switch {
	case code == "23505", code == "23P01":
		return notUnique
	case code == "23502":
		return notNull
	case code == "23514":
		return checkFailed
	case code == "23503", code == "23001":
		return notRelated
	case strings.HasPrefix(code, "23"), strings.HasPrefix(code, "P0"), strings.HasPrefix(code, "44"), strings.HasPrefix(code, "09"):
		return otherRule
	}
	return broken
}

// lostOr says whether an error that is not the server's is of the connection.
func lostOr(err error) fault {
	var connecting *pgconn.ConnectError
	switch {
	case errors.As(err, &connecting), pgconn.SafeToRetry(err), errors.Is(err, sql.ErrConnDone), network(err):
		return lost
	}
	return noAnswer
}
