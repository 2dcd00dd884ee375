package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/store/sqlite"
)

func who() deputy.Person { return deputy.Person{Issuer: "token", ID: "ana", Name: "Ana"} }

// file writes a file in a new folder.
func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// plain opens the file beside the store.
func plain(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func exec1(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query); err != nil {
		t.Fatal(err)
	}
}

func TestUnusable(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("This is no database. ", 200)
	newer := filepath.Join(t.TempDir(), "deputy.db")
	s := open(t, filepath.Dir(newer))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	exec1(t, plain(t, newer), `INSERT INTO deputy_migrations (version_id, is_applied) VALUES (9999, 1)`)
	for name, c := range map[string]struct{ path, want string }{
		"directory":     {t.TempDir(), "is a directory"},
		"no folder":     {filepath.Join(t.TempDir(), "absent", "a.db"), "there is no folder"},
		"under a file":  {filepath.Join(file(t, ""), "a.db"), "cannot be looked at"},
		"no database":   {file(t, text), "not an SQLite database"},
		"cut off":       {file(t, "SQLite format 3\x00"+text), "not an SQLite database"},
		"newer":         {newer, "version 9999"},
		"no path":       {"", "no path"},
		"memory":        {":memory:", "always a file"},
		"not to create": {"/proc/deputy.db", "cannot be made"},
		"no file":       {"/dev/null", "not a regular file"},
	} {
		s, err := sqlite.Open(t.Context(), c.path)
		if err == nil {
			_ = s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if b, err := os.ReadFile(newer); err != nil || len(b) == 0 {
		t.Errorf("the newer file: %d bytes, %v", len(b), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "a.db")
	if _, err := sqlite.Open(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("cancelled: the file was made")
	}
}

func TestReadOnlyFile(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 { // who may write everything
		asNobody(t)
		return
	}
	path := file(t, "")
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Error(err)
	}
}

// asNobody runs the test again as a user without rights.
func asNobody(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "nobody")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "test"), program, 0o755), os.Mkdir(filepath.Join(dir, "tmp"), 0o700), os.Chown(filepath.Join(dir, "tmp"), 65534, 65534),
		os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "test"), "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, []string{"TMPDIR=" + filepath.Join(dir, "tmp")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
}

// A store shares its file with other tables, whose names it leaves alone, and any file name will do.
func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a b?c=1#%41ø.db")
	db := plain(t, "file:"+strings.NewReplacer("?", "%3f", "#", "%23", "%", "%25").Replace(path))
	exec1(t, db, `CREATE TABLE turns (id TEXT); INSERT INTO turns VALUES ('theirs'); CREATE TABLE goose_db_version (id TEXT)`)
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Conversations.Create(t.Context(), who(), deputy.Conversation{ID: "cnv_1"}); err != nil {
		t.Error(err)
	}
	rows, err := db.QueryContext(t.Context(), `SELECT name FROM sqlite_master WHERE name NOT LIKE 'deputy\_%' ESCAPE '\' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil || strings.Join(names, " ") != "goose_db_version turns" {
		t.Errorf("names without deputy_: %v %v", names, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	if s, err = sqlite.Open(t.Context(), fresh); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for _, name := range []string{fresh, fresh + "-wal"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v, want its owner's only", name, info, err)
		}
	}
}

// Processes that start at once on a new file all get a store.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deputy.db")
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			s, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Settings.Put(t.Context(), "x", []byte(`1`)); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// What was committed outlives a process that dies without a word.
func TestDeath(t *testing.T) {
	if path := os.Getenv("DEPUTY_STORE_TO_DIE_WITH"); path != "" {
		s, err := sqlite.Open(t.Context(), path)
		if err == nil {
			err = s.Settings.Put(t.Context(), "last", []byte(`"words"`))
		}
		if err != nil {
			t.Log(err)
		}
		os.Exit(7)
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deputy.db")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDeath$")
	cmd.Env = append(os.Environ(), "DEPUTY_STORE_TO_DIE_WITH="+path)
	var dead *exec.ExitError
	if out, err := cmd.CombinedOutput(); !errors.As(err, &dead) || dead.ExitCode() != 7 {
		t.Fatalf("%v: %s", err, out)
	}
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if v, err := s.Settings.Get(t.Context(), "last"); string(v) != `"words"` || err != nil {
		t.Errorf("%s %v", v, err)
	}
}

// While another process writes, reads go on and a write waits.
func TestBusy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deputy.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	other := plain(t, path)
	other.SetMaxOpenConns(1)
	exec1(t, other, `BEGIN IMMEDIATE`)
	if _, err := s.Settings.Get(t.Context(), "x"); deputy.CodeOf(err) != deputy.NotFound {
		t.Errorf("reading: %v", err)
	}
	done := make(chan error)
	go func() { done <- s.Settings.Put(t.Context(), "x", []byte(`1`)) }()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	select {
	case err := <-done:
		t.Errorf("the write did not wait: %v", err)
	case <-ctx.Done():
	}
	exec1(t, other, `COMMIT`)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestClosedStoreIsOneFile shows that nothing is left beside the file of a store that was closed: whoever copies it then has all of it.
func TestClosedStoreIsOneFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deputy.db")
	s := open(t, filepath.Dir(path))
	if err := s.Settings.Put(t.Context(), "a", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Settings.Get(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, beside := range []string{"-wal", "-shm"} {
		if _, err := os.Stat(path + beside); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", beside, err)
		}
	}
}
