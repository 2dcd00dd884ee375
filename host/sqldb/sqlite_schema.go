package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
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

// readSQLite reads the tables and views of the main schema, without Deputy's own and SQLite's: five statements, however many there are, and
// one for each view where one of them cannot be read.
func readSQLite(ctx context.Context, db querier) (*schema, error) {
	tables, views, err := listSQLite(ctx, db)
	if err != nil {
		return nil, fmt.Errorf("reading the list of tables: %w", err)
	}
	if err := readSQLiteTables(ctx, db, tables); err != nil {
		return nil, fmt.Errorf("reading the tables: %w", err)
	}
	if views, err = readSQLiteViews(ctx, db, views); err != nil {
		return nil, fmt.Errorf("reading the views: %w", err)
	}
	s := &schema{tables: slices.Concat(tables, views)}
	slices.SortFunc(s.tables, func(a, b *table) int { return cmp.Compare(a.name, b.name) })
	s.resolve()
	return s, nil
}

// listSQLite lists base tables, and what is like a view: virtual tables too.
func listSQLite(ctx context.Context, db querier) (tables, views []*table, err error) {
	list, err := collect(ctx, db, `SELECT l.name, l.type, l.wr, l.strict, coalesce(m.sql, '') FROM pragma_table_list l
		JOIN sqlite_schema m ON m.name = l.name AND m.type IN ('table', 'view')
		WHERE l.schema = 'main' AND l.type <> 'shadow'`,
		func(rows *sql.Rows) (*table, error) {
			t, kind, withoutRowID := &table{}, "", false
			err := rows.Scan(&t.name, &kind, &withoutRowID, &t.strict, &t.create)
			t.view, t.rowid = kind != "table", kind == "table" && !withoutRowID
			return t, err
		})
	for _, t := range list {
		switch {
		case own(t.name):
		case t.view:
			views = append(views, t)
		default:
			tables = append(tables, t)
		}
	}
	return tables, views, err
}

// own says whether a table is Deputy's or SQLite's, never the application's.
func own(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "deputy_") || strings.HasPrefix(name, "goose_") || strings.HasPrefix(name, "sqlite_")
}

func readSQLiteTables(ctx context.Context, db querier, tables []*table) error {
	for _, read := range []func(context.Context, querier, []*table) error{readSQLiteColumns, readSQLiteForeign, readSQLiteUnique} {
		if err := read(ctx, db, tables); err != nil {
			return err
		}
	}
	for _, t := range tables {
		addValueLists(t, t.create)
	}
	return nil
}

// readSQLiteViews reads views: all at once, or else each alone, and leaves out those that cannot be read: over tables that are gone, of a module
// that is not there.
func readSQLiteViews(ctx context.Context, db querier, views []*table) (kept []*table, err error) {
	if err := readSQLiteColumns(ctx, db, views); err == nil {
		return views, nil
	}
	for _, v := range views {
		alone := &table{name: v.name, view: true}
		if err := readSQLiteColumns(ctx, db, []*table{alone}); err == nil {
			kept = append(kept, alone)
		}
	}
	return kept, ctx.Err()
}

// about reads what a statement says about tables: it takes their names as a JSON array, and its first column is the place there.
func about[T any](ctx context.Context, db querier, tables []*table, text string, read func(*sql.Rows, *int) (T, error), add func(*table, T)) error {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.name
	}
	raw, err := json.Marshal(names)
	if err != nil {
		return err
	}
	type entry struct {
		at   int
		what T
	}
	list, err := collect(ctx, db, text, func(rows *sql.Rows) (e entry, err error) {
		e.what, err = read(rows, &e.at)
		return e, err
	}, string(raw))
	for _, e := range list {
		add(tables[e.at], e.what)
	}
	return err
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

func readSQLiteColumns(ctx context.Context, db querier, tables []*table) error {
	columns := map[*table][]sqliteColumn{}
	err := about(ctx, db, tables, `SELECT j.key, x.name, x.type, x."notnull", x.dflt_value, x.pk, x.hidden FROM json_each(?) j, pragma_table_xinfo(j.value) x ORDER BY j.key, x.cid`,
		func(rows *sql.Rows, at *int) (c sqliteColumn, err error) {
			return c, rows.Scan(at, &c.name, &c.decl, &c.notNull, &c.def, &c.pk, &c.hidden)
		}, func(t *table, c sqliteColumn) { columns[t] = append(columns[t], c) })
	for t, cols := range columns {
		t.addSQLite(cols)
	}
	return err
}

