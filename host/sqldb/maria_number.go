package sqldb

import (
	"fmt"
	"strings"

	"example.com/deputy/query"
)

// How many digits the server's decimals have, and how many of them after the point.
const (
	mostDigits = 65
	mostScale  = 38
)

// digitsOf counts those of a constant.
func digitsOf(text string) digits {
	whole, frac, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	return digits{max(len(strings.TrimLeft(whole, "0")), 1), len(frac)}
}

// digits are the most that a number has.
func (db *maria) digits(c *compiler, p part) digits {
	if d, ok := c.digits[p.text]; ok && p.text != "" {
		return d
	}
	switch {
	case p.t == query.Int && p.col != nil && p.ref != "" && p.col.digits > 0:
		return digits{whole: p.col.digits}
	case p.t == query.Int:
		return digits{whole: 19}
	}
	return digits{39, mostScale}
}

// exactly is a number as a decimal, on which everything is computed: no size of integer overflows.
func (db *maria) exactly(c *compiler, p part) string {
	text := c.sql(p)
	if p.t != query.Int {
		return text
	}
	return "CAST(" + text + " AS DECIMAL(20,0))"
}

// integral is a number as 64 bits; NULL beyond.
func (db *maria) integral(c *compiler, number string, d digits) string {
	if d.whole <= 18 {
		return c.noted(number, d)
	}
	return db.let(c, number, wholeSQL, func(v string) string {
		return "CASE WHEN " + v + " BETWEEN -9223372036854775808 AND 9223372036854775807 THEN " + v + " END"
	})
}

// bounded is a decimal within the bounds of a result. It is rounded by a cast, see quotientSQL.
func (db *maria) bounded(c *compiler, number string, d digits) string {
	if d.scale > 20 {
		number, d.scale = "CAST("+number+" AS DECIMAL(59,20))", 20
	}
	if d.whole <= 38 {
		return c.noted(number, d)
	}
	return c.noted(db.let(c, number, decimalSQL(d), func(v string) string {
		return "CASE WHEN abs(" + v + ") < 1" + strings.Repeat("0", 38) + " THEN " + v + " END"
	}), digits{38, d.scale})
}

func decimalSQL(d digits) string { return fmt.Sprintf("DECIMAL(65,%d)", min(d.scale, 26)) }

func (db *maria) arithmetic(c *compiler, x query.Op, args []part) (string, bool) {
	switch x.Fn {
	case "+":
		if x.T == query.String {
			return "CONCAT(" + c.sql(args[0]) + ", " + c.sql(args[1]) + ")", true
		}
		return db.summed(c, x, args), true
	case "-":
		return db.summed(c, x, args), true
	case "*":
		return db.multiplied(c, x, args), true
	case "/":
		return db.quotient(c, args), true
	case "%":
		a, b := db.exactly(c, args[0]), db.exactly(c, args[1])
		return db.result(c, x, "mod("+a+", "+b+")", digits{39, max(db.of(c, args[0]).scale, db.of(c, args[1]).scale)}), true
	case "neg":
		return db.result(c, x, "(-"+db.exactly(c, args[0])+")", db.of(c, args[0])), true
	case "abs":
		return db.absolute(c, x, args[0]), true
	case "round":
		return db.rounded(c, args[0], args[1]), true
	}
	return "", false
}

// of are the digits of an argument, whose text is made first.
func (db *maria) of(c *compiler, p part) digits {
	if p.lit != nil && p.lit.V != nil {
		text, _ := query.FormatValue(p.lit.V)
		return digitsOf(text)
	}
	return db.digits(c, p)
}

func (db *maria) result(c *compiler, x query.Op, number string, d digits) string {
	if x.T == query.Int {
		return db.integral(c, number, d)
	}
	return db.bounded(c, number, d)
}

func (db *maria) summed(c *compiler, x query.Op, args []part) string {
	a, b := db.of(c, args[0]), db.of(c, args[1])
	return db.result(c, x, "("+db.exactly(c, args[0])+" "+x.Fn+" "+db.exactly(c, args[1])+")", digits{max(a.whole, b.whole) + 1, max(a.scale, b.scale)})
}

