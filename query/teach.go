package query

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common"
)

// lesson is something people and models write that the parser refuses, and what to write instead. The first group, if there is one, is the
// place; where $1 stands in text, the group does.
type lesson struct {
	wrong *regexp.Regexp
	text  string
}

var lessons = []lesson{
	{regexp.MustCompile(`(===|!==)`), "write == or != instead of $1"},
	{regexp.MustCompile(`(<>)`), "write != instead of <>"},
	{regexp.MustCompile(`(=~|!~)`), "write x.contains(\"…\") instead of $1"},
	{regexp.MustCompile(`(=>|->>?)`), "`$1` is not part of the language: children are asked as orders.exists(o, o.total > 100), JSON is read as data.address.city"},
	{regexp.MustCompile(`(?:^|[^=!<>])(=)(?:$|[^=~>])`), "write == instead of ="},
	{regexp.MustCompile(`(?:^|[^&])(&)(?:$|[^&])`), "write && instead of &"},
	{regexp.MustCompile(`(?:^|[^|])(\|)(?:$|[^|])`), "write || instead of |"},
	{regexp.MustCompile(`(?i)\b(not\s+in)\b`), "write !(x in [1, 2]) instead of not in"},
	{regexp.MustCompile(`(?i)(!\s*in)\b`), "write !(x in [1, 2]) instead of $1"},
	{regexp.MustCompile(`(?i)\b(is\s+not\s+null)\b`), "write x != null instead of $1"},
	{regexp.MustCompile(`(?i)\b(is\s+null)\b`), "write x == null instead of $1"},
	{regexp.MustCompile(`(?i)\b(is\s+not|is)\b`), "write == or != instead of $1"},
	{regexp.MustCompile(`(?i)\b((?:not\s+)?i?like)\b`), "write x.contains(\"…\"), x.startsWith(\"…\") or x.endsWith(\"…\") instead of $1"},
	{regexp.MustCompile(`(?i)\b(between)\b`), "write x >= 1 && x <= 5 instead of $1"},
	{regexp.MustCompile(`(?i)\b(and)\b`), "write && instead of $1"},
	{regexp.MustCompile(`(?i)\b(or)\b`), "write || instead of $1"},
	{regexp.MustCompile(`(?i)\b(not)\b`), "write ! instead of $1"},
	{regexp.MustCompile(`(?i)\b(interval)\b`), "write days(7), months(1) or years(1) instead of $1"},
	{regexp.MustCompile(`\bin\s*(\()`), "write a list in square brackets: x in [1, 2]"},
	{regexp.MustCompile(`\b(IN)\b`), "write in instead of IN"},
	{regexp.MustCompile(`(?i)\b(case|when|then)\b`), "write condition ? a : b instead of $1"},
	{regexp.MustCompile(`(?i)\b(select|from|where)\b`), "`$1` is SQL; write only the condition, children as orders.exists(o, o.total > 100)"},
	{regexp.MustCompile(`(?i)\b(nulls\s+(?:last|first))\b`), "leave `$1` out: null comes last always"},
	{regexp.MustCompile(`(?i)\s(desc|asc)\s*$`), "`$1` belongs to order_by"},
	{regexp.MustCompile("([“”‘’„«»])"), "write straight quotes instead of $1"},
	{regexp.MustCompile(`(?i)\bcount\s*\(\s*(\*)`), "write count() instead of count(*)"},
	{regexp.MustCompile(`(?i)\bcount\s*\(\s*(distinct)\b`), "write count_distinct(x) instead of count($1 x)"},
	{regexp.MustCompile(`(?i)[\w)]\s+(as)\s+\w+\s*$`), "an expression takes no `$1`: a measure is named beside its expr"},
	{regexp.MustCompile(`(?i)(\bover)\s*\(`), "there are no windows: a share of the whole is a second question, or a comparison with all.orders.sum(o, o.total)"},
	{regexp.MustCompile("(`)"), "write a name without `"},
	{regexp.MustCompile(`(\?\?)`), "write coalesce(a, b) instead of ??"},
	{regexp.MustCompile(`(\?\.)`), "write . instead of ?.: what is missing is null"},
	{regexp.MustCompile(`(;)`), "leave ; out"},
}

