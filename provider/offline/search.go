package offline

import (
	"fmt"
	"regexp"
	"strings"
)

var findAsked = regexp.MustCompile(`(?i)^\s*(?:please\s+)?(?:can you\s+)?(?:find|search(?:\s+for)?|look\s+(?:for|up)|who\s+is|where\s+is)\s+(.+?)[\s.!?]*$`)

// found looks for a name in all tables, where a message names none: "find Acme".
func (d *desk) found() (text string, ok bool, err error) {
	m := findAsked.FindStringSubmatch(d.text)
	if m == nil || !d.tools["search_records"] {
		return "", false, nil
	}
	term := strings.Trim(m[1], `"“”'`)
	got, err := d.call("search_records", struct {
		Term string `json:"term"`
	}{term}, false)
	if err != nil {
		return "", true, err
	}
	if len(got.rows) == 0 {
		return fmt.Sprintf("I found nothing with “%s” in it.", term), true, nil
	}
	if err := (&reading{d: d}).present1(got, "table"); err != nil {
		return "", true, err
	}
	switch n := len(got.rows); {
	case got.more:
		return fmt.Sprintf("Here are the %d records that suit “%s” best; there are more.", n, term), true, nil
	case n == 1:
		return fmt.Sprintf("Here is the one record with “%s” in it.", term), true, nil
	default:
		return fmt.Sprintf("Here are %d records with “%s” in them, the best first.", n, term), true, nil
	}
}
