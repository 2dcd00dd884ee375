package terminal

import (
	"io"
	"strings"
	"testing"
)

func read(t *testing.T, k *keys) string {
	t.Helper()
	buf := make([]byte, 256)
	n, err := k.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	return string(buf[:n])
}

func TestKeysComeALineAtATime(t *testing.T) {
	t.Parallel()
	k := newKeys()
	k.press([]byte("one\rtwo\rth"))
	for _, want := range []string{"one\r", "two\r", "th"} {
		if got := read(t, k); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	k.press([]byte("yes\r"))
	k.begin(true)
	k.press([]byte("n\r"))
	if got := read(t, k); got != "n\r" {
		t.Errorf("what was typed ahead counts: %q", got)
	}
	k.press([]byte(strings.Repeat("x", mostAhead+10)))
	if len(k.ahead) != mostAhead {
		t.Errorf("%d are kept", len(k.ahead))
	}
	k.press([]byte{ctrlC})
	k.close()
	if got := read(t, k); got != abort {
		t.Errorf("%q", got)
	}
	if _, err := k.Read(make([]byte, 1)); err != io.EOF {
		t.Error(err)
	}
}

func TestCtrlC(t *testing.T) {
	t.Parallel()
	k := newKeys()
	k.press([]byte("ahead\x03"))
	if len(k.ahead) != 0 || k.presses() != 1 || k.wasInterrupted() {
		t.Errorf("%q %d", k.ahead, k.presses())
	}
	<-k.interrupts
	k.begin(false)
	k.press([]byte{ctrlC})
	if !k.wasInterrupted() || k.presses() != 2 || len(k.interrupts) != 0 || read(t, k) != abort {
		t.Errorf("%d", k.presses())
	}
	k.end()
	k.press([]byte("a"))
	if k.presses() != 0 {
		t.Errorf("%d", k.presses())
	}
	k.press([]byte{ctrlC, ctrlC})
	if len(k.interrupts) != 1 || k.presses() != 2 {
		t.Errorf("%d %d", len(k.interrupts), k.presses())
	}
}

func TestRecall(t *testing.T) {
	t.Parallel()
	c := &Console{recall: &recall{on: true}}
	for _, line := range []string{"one", "two", "two", " "} {
		c.recall.Add(line)
	}
	c.Remember("bad\u202eline")
	c.Remember("three")
	if r := c.recall; r.Len() != 3 || r.At(0) != "three" || r.At(2) != "one" {
		t.Errorf("%q", r.lines)
	}
	c.recall.on = false
	if c.recall.Add("y"); c.recall.Len() != 0 || len(c.recall.lines) != 3 {
		t.Errorf("%q", c.recall.lines)
	}
}
