package deputy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/internal/sse"
	"example.com/deputy/store/sqlite"
	"example.com/deputy/transport/api"
)

// prose is a model that counts the customers and then says its words, each piece when it is let: every piece is enough to be an event.
type prose struct {
	pieces []string
	let    chan struct{} // one for each piece; closed: all
}

func newProse(word string, n int) *prose {
	p := &prose{let: make(chan struct{}, n)}
	for i := range n {
		p.pieces = append(p.pieces, strings.Repeat(fmt.Sprintf("%s-%04d ø🙂\n", word, i), 2048/10))
	}
	return p
}

func (p *prose) text() string { return strings.Join(p.pieces, "") }

// more lets the model say up to n pieces; whatever it is let beyond its last piece is dropped.
func (p *prose) more(n int) {
	for range n {
		select {
		case p.let <- struct{}{}:
		default:
		}
	}
}

// Info implements deputy.Model.
func (p *prose) Info() deputy.ModelInfo { return deputy.ModelInfo{Name: "prose", Provider: "test"} }

// Stream implements deputy.Model.
func (p *prose) Stream(ctx context.Context, r deputy.Request) iter.Seq2[deputy.Chunk, error] {
	return func(yield func(deputy.Chunk, error) bool) {
		if last := r.Messages[len(r.Messages)-1]; last.Role == deputy.FromPerson {
			call := &deputy.ToolCall{Tool: "count_records", Arguments: json.RawMessage(`{"table":"customers"}`)}
			yield(deputy.Chunk{Text: "I count.", Call: call, Stop: deputy.StopEnd}, nil)
			return
		}
		for _, piece := range p.pieces {
			select {
			case <-p.let:
			case <-ctx.Done():
				yield(deputy.Chunk{}, ctx.Err())
				return
			}
			if !yield(deputy.Chunk{Text: piece}, nil) {
				return
			}
		}
		yield(deputy.Chunk{Stop: deputy.StopEnd}, nil)
	}
}

// process is one of several on one store: an assistant with a handle of its own, served over HTTP to ann.
type process struct {
	*bench
	url  string
	stop func() // as a process that is asked to
}

func newProcess(t *testing.T, path string, change func(*deputy.Config)) process {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	b := setup(t, func(c *deputy.Config) {
		c.Store = store
		change(c)
	})
	b.store = store
	closing := make(chan struct{})
	srv := httptest.NewServer(api.New(b.door(), func(*http.Request) (deputy.Caller, error) { return ann(), nil }, api.Options{Closing: closing}))
	t.Cleanup(srv.Close)
	return process{b, srv.URL, func() {
		close(closing)
		srv.Close()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}}
}

// reader follows a turn over lines that break, and puts its text together as docs/http-api.md says.
type reader struct {
	t     *testing.T
	turn  string
	last  int64
	steps map[int]string
	end   deputy.TurnFinished
	begun int // how often a step was begun again
}

// follow reads up to bytes of the stream from after the last event on, and tells of each event.
func (r *reader) follow(url string, bytes int64, told func()) {
	r.t.Helper()
	ctx, hangUp := context.WithCancel(r.t.Context())
	defer hangUp()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/v1/turns/"+r.turn+"/events", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	if r.last > 0 {
		req.Header.Set("Last-Event-ID", fmt.Sprint(r.last))
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		r.t.Fatal(res.Status)
	}
	for e, err := range sse.Read(io.LimitReader(res.Body, bytes)) {
		if err != nil {
			r.t.Fatal(err)
		}
		r.take(e)
		told()
	}
}

func (r *reader) take(e sse.Event) {
	r.t.Helper()
	if e.ID <= r.last || r.end.State != "" {
		r.t.Errorf("event %d %s after %d, end %q", e.ID, e.Name, r.last, r.end.State)
	}
	r.last = e.ID
	switch e.Name {
	case deputy.EventTextDelta:
		var d deputy.Delta
		if err := json.Unmarshal(e.Data, &d); err != nil {
			r.t.Fatal(err)
		}
		if had := len(r.steps[d.Step]); d.At != had {
			r.begun++
			if d.At != 0 {
				r.t.Errorf("step %d goes on at %d, and we have %d", d.Step, d.At, had)
			}
		}
		r.steps[d.Step] = r.steps[d.Step][:d.At] + d.Text
	case deputy.EventTurnFinished:
		if err := json.Unmarshal(e.Data, &r.end); err != nil {
			r.t.Fatal(err)
		}
	}
}

// check compares what was followed with what was said.
func (r *reader) check(b *bench, want string) {
	r.t.Helper()
	if r.steps[1] != "I count." || r.steps[2] != want || r.end.Text != want || r.end.Reason != deputy.Answered {
		r.t.Errorf("read %q and %d bytes, told of %d, said %d; it ended %s", r.steps[1], len(r.steps[2]), len(r.end.Text), len(want), r.end.Reason)
	}
	turn, err := b.door().LookupTurn(r.t.Context(), ann(), r.turn)
	if err != nil {
		r.t.Fatal(err)
	}
	ms, err := b.door().Messages(r.t.Context(), ann(), turn.Conversation, 0, 100)
	if err != nil || ms[len(ms)-1].Text() != want {
		r.t.Error(err, len(ms))
	}
}

