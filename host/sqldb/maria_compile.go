package sqldb

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/deputy/query"
)

// The forms: a number without digits after the point of any of the server's exact types, decimal, text in the binary collation, 0 and 1, date,
// datetime(6) in UTC, the text of a document, the text of a JSON array. A value is never compared or computed as a float.

var _ dialect = (*maria)(nil)

func (db *maria) mark(n int) string { return fmt.Sprintf("\x00%d\x00", n) }

func (db *maria) constant(c *compiler, v query.Value, t query.Type) string {
	switch x := v.(type) {
	case nil:
		return nullOf(t)
	case bool:
		if x {
			return "TRUE"
		}
		return "FALSE"
	case int64:
		return c.bind(x)
	case query.Decimal:
		d := digitsOf(string(x))
		return c.noted(fmt.Sprintf("CAST(%s AS DECIMAL(%d,%d))", c.bind(string(x)), min(d.whole+d.scale, mostDigits), min(d.scale, mostScale)), d)
	case query.Day:
		return "CAST(" + c.bind(string(x)) + " AS DATE)"
	case time.Time:
		return "CAST(" + c.bind(x.UTC().Format("2006-01-02 15:04:05.000000")) + " AS DATETIME(6))"
	}
	text, _ := query.FormatValue(v)
	return "(" + c.bind(text) + db.bytewise()
}

// bytewise ends a text in the binary collation. A parameter has that of its character set otherwise, whatever collation_connection says, and
// where no column stands beside it, that one would count.
func (db *maria) bytewise() string { return " COLLATE " + db.binary + ")" }

// loosely is a constant text that takes the collation of the column that it meets, so that an index serves.
func (db *maria) loosely(c *compiler, p part) string {
	if text, ok := strings.CutSuffix(c.sql(p), db.bytewise()); ok {
		return strings.TrimPrefix(text, "(")
	}
	return c.sql(p)
}

func nullOf(t query.Type) string {
	switch t {
	case query.Dec:
		return "CAST(NULL AS DECIMAL(1,0))"
	case query.Int, query.Bool:
		return "CAST(NULL AS SIGNED)"
	case query.Date:
		return "CAST(NULL AS DATE)"
	case query.Timestamp:
		return "CAST(NULL AS DATETIME(6))"
	}
	return "CAST(NULL AS CHAR)"
}

func (db *maria) table(t *table) string { return quote(t.name) }

func (db *maria) lock() string { return " FOR UPDATE" }

// shortText is how long a text may be to be written several times. MariaDB has no subquery in FROM that sees the row outside.
const shortText = 160

// let names what a text is made of more than once: a table made of the one value. kind is the type of its column.
func (db *maria) let(c *compiler, text, kind string, in func(v string) string) string {
	if len(text) <= shortText {
		return in(text)
	}
	name := c.alias()
	v := name + ".v"
	if kind == longText { // as a text, also where it is a document
		v, text = "("+v+" COLLATE "+db.binary+")", "CAST("+text+" AS CHAR)"
	}
	return "(SELECT " + in(v) + " FROM JSON_TABLE(JSON_ARRAY(" + text + "), '$[*]' COLUMNS (v " + kind + " PATH '$')) AS " + name + ")"
}

const (
	longText = "LONGTEXT CHARACTER SET utf8mb4"
	wholeSQL = "DECIMAL(65,0)"
	timeSQL  = "DATETIME(6)"
)

