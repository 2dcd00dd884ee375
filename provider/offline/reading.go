package offline

import (
	"strconv"
	"strings"
)

// reading is what a question asks of one table, read token by token.
type reading struct {
	d       *desk
	t       *table
	ts      []token
	used    []bool // tokens that are spent, such as the subject
	conds   []cond
	condAt  []int    // where each of conds was read, as far as conditions read it
	columns []*field // fields named without a condition
	order   []string
	ranks   string // of order: how many children there are, ranking in words
	ranking string
	limit   int
	id      string // one record
	hint    string // the verb whose date is meant where none is named: closed per week this year
	onlyOne bool   // the subject is named in the singular
	scope   []text // of the parent that was named last: what follows is about it
}

func (d *desk) read(m mention) *reading {
	r := &reading{d: d, t: m.table, ts: d.words, used: make([]bool, len(d.words))}
	r.spend(m.from, m.to)
	if w := r.tok(m.to - 1).low; m.from >= 0 && singular(w) == w && plural(w) != w {
		r.onlyOne = true
	}
	return r
}

func (r *reading) spend(from, to int) {
	for i := max(from, 0); i < to && i < len(r.used); i++ {
		r.used[i] = true
	}
}

// conditions reads the whole message. Each reader takes some tokens at a place, or none.
func (r *reading) conditions() error {
	readers := []func(int) (int, error){r.sorted, r.limited, r.absent, r.related, r.dated, r.compared, r.figured, r.listed, r.placed, r.left}
	for i := 0; i < len(r.ts); {
		if r.used[i] {
			i++
			continue
		}
		taken := 1
		for _, read := range readers {
			n, err := read(i)
			if err != nil {
				return err
			}
			if n > 0 {
				taken = n
				break
			}
		}
		for len(r.condAt) < len(r.conds) {
			r.condAt = append(r.condAt, i)
		}
		r.spend(i, i+taken)
		i += taken
	}
	return nil
}

func (r *reading) tok(i int) token {
	if i < 0 || i >= len(r.ts) {
		return token{}
	}
	return r.ts[i]
}

// named is the field at a place, with all that are as likely.
func (r *reading) named(i int) (fs []*field, n, sure int) {
	if i >= len(r.ts) || r.used[i] {
		return nil, 0, 0
	}
	for _, f := range r.t.fields {
		k, s := called(f.names, r.ts, i)
		switch {
		case k == 0 || s == 1 && stop(r.ts[i].low):
		case s > sure || s == sure && k > n:
			fs, n, sure = []*field{f}, k, s
		case s == sure && k == n:
			fs = append(fs, f)
		}
	}
	return fs, n, sure
}

// sorted reads an order: "sorted by name descending", "by milliseconds", "newest", "cheapest".
func (r *reading) sorted(i int) (int, error) {
	n := anyAt(r.ts, i, "sorted by", "ordered by", "order by", "sort by", "sort them by", "sort these by", "order them by", "in order of", "by", "ranked by")
	if n > 0 {
		fs, k, _ := r.named(i + n)
		if f := r.dateField(""); k == 0 && f != nil && r.tok(i+n).is("date", "time", "age") {
			fs, k = []*field{f}, 1
		}
		if k == 0 {
			return r.sortedByChildren(i, n)
		}
		if fs[0].parent != "" && !refAt(r.d.text, r.ts, i+n+k).none() || r.tok(i+n+k).quoted {
			return 0, nil // by employee 5
		}
		n += k
		down := r.ranked()
		switch {
		case anyAt(r.ts, i+n, "descending", "desc", "down", "highest first", "newest first", "largest first") > 0:
			down = true
			n += anyAt(r.ts, i+n, "descending", "desc", "down", "highest first", "newest first", "largest first")
		case anyAt(r.ts, i+n, "ascending", "asc", "up", "lowest first", "oldest first") > 0:
			down = false
			n += anyAt(r.ts, i+n, "ascending", "asc", "up", "lowest first", "oldest first")
		}
		for _, f := range fs {
			r.sortOn(f.name, down)
		}
		return n, nil
	}
	return r.superlative(i)
}

