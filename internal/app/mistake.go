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