// field guards what the language has no value for: days that are none, like 0000-00-00.
func (db *maria) field(c *compiler, ref string, col *column) string {
	switch col.field.Type {
	case query.Int:
		if col.native == "bit" {
			return "(" + ref + " + 0)"
		}
	case query.Dec:
		return decimalOfMaria(c, ref, col)
	case query.Bool:
		return "(" + ref + " <> 0)"
	case query.Date:
		return "CASE WHEN LAST_DAY(" + ref + ") >= '0001-01-01' AND DAYOFMONTH(" + ref + ") > 0 THEN " + ref + " END"
	case query.Timestamp:
		return db.timeField(c, ref, col)
	case query.List:
		return "CASE " + ref + " WHEN '' THEN '[]' ELSE CONCAT('[', REPLACE((JSON_QUOTE(" + db.textOf(ref, col) + ") COLLATE " + db.binary + "), ',', '\",\"'), ']') END"
	case query.String:
		return db.textOf(ref, col)
	case query.JSON:
		return db.textOf(ref, col)
	}
	return ref
}

func (db *maria) textOf(ref string, col *column) string {
	switch {
	case binaryType(col.native):
		return "LOWER(HEX(" + ref + "))"
	case col.collation == db.binary:
		return ref
	case strings.HasPrefix(col.collation, "utf8mb4_") && isText(col):
		return "(" + ref + " COLLATE " + db.binary + ")"
	case col.native == "json":
		return "CAST(" + ref + " AS CHAR)"
	}
	return "(CONVERT(" + ref + " USING utf8mb4) COLLATE " + db.binary + ")"
}

// isText says whether a column holds characters as they were given.
func isText(col *column) bool {
	switch col.native {
	case "char", "varchar", "tinytext", "text", "mediumtext", "longtext":
		return true
	}
	return false
}

func decimalOfMaria(c *compiler, ref string, col *column) string {
	switch col.native {
	case "float":
		ref = "(" + ref + " + 0e0)"
		fallthrough
	case "double":
		return c.noted("CASE WHEN abs("+ref+") < 1e38 THEN CAST(CAST("+ref+" AS CHAR) AS DECIMAL(65,26)) END", digits{38, 26})
	case "decimal":
		return c.noted(ref, digits{col.digits - col.field.Scale, col.field.Scale})
	case "bit":
		return c.noted("(CAST("+ref+" + 0 AS DECIMAL(20,0)))", digits{20, 0})
	}
	return c.noted(ref, digits{20, 0})
}

func (db *maria) timeField(c *compiler, ref string, col *column) string {
	day := "CASE WHEN LAST_DAY(" + ref + ") >= '0001-01-01' AND DAYOFMONTH(" + ref + ") > 0 THEN " + ref + " END"
	switch {
	case col.native == "timestamp":
		return "CASE WHEN " + ref + " > '0001-01-01' THEN " + ref + " END"
	case db.universal(col.zone):
		return day
	}
	return db.instant(c, db.moment(c, db.micros(day), col.zone))
}

func (db *maria) output(c *compiler, p part) output {
	text := c.sql(p)
	if p.col == nil {
		return output{text: text, read: func(raw any) query.Value { return mariaValue(raw, p.t, -1) }}
	}
	if p.col.native == "float" || p.col.native == "double" { // its shortest decimal is made here
		return output{text: p.raw, read: mariaFloat}
	}
	scale := p.col.field.Scale
	return output{text: text, read: func(raw any) query.Value { return mariaValue(raw, p.t, scale) }}
}

// version is the column's text as the server writes it.
func (db *maria) version(ref string, col *column) output {
	return output{text: db.versionText(ref, col), read: func(raw any) query.Value { return mariaValue(raw, query.String, -1) }}
}

func (db *maria) versionText(ref string, col *column) string {
	switch {
	case col.native == "float":
		return "CAST(" + ref + " + 0e0 AS CHAR)"
	case col.native == "bit":
		return "CAST(" + ref + " + 0 AS CHAR)"
	case col.field.Type == query.String || col.field.Type == query.List || col.field.Type == query.JSON:
		return db.textOf(ref, col)
	}
	return "CAST(" + ref + " AS CHAR)"
}

func (db *maria) unchanged(c *compiler, ref string, col *column, seen query.Value) string {
	return "(" + db.versionText(ref, col) + " <=> " + db.constant(c, seen, query.String) + ")"
}

