package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/deputy/query"
)

// mariaReader reads information_schema: what this account may read of the one database of the URL.
type mariaReader struct {
	db     querier
	mysql  bool
	list   []*table
	tables map[string]*table
	checks map[string][]string
	json   map[[2]string]bool // columns that hold JSON, by table and name
}

func (db *maria) schema(ctx context.Context) (*schema, error) {
	conn, err := db.start(ctx, db.reads, "START TRANSACTION READ WRITE") // one that only reads is not told of views that would write
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	s, err := readMaria(ctx, conn, db.mysql)
	return s, errors.Join(err, db.rollback(ctx, conn))
}

// readMaria reads tables and views: five statements, however many there are.
func readMaria(ctx context.Context, db querier, isMySQL bool) (*schema, error) {
	r := &mariaReader{db: db, mysql: isMySQL, tables: map[string]*table{}, checks: map[string][]string{}, json: map[[2]string]bool{}}
	for _, read := range []func(context.Context) error{r.readTables, r.readChecks, r.readColumns, r.readIndexes, r.readForeign} {
		if err := read(ctx); err != nil {
			return nil, fmt.Errorf("reading the schema: %w", err)
		}
	}
	s := &schema{}
	for _, t := range r.list {
		if len(t.columns) == 0 { // a view over what is gone
			continue
		}
		t.referring()
		t.finishKey()
		for _, check := range r.checks[t.name] {
			t.addChecks(tokens(check))
		}
		s.tables = append(s.tables, t)
	}
	s.related()
	return s, nil
}

// readTables lists tables and views: Deputy's own are left out, and sequences.
func (r *mariaReader) readTables(ctx context.Context) error {
	type entry struct{ name, kind, comment string }
	list, err := collect(ctx, r.db, `SELECT TABLE_NAME, TABLE_TYPE, coalesce(TABLE_COMMENT, '') FROM information_schema.TABLES
		WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW') ORDER BY TABLE_NAME`,
		func(rows *sql.Rows) (e entry, err error) { return e, rows.Scan(&e.name, &e.kind, &e.comment) })
	for _, e := range list {
		if own(e.name) {
			continue
		}
		t := &table{name: e.name, view: e.kind == "VIEW", comment: e.comment, bytes: true}
		if t.view {
			t.comment = ""
		}
		r.tables[e.name] = t
		r.list = append(r.list, t)
	}
	return err
}

// readChecks reads what checks demand.
func (r *mariaReader) readChecks(ctx context.Context) error {
	text := `SELECT TABLE_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() ORDER BY CONSTRAINT_NAME`
	if r.mysql {
		text = `SELECT t.TABLE_NAME, c.CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS c JOIN information_schema.TABLE_CONSTRAINTS t
			ON t.CONSTRAINT_SCHEMA = c.CONSTRAINT_SCHEMA AND t.CONSTRAINT_NAME = c.CONSTRAINT_NAME WHERE c.CONSTRAINT_SCHEMA = DATABASE() ORDER BY c.CONSTRAINT_NAME`
	}
	type entry struct{ table, check string }
	list, err := collect(ctx, r.db, text, func(rows *sql.Rows) (e entry, err error) { return e, rows.Scan(&e.table, &e.check) })
	for _, e := range list {
		check := unescaped(e.check)
		r.checks[e.table] = append(r.checks[e.table], check)
		if name, ok := jsonCheck(check); ok {
			r.json[[2]string{e.table, name}] = true
		}
	}
	return err
}

