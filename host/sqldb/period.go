package sqldb

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"example.com/deputy/query"
)

// Instants of these years are looked at in a quick way: most are on the same day by all the clocks that a zone has had then, and need no look at
// when the clocks were changed.
const (
	recent = "1970-01-01 00:00:00"
	beyond = "2040-01-01 00:00:00"
)

// lately are the offsets of those years.
func (s *shifts) lately() *shifts {
	from, to := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
	out := &shifts{offsets: s.offsets[:1]}
	for i, at := range s.starts {
		switch {
		case !at.After(from):
			out.offsets = s.offsets[i+1 : i+2]
		case at.Before(to):
			out.starts, out.offsets = append(out.starts, at), append(slices.Clone(out.offsets), s.offsets[i+1])
		}
	}
	return out
}

// zoneKey tells zones apart: whoever loads one anew has another *time.Location of the same zone.
type zoneKey struct {
	name    string
	offsets [8]int
}

// shiftsKept finds the offsets of a zone among those that are known, or finds them out.
func shiftsKept(kept *sync.Map, zone *time.Location) *shifts {
	key := zoneKey{name: zone.String()}
	for i, year := range []int{1850, 1920, 1942, 1975, 1995, 2015, 2025, 2035} {
		_, key.offsets[i] = time.Date(year, time.Month(1+i%2*6), 1, 0, 0, 0, 0, time.UTC).In(zone).Zone()
	}
	if s, ok := kept.Load(key); ok {
		return s.(*shifts)
	}
	s := shiftsOf(zone)
	kept.Store(key, s)
	return s
}

// inPeriod says whether a function gives the start of a period of a field that keeps instants in a form in which the database can count.
func inPeriod(x query.Op, args []part) bool {
	switch x.Fn {
	case "year", "quarter", "month", "week", "day":
		return len(args) == 1 && args[0].ref != "" && args[0].t == query.Timestamp
	}
	return false
}

// period is the start of a period, by a zone's clock.
func (db *postgres) period(c *compiler, x query.Op, p part) (string, bool) {
	zone := x.Zone
	if zone == nil {
		zone = time.UTC
	}
	at, kind := p.ref, "timestamptz"
	local := func(offset int32) string { return fmt.Sprintf("%s AT TIME ZONE interval '%d seconds'", at, offset) }
	if !zoned(p) {
		kind = "timestamp"
		local = func(offset int32) string { return fmt.Sprintf("(%s + interval '%d seconds')", at, offset) }
		if !db.universal(p.col.zone) {
			return "", false
		}
	}
	within := func(from, to string) string {
		if kind == "timestamptz" {
			from, to = from+"+00", to+"+00"
		}
		return at + " >= '" + from + "'::" + kind + " AND " + at + " < '" + to + "'::" + kind
	}
	start := func(offset int32) string {
		if x.Fn == "day" {
			return "(" + local(offset) + ")::date"
		}
		return "date_trunc('" + x.Fn + "', " + local(offset) + ")::date"
	}
	if db.universal(zone) {
		return "CASE WHEN " + within("0001-01-01 00:00:00", "10000-01-01 00:00:00") + " THEN " + start(0) + " END", true
	}
	offsets := db.shifts(zone).lately().offsets
	least, most := slices.Min(offsets), slices.Max(offsets)
	long, _ := db.times(c, x, []part{p})
	return "CASE WHEN " + within(recent, beyond) + " AND (" + local(least) + ")::date = (" + local(most) + ")::date THEN " + start(least) + " ELSE " + long + " END", true
}

// period is the start of a period, by a zone's clock.
func (db *maria) period(c *compiler, x query.Op, p part) (string, bool) {
	zone := x.Zone
	if zone == nil {
		zone = time.UTC
	}
	if p.col.native != "timestamp" && !db.universal(p.col.zone) {
		return "", false
	}
	if db.universal(zone) {
		return "CASE WHEN (" + p.text + ") IS NOT NULL THEN " + mariaStart(x.Fn, p.ref) + " END", true
	}
	late := db.shifts(zone).lately()
	local := func(offset string) string { return "(" + p.ref + " + INTERVAL " + offset + " SECOND)" }
	least, most := local(fmt.Sprint(slices.Min(late.offsets))), local(fmt.Sprint(slices.Max(late.offsets)))
	long, _ := db.times(c, x, []part{p})
	within := p.ref + " >= '" + recent + "' AND " + p.ref + " < '" + beyond + "'"
	return "CASE WHEN " + within + " AND DATE(" + least + ") = DATE(" + most + ") THEN " + mariaStart(x.Fn, least) +
		" WHEN " + within + " THEN " + mariaStart(x.Fn, local(late.among("TIMESTAMPDIFF(SECOND, '"+recent+"', "+p.ref+")"))) + " ELSE " + long + " END", true
}

// among finds the offset at an instant of those years, which is given in seconds since they began.
func (s *shifts) among(seconds string) string {
	if len(s.starts) == 0 {
		return fmt.Sprint(s.offsets[0])
	}
	starts, offsets := "", ""
	for _, at := range s.starts {
		starts += fmt.Sprintf(", %d", at.Unix())
	}
	for _, n := range s.offsets {
		offsets += fmt.Sprintf(", %d", n)
	}
	return "ELT(INTERVAL(" + seconds + starts + ") + 1" + offsets + ")"
}

// mariaStart is the day on which a period begins, of a time of the years 1 to 9999. MAKEDATE takes the year 1 for 2001.
func mariaStart(unit, at string) string {
	switch unit {
	case "year":
		return "(DATE(" + at + ") - INTERVAL (DAYOFYEAR(" + at + ") - 1) DAY)"
	case "quarter":
		return "(DATE(" + at + ") - INTERVAL (DAYOFMONTH(" + at + ") - 1) DAY - INTERVAL (MONTH(" + at + ") - 1) % 3 MONTH)"
	case "month":
		return "(DATE(" + at + ") - INTERVAL (DAYOFMONTH(" + at + ") - 1) DAY)"
	case "week":
		return "(DATE(" + at + ") - INTERVAL WEEKDAY(" + at + ") DAY)"
	}
	return "DATE(" + at + ")"
}
