package sqldb

import (
	"database/sql/driver"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"time"

	"example.com/deputy/internal/decimal"
	"example.com/deputy/query"
)

// scaled is a decimal of at most 64 bits: n / 10^scale. It is what most decimals are while they are computed; what is none goes the long way.
type scaled struct {
	n     int64
	scale int
}

// reading says what is known of a value as scaled.
type reading int

const (
	otherwise reading = iota // it may be a number, but has to be read the long way
	isNull
	isScaled
)

// mostPlaces is how many digits after the point a scaled number can have: 10^18 is the largest power of ten in 64 bits.
const mostPlaces = 18

// power is 10^n, n from 0 to 18.
func power(n int) int64 {
	return [mostPlaces + 1]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}[n]
}

// product is a*b where it fits.
func product64(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(size(a), size(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func size(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func sum64(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

// at gives the same number with more digits after the point.
func (s scaled) at(scale int) (int64, bool) {
	if scale == s.scale {
		return s.n, true
	}
	if scale > mostPlaces {
		return 0, false
	}
	return product64(s.n, power(scale-s.scale))
}

// String is the number in plain notation, with as many digits after the point as the scale says.
func (s scaled) String() string {
	text := strconv.FormatUint(size(s.n), 10)
	for len(text) <= s.scale {
		text = "0" + text
	}
	if s.scale > 0 {
		text = text[:len(text)-s.scale] + "." + text[len(text)-s.scale:]
	}
	if s.n < 0 {
		text = "-" + text
	}
	return text
}

// exactly is the number for the long way.
func (s scaled) exactly() decimal.D {
	d, _ := decimal.Parse(s.String())
	return d
}

// placesTried is how many digits after the point are looked for where a column does not say how many it has.
const placesTried = 6

// scaled reads a number as it is kept: what value reads. A float counts where it is the one next to a decimal of the column's scale with at most
// 15 digits: no two of those are next to the same float, so that this decimal is the shortest that means it.
func (c *column) scaled(raw driver.Value) (scaled, reading) {
	whole := c.field.Type == query.Int
	switch x := raw.(type) {
	case nil:
		return scaled{}, isNull
	case int64:
		if whole || c.field.Scale < 0 {
			return scaled{n: x}, isScaled
		}
		if c.field.Scale <= mostPlaces {
			if n, ok := product64(x, power(c.field.Scale)); ok {
				return scaled{n, c.field.Scale}, isScaled
			}
		}
	case float64:
		switch {
		case whole:
			return scaled{}, isNull
		case c.field.Scale > 15:
		case c.field.Scale >= 0:
			if n, ok := nextTo(x, c.field.Scale); ok {
				return scaled{n, c.field.Scale}, isScaled
			}
		default:
			for scale := range placesTried + 1 {
				if n, ok := nextTo(x, scale); ok {
					return scaled{n, scale}, isScaled
				}
			}
		}
	}
	return scaled{}, otherwise
}

// nextTo finds the n for which x is the float next to n / 10^scale; n has at most 15 digits.
func nextTo(x float64, scale int) (int64, bool) {
	p := float64(power(scale))
	n := math.Round(x * p)
	return int64(n), math.Abs(n) < 1e15 && n/p == x
}

// scaledValue reads a constant.
func scaledValue(v query.Value) (scaled, reading) {
	switch x := v.(type) {
	case nil:
		return scaled{}, isNull
	case int64:
		return scaled{n: x}, isScaled
	case query.Decimal:
		return scaledText(string(x))
	}
	return scaled{}, otherwise
}

// scaledText reads plain notation.
func scaledText(text string) (s scaled, k reading) {
	digits := 0
	minus := text != "" && text[0] == '-'
	point := -1
	for i := range len(text) {
		switch b := text[i]; {
		case i == 0 && minus:
		case b == '.' && point < 0:
			point = i
		case b >= '0' && b <= '9' && digits < mostPlaces:
			s.n = s.n*10 + int64(b-'0')
			digits++
		default:
			return scaled{}, otherwise
		}
	}
	if point >= 0 {
		s.scale = len(text) - point - 1
	}
	if digits == 0 || s.scale >= digits || point >= 0 && s.scale == 0 {
		return scaled{}, otherwise
	}
	if minus {
		s.n = -s.n
	}
	return s, isScaled
}

// scaled is the value of an argument. It takes what it reads from the front of what was passed.
func (a *argument) scaled(passed *[]driver.Value) (scaled, reading) {
	switch {
	case a.constant:
		return a.number, a.kind
	case a.call != nil && a.call.quick == quickNumber:
		return a.call.scaled(passed)
	case a.call != nil:
		return scaled{}, otherwise
	case len(*passed) == 0:
		return scaled{}, otherwise
	}
	raw := (*passed)[0]
	*passed = (*passed)[1:]
	switch x := raw.(type) {
	case nil:
		return scaled{}, isNull
	case int64:
		if a.col == nil {
			return scaled{n: x}, isScaled
		}
	case string:
		if a.col == nil && a.t == query.Dec {
			return scaledText(x)
		}
	}
	if a.col == nil {
		return scaled{}, otherwise
	}
	return a.col.scaled(raw)
}

// numbers says whether an argument is a number, which scaled may read.
func (a *argument) numbers() bool {
	switch {
	case a.constant:
		return a.kind == isScaled
	case a.call != nil:
		return a.call.quick == quickNumber
	case a.col != nil:
		return numeric(a.col.field.Type)
	}
	return numeric(a.t)
}

// quick is how a call can be computed without the long way.
type quick int

const (
	never quick = iota
	quickNumber
	quickComparison
	quickPeriod // the start of a period of what a column keeps
)

// quicken finds out how a call can be computed.
func (c *call) quicken() {
	for i := range c.args {
		if a := &c.args[i]; a.constant {
			a.number, a.kind = scaledValue(a.value)
		}
	}
	all := len(c.args) > 0
	for i := range c.args {
		all = all && c.args[i].numbers()
	}
	switch c.fn {
	case "+", "-", "*":
		if all && len(c.args) == 2 {
			c.quick = quickNumber
		}
	case "neg":
		if all && len(c.args) == 1 {
			c.quick = quickNumber
		}
	case "==", "!=", "<", "<=", ">", ">=":
		if all && len(c.args) == 2 {
			c.quick = quickComparison
		}
	case "year", "quarter", "month", "day":
		if len(c.args) == 1 && c.args[0].col != nil && isWhen(c.args[0].col.field.Type) {
			c.quick = quickPeriod
		}
	}
}

// scaled computes a quickNumber.
func (c *call) scaled(passed *[]driver.Value) (out scaled, k reading) {
	a, k := c.args[0].scaled(passed)
	if k != isScaled {
		return scaled{}, k
	}
	if c.fn == "neg" {
		n, ok := sum64(0, -a.n)
		return scaled{n, a.scale}, when(ok && a.n != math.MinInt64)
	}
	b, k := c.args[1].scaled(passed)
	if k != isScaled {
		return scaled{}, k
	}
	ok := false
	if c.fn == "*" {
		out.scale = a.scale + b.scale
		out.n, ok = product64(a.n, b.n)
		return out, when(ok && out.scale <= mostPlaces)
	}
	x, y, scale, ok := aligned(a, b)
	if !ok || y == math.MinInt64 {
		return scaled{}, otherwise
	}
	if c.fn == "-" {
		y = -y
	}
	n, ok := sum64(x, y)
	return scaled{n, scale}, when(ok)
}

func when(ok bool) reading {
	if ok {
		return isScaled
	}
	return otherwise
}

func aligned(a, b scaled) (x, y int64, scale int, ok bool) {
	scale = max(a.scale, b.scale)
	x, okX := a.at(scale)
	y, okY := b.at(scale)
	return x, y, scale, okX && okY
}

// compared computes a quickComparison.
func (c *call) compared(passed []driver.Value) (is, ok bool) {
	a, k := c.args[0].scaled(&passed)
	if k == otherwise {
		return false, false
	}
	b, l := c.args[1].scaled(&passed)
	if l == otherwise {
		return false, false
	}
	if k == isNull || l == isNull {
		return c.fn == "!=", true
	}
	x, y, _, ok := aligned(a, b)
	switch c.fn {
	case "==":
		return x == y, ok
	case "!=":
		return x != y, ok
	case "<":
		return x < y, ok
	case "<=":
		return x <= y, ok
	case ">":
		return x > y, ok
	}
	return x >= y, ok
}

// clock is what a text says of a time.
type clock struct {
	year, day            int
	month                time.Month
	hour, minute, second int
	universal            bool // it ends in Z
}

// readClock reads YYYY-MM-DD, or that and HH:MM:SS behind a space or a T, and maybe a Z: the forms in which most times are kept.
func readClock(text string) (c clock, ok bool) {
	if len(text) == 20 && text[19] == 'Z' && text[10] == 'T' {
		c.universal, text = true, text[:19]
	}
	if len(text) != 19 && len(text) != 10 || text[4] != '-' || text[7] != '-' {
		return c, false
	}
	var month int
	good := two(text[0:2], 0, 99, &c.hour) && two(text[2:4], 0, 99, &c.minute) && two(text[5:7], 1, 12, &month) && two(text[8:10], 1, 31, &c.day)
	c.year, c.month, c.hour, c.minute = c.hour*100+c.minute, time.Month(month), 0, 0
	if len(text) == 19 {
		good = good && (text[10] == ' ' || text[10] == 'T') && text[13] == ':' && text[16] == ':' &&
			two(text[11:13], 0, 23, &c.hour) && two(text[14:16], 0, 59, &c.minute) && two(text[17:19], 0, 59, &c.second)
	}
	return c, good && c.year > 0 && (c.day <= 28 || c.day <= daysIn(c.year, c.month))
}

func two(text string, least, most int, n *int) bool {
	a, b := text[0]-'0', text[1]-'0'
	*n = int(a)*10 + int(b)
	return a <= 9 && b <= 9 && *n >= least && *n <= most
}

func daysIn(year int, month time.Month) int {
	switch month {
	case time.February:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case time.April, time.June, time.September, time.November:
		return 30
	}
	return 31
}

// in is the instant; without a Z, as a clock in a zone shows it.
func (c clock) in(zone *time.Location) time.Time {
	if c.universal {
		zone = time.UTC
	}
	return time.Date(c.year, c.month, c.day, c.hour, c.minute, c.second, 0, zone)
}

// start computes a quickPeriod. Its texts are few: each is made once.
func (c *call) start(raw driver.Value) (driver.Value, bool) {
	text, ok := raw.(string)
	if !ok {
		return nil, raw == nil
	}
	at, ok := readClock(text)
	if !ok || at.year == 1 || at.year == 9999 { // at the ends, an instant in UTC may be of no year that there is
		return nil, false
	}
	col := c.args[0].col
	year, month, day := at.year, at.month, at.day
	switch {
	case col.field.Type == query.Date:
		ok = !at.universal
	case len(text) == 10: // midnight: rare enough
		ok = false
	case c.zone == nil || c.zone == time.UTC:
		if !at.universal && col.zone != time.UTC {
			year, month, day = at.in(col.zone).UTC().Date()
		}
	case c.fn != "day" && day > 2 && day < 27 && (at.universal || col.zone == time.UTC): // no zone is that far from UTC
	default:
		year, month, day = at.in(col.zone).In(c.zone).Date()
	}
	if !ok || year < 1 || year > 9999 {
		return nil, false
	}
	return c.period(year, month, day), true
}

func (c *call) period(year int, month time.Month, day int) driver.Value {
	switch c.fn {
	case "year":
		month, day = time.January, 1
	case "quarter":
		month, day = (month-1)/3*3+1, 1
	case "month":
		day = 1
	}
	key := year*10000 + int(month)*100 + day
	if v, ok := c.made[key]; ok {
		return v
	}
	if c.made == nil || len(c.made) > 5000 {
		c.made = map[int]driver.Value{}
	}
	v := driver.Value(fmt.Sprintf("%04d-%02d-%02d", year, month, day))
	c.made[key] = v
	return v
}
