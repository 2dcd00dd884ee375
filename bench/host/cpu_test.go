package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// processes finds the server's: none for SQLite, which is in this one.
func (s server) processes(b *testing.B) []int {
	b.Helper()
	file, text := "", ""
	switch s.name {
	case "postgres":
		text = "SELECT current_setting('data_directory') || '/postmaster.pid'"
	case "mariadb":
		text = "SELECT @@pid_file"
	default:
		return nil
	}
	if err := s.direct.QueryRowContext(b.Context(), text).Scan(&file); err != nil {
		b.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		b.Fatal(err)
	}
	return append(children(pid), pid)
}

func children(of int) (out []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range all {
		raw, err := os.ReadFile(name)
		if err != nil { // it has ended
			continue
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(of) {
			pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
			out = append(out, pid)
		}
	}
	return out
}

// cpu is what this process and others have computed so far: it does not depend on what else the machine does.
func cpu(others []int) (sum time.Duration) {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err == nil {
		sum = time.Duration(own.Utime.Nano() + own.Stime.Nano())
	}
	for _, pid := range others {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, name := range tasks {
			raw, err := os.ReadFile(name)
			if err != nil {
				continue
			}
			first, _, _ := strings.Cut(string(raw), " ")
			n, _ := strconv.ParseInt(first, 10, 64)
			sum += time.Duration(n)
		}
	}
	return sum
}

// counted is what cpu will be after nothing but counting: what counting costs is no part of the difference.
func counted(others []int) time.Duration {
	before := cpu(others)
	after := cpu(others)
	return after + after - before
}
