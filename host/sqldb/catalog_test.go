package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"example.com/deputy/internal/mariatest"
	"example.com/deputy/internal/pgtest"
)

// counter counts the statements that it is asked.
type counter struct {
	querier
	n int
}

func (c *counter) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	c.n++
	return c.querier.QueryContext(ctx, text, args...)
}

// TestTheSchemaIsReadInAFewStatements: as many for fifty tables as for two, on every engine.
func TestTheSchemaIsReadInAFewStatements(t *testing.T) {
	t.Parallel()
	made := func(tables int) (out []string) {
		for i := range tables {
			out = append(out, fmt.Sprintf(`CREATE TABLE t%d (id integer PRIMARY KEY, code varchar(9) UNIQUE, parent_id integer, CHECK (code IN ('a', 'b')), FOREIGN KEY (parent_id) REFERENCES t%d (id))`, i, max(i-1, 0)),
				fmt.Sprintf(`CREATE VIEW v%d AS SELECT code FROM t%d`, i, i))
		}
		return out
	}
	for name, read := range map[string]func(t *testing.T, statements []string) (*schema, int){
		"SQLite": func(t *testing.T, statements []string) (*schema, int) {
			q := &counter{querier: opened(t, statements...).db.(*sqlite).reads}
			s, err := readSQLite(t.Context(), q)
			return mustRead(t, s, err), q.n
		},
		"Postgres": func(t *testing.T, statements []string) (*schema, int) {
			db, err := openPostgres(t.Context(), Config{URL: pgtest.Database(t)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.close() })
			fill(t, db.writes, statements)
			q := &counter{querier: db.reads}
			s, err := readPostgres(t.Context(), q, db.schemas)
			return mustRead(t, s, err), q.n
		},
		"MariaDB": func(t *testing.T, statements []string) (*schema, int) {
			db := mariatest.Open(t, mariatest.Database(t))
			fill(t, db, statements)
			q := &counter{querier: db}
			s, err := readMaria(t.Context(), q, false)
			return mustRead(t, s, err), q.n
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			few, nFew := read(t, made(2))
			many, nMany := read(t, made(50))
			if len(few.tables) != 4 || len(many.tables) != 100 || nFew != nMany || nMany > 10 {
				t.Errorf("%d statements for %d tables and views, %d for %d", nFew, len(few.tables), nMany, len(many.tables))
			}
			for _, s := range many.tables {
				if !s.view && (len(s.foreign) != 1 || len(s.unique) != 1 || len(s.column("code").field.Values) != 2) {
					t.Fatalf("%s: %d foreign keys, %d unique indexes, values %q", s.name, len(s.foreign), len(s.unique), s.column("code").field.Values)
				}
			}
		})
	}
}

func mustRead(t *testing.T, s *schema, err error) *schema {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fill(t *testing.T, db *sql.DB, statements []string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}
