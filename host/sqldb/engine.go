package sqldb

import (
	"context"
	"database/sql"
	"time"

	"example.com/deputy/query"
)

// engine is a database behind a host: its dialect, its schema, its transactions, and what its errors mean.
type engine interface {
	dialect
	// schema reads the tables and views that the application has there.
	schema(ctx context.Context) (*schema, error)
	// know is told the schema as it is offered, before the first statement.
	know(c *catalog, zone *time.Location)
	// ask answers one question where nothing can be written.
	ask(ctx context.Context, q question) ([][]query.Value, error)
	// reading runs questions where nothing can be written.
	reading(ctx context.Context, ask func(querier) error) error
	// begin starts a transaction that may write, on a connection of its own. COMMIT ends it, or rollback, which is not an error where the
	// engine has already done it.
	begin(ctx context.Context) (session, error)
	rollback(ctx context.Context, conn session) error
	// store is a value as its column keeps it; why says what the column cannot hold.
	store(ctx context.Context, q querier, t *table, col *column, v query.Value) (kept any, why string, err error)
	// verbatim says whether a value that is written to a column can be read back as the same.
	verbatim(col *column) bool
	// returning says whether an INSERT, UPDATE or DELETE can give back the rows that it wrote; where not, wrote makes it and reads them again.
	returning() bool
	wrote(ctx context.Context, s session, st *statement) ([][]query.Value, error)
	// orFail is what follows INSERT or UPDATE so that a row which breaks a rule of the table is an error, whatever else the table says of it.
	orFail(ctx context.Context, q querier, t *table) (string, error)
	// followers are the foreign keys through which rows go or change along with a deleted row of a table: as the database has them now,
	// offered or not. They stay the same until the transaction ends.
	followers(ctx context.Context, q querier, t *table) ([]follower, error)
	// fault says what an error means, and which columns of a table it names.
	fault(err error) fault
	blamed(t *table, err error) []string
	// forget ends a statement.
	forget(c *compiler)
	close() error
}

// session is a connection with a transaction under way.
type session interface {
	querier
	ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
	Close() error
}

// querier is a pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
}

// fault is what an error of a database means.
type fault int

// The faults. After any of them but the first two nothing of a transaction is kept.
const (
	noAnswer  fault = iota // not known what became of it
	lost                   // there is no connection
	broken                 // the database answered that it failed
	busy                   // another transaction kept its lock for too long
	slow                   // the statement took longer than it may
	outdated               // another transaction changed what this one stands on
	denied                 // the database's own rights forbid it
	badValue               // the column takes no such value
	tooMuch                // the statement is larger than the database takes
	notUnique              // these and all that follow: constraints
	notNull
	checkFailed
	notRelated // of a foreign key
	otherRule
)

func (f fault) constraint() bool { return f >= notUnique }