// unescaped writes the texts of a check as standard SQL does: the server writes a quote as \'.
func unescaped(check string) string {
	return strings.NewReplacer(`\\`, `\`, `\'`, `''`, "_utf8mb4'", "'", "_utf8mb4\\'", "'").Replace(check)
}

type mariaColumn struct {
	table, name, nullable, native, full, extra, comment string
	def, charset, collation, generation                 sql.NullString
	length, precision, scale                            sql.NullInt64
}

func (r *mariaReader) readColumns(ctx context.Context) error {
	list, err := collect(ctx, r.db, `SELECT TABLE_NAME, COLUMN_NAME, IS_NULLABLE, DATA_TYPE, COLUMN_TYPE, EXTRA, COLUMN_COMMENT, COLUMN_DEFAULT, CHARACTER_SET_NAME, COLLATION_NAME,
		GENERATION_EXPRESSION, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, ORDINAL_POSITION`,
		func(rows *sql.Rows) (c mariaColumn, err error) {
			return c, rows.Scan(&c.table, &c.name, &c.nullable, &c.native, &c.full, &c.extra, &c.comment, &c.def, &c.charset, &c.collation, &c.generation, &c.length, &c.precision, &c.scale)
		})
	for _, c := range list {
		if t := r.tables[c.table]; t != nil {
			t.columns = append(t.columns, c.column(r.mysql, r.json[[2]string{c.table, c.name}]))
		}
	}
	return err
}

// jsonCheck gives the column that a check wants JSON in: one of MariaDB's type JSON is a text with such a check.
func jsonCheck(check string) (column string, ok bool) {
	ts := unwrap(tokens(check))
	if ok = len(ts) == 4 && ts[0].word("json_valid") && ts[1].is("(") && ts[3].is(")"); ok {
		column = ts[2].text
	}
	return column, ok
}

func (c mariaColumn) column(isMySQL, isJSON bool) *column {
	out := &column{name: c.name, native: strings.ToLower(c.native), collation: c.collation.String, exact: true}
	c.describe(out, isJSON)
	f := &out.field
	f.Comment = c.comment
	extra := strings.ToLower(c.extra)
	f.Generated = strings.Contains(extra, "auto_increment") || c.generation.String != "" || strings.Contains(extra, " generated")
	out.auto = strings.Contains(extra, "auto_increment")
	if !f.Generated && c.def.Valid && !strings.EqualFold(c.def.String, "NULL") {
		f.Default = c.def.String
		if ts := tokens(unescaped(f.Default)); !isMySQL && len(ts) == 1 && ts[0].kind == 's' {
			f.Default = ts[0].text
		}
	}
	f.NotNull = c.nullable == "NO" && !f.Generated
	f.Required = f.NotNull && !c.def.Valid
	f.Secret = f.Secret || secretName(c.name)
	return out
}

// describe fills in what a column's type says.
func (c mariaColumn) describe(out *column, isJSON bool) {
	f := &out.field
	f.Type, f.Scale = query.String, -1
	full := strings.ToLower(c.full)
	out.unsigned = strings.Contains(full, "unsigned")
	switch t := out.native; {
	case full == "tinyint(1)" || full == "bit(1)":
		f.Type = query.Bool
	case t == "tinyint" || t == "smallint" || t == "mediumint" || t == "int" || t == "year":
		f.Type, out.digits = query.Int, 10
		if t != "year" {
			f.Min, f.Max = wholeRange(map[string]int{"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32}[t], out.unsigned)
		}
	case t == "bigint":
		if f.Type = query.Int; out.unsigned { // more than the language's int holds: see referring
			f.Type, f.Scale = query.Dec, 0
		}
	case t == "bit":
		if f.Type = query.Int; c.precision.Int64 > 63 {
			f.Type, f.Scale = query.Dec, 0
		}
	case t == "decimal":
		f.Type, f.Scale, out.digits = query.Dec, int(c.scale.Int64), int(c.precision.Int64)
		if f.Min, f.Max = decimalRange(out.digits, f.Scale); out.unsigned {
			f.Min = "0"
		}
	case t == "float" || t == "double":
		f.Type = query.Dec
	case t == "date":
		f.Type = query.Date
	case t == "datetime" || t == "timestamp":
		f.Type = query.Timestamp
	case t == "json" || isJSON && t == "longtext":
		f.Type = query.JSON
	case t == "enum":
		f.Values = listOf(c.full)
	case t == "set":
		f.Type = query.List
	case t == "char" || t == "varchar":
		f.Length = int(c.length.Int64)
	case binaryType(t):
		f.Secret, f.ReadOnly = true, true
	}
}

// binaryType says whether a type holds bytes, not characters.
func binaryType(t string) bool {
	switch t {
	case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring",
		"multipolygon", "geometrycollection", "geomcollection", "vector":
		return true
	}
	return false
}

// listOf reads the values of enum('a','b').
func listOf(full string) []string {
	var out []string
	for _, t := range tokens(full) {
		if t.kind == 's' {
			out = append(out, t.text)
		}
	}
	return out
}

// referring makes whole numbers of unsigned columns that the database counts up, or that a key or a foreign key is made of: none of them
// comes near to what a 64-bit number cannot hold.
func (t *table) referring() {
	whole := func(c *column) bool {
		return c.native == "bigint" && c.unsigned && (c.auto || slices.Contains(t.key, c.name) || slices.ContainsFunc(t.foreign, func(f foreign) bool { return slices.Contains(f.from, c.name) }))
	}
	for _, c := range t.columns {
		if whole(c) {
			c.field.Type, c.field.Scale = query.Int, -1
		}
	}
}

// readIndexes reads primary keys and unique indexes, in the order of their columns.
func (r *mariaReader) readIndexes(ctx context.Context) error {
	type entry struct {
		table, name string
		column      sql.NullString
	}
	list, err := collect(ctx, r.db, `SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME FROM information_schema.STATISTICS
		WHERE TABLE_SCHEMA = DATABASE() AND NON_UNIQUE = 0 ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX`,
		func(rows *sql.Rows) (e entry, err error) { return e, rows.Scan(&e.table, &e.name, &e.column) })
	for start := 0; start < len(list); {
		end := start + 1
		for end < len(list) && list[end].table == list[start].table && list[end].name == list[start].name {
			end++
		}
		var columns []sql.NullString
		for _, e := range list[start:end] {
			columns = append(columns, e.column)
		}
		if t := r.tables[list[start].table]; t != nil {
			t.addIndex(list[start].name, columns)
		}
		start = end
	}
	return err
}

func (t *table) addIndex(name string, columns []sql.NullString) {
	before := len(t.unique)
	if name == "PRIMARY" {
		for _, c := range columns {
			t.key = append(t.key, c.String)
		}
		t.autoKey = len(t.key) == 1 && t.column(t.key[0]) != nil && t.column(t.key[0]).auto
		if len(t.key) == 1 && t.column(t.key[0]) != nil {
			t.madeKey(t.column(t.key[0]))
		}
		t.constraints = append(t.constraints, constraint{name, t.key})
		return
	}
	if t.addUnique(columns); len(t.unique) > before {
		t.constraints = append(t.constraints, constraint{name, t.unique[before]})
	}
}

func (r *mariaReader) readForeign(ctx context.Context) error {
	type entry struct{ table, name, parent, from, to, deleted, moved string }
	list, err := collect(ctx, r.db, `SELECT k.TABLE_NAME, k.CONSTRAINT_NAME, k.REFERENCED_TABLE_NAME, k.COLUMN_NAME, k.REFERENCED_COLUMN_NAME, r.DELETE_RULE, r.UPDATE_RULE
		FROM information_schema.KEY_COLUMN_USAGE k JOIN information_schema.REFERENTIAL_CONSTRAINTS r
		ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND r.TABLE_NAME = k.TABLE_NAME
		WHERE k.TABLE_SCHEMA = DATABASE() AND k.REFERENCED_TABLE_SCHEMA = DATABASE() ORDER BY k.TABLE_NAME, k.CONSTRAINT_NAME, k.ORDINAL_POSITION`,
		func(rows *sql.Rows) (e entry, err error) {
			return e, rows.Scan(&e.table, &e.name, &e.parent, &e.from, &e.to, &e.deleted, &e.moved)
		})
	for i, e := range list {
		t := r.tables[e.table]
		if t == nil {
			continue
		}
		if i == 0 || list[i-1].table != e.table || list[i-1].name != e.name {
			t.foreign = append(t.foreign, foreign{table: e.parent, cascade: e.deleted == "CASCADE", nullify: loses(e.deleted), follows: e.moved == "CASCADE" || loses(e.moved)})
		}
		f := &t.foreign[len(t.foreign)-1]
		f.from, f.to = append(f.from, e.from), append(f.to, e.to)
	}
	return err
}
