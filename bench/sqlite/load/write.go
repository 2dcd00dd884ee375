package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

const person = "token\x1fann"

// fill makes the tables of a small business, and those of the store that a turn needs.
func fill(ctx context.Context, db *sql.DB) error {
	for _, text := range []string{
		`CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT)`,
		`CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INT REFERENCES customers, placed TEXT, status TEXT)`,
		`CREATE TABLE lines (id INTEGER PRIMARY KEY, order_id INT REFERENCES orders, price NUMERIC(10,2), quantity INT)`,
		`CREATE INDEX l ON lines (order_id)`, `CREATE INDEX o ON orders (customer_id)`,
		fmt.Sprintf(`WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < %d) INSERT INTO customers SELECT i, 'Customer ' || i, char(65 + i %% 26) FROM c`, customers),
		fmt.Sprintf(`WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < %d) INSERT INTO orders SELECT i, 1 + i %% %d, datetime('2024-01-01', '+' || (i * 3) || ' hours'), iif(i %% 3, 'open', 'paid') FROM c`, orders, customers),
		fmt.Sprintf(`WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < %d) INSERT INTO lines SELECT i, 1 + i %% %d, (i * 7 %% 10000) / 100.0, 1 + i %% 9 FROM c`, lines, orders),
		`CREATE TABLE deputy_turns (id TEXT PRIMARY KEY, person TEXT NOT NULL, conversation TEXT NOT NULL, state TEXT NOT NULL, step INTEGER NOT NULL, next_event INTEGER NOT NULL, until INTEGER NOT NULL) STRICT`,
		`CREATE TABLE deputy_messages (person TEXT NOT NULL, conversation TEXT NOT NULL, seq INTEGER NOT NULL, turn TEXT NOT NULL, parts TEXT NOT NULL, PRIMARY KEY (person, conversation, seq)) STRICT`,
		`CREATE TABLE deputy_events (person TEXT NOT NULL, turn TEXT NOT NULL, seq INTEGER NOT NULL, name TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (person, turn, seq)) STRICT, WITHOUT ROWID`,
		`ANALYZE`,
	} {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

// writer commits steps of turns as the store does, in a transaction of prepared statements each; every tenth is a confirmed write to the host's tables.
type writer struct {
	db                                *sql.DB
	conn                              *sql.Conn
	turn, renew, message, event, paid *sql.Stmt
	n                                 int
}

func newWriter(ctx context.Context, db *sql.DB) (w *writer, err error) {
	w = &writer{db: db}
	if w.conn, err = db.Conn(ctx); err != nil {
		return nil, err
	}
	for _, s := range []struct {
		into **sql.Stmt
		text string
	}{
		{&w.turn, `INSERT INTO deputy_turns (id, person, conversation, state, step, next_event, until) VALUES (?, ?, ?, 'running', 0, 1, ?)`},
		{&w.renew, `UPDATE deputy_turns SET until = ?, next_event = ?, step = step + 1 WHERE id = ? AND state = 'running'`},
		{&w.message, `INSERT INTO deputy_messages (person, conversation, seq, turn, parts) VALUES (?, ?, ?, ?, ?)`},
		{&w.event, `INSERT INTO deputy_events (person, turn, seq, name, data) VALUES (?, ?, ?, ?, ?)`},
		{&w.paid, `UPDATE orders SET status = ? WHERE id = ? AND status = ?`},
	} {
		if *s.into, err = w.conn.PrepareContext(ctx, s.text); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", s.text, err), w.conn.Close())
		}
	}
	return w, nil
}

func (w *writer) close() error {
	var errs []error
	for _, s := range []*sql.Stmt{w.turn, w.renew, w.message, w.event, w.paid} {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

// steps commits a step whenever one is due, or one after the other where every is zero, and says how long each took.
func (w *writer) steps(ctx context.Context, until time.Time, every time.Duration) (map[string][]time.Duration, error) {
	var times []time.Duration
	for due := time.Now(); due.Before(until); due = due.Add(every) {
		if every == 0 {
			due = time.Now()
		}
		time.Sleep(time.Until(due))
		begin := time.Now()
		if err := w.step(ctx); err != nil {
			return nil, fmt.Errorf("step: %w", err)
		}
		times = append(times, time.Since(begin))
	}
	return map[string][]time.Duration{"step": times}, nil
}

func (w *writer) step(ctx context.Context) error {
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := w.statements(ctx)
	w.n++
	end := "COMMIT"
	if err != nil {
		end = "ROLLBACK"
	}
	_, ended := w.conn.ExecContext(ctx, end)
	return errors.Join(err, ended)
}

// statements are a turn with a message and three events: as one of its steps leaves it.
func (w *writer) statements(ctx context.Context) error {
	if w.n%10 == 9 {
		_, err := w.paid.ExecContext(ctx, "paid", 1+w.n%orders, "paid") // every third order is, so it is written as it stands
		return err
	}
	turn, conversation := fmt.Sprintf("trn_%d", w.n-w.n/10), fmt.Sprintf("cnv_%d", w.n/100)
	if _, err := w.turn.ExecContext(ctx, turn, person, conversation, w.n); err != nil {
		return err
	}
	if _, err := w.message.ExecContext(ctx, person, conversation, w.n, turn, `[{"text":"`+strings.Repeat("word ", 100)+`"}]`); err != nil {
		return err
	}
	for seq := range 3 {
		if _, err := w.event.ExecContext(ctx, person, turn, seq+1, "text.delta", `{"step":1,"at":0,"text":"`+strings.Repeat("word ", 20)+`"}`); err != nil {
			return err
		}
	}
	_, err := w.renew.ExecContext(ctx, w.n, 4, turn)
	return err
}
