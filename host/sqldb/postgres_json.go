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
	kind := func(name, then string) string {
		return c.let("("+at+")", func(v string) string {
			return "CASE WHEN json_typeof(" + v + ") = '" + name + "' THEN " + c.let("("+v+" #>> '{}')", func(t string) string { return then1(c, then, t) }) + " END"
		})
	}
	switch x.As {
	case query.String:
		return kind("string", "text")
	case query.Bool:
		return kind("boolean", "boolean")
	case query.Dec:
		return kind("number", "numeric")
	case query.JSON:
		return c.let("("+at+")", func(v string) string { return "CASE WHEN json_typeof(" + v + ") <> 'null' THEN " + v + " END" })
	}
	return db.constant(c, nil, x.As)
}

// then1 reads what is found. A number with an exponent beyond 60 is none of the language.
func then1(c *compiler, as, v string) string {
	switch as {
	case "boolean":
		return v + "::boolean"
	case "numeric":
		return "CASE WHEN length(" + v + ") <= 200 AND (" + v + " !~ '[eE]' OR " + v + ` ~ '[eE][+-]?0*([0-5]?[0-9]|60)$') THEN ` + c.bounded("("+v+"::numeric)") + " END"
	}
	return v
}