// ranked says whether the message asks for a top list.
func (r *reading) ranked() bool { return anyOf(r.ts, "top", "best", "most", "highest", "largest") }

func (r *reading) sortOn(expr string, down bool) {
	if down {
		expr += " desc"
	}
	r.order = append(r.order, expr)
}

// sortedByChildren reads "top 5 customers by invoices" and "with the fewest open tickets".
func (r *reading) sortedByChildren(i, n int) (int, error) {
	for r.tok(i+n).is("number", "of", "count", "the") {
		n++
	}
	for j := i + n; j < i+n+3; j++ {
		x, k, err := r.childAt(i+n, j)
		if err != nil {
			return 0, err
		}
		if k > 0 {
			r.few()
			r.ranks, r.ranking = x.call("count", ""), spoken(r.d.text, r.ts, i+n, j+k)
			r.sortOn(r.ranks, !r.tok(i).is("least", "fewest"))
			return j + k - i, nil
		}
	}
	if fs, k, sure := r.named(i + n); k > 0 && sure >= synonym && fs[0].numeric() && fs[0].parent == "" {
		r.few()
		r.sortOn(fs[0].name, !r.tok(i).is("least", "fewest"))
		return n + k, nil
	}
	return 0, nil
}

func (r *reading) child(i int) (relation, int) {
	if i >= len(r.ts) {
		return relation{}, 0
	}
	for _, c := range r.t.children {
		if t := r.d.schema.find(c.table); t != nil {
			if n, sure := called(t.names, r.ts, i); sure >= 2 {
				return c, n
			}
		}
		if n, sure := called(namesOf(c.name, ""), r.ts, i); sure >= 2 {
			return c, n
		}
	}
	return relation{}, 0
}

func (r *reading) superlative(i int) (int, error) {
	t := r.tok(i)
	if t.quoted {
		return 0, nil
	}
	n := max(1, anyAt(r.ts, i, "most recent", "most expensive", "least expensive"))
	down, byDate := true, false
	switch word := t.low; {
	case t.is("most", "least", "fewest") && n == 1:
		return r.sortedByChildren(i, 1)
	case t.is("newest", "latest", "youngest", "recent") || n == 2 && r.tok(i+1).is("recent"):
		byDate = true
	case t.is("oldest", "earliest"):
		byDate, down = true, false
	case n == 2:
		down = word == "most"
	case t.is("largest", "biggest", "highest", "longest", "greatest", "priciest", "heaviest", "top") && (word != "top" || r.bareTop(i)):
	case t.is("smallest", "lowest", "cheapest", "shortest", "lightest"):
		down = false
	default:
		return 0, nil
	}
	if byDate {
		r.few()
		f := r.dateField("")
		if f != nil {
			r.sortOn(f.name, down)
		} else if len(r.t.key) == 1 {
			r.sortOn(r.t.key[0], down)
		}
		return n, nil
	}
	if fs, k, sure := r.named(i + n); k > 0 && sure >= 1 && fs[0].numeric() {
		r.few()
		r.sortOn(fs[0].name, down)
		return n + k, nil
	}
	f, err := r.figureField(t.low + r.tok(i+1).low)
	if err != nil {
		return 0, err
	}
	r.few()
	r.sortOn(f.name, down)
	return n, nil
}

// few bounds a list of the first ones where the message gives no number: one where it names the record in the singular, else ten.
func (r *reading) few() {
	switch {
	case r.limit > 0:
	case r.onlyOne:
		r.limit = 1
	default:
		r.limit = 10
	}
}

// bareTop says whether "top" stands without a field or a child to sort by.
func (r *reading) bareTop(int) bool {
	for i := range r.ts {
		if _, n, _ := r.named(i + 1); r.tok(i).is("by") && n > 0 {
			return false
		}
		if _, n := r.child(i + 1); r.tok(i).is("by") && n > 0 {
			return false
		}
	}
	return true
}

