package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"time"

	"example.com/deputy"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"
)

const attempts = 3

var (
	errGone  = errors.New("the reader broke off") // never leaves this package
	errQuiet = errors.New("the server sent nothing for too long")
)

// Stream implements deputy.Model. Every error is a *deputy.Error.
func (m *model) Stream(ctx context.Context, r deputy.Request) iter.Seq2[deputy.Chunk, error] {
	return func(yield func(deputy.Chunk, error) bool) {
		out := &sink{yield: yield}
		err := m.insist(ctx, r, out)
		var f *failure
		switch {
		case err == nil, errors.Is(err, errGone):
		case errors.As(err, &f) && f.filtered:
			yield(deputy.Chunk{Stop: deputy.StopRefused}, nil)
		default:
			yield(deputy.Chunk{}, m.explain(ctx, err))
		}
	}
}

// sink is where chunks go, and whether any went.
type sink struct {
	yield func(deputy.Chunk, error) bool
	began bool
}

func (s *sink) send(c deputy.Chunk) error {
	s.began = true
	if !s.yield(c, nil) {
		return errGone
	}
	return nil
}

// insist tries, and tries again where that may help and nothing was yielded.
func (m *model) insist(ctx context.Context, r deputy.Request, out *sink) error {
	for n := 0; ; n++ {
		err := m.attempt(ctx, r, out)
		var f *failure
		if err == nil || out.began || ctx.Err() != nil || !errors.As(err, &f) {
			return err
		}
		if f.noUsage && m.noUsage.CompareAndSwap(false, true) {
			continue
		}
		if !f.again || n+1 >= attempts || f.after > longestWait {
			return err
		}
		if m.wait(ctx, m.delay(n, f.after)) != nil {
			return err
		}
	}
}

const (
	firstWait   = 500 * time.Millisecond
	longestWait = 30 * time.Second
)

// delay grows from half a second, shortened at random by up to a half; what the vendor asked for is waited whole.
func (m *model) delay(n int, asked time.Duration) time.Duration {
	d := firstWait << (2 * n)
	d -= time.Duration(m.random() * float64(d) / 2)
	return max(d, asked)
}

// attempt sends one request and reads its answer.
func (m *model) attempt(ctx context.Context, r deputy.Request, out *sink) error {
	body, held, err := m.encode(r)
	if err != nil {
		return &failure{code: deputy.Internal, sentence: "The request for the model %q could not be written.", cause: err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(m.quiet, func() { cancel(errQuiet) })
	defer timer.Stop()
	res, err := m.post(ctx, body)
	if err != nil {
		return lost(ctx, err)
	}
	w := &watched{ReadCloser: res.Body, timer: timer, quiet: m.quiet}
	defer func() { _ = w.Close() }()
	a := answer{held: held, out: out, ended: func() { w.quiet = m.linger }}
	return lost(ctx, a.read(w))
}

// answer is what has been read of one.
type answer struct {
	held  map[string]json.RawMessage
	out   *sink
	ended func() // called once the reason to stop is known

	calls   calls
	usage   *deputy.Usage
	stop    deputy.Stop // empty until known
	refused bool
}

// read yields what comes, and the calls and the reason to stop at the end. What begins like a JSON document is one: a server that does
// not stream.
func (a *answer) read(body io.Reader) error {
	in := bufio.NewReader(io.LimitReader(body, answerLimit))
	first, err := begin(in)
	if err != nil {
		return broken(err)
	}
	switch first {
	case '{':
		err = a.document(in)
	case '<':
		return &failure{code: deputy.Unavailable, sentence: notAnAnswer, cause: errors.New("the answer is a web page")}
	default:
		err = a.events(in)
	}
	var f *failure
	if err != nil && (a.stop == "" || !errors.As(err, &f) || !f.cut) {
		return err
	}
	return a.finish()
}

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

// events reads server-sent events. The last may lack its empty line.
func (a *answer) events(in io.Reader) error {
	whole := io.NopCloser(io.MultiReader(in, bytes.NewReader([]byte("\n\n"))))
	d := ssestream.NewDecoder(&http.Response{Body: whole})
	for d.Next() {
		e := d.Event()
		data := bytes.TrimSpace(e.Data)
		if bytes.HasPrefix(data, []byte("[DONE]")) {
			if a.stop == "" {
				a.stop = deputy.StopEnd
			}
			return nil
		}
		if len(data) == 0 {
			continue
		}
		if err := a.chunk(e.Type, data); err != nil {
			return err
		}
	}
	if d.Err() != nil {
		return broken(d.Err())
	}
	if a.stop == "" {
		return broken(io.ErrUnexpectedEOF)
	}
	return nil
}

// document reads a whole answer as if it were one chunk: its message is the delta.
func (a *answer) document(in io.Reader) error {
	raw, err := io.ReadAll(in)
	if err != nil {
		return broken(err)
	}
	var doc struct {
		Choices []map[string]json.RawMessage `json:"choices"`
		Usage   json.RawMessage              `json:"usage,omitempty"`
	}
	if err := vendorFailure("", raw); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &doc); err != nil || len(doc.Choices) == 0 || doc.Choices[0]["message"] == nil {
		return unreadable()
	}
	doc.Choices[0]["delta"] = doc.Choices[0]["message"]
	delete(doc.Choices[0], "message")
	if raw, err = json.Marshal(doc); err != nil {
		return unreadable()
	}
	if err := a.chunk("", raw); err != nil {
		return err
	}
	if a.stop == "" {
		a.stop = deputy.StopEnd
	}
	return nil
}

func (a *answer) chunk(kind string, data []byte) error {
	if err := vendorFailure(kind, data); err != nil {
		return err
	}
	var c sdk.ChatCompletionChunk
	if err := json.Unmarshal(data, &c); err != nil {
		return unreadable()
	}
	a.count(c)
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		if err := a.delta(choice.Delta); err != nil {
			return err
		}
		if err := a.reason(choice.FinishReason); err != nil {
			return err
		}
	}
	return nil
}

