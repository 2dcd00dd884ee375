package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// position is a place in the configuration file, counted from 1; zero where there is none.
type position struct{ line, column int }

// Mistake is one thing that is wrong with a configuration, and how to mend it.
type Mistake struct {
	File string
	at   position
	Key  string // dotted; empty for the file itself
	Text string

	first bool // an unknown key of the file itself: what it should have said may be why others are missing
}

// String is the mistake as one line: file, line, column, key, what is wrong and how to mend it.
func (m Mistake) String() string {
	out := m.File
	if m.at.line > 0 {
		out += fmt.Sprintf(":%d:%d", m.at.line, m.at.column)
	}
	if m.Key != "" {
		out += ": " + m.Key
	}
	return out + ": " + strings.Join(strings.Fields(m.Text), " ")
}

// Mistakes are all that was found, in the order of the file. Nothing starts while there is one.
type Mistakes []Mistake

// Error is one line a mistake.
func (ms Mistakes) Error() string {
	lines := make([]string, len(ms))
	for i, m := range ms {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

// err is the mistakes in the order of the file, unknown keys of the file itself before all others; nil where there are none.
func (ms Mistakes) err() error {
	if len(ms) == 0 {
		return nil
	}
	slices.SortStableFunc(ms, func(a, b Mistake) int {
		if a.first != b.first {
			return map[bool]int{true: -1, false: 1}[a.first]
		}
		return cmp.Or(cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.column, b.at.column), cmp.Compare(a.Key, b.Key))
	})
	return ms
}

// near names the known name that is most like a mistyped one: "; near: customers", empty where none is.
func near(name string, known []string) string {
	best, least := "", 1+max(1, len(name)/3)
	for _, k := range slices.Sorted(slices.Values(known)) {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; near: " + best
}

// distance counts the letters to change, drop, add or swap to make b of a.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > 100 || len(t) > 100 {
		return 100
	}
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			same := 1
			if s[i-1] == t[j-1] {
				same = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+same)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(s)][len(t)]
}