// addSQLite gives a table its columns, and its key.
func (t *table) addSQLite(cols []sqliteColumn) {
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
	f.NotNull = c.notNull && !f.Generated
	f.Required = f.NotNull && f.Default == ""
	f.Secret = secretType(c.decl) || secretName(c.name)
	return out
}

func secretType(decl string) bool {
	return strings.Contains(strings.ToUpper(decl), "BLOB") || strings.Contains(strings.ToUpper(decl), "BINARY")
}

func readSQLiteForeign(ctx context.Context, db querier, tables []*table) error {
	type part struct {
		seq                         int
		table, from, deleted, moved string
		to                          sql.NullString
	}
	return about(ctx, db, tables, `SELECT j.key, f.seq, f."table", f."from", f."to", f.on_delete, f.on_update FROM json_each(?) j, pragma_foreign_key_list(j.value) f ORDER BY j.key, f.id, f.seq`,
		func(rows *sql.Rows, at *int) (p part, err error) {
			return p, rows.Scan(at, &p.seq, &p.table, &p.from, &p.to, &p.deleted, &p.moved)
		}, func(t *table, p part) {
			if p.seq == 0 {
				t.foreign = append(t.foreign, foreign{table: p.table, cascade: p.deleted == "CASCADE", nullify: loses(p.deleted), follows: p.moved == "CASCADE" || loses(p.moved)})
			}
			f := &t.foreign[len(t.foreign)-1]
			f.from = append(f.from, p.from)
			if p.to.Valid {
				f.to = append(f.to, p.to.String)
			}
		})
}

func loses(action string) bool { return action == "SET NULL" || action == "SET DEFAULT" }

func readSQLiteUnique(ctx context.Context, db querier, tables []*table) error {
	type part struct {
		seq  int
		name sql.NullString
	}
	found := map[*table][][]sql.NullString{}
	err := about(ctx, db, tables, `SELECT j.key, i.seqno, i.name FROM json_each(?) j, pragma_index_list(j.value) l, pragma_index_info(l.name) i
		WHERE l."unique" AND NOT l.partial ORDER BY j.key, l.name, i.seqno`,
		func(rows *sql.Rows, at *int) (p part, err error) { return p, rows.Scan(at, &p.seq, &p.name) },
		func(t *table, p part) {
			if p.seq == 0 {
				found[t] = append(found[t], nil)
			}
			last := &found[t][len(found[t])-1]
			*last = append(*last, p.name)
		})
	for t, indexes := range found {
		for _, cols := range indexes {
			t.addUnique(cols)
		}
	}
	return err
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
func (s *schema) resolve() {
	byName := map[string]*table{}
	for _, t := range s.tables {
		byName[withoutCase(t.name)] = t
	}
	for _, t := range s.tables {
		var kept []foreign
		for _, f := range t.foreign {
			if f, ok := t.resolved(f, byName[withoutCase(f.table)]); ok {
				kept = append(kept, f)
			}
		}
		t.foreign = kept
	}
	for s.inherit() { // as often as one leads to the next
	}
}

// inherit says whether any column was given a type: it has one then.
func (s *schema) inherit() (more bool) {
	for _, t := range s.tables {
		for _, f := range t.foreign {
			parent := s.find("", f.table)
			for k, name := range f.from {
				if c, of := t.column(name), parent.column(f.to[k]); c.native == "" && of.native != "" {
					c.native, c.field.Type, c.field.Scale, c.field.Secret = of.native, of.field.Type, of.field.Scale, c.field.Secret || of.field.Secret
					more = true
				}
			}
		}
	}
	return more
}

// resolved is a foreign key in the names that its table and its parent have; not ok where there is no parent, or no such column.
func (t *table) resolved(f foreign, parent *table) (foreign, bool) {
	if parent == nil {
		return f, false
	}
	f.table = parent.name
	if f.to == nil {
		f.to = parent.key
	}
	from, ok1 := t.fold(f.from)
	to, ok2 := parent.fold(f.to)
	f.from, f.to = from, to
	return f, ok1 && ok2 && len(from) == len(to)
}

// withoutCase is a name as SQLite compares it: without the case of ASCII letters.
func withoutCase(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// fold finds columns ignoring case.
func (t *table) fold(names []string) ([]string, bool) {
	var out []string
	for _, n := range names {
		for _, c := range t.columns {
			if withoutCase(c.name) == withoutCase(n) {
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
