package sqldb

import (
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	modernc "modernc.org/sqlite"
)

// logged is a database's error as the operator's log may have it: what the database calls it and what of the schema it names, without its
// sentence, which may quote a row.
type logged struct{ error }

// Unwrap gives the error as the driver made it.
func (e logged) Unwrap() error { return e.error }

// LogValue implements slog.LogValuer.
func (e logged) LogValue() slog.Value {
	if p := (*pgconn.PgError)(nil); errors.As(e.error, &p) {
		return slog.StringValue(describePostgres(p))
	}
	if s := (*modernc.Error)(nil); errors.As(e.error, &s) {
		return slog.StringValue(fmt.Sprintf("SQLite code %d: %s", s.Code(), modernc.ErrorCodeString[s.Code()]))
	}
	if m := (*mysql.MySQLError)(nil); errors.As(e.error, &m) {
		return slog.StringValue(fmt.Sprintf("MariaDB error %d, SQLSTATE %s", m.Number, strings.ToValidUTF8(string(m.SQLState[:]), "?")))
	}
	return slog.AnyValue(e.error)
}

func describePostgres(p *pgconn.PgError) string {
	out := "Postgres " + p.Severity + ", SQLSTATE " + p.Code
	for _, part := range [][2]string{{"schema", p.SchemaName}, {"table", p.TableName}, {"column", p.ColumnName}, {"constraint", p.ConstraintName}} {
		if part[1] != "" {
			out += ", " + part[0] + " " + part[1]
		}
	}
	return strings.ToValidUTF8(out, "?")
}

// forLog marks an error of the database itself; any other stays as it is.
func forLog(err error) error {
	var p *pgconn.PgError
	var s *modernc.Error
	var m *mysql.MySQLError
	if errors.As(err, &p) || errors.As(err, &s) || errors.As(err, &m) {
		return logged{err}
	}
	return err
}

// Pools are the connections of the host, by what they are for: reads and writes.
func (h *Host) Pools() map[string]sql.DBStats {
	switch db := h.db.(type) {
	case *sqlite:
		return map[string]sql.DBStats{"reads": db.reads.Stats(), "writes": db.writes.Stats()}
	case *maria:
		return map[string]sql.DBStats{"reads": db.reads.Stats(), "writes": db.writes.Stats()}
	case *postgres:
		return map[string]sql.DBStats{"reads": db.reads.Stats(), "writes": db.writes.Stats()}
	}
	return nil
}
