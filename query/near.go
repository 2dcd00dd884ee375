package query

import (
	"context"
	"errors"
	"strings"
)

// unknownName says that there is no such name, hidden or missing, and what is near, of what the catalog shows.
func (c *checker) unknownName(v *Var, t *Table, hopped bool, s step) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if s.bracket {
		return failAt(s.at, `brackets go into JSON only: data["odd key"]`)
	}
	switch strings.ToLower(s.name) {
	case "null", "nil", "none", "undefined":
		return failAt(s.at, "write null instead of %s", s.name)
	case "true", "false":
		return failAt(s.at, "write %s instead of %s", strings.ToLower(s.name), s.name)
	}
	near := nearest(s.name, c.visible(t))
	if v == nil && !hopped {
		near = append(c.loopFields(s.name), near...)
	}
	near = append(near, c.parentFields(t, s.name)...)
	if len(near) > 5 {
		near = near[:5]
	}
	message := "no field `" + s.name + "`"
	if hopped || v != nil {
		message += " in `" + t.Name + "`"
	}
	if len(near) > 0 {
		message += "; near: " + strings.Join(near, ", ")
	}
	return failAt(s.at, "%s", message)
}

// visible is every name of a table.
func (c *checker) visible(t *Table) []string {
	var list []string
	for _, f := range t.Fields {
		list = append(list, f.Name)
	}
	for _, r := range t.Relations {
		if _, ok := t.Field(r.Name); ok {
			continue
		}
		if _, ok := c.relation(t, r.Name); ok {
			list = append(list, r.Name)
		}
	}
	return list
}

// loopFields is the name as a field of a loop variable: inside exists, bare names are of the outermost row.
func (c *checker) loopFields(name string) []string {
	var list []string
	for _, l := range c.vars {
		if _, ok := l.table.Field(name); ok {
			list = append(list, l.v.Name+"."+name)
		}
	}
	return list
}

// parentFields is the name as a field of a parent.
func (c *checker) parentFields(t *Table, name string) []string {
	var list []string
	for _, r := range t.Relations {
		if r.Many || len(list) == 3 {
			continue
		}
		p, err := c.table(r.Table)
		if err != nil {
			continue
		}
		if _, ok := p.Field(name); ok {
			list = append(list, r.Name+"."+name)
		}
	}
	return list
}

// unknownTable is the answer for all.x.
func (c *checker) unknownTable(ctx context.Context, s step, err error) error {
	if !errors.Is(err, ErrUnknown) {
		return err
	}
	var list []string
	for after := ""; len(list) < 10*TablePage; {
		page, err := c.env.Catalog.Tables(ctx, "", after)
		if err != nil {
			return err
		}
		for _, t := range page {
			list = append(list, t.Name)
		}
		if len(page) < TablePage {
			break
		}
		after = page[len(page)-1].Name
	}
	return failAt(s.at, "no table `%s`%s", s.name, nearText(s.name, list))
}

func nearText(name string, list []string) string {
	near := nearest(name, list)
	if len(near) == 0 {
		return ""
	}
	return "; near: " + strings.Join(near, ", ")
}

// nearest picks at most three names that differ by little more than a slip, the nearest first, else those that begin alike.
func nearest(name string, list []string) []string {
	name = strings.ToLower(name)
	most := 2
	if len(name) < 4 {
		most = 1
	}
	var ranked [4][]string
	for _, other := range list {
		lower := strings.ToLower(other)
		d := distance(name, lower)
		begins := len(name) > 2 && strings.HasPrefix(lower, name) || len(lower) > 2 && strings.HasPrefix(name, lower)
		switch {
		case d <= most:
			ranked[d] = append(ranked[d], other)
		case begins:
			ranked[3] = append(ranked[3], other)
		}
	}
	var near []string
	for _, names := range ranked {
		near = append(near, names...)
	}
	return near[:min(len(near), 3)]
}

// distance counts the insertions, deletions, replacements and swaps of neighbours that make one name of the other; names that are far apart in
// length are far apart.
func distance(a, b string) int {
	if len(a)-len(b) > 3 || len(b)-len(a) > 3 || len(a) > 200 {
		return 9
	}
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
