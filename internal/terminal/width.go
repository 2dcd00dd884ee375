package terminal

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Width is how many columns a text takes that Exact or Plain has made.
func Width(text string) int {
	n := 0
	for _, r := range text {
		n += columns(r)
	}
	return n
}

func columns(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) || r > 0x1160 && r <= 0x11ff {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Cut is a text in at most so many columns; where something is missing it ends with an ellipsis.
func Cut(text string, most int) string {
	if Width(text) <= most {
		return text
	}
	used, end := 0, 0
	for i, r := range text {
		if used += columns(r); used > most-1 {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	return text[:end] + "…"
}

// Fold breaks a text into lines of so many columns, wherever it must, and leaves nothing out. An empty text is one empty line.
func Fold(text string, most int) []string {
	most = max(most, 2)
	var out []string
	start, used := 0, 0
	for i, r := range text {
		w := columns(r)
		if used+w > most {
			out = append(out, text[start:i])
			start, used = i, 0
		}
		used += w
	}
	return append(out, text[start:])
}

// Prose writes running text as it comes, made plain, broken between words where a line has so many columns.
type Prose struct {
	out   io.Writer
	most  int // 0: lines are not broken
	at    int
	word  strings.Builder
	clean cleaner
}

// NewProse writes to out in lines of at most so many columns; 0: they are as long as they are.
func NewProse(out io.Writer, most int) *Prose { return &Prose{out: out, most: most} }

// Write takes the next piece. A word is held back until it is whole.
func (p *Prose) Write(text string) {
	for _, r := range text {
		shown := p.clean.clean(r, true)
		if shown == "" {
			continue
		}
		if strings.Trim(shown, " \n") != "" {
			p.word.WriteString(shown)
			continue
		}
		p.flush()
		switch {
		case shown == "\n":
			p.put("\n")
			p.at = 0
		case p.most > 0 && p.at+len(shown) > p.most:
			p.put("\n")
			p.at = 0
		default:
			p.put(shown)
			p.at += len(shown)
		}
	}
}

// flush writes the word that was held back.
func (p *Prose) flush() {
	word := p.word.String()
	p.word.Reset()
	if word == "" {
		return
	}
	n := Width(word)
	if p.most > 0 && p.at > 0 && p.at+n > p.most {
		p.put("\n")
		p.at = 0
	}
	if p.most > 0 && n > p.most {
		lines := Fold(word, p.most)
		word = strings.Join(lines, "\n")
		n = Width(lines[len(lines)-1])
	}
	p.put(word)
	p.at += n
}

// End writes what was held back, and ends the line.
func (p *Prose) End() {
	p.flush()
	if p.at > 0 {
		p.put("\n")
		p.at = 0
	}
}

func (p *Prose) put(text string) { _, _ = io.WriteString(p.out, text) } // a reader that is gone is not ours to mend
