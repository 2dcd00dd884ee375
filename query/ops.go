package query

import "strings"

// Signature is one form of an operator as hosts meet it after a check.
type Signature struct {
	Fn     string
	Args   string // types of the arguments, by comma; number is int or decimal, T any one type, the same throughout; [T] one that may be left out
	Result string
	Zoned  bool // Op.Zone is set where an argument is a timestamp, or a timestamp is made
	Doc    string
}

// Ops lists every operator that a checked expression may hold, and with it what a host must be able to do. All are total: where nothing else
// is said, a NULL argument gives NULL, and so do overflow, range and conversion. Results of type bool are never NULL, but for ?: and coalesce.
// An int may stand in a decimal's place; what comes out is then a decimal.
//
// Decimals of 10^38 and more, integers beyond 64 bits and dates outside the years 1 to 9999 are NULL; a result has at most 20 digits after
// the point, rounded half away from zero.
func Ops() []Signature {
	return []Signature{
		{"==", "T, T", "bool", false, "equal; false with NULL. Against Lit{T: Null}, see NullTest: whether the other side is NULL. Text by bytes, numbers by value"},
		{"!=", "T, T", "bool", false, "exactly not =="},
		{"<", "T, T", "bool", false, "less; false with NULL; no bools. Numbers, text by bytes, dates, timestamps"},
		{"<=", "T, T", "bool", false, "like <"},
		{">", "T, T", "bool", false, "like <"},
		{">=", "T, T", "bool", false, "like <"},
		{"in", "T, list", "bool", false, "equal to one of an Op list's arguments, or of the items of a field of type list, whose texts, numbers and booleans are compared as such; false with NULL, items that are NULL match nothing"},
		{"list", "T…", "list", false, "the right side of in; nowhere else"},
		{"&&", "bool, bool", "bool", false, "NULL counts as false"},
		{"||", "bool, bool", "bool", false, "NULL counts as false"},
		{"!", "bool", "bool", false, "NULL counts as false: its negation is true"},
		{"?:", "bool, T, T", "T", false, "the second where the first is true, else the third"},
		{"coalesce", "T, T…", "T", false, "the first that is not NULL"},
		{"+", "number, number", "number", false, "int of ints, else decimal of the larger scale"},
		{"+", "string, string", "string", false, "one after the other"},
		{"-", "number, number", "number", false, "like +"},
		{"*", "number, number", "number", false, "int of ints, else decimal; scales add up"},
		{"/", "number, number", "decimal", false, "16 digits after the point, rounded half away from zero, trailing zeros dropped; by zero NULL"},
		{"%", "number, number", "number", false, "has the sign of the dividend; by zero NULL"},
		{"neg", "number", "number", false, "the other sign"},
		{"abs", "number", "number", false, "without sign"},
		{"round", "number, int", "number", false, "half away from zero, to 0 to 20 digits, else NULL"},
		{"number", "string", "decimal", false, "spaces around, sign, digits, point; no exponent; else NULL"},
		{"contains", "string, string", "bool", false, "both sides by strings.ToLower; false with NULL"},
		{"startsWith", "string, string", "bool", false, "like contains"},
		{"endsWith", "string, string", "bool", false, "like contains"},
		{"lower", "string", "string", false, "strings.ToLower"},
		{"length", "string", "int", false, "characters (code points)"},
		{"blank", "string", "bool", false, "NULL, empty, or white space only"},
		{"substring", "string, int, [int]", "string", false, "characters from 1; a start below 1 or a negative length is NULL; what is beyond the end is empty"},
		{"date", "timestamp", "date", true, "the day that the zone's clock shows"},
		{"date", "string", "date", false, "2026-01-31, spaces around; else NULL"},
		{"timestamp", "date", "timestamp", true, "the start of the day in the zone"},
		{"timestamp", "string", "timestamp", true, "RFC 3339, or the zone's clock: date, date and time; else NULL"},
		{"add_days", "T, int", "T", true, "of a date or timestamp, by the zone's calendar: the clock's time stays"},
		{"add_months", "T, int", "T", true, "like add_days, clamped to the month's end"},
		{"add_years", "T, int", "T", true, "like add_months"},
		{"start_of", "unit, T", "T", true, "of a date or timestamp; the unit is a constant: year, quarter, month, week (from Monday), day, hour (of timestamps only)"},
		{"end_of", "unit, T", "T", true, "the last day, of a timestamp the last microsecond"},
		{"year", "T", "date", true, "first day of the year of a date or timestamp"},
		{"quarter", "T", "date", true, "first day of the quarter"},
		{"month", "T", "date", true, "first day of the month"},
		{"week", "T", "date", true, "the Monday"},
		{"day", "T", "date", true, "the day"},
		{"hour", "timestamp", "timestamp", true, "start of the hour"},
		{"year_of", "T", "int", true, "of a date or timestamp"},
		{"month_of_year", "T", "int", true, "1 to 12"},
		{"weekday", "T", "int", true, "Monday is 1, Sunday 7"},
		{"hour_of_day", "timestamp", "int", true, "0 to 23"},
		{"days_between", "T, T", "int", true, "from the first to the second: whole days of dates, whole 24 hours of timestamps; backwards negative"},
		{"years_between", "T, T", "int", true, "whole calendar years; backwards negative"},
	}
}

// Known says whether an operator of that name and so many arguments exists.
func Known(op Op) bool {
	for _, s := range Ops() {
		if s.Fn != op.Fn {
			continue
		}
		most := strings.Count(s.Args, ",") + 1
		least := most - strings.Count(s.Args, "[")
		if strings.Contains(s.Args, "…") || len(op.Args) >= least && len(op.Args) <= most {
			return true
		}
	}
	return false
}
