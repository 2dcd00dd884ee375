package sqldb

import (
	"fmt"
	"strings"
	"time"

	"example.com/deputy/query"
)

// Inside of an expression a time is the microseconds, and a day the days, since the year 0 began: the server's own arithmetic ends at the years
// 1 and 9999, which a zone's clock may leave.
const (
	dayMicros  = "86400000000"
	firstDay   = 366     // 0001-01-01
	lastDay    = 3652424 // 9999-12-31
	middleDay  = "2000000"
	cycleDays  = "146097" // after which the calendar repeats itself: 400 years
	firstMicro = "31622400000000"
	lastMicro  = "315569519999999999"
)

// micros are those of a datetime.
func (db *maria) micros(datetime string) string {
	return "(TIMESTAMPDIFF(MICROSECOND, '0001-01-01', " + datetime + ") + " + firstMicro + ")"
}

// mariaClock is what a clock shows.
type mariaClock struct{ micros, day string }

// clock is what a clock in the zone shows at an instant; a date is midnight.
func (db *maria) clock(c *compiler, p part, zone *time.Location) mariaClock {
	text := c.sql(p)
	switch {
	case p.t == query.Date:
		return mariaClock{"(TO_DAYS(" + text + ") * " + dayMicros + ")", "TO_DAYS(" + text + ")"}
	case db.universal(zone):
		return mariaClock{db.micros(text), "TO_DAYS(" + text + ")"}
	}
	n := db.let(c, db.micros(text), wholeSQL, func(v string) string { return "(" + v + " + " + db.offset(c, v, zone) + " * 1000000)" })
	return mariaClock{n, "(" + n + " DIV " + dayMicros + ")"}
}

// shifts are a zone's offsets from UTC as Go knows them.
func (db *maria) shifts(zone *time.Location) *shifts {
	return shiftsKept(&db.zones, zone)
}

func (db *maria) universal(zone *time.Location) bool {
	s := db.shifts(zone)
	return len(s.starts) == 0 && s.offsets[0] == 0
}

// offset is the zone's at an instant, in seconds: found among the starts by INTERVAL, which halves.
func (db *maria) offset(c *compiler, micros string, zone *time.Location) string {
	s := db.shifts(zone)
	if len(s.starts) == 0 {
		return fmt.Sprintf("(%d)", s.offsets[0])
	}
	return db.let(c, "("+micros+" DIV 1000000)", wholeSQL, func(v string) string {
		const cycleSeconds = 146097 * 86400
		begin := sinceYearZero(time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC))
		again := fmt.Sprintf("CAST(CASE WHEN %[1]s < %[2]d THEN %[1]s ELSE %[1]s - ((%[1]s - %[2]d) DIV %[3]d) * %[3]d END AS SIGNED)", v, begin, cycleSeconds)
		starts := make([]string, len(s.starts))
		for i, at := range s.starts {
			starts[i] = fmt.Sprint(sinceYearZero(at))
		}
		return chosen("INTERVAL("+again+", "+strings.Join(starts, ", ")+") + 1", s.offsets)
	})
}

func sinceYearZero(t time.Time) int64 {
	return t.Unix() - time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix() + firstDay*86400
}

// chosen gives the number at a place of a list, of which few are different: one letter for each stands in a text.
func chosen(place string, list []int32) string {
	index := map[int32]int{}
	var letters strings.Builder
	var each []string
	for _, n := range list {
		if _, ok := index[n]; !ok {
			index[n] = len(each)
			each = append(each, fmt.Sprint(n))
		}
		letters.WriteByte(byte('0' + index[n]))
	}
	return "CAST(ELT(ORD(SUBSTR('" + letters.String() + "', " + place + ", 1)) - 47, " + strings.Join(each, ", ") + ") AS SIGNED)"
}

// moment is the instant at which the zone's clock shows a time, by the rule of time.Date.
func (db *maria) moment(c *compiler, clock string, zone *time.Location) string {
	if db.universal(zone) {
		return clock
	}
	return db.let(c, clock, wholeSQL, func(v string) string {
		return db.let(c, "("+v+" - "+db.offset(c, v, zone)+" * 1000000)", wholeSQL, func(near string) string {
			return "(" + v + " - " + db.offset(c, near, zone) + " * 1000000)"
		})
	})
}

