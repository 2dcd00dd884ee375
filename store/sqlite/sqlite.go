// Package sqlite keeps Deputy's own data in one SQLite file, which several processes of one machine may share.
//
// Commits are in write-ahead mode with synchronous=NORMAL: what was committed survives the death of the process; the last commits
// before a power cut may be gone, whole ones only.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"example.com/deputy"
)

// busy is how long, in milliseconds, a connection waits for another process's write.
const busy = "5000"

// store is one writer's connection, which commits take by turns, and a pool of readers.
type store struct {
	path    string
	writers *sql.DB
	writer  *sql.Conn
	writing chan struct{}        // holds one token while somebody writes
	written map[string]*sql.Stmt // the writer's prepared statements, by text; of whoever is writing
	readers *sql.DB
	read    sync.Map // the readers' prepared statements, by text
	watch   *watcher
	closed  chan struct{} // closed when nothing may be written any more
	closing func() error
}

// Open opens the store in a file, made with rights for its owner only where it is not there, and brings its tables up to date. A file
// that a newer Deputy has used is refused. The tables begin with deputy_ and may share the file with others. Close waits for a commit
// under way.
func Open(ctx context.Context, path string) (deputy.Store, error) {
	s, err := open(ctx, path)
	if err != nil {
		return deputy.Store{}, fmt.Errorf("store %s: %w", path, err)
	}
	return deputy.Store{
		Conversations: conversations{s}, Turns: turns{s}, Messages: messages{s}, Proposals: proposals{s}, Log: log{s}, Settings: settings{s},
		Attempts: attempts{s}, Analyses: analyses{s}, Close: s.closing,
	}, nil
}

func open(ctx context.Context, path string) (_ *store, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if path, err = prepare(path); err != nil {
		return nil, err
	}
	s := &store{path: path, writing: make(chan struct{}, 1), closed: make(chan struct{}), written: map[string]*sql.Stmt{}}
	s.watch = newWatcher(s)
	s.closing = sync.OnceValue(s.close)
	defer func() {
		if err != nil {
			_ = s.close()
		}
	}()
	if s.writers, err = sql.Open("sqlite", source(path, "_journal_mode", "WAL", "_synchronous", "NORMAL", "_txlock", "immediate")); err != nil {
		return nil, err
	}
	s.writers.SetMaxOpenConns(1)
	if err := s.writers.PingContext(ctx); err != nil {
		return nil, unusable(err)
	}
	if err := migrate(ctx, s.writers); err != nil {
		return nil, unusable(err)
	}
	if s.writer, err = s.writers.Conn(ctx); err != nil {
		return nil, err
	}
	if s.readers, err = sql.Open("sqlite", source(path, "_query_only", "1")); err != nil {
		return nil, err
	}
	most := max(4, runtime.NumCPU()) + 1 // one of them is the watcher's while somebody waits
	s.readers.SetMaxOpenConns(most)
	s.readers.SetMaxIdleConns(most)
	return s, nil
}

// source is a data source name. Whatever stands in the path stays in it.
func source(path string, options ...string) string {
	q := url.Values{"_busy_timeout": {busy}}
	for i := 0; i < len(options); i += 2 {
		q.Set(options[i], options[i+1])
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: q.Encode()}
	return u.String()
}

// prepare makes the path absolute and the file, where there is none. A file that is there is left to SQLite: to open and close it
// beside SQLite would drop the locks that this process holds on it.
func prepare(path string) (string, error) {
	switch path {
	case "":
		return "", errors.New("no path: name a file, such as deputy.db")
	case ":memory:":
		return "", errors.New("this store is always a file: name one, or use the store memory")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return "", errors.New("it is a directory: name a file in it")
	case err == nil && !info.Mode().IsRegular():
		return "", errors.New("it is not a regular file: name another")
	case err == nil:
		return path, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("cannot be looked at: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist): // somebody was faster
		return path, nil
	case err != nil && absent(filepath.Dir(path)):
		return "", fmt.Errorf("there is no folder %s: make it first", filepath.Dir(path))
	case err != nil:
		return "", fmt.Errorf("the file cannot be made: %w", err)
	}
	return path, f.Close()
}

func absent(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// unusable says in words why SQLite does not take a file.
func unusable(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case codes.SQLITE_NOTADB, codes.SQLITE_CORRUPT:
		return fmt.Errorf("it is not an SQLite database, or a damaged one: name another file, or restore a backup: %w", err)
	case codes.SQLITE_READONLY, codes.SQLITE_CANTOPEN, codes.SQLITE_PERM:
		return fmt.Errorf("it cannot be written: give this user the right to write the file and its folder: %w", err)
	case codes.SQLITE_BUSY:
		return fmt.Errorf("another process is holding it locked: try again when that one is done: %w", err)
	}
	return err
}

func (s *store) close() error {
	close(s.closed)
	s.watch.close()
	s.writing <- struct{}{} // never given back
	var errs []error
	for _, stmt := range s.written { // a connection whose statements are open stays open itself, and its changes beside the file
		errs = append(errs, stmt.Close())
	}
	s.read.Range(func(_, stmt any) bool {
		errs = append(errs, stmt.(*sql.Stmt).Close())
		return true
	})
	if s.readers != nil {
		errs = append(errs, s.readers.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	if s.writers != nil {
		errs = append(errs, s.writers.Close())
	}
	return errors.Join(errs...)
}
