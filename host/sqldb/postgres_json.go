package sqldb

import (
	"strconv"

	"example.com/deputy/query"
)

// jsonField is a document. Text cannot hold NUL, nor half of a character: where a column of type json has one, escaped, it is read as U+FFFD.
func jsonField(ref string, col *column) string {
	if col.native == "jsonb" {
		return ref + "::text::json"
	}
	halves := `\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}`
	return "CASE WHEN " + ref + `::text ~ '\\u(0000|[dD][89a-fA-F])' THEN regexp_replace(` + ref + `::text, '(?<!\\)((?:\\\\)*)(?:\\u0000|` + halves + `)', '\1\\ufffd', 'g')::json ELSE ` + ref + " END"
}

// compactJSON takes the white space between the tokens away.
func compactJSON(doc string) string {
	return "regexp_replace((" + doc + `)::text, '("(?:[^"\\]|\\.)*")|[ \t\n\r]+', '\1', 'g') COLLATE "C"`
}

// path goes into a document step by step: digits are an index where they meet an array.
func (db *postgres) path(c *compiler, doc string, x query.Ref) string {
	at := "(" + doc + ")"
	for _, step := range x.Path {
		if n, err := strconv.Atoi(step); err == nil && n >= 0 && strconv.Itoa(n) == step {
			at += " #> ARRAY[" + c.bind(step) + "::text]"
		} else {
			at += " -> " + c.bind(step) + "::text"
		}
	}
	scalar := func(kind string) string {
		return c.let("("+at+")", func(v string) string {
			return "CASE WHEN json_typeof(" + v + ") = '" + kind + "' THEN " + c.let("("+v+" #>> '{}')", func(t string) string { return readScalar(c, kind, t) }) + " END"
		})
	}
	switch x.As {
	case query.String:
		return scalar("string")
	case query.Bool:
		return scalar("boolean")
	case query.Dec:
		return scalar("number")
	case query.JSON:
		return c.let("("+at+")", func(v string) string { return "CASE WHEN json_typeof(" + v + ") <> 'null' THEN " + v + " END" })
	}
	return db.constant(c, nil, x.As)
}

// readScalar reads what is found. A number with an exponent beyond 60 is none of the language.
func readScalar(c *compiler, kind, v string) string {
	switch kind {
	case "boolean":
		return v + "::boolean"
	case "number":
		return "CASE WHEN length(" + v + ") <= 200 AND (" + v + " !~ '[eE]' OR " + v + ` ~ '[eE][+-]?0*([0-5]?[0-9]|60)$') THEN ` + c.bounded("("+v+"::numeric)") + " END"
	}
	return v
}
