package app

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"example.com/deputy"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/query"
)

// located is a mistake that a part found, by the key it is about.
type located struct{ key, text string }

// Error implements error.
func (e *located) Error() string { return e.key + ": " + e.text }

// located gives the mistakes that parts found their place in the file. An error that is about no key stays as it is. tables are the names
// that a table may have had; nil: not known.
func (d *document) located(err error, tables []query.Summary) error {
	var others []error
	for _, e := range leaves(err) {
		key, text, ok := keyOf(e)
		if !ok {
			others = append(others, e)
			continue
		}
		if (strings.HasPrefix(text, "no table `") || strings.HasPrefix(text, "no table: ")) && !strings.Contains(text, "; near: ") {
			text += firstOf(names(tables))
		}
		d.badValue(d.known(key), "%s", text)
	}
	if len(others) > 0 {
		return errors.Join(others...)
	}
	return d.mistakes.err()
}

// firstOf names the first of the tables there are: "; there are a, b, c and 4 more".
func firstOf(tables []string) string {
	const most = 8
	switch {
	case len(tables) == 0:
		return ""
	case len(tables) > most:
		return fmt.Sprintf("; there are %s and %d more", strings.Join(tables[:most], ", "), len(tables)-most)
	}
	return "; there are " + strings.Join(tables, ", ")
}

// indexed finds a list's index written as .0 instead of [0].
var indexed = regexp.MustCompile(`\.([0-9]+)(\.|$)`)

// known writes a part's key as it stands in the file: lists with brackets, and nothing behind what stands there.
func (d *document) known(key string) string {
	for was := ""; was != key; {
		was, key = key, indexed.ReplaceAllString(key, "[$1]$2")
	}
	for strings.HasSuffix(key, "]") && d.values[key] == (position{}) {
		key = key[:strings.LastIndex(key, "[")]
	}
	return key
}

// leaves takes joined errors apart.
func leaves(err error) []error {
	var out []error
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			out = append(out, leaves(e)...)
		}
		return out
	}
	return []error{err}
}

// keyOf is the key that an error is about.
func keyOf(err error) (key, text string, ok bool) {
	if e := (*located)(nil); errors.As(err, &e) {
		return e.key, e.text, true
	}
	if e := (*sqldb.ConfigError)(nil); errors.As(err, &e) {
		return e.Path, e.Message, true
	}
	if e := (*deputy.ConfigError)(nil); errors.As(err, &e) {
		return e.Path, e.Message, true
	}
	return "", "", false
}
