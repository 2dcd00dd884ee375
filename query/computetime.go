package query

import (
	"strings"
	"time"
)

func computeTime(fn string, zone *time.Location, a [3]Value) Value {
	switch fn {
	case "date":
		return toDay(a[0], zone)
	case "timestamp":
		return toInstant(a[0], zone)
	case "add_days", "add_months", "add_years":
		return added(fn, zone, a[0], a[1])
	case "start_of", "end_of":
		return bound(fn, zone, a[0], a[1])
	case "days_between", "years_between":
		return between(fn, zone, a[0], a[1])
	}
	t, ok := clock(a[0], zone)
	if !ok {
		return nil
	}
	switch fn {
	case "year", "quarter", "month", "week", "day":
		y, m, d := t.Date()
		s, _ := startOf(fn, time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
		return dayOf(s)
	case "hour":
		s, _ := startOf(fn, t)
		return instant(s)
	case "year_of":
		return int64(t.Year())
	case "month_of_year":
		return int64(t.Month())
	case "weekday":
		return int64(t.Weekday()+6)%7 + 1
	case "hour_of_day":
		return int64(t.Hour())
	}
	return nil
}

func toDay(v Value, zone *time.Location) Value {
	switch x := v.(type) {
	case string:
		x = strings.TrimSpace(x)
		if _, ok := civil(Day(x)); ok {
			return Day(x)
		}
	case Day, time.Time:
		if t, ok := clock(x, zone); ok {
			return dayOf(t)
		}
	}
	return nil
}

func toInstant(v Value, zone *time.Location) Value {
	switch x := v.(type) {
	case string:
		if t, ok := readTimestamp(strings.TrimSpace(x), zone); ok {
			return instant(t)
		}
	case Day:
		if t, ok := civil(x); ok {
			y, m, d := t.Date()
			return instant(time.Date(y, m, d, 0, 0, 0, 0, zone))
		}
	case time.Time:
		return instant(x)
	}
	return nil
}

// readTimestamp reads RFC 3339, and without a zone a date and time, or a date alone, as the zone's clock shows it.
func readTimestamp(text string, zone *time.Location) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// Beyond these, a sum leaves the years 1 to 9999 from wherever it starts.
const (
	mostDays   = 4_000_000
	mostMonths = 120_000
)

func added(fn string, zone *time.Location, v, count Value) Value {
	t, ok := clock(v, zone)
	n, isInt := count.(int64)
	if !ok || !isInt || n > mostDays || n < -mostDays {
		return nil
	}
	if fn == "add_days" {
		return like(v, t.AddDate(0, 0, int(n)))
	}
	if fn == "add_years" {
		n *= 12
	}
	if n > mostMonths || n < -mostMonths {
		return nil
	}
	return like(v, addMonths(t, int(n)))
}

func bound(fn string, zone *time.Location, unit, v Value) Value {
	u, _ := unit.(string)
	t, ok := clock(v, zone)
	if !ok {
		return nil
	}
	if fn == "start_of" {
		t, ok = startOf(u, t)
	} else {
		_, day := v.(Day)
		t, ok = endOf(u, t, day)
	}
	if !ok {
		return nil
	}
	return like(v, t)
}

// between counts whole units from a to b; counted backwards it is the same number, negative. A date beside a timestamp makes both dates.
func between(fn string, zone *time.Location, a, b Value) Value {
	if _, ok := a.(Day); ok {
		b = toDay(b, zone)
	} else if _, ok := b.(Day); ok {
		a = toDay(a, zone)
	}
	x, okX := clock(a, zone)
	y, okY := clock(b, zone)
	if !okX || !okY {
		return nil
	}
	if y.Before(x) {
		return -forward(fn, y, x)
	}
	return forward(fn, x, y)
}

func forward(fn string, x, y time.Time) int64 {
	if fn == "years_between" {
		return wholeYears(x, y)
	}
	seconds := y.Unix() - x.Unix()
	if y.Nanosecond() < x.Nanosecond() {
		seconds--
	}
	return seconds / (24 * 60 * 60)
}
