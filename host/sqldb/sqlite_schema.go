package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"example.com/deputy/query"
)

// storage says how a column keeps its values, as far as its type promises it.
type storage int

// The storages: whatever was put in, or only the one named (besides NULL and what no type converts).
const (
	anyStorage storage = iota
	intStorage
	textStorage
	realStorage    // numbers, whole ones kept as REAL
	numericStorage // numbers, as INTEGER where they are whole, else REAL
)

// readSQLite reads the tables and views of the main schema, without Deputy's own and SQLite's.
func readSQLite(ctx context.Context, db *sql.DB) (*schema, error) {
	s := &schema{}
	type entry struct {
		name, kind string
		wr, strict bool
		create     string
	}
	list, err := collect(ctx, db, `SELECT l.name, l.type, l.wr, l.strict, coalesce(m.sql, '') FROM pragma_table_list l
		JOIN sqlite_schema m ON m.name = l.name AND m.type IN ('table', 'view')
		WHERE l.schema = 'main' AND l.type <> 'shadow' ORDER BY l.name`,
		func(rows *sql.Rows) (e entry, err error) {
			return e, rows.Scan(&e.name, &e.kind, &e.wr, &e.strict, &e.create)
		})
	if err != nil {
		return nil, fmt.Errorf("reading the list of tables: %w", err)
	}
	for _, e := range list {
		if own(e.name) {
			continue
		}
		t := table{name: e.name, view: e.kind != "table", strict: e.strict, rowid: e.kind == "table" && !e.wr}
		err := readSQLiteTable(ctx, db, &t)
		if err != nil && e.kind != "table" && ctx.Err() == nil {
			continue // a view over tables that are gone, a module that is not there: nothing to read
		}
		if err != nil {
			return nil, fmt.Errorf("reading table %s: %w", e.name, err)
		}
		if e.kind == "table" {
			addValueLists(&t, e.create)
		}
		s.tables = append(s.tables, t)
	}
	return s, s.resolve()
}

// own says whether a table is Deputy's or SQLite's, never the application's.
func own(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "deputy_") || strings.HasPrefix(name, "goose_") || strings.HasPrefix(name, "sqlite_")
}

func readSQLiteTable(ctx context.Context, db *sql.DB, t *table) error {
	if err := readSQLiteColumns(ctx, db, t); err != nil {
		return err
	}
	if t.view {
		return nil
	}
	if err := readSQLiteForeign(ctx, db, t); err != nil {
		return err
	}
	return readSQLiteUnique(ctx, db, t)
}

