// Package terminal draws on a person's terminal and reads lines from it: no text reaches the screen but as what it is.
package terminal

import (
	"fmt"
	"strings"
	"unicode"
)

// Border stands before the lines of what a person is to decide about. Its first character is shown by its number in any other text.
const Border = "┃ "

// marksShown is how many marks may combine with one letter: a heap of them covers what stands near.
const marksShown = 3

// Exact is a value on one line, as what it is: what a reader cannot see, or what changes how the rest is read, by its number, such as
// [U+202E]; line breaks as ⏎; blanks at its ends as ␣. Bytes that are no UTF-8 become U+FFFD. Nothing of it moves a cursor.
func Exact(text string) string {
	lead := len(text) - len(strings.TrimLeft(text, " "))
	tail := len(strings.TrimRight(text, " "))
	var b strings.Builder
	var c cleaner
	for i, r := range text {
		switch {
		case r == ' ' && (i < lead || i >= tail):
			b.WriteRune('␣')
		case r == '\n':
			b.WriteRune('⏎')
		case r != ' ' && unicode.IsSpace(r), unicode.Is(unicode.Zs, r) && r != ' ':
			b.WriteString(number(r))
		default:
			b.WriteString(c.clean(r, false))
		}
	}
	return b.String()
}

// Plain is running text: as Exact, but line breaks stay, tabs and blanks of other widths are blanks.
func Plain(text string) string {
	var b strings.Builder
	var c cleaner
	for _, r := range text {
		b.WriteString(c.clean(r, true))
	}
	return b.String()
}

// cleaner makes text harmless, character by character.
type cleaner struct {
	before rune
	marks  int // in a row
}

// clean is what is shown for the next character.
func (c *cleaner) clean(r rune, running bool) string {
	before := c.before
	c.before = r
	if unicode.Is(unicode.M, r) {
		c.marks++
	} else {
		c.marks = 0
	}
	switch {
	case running && r == '\n', r == ' ':
		return string(r)
	case running && r == '\t':
		return "    "
	case running && unicode.Is(unicode.Zs, r):
		return " "
	case running && r == '\ufe0f' && unicode.IsSymbol(before):
		return "" // a sign with colours: it is the same sign without
	case c.marks > marksShown || Hidden(r):
		return number(r)
	}
	return string(r)
}

func number(r rune) string { return fmt.Sprintf("[U+%04X]", r) }

// Hidden says whether a character cannot be seen, or changes how others are read: controls, formats (bidirectional, zero width), private and
// unassigned ones, separators, fillers, selectors of variants; and the sign of a Border, which would pass for another.
func Hidden(r rune) bool {
	switch {
	case !unicode.IsGraphic(r):
		return true
	case r == '┃', r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0, r == 0x2800:
		return true
	case r >= 0x180b && r <= 0x180d, r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef:
		return true
	}
	return false
}

// Mixed says which word is written in several scripts that look alike; empty where none is.
func Mixed(text string) string {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) }) {
		var found []string
		for _, s := range []struct {
			name  string
			table *unicode.RangeTable
		}{{"Latin", unicode.Latin}, {"Cyrillic", unicode.Cyrillic}, {"Greek", unicode.Greek}, {"Armenian", unicode.Armenian}, {"Cherokee", unicode.Cherokee}} {
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(s.table, r) }) {
				found = append(found, s.name)
			}
		}
		foreign := strings.ContainsFunc(word, func(r rune) bool { return r > '9' && unicode.Is(unicode.Nd, r) })
		if foreign && (len(found) > 0 || strings.ContainsAny(word, "0123456789")) {
			return fmt.Sprintf("“%s” has digits of another script among its characters", Exact(word))
		}
		if len(found) > 1 {
			return fmt.Sprintf("“%s” mixes %s letters", Exact(word), strings.Join(found, " and "))
		}
	}
	return ""
}
