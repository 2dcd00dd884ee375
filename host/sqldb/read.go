package sqldb

import (
	"context"
	"fmt"
	"strings"

	"example.com/deputy"
	"example.com/deputy/query"
)

// output is one column of a statement's result, and how its values are read.
type output struct {
	text string
	read func(raw any) query.Value
}

func (c *compiler) output(p part) output { return c.dialect.output(c, p) }

// version compiles what the version of a record is made of.
func (c *compiler) version(fields []string, s *scope) []output {
	var outs []output
	for _, name := range fields {
		col := s.root.column(c, name)
		outs = append(outs, c.dialect.version(s.root.ref(col), col))
	}
	return outs
}

// Query implements deputy.Host.
func (h *Host) Query(ctx context.Context, _ deputy.Person, q query.Query) (query.Rows, error) {
	t, err := h.catalog.find(q.Table)
	if err != nil {
		return query.Rows{}, err
	}
	c := h.compiler()
	defer h.db.forget(c)
	s := c.open(t, nil, nil)
	if n := max(len(q.Select)+len(q.Version), len(q.Order)+len(t.key)); n > mostColumns {
		return query.Rows{}, tooMany(n)
	}
	var outs []output
	for _, col := range q.Select {
		outs = append(outs, c.output(c.expr(col.Expr, s)))
	}
	outs = append(outs, c.version(q.Version, s)...)
	text := c.selection(q, s, outs)
	if c.err != nil {
		return query.Rows{}, c.err
	}
	lines, err := h.db.ask(ctx, question{text, c.args, outs, true})
	if err != nil {
		return query.Rows{}, h.readError(ctx, q.Table, err)
	}
	return answer(q, lines), nil
}

// mostColumns is how many columns one question can ask for, and how many it can be ordered by, whatever is said of them.
const mostColumns = 1600

func tooMany(n int) error {
	return deputy.Errorf(deputy.Invalid, "The question has %d columns or order keys with those that come along; the database takes at most %d at once: ask for fewer.", n, mostColumns)
}

func (h *Host) compiler() *compiler { return &compiler{catalog: h.catalog, dialect: h.db} }

func (c *compiler) selection(q query.Query, s *scope, outs []output) string {
	where := c.condition(q.Where, s)
	var order []string
	for _, o := range q.Order {
		p := c.expr(o.Expr, s)
		order = append(order, c.dialect.sort(c.sql(p), p.t, o.Desc, true))
	}
	order = append(order, c.keyOrder(s.root)...)
	text := "SELECT " + list(outs) + " FROM " + c.from(s) + " WHERE " + where
	return c.dialect.page(text, c.bind(int64(q.Limit)+1), c.bind(int64(q.Offset)), order)
}

func list(outs []output) string {
	var all []string
	for i, o := range outs {
		all = append(all, fmt.Sprintf("%s AS c%d", o.text, i))
	}
	if len(all) == 0 {
		return "1 AS c0"
	}
	return strings.Join(all, ", ")
}

func answer(q query.Query, lines [][]query.Value) query.Rows {
	out := query.Rows{Columns: q.Select, HasMore: len(lines) > q.Limit}
	for _, line := range lines[:min(len(lines), q.Limit)] {
		n := len(q.Select)
		out.Rows = append(out.Rows, line[:n:n])
		if q.Version != nil {
			out.Versions = append(out.Versions, query.Version(line[n:]))
		}
	}
	return out
}

// question is a compiled one.
type question struct {
	text  string
	args  []any
	outs  []output
	often bool // with other arguments it will be asked again, and it takes no longer to answer than to be understood
}

// askInSteps asks through database/sql.
func askInSteps(ctx context.Context, db engine, q question) (rows [][]query.Value, err error) {
	err = db.reading(ctx, func(on querier) error {
		rows, err = lines(ctx, on, q.text, q.args, q.outs)
		return err
	})
	return rows, err
}

func lines(ctx context.Context, db querier, text string, args []any, outs []output) ([][]query.Value, error) {
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	raw := make([]any, max(len(outs), 1))
	into := make([]any, len(raw))
	for i := range raw {
		into[i] = &raw[i]
	}
	var out [][]query.Value
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		line := make([]query.Value, len(outs))
		for i, o := range outs {
			line[i] = o.read(raw[i])
		}
		out = append(out, line)
	}
	return out, rows.Err()
}

// readError is the error of the context where that ended the question, else one for the operator.
func (h *Host) readError(ctx context.Context, table string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err = forLog(err)
	switch h.db.fault(err) {
	case busy:
		return &deputy.Error{Code: deputy.Unavailable, Message: "The database is busy. Try again in a moment.", Cause: err}
	case lost:
		return &deputy.Error{Code: deputy.Unavailable, Message: "The database cannot be reached. Try again in a moment.", Cause: err}
	case tooMuch:
		return &deputy.Error{Code: deputy.Invalid, Message: "The question is too large for the database: ask for fewer columns, order keys or conditions at once.", Cause: err}
	case slow:
		return &deputy.Error{Code: deputy.Timeout, Message: "The question took the database too long. Ask for less, or with a narrower condition.", Cause: err}
	}
	return fmt.Errorf("reading %s: %w", table, err)
}
