package query_test

import (
	"strings"
	"testing"
	"time"

	"example.com/deputy/query"
)

func TestAParameterIsReadByItsType(t *testing.T) {
	t.Parallel()
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		of         query.Type
		text, want string // empty: refused
	}{
		{query.Int, "42", "42"}, {query.Int, "4.2", ""}, {query.Bool, "yes", ""}, {query.Date, "2026-02-30", ""},
		{query.Timestamp, "2026-01-31", "2026-01-30T23:00:00Z"}, {query.Timestamp, "2026-01-31T14:30:00Z", "2026-01-31T14:30:00Z"}, {query.Timestamp, "soon", ""},
	} {
		l, err := query.Parameter{Type: c.of}.Read(c.text, oslo)
		if got, _ := query.FormatValue(l.V); got != c.want || (err == nil) != (c.want != "") || err == nil && l.T != c.of {
			t.Errorf("%s %s: %q of %s, %v", c.of, c.text, got, l.T, err)
		}
	}
}

func TestIdentifier(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"since": true, "a_1": true, strings.Repeat("a", 60): true, strings.Repeat("a", 61): false, "": false, "Since": false, "1a": false, "a-b": false, "a\n": false} {
		if query.Identifier(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