func (db *maria) missing(p part) string {
	switch {
	case p.lit != nil && p.lit.V == nil:
		return "TRUE"
	case p.lit != nil:
		return "FALSE"
	case p.col != nil && p.ref != "" && p.col.field.Secret:
		return "(" + p.ref + " IS NULL)"
	}
	return "((" + p.text + ") IS NULL)"
}

func (db *maria) compare(c *compiler, fn string, a, b part) string {
	operator := fn
	if fn == "==" {
		operator = "="
	}
	switch {
	case numeric(a.t) && numeric(b.t):
		return "(" + c.sql(a) + " " + operator + " " + c.sql(b) + ")"
	case a.t != b.t || !plain(a.t):
		return "FALSE"
	case a.t == query.String:
		return db.compareTexts(c, operator, a, b)
	}
	left, guardA := db.side(c, a)
	right, guardB := db.side(c, b)
	if fn == "==" && (guardA == "" || guardB == "") { // what equals a value is one
		guardA, guardB = "", ""
	}
	return "(" + left + " " + operator + " " + right + guardA + guardB + ")"
}

// side is one side of a comparison as it is kept, so that an index serves, and the condition that it is a value of the language.
func (db *maria) side(c *compiler, p part) (text, guard string) {
	if p.ref == "" || p.t != query.Date && (p.t != query.Timestamp || p.col.native != "timestamp" && !db.universal(p.col.zone)) {
		return c.sql(p), ""
	}
	return p.ref, " AND (" + p.text + ") IS NOT NULL"
}

// compareTexts compares bytes. What is the same in bytes is so in every collation: asked first, an index serves it.
func (db *maria) compareTexts(c *compiler, operator string, a, b part) string {
	exact := "(" + c.sql(a) + " " + operator + " " + c.sql(b) + ")"
	if operator != "=" || c.computed {
		return exact
	}
	if a.lit != nil {
		a, b = b, a
	}
	switch {
	case b.lit != nil && db.servedByIndex(a, b):
		return "(" + a.ref + " = " + db.loosely(c, b) + " AND " + exact + ")"
	case a.ref != "" && b.ref != "" && isText(a.col) && isText(b.col) && a.col.collation == b.col.collation && a.col.collation != db.binary:
		return "(" + a.ref + " = " + b.ref + " AND " + exact + ")"
	}
	return exact
}

// servedByIndex says whether constants can be compared in a column's own collation: one of another set of characters has not all of them.
func (db *maria) servedByIndex(a part, constants ...part) bool {
	if a.ref == "" || !isText(a.col) || a.col.collation == db.binary {
		return false
	}
	return strings.HasPrefix(a.col.collation, "utf8mb4_") || !slices.ContainsFunc(constants, func(p part) bool {
		text, ok := p.lit.V.(string)
		return !ok || strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
	})
}

func (db *maria) among(c *compiler, a part, items []part) string {
	native := a.t == query.Int || a.t == query.String
	for _, item := range items {
		native = native && item.t == a.t && item.lit != nil
	}
	var all, loose []string
	for _, item := range items {
		if native {
			all, loose = append(all, c.sql(item)), append(loose, db.loosely(c, item))
		} else {
			all = append(all, db.compare(c, "==", a, item))
		}
	}
	if !native {
		return "(" + strings.Join(all, " OR ") + ")"
	}
	list := " IN (" + strings.Join(all, ", ") + ")"
	if a.t == query.String && !c.computed && db.servedByIndex(a, items...) {
		return "(" + a.ref + " IN (" + strings.Join(loose, ", ") + ") AND " + c.sql(a) + list + ")"
	}
	return "(" + c.sql(a) + list + ")"
}

func (db *maria) distinct(value string, t query.Type) string {
	if t == query.JSON {
		return "REGEXP_REPLACE(" + value + `, '("[^"\\]*+(?:\\.[^"\\]*+)*+")|[ \t\n\r]+', '` + db.group(1) + "')"
	}
	return value
}

