package sqldb

import (
	"fmt"
	"time"

	"example.com/deputy/query"
)

// shifts are a zone's offsets from UTC as Go knows them, so that the server's own tables are not asked: offsets[i] holds from starts[i-1] on.
// From cycle on the calendar and the rules repeat every 400 years; beyond the first 400 the instant is moved back.
type shifts struct {
	starts  []time.Time
	offsets []int32 // seconds
}

const cycle = "2040-01-01 00:00:00"

func (db *postgres) shifts(zone *time.Location) *shifts {
	return shiftsKept(&db.zones, zone)
}

func shiftsOf(zone *time.Location) *shifts {
	t := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	_, last := t.In(zone).Zone()
	s := &shifts{offsets: []int32{int32(last)}}
	for more := true; more && t.Year() <= 2440; {
		if t, more = following(t, zone); !more {
			break
		}
		if _, offset := t.In(zone).Zone(); offset != last {
			s.starts, s.offsets, last = append(s.starts, t), append(s.offsets, int32(offset)), offset
		}
	}
	return s
}

// following is when the offset that holds at t may end; false where it holds for ever. On the last day of a leap year Go's bounds end before
// it: there, minute by minute.
func following(t time.Time, zone *time.Location) (time.Time, bool) {
	_, end := t.In(zone).ZoneBounds()
	if end.IsZero() {
		return t, false
	}
	if !end.After(t) {
		end = t.Add(time.Minute)
	}
	return end.UTC(), true
}

// universal says whether a zone is always UTC.
func (db *postgres) universal(zone *time.Location) bool {
	s := db.shifts(zone)
	return len(s.starts) == 0 && s.offsets[0] == 0
}

// offset is the zone's offset at an instant, as an interval.
func (db *postgres) offset(c *compiler, at string, zone *time.Location) string {
	s := db.shifts(zone)
	if len(s.starts) == 0 {
		return fmt.Sprintf("interval '%d seconds'", s.offsets[0])
	}
	starts := c.share(fmt.Sprintf("starts %p", zone), func() any { return s.starts }) + "::timestamp[]"
	offsets := c.share(fmt.Sprintf("offsets %p", zone), func() any { return s.offsets }) + "::int[]"
	return c.let(at, func(v string) string {
		again := "CASE WHEN " + v + " < '" + cycle + "'::timestamp THEN " + v + " ELSE " + v + " - (date_bin('146097 days', " + v + ", '" + cycle + "') - '" + cycle + "'::timestamp) END"
		return "((" + offsets + ")[width_bucket(" + again + ", " + starts + ") + 1] * interval '1 second')"
	})
}

// clock is what a clock in the zone shows at an instant; a date is midnight.
func (db *postgres) clock(c *compiler, p part, zone *time.Location) string {
	if p.t == query.Date {
		return "(" + c.sql(p) + ")::timestamp"
	}
	if db.universal(zone) {
		return c.sql(p)
	}
	return c.let(c.sql(p), func(v string) string { return "(" + v + " + " + db.offset(c, v, zone) + ")" })
}

// moment is the instant at which the zone's clock shows a time, by the rule of time.Date: one that the clock leaves out, or shows twice, is
// taken at the offset that holds where the clock's time less the offset there is.
func (db *postgres) moment(c *compiler, clock string, zone *time.Location) string {
	if db.universal(zone) {
		return clock
	}
	return c.let(clock, func(v string) string {
		return c.let("("+v+" - "+db.offset(c, v, zone)+")", func(near string) string { return "(" + v + " - " + db.offset(c, near, zone) + ")" })
	})
}

// instant is a moment of the years 1 to 9999.
func (db *postgres) instant(c *compiler, clock string, zone *time.Location) string {
	return c.let(db.moment(c, clock, zone), inYearsSQL)
}

func inYearsSQL(v string) string {
	return "CASE WHEN " + v + " >= '0001-01-01'::timestamp AND " + v + " < '10000-01-01'::timestamp THEN " + v + " END"
}

// day is the date that a clock shows.
func day(c *compiler, clock string) string {
	return c.let("("+clock+")::date", func(v string) string {
		return "CASE WHEN " + v + " BETWEEN '0001-01-01'::date AND '9999-12-31'::date THEN " + v + " END"
	})
}

