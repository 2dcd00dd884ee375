package offline

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// period is a span of time as expressions: from, and before (excluded). Either may be empty.
type period struct{ from, before string }

func months() []string {
	return []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
}

// monthOf is 1 to 12 for the name of a month or its first three letters, else 0.
func monthOf(word string) int {
	for i, m := range months() {
		if word == m || len(word) >= 3 && len(word) <= 4 && strings.HasPrefix(m, word[:3]) && (word == m[:3] || word == "sept") {
			return i + 1
		}
	}
	return 0
}

// periodAt reads a period at a place: today, last week, the last 7 days, March 2024, 2024-03-01, 2024. bare says that a lone number may be a year.
func periodAt(ts []token, i int, bare bool) (period, int) {
	skipped := 0
	for i+skipped < len(ts) && ts[i+skipped].is("the", "of") {
		skipped++
	}
	i += skipped
	if i >= len(ts) {
		return period{}, 0
	}
	for _, read := range []func([]token, int) (period, int){dayAt, relativeAt, dateAt, monthAt, quarterAt} {
		if p, n := read(ts, i); n > 0 {
			return p, n + skipped
		}
	}
	if y, ok := yearAt(ts, i); ok && bare {
		return years(y), 1 + skipped
	}
	return period{}, 0
}

func dayAt(ts []token, i int) (period, int) {
	switch {
	case ts[i].is("today"):
		return period{"today()", "today() + days(1)"}, 1
	case ts[i].is("yesterday"):
		return period{"today() - days(1)", "today()"}, 1
	case ts[i].is("tomorrow"):
		return period{"today() + days(1)", "today() + days(2)"}, 1
	}
	if n, ok := ts[i].figure(); ok && i+2 < len(ts) && ts[i+2].is("ago") && !strings.Contains(n, ".") {
		if u := unitOf(ts[i+1].low); u != "" {
			d := fmt.Sprintf("today() - %ss(%s)", u, n)
			return weeks(period{d, d + " + days(1)"}), 3
		}
	}
	return period{}, 0
}

func unitOf(word string) string {
	switch u := strings.TrimSuffix(word, "s"); u {
	case "day", "week", "month", "quarter", "year":
		return u
	}
	return ""
}

func relativeAt(ts []token, i int) (period, int) {
	if !ts[i].is("this", "last", "past", "previous", "next", "current", "coming") || i+1 >= len(ts) {
		return period{}, 0
	}
	ahead := ts[i].is("next", "coming")
	if n, ok := ts[i+1].figure(); ok && i+2 < len(ts) && !ts[i].is("this") && !strings.Contains(n, ".") {
		switch u := unitOf(ts[i+2].low); {
		case u == "":
		case ahead:
			return weeks(period{"today()", fmt.Sprintf("today() + %ss(%s)", u, n)}), 3
		default:
			return weeks(period{fmt.Sprintf("today() - %ss(%s)", u, n), ""}), 3
		}
	}
	u := unitOf(ts[i+1].low)
	if u == "" {
		return period{}, 0
	}
	start := fmt.Sprintf("start_of(%q, today())", u)
	switch {
	case u == "day":
		return period{"today() - days(1)", ""}, 2
	case ts[i].is("this", "current"):
		return weeks(period{start, fmt.Sprintf("%s + %ss(1)", start, u)}), 2
	case ahead:
		return weeks(period{fmt.Sprintf("%s + %ss(1)", start, u), fmt.Sprintf("%s + %ss(2)", start, u)}), 2
	}
	return weeks(period{fmt.Sprintf("%s - %ss(1)", start, u), start}), 2
}

var counted = regexp.MustCompile(`(weeks|quarters)\((\d+)\)`)

