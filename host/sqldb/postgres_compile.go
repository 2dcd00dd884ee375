package sqldb

import (
	"fmt"
	"strings"
	"time"

	"example.com/deputy/query"
)

// The forms: an integer type of any size, numeric, text, boolean, date, timestamp (in UTC), json, jsonb (of lists). No form and no operator
// depends on a setting of the session.

func sqlType(t query.Type) string {
	switch t {
	case query.Bool:
		return "boolean"
	case query.Int:
		return "bigint"
	case query.Dec:
		return "numeric"
	case query.Date:
		return "date"
	case query.Timestamp:
		return "timestamp"
	case query.JSON:
		return "json"
	case query.List:
		return "jsonb"
	}
	return "text"
}

func (db *postgres) mark(n int) string { return fmt.Sprintf("$%d", n) }

func (db *postgres) constant(c *compiler, v query.Value, t query.Type) string {
	text, ok := query.FormatValue(v)
	if !ok {
		return "NULL::" + sqlType(t)
	}
	if at, isTime := v.(time.Time); isTime {
		text = at.UTC().Format("2006-01-02 15:04:05.000000")
	}
	return c.bind(text) + "::" + sqlType(t)
}

func (db *postgres) table(t *table) string { return quote(t.space) + "." + quote(t.name) }

func (db *postgres) lock() string { return " FOR UPDATE" }

// let names what a text is made of more than once. It is computed once: OFFSET keeps the planner from putting it in.
func (c *compiler) let(text string, in func(v string) string) string {
	if !strings.ContainsAny(text, " (") {
		return in(text)
	}
	name := c.alias()
	return "(SELECT " + in(name+".v") + " FROM (SELECT " + text + " AS v OFFSET 0) AS " + name + ")"
}

// field guards what the language has no value for: NaN, infinity, years beyond 9999.
func (db *postgres) field(c *compiler, ref string, col *column) string {
	switch col.field.Type {
	case query.Dec:
		return decimalField(ref, col)
	case query.Date:
		return "CASE WHEN " + ref + " BETWEEN '0001-01-01'::date AND '9999-12-31'::date THEN " + ref + " END"
	case query.Timestamp:
		return db.timeField(c, ref, col)
	case query.JSON:
		return jsonField(ref, col)
	case query.List:
		return "CASE WHEN array_ndims(" + ref + ") = 1 OR cardinality(" + ref + ") = 0 THEN to_jsonb(" + ref + ") END"
	case query.String:
		return textField(ref, col)
	}
	return ref
}

func decimalField(ref string, col *column) string {
	switch {
	case col.native == "float4" || col.native == "float8": // the shortest decimal that means it
		return "CASE WHEN " + ref + " = 0 OR abs(" + ref + ") BETWEEN 1e-30 AND 1e90 THEN " + ref + "::text::numeric END"
	case col.native == "money":
		return ref + "::numeric"
	case col.field.Scale >= 0:
		return "nullif(" + ref + ", 'NaN')"
	}
	return "CASE WHEN abs(" + ref + ") < 1e90 AND scale(" + ref + ") <= 100 THEN " + ref + " END"
}

func textField(ref string, col *column) string {
	switch {
	case col.native == "bytea":
		return "encode(" + ref + ", 'hex')"
	case col.native == "text" && col.exact:
		return ref
	case col.exact:
		return ref + "::text"
	}
	return ref + `::text COLLATE "C"`
}

func (db *postgres) timeField(c *compiler, ref string, col *column) string {
	switch {
	case col.native == "timestamptz":
		return "CASE WHEN " + ref + " >= '0001-01-01 00:00:00+00'::timestamptz AND " + ref + " < '10000-01-01 00:00:00+00'::timestamptz THEN " + ref + " AT TIME ZONE interval '0' END"
	case db.universal(col.zone):
		return inYearsSQL(ref)
	}
	return "CASE WHEN " + ref + " > '-infinity'::timestamp AND " + ref + " < 'infinity'::timestamp THEN " + db.instant(c, ref, col.zone) + " END"
}