// like gives a clock back in the type of what it was made of.
func (db *postgres) like(c *compiler, t query.Type, clock string, zone *time.Location) string {
	if t == query.Date {
		return day(c, clock)
	}
	return db.instant(c, clock, zone)
}

// year counts the year before 1 as 0.
func year(clock string) string {
	return "(extract(year FROM " + clock + " + interval '400 years') - 400)"
}

func isWhen(t query.Type) bool { return t == query.Date || t == query.Timestamp }

func (db *postgres) times(c *compiler, x query.Op, args []part) (string, bool) {
	zone := x.Zone
	if zone == nil {
		zone = time.UTC
	}
	switch x.Fn {
	case "start_of", "end_of":
		return db.bound(c, x.Fn, args[0], args[1], zone), true
	case "days_between":
		return daysBetween(c, args[0], args[1]), true
	case "years_between":
		return db.yearsBetween(c, args[0], args[1], zone), true
	}
	if len(args) == 0 || !isWhen(args[0].t) {
		return "", false
	}
	p := args[0]
	clock := func() string { return db.clock(c, p, zone) }
	switch x.Fn {
	case "date", "day":
		return day(c, clock()), true
	case "timestamp":
		if p.t == query.Timestamp {
			return c.sql(p), true
		}
		return db.instant(c, clock(), zone), true
	case "add_days":
		return db.addDays(c, p, args[1], zone), true
	case "add_months":
		return db.addMonths(c, p, args[1], 1, zone), true
	case "add_years":
		return db.addMonths(c, p, args[1], 12, zone), true
	case "year", "quarter", "month", "week":
		return day(c, "date_trunc('"+x.Fn+"', "+clock()+")"), true
	case "hour":
		return db.hour(c, p, zone, ""), true
	case "year_of":
		return year(clock()) + "::bigint", true
	case "month_of_year":
		return "extract(month FROM " + clock() + ")::bigint", true
	case "weekday":
		return "extract(isodow FROM " + clock() + ")::bigint", true
	case "hour_of_day":
		return "extract(hour FROM " + clock() + ")::bigint", true
	}
	return "", false
}

// hour is the start of the hour, by what the clock shows, in time that has passed; and something more.
func (db *postgres) hour(c *compiler, p part, zone *time.Location, more string) string {
	return c.let(c.sql(p), func(v string) string {
		return c.let(db.clock(c, part{text: v, t: query.Timestamp}, zone), func(l string) string {
			return c.let("("+v+" - ("+l+" - date_trunc('hour', "+l+"))"+more+")", inYearsSQL)
		})
	})
}

func (db *postgres) bound(c *compiler, fn string, unit, p part, zone *time.Location) string {
	name, _ := unit.lit.V.(string)
	if name == "hour" {
		if p.t != query.Timestamp {
			return "CASE WHEN FALSE THEN " + c.sql(p) + " END"
		}
		if fn == "start_of" {
			return db.hour(c, p, zone, "")
		}
		return db.hour(c, p, zone, " + interval '1 hour' - interval '1 microsecond'")
	}
	start := "date_trunc('" + name + "', " + db.clock(c, p, zone) + ")"
	if fn == "start_of" {
		return db.like(c, p.t, start, zone)
	}
	next := "(" + start + " + interval '1 " + name + "')"
	if name == "quarter" {
		next = "(" + start + " + interval '3 months')"
	}
	if p.t == query.Date {
		return day(c, "("+next+" - interval '1 day')")
	}
	return c.let("("+db.moment(c, next, zone)+" - interval '1 microsecond')", inYearsSQL)
}

// addDays moves by the calendar; what leaves the years is NULL before it is computed.
func (db *postgres) addDays(c *compiler, p, count part, zone *time.Location) string {
	return c.let2(db.clock(c, p, zone), c.sql(count), func(v, n string) string {
		return "CASE WHEN " + n + " BETWEEN -4000000 AND 4000000 AND (" + v + "::date - '0001-01-01'::date) + " + n + " BETWEEN -2 AND 3652060 THEN " +
			db.like(c, p.t, "("+v+" + "+n+"::int * interval '1 day')", zone) + " END"
	})
}

