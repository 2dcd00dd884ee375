package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var findAsked = regexp.MustCompile(`(?i)^\s*(?:please\s+)?(?:can you\s+)?(?:find|search(?:\s+for)?|look\s+(?:for|up)|who\s+is|where\s+is)\s+(.+?)[\s.!?]*$`)

// found looks for a name in all tables, where a message names none: "find Acme".
func (d *desk) found() (text string, ok bool, err error) {
	m := findAsked.FindStringSubmatch(d.text)
	if m == nil && len(d.words) <= 2 && !slices.ContainsFunc(d.words, func(t token) bool { return stop(t.low) || t.quoted || len(t.low) < 3 || verb(d.words, 0) != "" }) {
		m = []string{"", d.text} // a name, or what somebody is looking for
	}
	if m == nil || !d.tools["search_records"] || len(d.words) == 0 {
		return d.ownedBy()
	}
	term := strings.Trim(m[1], `"“”'.?! `)
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

var ofAsked = regexp.MustCompile(`(?i)^\s*(?:please\s+)?(?:what\s+is|what's|who\s+is|show(?:\s+me)?|give\s+me|tell\s+me)\s+(?:the\s+)?(.+?)\s+(?:of|for)\s+(.+?)[\s.!?]*$`)

// ownedBy answers "what is the phone of Acme AS", where no table is named: the record whose name it is says it.
func (d *desk) ownedBy() (text string, ok bool, err error) {
	m := ofAsked.FindStringSubmatch(d.text)
	if m == nil || !d.tools["search_records"] {
		return "", false, nil
	}
	term := strings.Trim(m[2], `"“”'`)
	got, err := d.call("search_records", struct {
		Term string `json:"term"`
	}{term}, false)
	if err != nil {
		return "", true, err
	}
	table, id := "", ""
	for i := range got.rows {
		if strings.EqualFold(str(got.cell(i, "label")), term) && table == "" {
			table, id = str(got.cell(i, "table")), str(got.cell(i, "id"))
		}
	}
	if table == "" {
		return "", false, nil
	}
	if err := d.describe(table); err != nil {
		return "", true, err
	}
	r := d.read(mention{from: -1, to: -1, table: d.schema.find(table)})
	if r.id = id; r.t == nil {
		return "", false, nil
	}
	text, err = r.one()
	return text, true, err
}
