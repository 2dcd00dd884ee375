// Package pgtest gives tests a private Postgres server: the one that is installed on the machine, started in a folder of its own, without
// a network, and stopped when the tests have ended, however they end.
package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that makes databases
)

// Server is a Postgres server of this test binary.
type Server struct {
	bin, dir string
	alive    io.Closer // held as long as the server is wanted: whoever watches its other end stops the server
	made     atomic.Int64
}

// shared is the one server of a test binary, started when it is first asked for.
var shared = sync.OnceValues(start)

// Database makes an empty database on the server that the whole test binary shares, and gives its URL. The test is skipped where no
// Postgres is installed, but never where CI is set.
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
	db, err := sql.Open("pgx", s.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(context.Background(), "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	return s.url(name)
}

func (s *Server) url(database string) string {
	return "postgres://postgres@/" + database + "?" + url.Values{"host": {s.dir}}.Encode()
}

// Stop ends the server as a crash would: no session is warned.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if err := s.control("stop", "-m", "immediate"); err != nil {
		t.Fatal(err)
	}
}

// Again starts a stopped server.
func (s *Server) Again(t testing.TB) {
	t.Helper()
	if err := s.run(); err != nil {
		t.Fatal(err)
	}
}

// start finds the newest Postgres of the machine and starts it.
func start() (*Server, error) {
	bins, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if path, lookErr := exec.LookPath("initdb"); lookErr == nil && len(bins) == 0 {
		bins = []string{filepath.Dir(path)}
	}
	if err != nil || len(bins) == 0 {
		return nil, fmt.Errorf("no Postgres is installed here: %w", exec.ErrNotFound)
	}
	slices.SortFunc(bins, func(a, b string) int { return version(a) - version(b) })
	s := &Server{bin: bins[len(bins)-1]}
	if s.dir, err = os.MkdirTemp("", "pgtest"); err != nil {
		return nil, err
	}
	if err := s.give(); err != nil {
		return nil, err
	}
	if err := s.as("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"); err != nil {
		return nil, err
	}
	if err := s.watch(); err != nil {
		return nil, err
	}
	return s, s.run()
}

func version(bin string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	if err != nil {
		return 0
	}
	return n
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// give makes the folder the server's own: Postgres refuses to run as root.
func (s *Server) give() error {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	return errors.Join(err1, err2, os.Chown(s.dir, uid, gid))
}

// command runs a program of the server's as who may.
func (s *Server) command(program string, args ...string) *exec.Cmd {
	args = append([]string{filepath.Join(s.bin, program)}, args...)
	if os.Getuid() == 0 {
		args = append([]string{"runuser", "-u", "postgres", "--"}, args...)
	}
	c := exec.Command(args[0], args[1:]...)
	c.Dir = s.dir
	return c
}

func (s *Server) as(program string, args ...string) error {
	if out, err := s.command(program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, out)
	}
	return nil
}

func (s *Server) control(args ...string) error {
	return s.as("pg_ctl", append([]string{"-D", s.data(), "-w", "-s"}, args...)...)
}

// run starts the server for speed, not for power failures.
func (s *Server) run() error {
	options := "-c listen_addresses='' -k " + s.dir + " -c fsync=off -c full_page_writes=off -c max_connections=500 -c shared_buffers=64MB"
	return s.control("-l", filepath.Join(s.dir, "log"), "-o", options, "start")
}

// watch starts what stops the server and removes its folder once this process is gone, or has closed its end.
func (s *Server) watch() error {
	c := s.command("pg_ctl")
	c.Args = append(c.Args[:len(c.Args)-1], "sh", "-c", `cat >/dev/null; "$1" -D "$2" -w -s -m immediate stop; rm -rf "$2" "$3"/log "$3"/.s.*; rmdir "$3"`,
		"watch", filepath.Join(s.bin, "pg_ctl"), s.data(), s.dir)
	if os.Getuid() != 0 {
		c.Path = "/bin/sh"
	}
	c.Dir = "/"
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	s.alive = in
	return c.Start()
}
