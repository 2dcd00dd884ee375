package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/deputy"
)

// mariaSession is a connection with a transaction under way. What its context ends is stopped on the server too: the driver alone would only
// close the connection, and the server would go on computing.
type mariaSession struct {
	db   *maria
	conn *sql.Conn
	id   uint64             // of the connection, as the server counts
	run  context.Context    // of the statements: ends a little after ctx, when the server does not answer
	end  context.CancelFunc // of run
	free func() bool        // ends the watch on ctx
	done chan struct{}      // closed when a watch that has begun to stop the server has ended
	quit chan struct{}      // closed when nothing is left to be stopped
	once sync.Once
	mark string // a comment before every statement
	open bool   // a transaction may be under way
}

// numbers remembers how the server counts connections.
type numbers struct {
	mu  sync.Mutex
	all map[any]uint64
}

func (db *maria) open(ctx context.Context, conn *sql.Conn) (*mariaSession, error) {
	s := &mariaSession{db: db, conn: conn, done: make(chan struct{}), quit: make(chan struct{}), mark: mariaMark(deputy.TurnOf(ctx))}
	s.run, s.end = context.WithCancel(context.WithoutCancel(ctx))
	err := s.number(ctx)
	s.free = context.AfterFunc(ctx, s.stop)
	return s, err
}

// number finds the connection's number, and asks the server once.
func (s *mariaSession) number(ctx context.Context) error {
	n := &s.db.ids
	var driver any
	if err := s.conn.Raw(func(c any) error { driver = c; return nil }); err != nil {
		return err
	}
	n.mu.Lock()
	id, ok := n.all[driver]
	n.mu.Unlock()
	if ok {
		s.id = id
		return nil
	}
	if err := s.conn.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&s.id); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.all == nil || len(n.all) > 100 { // those of connections that are gone
		n.all = map[any]uint64{}
	}
	n.all[driver] = s.id
	return nil
}

// patience is how long the server has to stop a statement before its connection is closed.
const patience = 2 * time.Second

// stop asks the server to stop what it is doing until the statement has ended.
func (s *mariaSession) stop() {
	defer close(s.done)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		// An error is one of a connection that is gone, or of a server that cannot be reached: then only waiting is left.
		_, _ = s.db.kills.ExecContext(ctx, "KILL QUERY "+strconv.FormatUint(s.id, 10))
		select {
		case <-s.quit:
			return
		case <-ctx.Done():
			s.end()
			return
		case <-again.C:
		}
	}
}

// settle ends the watch: from here on nothing is stopped any more.
func (s *mariaSession) settle() {
	s.once.Do(func() {
		close(s.quit)
		if !s.free() {
			<-s.done
		}
	})
}

// Close gives the connection back.
func (s *mariaSession) Close() error {
	s.settle()
	s.end()
	if s.open { // whoever gets it next must not be in the middle of this one's transaction
		_ = s.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	if err := s.conn.Close(); err != nil && !errors.Is(err, sql.ErrConnDone) {
		return err
	}
	return nil
}

// QueryContext implements querier.
func (s *mariaSession) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, args, err := placed(text, args)
	if err != nil {
		return nil, err
	}
	return s.conn.QueryContext(s.run, s.mark+text, args...)
}

// ExecContext implements session. The end of a transaction is not stopped by the context.
func (s *mariaSession) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	if text == "COMMIT" || text == "ROLLBACK" {
		s.settle()
		out, err := s.conn.ExecContext(ctx, s.mark+text)
		s.open = s.open && err != nil
		return out, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, args, err := placed(text, args)
	if err != nil {
		return nil, err
	}
	s.open = true
	return s.conn.ExecContext(s.run, s.mark+text, args...)
}

// mariaMark names the turn in a comment that nothing of its id can close.
func mariaMark(turn string) string {
	if turn == "" {
		return "/* assistant */ "
	}
	return "/* assistant/" + strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r == '-', r == '.':
			return r
		}
		return '_'
	}, turn) + " */ "
}

// placed puts arguments where they stand: the server counts marks from the left, and each has an argument of its own. A mark is \x00n\x00,
// which nothing else in a statement can hold.
func placed(text string, args []any) (string, []any, error) {
	if !strings.Contains(text, "\x00") {
		return text, nil, nil
	}
	parts := strings.Split(text, "\x00")
	var out []any
	for i := 1; i < len(parts); i += 2 {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 1 || n > len(args) {
			return "", nil, errors.New("a mark that stands for nothing")
		}
		out = append(out, args[n-1])
		parts[i] = "?"
	}
	if len(parts)%2 == 0 {
		return "", nil, errors.New("a mark that does not end")
	}
	if len(out) > mostMarks {
		return "", nil, fmt.Errorf("%w: %d marks", errTooMuch, len(out))
	}
	return strings.Join(parts, ""), out, nil
}

// mostMarks is how many the protocol can count.
const mostMarks = 65535

// errTooMuch is a statement that is not even sent.
var errTooMuch = errors.New("the statement is too large")