// addMonths moves by the calendar, clamped to the month's end.
func (db *postgres) addMonths(c *compiler, p, count part, months int, zone *time.Location) string {
	return c.let2(db.clock(c, p, zone), c.sql(count), func(v, n string) string {
		return fmt.Sprintf("CASE WHEN %s BETWEEN -120000 AND 120000 AND %s * 12 + extract(month FROM %s) + %s * %d BETWEEN 0 AND 120013 THEN ", n, year(v), v, n, months) +
			db.like(c, p.t, fmt.Sprintf("(%s + (%s * %d)::int * interval '1 month')", v, n, months), zone) + " END"
	})
}

func daysBetween(c *compiler, a, b part) string {
	if a.t == query.Date {
		return "(" + c.sql(b) + " - " + c.sql(a) + ")::bigint"
	}
	return "div(extract(epoch FROM " + c.sql(b) + " - " + c.sql(a) + "), 86400)::bigint"
}

// yearsBetween counts whole calendar years from the earlier to the later by what the clock shows.
func (db *postgres) yearsBetween(c *compiler, a, b part, zone *time.Location) string {
	return c.let2(c.sql(a), c.sql(b), func(x, y string) string {
		return "CASE WHEN " + y + " < " + x + " THEN -" + db.wholeYears(c, a.t, y, x, zone) + " ELSE " + db.wholeYears(c, a.t, x, y, zone) + " END"
	})
}

func (db *postgres) wholeYears(c *compiler, t query.Type, x, y string, zone *time.Location) string {
	return c.let2(db.clock(c, part{text: x, t: t}, zone), db.clock(c, part{text: y, t: t}, zone), func(a, b string) string {
		place := func(v string) string { return "to_char(" + v + ", 'MMDDHH24MISSUS')" }
		n := "(" + year(b) + " - " + year(a) + " - (" + place(b) + ` COLLATE "C" < ` + place(a) + ` COLLATE "C")::int)::bigint`
		return "CASE WHEN " + a + " IS NOT NULL AND " + b + " IS NOT NULL THEN greatest(" + n + ", 0) END"
	})
}

// dayOf is the date that the first ten characters of a text name, whose form has been tested; NULL where there is no such day.
func dayOf(c *compiler, v string) string {
	part := func(from, size int) string { return fmt.Sprintf("substr(%s, %d, %d)::int", v, from, size) }
	return c.let("CASE WHEN "+part(6, 2)+" BETWEEN 1 AND 12 THEN make_date("+part(1, 4)+" + 400, "+part(6, 2)+", 1) END", func(first string) string {
		return "CASE WHEN " + part(9, 2) + " BETWEEN 1 AND extract(day FROM " + first + " + interval '1 month - 1 day') THEN " + first + " + (" + part(9, 2) + " - 1) - 146097 END"
	})
}

// readTimestamp reads RFC 3339, and without a zone a date and time, or a date alone, as the zone's clock shows it.
func (db *postgres) readTimestamp(c *compiler, v string, x query.Op) string {
	zone := x.Zone
	if zone == nil {
		zone = time.UTC
	}
	const form = `'^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:(?:T| +)([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:[.,]([0-9]+))?(Z|[+-](?:[01][0-9]|2[0-4]):(?:[0-5][0-9]|60))?)?)?$'`
	return c.let("regexp_match("+v+", "+form+")", func(m string) string {
		number := func(i int) string { return fmt.Sprintf("coalesce((%s)[%d], '0')::int", m, i) }
		date := "CASE WHEN " + m + " IS NOT NULL THEN " + dayOf(c, v) + " END"
		clock := c.let(date, func(d string) string {
			return "(" + d + "::timestamp + " + number(1) + " * interval '1 hour' + " + number(2) + " * interval '1 minute' + " + number(3) + " * interval '1 second' + rpad(substr(coalesce((" +
				m + ")[4], '0'), 1, 6), 6, '0')::int * interval '1 microsecond')"
		})
		return c.let(clock, func(l string) string {
			offset := fmt.Sprintf("CASE WHEN (%[1]s)[5] = 'Z' THEN interval '0' ELSE (substr((%[1]s)[5], 1, 1) || '1')::int * (substr((%[1]s)[5], 2, 2)::int * interval '1 hour' + substr((%[1]s)[5], 5, 2)::int * interval '1 minute') END", m)
			return "CASE WHEN (" + m + ")[5] IS NULL THEN " + db.instant(c, l, zone) + " ELSE " + c.let("("+l+" - "+offset+")", inYearsSQL) + " END"
		})
	})
}