// instant is a datetime of the years 1 to 9999.
func (db *maria) instant(c *compiler, micros string) string {
	return db.let(c, micros, wholeSQL, func(v string) string {
		return "CASE WHEN " + v + " BETWEEN " + firstMicro + " AND " + lastMicro + " THEN CAST(FROM_DAYS(" + v + " DIV " + dayMicros + ") + INTERVAL (" + v + " % " + dayMicros + ") MICROSECOND AS DATETIME(6)) END"
	})
}

// date is a day of the years 1 to 9999.
func (db *maria) date(c *compiler, day string) string {
	return db.let(c, day, wholeSQL, func(v string) string {
		return fmt.Sprintf("CASE WHEN %[1]s BETWEEN %[2]d AND %[3]d THEN FROM_DAYS(%[1]s) END", v, firstDay, lastDay)
	})
}

// like gives a day back in the type of what it was made of.
func (db *maria) like(c *compiler, t query.Type, day string, zone *time.Location) string {
	if t == query.Date {
		return db.date(c, day)
	}
	return db.instant(c, db.moment(c, "("+day+" * "+dayMicros+")", zone))
}

// calendar gives a day, and the same day of the calendar 400 years away, where the server can count.
func (db *maria) calendar(c *compiler, day string, in func(d, date string) string) string {
	return db.let(c, day, wholeSQL, func(d string) string {
		return db.let(c, "FROM_DAYS("+d+" + IF("+d+" < "+middleDay+", "+cycleDays+", -"+cycleDays+"))", "DATE", func(date string) string { return in(d, date) })
	})
}

func mariaYear(d, date string) string {
	return "(YEAR(" + date + ") + IF(" + d + " < " + middleDay + ", -400, 400))"
}

func startDay(unit, d, date string) string {
	switch unit {
	case "week":
		return "(" + d + " - (" + d + " + 5) % 7)"
	case "month":
		return "(" + d + " - DAYOFMONTH(" + date + ") + 1)"
	case "quarter":
		return "(" + d + " - DATEDIFF(" + date + ", MAKEDATE(YEAR(" + date + "), 1) + INTERVAL (QUARTER(" + date + ") - 1) * 3 MONTH))"
	case "year":
		return "(" + d + " - DAYOFYEAR(" + date + ") + 1)"
	}
	return "(" + d + ")"
}

func nextDay(unit, d, date string) string {
	switch unit {
	case "week":
		return "(" + startDay(unit, d, date) + " + 7)"
	case "month":
		return "(" + d + " + DATEDIFF(LAST_DAY(" + date + "), " + date + ") + 1)"
	case "quarter":
		return "(" + d + " + DATEDIFF(MAKEDATE(YEAR(" + date + "), 1) + INTERVAL QUARTER(" + date + ") * 3 MONTH, " + date + "))"
	case "year":
		return "(" + d + " + DATEDIFF(MAKEDATE(YEAR(" + date + ") + 1, 1), " + date + "))"
	}
	return "(" + d + " + 1)"
}

func (db *maria) times(c *compiler, x query.Op, args []part) (string, bool) {
	zone := x.Zone
	if zone == nil {
		zone = time.UTC
	}
	switch x.Fn {
	case "start_of", "end_of":
		return db.bound(c, x.Fn, args[0], args[1], zone), true
	case "days_between":
		return db.daysBetween(c, args[0], args[1]), true
	case "years_between":
		return db.yearsBetween(c, args[0], args[1], zone), true
	}
	if len(args) == 0 || !isWhen(args[0].t) {
		return "", false
	}
	p := args[0]
	switch x.Fn {
	case "date", "day":
		return db.date(c, db.clock(c, p, zone).day), true
	case "timestamp":
		if p.t == query.Timestamp {
			return c.sql(p), true
		}
		return db.instant(c, db.moment(c, db.clock(c, p, zone).micros, zone)), true
	case "add_days":
		return db.addDays(c, p, args[1], zone), true
	case "add_months":
		return db.addMonths(c, p, args[1], 1, zone), true
	case "add_years":
		return db.addMonths(c, p, args[1], 12, zone), true
	case "hour":
		return db.hour(c, p, zone, ""), true
	}
	return db.parts(c, x.Fn, p, zone)
}

