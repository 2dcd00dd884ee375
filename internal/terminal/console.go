package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// ErrInterrupt is the answer of Line to Ctrl-C.
var ErrInterrupt = errors.New("interrupted")

// MostTyped is how many characters a line that is typed can have.
const MostTyped = 4096

// On says whether a person sits at both: a terminal that can move its cursor.
func On(in io.Reader, out io.Writer) bool {
	i, ok := in.(*os.File)
	o, also := out.(*os.File)
	return ok && also && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(i.Fd())) && term.IsTerminal(int(o.Fd()))
}

// Console is a terminal that a person types at. Keys are read all the time, so that Ctrl-C is seen while something is written. Line is called
// by one at a time, Write and Status by any number.
type Console struct {
	out    *os.File
	before *term.State
	input  int // descriptor of what is read
	keys   *keys
	lines  *term.Terminal
	recall *recall
	colour bool

	mu     sync.Mutex
	status bool // a status line is shown
}

// Open takes a terminal over until Close. What is read from in goes to the console from then on, until the process ends.
func Open(in, out *os.File) (*Console, error) {
	fd := int(in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, err
	}
	c := &Console{out: out, before: before, input: fd, keys: newKeys(), recall: &recall{}, colour: os.Getenv("NO_COLOR") == ""}
	c.lines = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{c.keys, out}, "")
	c.lines.History = c.recall
	c.lines.SetBracketedPasteMode(true)
	go c.keys.pump(in)
	return c, nil
}

// Close gives the terminal back as it was.
func (c *Console) Close() error {
	c.keys.close()
	c.Status("")
	c.lines.SetBracketedPasteMode(false)
	return term.Restore(c.input, c.before)
}

// Width is how many columns there are now.
func (c *Console) Width() int {
	w, _, err := term.GetSize(int(c.out.Fd()))
	if err != nil || w <= 0 {
		return 80
	}
	return w
}

// Write implements io.Writer. It takes text as it is: what comes from elsewhere goes through Exact or Plain first.
func (c *Console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wipe()
	return c.lines.Write(p)
}

// Status shows a line that stands until something else is written; empty takes it away.
func (c *Console) Status(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wipe()
	if text = Cut(Exact(text), c.Width()-1); text != "" {
		c.status = true
		_, _ = io.WriteString(c.out, c.Paint(Faint, text)) // as all writing: a terminal that is gone is not ours to mend
	}
}

func (c *Console) wipe() {
	if c.status {
		c.status = false
		_, _ = io.WriteString(c.out, "\r\x1b[K")
	}
}

// Style is how a text looks.
type Style string

// The styles.
const (
	Faint  Style = "2"
	Bold   Style = "1"
	Red    Style = "31"
	Yellow Style = "33"
)

// Paint puts a text in a style, unless the person wants no colours (NO_COLOR).
func (c *Console) Paint(s Style, text string) string {
	if !c.colour || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// Line reads a line, with what was typed before the prompt was shown. Lines that are pasted together are one text: pasted is true, and Enter
// ends it. A fresh one is an answer to what stands on the screen now: what was pressed before is forgotten, and the arrow up knows nothing of it.
// Errors: ErrInterrupt for Ctrl-C, io.EOF for Ctrl-D, for the end of the terminal, and for that of ctx.
func (c *Console) Line(ctx context.Context, prompt string, fresh bool) (text string, pasted bool, err error) {
	defer context.AfterFunc(ctx, c.keys.close)()
	c.Status("")
	_ = c.lines.SetSize(c.Width(), 24) // nothing is on the line yet
	c.lines.SetPrompt(prompt)
	c.recall.on = !fresh
	c.keys.begin(fresh)
	defer c.keys.end()
	var lines []string
	for {
		line, err := c.lines.ReadLine()
		if c.keys.wasInterrupted() {
			return "", false, ErrInterrupt
		}
		if err != nil && !errors.Is(err, term.ErrPasteIndicator) {
			_, _ = io.WriteString(c.out, "\r\n") // away from the prompt
			return "", false, err
		}
		if lines = append(lines, line); err == nil {
			return strings.Join(lines, "\n"), len(lines) > 1, nil
		}
		c.lines.SetPrompt("  ")
	}
}

// Interrupts tells of every Ctrl-C while no line is read.
func (c *Console) Interrupts() <-chan struct{} { return c.keys.interrupts }

// Presses is how often Ctrl-C was pressed last, without any other key in between.
func (c *Console) Presses() int { return c.keys.presses() }

// Remember keeps a line for the arrow up, as if it had been typed; one that could not be shown as it is, is not kept.
func (c *Console) Remember(line string) {
	if Exact(line) == line {
		c.recall.lines = append(c.recall.lines, line)
	}
}

// recall are the lines that were typed. It implements term.History.
type recall struct {
	lines []string
	on    bool
}

// Add implements term.History.
func (r *recall) Add(line string) {
	if r.on && strings.TrimSpace(line) != "" && (len(r.lines) == 0 || r.lines[len(r.lines)-1] != line) {
		r.lines = append(r.lines, line)
	}
}

// Len implements term.History.
func (r *recall) Len() int {
	if !r.on {
		return 0
	}
	return len(r.lines)
}

// At implements term.History.
func (r *recall) At(i int) string { return r.lines[len(r.lines)-1-i] }
