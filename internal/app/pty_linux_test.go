package app

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// patience is how long a test waits for what should come at once.
const patience = 20 * time.Second

// terminalSession is a program with a real terminal in front of it.
type terminalSession struct {
	t    *testing.T
	keys *os.File
	cmd  *exec.Cmd

	mu    sync.Mutex
	seen  string // all that was written to the screen
	from  int    // what was waited for already
	come  chan struct{}
	ended chan struct{}
}

func ioctl(t *testing.T, f *os.File, request uintptr, argument unsafe.Pointer) {
	t.Helper()
	if _, _, no := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(argument)); no != 0 {
		t.Fatalf("ioctl %x: %v", request, no)
	}
}

// openTerminal makes a terminal of so many columns: the side of who sits there, and that of the program.
func openTerminal(t *testing.T, columns uint16) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals on this machine: %v", err)
	}
	var unlock, number int32
	ioctl(t, person, 0x40045431, unsafe.Pointer(&unlock)) // TIOCSPTLCK
	ioctl(t, person, 0x80045430, unsafe.Pointer(&number)) // TIOCGPTN
	size := [4]uint16{50, columns, 0, 0}
	ioctl(t, person, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return person, program
}

// atTerminal starts a program at a terminal of so many columns.
func atTerminal(t *testing.T, columns uint16, env []string, name string, args ...string) *terminalSession {
	t.Helper()
	person, program := openTerminal(t, columns)
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.Env = append(os.Environ(), append([]string{"TERM=xterm", "NO_COLOR="}, env...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = program.Close()
	s := &terminalSession{t: t, keys: person, cmd: cmd, come: make(chan struct{}, 1), ended: make(chan struct{})}
	go s.watch()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = person.Close()
		<-s.ended
	})
	return s
}

// watch reads the screen until the program has gone.
func (s *terminalSession) watch() {
	defer close(s.ended)
	buf := make([]byte, 4096)
	for {
		n, err := s.keys.Read(buf)
		s.mu.Lock()
		s.seen += string(buf[:n])
		s.mu.Unlock()
		select {
		case s.come <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// own are the sequences that the command itself writes.
var own = regexp.MustCompile(`\x1b\[(\?2004[hl]|[0-9;]*[mKABCD])`)

// screen is what was written so far, without what steers the terminal.
func (s *terminalSession) screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(own.ReplaceAllString(s.seen, ""), "\r", "")
}

// raw is what was written so far, byte for byte.
func (s *terminalSession) raw() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// sees waits until a text stands on the screen, after what was waited for last, and returns what came with it.
func (s *terminalSession) sees(text string) string {
	s.t.Helper()
	late := time.After(patience)
	for ended := false; ; {
		now := s.screen()
		if i := strings.Index(now[min(s.from, len(now)):], text); i >= 0 {
			start := s.from
			s.from += i + len(text)
			return now[start:s.from]
		}
		if ended {
			s.t.Fatalf("it ended without %q:\n%s", text, now)
		}
		select {
		case <-s.come:
		case <-s.ended:
			ended = true
		case <-late:
			s.t.Fatalf("%q does not come:\n%s", text, now)
		}
	}
}

// types presses keys.
func (s *terminalSession) types(keys string) {
	s.t.Helper()
	if _, err := s.keys.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for the end of the program, and returns its exit status.
func (s *terminalSession) ends() int {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case err := <-done:
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			s.t.Fatal(err)
		}
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		s.t.Fatalf("it does not end:\n%s", s.screen())
	}
	return -1
}
