package sqldb

import (
	"context"
	"strings"
	"unicode"

	"example.com/deputy/query"
)

// whiteSpace are the white space of unicode.IsSpace.
const whiteSpace = " \t\n\v\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

func (db *maria) texts(c *compiler, x query.Op, args []part) (string, bool) {
	switch x.Fn {
	case "contains":
		return "((LOCATE(" + db.folded(c, args[1]) + ", " + db.folded(c, args[0]) + ") > 0) IS TRUE)", true
	case "startsWith":
		return "((LOCATE(" + db.folded(c, args[1]) + ", " + db.folded(c, args[0]) + ") = 1) IS TRUE)", true
	case "endsWith":
		return db.let(c, db.folded(c, args[1]), longText, func(end string) string {
			return "((RIGHT(" + db.folded(c, args[0]) + ", CHAR_LENGTH(" + end + ")) = " + end + ") IS TRUE)"
		}), true
	case "lower":
		return db.folded(c, args[0]), true
	case "length":
		return c.noted("CHAR_LENGTH("+c.sql(args[0])+")", digits{whole: 10}), true
	case "blank":
		return "(coalesce(" + c.sql(args[0]) + ", '') NOT REGEXP " + c.share("a letter", func() any { return "[^" + whiteSpace + "]" }) + ")", true
	case "substring":
		return db.substring(c, args), true
	}
	return "", false
}

func (db *maria) substring(c *compiler, args []part) string {
	from := c.sql(args[1])
	if len(args) < 3 {
		return "CASE WHEN " + from + " >= 1 THEN SUBSTR(" + c.sql(args[0]) + ", least(" + from + ", 2147483647)) END"
	}
	length := c.sql(args[2])
	return "CASE WHEN " + from + " >= 1 AND " + length + " >= 0 THEN SUBSTR(" + c.sql(args[0]) + ", least(" + from + ", 2147483647), least(" + length + ", 2147483647)) END"
}

// folded is a text as strings.ToLower writes it.
func (db *maria) folded(c *compiler, p part) string {
	if p.lit != nil {
		text, ok := p.lit.V.(string)
		if !ok {
			return nullOf(query.String)
		}
		return c.bind(strings.ToLower(text))
	}
	text := c.sql(p)
	for _, l := range db.letters {
		text = "REPLACE(" + text + ", '" + l.from + "', '" + l.to + "')"
	}
	return "(LOWER(" + text + " COLLATE " + db.folds + ") COLLATE " + db.binary + ")"
}

// findFolding asks which of the server's collations makes capitals small as Go does, and which letters are left.
func (db *maria) findFolding(ctx context.Context) error {
	capitals := capitals()
	best := -1
	for _, name := range []string{"utf8mb4_uca1400_ai_ci", "utf8mb4_0900_ai_ci", "utf8mb4_unicode_520_ci", "utf8mb4_unicode_ci"} {
		var small string
		err := db.reads.QueryRowContext(ctx, "SELECT LOWER(CONVERT(? USING utf8mb4) COLLATE "+name+")", capitals).Scan(&small)
		if err != nil && db.fault(err) == broken { // no such collation
			continue
		}
		if err != nil {
			return err
		}
		if left := differing([]rune(capitals), []rune(small)); left != nil && (best < 0 || len(left) < best) {
			best, db.folds, db.letters = len(left), name, left
		}
	}
	return nil
}

// capitals are all letters that strings.ToLower makes others of.
func capitals() string {
	var out []rune
	for _, c := range unicode.CaseRanges {
		for r := rune(c.Lo); r <= rune(c.Hi); r++ {
			if unicode.ToLower(r) != r {
				out = append(out, r)
			}
		}
	}
	return string(out)
}

// differing are the capitals that are not made what Go makes of them; nil where the two cannot be compared.
func differing(capitals, small []rune) []letter {
	if len(capitals) != len(small) {
		return nil
	}
	out := []letter{}
	for i, r := range capitals {
		if to := unicode.ToLower(r); to != small[i] {
			out = append(out, letter{string(r), string(to)})
		}
	}
	return out
}

// trimmed is a text without the white space around it.
func (db *maria) trimmed(c *compiler, p part) string {
	pattern := c.share("spaces around", func() any { return "^[" + whiteSpace + "]+|[" + whiteSpace + `]+\z` })
	return "REGEXP_REPLACE(" + c.sql(p) + ", " + pattern + ", '')"
}

// conversions read texts.
func (db *maria) conversions(c *compiler, x query.Op, args []part) (string, bool) {
	switch {
	case x.Fn == "in" && len(args) == 2 && args[1].t == query.List:
		return db.listed(c, args[0], args[1]), true
	case len(args) != 1 || args[0].t != query.String:
		return "", false
	}
	switch x.Fn {
	case "number":
		return db.let(c, db.trimmed(c, args[0]), longText, func(v string) string { return db.readNumber(c, v) }), true
	case "date":
		return db.let(c, db.trimmed(c, args[0]), longText, func(v string) string {
			return "CASE WHEN " + v + ` REGEXP '^[0-9]{4}-[0-9]{2}-[0-9]{2}\z' AND ` + v + " >= '0001' AND MONTH(" + v + ") > 0 AND DAYOFMONTH(" + v + ") > 0 THEN CAST(" + v + " AS DATE) END"
		}), true
	case "timestamp":
		return db.let(c, db.trimmed(c, args[0]), longText, func(v string) string { return db.readTimestamp(c, v, x) }), true
	}
	return "", false
}

// readNumber reads what query.Compute's number reads: a sign, digits, a point, of at most 200 bytes.
func (db *maria) readNumber(c *compiler, v string) string {
	size := "(LENGTH(" + v + ") - (" + v + " LIKE '+%') - (" + v + " LIKE '%.') + (" + v + " REGEXP '^[+-]?[.]'))"
	return "CASE WHEN " + v + ` REGEXP '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)\z' AND ` + size + " <= 200 THEN " + db.bounded(c, "CAST("+v+" AS DECIMAL(65,26))", digits{39, 26}) + " END"
}

// listed asks a list that a column holds: a SET's items are texts.
func (db *maria) listed(c *compiler, x, list part) string {
	if x.t != query.String {
		return "FALSE"
	}
	return "(JSON_CONTAINS(" + c.sql(list) + ", (JSON_QUOTE(" + c.sql(x) + ") COLLATE " + db.binary + ")) IS TRUE)"
}
