package offline

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a number, a quoted text or a mark of a message.
type token struct {
	text       string // as written, quotes taken off
	low        string // in lower case
	quoted     bool
	start, end int // bytes of the message, quotes included
}

// maxTokens is as much of a message as is read.
const maxTokens = 300

func tokenize(text string) []token {
	var out []token
	for i := 0; i < len(text) && len(out) < maxTokens; {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch n := 0; {
		case unicode.IsSpace(r):
			i += size
		case closing(r) != 0:
			t, next := quotedAt(text, i, r, size)
			out, i = append(out, t), next
		default:
			if n = wordAt(text[i:]); n == 0 {
				n = markAt(text[i:], size)
			}
			out = append(out, splitPossessive(text, i, i+n)...)
			i += n
		}
	}
	return out
}

func closing(r rune) rune {
	switch r {
	case '"', '\'', '`':
		return r
	case '“', '„':
		return '”'
	case '‘':
		return '’'
	case '«':
		return '»'
	}
	return 0
}

// quotedAt reads a quoted text; without a closing quote before a blank, a mark or the end, the quote is a mark of its own.
func quotedAt(text string, at int, quote rune, size int) (token, int) {
	end := closing(quote)
	for i := at + size; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if next, _ := utf8.DecodeRuneInString(text[i+n:]); r == end && (i+n == len(text) || !unicode.IsLetter(next) && !unicode.IsDigit(next)) {
			inner := text[at+size : i]
			return token{text: inner, low: strings.ToLower(inner), quoted: true, start: at, end: i + n}, i + n
		}
		i += n
	}
	return token{text: text[at : at+size], low: text[at : at+size], start: at, end: at + size}, at + size
}

// wordAt is the length of the word or number that text begins with, marks at its end left out.
func wordAt(text string) int {
	end := 0
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_':
			end = i + utf8.RuneLen(r)
			if r == utf8.RuneError {
				end = i + 1
			}
		case i == 0 && strings.ContainsRune("+-#$€£@.", r):
		case i > 0 && end == i && strings.ContainsRune("._@+-/&'’#:%", r):
		case i > 0 && end == i && r == ',' && thousands(text[:i], text[i+1:]):
		default:
			return end
		}
	}
	return end
}

// thousands says whether a comma between two texts parts groups of three digits.
func thousands(before, after string) bool {
	digits := 0
	for digits < len(after) && after[digits] >= '0' && after[digits] <= '9' {
		digits++
	}
	last := before[len(before)-1]
	return digits == 3 && last >= '0' && last <= '9'
}

func markAt(text string, size int) int {
	for _, m := range []string{"<=", ">=", "!=", "<>", "=="} {
		if strings.HasPrefix(text, m) {
			return len(m)
		}
	}
	return size
}

func splitPossessive(text string, from, to int) []token {
	whole := text[from:to]
	for _, s := range []string{"'s", "’s", "'S"} {
		if head, ok := strings.CutSuffix(whole, s); ok && head != "" {
			mid := from + len(head)
			return []token{plain(text, from, mid), {text: "'s", low: "'s", start: mid, end: to}}
		}
	}
	return []token{plain(text, from, to)}
}

func plain(text string, from, to int) token {
	return token{text: text[from:to], low: strings.ToLower(text[from:to]), start: from, end: to}
}

var number = regexp.MustCompile(`^[+-]?\d+(\.\d+)?$`)

// figure is the number that a token is, in plain notation.
func (t token) figure() (string, bool) {
	s := strings.TrimLeft(t.text, "$€£#")
	s = strings.TrimSuffix(strings.ReplaceAll(s, ",", ""), "%")
	if !number.MatchString(s) || len(s) > 30 || t.quoted {
		return "", false
	}
	return strings.TrimPrefix(s, "+"), true
}

// is says whether a token is one of some words.
func (t token) is(words ...string) bool {
	for _, w := range words {
		if t.low == w && !t.quoted {
			return true
		}
	}
	return false
}

// capital says whether a token is written like a name.
func (t token) capital() bool {
	r, _ := utf8.DecodeRuneInString(t.text)
	return t.quoted || unicode.IsUpper(r)
}

// mark says whether a token is punctuation.
func (t token) mark() bool { return !t.quoted && wordAt(t.text) == 0 }

// at reports whether the words of a phrase stand at a place.
func at(ts []token, i int, phrase string) (int, bool) {
	ws := strings.Fields(phrase)
	for k, w := range ws {
		if i+k >= len(ts) || !ts[i+k].is(w) {
			return 0, false
		}
	}
	return len(ws), true
}

// anyAt is the longest of some phrases that stands at a place.
func anyAt(ts []token, i int, phrases ...string) int {
	best := 0
	for _, p := range phrases {
		if n, ok := at(ts, i, p); ok && n > best {
			best = n
		}
	}
	return best
}

// spoken is what a person wrote between two tokens, without quotes around the whole and without marks at its end.
func spoken(text string, ts []token, from, to int) string {
	for to > from && ts[to-1].is(".", "!", "?", ",", ";") {
		to--
	}
	switch {
	case from >= to:
		return ""
	case to == from+1:
		return ts[from].text
	}
	return strings.TrimSpace(text[ts[from].start:ts[to-1].end])
}
