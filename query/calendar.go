package query

import "time"

// civil reads a day as midnight UTC; ok is false for what is no date of the years 1 to 9999.
func civil(d Day) (time.Time, bool) {
	if len(d) != len(time.DateOnly) {
		return time.Time{}, false
	}
	t, err := time.Parse(time.DateOnly, string(d))
	return t, err == nil && t.Year() >= 1
}

// dayOf is the date that a clock shows; NULL outside the years 1 to 9999.
func dayOf(t time.Time) Value {
	if t.Year() < 1 || t.Year() > 9999 {
		return nil
	}
	return Day(t.Format(time.DateOnly))
}

// instant is a timestamp as a value: UTC, whole microseconds; NULL outside the years 1 to 9999.
func instant(t time.Time) Value {
	t = t.UTC().Truncate(time.Microsecond)
	if t.Year() < 1 || t.Year() > 9999 {
		return nil
	}
	return t
}

// clock is a date or timestamp as its calendar shows it: a date at midnight UTC, a timestamp in the zone.
func clock(v Value, zone *time.Location) (time.Time, bool) {
	switch x := v.(type) {
	case Day:
		return civil(x)
	case time.Time:
		return x.In(zone), instant(x) != nil
	}
	return time.Time{}, false
}

// like gives a clock back in the type of v.
func like(v Value, t time.Time) Value {
	if _, ok := v.(Day); ok {
		return dayOf(t)
	}
	return instant(t)
}

// startOf is the start of the unit that t is in, by t's own calendar. Weeks start on Monday.
func startOf(unit string, t time.Time) (time.Time, bool) {
	y, m, d := t.Date()
	switch unit {
	case "year":
		m, d = 1, 1
	case "quarter":
		m, d = m-(m-1)%3, 1
	case "month":
		d = 1
	case "week":
		d -= int(t.Weekday()+6) % 7
	case "day":
	case "hour":
		return t.Add(-time.Duration(t.Minute())*time.Minute - time.Duration(t.Second())*time.Second - time.Duration(t.Nanosecond())), true
	default:
		return t, false
	}
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location()), true
}

// next is the start of the unit after the one that starts at t.
func next(unit string, t time.Time) time.Time {
	switch unit {
	case "year":
		return t.AddDate(1, 0, 0)
	case "quarter":
		return t.AddDate(0, 3, 0)
	case "month":
		return t.AddDate(0, 1, 0)
	case "week":
		return t.AddDate(0, 0, 7)
	}
	return t.AddDate(0, 0, 1)
}

// endOf is the last day, or the last microsecond, of the unit that t is in. The next unit's start is found from noon, because a midnight
// that a zone leaves out is shown as another hour, or as the day before.
func endOf(unit string, t time.Time, day bool) (time.Time, bool) {
	s, ok := startOf(unit, t)
	if !ok {
		return t, false
	}
	if unit != "hour" {
		y, m, d := t.Date()
		noon, _ := startOf(unit, time.Date(y, m, d, 12, 0, 0, 0, time.UTC))
		y, m, d = next(unit, noon).Date()
		if s = time.Date(y, m, d, 0, 0, 0, 0, t.Location()); day {
			return s.AddDate(0, 0, -1), true
		}
		return s.Add(-time.Microsecond), true
	}
	return s.Add(time.Hour - time.Microsecond), true
}

// addMonths keeps the day of the month, clamped to the month's end.
func addMonths(t time.Time, months int) time.Time {
	y, m, d := t.Date()
	first := time.Date(y, m+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return time.Date(first.Year(), first.Month(), min(d, last), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), t.Location())
}

// wholeYears counts whole calendar years from a to b; b is not before a.
func wholeYears(a, b time.Time) int64 {
	n := b.Year() - a.Year()
	if position(b) < position(a) {
		n--
	}
	return int64(max(n, 0))
}

// position is where in its year a clock stands, comparable between years.
func position(t time.Time) int64 {
	minutes := ((int64(t.Month())*32+int64(t.Day()))*24+int64(t.Hour()))*60 + int64(t.Minute())
	return (minutes*60+int64(t.Second()))*1_000_000_000 + int64(t.Nanosecond())
}
