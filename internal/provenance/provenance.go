// Package provenance finds values in texts: in what a person wrote, and among the rows of a result.
package provenance

import (
	"encoding/json"
	"regexp"
	"strings"
)

var number = regexp.MustCompile(`[0-9]+\.[0-9]+`)

// Normal is the form in which values are compared: lower case, single spaces, numbers without trailing zeros.
func Normal(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	return number.ReplaceAllStringFunc(s, func(n string) string { return strings.TrimRight(strings.TrimRight(n, "0"), ".") })
}

// Says looks for a value in what a person wrote, as whole words; a number is no part of another.
func Says(text, want string) bool {
	text = Normal(text)
	for at := 0; ; {
		i := strings.Index(text[at:], want)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(want)
		if !continued(text[:from], want) && !continues(text[to:]) {
			return true
		}
		at = from + 1
	}
}

// continued says whether what stands before a value belongs to it: a word, a sign, the digits before a point or comma.
func continued(before, want string) bool {
	if before == "" {
		return false
	}
	last := before[len(before)-1]
	switch {
	case isWord(last):
		return true
	case last == '-':
		return isDigit(want[0])
	case last == '.' || last == ',':
		return isDigit(want[0]) && len(before) > 1 && isDigit(before[len(before)-2])
	}
	return false
}

// continues says whether what stands after a value belongs to it.
func continues(after string) bool {
	switch {
	case after == "":
		return false
	case after[0] == '.' || after[0] == ',':
		return len(after) > 1 && isDigit(after[1])
	}
	return isWord(after[0])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'z' || c >= 0x80 || c == '_' }

// found are the rows of a result as its text has them.
type found struct {
	Columns []struct {
		Name string `json:"name"`
	} `json:"columns"`
	Rows     [][]json.RawMessage `json:"rows"`
	Children map[string]found    `json:"children"`
}

// HasCell looks for a value among the rows of a result. What stands in a column that is no field but a formula may be the model's own.
func HasCell(result, want string) bool {
	from, to := strings.IndexByte(result, '{'), strings.LastIndexByte(result, '}')
	var f found
	if from < 0 || to < from || json.Unmarshal([]byte(result[from:to+1]), &f) != nil {
		return false
	}
	return f.has(want)
}

func (f found) has(want string) bool {
	for _, row := range f.Rows {
		for i, cell := range row {
			if i < len(f.Columns) && isPath(f.Columns[i].Name) && normalCell(cell) == want {
				return true
			}
		}
	}
	for _, child := range f.Children {
		if child.has(want) {
			return true
		}
	}
	return false
}

// isPath says whether a column's name is a field, or a path to one.
func isPath(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isWord(c) && c != '.' || c >= 0x80 {
			return false
		}
	}
	return name != "" && !isDigit(name[0])
}

func normalCell(cell json.RawMessage) string {
	var s string
	switch {
	case string(cell) == "null":
		return ""
	case json.Unmarshal(cell, &s) == nil:
		return Normal(s)
	}
	return Normal(string(cell))
}