// delta yields reasoning before text: that is the order they are made in.
func (a *answer) delta(d sdk.ChatCompletionChunkChoiceDelta) error {
	if r := reasoning(d); r != "" {
		if err := a.out.send(deputy.Chunk{Reasoning: r}); err != nil {
			return err
		}
	}
	a.refused = a.refused || d.Refusal != ""
	if t := d.Content + d.Refusal; t != "" {
		if err := a.out.send(deputy.Chunk{Text: t}); err != nil {
			return err
		}
	}
	for _, c := range d.ToolCalls {
		a.calls.add(c)
	}
	if len(a.calls.all) > callLimit {
		return unreadable()
	}
	return nil
}

// reasoning is under one of two names, outside what the vendor publishes; some servers send both with the same text.
func reasoning(d sdk.ChatCompletionChunkChoiceDelta) string {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		var s string
		if json.Unmarshal([]byte(d.JSON.ExtraFields[name].Raw()), &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// count keeps the newest usage: some servers send a running sum with every chunk.
func (a *answer) count(c sdk.ChatCompletionChunk) {
	if !c.JSON.Usage.Valid() {
		return
	}
	u := c.Usage
	a.usage = &deputy.Usage{
		Input:       max(0, u.PromptTokens),
		CachedInput: max(0, min(u.PromptTokens, u.PromptTokensDetails.CachedTokens)),
		Output:      max(0, u.CompletionTokens),
	}
}

func (a *answer) reason(r string) error {
	switch r {
	case "":
		return nil
	case "length", "max_tokens", "model_length":
		a.stop = deputy.StopLength
	case "content_filter", "refusal":
		a.stop = deputy.StopRefused
	case "error", "abort", "network_error", "insufficient_system_resource":
		return broken(errors.New("the server gave up on the answer"))
	default:
		a.stop = deputy.StopEnd
	}
	a.ended()
	return nil
}

func (a *answer) finish() error {
	for _, c := range a.calls.done(a.held) {
		if err := a.out.send(deputy.Chunk{Call: &c}); err != nil {
			return err
		}
	}
	if a.refused && a.stop == deputy.StopEnd {
		a.stop = deputy.StopRefused
	}
	return a.out.send(deputy.Chunk{Usage: a.usage, Stop: a.stop})
}
