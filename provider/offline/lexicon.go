package offline

import (
	"slices"
	"strings"
	"unicode"
)

// words takes a name or label apart: SupportRepId, support_rep_id and "Support rep id" are the same three words in lower case.
func words(name string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
		}
		word = nil
	}
	rs := []rune(name)
	for i, r := range rs {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1]) && unicode.IsUpper(rs[i-1])):
			flush()
		}
		word = append(word, r)
	}
	flush()
	return out
}

// squeeze is a text without case, blanks and marks, to compare by.
func squeeze(s string) string { return strings.Join(words(strings.ToLower(s)), "") }

func irregular() [][2]string {
	return [][2]string{{"person", "people"}, {"child", "children"}, {"man", "men"}, {"woman", "women"}, {"datum", "data"}, {"medium", "media"}, {"series", "series"}, {"status", "statuses"}}
}

// forms are the ways in which a word may stand in singular and plural; two words are the same where they share one.
func forms(word string) []string {
	out := []string{word}
	for _, p := range irregular() {
		if word == p[0] || word == p[1] {
			return []string{p[0], p[1]}
		}
	}
	if s, ok := strings.CutSuffix(word, "ies"); ok && len(s) > 1 {
		out = append(out, s+"y")
	}
	for _, end := range []string{"ses", "xes", "zes", "ches", "shes", "oes"} {
		if strings.HasSuffix(word, end) && len(word) > len(end)+1 {
			out = append(out, word[:len(word)-2])
		}
	}
	if s, ok := strings.CutSuffix(word, "s"); ok && len(s) > 2 && !strings.HasSuffix(s, "s") {
		out = append(out, s)
	}
	return out
}

// singular is the likeliest one.
func singular(word string) string {
	for _, p := range irregular() {
		if word == p[0] || word == p[1] {
			return p[0]
		}
	}
	fs := forms(word)
	for _, end := range []string{"sses", "xes", "ches", "shes", "uses"} {
		if strings.HasSuffix(word, end) {
			return word[:len(word)-2]
		}
	}
	if len(fs) > 1 && (strings.HasSuffix(word, "ies") || strings.HasSuffix(word, "s")) {
		if strings.HasSuffix(word, "ies") {
			return fs[1]
		}
		return strings.TrimSuffix(word, "s")
	}
	return word
}

func plural(word string) string {
	for _, p := range irregular() {
		if word == p[0] {
			return p[1]
		}
	}
	r := []rune(word)
	switch n := len(r); {
	case n > 1 && r[n-1] == 'y' && !strings.ContainsRune("aeiou", r[n-2]):
		return string(r[:n-1]) + "ies"
	case strings.HasSuffix(word, "s"), strings.HasSuffix(word, "x"), strings.HasSuffix(word, "ch"), strings.HasSuffix(word, "sh"):
		return word + "es"
	}
	return word + "s"
}

func sameWord(a, b string) bool {
	fb := forms(b)
	return slices.ContainsFunc(forms(a), func(f string) bool { return slices.Contains(fb, f) })
}

func sameWords(a, b []string) bool { return slices.EqualFunc(a, b, sameWord) }

// synonyms are words that people use for one another, whatever the business.
func synonyms(word string) []string {
	for _, group := range []string{
		"customer client buyer", "employee staff worker colleague", "order purchase", "invoice bill", "ticket case issue",
		"product item article", "track song", "phone telephone mobile", "email mail e-mail", "price cost", "total amount sum",
		"postcode zip postal", "surname last", "firstname first", "supplier vendor", "note comment", "category kind", "state status",
	} {
		ws := strings.Fields(group)
		if slices.ContainsFunc(ws, func(w string) bool { return sameWord(w, word) }) {
			return ws
		}
	}
	return nil
}

// How sure it is that a word means a name.
const (
	part    = 1 // some word of it
	synonym = 2
	head    = 3 // its last word: the price, of unit_price
	whole   = 4
)

// namesOf is what something with a name and a label may be called, and how sure that is.
func namesOf(name, label string) map[string]int {
	out := map[string]int{}
	for _, ws := range [][]string{words(name), words(label)} {
		addNames(out, ws, whole)
	}
	return out
}