// parts are what a calendar says of a day.
func (db *maria) parts(c *compiler, fn string, p part, zone *time.Location) (string, bool) {
	clock := db.clock(c, p, zone)
	on := func(in func(d, date string) string) (string, bool) { return db.calendar(c, clock.day, in), true }
	switch fn {
	case "year", "quarter", "month", "week":
		text, ok := on(func(d, date string) string { return startDay(fn, d, date) })
		return db.date(c, text), ok
	case "year_of":
		return on(mariaYear)
	case "month_of_year":
		return on(func(_, date string) string { return "MONTH(" + date + ")" })
	case "weekday":
		return "((" + clock.day + " + 5) % 7 + 1)", true
	case "hour_of_day":
		return "((" + clock.micros + " % " + dayMicros + ") DIV 3600000000)", true
	}
	return "", false
}

// hour is the start of the hour, by what the clock shows, in time that has passed; and something more.
func (db *maria) hour(c *compiler, p part, zone *time.Location, more string) string {
	return db.let(c, c.sql(p), timeSQL, func(v string) string {
		clock := db.clock(c, part{text: v, t: query.Timestamp}, zone)
		return db.instant(c, "("+db.micros(v)+" - "+clock.micros+" % 3600000000"+more+")")
	})
}

func (db *maria) bound(c *compiler, fn string, unit, p part, zone *time.Location) string {
	name, _ := unit.lit.V.(string)
	switch {
	case name == "hour" && p.t != query.Timestamp:
		return nullOf(p.t)
	case name == "hour" && fn == "start_of":
		return db.hour(c, p, zone, "")
	case name == "hour":
		return db.hour(c, p, zone, " + 3599999999")
	}
	day := db.clock(c, p, zone).day
	if fn == "start_of" {
		return db.like(c, p.t, db.calendar(c, day, func(d, date string) string { return startDay(name, d, date) }), zone)
	}
	next := db.calendar(c, day, func(d, date string) string { return nextDay(name, d, date) })
	if p.t == query.Date {
		return db.date(c, "("+next+" - 1)")
	}
	return db.instant(c, "("+db.moment(c, "("+next+" * "+dayMicros+")", zone)+" - 1)")
}

// addDays moves by the calendar; what leaves the years is NULL before it is computed.
func (db *maria) addDays(c *compiler, p, count part, zone *time.Location) string {
	clock := db.clock(c, p, zone)
	return db.let(c, clock.micros, wholeSQL, func(v string) string {
		return db.let(c, c.sql(count), wholeSQL, func(n string) string {
			moved := "(" + v + " + " + n + " * " + dayMicros + ")"
			to := ""
			if p.t == query.Date {
				to = db.date(c, "("+moved+" DIV "+dayMicros+")")
			} else {
				to = db.instant(c, db.moment(c, moved, zone))
			}
			return "CASE WHEN " + n + " BETWEEN -4000000 AND 4000000 THEN CASE WHEN " + v + " DIV " + dayMicros + " + " + n + " BETWEEN 364 AND 3652426 THEN " + to + " END END"
		})
	})
}

// addMonths moves by the calendar, clamped to the month's end.
func (db *maria) addMonths(c *compiler, p, count part, months int, zone *time.Location) string {
	clock := db.clock(c, p, zone)
	return db.let(c, clock.micros, wholeSQL, func(v string) string {
		return db.let(c, c.sql(count), wholeSQL, func(n string) string {
			day := db.calendar(c, "("+v+" DIV "+dayMicros+")", func(d, date string) string {
				month := fmt.Sprintf("(%s * 12 + MONTH(%s) - 1 + %s * %d)", mariaYear(d, date), date, n, months)
				return db.let(c, month, wholeSQL, func(m string) string { return db.dayInMonth(c, m, "DAYOFMONTH("+date+")") })
			})
			moved := db.like(c, p.t, day, zone)
			if p.t == query.Timestamp {
				moved = db.instant(c, db.moment(c, "("+day+" * "+dayMicros+" + "+v+" % "+dayMicros+")", zone))
			}
			return "CASE WHEN " + n + " BETWEEN -120000 AND 120000 THEN " + moved + " END"
		})
	})
}

// dayInMonth is a day of a month that is counted since the year 0, or the month's last; NULL beyond the year 10000.
func (db *maria) dayInMonth(c *compiler, m, day string) string {
	first := fmt.Sprintf("CASE WHEN %[1]s BETWEEN 0 AND 120011 THEN MAKEDATE(%[1]s DIV 12 + IF(%[1]s < 60000, 400, -400), 1) + INTERVAL CAST(%[1]s %% 12 AS SIGNED) MONTH END", m)
	return db.let(c, first, "DATE", func(f string) string {
		return "(TO_DAYS(" + f + ") + least(" + day + ", DAYOFMONTH(LAST_DAY(" + f + "))) - 1 - IF(" + m + " < 60000, " + cycleDays + ", -" + cycleDays + "))"
	})
}

