package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// names of the servers, in the order in which they take turns. Each is a command of its own folder.
var names = [...]string{"floor", "deputy", "fantasy"}

// build compiles the servers into a folder.
func build(ctx context.Context, source, into string) error {
	for _, name := range names {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(into, name), ".")
		cmd.Dir = filepath.Join(source, name)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", name, err, out)
		}
	}
	return nil
}

// server is one that runs in a process of its own.
type server struct {
	cmd     *exec.Cmd
	address string
}

func start(ctx context.Context, binary, answer, profile string) (*server, error) {
	args := []string{"-answer", answer}
	if profile != "" {
		args = append(args, "-cpuprofile", profile)
	}
	s := &server{cmd: exec.CommandContext(ctx, binary, args...)}
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s did not start: %w", binary, err), s.stop())
	}
	s.address = strings.TrimSpace(line)
	return s, nil
}

// complain makes a process that failed say what its goroutines do.
func (s *server) complain() {
	_ = s.cmd.Process.Signal(syscall.SIGQUIT)
	_ = s.cmd.Wait()
}

// stop ends the process. There is nothing that it should keep.
func (s *server) stop() error {
	if err := s.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	_ = s.cmd.Wait() // says that it was killed
	return nil
}

// profiled makes the server write its profile.
func (s *server) profiled() error {
	res, err := http.Get("http://" + s.address + "/stop")
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// cpu is the processor time that the process has used.
func (s *server) cpu() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/…/stat has another form: %s", text)
	}
	user, err := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, errors.Join(err, err2) // a tick is 10 ms on every Linux that Go knows
}

// resident is how much memory the process has, in bytes.
func (s *server) resident() (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, errors.New("/proc/…/status has no VmRSS")
	}
	kb, err := strconv.Atoi(fields[0])
	return kb << 10, err
}
