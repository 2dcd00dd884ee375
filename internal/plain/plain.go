// Package plain puts texts from elsewhere into sentences of ours: cut, quoted, and with what cannot be seen shown as what it is.
package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName bounds a name where it is told, in bytes.
const MaxName = 128

// Cut is a text of at most n bytes, and an ellipsis where there was more.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// Name is a name as it is told: cut at MaxName.
func Name(name string) string { return Cut(name, MaxName) }

// Text is a text from the data inside a sentence of ours. What could end its place in the sentence puts it into quotes; what cannot be
// seen is shown as what it is.
func Text(text string) string {
	var b strings.Builder
	odd := false
	for _, c := range Cut(text, 120) {
		switch {
		case Hidden(c):
			fmt.Fprintf(&b, "[U+%04X]", c)
			odd = true
		case strings.ContainsRune("“”\"", c):
			b.WriteRune('\'')
			odd = true
		default:
			b.WriteRune(c)
			odd = odd || strings.ContainsRune("():;", c)
		}
	}
	if odd {
		return "“" + b.String() + "”"
	}
	return b.String()
}

// Visible is a text of at most n bytes in which what cannot be seen is shown as what it is.
func Visible(text string, n int) string {
	var b strings.Builder
	for _, c := range Cut(text, n) {
		if Hidden(c) {
			fmt.Fprintf(&b, "[U+%04X]", c)
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Hidden says whether a character cannot be seen: control, format, private use, and what parts lines and paragraphs.
func Hidden(c rune) bool {
	return unicode.Is(unicode.C, c) || unicode.Is(unicode.Zl, c) || unicode.Is(unicode.Zp, c)
}

// Quoted is Text that is always in quotes.
func Quoted(text string) string { return "“" + strings.Trim(Text(text), "“”") + "”" }

// Escaped is a text that cannot open or close a fence.
func Escaped(text string) string {
	return strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(text)
}

// Stripped is a text without what cannot be seen: control and format characters become spaces, or nothing.
func Stripped(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case Hidden(c):
			return -1
		}
		return c
	}, text)
}
