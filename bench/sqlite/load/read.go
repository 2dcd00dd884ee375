package load

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// question is a statement as Deputy writes it, with how many of a hundred questions are of its kind.
type question struct {
	kind   string
	share  int
	text   string
	args   func(n int) []any
	least  int // rows that it finds at least
	stored bool
}

// questions are those of the host, whose text is made anew for each and never prepared, and those of the store, prepared once.
func questions() []question {
	return []question{
		{kind: "record", share: 40, least: 1, args: func(n int) []any { return []any{1 + n%orders, 2, 0} },
			text: `WITH page AS MATERIALIZED (SELECT +t1."id" AS c0, +t1."customer_id" AS c1, +t2."name" AS c2, +t1."status" AS c3, kept(t1."placed") AS c4 FROM "orders" AS t1
				LEFT JOIN "customers" AS t2 ON (t2."id" = t1."customer_id") WHERE (t1."id" = ?1) ORDER BY t1."id" LIMIT ?2 OFFSET ?3) SELECT * FROM page`},
		{kind: "list", share: 20, least: 50, args: func(n int) []any { return []any{string(rune('A' + n%26)), "open", 51, 0} },
			text: `WITH page AS MATERIALIZED (SELECT +t1."id" AS c0, +t2."name" AS c1, +t1."status" AS c2, kept(t1."placed") AS c3 FROM "orders" AS t1
				LEFT JOIN "customers" AS t2 ON (t2."id" = t1."customer_id") WHERE ((t2."country" = ?1 COLLATE BINARY) AND (t1."status" = ?2 COLLATE BINARY))
				ORDER BY kept(t1."placed") NULLS LAST, t1."id" LIMIT ?3 OFFSET ?4) SELECT * FROM page`},
		{kind: "sum", share: 8, least: 1, args: func(n int) []any { return []any{1 + n%customers, 2, 0} },
			text: `WITH page AS MATERIALIZED (SELECT (SELECT sum(kept(t3."price") * t3."quantity") FROM "orders" AS t2 JOIN "lines" AS t3 ON (t3."order_id" = t2."id") WHERE (t2."customer_id" = t1."id")) AS c0
				FROM "customers" AS t1 WHERE (t1."id" = ?1) ORDER BY t1."id" LIMIT ?2 OFFSET ?3) SELECT * FROM page`},
		{kind: "total", share: 2, least: 1, args: func(int) []any { return nil },
			text: `SELECT count(*) AS c0, sum(t1."quantity") AS c1, max(t1."price") AS c2 FROM "lines" AS t1`},
		{kind: "turn", share: 15, least: 1, stored: true, args: func(n int) []any { return []any{fmt.Sprintf("trn_%d", n%20), person} },
			text: `SELECT id, person, conversation, state, step, next_event, until FROM deputy_turns WHERE id = ? AND person = ?`},
		{kind: "events", share: 15, least: 1, stored: true, args: func(n int) []any { return []any{person, fmt.Sprintf("trn_%d", n%20), 0, 1000} },
			text: `SELECT seq, name, data FROM deputy_events WHERE person = ? AND turn = ? AND seq > ? ORDER BY seq LIMIT ?`},
	}
}

// ask asks until a moment, and says how long each question took.
func ask(ctx context.Context, db *sql.DB, seed int, until time.Time) (map[string][]time.Duration, error) {
	var mix []int
	all := questions()
	prepared := make([]*sql.Stmt, len(all))
	for i, q := range all {
		for range q.share {
			mix = append(mix, i)
		}
		if q.stored {
			stmt, err := db.PrepareContext(ctx, q.text)
			if err != nil {
				return nil, err
			}
			defer func() { _ = stmt.Close() }()
			prepared[i] = stmt
		}
	}
	times := map[string][]time.Duration{}
	for n := seed; time.Now().Before(until); n++ {
		i := mix[n*37%len(mix)]
		begin := time.Now()
		if err := all[i].ask(ctx, db, prepared[i], n); err != nil {
			return times, fmt.Errorf("%s: %w", all[i].kind, err)
		}
		times[all[i].kind] = append(times[all[i].kind], time.Since(begin))
	}
	return times, nil
}

func (q question) ask(ctx context.Context, db *sql.DB, stmt *sql.Stmt, n int) (err error) {
	var rows *sql.Rows
	if stmt != nil {
		rows, err = stmt.QueryContext(ctx, q.args(n)...)
	} else {
		rows, err = db.QueryContext(ctx, q.text, q.args(n)...)
	}
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	found := 0
	for ; rows.Next(); found++ {
		if err := rows.Scan(into...); err != nil {
			return err
		}
	}
	if found < q.least {
		return fmt.Errorf("%d rows: %w", found, rows.Err())
	}
	return rows.Err()
}
