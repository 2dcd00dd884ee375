package offline

import "strings"

// ask is how a message asks for figures about many records, as far as its words tell before a table is known. Places are tokens.
type ask struct {
	ts    []token
	gone  []bool     // tokens that are read
	chart string     // bar, line or pie; "chart" leaves it open
	share bool       // per cent
	verb  string     // sum, avg, min or max; count where a number of records is asked for; empty where nothing is said
	from  int        // where what is measured is named, or -1
	rank  int        // 1: the highest first, -1: the lowest first, 0: no order is asked for
	limit int        // of ranked groups; 0: none is said
	x     stretch    // the groups that are ranked or counted: "which customer", "top 5 countries"
	keys  []spot     // other groups
	least string     // what a group must have: "> 10"
	two   [2]stretch // periods to compare
	spent bool       // who paid the most: the measure is money
	sold  bool       // best selling: the measure is a quantity
}

// stretch is some tokens of a message.
type stretch struct{ from, to int }

func (s stretch) has(i int) bool { return i >= s.from && i < s.to }

// spot is where groups are named. Weakly said ones ("by name") may mean an order, or somebody who made it.
type spot struct {
	at   int
	weak bool
}

// asked reads a message from a place on.
func asked(ts []token, start int) *ask {
	a := &ask{ts: ts, gone: make([]bool, len(ts)), from: -1}
	for i := 0; i < len(ts); {
		n := 0
		for _, read := range []func(int) int{a.charted, a.shared, a.selling, a.top, a.most, a.over, a.each, a.compared} {
			if n = read(i); n > 0 || ts[i].quoted {
				break
			}
		}
		i += max(n, 1)
	}
	a.measured(leads(ts, start))
	return a
}

// any says whether figures are asked for at all.
func (a *ask) any() bool {
	return a.chart != "" || a.share || a.verb != "" && a.verb != "count" || a.rank != 0 || a.least != "" || len(a.keys) > 0 || a.two[1].to > 0
}

// weak says whether nothing but "by" points at groups.
func (a *ask) weak() bool {
	return a.chart == "" && !a.share && a.verb == "" && a.rank == 0 && a.least == "" && a.two[1].to == 0 && (len(a.keys) == 0 || a.keys[0].weak)
}

func (a *ask) spend(from, to int) int {
	for i := max(from, 0); i < to && i < len(a.gone); i++ {
		a.gone[i] = true
	}
	return to - from
}

func (a *ask) tok(i int) token {
	if i < 0 || i >= len(a.ts) {
		return token{}
	}
	return a.ts[i]
}

// leads is the place behind "what is the", "show me the" and their like.
func leads(ts []token, i int) int {
	for i < len(ts) {
		n := anyAt(ts, i, "what is", "what's", "what was", "what were", "what are", "show", "give", "me", "us", "tell", "calculate", "compute", "find", "get", "display", "how high is", "how high was", "how much is", "how much was", "the", "our", "and", "list", "a", "of")
		if n == 0 {
			break
		}
		i += n
	}
	return i
}

// charted reads "as a bar chart", "in a pie", "draw a line chart of".
func (a *ask) charted(i int) int {
	n := anyAt(a.ts, i, "as", "in", "on", "with", "draw", "plot", "make", "create", "show", "as a", "in a", "on a", "with a", "draw a", "plot a", "make a", "create a", "show a", "show me a", "a", "draw me a")
	kind := ""
	switch t := a.tok(i + n); {
	case t.is("bar", "bars", "column"):
		kind = "bar"
	case t.is("line", "curve"):
		kind = "line"
	case t.is("pie", "donut"):
		kind = "pie"
	}
	if kind != "" {
		n++
	}
	drawn := a.tok(i+n).is("chart", "graph", "diagram", "plot", "charts")
	switch {
	case drawn:
		n++
	case kind == "" && (i > 1 || !a.tok(i).is("plot", "draw", "chart", "graph")), kind == "line" && n < 2, kind != "" && n == 1 && i > 0, kind != "" && a.tok(i).is("with", "a"):
		return 0
	case kind == "":
		n = 1
	}
	if a.chart = kind; kind == "" {
		a.chart = "chart"
	}
	for a.tok(i+n).is("of", "for", "with", "showing") {
		n++
	}
	return a.spend(i, i+n)
}

// shared reads "share of", "what percentage of", "as a percentage".
func (a *ask) shared(i int) int {
	n := anyAt(a.ts, i, "what", "which", "as a", "as", "in", "the", "what is the", "a", "how many")
	if !a.tok(i+n).is("share", "shares", "percentage", "percentages", "percent", "proportion", "proportions", "fraction", "%", "ratio") {
		return 0
	}
	a.share = true
	for n++; a.tok(i+n).is("of", "the"); n++ {
	}
	return a.spend(i, i+n)
}

