package offline

import (
	"fmt"
	"strings"
)

// cond is a condition and how it is said.
type cond struct{ expr, said string }

// quote writes a text as a literal of the expression language.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, "\\u%04X", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// either joins conditions with ||, within brackets where there are several.
func either(exprs []string) string {
	if len(exprs) == 1 {
		return exprs[0]
	}
	return "(" + strings.Join(exprs, " || ") + ")"
}

// where joins conditions with &&; a whole question of one || needs no brackets.
func where(conds []cond) string {
	var exprs []string
	for _, c := range conds {
		exprs = append(exprs, c.expr)
	}
	if len(exprs) == 1 && strings.HasPrefix(exprs[0], "(") && strings.HasSuffix(exprs[0], ")") && outer(exprs[0]) {
		return exprs[0][1 : len(exprs[0])-1]
	}
	return strings.Join(exprs, " && ")
}

// outer says whether the first bracket closes with the last character, quoted texts left out.
func outer(s string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case quoted:
		case s[i] == '(':
			depth++
		case s[i] == ')':
			if depth--; depth == 0 {
				return i == len(s)-1
			}
		}
	}
	return false
}

// said joins how conditions are said, for the end of a sentence's subject.
func said(conds []cond) string {
	var out []string
	for _, c := range conds {
		if c.said != "" {
			out = append(out, c.said)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// countryAliases are the names and the two letters under which a host may keep a country, for countries that are often asked for; empty for others.
func countryAliases(name string) []string {
	for _, line := range []string{
		"norway|no", "sweden|se", "denmark|dk", "finland|fi", "iceland|is", "germany|de", "france|fr", "spain|es", "italy|it", "portugal|pt",
		"netherlands|nl|the netherlands|holland", "belgium|be", "austria|at", "switzerland|ch", "poland|pl", "ireland|ie", "czech republic|cz|czechia", "hungary|hu", "greece|gr", "turkey|tr",
		"united kingdom|gb|uk|great britain|england", "united states|us|usa|u.s.|u.s.a.|united states of america|america", "canada|ca", "mexico|mx", "brazil|br", "argentina|ar", "chile|cl",
		"india|in", "china|cn", "japan|jp", "south korea|kr|korea", "australia|au", "new zealand|nz", "south africa|za", "estonia|ee", "latvia|lv", "lithuania|lt",
	} {
		for _, n := range strings.Split(line, "|") {
			if n == name {
				return strings.Split(line, "|")
			}
		}
	}
	return nil
}