// group is what a replacement writes for what a group of its pattern found.
func (db *maria) group(n int) string {
	if db.mysql {
		return fmt.Sprintf("$%d", n)
	}
	return fmt.Sprintf(`\%d`, n)
}

func (db *maria) widen(text string, from, to query.Type) string {
	if from == query.Null && to != query.Null {
		return nullOf(to)
	}
	return text
}

// sort: the server puts NULL first, so whether there is a value is a key before it.
func (db *maria) sort(text string, t query.Type, desc, nullable bool) string {
	null := "((" + text + ") IS NULL)"
	switch {
	case text == "TRUE" || text == "FALSE" || strings.Count(text, "\x00") == 2 && text[0] == 0 && text[len(text)-1] == 0:
		return "''" // one for all rows; as a number it would mean a column
	case !plain(t) && t != query.Dec: // nothing orders these but whether they are there
		return null
	case desc: // NULL is last by itself
		return "(" + text + ") DESC"
	case !nullable:
		return "(" + text + ")"
	}
	return null + ", (" + text + ")"
}

func (db *maria) page(text, limit, offset string, order []string) string {
	if len(order) > 0 {
		text += " ORDER BY " + strings.Join(order, ", ")
	}
	return text + " LIMIT " + limit + " OFFSET " + offset
}

// function computes constants here, all else there.
func (db *maria) function(c *compiler, x query.Op, args []part) string {
	if v, ok := computed(x, args); ok {
		return db.constant(c, v, x.T)
	}
	if inPeriod(x, args) {
		if text, ok := db.period(c, x, args[0]); ok {
			return text
		}
	}
	for _, f := range []func(*compiler, query.Op, []part) (string, bool){db.arithmetic, db.texts, db.times, db.conversions} {
		if text, ok := f(c, x, args); ok {
			return text
		}
	}
	c.fail("no operator %s of %d arguments", x.Fn, len(args))
	return db.constant(c, nil, x.T)
}

// over is an aggregate over the rows of a FROM. Of the outer row's fields alone it would belong to the outer query: a column of the inner one
// stands in it, which changes nothing.
func (db *maria) over(c *compiler, fn string, body part, as query.Type, inner *scope, from string) string {
	text := c.sql(body)
	if len(inner.root.t.columns) > 0 {
		text = c.oneOf("CASE WHEN "+inner.root.ref(inner.root.t.columns[0])+" IS NULL AND FALSE THEN NULL ELSE "+text+" END", text)
	}
	return db.aggregate(c, fn, text, body.t, as, func(one string) string { return "(SELECT " + one + from + ")" })
}

func (db *maria) carry(_ *compiler, _ string, _ part, text, name string) []string {
	return []string{text + " AS " + name}
}

// fold is an aggregate of a column: short enough to be written twice, so that no subquery stands around it.
func (db *maria) fold(c *compiler, fn, value string, of, as query.Type) string {
	return db.aggregate(c, fn, value, of, as, func(text string) string { return text })
}

func (db *maria) aggregate(c *compiler, fn, text string, of, as query.Type, sub func(text string) string) string {
	d := db.digits(c, part{text: text, t: of})
	switch {
	case fn == "sum" && as == query.Int:
		return db.integral(c, sub("sum("+text+")"), digits{whole: d.whole + 12})
	case fn == "sum":
		return db.bounded(c, sub("sum("+text+")"), digits{d.whole + 12, d.scale})
	case fn == "avg":
		return db.bounded(c, sub(quotientSQL("sum("+text+")", "count("+text+")")), digits{d.whole, 16})
	case of == query.Bool || !plain(of) && of != query.Dec:
		return db.constant(c, nil, as)
	}
	return c.noted(sub(fn+"("+text+")"), d)
}