// superlative is 1 for most and highest, -1 for fewest and lowest.
func superlative(t token) int {
	switch {
	case t.is("most", "highest", "largest", "biggest", "greatest", "best"):
		return 1
	case t.is("fewest", "lowest", "least", "smallest"):
		return -1
	}
	return 0
}

// top reads "top 5 customers by", "the 3 biggest countries by".
func (a *ask) top(i int) int {
	at, rank, limit := i, 1, 0
	if n, ok := smallNumber(a.tok(at)); ok {
		limit = n
		at++
	}
	if s := superlative(a.tok(at)); s == 0 && !a.tok(at).is("top", "bottom", "worst") || a.tok(at).is("most", "least", "fewest") {
		return 0
	} else if s < 0 || a.tok(at).is("bottom", "worst") {
		rank = -1
	}
	at++
	if n, ok := smallNumber(a.tok(at)); ok && limit == 0 {
		limit = n
		at++
	}
	for by := at + 1; by < at+5; by++ {
		if n := anyAt(a.ts, by, "by", "ranked by", "in terms of", "by the"); n > 0 {
			a.rank, a.limit, a.x, a.from = rank, limit, stretch{at, by}, by+n
			a.spend(i, at)
			a.spend(by, by+n)
			return by + n - i
		}
	}
	return 0
}

// selling reads "best selling products", "top 5 selling products", "the 3 most sold products".
func (a *ask) selling(i int) int {
	at := i
	n, ok := smallNumber(a.tok(at))
	if ok {
		at++
	}
	k := anyAt(a.ts, at, "best selling", "best-selling", "bestselling", "top selling", "top-selling", "most sold", "most ordered", "most bought", "most popular")
	if m, found := smallNumber(a.tok(at + 1)); found && a.tok(at).is("top", "best") && a.tok(at+2).is("selling", "sold", "selling") {
		n, k = m, 3
	}
	if k == 0 {
		return 0
	}
	a.rank, a.limit, a.sold, a.x, a.from = 1, n, true, stretch{at + k, at + k + 1}, -1
	return a.spend(i, at+k)
}

// most reads "which customer has the most", "customers with the fewest", "in which month were the most", "who paid the most".
func (a *ask) most(i int) int {
	paid := anyAt(a.ts, i, "spent", "spend", "paid", "pays", "bought", "buys", "earned", "sold")
	n := paid + anyAt(a.ts, i+paid, "with", "has", "have", "had", "got", "having", "that have", "that has", "who have", "who has", "placed", "made", "opened", "handled", "handles", "generated", "were", "was", "are", "is", "did", "do", "does", "saw", "gets", "brought")
	for n > 0 && a.tok(i+n).is("the", "us", "our", "there") {
		n++
	}
	rank := superlative(a.tok(i + n))
	if a.tok(i+n).is("best") || a.tok(i).is("are", "is") && a.tok(i-1).is("who") {
		return 0 // who are the best customers
	}
	x := a.behind(i)
	questioned := a.tok(x.from-1).is("which", "what") || a.tok(x.from).is("who")
	if rank == 0 || n == 0 || x.from == x.to || !questioned && !a.tok(i).is("with", "having", "that", "who", "have", "has") {
		return 0
	}
	a.rank, a.x, a.from, a.spent = rank, x, i+n+1, paid > 0
	if k, ok := smallNumber(a.tok(x.from - 1)); ok {
		a.limit = k
		a.spend(x.from-1, x.from)
	}
	for k := x.from - 1; a.tok(k).is("which", "what", "in", "the", "is", "show", "top"); k-- {
		a.spend(k, k+1)
	}
	return a.spend(i, i+n+1)
}

// behind is what is named right before a place.
func (a *ask) behind(i int) stretch {
	from := i
	for from > 0 && i-from < 3 {
		t := a.tok(from - 1)
		if _, n := smallNumber(t); n || t.quoted || t.mark() || t.is("which", "what", "the", "show", "list", "me", "top", "all", "in", "give", "find", "are", "is", "of", "by", "our", "many", "for", "only") {
			break
		}
		from--
	}
	return stretch{from, i}
}

// over reads what groups must have: "countries with more than 10".
func (a *ask) over(i int) int {
	n := anyAt(a.ts, i, "with", "having", "have", "has", "that have", "who have", "that has", "where there are", "which have")
	op, ok := operatorAt(a.ts, i+n)
	if n == 0 || !ok || op.n == 0 || !strings.Contains("> >= < <= ==", op.op) || op.no {
		return 0
	}
	f, ok := a.tok(i + n + op.n).figure()
	if x := a.behind(i); ok && x.from < x.to && a.rank == 0 {
		a.x, a.least, a.from = x, op.op+" "+f, i+n+op.n+1
		return a.spend(i, a.from)
	}
	return 0
}