func (db *postgres) output(c *compiler, p part) output {
	text := c.sql(p)
	switch p.t {
	case query.Bool:
	case query.Int:
		text = "(" + text + ")::bigint"
	case query.Date:
		text = "to_char(" + text + ", 'YYYY-MM-DD')"
	case query.Timestamp:
		text = "to_char(" + text + `, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
	default:
		text = "(" + text + ")::text"
	}
	return output{text: text, read: func(raw any) query.Value { return received(raw, p.t) }}
}

// version is the column's text as the server writes it, of numbers without the zeros that mean nothing.
func (db *postgres) version(ref string, col *column) output {
	return output{text: versionText(ref, col), read: func(raw any) query.Value { return decode(raw, query.String) }}
}

func versionText(ref string, col *column) string {
	if col.native == "numeric" {
		return "trim_scale(" + ref + ")::text"
	}
	return ref + "::text"
}

func (db *postgres) unchanged(c *compiler, ref string, col *column, seen query.Value) string {
	return "(" + versionText(ref, col) + ` COLLATE "C" IS NOT DISTINCT FROM ` + db.constant(c, seen, query.String) + ")"
}

func received(raw any, t query.Type) query.Value {
	if truth, ok := raw.(bool); ok {
		return truth
	}
	list, ok := raw.(string)
	if !ok || t != query.List {
		return decode(raw, t)
	}
	v, err := query.ParseValue(query.List, list)
	if err != nil {
		return nil
	}
	return v
}

func (db *postgres) missing(p part) string {
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

func numeric(t query.Type) bool { return t == query.Int || t == query.Dec }

func (db *postgres) compare(c *compiler, fn string, a, b part) string {
	operator := fn
	if fn == "==" {
		operator = "="
	}
	switch {
	case numeric(a.t) && numeric(b.t):
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
	if a.t == query.Timestamp && zoned(a) != zoned(b) {
		left, right = instantly(left, a), instantly(right, b)
	}
	return "(" + left + " " + operator + " " + right + guardA + guardB + ")"
}

// side is one side of a comparison as it is kept, so that an index serves, and the condition that it is a value of the language.
func (db *postgres) side(c *compiler, p part) (text, guard string) {
	if p.ref == "" {
		return c.sql(p), ""
	}
	switch p.t {
	case query.Int, query.Bool:
		return p.ref, ""
	case query.Date:
	case query.Timestamp:
		if !zoned(p) && !db.universal(p.col.zone) {
			return p.text, ""
		}
	case query.Dec:
		if p.col.native != "numeric" {
			return p.text, ""
		}
	}
	return p.ref, " AND (" + p.text + ") IS NOT NULL"
}

// zoned says whether a side of a comparison is a timestamp that knows its zone.
func zoned(p part) bool { return p.ref != "" && p.col.native == "timestamptz" }

func instantly(text string, p part) string {
	if zoned(p) {
		return text
	}
	return "(" + text + " AT TIME ZONE 'UTC')"
}

// compareTexts compares bytes. Equality of most columns is that of bytes already, and an index serves it.
func (db *postgres) compareTexts(c *compiler, operator string, a, b part) string {
	if operator == "=" {
		if a.lit != nil {
			a, b = b, a
		}
		switch {
		case a.ref != "" && b.lit != nil && a.col.native == "uuid" && canonical(b.lit.V):
			return "(" + a.ref + " = " + c.bind(b.lit.V) + "::uuid)"
		case a.ref != "" && b.lit != nil && a.col.exact && textual(a.col):
			return "(" + a.ref + " = " + c.sql(b) + ")"
		case a.ref != "" && b.ref != "" && a.col.native == b.col.native && a.col.collation == b.col.collation && a.col.exact && a.col.native != "bpchar":
			return "(" + a.ref + " = " + b.ref + ")"
		}
	}
	return "(" + c.sql(a) + ` COLLATE "C" ` + operator + " " + c.sql(b) + ` COLLATE "C")`
}

func textual(col *column) bool { return col.native == "text" || col.native == "varchar" }

// canonical says whether a text is a UUID as Postgres writes it.
func canonical(v query.Value) bool {
	text, _ := v.(string)
	if len(text) != 36 {
		return false
	}
	for i, r := range []byte(text) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (r == '-') || !dash && (r < '0' || r > '9') && (r < 'a' || r > 'f') {
			return false
		}
	}
	return true
}

func (db *postgres) among(c *compiler, a part, items []part) string {
	native := a.t == query.Int || a.t == query.String && (a.ref == "" || a.col.exact && textual(a.col))
	for _, item := range items {
		native = native && item.t == a.t && item.lit != nil
	}
	var all []string
	if !native {
		for _, item := range items {
			all = append(all, db.compare(c, "==", a, item))
		}
		return "(" + strings.Join(all, " OR ") + ")"
	}
	for _, item := range items {
		all = append(all, c.sql(item))
	}
	left := a.ref
	if left == "" {
		left = c.sql(a)
		if a.t == query.String {
			left += ` COLLATE "C"`
		}
	}
	return "(" + left + " IN (" + strings.Join(all, ", ") + "))"
}

func (db *postgres) over(c *compiler, fn string, body part, as query.Type, _ *scope, from string) string {
	return c.named(body, from, func(v string) string { return db.fold(c, fn, v, body.t, as) })
}

func (db *postgres) carry(_ *compiler, _ string, _ part, text, name string) []string {
	return []string{text + " AS " + name}
}

func (db *postgres) fold(c *compiler, fn, value string, of, as query.Type) string {
	switch {
	case fn == "sum" && as == query.Int: // an integer's sum is exact, and larger than an integer
		return c.integral("sum(" + value + ")::numeric")
	case fn == "sum":
		return c.bounded("sum(" + value + ")::numeric")
	case fn == "avg":
		return c.quotient("sum("+value+")::numeric", "count("+value+")::numeric")
	case of == query.String:
		return fn + "(" + value + ` COLLATE "C")`
	case of == query.Bool || !plain(of) && of != query.Dec:
		return db.constant(c, nil, as)
	}
	return db.widen(fn+"("+value+")", of, as)
}

func (db *postgres) distinct(value string, t query.Type) string {
	switch t {
	case query.String:
		return "(" + value + `) COLLATE "C"`
	case query.JSON:
		return compactJSON(value)
	}
	return "(" + value + ")"
}

func (db *postgres) widen(text string, from, to query.Type) string {
	switch {
	case from == query.Null && to != query.Null:
		return "NULL::" + sqlType(to)
	case from == query.Int && to == query.Dec:
		return "(" + text + ")::numeric"
	}
	return text
}

func (db *postgres) sort(text string, t query.Type, desc, nullable bool) string {
	switch {
	case t == query.String || t == query.Null:
		text = "(" + text + `)::text COLLATE "C"`
	case t == query.Bool:
		text = "(" + text + ")::boolean"
	case !plain(t) && t != query.Dec: // nothing orders these but whether they are there
		return "((" + text + ") IS NULL)"
	}
	if desc {
		text += " DESC"
	}
	if nullable {
		text += " NULLS LAST"
	}
	return text
}

func (db *postgres) page(text, limit, offset string, order []string) string {
	if len(order) > 0 {
		text += " ORDER BY " + strings.Join(order, ", ")
	}
	return text + " LIMIT " + limit + "::bigint OFFSET " + offset + "::bigint"
}

// function computes constants here, all else there.
func (db *postgres) function(c *compiler, x query.Op, args []part) string {
	if v, ok := computed(x, args); ok {
		return db.constant(c, v, x.T)
	}
	if inPeriod(x, args) {
		if text, ok := db.period(c, x, args[0]); ok {
			return text
		}
	}
	if text, ok := db.certain(c, x, args); ok {
		return text
	}
	for _, f := range []func(*compiler, query.Op, []part) (string, bool){db.arithmetic, db.texts, db.times, db.conversions} {
		if text, ok := f(c, x, args); ok {
			return text
		}
	}
	c.fail("no operator %s of %d arguments", x.Fn, len(args))
	return db.constant(c, nil, x.T)
}

func computed(x query.Op, args []part) (query.Value, bool) {
	values := make([]query.Value, len(args))
	for i, p := range args {
		if p.lit == nil {
			return nil, false
		}
		values[i] = p.lit.V
	}
	v := query.Compute(x.Fn, x.Zone, values...)
	if n, ok := v.(int64); ok && x.T == query.Dec {
		return query.Decimal(fmt.Sprint(n)), true
	}
	return v, true
}

// certain computes + - * and the minus before a number where the columns' types say that the result has few enough digits: nothing has to be asked
// of it then.
func (db *postgres) certain(c *compiler, x query.Op, args []part) (string, bool) {
	if x.T != query.Dec || len(args) == 0 || len(args) > 2 {
		return "", false
	}
	var d [2]digits
	for i, p := range args {
		var ok bool
		if d[i], ok = postgresDigits(c, p); !ok {
			return "", false
		}
	}
	of := digits{max(d[0].whole, d[1].whole) + 1, max(d[0].scale, d[1].scale)}
	if x.Fn == "*" {
		of = digits{d[0].whole + d[1].whole, d[0].scale + d[1].scale}
	}
	switch {
	case of.whole > 38 || of.scale > 20:
		return "", false
	case x.Fn == "neg" && len(args) == 1:
		return c.noted("(-"+c.exactly(args[0])+")", of), true
	case len(args) == 2 && (x.Fn == "+" || x.Fn == "-" || x.Fn == "*"):
		return c.noted("("+c.exactly(args[0])+" "+x.Fn+" "+c.exactly(args[1])+")", of), true
	}
	return "", false
}

// postgresDigits are the most that a number has, where that is known.
func postgresDigits(c *compiler, p part) (digits, bool) {
	switch {
	case p.lit != nil && p.lit.V != nil:
		text, _ := query.FormatValue(p.lit.V)
		return digitsOf(text), true
	case p.lit != nil:
		return digits{}, false
	case p.col != nil && p.ref != "":
		switch {
		case p.col.native == "int2" || p.col.native == "int4":
			return digits{whole: 10}, true
		case p.col.native == "int8":
			return digits{whole: 19}, true
		case p.col.native == "numeric" && p.col.digits > 0 && p.col.field.Scale >= 0:
			return digits{max(p.col.digits-p.col.field.Scale, 0), p.col.field.Scale}, true
		}
	}
	d, ok := c.digits[p.text]
	return d, ok
}
