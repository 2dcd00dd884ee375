package sqldb

import (
	"strings"
	"unicode"

	"example.com/deputy/query"
)

// spaces are the white space of unicode.IsSpace.
const spaces = `E' \t\n\v\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000'`

func (db *postgres) texts(c *compiler, x query.Op, args []part) (string, bool) {
	switch x.Fn {
	case "contains":
		return "(strpos(" + db.folded(c, args[0]) + ", " + db.folded(c, args[1]) + ") > 0 IS TRUE)", true
	case "startsWith":
		return "(starts_with(" + db.folded(c, args[0]) + ", " + db.folded(c, args[1]) + ") IS TRUE)", true
	case "endsWith":
		return c.let2(db.folded(c, args[0]), db.folded(c, args[1]), func(a, b string) string {
			return "(right(" + a + ", length(" + b + `)) COLLATE "C" = ` + b + ` COLLATE "C" IS TRUE)`
		}), true
	case "lower":
		return db.folded(c, args[0]), true
	case "length":
		return "length(" + c.sql(args[0]) + ")::bigint", true
	case "blank":
		return "(btrim(coalesce(" + c.sql(args[0]) + ", ''), " + spaces + `) COLLATE "C" = '')`, true
	case "substring":
		return substringSQL(c, args), true
	}
	return "", false
}

func substringSQL(c *compiler, args []part) string {
	if len(args) < 3 {
		return c.let2(c.sql(args[0]), c.sql(args[1]), func(x, from string) string {
			return "CASE WHEN " + from + " >= 1 THEN substr(" + x + ", least(" + from + ", 2147483647)::int) END"
		})
	}
	name := c.alias()
	text := "CASE WHEN " + name + ".n >= 1 AND " + name + ".l >= 0 THEN substr(" + name + ".x, least(" + name + ".n, 2147483647)::int, least(" + name + ".l, 2147483647)::int) END"
	return "(SELECT " + text + " FROM (SELECT " + c.sql(args[0]) + " AS x, " + c.sql(args[1]) + " AS n, " + c.sql(args[2]) + " AS l OFFSET 0) AS " + name + ")"
}

// letters are the capitals beyond ASCII that strings.ToLower makes small, each with its small letter: of Europe (up to U+052F), and all.
type letters struct{ europe, all [2]string }

func newLetters() letters {
	var out letters
	for _, c := range unicode.CaseRanges {
		for r := rune(c.Lo); r <= rune(c.Hi); r++ {
			small := unicode.ToLower(r)
			if small == r || r < 0x80 {
				continue
			}
			if out.all[0], out.all[1] = out.all[0]+string(r), out.all[1]+string(small); r <= 0x52f {
				out.europe = out.all
			}
		}
	}
	return out
}

// folded is a text as strings.ToLower writes it: the server's own lower is another one with every locale and version. Most texts are ASCII;
// of the rest, most have letters of Europe only, for which a short table does.
func (db *postgres) folded(c *compiler, p part) string {
	if p.lit != nil {
		text, ok := p.lit.V.(string)
		if !ok {
			return db.constant(c, nil, query.String)
		}
		return db.constant(c, strings.ToLower(text), query.String)
	}
	return "(" + c.let(c.sql(p), func(v string) string {
		v += ` COLLATE "C"`
		small := func(table [2]string) string {
			return "translate(lower(" + v + "), " + c.share(table[0], func() any { return table[0] }) + "::text, " + c.share(table[1], func() any { return table[1] }) + "::text)"
		}
		return "CASE WHEN octet_length(" + v + ") = length(" + v + ") THEN lower(" + v + ") WHEN " + v + ` !~ '[^\u0001-\u052f]' THEN ` + small(db.letters.europe) + " ELSE " + small(db.letters.all) + " END"
	}) + ` COLLATE "C")`
}

// conversions read texts.
func (db *postgres) conversions(c *compiler, x query.Op, args []part) (string, bool) {
	switch {
	case x.Fn == "in" && len(args) == 2 && args[1].t == query.List:
		return listed(c, args[0], args[1]), true
	case len(args) != 1 || args[0].t != query.String:
		return "", false
	}
	trimmed := "btrim(" + c.sql(args[0]) + ", " + spaces + `) COLLATE "C"`
	switch x.Fn {
	case "number":
		return c.let(trimmed, numberSQL(c)), true
	case "date":
		return c.let(trimmed, func(v string) string {
			return "CASE WHEN " + v + ` ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' AND ` + v + ` >= '0001' THEN ` + dayOf(c, v) + " END"
		}), true
	case "timestamp":
		return c.let(trimmed, func(v string) string { return db.readTimestamp(c, v, x) }), true
	}
	return "", false
}

// numberSQL reads what query.Compute's number reads: a sign, digits, a point, of at most 200 bytes.
func numberSQL(c *compiler) func(v string) string {
	return func(v string) string {
		size := "length(" + v + ") - (" + v + " LIKE '+%')::int - (" + v + " LIKE '%.')::int + (" + v + " ~ '^[+-]?[.]')::int"
		return "CASE WHEN " + v + ` ~ '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)$' AND ` + size + " <= 200 THEN " + c.bounded("("+v+"::numeric)") + " END"
	}
}

// listed asks a list that a column holds.
func listed(c *compiler, x, list part) string {
	switch x.t {
	case query.String, query.Int, query.Dec, query.Bool:
		return "(" + c.sql(list) + " @> to_jsonb(" + c.sql(x) + ") IS TRUE)"
	}
	return "FALSE"
}