func begin(t *testing.T, b *bench) *reader {
	t.Helper()
	id, err := b.door().Start(t.Context(), ann(), deputy.TurnInput{Text: "how many, and what of them?"})
	if err != nil {
		t.Fatal(err)
	}
	return &reader{t: t, turn: id, steps: map[int]string{}}
}

// length is how many bytes a line lives, more with each: the last event holds the whole text.
func length(rnd *rand.Rand, lines int) int64 {
	return rnd.Int64N(12_000 + 1000*int64(lines)*int64(lines))
}

// TestFollowThroughRestarts follows a turn through a process that is started again and again beside the one that works on it, over lines
// that break anywhere, also within an event.
func TestFollowThroughRestarts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rnd, path := rand.New(rand.NewPCG(seed, 0)), filepath.Join(t.TempDir(), "deputy.db")
			model := newProse("word", 40)
			worker := newProcess(t, path, func(c *deputy.Config) { c.Models = []deputy.Model{model} })
			r, front, lines := begin(t, worker.bench), worker, 0
			for ; r.end.State == ""; lines++ {
				if rnd.IntN(3) == 0 {
					if front.bench != worker.bench {
						front.stop()
					}
					front = newProcess(t, path, func(*deputy.Config) {})
				}
				model.more(2) // so that there is always something to come
				r.follow(front.url, length(rnd, lines), func() { model.more(1) })
			}
			if r.check(worker.bench, model.text()); r.begun != 0 || lines < 5 {
				t.Errorf("begun again %d times, over %d lines", r.begun, lines)
			}
			late := &reader{t: t, turn: r.turn, steps: map[int]string{}}
			late.follow(worker.url, 1<<30, func() {})
			late.check(worker.bench, model.text())
		})
	}
}

// doomed are the turns of a process that dies: nothing more is written.
type doomed struct {
	deputy.Turns
	dead *atomic.Bool
}

func (d doomed) Commit(ctx context.Context, l deputy.Lease, s deputy.Step) error {
	if d.dead.Load() {
		return deputy.Errorf(deputy.Unavailable, "This process is dead.")
	}
	return d.Turns.Commit(ctx, l, s)
}

// TestFollowThroughDeath follows a turn whose process dies in the middle of a step: the next one says that step anew, and who follows has
// what it said, each word once.
func TestFollowThroughDeath(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rnd, path := rand.New(rand.NewPCG(seed, 1)), filepath.Join(t.TempDir(), "deputy.db")
			var dead atomic.Bool
			first, second := newProse("first", 80), newProse("second", 20)
			old := newProcess(t, path, func(c *deputy.Config) {
				c.Models, c.Store.Turns = []deputy.Model{first}, doomed{c.Store.Turns, &dead}
			})
			r := begin(t, old.bench)
			for read, until := 0, 5+rnd.IntN(10); read < until; {
				first.more(2)
				r.follow(old.url, rnd.Int64N(12_000), func() { read++; first.more(1) })
			}
			dead.Store(true)
			first.more(80)
			young := newProcess(t, path, func(c *deputy.Config) {
				c.Models, c.Directory = []deputy.Model{second}, people{"ann": ann().Person}
				now := c.Clock
				c.Clock = func() time.Time { return now().Add(time.Minute) }
			})
			before := r.last
			for lines := 0; r.end.State == ""; lines++ {
				second.more(2)
				r.follow(young.url, length(rnd, lines), func() { second.more(1) })
			}
			if r.check(young.bench, second.text()); r.begun != 1 || r.last < before+1000 {
				t.Errorf("begun again %d times, the last event is %d after %d", r.begun, r.last, before)
			}
		})
	}
}

// TestKeyAcrossProcesses sends one request at once to two processes on one store, and again after both were started anew.
func TestKeyAcrossProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deputy.db")
	ids := &atomic.Int64{}
	one := func() process {
		return newProcess(t, path, func(c *deputy.Config) { c.NewID = func() string { return fmt.Sprintf("%026d", ids.Add(1)) } })
	}
	here, there := one(), one()
	c, err := here.door().NewConversation(t.Context(), ann(), deputy.Conversation{})
	if err != nil {
		t.Fatal(err)
	}
	say := func(p process) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+"/v1/conversations/"+c.ID+"/turns", strings.NewReader(`{"text":"hello"}`))
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", "one")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		defer func() { _ = res.Body.Close() }()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Error(err)
		}
		return res.StatusCode, string(text)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if status, text := say([]process{here, there}[i%2]); status != http.StatusOK && status != http.StatusConflict {
				t.Error(status, text)
			}
		})
	}
	wg.Wait()
	_, first := say(here)
	here.stop()
	there.stop()
	anew := one()
	if status, text := say(anew); status != http.StatusOK || text != first {
		t.Errorf("%d\n%s\n%s", status, text, first)
	}
	ms, err := anew.door().Messages(t.Context(), ann(), c.ID, 0, 100)
	if err != nil || len(ms) != 2 {
		t.Error(err, ms)
	}
}
