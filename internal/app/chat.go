package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/deputy"
	"example.com/deputy/internal/near"
	"example.com/deputy/internal/terminal"
)

type chatCommand struct {
	ConfigPath   string `name:"config" default:"deputy.yaml" help:"The configuration file."`
	As           string `required:"" placeholder:"ID" help:"Who you are: an id of auth.tokens."`
	Conversation string `placeholder:"ID" help:"Go on with this conversation; --list names them."`
	List         bool   `help:"List your conversations, newest first, and end."`
}

// leaving is how long what runs may take to end when the person leaves: whoever pressed Ctrl-C twice does not want to wait.
const leaving = 2 * time.Second

// Run talks with a person at a terminal; in a pipe it answers once.
func (c *chatCommand) Run(in invocation) error {
	d, err := load(c.ConfigPath)
	if err != nil {
		return err
	}
	if d.Limits.Shutdown == 0 || d.Limits.Shutdown.std() > leaving {
		d.Limits.Shutdown = Duration(leaving)
	}
	log := &relay{to: in.errOut}
	p, err := build(in.ctx, d, newLog(log, LogConfig{}, slog.LevelWarn))
	if err != nil {
		return err
	}
	return errors.Join(c.run(in, p, log), p.Close())
}

func (c *chatCommand) run(in invocation, p *parts, log *relay) error {
	who, err := p.personAt(c.As, deputy.Chat)
	if err != nil {
		return err
	}
	door := p.assistant.Door(deputy.Chat)
	me, err := door.Me(in.ctx, who)
	if err != nil {
		return spoken(err)
	}
	ch := &chat{ctx: in.ctx, door: door, who: who, out: in.out, conversation: c.Conversation, zone: door.Zone(who), now: time.Now, labels: map[string]string{}}
	for _, t := range me.Tables {
		ch.labels[t.Table] = t.Label
	}
	if c.Conversation != "" {
		if _, err := door.Conversation(in.ctx, who, c.Conversation); err != nil {
			return spoken(notYours(err, "--conversation "+c.Conversation))
		}
	}
	switch {
	case c.List:
		return spoken(ch.list())
	case !terminal.On(in.in, in.out):
		return ch.once(in.in)
	}
	console, err := terminal.Open(in.in.(*os.File), in.out.(*os.File))
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	ch.out, ch.console = console, console
	if terminal.On(in.in, in.errOut) {
		log.become(logLines{console})
		defer log.become(in.errOut)
	}
	return errors.Join(ch.session(me), console.Close())
}

// personAt is the person with an id of auth.tokens, if their token is good for a channel.
func (p *parts) personAt(id string, channel deputy.Channel) (deputy.Caller, error) {
	who, err := p.personNamed(id)
	for _, t := range p.tokens.all {
		if t.person.ID == id && !slices.Contains(t.channels, channel) {
			return deputy.Caller{}, usageError{fmt.Sprintf("--as %s: this token may not be used here: add %s to its channels", id, channel)}
		}
	}
	return who, err
}

// personNamed is the person that --as names, as if their token had been shown.
func (p *parts) personNamed(id string) (deputy.Caller, error) {
	who, ok := p.tokens.byID(id)
	if !ok {
		var ids []string
		for _, t := range p.Auth.Tokens {
			ids = append(ids, t.ID)
		}
		return who, usageError{fmt.Sprintf("--as %s: no such id in auth.tokens%s", id, near.Hint(id, ids))}
	}
	return who, nil
}

// notYours makes a mistake of the command line of what does not exist for the person.
func notYours(err error, what string) error {
	if deputy.CodeOf(err) == deputy.NotFound {
		return usageError{what + ": there is no such conversation of yours; --list names them"}
	}
	return err
}

// spoken is an error with the sentence for the person as its text; the cause is in the operator's log.
func spoken(err error) error {
	if usage := (usageError{}); err == nil || errors.As(err, &usage) || errors.Is(err, errLeft) {
		return err
	}
	return errors.New(deputy.MessageOf(err))
}

// chat is a person who talks with the assistant by text.
type chat struct {
	ctx          context.Context
	door         *deputy.Door
	who          deputy.Caller
	zone         *time.Location
	now          func() time.Time
	out          io.Writer
	console      *terminal.Console // nil: nobody sits there
	conversation string            // empty: the next turn begins one
	labels       map[string]string // of tables, by name
	last         *deputy.Shows     // the rows shown last
	block        string            // what kind of thing was written last
	inset        int               // columns that stand before what is written
}

// mostSaid bounds what is read from a pipe; the assistant has its own bound below it.
const mostSaid = 1 << 20

// once takes all that comes on standard input as one message, and answers it.
func (c *chat) once(in io.Reader) error {
	text, err := c.readAll(in)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return usageError{"nothing on standard input: write what you want to say there, as in echo 'open tickets' | deputy chat --as ID"}
	}
	t, err := c.turn(text)
	if err != nil {
		return spoken(err)
	}
	if t.finished.Reason != deputy.Answered {
		return errors.New(why(t.finished))
	}
	return nil
}

// readAll reads to the end, or to that of the context.
func (c *chat) readAll(in io.Reader) (string, error) {
	type read struct {
		text []byte
		err  error
	}
	all := make(chan read, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(in, mostSaid))
		all <- read{text, err}
	}()
	select {
	case r := <-all:
		return strings.TrimRight(string(r.text), "\r\n"), r.err
	case <-c.ctx.Done():
		return "", errLeft
	}
}

// errLeft ends a conversation: the person has gone.
var errLeft = errors.New("stopped before it was answered")

// say writes a paragraph of our own or of others, made plain and broken to the width.
func (c *chat) say(s terminal.Style, text string) {
	c.begin("note")
	c.paragraph(s, text)
}

// paragraph is what say writes, right below what stands there.
func (c *chat) paragraph(s terminal.Style, text string) {
	var b strings.Builder
	p := terminal.NewProse(&b, c.width())
	p.Write(text)
	p.End()
	c.write(c.paint(s, strings.TrimSuffix(b.String(), "\n")) + "\n")
}

// begin keeps an empty line between things of different kinds.
func (c *chat) begin(block string) {
	if c.block != "" && c.block != block {
		c.write("\n")
	}
	c.block = block
}

// write puts text out that is harmless already.
func (c *chat) write(text string) { _, _ = io.WriteString(c.out, text) } // a reader that is gone is not ours to mend

func (c *chat) paint(s terminal.Style, text string) string {
	if c.console == nil || s == "" {
		return text
	}
	return c.console.Paint(s, text)
}

func (c *chat) status(text string) {
	if c.console != nil {
		c.console.Status(text)
	}
}

// mostWide is how long lines of running text are at most.
const mostWide = 100

// width is of running text; 0 in a pipe, where lines are not broken.
func (c *chat) width() int { return min(c.room(), mostWide) }

// room is the width that there is, 0 in a pipe.
func (c *chat) room() int {
	if c.console == nil {
		return 0
	}
	return max(20, c.console.Width()-1-c.inset)
}

// relay is a writer that can become another.
type relay struct {
	mu sync.Mutex
	to io.Writer
}

func (r *relay) become(w io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = w
}

// Write implements io.Writer.
func (r *relay) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.to.Write(p)
}

// logLines are lines of the operator's log on a terminal.
type logLines struct{ console *terminal.Console }

// Write implements io.Writer.
func (l logLines) Write(p []byte) (int, error) {
	_, err := io.WriteString(l.console, l.console.Paint(terminal.Faint, strings.TrimSuffix(terminal.Plain(string(p)), "\n"))+"\n")
	return len(p), err
}