// each reads where groups are named: "per country", "for each customer", "by month".
func (a *ask) each(i int) int {
	n := anyAt(a.ts, i, "per", "for each", "for every", "in each", "in every", "of each", "of every", "by each", "grouped by", "group by", "group them by", "grouped per", "broken down by", "breakdown by", "split by", "by", "does each", "did each", "do each", "over the", "by the", "across")
	weak := a.tok(i).is("by", "over", "across") && !a.tok(i+1).is("each")
	if periodical(a.tok(i).low) != "" {
		a.keys = append(a.keys, spot{i, false})
		return 1
	}
	made := a.tok(i).is("by") && a.tok(i-1).is("placed", "made", "followed", "opened", "handled")
	if n == 0 || made || a.tok(i-1).is("sorted", "ordered", "order", "sort", "ranked", "them", "these", "those") {
		return 0
	}
	a.keys = append(a.keys, spot{i + n, weak})
	return a.spend(i, i+n)
}

// compared reads two periods side by side: "2025 versus 2024", "this month compared to last month", "compare orders in May 2025 and June 2025".
func (a *ask) compared(i int) int {
	n := anyAt(a.ts, i, "vs", "vs .", "versus", "compared to", "compared with", "compare to", "compare with", "against", "and", "with", "to", "than", "than in", "compared to the", "versus the")
	if n == 0 || a.tok(i).is("and", "with", "to", "than") && !anyOf(a.ts, "compare", "compared", "versus", "difference", "grow", "more", "change") {
		return 0
	}
	_, k := periodAt(a.ts, i+n, true)
	for from := max(0, i-4); k > 0 && from < i; from++ {
		if _, j := periodAt(a.ts, from, true); j > 0 && from+j == i {
			a.two = [2]stretch{{from, i}, {i + n, i + n + k}}
			for at := from - 1; at >= 0 && a.tok(at).is("in", "from", "for", "during", "of"); at-- {
				a.spend(at, at+1)
			}
			for at := range a.ts {
				if a.tok(at).is("compare", "compared", "difference", "between", "change") {
					a.spend(at, at+1)
				}
			}
			return a.spend(from, i+n+k) - (i - from)
		}
	}
	return 0
}

// measured reads what is to be done with a number: where the message leads to it, behind a superlative, or where the word can mean nothing else.
func (a *ask) measured(lead int) {
	for i := 0; i < len(a.ts) && a.verb == ""; i++ {
		verb, n := aggregate(a.ts, i)
		if n == 0 || a.gone[i] || a.ts[i].quoted {
			continue
		}
		first := i == lead || i == a.from || i > 0 && a.gone[i-1] && i <= lead+6
		switch word := a.tok(i); {
		case verb == "count" && !first:
		case verb == "max" || verb == "min":
			if !first || lead == 0 && len(a.keys) == 0 && !word.is("maximum", "minimum") {
				continue // the highest invoices: a list
			}
		case first, verb == "avg", word.is("sum", "revenue", "turnover"), a.tok(i+1).is("of", "amount", "value"):
		default:
			continue
		}
		a.verb, a.from, a.spent = verb, i+n, a.spent || anyOf(a.ts[i:i+n], "revenue", "turnover", "sales")
		a.spend(i, i+n)
	}
}

// aggregate is what words at a place ask to be done with numbers, and how many tokens say so: the longest that fit.
func aggregate(ts []token, i int) (verb string, n int) {
	for _, w := range []struct{ verb, said string }{
		{"count", "number of"}, {"count", "total number of"}, {"count", "overall number of"}, {"count", "count of"}, {"count", "total count of"}, {"count", "how many"}, {"count", "breakdown of"}, {"count", "distribution of"},

		{"sum", "sum"}, {"sum", "sum of"}, {"sum", "total"}, {"sum", "totals"}, {"sum", "total of"}, {"sum", "overall"}, {"sum", "revenue"}, {"sum", "total revenue"}, {"sum", "turnover"}, {"sum", "sales"}, {"sum", "total sales"},
		{"avg", "average"}, {"avg", "avg"}, {"avg", "mean"}, {"avg", "average of"},
		{"max", "maximum"}, {"max", "max"}, {"max", "highest"}, {"max", "largest"}, {"max", "biggest"}, {"min", "minimum"}, {"min", "min"}, {"min", "lowest"}, {"min", "smallest"},
		{"max", "most expensive"}, {"min", "cheapest"}, {"min", "least expensive"}, {"avg", "how"},
	} {
		if k, ok := at(ts, i, w.said); ok && k > n && (w.said != "how" || i+1 < len(ts) && ts[i+1].is("old")) {
			verb, n = w.verb, k
		}
	}
	return verb, n
}
