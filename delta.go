package deputy

import (
	"context"
	"sync"
	"time"
)

// flushes bound how often text becomes an event: a write for many tokens.
const (
	flushEvery = 250 * time.Millisecond
	flushBytes = 2 << 10
)

// ask calls the model and turns what grows into events.
func (r *runner) ask(ctx context.Context, req prompt) (*answer, error) {
	t := &teller{r: r, ctx: ctx, step: r.in.turn.Step + 1, last: time.Now()}
	ans, err := r.a.askModel(ctx, req, func(ans *answer) error {
		return t.grown(ans.text.String(), ans.reasoning.String())
	})
	if told := t.end(); err == nil {
		err = told
	}
	return ans, err
}

// teller tells of an answer while it grows: at once where the last event is some time ago or there is much, else a little later, whether or not
// the model goes on.
type teller struct {
	r    *runner
	ctx  context.Context
	step int

	mu              sync.Mutex
	text, reasoning string // so far
	said, thought   int    // how much of them is told
	last            time.Time
	timer           *time.Timer
	err             error
}

func (t *teller) grown(text, reasoning string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text, t.reasoning = text, reasoning
	more := len(text) - t.said + len(reasoning) - t.thought
	wait := flushEvery - time.Since(t.last)
	switch {
	case more >= flushBytes || more > 0 && wait <= 0:
		t.tell()
	case more > 0 && t.timer == nil:
		t.timer = time.AfterFunc(wait, t.due)
	}
	return t.err
}

func (t *teller) due() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tell()
}

// tell commits what is not told yet.
func (t *teller) tell() {
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	es := t.deltas()
	if t.err != nil || len(es) == 0 {
		return
	}
	t.err = t.r.commit(t.ctx, Step{Events: es})
	t.last = time.Now()
}

// end tells the rest.
func (t *teller) end() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tell()
	return t.err
}

// deltas are the events for what has grown since.
func (t *teller) deltas() (es []Event) {
	if len(t.reasoning) > t.thought {
		es = append(es, event(EventReasoningDelta, Delta{t.step, t.thought, t.reasoning[t.thought:]}))
	}
	if len(t.text) > t.said {
		es = append(es, event(EventTextDelta, Delta{t.step, t.said, t.text[t.said:]}))
	}
	t.thought, t.said = len(t.reasoning), len(t.text)
	return es
}
