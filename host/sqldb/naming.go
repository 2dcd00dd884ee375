package sqldb

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// names hands out unique names of the language.
type names map[string]bool

// take makes a name of the language out of a database's own; base stands in where nothing of it can be said in ASCII.
func (n names) take(original, base string) string {
	name := snake(original)
	if name == "" {
		return n.number(base, 1)
	}
	if n[name] {
		return n.number(name, 2)
	}
	n[name] = true
	return name
}

// among takes a table's name; where a table of another schema has it, with its own schema before it. spaces are the schemas of the plain names
// that are taken.
func (n names) among(spaces map[string]string, space, original string) string {
	plain := snake(original)
	switch by, taken := spaces[plain]; {
	case taken && by != space && plain != "":
		original = space + "_" + original
	case !taken:
		spaces[plain] = space
	}
	return n.take(original, "table")
}

func (n names) number(base string, from int) string {
	for i := from; ; i++ {
		if name := fmt.Sprintf("%s_%d", base, i); !n[name] {
			n[name] = true
			return name
		}
	}
}

// snake writes a name in snake_case ASCII, as an identifier of the language; empty where no letter or digit is left.
func snake(original string) string {
	name := strings.Join(words(original), "_")
	name = strings.ToLower(name)
	switch {
	case name == "":
		return ""
	case reserved(name):
		return name + "_"
	case name[0] >= '0' && name[0] <= '9':
		return "_" + name
	}
	return name
}

// reserved says whether a name means something else in the language.
func reserved(name string) bool {
	switch name {
	case "as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop", "package",
		"namespace", "null", "return", "true", "var", "void", "while", "person", "all":
		return true
	}
	return false
}

// words splits a name where words begin, and writes them in ASCII: "SupportRepId" is Support, Rep, Id.
func words(original string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	rs := []rune(original)
	for i, r := range rs {
		text := ascii(r)
		if text == "" {
			if !unicode.IsMark(r) {
				end()
			}
			continue
		}
		if i > 0 && unicode.IsUpper(r) && startsWord(rs, i) {
			end()
		}
		word.WriteString(text)
	}
	end()
	return out
}

// startsWord: a capital after a small letter or digit (orderID), or the last of several before a small letter (HTTPServer).
func startsWord(rs []rune, i int) bool {
	before := rs[i-1]
	return unicode.IsLower(before) || unicode.IsDigit(before) ||
		unicode.IsUpper(before) && i+1 < len(rs) && unicode.IsLower(rs[i+1])
}

// ascii writes one rune in ASCII letters and digits; empty where that cannot be done.
func ascii(r rune) string {
	if r < 0x80 {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(r)
		}
		return ""
	}
	small := unicode.ToLower(r)
	text := ""
	for group := range strings.FieldsSeq(latin) {
		if to, from, _ := strings.Cut(group, ":"); strings.ContainsRune(from, small) {
			text = to
		}
	}
	for group := range strings.FieldsSeq(otherAlphabets) {
		from, to, _ := strings.Cut(group, ":")
		if strings.ContainsRune(from, small) {
			text = to
		}
	}
	if small != r && text != "" {
		return strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

const latin = `a:àáâãäåāăąǎ ae:æ b:ƀ c:çćĉċč d:ďđð e:èéêëēĕėęěẽ g:ĝğġģ h:ĥħ i:ìíîïĩīĭįı j:ĵ k:ķĸ l:ĺļľŀł n:ñńņňŉŋ
	o:òóôõöøōŏőơ oe:œ r:ŕŗř s:śŝşšșſ ss:ß t:ţťŧț th:þ u:ùúûüũūŭůűųư w:ŵẁẃẅ y:ýÿŷỳ z:źżž`

const otherAlphabets = `а:a б:b в:v г:g ґ:g д:d е:e ё:e є:ie ж:zh з:z и:i і:i ї:i й:i к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u
	ф:f х:kh ц:ts ч:ch ш:sh щ:shch ы:y э:e ю:yu я:ya
	αά:a β:v γ:g δ:d εέ:e ζ:z ηή:i θ:th ιίϊΐ:i κ:k λ:l μ:m ν:n ξ:x οό:o π:p ρ:r σς:s τ:t υύϋΰ:y φ:f χ:ch ψ:ps ωώ:o`

// label makes a name readable for people: one that was written for them (it has a space, or letters beyond ASCII) stays as it is.
func label(original string) string {
	if strings.ContainsFunc(original, func(r rune) bool { return r == ' ' || r >= 0x80 }) {
		return strings.TrimSpace(original)
	}
	ws := words(original)
	if len(ws) == 0 {
		return original
	}
	for i, w := range ws {
		switch lower := strings.ToLower(w); {
		case slices.Contains([]string{"id", "url", "vat", "iban", "ip", "uuid", "sku"}, lower):
			ws[i] = strings.ToUpper(w)
		case w == strings.ToUpper(w) && w != lower && len(ws) > 1 && original != strings.ToUpper(original): // an acronym among other words
		default:
			ws[i] = lower
		}
	}
	ws[0] = strings.ToUpper(ws[0][:1]) + ws[0][1:]
	return strings.Join(ws, " ")
}

// withoutID takes the ending off that only says that a column refers to something.
func withoutID(label string) string {
	for _, ending := range []string{" ID", " id", " Id"} {
		if s, ok := strings.CutSuffix(label, ending); ok && s != "" {
			return s
		}
	}
	return label
}

// secretName says whether a column's name says that it holds a secret.
func secretName(name string) bool {
	s := snake(name)
	switch s {
	case "password", "passwd", "pwd", "secret", "api_key", "apikey", "private_key", "token", "salt", "pin_hash", "otp_secret":
		return true
	}
	for _, ending := range []string{"_password", "_passwd", "_token", "_secret", "_api_key", "_private_key", "_salt"} {
		if strings.HasSuffix(s, ending) {
			return true
		}
	}
	return strings.HasPrefix(s, "password_") || strings.HasPrefix(s, "secret_")
}
