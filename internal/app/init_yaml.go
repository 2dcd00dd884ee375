package app

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// How a text may stand in YAML: as it is, or in single quotes.
var (
	plainText  = regexp.MustCompile(`^[A-Za-z_]([A-Za-z0-9_./=-]|:[A-Za-z0-9_./])*( [A-Za-z0-9_./=-]+)*$`)
	singleText = regexp.MustCompile(`^[ -&(-Z^-z|~]*$`) // printable ASCII without ' [ ] \ { }
)

// yamlText writes any text as one YAML value or key that is read back as the same, on one line, without brackets that the reader of a
// configuration would count and without a ${NAME} that it would replace.
func yamlText(s string) string {
	switch {
	case plainText.MatchString(s) && !yamlWord(s):
		return s
	case singleText.MatchString(s):
		return "'" + s + "'"
	}
	var out strings.Builder
	for _, r := range s {
		out.WriteString(escaped(r))
	}
	return `"` + out.String() + `"`
}

// escaped is a character as it stands in double quotes.
func escaped(r rune) string {
	switch {
	case r == '"' || r == '\\':
		return `\` + string(r)
	case strings.ContainsRune("[]{}", r) || r < 0x100 && !unicode.IsPrint(r):
		return fmt.Sprintf(`\x%02x`, r)
	case unicode.IsPrint(r):
		return string(r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// yamlWord says whether a plain text would mean something else to some reader of YAML.
func yamlWord(s string) bool {
	return slices.Contains([]string{"null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"}, strings.ToLower(s))
}

// flow writes names as a list on one line.
func flow(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = yamlText(n)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// page is text under way, a line at a time.
type page struct{ strings.Builder }

// line writes one line of configuration; off comments it out, such that taking the # away brings it back.
func (p *page) line(indent int, off bool, format string, args ...any) {
	mark := ""
	if off {
		mark = "#"
	}
	fmt.Fprintf(p, "%s%s%s\n", strings.Repeat(" ", indent), mark, fmt.Sprintf(format, args...))
}

// width is how long a line of words may get.
const width = 140

// words writes words as comments, over as many lines as they need.
func (p *page) words(indent int, text string) {
	lead := strings.Repeat(" ", indent) + "#"
	line := lead
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > width && line != lead {
			p.WriteString(line + "\n")
			line = lead + "  "
		}
		line += " " + word
	}
	p.WriteString(line + "\n")
}
