// Package mariatest gives tests a private MariaDB server: the one that is installed on the machine, started in a folder of its own, without
// a network, and stopped when the tests have ended, however they end.
package mariatest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Server is a MariaDB server of this test binary.
type Server struct {
	install, server string // the programs
	dir             string
	credential      *syscall.Credential // of whom the server runs as; nil: of who starts it
	alive           io.Closer           // held as long as the server is wanted: whoever watches its other end stops the server
	made            atomic.Int64

	mu      sync.Mutex
	process *exec.Cmd
}

// shared is the one server of a test binary, started when it is first asked for.
var shared = sync.OnceValues(start)

// Database makes an empty database on the server that the whole test binary shares, and gives its URL. The test is skipped where no
// MariaDB is installed, but never where CI is set.
func Database(t testing.TB) string {
	t.Helper()
	s, err := shared()
	return s.orSkip(t, err).Database(t)
}

// Start starts a server that is this test's alone, to be stopped and started again.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := start()
	s = s.orSkip(t, err)
	t.Cleanup(func() { s.alive.Close() })
	return s
}

func (s *Server) orSkip(t testing.TB, err error) *Server {
	t.Helper()
	switch {
	case errors.Is(err, exec.ErrNotFound) && os.Getenv("CI") != "true":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	return s
}

// Database makes an empty database and gives its URL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", s.made.Add(1))
	db, err := sql.Open("mysql", "root@unix("+s.socket()+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(context.Background(), "CREATE DATABASE "+name+" CHARACTER SET utf8mb4"); err != nil {
		t.Fatal(err)
	}
	return "mysql://root@/" + name + "?socket=" + s.socket()
}

// Open connects to a database as another program would. Names stand in double quotes, and several statements may be sent at once.
func Open(t testing.TB, url string) *sql.DB {
	t.Helper()
	name, socket, _ := strings.Cut(strings.TrimPrefix(url, "mysql://root@/"), "?socket=")
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName, c.MultiStatements = "root", "unix", socket, name, true
	c.Params = map[string]string{"sql_mode": "'ANSI_QUOTES,STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES,NO_AUTO_VALUE_ON_ZERO'", "time_zone": "'+00:00'"}
	to, err := mysql.NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(to)
	t.Cleanup(func() { db.Close() })
	return db
}

func (s *Server) socket() string { return filepath.Join(s.dir, "socket") }

// Stop ends the server as a crash would: no session is warned.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.process.Wait() // says that it was killed
}

// Again starts a stopped server.
func (s *Server) Again(t testing.TB) {
	t.Helper()
	if err := s.run(); err != nil {
		t.Fatal(err)
	}
}

// start finds the MariaDB of the machine and starts it.
func start() (*Server, error) {
	s := &Server{}
	var err1, err2, err error
	s.install, err1 = exec.LookPath("mariadb-install-db")
	if s.server, err2 = exec.LookPath("mariadbd"); err2 != nil {
		s.server, err2 = exec.LookPath("/usr/sbin/mariadbd")
	}
	if err1 != nil || err2 != nil {
		return nil, fmt.Errorf("no MariaDB is installed here: %w", exec.ErrNotFound)
	}
	if s.dir, err = os.MkdirTemp("", "mariatest"); err != nil {
		return nil, err
	}
	if err := s.give(); err != nil {
		return nil, err
	}
	c := s.command(s.install, "--no-defaults", "--datadir="+s.data(), "--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-flush-log-at-trx-commit=0")
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mariadb-install-db: %w: %s", err, out)
	}
	if err := s.watch(); err != nil {
		return nil, err
	}
	return s, s.run()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// give makes the folder the server's own: MariaDB refuses to run as root.
func (s *Server) give() error {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("mysql")
	if err != nil {
		return err
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err := errors.Join(err1, err2, os.Chown(s.dir, int(uid), int(gid)), os.Chmod(s.dir, 0o755)); err != nil {
		return err
	}
	s.credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return nil
}

// command runs a program as who may.
func (s *Server) command(program string, args ...string) *exec.Cmd {
	c := exec.Command(program, args...)
	c.Dir = s.dir
	c.SysProcAttr = &syscall.SysProcAttr{Credential: s.credential, Setpgid: true}
	return c
}

// run starts the server for speed, not for power failures.
func (s *Server) run() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.process = s.command(s.server, "--no-defaults", "--datadir="+s.data(), "--socket="+s.socket(), "--pid-file="+filepath.Join(s.dir, "pid"), "--skip-networking",
		"--tmpdir="+s.dir, // a server that starts removes what it takes for its own from there: not from the one that all share
		"--max-connections=500", "--innodb-flush-log-at-trx-commit=2", "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=16M", "--skip-log-bin", "--innodb-flush-method=nosync", "--innodb-file-per-table=0", "--loose-sync-frm=0", "--loose-performance-schema=0", "--loose-innodb-use-native-aio=0")
	s.process.Stdout, s.process.Stderr = log, log
	if err := s.process.Start(); err != nil {
		return err
	}
	return s.ready()
}

// ready waits until the server answers.
func (s *Server) ready() error {
	db, err := sql.Open("mysql", "root@unix("+s.socket()+")/")
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for err = db.PingContext(ctx); err != nil && ctx.Err() == nil; err = db.PingContext(ctx) {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return err
}

// watch starts what kills the server and removes its folder once this process is gone, or has closed its end.
func (s *Server) watch() error {
	c := s.command("/bin/sh", "-c", `cat >/dev/null; kill -9 "$(cat "$1"/pid)" 2>/dev/null; rm -rf "$1"/*; rmdir "$1"`, "watch", s.dir)
	c.Dir = "/"
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	s.alive = in
	return c.Start()
}
