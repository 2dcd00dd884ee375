package sqldb

import (
	"example.com/deputy/query"
)

// exactly is a number as numeric, on which everything is computed: no size of integer overflows.
func (c *compiler) exactly(p part) string {
	text := c.sql(p)
	if p.t != query.Int {
		return text
	}
	return "(" + text + ")::numeric"
}

// integral is a number as 64 bits; NULL beyond.
func (c *compiler) integral(number string) string {
	return c.let(number, func(v string) string {
		return "CASE WHEN " + v + " BETWEEN -9223372036854775808 AND 9223372036854775807 THEN " + v + "::bigint END"
	})
}

// bounded is a decimal within the bounds of a result.
func (c *compiler) bounded(number string) string {
	return c.let(number, func(v string) string {
		return "CASE WHEN abs(round(" + v + ", 20)) < 1e38 THEN CASE WHEN scale(" + v + ") > 20 THEN round(" + v + ", 20) ELSE " + v + " END END"
	})
}

// quotient has 16 digits after the point, rounded half away from zero: the integer division of twice the dividend plus the divisor by
// twice the divisor rounds, and its sign is given back.
func (c *compiler) quotient(a, b string) string {
	return c.bounded(c.let2(a, b, func(a, b string) string {
		return "CASE WHEN " + b + " <> 0 THEN trim_scale(sign(" + a + ") * sign(" + b + ") * div(abs(" + a + ") * 2e16 + abs(" + b + "), abs(" + b + ") * 2) * 0.0000000000000001) END"
	}))
}

// let2 names two texts.
func (c *compiler) let2(a, b string, in func(a, b string) string) string {
	name := c.alias()
	return "(SELECT " + in(name+".a", name+".b") + " FROM (SELECT " + a + " AS a, " + b + " AS b OFFSET 0) AS " + name + ")"
}

func (db *postgres) arithmetic(c *compiler, x query.Op, args []part) (string, bool) {
	switch x.Fn {
	case "+":
		if x.T == query.String {
			return "(" + c.sql(args[0]) + " || " + c.sql(args[1]) + ")", true
		}
		return result(c, x, "("+c.exactly(args[0])+" + "+c.exactly(args[1])+")"), true
	case "-", "*":
		return result(c, x, "("+c.exactly(args[0])+" "+x.Fn+" "+c.exactly(args[1])+")"), true
	case "/":
		return c.quotient(c.exactly(args[0]), c.exactly(args[1])), true
	case "%":
		return result(c, x, "("+c.exactly(args[0])+" % nullif("+c.exactly(args[1])+", 0))"), true
	case "neg":
		return result(c, x, "(-"+c.exactly(args[0])+")"), true
	case "abs":
		return c.let(c.exactly(args[0]), func(v string) string {
			if x.T == query.Int {
				return "CASE WHEN " + v + " <> -9223372036854775808 THEN abs(" + v + ")::bigint END"
			}
			return "CASE WHEN " + v + " >= 0 THEN " + v + " ELSE " + c.bounded("(-"+v+")") + " END"
		}), true
	case "round":
		return db.rounded(c, args[0], args[1]), true
	}
	return "", false
}

// result is a number in the type of its operator.
func result(c *compiler, x query.Op, number string) string {
	if x.T == query.Int {
		return c.integral(number)
	}
	return c.bounded(number)
}

func (db *postgres) rounded(c *compiler, p, places part) string {
	if p.t == query.Int {
		return "CASE WHEN " + c.sql(places) + " BETWEEN 0 AND 20 THEN " + c.sql(p) + " END"
	}
	return c.let2(c.sql(p), c.sql(places), func(v, n string) string {
		return "CASE WHEN " + n + " BETWEEN 0 AND 20 THEN " + c.bounded("CASE WHEN scale("+v+") > "+n+" THEN round("+v+", "+n+"::int) ELSE "+v+" END") + " END"
	})
}
