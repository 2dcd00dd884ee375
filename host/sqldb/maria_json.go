package sqldb

import (
	"strconv"
	"strings"

	"example.com/deputy/query"
)

// path goes into a document step by step: digits are an index where they meet an array, and a name elsewhere.
func (db *maria) path(c *compiler, doc string, x query.Ref) string {
	at := "(" + doc + ")"
	for _, step := range x.Path {
		name := c.bind(`$."` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(step) + `"`)
		if n, err := strconv.Atoi(step); err == nil && n >= 0 && strconv.Itoa(n) == step {
			at = db.let(c, at, longText, func(v string) string {
				return "CASE JSON_TYPE(" + v + ") WHEN 'ARRAY' THEN JSON_EXTRACT(" + v + ", " + c.bind("$["+step+"]") + ") ELSE JSON_EXTRACT(" + v + ", " + name + ") END"
			})
		} else {
			at = "JSON_EXTRACT(" + at + ", " + name + ")"
		}
	}
	switch x.As {
	case query.String:
		return db.let(c, at, longText, func(v string) string {
			return "CASE WHEN JSON_TYPE(" + v + ") = 'STRING' THEN (JSON_UNQUOTE(" + v + ") COLLATE " + db.binary + ") END"
		})
	case query.Bool:
		return db.let(c, at, longText, func(v string) string {
			return "CASE WHEN JSON_TYPE(" + v + ") = 'BOOLEAN' THEN (CAST(" + v + " AS CHAR) = 'true') END"
		})
	case query.Dec:
		return db.let(c, at, longText, func(v string) string { return db.jsonNumber(c, v) })
	case query.JSON:
		return db.let(c, at, longText, func(v string) string {
			return "CASE WHEN JSON_TYPE(" + v + ") <> 'NULL' THEN (" + v + " COLLATE " + db.binary + ") END"
		})
	}
	return db.constant(c, nil, x.As)
}

// jsonNumber reads a number as it is written. One with an exponent beyond 60 is none of the language.
func (db *maria) jsonNumber(c *compiler, v string) string {
	number := "CAST(CAST(" + v + " AS CHAR) AS DECIMAL(65,26))"
	return "CASE WHEN JSON_TYPE(" + v + ") IN ('INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL') AND LENGTH(" + v + ") <= 200 AND (" + v + " NOT REGEXP '[eE]' OR " + v +
		` REGEXP '[eE][+-]?0*([0-5]?[0-9]|60)\z') THEN ` + db.bounded(c, number, digits{39, 26}) + " END"
}
