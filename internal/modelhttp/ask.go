package modelhttp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"
)

// Call is one question. It is asked at most three times, with growing random pauses, and never again once Begun.
type Call struct {
	Path string                 // under the base URL
	Body func() ([]byte, error) // asked for before each attempt
	Read func(*Body) error      // reads an answer that was a success
	// Begun says whether something of the answer has been handed on.
	Begun func() bool
	// Relax leaves an option out of later bodies, if that is what the server did not accept; it is asked again at once then. Nil: nothing can be left out.
	Relax func(*Failure) bool
}

const attempts = 3

// Waits between attempts: the first, and the longest that a server may ask for.
const (
	firstWait   = 500 * time.Millisecond
	longestWait = 30 * time.Second
)

// Ask asks, and asks again where that may help. Its errors are ErrGone, *Failure, or what Call.Read gave.
func (c *Client) Ask(ctx context.Context, q Call) error {
	for n := 0; ; n++ {
		err := c.attempt(ctx, q)
		var f *Failure
		if err == nil || q.Begun() || ctx.Err() != nil || !errors.As(err, &f) {
			return err
		}
		if f.rejected && q.Relax != nil && q.Relax(f) {
			n--
			continue
		}
		if !f.Again || n+1 >= attempts || f.After > longestWait {
			return err
		}
		if c.Wait(ctx, c.delay(n, f.After)) != nil {
			return err
		}
	}
}

// delay grows from half a second, shortened at random by up to a half; what the server asked for is waited whole.
func (c *Client) delay(n int, asked time.Duration) time.Duration {
	d := firstWait << (2 * n)
	d -= time.Duration(c.Random() * float64(d) / 2)
	return max(d, asked)
}

// attempt sends one request and reads its answer.
func (c *Client) attempt(ctx context.Context, q Call) error {
	body, err := q.Body()
	if err != nil {
		return &Failure{Code: Internal, Sentence: "The request for the model %q could not be written.", Cause: err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(c.Quiet, func() { cancel(errQuiet) })
	defer timer.Stop()
	res, err := c.post(ctx, q.Path, body)
	if err != nil {
		return lost(ctx, err)
	}
	w := &watched{ReadCloser: res.Body, timer: timer, quiet: c.Quiet}
	defer func() { _ = w.Close() }()
	in := bufio.NewReader(io.LimitReader(w, AnswerLimit))
	first, err := begin(in)
	if err != nil {
		return lost(ctx, Broken(err))
	}
	if first == '<' {
		return &Failure{Code: Unavailable, Sentence: notAnAnswer, Cause: errors.New("the answer is a web page")}
	}
	return lost(ctx, q.Read(&Body{Reader: in, Document: first == '{', ended: func() { w.end = time.Now().Add(c.Linger) }}))
}

// Body is an answer as it comes.
type Body struct {
	io.Reader
	Document bool // it begins like a JSON object: the server does not stream
	ended    func()
}

// Ended says that all that matters has been read: what may still follow is waited for only shortly, however much of it comes.
func (b *Body) Ended() { b.ended() }

// begin skips white space and a byte order mark.
func begin(in *bufio.Reader) (byte, error) {
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		_, _ = in.Discard(3) // they are buffered
	}
	for {
		b, err := in.ReadByte()
		if errors.Is(err, io.EOF) {
			return 0, errors.New("the answer is empty")
		}
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\n' && b != '\r' && b != '\t' {
			return b, in.UnreadByte()
		}
	}
}

// watched cancels a request whose server has sent nothing for a while. The clock runs only while something is waited for.
type watched struct {
	io.ReadCloser
	timer *time.Timer // cancels
	quiet time.Duration
	end   time.Time // zero: not known yet
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	wait := w.quiet
	if !w.end.IsZero() {
		wait = min(wait, time.Until(w.end))
	}
	w.timer.Reset(wait)
	defer w.timer.Stop()
	return w.ReadCloser.Read(p)
}

// pause sleeps, unless ctx ends or would end before.
func pause(ctx context.Context, d time.Duration) error {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return context.DeadlineExceeded
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
