package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/deputy/query"
)

// catalogReader reads the server's catalogs: what this role may read of some schemas.
type catalogReader struct {
	db     querier
	types  pgTypes
	tables map[uint32]*table
	number map[uint32]map[int16]string // of each table: its columns by their number
}

func (db *postgres) schema(ctx context.Context) (*schema, error) {
	return readPostgres(ctx, db.reads, db.schemas)
}

// readPostgres reads the tables and views of some schemas: eight statements, however many there are.
func readPostgres(ctx context.Context, db querier, schemas []string) (*schema, error) {
	r := &catalogReader{db: db, types: pgTypes{}, tables: map[uint32]*table{}, number: map[uint32]map[int16]string{}}
	if err := r.knownSchemas(ctx, schemas); err != nil {
		return nil, err
	}
	order, err := r.readTables(ctx, schemas)
	for _, read := range []func(context.Context) error{r.readTypes, r.readValues, r.readDomains, r.readColumns, r.readKeys, r.readConstraints} {
		if err == nil {
			err = read(ctx)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	s := &schema{}
	for _, id := range order {
		if t := r.tables[id]; len(t.columns) > 0 {
			t.finishKey()
			s.tables = append(s.tables, t)
		}
	}
	s.related()
	return s, nil
}

func (r *catalogReader) knownSchemas(ctx context.Context, schemas []string) error {
	there, err := collect(ctx, r.db, `SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' ORDER BY 1`,
		func(rows *sql.Rows) (name string, err error) { return name, rows.Scan(&name) })
	if err != nil {
		return fmt.Errorf("reading the list of schemas: %w", err)
	}
	for i, name := range schemas {
		if !slices.Contains(there, name) {
			return unknown(fmt.Sprintf("host.schemas[%d]", i), "schema", name, there)
		}
	}
	return nil
}

// related drops foreign keys that lead to what is not read.
func (s *schema) related() {
	for _, t := range s.tables {
		t.foreign = slices.DeleteFunc(t.foreign, func(f foreign) bool {
			parent := s.find(f.space, f.table)
			return parent == nil || !t.has(f.from) || !parent.has(f.to)
		})
	}
}

func (t *table) has(columns []string) bool {
	return len(columns) > 0 && !slices.ContainsFunc(columns, func(name string) bool { return t.column(name) == nil })
}

// readTables lists tables in the order of the schemas: partitions, what extensions bring and Deputy's own are left out.
func (r *catalogReader) readTables(ctx context.Context, schemas []string) ([]uint32, error) {
	type entry struct {
		id                         uint32
		space, name, kind, comment string
	}
	list, err := collect(ctx, r.db, `SELECT c.oid, n.nspname, c.relname, c.relkind::text, coalesce(obj_description(c.oid, 'pg_class'), '')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = ANY ($1::text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
		AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
		AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
		ORDER BY array_position($1::text[], n.nspname::text), c.relname COLLATE "C"`,
		func(rows *sql.Rows) (e entry, err error) {
			return e, rows.Scan(&e.id, &e.space, &e.name, &e.kind, &e.comment)
		}, schemas)
	var order []uint32
	for _, e := range list {
		if own(e.name) {
			continue
		}
		r.tables[e.id] = &table{name: e.name, space: e.space, comment: e.comment, view: e.kind != "r" && e.kind != "p"}
		r.number[e.id] = map[int16]string{}
		order = append(order, e.id)
	}
	return order, err
}

func (r *catalogReader) readTypes(ctx context.Context) error {
	type entry struct {
		id uint32
		t  pgType
	}
	list, err := collect(ctx, r.db, `SELECT oid, typname, typtype::text, typbasetype, CASE WHEN typlen = -1 AND typcategory = 'A' THEN typelem ELSE 0 END::oid, typtypmod, typnotnull, coalesce(typdefault, '') FROM pg_type`,
		func(rows *sql.Rows) (e entry, err error) {
			return e, rows.Scan(&e.id, &e.t.name, &e.t.kind, &e.t.base, &e.t.element, &e.t.mod, &e.t.notNull, &e.t.def)
		})
	for _, e := range list {
		r.types[e.id] = &e.t
	}
	return err
}

// named is a text that belongs to something with a number.
type named struct {
	id   uint32
	text string
}

func readNamed(rows *sql.Rows) (n named, err error) { return n, rows.Scan(&n.id, &n.text) }

func (r *catalogReader) readValues(ctx context.Context) error {
	list, err := collect(ctx, r.db, `SELECT enumtypid, enumlabel FROM pg_enum ORDER BY enumtypid, enumsortorder`, readNamed)
	for _, e := range list {
		if t := r.types[e.id]; t != nil {
			t.values = append(t.values, e.text)
		}
	}
	return err
}

func (r *catalogReader) readDomains(ctx context.Context) error {
	list, err := collect(ctx, r.db, `SELECT contypid, pg_get_constraintdef(oid) FROM pg_constraint WHERE contypid <> 0 AND contype = 'c' ORDER BY conname`, readNamed)
	for _, e := range list {
		t := r.types[e.id]
		as := &table{columns: []*column{{name: "VALUE"}}}
		if as.addServerCheck(e.text); t != nil && t.values == nil {
			t.values = as.columns[0].field.Values
		}
	}
	return err
}

// addServerCheck reads CHECK (…) as the server writes it.
func (t *table) addServerCheck(text string) {
	if ts := serverTokens(text); len(ts) > 1 && ts[0].word("CHECK") && ts[1].is("(") {
		t.addChecks(inside(ts[1:]))
	}
}

type pgColumn struct {
	table, typ                                      uint32
	number                                          int16
	mod                                             int
	name, identity, generated, def, comment, collat string
	notNull, deterministic                          bool
}

func (r *catalogReader) readColumns(ctx context.Context) error {
	list, err := collect(ctx, r.db, `SELECT a.attrelid, a.atttypid, a.attnum, a.atttypmod, a.attname, a.attidentity::text, a.attgenerated::text,
		coalesce(pg_get_expr(d.adbin, d.adrelid), ''), coalesce(col_description(a.attrelid, a.attnum), ''), coalesce(k.oid::text, ''), a.attnotnull, coalesce(k.collisdeterministic, true)
		FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum LEFT JOIN pg_collation k ON k.oid = a.attcollation
		WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(a.attrelid, a.attnum, 'SELECT') ORDER BY a.attrelid, a.attnum`,
		func(rows *sql.Rows) (c pgColumn, err error) {
			return c, rows.Scan(&c.table, &c.typ, &c.number, &c.mod, &c.name, &c.identity, &c.generated, &c.def, &c.comment, &c.collat, &c.notNull, &c.deterministic)
		}, r.ids())
	for _, c := range list {
		t := r.tables[c.table]
		t.columns = append(t.columns, c.column(r.types))
		r.number[c.table][c.number] = c.name
	}
	return err
}

func (r *catalogReader) ids() []uint32 {
	var out []uint32
	for id := range r.tables {
		out = append(out, id)
	}
	return out
}

func (c pgColumn) column(types pgTypes) *column {
	out := &column{name: c.name, exact: c.deterministic, collation: c.collat}
	t := types.describe(out, c.typ, c.mod)
	f := &out.field
	f.Comment = c.comment
	f.Default = plainDefault(c.def)
	if c.def == "" {
		f.Default = plainDefault(t.def)
	}
	f.Generated = c.identity != "" || c.generated != "" || strings.HasPrefix(c.def, "nextval(")
	if f.Generated {
		f.Default = ""
	}
	f.NotNull = (c.notNull || t.notNull) && !f.Generated
	f.Required = f.NotNull && f.Default == ""
	f.Secret = f.Secret || secretName(c.name)
	return out
}

// plainDefault takes the cast off a constant: 'open'::text.
func plainDefault(def string) string {
	if strings.HasPrefix(def, "NULL::") || def == "NULL" {
		return ""
	}
	if ts := serverTokens(def); len(ts) == 1 && ts[0].kind == 's' {
		return text(ts[0].text)
	}
	return def
}

// readKeys reads primary keys and unique indexes, in the order of their columns.
func (r *catalogReader) readKeys(ctx context.Context) error {
	type entry struct {
		table   uint32
		name    string
		primary bool
		columns []int16
	}
	list, err := collect(ctx, r.db, `SELECT i.indrelid, c.relname, i.indisprimary, (SELECT array_agg(k ORDER BY n) FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS x(k, n) WHERE n <= i.indnkeyatts)::text
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = ANY ($1::oid[]) AND i.indisunique AND i.indisvalid AND i.indpred IS NULL ORDER BY c.relname`,
		func(rows *sql.Rows) (e entry, err error) {
			var numbers string
			err = rows.Scan(&e.table, &e.name, &e.primary, &numbers)
			e.columns = readNumbers(numbers)
			return e, err
		}, r.ids())
	for _, e := range list {
		t := r.tables[e.table]
		columns, ok := r.named(e.table, e.columns)
		switch {
		case !ok:
			continue
		case e.primary:
			t.key = columns
			if len(columns) == 1 {
				t.madeKey(t.column(columns[0]))
			}
		default:
			t.unique = append(t.unique, columns)
			if len(columns) == 1 {
				t.column(columns[0]).field.Unique = true
			}
		}
		t.constraints = append(t.constraints, constraint{e.name, columns})
	}
	return err
}

// madeKey: a key whose default is computed is one that the database makes.
func (t *table) madeKey(c *column) {
	if strings.Contains(c.field.Default, "(") {
		c.field.Generated, c.field.Default = true, ""
	}
}

// named gives columns by their numbers; ok is false where one is an expression, or may not be read.
func (r *catalogReader) named(table uint32, numbers []int16) (names []string, ok bool) {
	for _, n := range numbers {
		name, ok := r.number[table][n]
		if !ok {
			return nil, false
		}
		names = append(names, name)
	}
	return names, len(names) > 0
}

func readNumbers(text string) []int16 {
	var out []int16
	for part := range strings.SplitSeq(strings.Trim(text, "{}"), ",") {
		var n int16
		if _, err := fmt.Sscan(part, &n); err == nil {
			out = append(out, n)
		}
	}
	return out
}

func (r *catalogReader) readConstraints(ctx context.Context) error {
	type entry struct {
		table, parent     uint32
		name, kind, check string
		from, to          string
		cascade, nullify  bool
		follows           bool
	}
	list, err := collect(ctx, r.db, `SELECT conrelid, confrelid, conname, contype::text, CASE contype WHEN 'c' THEN pg_get_constraintdef(oid) ELSE '' END,
		coalesce(conkey::text, ''), coalesce(confkey::text, ''), confdeltype = 'c', confdeltype IN ('n', 'd'), confupdtype IN ('c', 'n', 'd') FROM pg_constraint WHERE conrelid = ANY ($1::oid[]) AND contype IN ('c', 'f') ORDER BY oid`,
		func(rows *sql.Rows) (e entry, err error) {
			return e, rows.Scan(&e.table, &e.parent, &e.name, &e.kind, &e.check, &e.from, &e.to, &e.cascade, &e.nullify, &e.follows)
		}, r.ids())
	for _, e := range list {
		t := r.tables[e.table]
		if e.kind == "c" {
			t.addServerCheck(e.check)
			if columns, ok := r.named(e.table, readNumbers(e.from)); ok {
				t.constraints = append(t.constraints, constraint{e.name, columns})
			}
			continue
		}
		parent := r.tables[e.parent]
		from, ok1 := r.named(e.table, readNumbers(e.from))
		to, ok2 := r.named(e.parent, readNumbers(e.to))
		if parent == nil || !ok1 || !ok2 {
			continue
		}
		t.constraints = append(t.constraints, constraint{e.name, from})
		t.foreign = append(t.foreign, foreign{space: parent.space, table: parent.name, from: from, to: to, cascade: e.cascade, nullify: e.nullify, follows: e.follows})
	}
	return err
}

// know gives naive timestamps the zone that they are of.
func (db *postgres) know(c *catalog, zone *time.Location) {
	for _, t := range c.list {
		for _, col := range t.columns {
			if col.field.Type == query.Timestamp && col.zone == nil {
				col.zone = zone
			}
		}
	}
}
