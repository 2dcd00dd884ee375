package terminal

import (
	"bytes"
	"io"
	"sync"
)

const (
	ctrlC = 3
	// mostAhead is how much may be typed before it is read; what is more is lost.
	mostAhead = 256 << 10
	// abort ends a paste, clears the line, and ends it.
	abort = "\x1b[201~\x05\x15\r"
)

// keys are what was pressed and not read yet. It gives a reader one line at a time, so that nothing of the next one is in its hands.
type keys struct {
	interrupts chan struct{}

	mu          sync.Mutex
	come        *sync.Cond
	ahead       []byte
	closed      bool
	reading     bool
	interrupted bool
	pressed     int
}

func newKeys() *keys {
	k := &keys{interrupts: make(chan struct{}, 1)}
	k.come = sync.NewCond(&k.mu)
	return k
}

// pump takes keys from a terminal until it ends.
func (k *keys) pump(in io.Reader) {
	defer k.close()
	buf := make([]byte, 4096)
	for {
		n, err := in.Read(buf)
		k.press(buf[:n])
		if err != nil {
			return
		}
	}
}

func (k *keys) press(b []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range b {
		if key != ctrlC {
			k.pressed = 0
			if len(k.ahead) < mostAhead {
				k.ahead = append(k.ahead, key)
			}
			continue
		}
		k.pressed++
		k.ahead = k.ahead[:0]
		if k.reading {
			k.interrupted = true
			k.ahead = append(k.ahead, abort...)
			continue
		}
		select {
		case k.interrupts <- struct{}{}:
		default:
		}
	}
	k.come.Broadcast()
}

// Read implements io.Reader: it waits for keys, and gives them up to the end of a line.
func (k *keys) Read(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.ahead) == 0 && !k.closed {
		k.come.Wait()
	}
	if len(k.ahead) == 0 {
		return 0, io.EOF
	}
	n := len(k.ahead)
	if i := bytes.IndexAny(k.ahead, "\r\n"); i >= 0 {
		n = i + 1
	}
	n = copy(p, k.ahead[:n])
	k.ahead = append(k.ahead[:0], k.ahead[n:]...)
	return n, nil
}

func (k *keys) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	k.come.Broadcast()
}

// begin is called before a line is read; fresh forgets what was pressed so far. An interrupt that nobody heeded was of what is over.
func (k *keys) begin(fresh bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-k.interrupts:
	default:
	}
	if fresh {
		k.ahead = k.ahead[:0]
	}
	k.reading, k.interrupted = true, false
}

func (k *keys) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reading = false
}

func (k *keys) wasInterrupted() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.interrupted
}

func (k *keys) presses() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.pressed
}
