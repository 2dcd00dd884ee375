package sqldb

import (
	"strings"

	"example.com/deputy/query"
)

// each compiles what is asked of children: a subquery that stands on its own row's fields.
func (c *compiler) each(x query.Each, s *scope) string {
	defer func(computed bool) { c.computed = computed }(c.computed)
	c.computed = false
	inner := c.open(c.table(x.Child.Table), x.Var, s)
	var conditions []string
	var wrap func(string) string
	if len(x.Child.From) > 0 {
		var from node
		from, wrap = c.walk(c.find(s, x.From), x.Hops)
		conditions = append(conditions, c.link(inner.root, from, x.Child))
	}
	if x.Where != nil {
		conditions = append(conditions, c.condition(x.Where, inner))
	}
	text := c.overChildren(x, inner, conditions)
	if wrap == nil {
		return text
	}
	text = wrap(text) // of no parent there are no children
	switch x.Fn {
	case "exists":
		return "coalesce(" + text + ", FALSE)"
	case "count":
		return "coalesce(" + text + ", 0)"
	case "all":
		return "coalesce(" + text + ", TRUE)"
	}
	return text
}

func (c *compiler) overChildren(x query.Each, inner *scope, conditions []string) string {
	from := func(more ...string) string {
		text := " FROM " + c.from(inner)
		if all := append(conditions, more...); len(all) > 0 {
			text += " WHERE " + strings.Join(all, " AND ")
		}
		return text
	}
	switch x.Fn {
	case "exists", "count":
		var body []string
		if x.Body != nil {
			body = append(body, c.condition(x.Body, inner))
		}
		if x.Fn == "count" {
			return "(SELECT count(*)" + from(body...) + ")"
		}
		return "EXISTS (SELECT 1" + from(body...) + ")"
	case "all":
		body := "(" + c.condition(x.Body, inner) + " IS NOT TRUE)"
		return "(NOT EXISTS (SELECT 1" + from(body) + "))"
	}
	body := c.expr(x.Body, inner)
	return c.dialect.over(c, x.Fn, body, x.T, inner, from())
}

// named makes an aggregate of a value that is named first: one of the outer row's fields alone would belong to the outer query.
func (c *compiler) named(body part, from string, aggregate func(value string) string) string {
	return "(SELECT " + aggregate("v") + " FROM (SELECT " + c.sql(body) + " AS v" + from + ") AS " + c.alias() + ")"
}
