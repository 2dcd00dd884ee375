package sqlite

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"example.com/deputy"
)

// every is how often the file is asked for changes by other processes, while somebody waits. It costs one page read in memory.
const every = 150 * time.Millisecond

// watcher wakes who waits for a turn: at once for this store's own commits, at the next look for those of other processes. It runs only
// while somebody waits.
type watcher struct {
	store   *store
	mu      sync.Mutex
	waits   map[string]*wait // by turn
	looking bool
	quit    chan struct{}
	looks   sync.WaitGroup
	closed  bool
}

// wait is what all who wait for one turn share.
type wait struct {
	wake    chan struct{}
	waiters int
	seen    int64 // the turn's count of changes when the first one came; -1: not read yet
	forget  []func() bool
}

func newWatcher(s *store) *watcher {
	return &watcher{store: s, waits: map[string]*wait{}, quit: make(chan struct{})}
}

func (s turns) Changed(ctx context.Context, as deputy.Person, id string) (<-chan struct{}, error) {
	if err := s.own(ctx, as, id); err != nil {
		return nil, err
	}
	// First wait, then look where the turn stands: so that no change falls between.
	w := s.watch.join(ctx, id)
	var n int64
	err := s.get(ctx, "turn", `SELECT changes FROM deputy_turns WHERE id = ?`, []any{id}, func(row scanner) error { return row.Scan(&n) })
	if err != nil {
		s.watch.changed(id) // it is gone, or cannot be read: the others shall see for themselves
		return nil, err
	}
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	if w.seen < 0 {
		w.seen = n
	}
	return w.wake, nil
}

// join waits until the turn changes or ctx ends, whichever is first; nothing is left of it afterwards.
func (w *watcher) join(ctx context.Context, turn string) *wait {
	w.mu.Lock()
	defer w.mu.Unlock()
	it, ok := w.waits[turn]
	if !ok {
		it = &wait{wake: make(chan struct{}), seen: -1}
		if w.closed {
			close(it.wake)
			return it
		}
		w.waits[turn] = it
	}
	it.waiters++
	it.forget = append(it.forget, context.AfterFunc(ctx, func() { w.leave(turn, it) }))
	if !w.looking {
		w.looking = true
		w.looks.Go(w.look)
	}
	return it
}

func (w *watcher) leave(turn string, it *wait) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if it.waiters--; it.waiters == 0 && w.waits[turn] == it {
		delete(w.waits, turn)
	}
}

// changed wakes who waits for a turn.
func (w *watcher) changed(turn string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fire(turn)
}

func (w *watcher) fire(turn string) {
	it, ok := w.waits[turn]
	if !ok {
		return
	}
	delete(w.waits, turn)
	close(it.wake)
	for _, forget := range it.forget {
		forget()
	}
}

// close wakes everybody and returns when nothing looks any more.
func (w *watcher) close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.quit)
		for turn := range w.waits {
			w.fire(turn)
		}
	}
	w.mu.Unlock()
	w.looks.Wait()
}

// look asks the file for changes until nobody waits.
func (w *watcher) look() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	tick := time.NewTicker(every)
	defer tick.Stop()
	l := &lookout{watcher: w, version: -1}
	defer l.close()
	for {
		select {
		case <-w.quit:
			return
		case <-tick.C:
		}
		if !w.wanted() {
			return
		}
		l.look(ctx)
	}
}

// wanted says whether anybody waits; if not, the next one starts the looking again.
func (w *watcher) wanted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looking = len(w.waits) > 0
	return w.looking
}

// lookout is a connection with its view of the file.
type lookout struct {
	*watcher
	conn    *sql.Conn
	version int64 // of the file, as this connection last saw it; -1: never
}

// look wakes who waits for a turn that has changed. An error is left to the next look: who waits is then late, not wrong.
func (l *lookout) look(ctx context.Context) {
	var err error
	if l.conn == nil {
		if l.conn, err = l.store.readers.Conn(ctx); err != nil {
			return
		}
	}
	var version int64
	if err := l.conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version); err != nil || version == l.version {
		return
	}
	for turn, seen := range l.seen() {
		n := int64(-1) // gone
		if err := l.conn.QueryRowContext(ctx, `SELECT changes FROM deputy_turns WHERE id = ?`, turn).Scan(&n); err != nil && err != sql.ErrNoRows {
			return
		}
		if n != seen {
			l.changed(turn)
		}
	}
	l.version = version
}

// seen is how often each turn that is waited for had changed.
func (l *lookout) seen() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]int64{}
	for turn, it := range l.waits {
		if it.seen >= 0 {
			out[turn] = it.seen
		}
	}
	return out
}

func (l *lookout) close() {
	if l.conn != nil {
		_ = l.conn.Close()
	}
}