// multiplied asks a float first where the product may be more than the server can hold: that would be an error.
func (db *maria) multiplied(c *compiler, x query.Op, args []part) string {
	a, b := db.of(c, args[0]), db.of(c, args[1])
	d := digits{a.whole + b.whole, a.scale + b.scale}
	if nines(d.whole)+nines(a.scale)+nines(b.scale) <= mostNines {
		return db.result(c, x, "("+db.exactly(c, args[0])+" * "+db.exactly(c, args[1])+")", d)
	}
	return db.let(c, db.exactly(c, args[0]), decimalSQL(a), func(v string) string {
		return db.let(c, db.exactly(c, args[1]), decimalSQL(b), func(w string) string {
			return "CASE WHEN abs(" + v + " * 1e0 * " + w + ") < 1e39 THEN " + db.result(c, x, product(v, w, a, b), digits{39, d.scale}) + " END"
		})
	})
}

// mostNines is how many groups of nine digits the server computes with: of a product that has more it would drop digits of the factors.
const mostNines = 9

func nines(digits int) int { return (digits + 8) / 9 }

// product multiplies in parts, each of which the server can hold.
func product(v, w string, a, b digits) string {
	if a.scale == 0 && b.scale == 0 {
		return "(" + v + " * " + w + ")"
	}
	// By way of a text, a difference loses the groups that it keeps though they are empty.
	parts := func(n string, d digits) (whole, rest string) {
		s := min(max(d.scale, 1), 26)
		return "CAST(truncate(" + n + ", 0) AS DECIMAL(39,0))", fmt.Sprintf("CAST(CAST(%[1]s - truncate(%[1]s, 0) AS CHAR) AS DECIMAL(%[2]d,%[2]d))", n, s)
	}
	vi, vf := parts(v, a)
	wi, wf := parts(w, b)
	return "(" + vi + " * " + wi + " + " + vi + " * " + wf + " + " + vf + " * " + wi + " + " + vf + " * " + wf + ")"
}

// quotient has 16 digits after the point, rounded half away from zero. The server computes 30 and cuts what follows, so that rounding sees
// the digit that decides.
func (db *maria) quotient(c *compiler, args []part) string {
	a, b := db.of(c, args[0]), db.of(c, args[1])
	whole := a.whole + b.scale
	divided := func(v, w string) string { return quotientSQL(v, w) }
	if whole <= 38 {
		return c.noted(divided(db.exactly(c, args[0]), db.exactly(c, args[1])), digits{whole, 16})
	}
	return c.noted(db.let(c, db.exactly(c, args[0]), decimalSQL(digits{scale: 26}), func(v string) string {
		return db.let(c, db.exactly(c, args[1]), decimalSQL(digits{scale: 26}), func(w string) string {
			return "CASE WHEN abs(" + v + " * 1e0 / " + w + ") < 1e39 THEN " + db.bounded(c, divided(v, w), digits{39, 16}) + " END"
		})
	}), digits{38, 16})
}

// quotientSQL rounds by a cast: a result of the function round would have fewer digits before the point where the server keeps it for a while.
func quotientSQL(a, b string) string { return "CAST(" + a + " / " + b + " AS DECIMAL(55,16))" }

func (db *maria) rounded(c *compiler, p, places part) string {
	n := c.sql(places)
	if p.t == query.Int {
		return "CASE WHEN " + n + " BETWEEN 0 AND 20 THEN " + c.sql(p) + " END"
	}
	d := db.of(c, p)
	if k, ok := literalInt(places); ok {
		if k < 0 || k > 20 {
			return nullOf(query.Dec)
		}
		if d.scale <= int(k) {
			return db.bounded(c, c.sql(p), d)
		}
		return db.bounded(c, fmt.Sprintf("round(%s, %d)", c.sql(p), k), digits{d.whole + 1, int(k)})
	}
	return "CASE WHEN " + n + " BETWEEN 0 AND 20 THEN " + db.bounded(c, "round("+c.sql(p)+", CAST("+n+" AS SIGNED))", digits{d.whole + 1, mostScale}) + " END"
}

func literalInt(p part) (int64, bool) {
	if p.lit == nil {
		return 0, false
	}
	n, ok := p.lit.V.(int64)
	return n, ok
}

// absolute leaves what is not below 0 as it is.
func (db *maria) absolute(c *compiler, x query.Op, p part) string {
	d := db.of(c, p)
	if x.T == query.Int || d.scale <= 20 {
		return db.result(c, x, "abs("+db.exactly(c, p)+")", d)
	}
	return c.noted(db.let(c, c.sql(p), decimalSQL(d), func(v string) string {
		return "CASE WHEN " + v + " >= 0 THEN " + v + " ELSE " + db.bounded(c, "(-"+v+")", d) + " END"
	}), d)
}