// syntaxError teaches where it can, else it says where the parser gave up.
func (s *Source) syntaxError(first *common.Error) *Error {
	at := s.offset(first.Location) + 1
	switch m := first.Message; {
	case strings.Contains(m, "recursion"):
		return failAt(0, "the expression is nested deeper than %d levels", MaxDepth)
	case strings.HasPrefix(m, "reserved identifier: "):
		word := strings.TrimPrefix(m, "reserved identifier: ")
		return failAt(at, "`%s` is a reserved word; a field of that name is written `%s_`", word, word)
	case strings.HasPrefix(m, "invalid int"):
		return failAt(at, "the number does not fit 64 bits; written with a point (…0.0) it is a decimal")
	case strings.HasPrefix(m, "invalid double"):
		return failAt(at, "the number is too large")
	}
	masked, open := mask(s.runes)
	if open > 0 {
		return failAt(open, "the text that begins here has no closing quote")
	}
	if err := teach(masked); err != nil {
		return err
	}
	return failAt(at, "%s", unexpected(first.Message))
}

// teach finds the first lesson in the text.
func teach(masked string) *Error {
	place, found := len(masked)+1, (*Error)(nil)
	for _, l := range lessons {
		m := l.wrong.FindStringSubmatchIndex(masked)
		if m == nil || m[2] >= place {
			continue
		}
		place = m[2]
		text := strings.ReplaceAll(l.text, "$1", masked[m[2]:m[3]])
		found = failAt(utf8.RuneCountInString(masked[:m[2]])+1, "%s", text)
	}
	return found
}

var parserSays = regexp.MustCompile(`(?s)(missing|mismatched input|extraneous input|token recognition error at:|no viable alternative at input) '(.*?)'(?: at '(.*?)')?(?: expecting .*)?$`)

func unexpected(message string) string {
	m := parserSays.FindStringSubmatch(message)
	switch {
	case m == nil:
		return strings.TrimPrefix(message, "Syntax error: ")
	case m[1] == "missing":
		return "a `" + m[2] + "` is missing"
	case strings.HasSuffix(m[2], "<EOF>"):
		return "the expression ends too early"
	}
	return "unexpected `" + strings.TrimSpace(m[2]) + "`"
}

// offset turns a line and column into characters from the start.
func (s *Source) offset(l common.Location) int {
	line, offset := 1, 0
	for i, r := range s.runes {
		if line >= l.Line() {
			break
		}
		if r == '\n' {
			line, offset = line+1, i+1
		}
	}
	return min(offset+max(l.Column(), 0), len(s.runes))
}

// mask blanks out texts and comments, so that what is left can be searched. open is the column of a text that is not closed.
func mask(rs []rune) (masked string, open int) {
	out := append([]rune{}, rs...)
	for i := 0; i < len(rs); i++ {
		switch rs[i] {
		case '/':
			if i+1 < len(rs) && rs[i+1] == '/' {
				for ; i < len(rs) && rs[i] != '\n'; i++ {
					out[i] = ' '
				}
			}
		case '"', '\'':
			end := closing(rs, i)
			if end < 0 {
				return "", i + 1
			}
			for j := i; j <= end; j++ {
				out[j] = ' '
			}
			out[i] = 'x' // something stands here
			i = end
		}
	}
	return string(out), 0
}

// closing finds the end of the text that begins at from; -1 where there is none.
func closing(rs []rune, from int) int {
	q := rs[from]
	raw := from > 0 && (rs[from-1] == 'r' || rs[from-1] == 'R')
	triple := from+2 < len(rs) && rs[from+1] == q && rs[from+2] == q
	i := from + 1
	if triple {
		i = from + 3
	}
	for ; i < len(rs); i++ {
		switch {
		case rs[i] == '\\' && !raw:
			i++
		case rs[i] == q && !triple:
			return i
		case rs[i] == q && i+2 < len(rs) && rs[i+1] == q && rs[i+2] == q:
			return i + 2
		case rs[i] == '\n' && !triple:
			return -1
		}
	}
	return -1
}