// collect runs a query and reads each row.
func collect[T any](ctx context.Context, db querier, text string, read func(*sql.Rows) (T, error), args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := read(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

type sqliteColumn struct {
	name, decl string
	notNull    bool
	def        sql.NullString
	pk, hidden int
}

func readSQLiteColumns(ctx context.Context, db *sql.DB, t *table) error {
	cols, err := collect(ctx, db, `SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid`,
		func(rows *sql.Rows) (c sqliteColumn, err error) {
			return c, rows.Scan(&c.name, &c.decl, &c.notNull, &c.def, &c.pk, &c.hidden)
		}, t.name)
	if err != nil {
		return err
	}
	keys := map[int]string{}
	for _, c := range cols {
		if c.hidden == 1 { // of a virtual table, for its module only
			continue
		}
		if c.pk > 0 {
			keys[c.pk] = c.name
		}
		t.columns = append(t.columns, c.column())
	}
	for i := 1; i <= len(keys); i++ {
		t.key = append(t.key, keys[i])
	}
	if len(t.key) == 1 && t.rowid {
		for _, c := range cols {
			t.autoKey = t.autoKey || c.pk == 1 && strings.EqualFold(c.decl, "INTEGER")
		}
	}
	t.finishKey()
	return nil
}

// finishKey marks the key's fields: made by the database, or required.
func (t *table) finishKey() {
	for _, name := range t.key {
		f := &t.column(name).field
		f.Generated = f.Generated || t.autoKey
		f.Required = !f.Generated && f.Default == ""
	}
}

func (c sqliteColumn) column() *column {
	out := &column{name: c.name, native: strings.TrimSpace(c.decl)}
	f := &out.field
	f.Type, f.Scale, f.Length, out.kind = sqliteType(c.decl)
	f.Generated = c.hidden > 1
	f.Default = c.def.String
	if strings.EqualFold(f.Default, "NULL") {
		f.Default = ""
	}
	f.Required = c.notNull && f.Default == "" && !f.Generated
	f.Secret = secretType(c.decl) || secretName(c.name)
	return out
}

func secretType(decl string) bool {
	return strings.Contains(strings.ToUpper(decl), "BLOB") || strings.Contains(strings.ToUpper(decl), "BINARY")
}

func readSQLiteForeign(ctx context.Context, db *sql.DB, t *table) error {
	type part struct {
		id                          int
		table, from, deleted, moved string
		to                          sql.NullString
	}
	parts, err := collect(ctx, db, `SELECT id, "table", "from", "to", on_delete, on_update FROM pragma_foreign_key_list(?) ORDER BY id, seq`,
		func(rows *sql.Rows) (p part, err error) {
			return p, rows.Scan(&p.id, &p.table, &p.from, &p.to, &p.deleted, &p.moved)
		}, t.name)
	last := -1
	for _, p := range parts {
		if p.id != last {
			t.foreign = append(t.foreign, foreign{table: p.table, cascade: p.deleted == "CASCADE", nullify: loses(p.deleted), follows: p.moved == "CASCADE" || loses(p.moved)})
			last = p.id
		}
		f := &t.foreign[len(t.foreign)-1]
		f.from = append(f.from, p.from)
		if p.to.Valid {
			f.to = append(f.to, p.to.String)
		}
	}
	return err
}

func loses(action string) bool { return action == "SET NULL" || action == "SET DEFAULT" }

func readSQLiteUnique(ctx context.Context, db *sql.DB, t *table) error {
	names, err := collect(ctx, db, `SELECT name FROM pragma_index_list(?) WHERE "unique" AND NOT partial ORDER BY name`,
		func(rows *sql.Rows) (n string, err error) { return n, rows.Scan(&n) }, t.name)
	if err != nil {
		return err
	}
	for _, index := range names {
		cols, err := collect(ctx, db, `SELECT name FROM pragma_index_info(?) ORDER BY seqno`,
			func(rows *sql.Rows) (n sql.NullString, err error) { return n, rows.Scan(&n) }, index)
		if err != nil {
			return err
		}
		t.addUnique(cols)
	}
	return nil
}

func (t *table) addUnique(cols []sql.NullString) {
	var names []string
	for _, c := range cols {
		if !c.Valid || t.column(c.String) == nil { // over an expression
			return
		}
		names = append(names, c.String)
	}
	t.unique = append(t.unique, names)
	if len(names) == 1 && !(len(t.key) == 1 && t.key[0] == names[0]) {
		t.column(names[0]).field.Unique = true
	}
}

// resolve gives foreign keys the names that the database itself has (SQLite ignores case there) and the parent's key where none is
// named, and drops those that lead nowhere. A column without a type then has that of what it refers to.
func (s *schema) resolve() error {
	for i := range s.tables {
		t := &s.tables[i]
		var kept []foreign
		for _, f := range t.foreign {
			if f, ok := s.resolveForeign(t, f); ok {
				kept = append(kept, f)
			}
		}
		t.foreign = kept
	}
	for range s.tables { // as often as one can lead to the next
		s.inherit()
	}
	return nil
}

func (s *schema) inherit() {
	for i := range s.tables {
		t := &s.tables[i]
		for _, f := range t.foreign {
			parent := s.find("", f.table)
			for k, name := range f.from {
				if c, of := t.column(name), parent.column(f.to[k]); c.native == "" && of.native != "" {
					c.native, c.field.Type, c.field.Scale, c.field.Secret = of.native, of.field.Type, of.field.Scale, c.field.Secret || of.field.Secret
				}
			}
		}
	}
}

func (s *schema) resolveForeign(t *table, f foreign) (foreign, bool) {
	for i := range s.tables {
		p := &s.tables[i]
		if !strings.EqualFold(p.name, f.table) {
			continue
		}
		f.table = p.name
		if f.to == nil {
			f.to = p.key
		}
		from, ok1 := t.fold(f.from)
		to, ok2 := p.fold(f.to)
		f.from, f.to = from, to
		return f, ok1 && ok2 && len(from) == len(to)
	}
	return f, false
}

// fold finds columns ignoring case.
func (t *table) fold(names []string) ([]string, bool) {
	var out []string
	for _, n := range names {
		for _, c := range t.columns {
			if strings.EqualFold(c.name, n) {
				out = append(out, c.name)
				break
			}
		}
	}
	return out, len(out) == len(names)
}

// sqliteType reads a declared type: SQLite takes any words, and by them decides how values are kept.
func sqliteType(decl string) (t query.Type, scale, length int, kind storage) {
	upper := strings.ToUpper(strings.TrimSpace(decl))
	word, args := splitType(upper)
	kind = affinity(upper)
	scale = -1
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(word, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("BOOL"):
		t = query.Bool
	case has("JSON"):
		t = query.JSON
	case has("DATETIME", "TIMESTAMP"):
		t = query.Timestamp
	case word == "DATE":
		t = query.Date
	case has("INTERVAL", "POINT"):
		t = query.String
	case kind == intStorage, has("SERIAL"):
		t = query.Int
	case has("DEC", "NUM", "MONEY"):
		t, scale = query.Dec, declaredScale(args)
	case has("REAL", "FLOA", "DOUB"):
		t = query.Dec
	default:
		t = query.String
		if len(args) == 1 && kind == textStorage {
			length = args[0]
		}
	}
	return t, scale, length, kind
}

// affinity is SQLite's own rule, in its own order.
func affinity(decl string) storage {
	has := func(p string) bool { return strings.Contains(decl, p) }
	switch {
	case has("INT"):
		return intStorage
	case has("CHAR"), has("CLOB"), has("TEXT"):
		return textStorage
	case has("BLOB"), decl == "":
		return anyStorage
	case has("REAL"), has("FLOA"), has("DOUB"):
		return realStorage
	}
	return numericStorage
}

// splitType takes "DECIMAL(10, 2)" apart.
func splitType(decl string) (word string, args []int) {
	word, rest, ok := strings.Cut(decl, "(")
	if !ok {
		return strings.TrimSpace(word), nil
	}
	rest, _, _ = strings.Cut(rest, ")")
	for part := range strings.SplitSeq(rest, ",") {
		var n int
		if _, err := fmt.Sscan(strings.TrimSpace(part), &n); err != nil || n < 0 {
			return strings.TrimSpace(word), nil
		}
		args = append(args, n)
	}
	return strings.TrimSpace(word), args
}

func declaredScale(args []int) int {
	switch len(args) {
	case 1:
		return 0
	case 2:
		return args[1]
	}
	return -1
}