func (db *maria) daysBetween(c *compiler, a, b part) string {
	if a.t == query.Date {
		return "DATEDIFF(" + c.sql(b) + ", " + c.sql(a) + ")"
	}
	return "(TIMESTAMPDIFF(MICROSECOND, " + c.sql(a) + ", " + c.sql(b) + ") DIV " + dayMicros + ")"
}

// yearsBetween counts whole calendar years from the earlier to the later by what the clock shows.
func (db *maria) yearsBetween(c *compiler, a, b part, zone *time.Location) string {
	kind := timeSQL
	if a.t == query.Date {
		kind = "DATE"
	}
	return db.let(c, c.sql(a), kind, func(x string) string {
		return db.let(c, c.sql(b), kind, func(y string) string {
			whole := db.wholeYears(c, a.t, "least("+x+", "+y+")", "greatest("+x+", "+y+")", zone)
			return "(" + whole + " * IF(" + y + " < " + x + ", -1, 1))"
		})
	})
}

func (db *maria) wholeYears(c *compiler, t query.Type, x, y string, zone *time.Location) string {
	place := func(v, date string) string {
		return "((MONTH(" + date + ") * 100 + DAYOFMONTH(" + date + ")) * " + dayMicros + " + " + v + " % " + dayMicros + ")"
	}
	return db.let(c, db.clock(c, part{text: x, t: t}, zone).micros, wholeSQL, func(v string) string {
		return db.let(c, db.clock(c, part{text: y, t: t}, zone).micros, wholeSQL, func(w string) string {
			return db.calendar(c, "("+v+" DIV "+dayMicros+")", func(d, from string) string {
				return db.calendar(c, "("+w+" DIV "+dayMicros+")", func(e, to string) string {
					return "greatest(" + mariaYear(e, to) + " - " + mariaYear(d, from) + " - (" + place(w, to) + " < " + place(v, from) + "), 0)"
				})
			})
		})
	})
}

// readTimestamp reads RFC 3339, and without a zone a date and time, or a date alone, as the zone's clock shows it.
func (db *maria) readTimestamp(c *compiler, v string, x query.Op) string {
	zone := x.Zone
	if zone == nil {
		zone = time.UTC
	}
	form := c.share("timestamp", func() any {
		return `^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:(?:T| +)([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:[.,]([0-9]+))?(Z|[+-](?:[01][0-9]|2[0-4]):(?:[0-5][0-9]|60))?)?)?\z`
	})
	group := func(n int) string { return "REGEXP_REPLACE(" + v + ", " + form + ", '" + db.group(n) + "')" }
	number := func(n int) string { return "CAST(CONCAT('0', " + group(n) + ") AS SIGNED)" }
	shifted := "CONCAT(LPAD(LEFT(" + v + ", 4) + IF(" + v + " < '5000', 400, -400), 4, '0'), SUBSTR(" + v + ", 5, 6))"
	day := db.let(c, shifted, longText, func(s string) string {
		return "CASE WHEN MONTH(" + s + ") > 0 AND DAYOFMONTH(" + s + ") > 0 THEN TO_DAYS(" + s + ") - IF(" + v + " < '5000', " + cycleDays + ", -" + cycleDays + ") END"
	})
	clock := "((" + day + " * 86400 + " + number(2) + " * 3600 + " + number(3) + " * 60 + " + number(4) + ") * 1000000 + CAST(RPAD(LEFT(" + group(5) + ", 6), 6, '0') AS SIGNED))"
	return "CASE WHEN " + v + " REGEXP " + form + " THEN " + db.let(c, clock, wholeSQL, func(n string) string {
		return db.let(c, group(6), longText, func(z string) string {
			off := "CASE " + z + " WHEN 'Z' THEN 0 ELSE IF(LEFT(" + z + ", 1) = '-', -1, 1) * (CAST(SUBSTR(" + z + ", 2, 2) AS SIGNED) * 60 + CAST(SUBSTR(" + z + ", 5, 2) AS SIGNED)) * 60000000 END"
			return "CASE " + z + " WHEN '' THEN " + db.instant(c, db.moment(c, n, zone)) + " ELSE " + db.instant(c, "("+n+" - "+off+")") + " END"
		})
	}) + " END"
}