// limited reads how many: "top 10", "first 5", "last 3", "the 5 newest".
func (r *reading) limited(i int) (int, error) {
	if r.tok(i).is("top", "first", "last", "limit", "max") {
		if n, ok := smallNumber(r.tok(i + 1)); ok && unitOf(r.tok(i+2).low) == "" {
			r.limit = n
			if r.tok(i).is("last") {
				if f := r.dateField(""); f != nil {
					r.sortOn(f.name, true)
				}
			}
			if r.tok(i).is("top") && r.bareTop(i) {
				if f, err := r.figureField(""); err == nil {
					r.sortOn(f.name, true)
				}
			}
			return 2, nil
		}
		return 0, nil
	}
	n, ok := smallNumber(r.tok(i))
	if ok && (i+1 < len(r.used) && r.used[i+1] || r.isSuperlative(i+1)) {
		r.limit = n
		return 1, nil
	}
	return 0, nil
}

func (r *reading) isSuperlative(i int) bool {
	return r.tok(i).is("newest", "latest", "recent", "oldest", "earliest", "largest", "biggest", "highest", "longest", "greatest", "priciest",
		"smallest", "lowest", "cheapest", "shortest", "youngest", "most", "least")
}

func smallNumber(t token) (int, bool) {
	words := strings.Fields("one two three four five six seven eight nine ten")
	for i, w := range words {
		if t.is(w) {
			return i + 1, true
		}
	}
	s, ok := t.figure()
	n, err := strconv.Atoi(s)
	return n, ok && err == nil && n > 0 && n <= 100
}

// dateField is the date that a question without one means: the one a verb points at, the one called after the table, one of creation, the first.
func (r *reading) dateField(hint string) *field {
	var first, created, own *field
	hint = firstOf(hint, r.hint)
	for _, f := range r.t.fields {
		if !f.dated() {
			continue
		}
		for _, w := range words(f.name + " " + f.label) {
			switch {
			case hint != "" && (stem(w) == stem(hint) || len(hint) > 3 && len(w) > 3 && strings.HasPrefix(stem(w), stem(hint))):
				return f
			case own == nil && len(r.t.name) > 2 && strings.HasPrefix(stem(w), stem(singular(lastOf(words(r.t.name))))):
				own = f
			case created == nil && (strings.HasPrefix(w, "creat") || strings.HasPrefix(w, "open") || w == "date" || w == "placed" || w == "issued"):
				created = f
			}
		}
		if first == nil {
			first = f
		}
	}
	for _, f := range []*field{own, created, first} {
		if f != nil {
			return f
		}
	}
	return nil
}

// figureField is the number that a question without one means; a question back where several could be.
func (r *reading) figureField(hint string) (*field, error) {
	like := strings.Fields("total amount price cost value sum balance revenue")
	switch {
	case strings.Contains(hint, "long") || strings.Contains(hint, "short"):
		like = strings.Fields("duration length milliseconds seconds minutes time")
	case strings.Contains(hint, "cheap") || strings.Contains(hint, "expensive") || strings.Contains(hint, "pric") || strings.Contains(hint, "cost"):
		like = strings.Fields("price cost total amount value")
	}
	var candidates []*field
	for _, f := range r.t.fields {
		if f.numeric() && !r.t.isKey(f) && f.parent == "" {
			candidates = append(candidates, f)
		}
	}
	for _, w := range like {
		for _, f := range candidates {
			if hasWord(f, w) {
				return f, nil
			}
		}
	}
	var decimals []*field
	for _, f := range candidates {
		if f.typ == "decimal" {
			decimals = append(decimals, f)
		}
	}
	if len(decimals) == 1 {
		return decimals[0], nil
	}
	if len(candidates) == 1 {
		return candidates[0], nil
	}
	if len(candidates) == 0 {
		return nil, unclear("The " + r.t.noun(2) + " have no number to compare or sort by.")
	}
	var names []string
	for _, f := range candidates {
		names = append(names, f.called())
	}
	return nil, unclear("Which figure do you mean: " + strings.Join(names, ", ") + "? Please name it, as in \"" + r.t.noun(2) + " with " + names[0] + " over 10\".")
}

func lastOf(ws []string) string {
	if len(ws) == 0 {
		return ""
	}
	return ws[len(ws)-1]
}