func addNames(out map[string]int, ws []string, sure int) {
	if len(ws) == 0 {
		return
	}
	put := func(name string, s int) { out[name] = max(out[name], s) }
	before := strings.Join(ws[:len(ws)-1], "")
	last := ws[len(ws)-1]
	for _, f := range append(forms(last), plural(singular(last))) {
		put(before+f, sure)
	}
	for _, w := range synonyms(last) {
		put(before+strings.ReplaceAll(w, "-", ""), min(sure, synonym))
	}
	if len(ws) == 1 {
		return
	}
	for i, w := range ws {
		if len(w) < 3 || slices.Contains([]string{"the", "and", "has"}, w) {
			continue
		}
		for _, f := range append(forms(w), plural(singular(w))) {
			if put(f, part); i == len(ws)-1 {
				put(f, min(sure, head))
			}
		}
		for _, f := range synonyms(w) {
			put(f, part)
		}
	}
}

// called looks for one of some names at a place of a message: how many tokens it takes there and how sure it is.
func called(names map[string]int, ts []token, i int) (n, sure int) {
	joined := ""
	for k := 0; k < 4 && i+k < len(ts) && !ts[i+k].quoted && !ts[i+k].mark(); k++ {
		word := squeeze(ts[i+k].low)
		for _, f := range forms(word) {
			if s := names[joined+f]; s > sure || s == sure && s > 0 {
				n, sure = k+1, s
			}
		}
		joined += word
	}
	return n, sure
}

func hasWord(f *field, any ...string) bool {
	for _, w := range append(words(f.name), words(f.label)...) {
		if slices.Contains(any, w) {
			return true
		}
	}
	return false
}

func containsWord(expr, name string) bool {
	for _, w := range strings.FieldsFunc(expr, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if w == name {
			return true
		}
	}
	return false
}

// stem cuts the endings of verbs, so that opened, opens and opening meet.
func stem(word string) string {
	for _, end := range []string{"ing", "ed", "es", "e", "d", "s", "n"} {
		if s, ok := strings.CutSuffix(word, end); ok && len(s) >= 3 {
			s = strings.TrimSuffix(s, "e")
			if n := len(s); n > 3 && s[n-1] == s[n-2] && (end == "ing" || end == "ed") {
				s = s[:n-1] // cancelled, shipping
			}
			return s
		}
	}
	return word
}

// stop says whether a word carries no condition of its own.
func stop(word string) bool {
	switch word {
	case "a", "an", "the", "all", "any", "every", "each", "me", "us", "my", "our", "i", "we", "you", "your", "please", "can", "could", "would", "will", "do", "does", "did",
		"is", "are", "was", "were", "be", "been", "am", "there", "that", "which", "who", "whose", "where", "what", "with", "and", "or", "of", "for", "to", "in", "on", "at", "by", "from",
		"show", "list", "find", "get", "give", "display", "search", "look", "up", "tell", "see", "fetch", "have", "has", "had", "having", "currently", "now", "right", "want", "need", "like",
		"record", "records", "entry", "entries", "row", "rows", "details", "detail", "info", "information", "about", "data", "many", "much", "how", "count", "number", "total", "exactly", "only", "just",
		"it", "its", "they", "them", "their", "those", "these", "this", "but", "also", "then", "when", "whom", "us?", "'s", "some", "as", "placed", "made", "named", "called", "live", "lives", "living",
		"located", "based", "come", "comes", "coming", "came", "joined", "registered", "sort", "sorted", "belong", "belonging", "belongs", "database", "table", "system", "here", "new", "exist", "exists", "existing", "got", "again", "one", "ones", "ok", "okay", "hi", "hello", "well", "so", "what's", "who's", "let", "let's",
		"dollars", "dollar", "euros", "euro", "usd", "eur", "kr", "nok", "costing", "costs", "priced", "worth", "than", "out", "really", "everything", "anything", "it's", "available", "work", "works", "working", "full", "whole", "complete", "view", "know", "under", "over":
		return true
	}
	return false
}