// weeks writes weeks as days and quarters as months, which the language has.
func weeks(p period) period {
	in := func(s string) string {
		return counted.ReplaceAllStringFunc(s, func(m string) string {
			g := counted.FindStringSubmatch(m)
			n, err := strconv.Atoi(g[2])
			if err != nil || n > 100000 {
				n = 100000
			}
			if g[1] == "weeks" {
				return fmt.Sprintf("days(%d)", 7*n)
			}
			return fmt.Sprintf("months(%d)", 3*n)
		})
	}
	return period{in(p.from), in(p.before)}
}

func yearAt(ts []token, i int) (int, bool) {
	if i >= len(ts) || len(ts[i].text) != 4 || ts[i].quoted {
		return 0, false
	}
	y, err := strconv.Atoi(ts[i].text)
	return y, err == nil && y >= 1800 && y <= 2200
}

func years(y int) period {
	return period{fmt.Sprintf("date(\"%04d-01-01\")", y), fmt.Sprintf("date(\"%04d-01-01\")", y+1)}
}

// monthAt reads "March 2024", "5 March 2024" and "March 5, 2024"; the year is needed.
func monthAt(ts []token, i int) (period, int) {
	m := monthOf(ts[i].low)
	if m > 0 {
		if y, ok := yearAt(ts, i+1); ok {
			from := time.Date(y, time.Month(m), 1, 0, 0, 0, 0, time.UTC)
			return period{dateExpr(from), dateExpr(from.AddDate(0, 1, 0))}, 2
		}
		n := 2
		if i+2 < len(ts) && ts[i+2].is(",") {
			n = 3
		}
		if y, ok := yearAt(ts, i+n); ok {
			return onDay(y, m, ts[i+1].low, n+1)
		}
		return period{}, 0
	}
	if i+1 < len(ts) {
		if m = monthOf(ts[i+1].low); m > 0 {
			if y, ok := yearAt(ts, i+2); ok {
				return onDay(y, m, ts[i].low, 3)
			}
		}
	}
	return period{}, 0
}

// quarterAt reads "Q1 2025" and "first quarter of 2025".
func quarterAt(ts []token, i int) (period, int) {
	q, n := 0, 1
	for k, names := range [][]string{{"q1", "first", "1st"}, {"q2", "second", "2nd"}, {"q3", "third", "3rd"}, {"q4", "fourth", "4th", "last"}} {
		if ts[i].is(names...) {
			q = k + 1
		}
	}
	if q == 0 || len(ts[i].low) != 2 && (i+1 >= len(ts) || !ts[i+1].is("quarter")) {
		return period{}, 0
	}
	for i+n < len(ts) && ts[i+n].is("quarter", "of", "in") {
		n++
	}
	y, ok := yearAt(ts, i+n)
	if !ok {
		return period{}, 0
	}
	from := time.Date(y, time.Month(3*q-2), 1, 0, 0, 0, 0, time.UTC)
	return period{dateExpr(from), dateExpr(from.AddDate(0, 3, 0))}, n + 1
}

func onDay(y, m int, day string, n int) (period, int) {
	for _, end := range []string{"st", "nd", "rd", "th"} {
		day = strings.TrimSuffix(day, end)
	}
	d, err := strconv.Atoi(day)
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if err != nil || t.Day() != d {
		return period{}, 0
	}
	return period{dateExpr(t), dateExpr(t.AddDate(0, 0, 1))}, n
}

// dateAt reads 2024-03-01 and 01.03.2024.
func dateAt(ts []token, i int) (period, int) {
	for _, layout := range []string{"2006-01-02", "02.01.2006", "2.1.2006", "2006/01/02"} {
		if t, err := time.Parse(layout, ts[i].text); err == nil && t.Year() > 0 {
			return period{dateExpr(t), dateExpr(t.AddDate(0, 0, 1))}, 1
		}
	}
	if t, err := time.Parse("2006-01", ts[i].text); err == nil && t.Year() > 0 {
		return period{dateExpr(t), dateExpr(t.AddDate(0, 1, 0))}, 1
	}
	return period{}, 0
}

func dateExpr(t time.Time) string { return `date("` + t.Format("2006-01-02") + `")` }
