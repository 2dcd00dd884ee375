package sqldb

import (
	"context"
	"database/sql"
	"sync"
)

// prepared is a pool that keeps statements prepared: to read one costs SQLite as much as to answer it. What is kept is found by its text, which
// holds no value.
type prepared struct {
	db   *sql.DB
	mu   sync.Mutex
	kept map[string]*keptStatement
}

// keptStatement is one of them. It is closed when it has been put aside and nobody begins to use it any more.
type keptStatement struct {
	*sql.Stmt
	users int
	aside bool
}

// Bounds of what is kept: statements, each on as many connections as there are, and the bytes of one.
const (
	mostKept    = 40
	longestKept = 16 << 10
)

// QueryContext implements querier.
func (p *prepared) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if len(text) > longestKept {
		return p.db.QueryContext(ctx, text, args...)
	}
	s, err := p.take(ctx, text)
	if err != nil {
		return nil, err
	}
	defer p.give(s)
	return s.QueryContext(ctx, args...)
}

func (p *prepared) take(ctx context.Context, text string) (*keptStatement, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s, ok := p.kept[text]; ok {
		s.users++
		return s, nil
	}
	p.mu.Unlock()
	stmt, err := p.db.PrepareContext(ctx, text)
	p.mu.Lock()
	if err != nil {
		return nil, err
	}
	if p.kept == nil {
		p.kept = map[string]*keptStatement{}
	}
	if old, ok := p.kept[text]; ok { // somebody was faster
		p.putAside(text, old)
	}
	for other, old := range p.kept {
		if len(p.kept) < mostKept {
			break
		}
		p.putAside(other, old)
	}
	s := &keptStatement{Stmt: stmt, users: 1}
	p.kept[text] = s
	return s, nil
}

func (p *prepared) putAside(text string, s *keptStatement) {
	delete(p.kept, text)
	s.aside = true
	s.end()
}

func (p *prepared) give(s *keptStatement) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.users--
	s.end()
}

// end closes a statement that nobody uses: rows that are still read keep it until they are closed.
func (s *keptStatement) end() {
	if s.aside && s.users == 0 {
		_ = s.Close() // whatever it says, the connection's own end frees it
	}
}
