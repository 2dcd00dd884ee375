package api

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/deputy"
	"example.com/deputy/internal/decimal"
	"example.com/deputy/internal/redact"
	"example.com/deputy/internal/sse"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// alive is how often a stream says that it is.
const alive = 15 * time.Second

type turnJSON struct {
	ID           string            `json:"id"`
	Conversation string            `json:"conversation"`
	State        deputy.TurnState  `json:"state"`
	Reason       *deputy.Reason    `json:"reason"`
	Text         string            `json:"text"`
	Proposals    []proposalJSON    `json:"proposals"`
	Displays     []json.RawMessage `json:"displays"`
	Usage        usageJSON         `json:"usage"`
	StartedAt    time.Time         `json:"started_at"`
	FinishedAt   *time.Time        `json:"finished_at"`
}

type usageJSON struct {
	Input       int64   `json:"input"`
	CachedInput int64   `json:"cached_input"`
	Output      int64   `json:"output"`
	Cost        *string `json:"cost" doc:"Decimal; null where no price is known"`
}

type postTurnInput struct {
	ID     string `path:"id"`
	Accept string `header:"Accept" json:"-"` // the form of the answer is no part of what is asked for
	Body   struct {
		Text   string      `json:"text"`
		Screen *screenJSON `json:"screen,omitempty"`
	}
}

type screenJSON struct {
	Table  string `json:"table"`
	Record string `json:"record,omitempty"`
	Where  string `json:"where,omitempty"`
}

type turnOutput struct{ Body turnJSON }

func (s *server) newTurn() action[postTurnInput, huma.StreamResponse] {
	return action[postTurnInput, huma.StreamResponse]{prefix: "trn_", do: s.startTurn, tell: s.tellTurn}
}

// startTurn starts a turn, which does not live in the connection.
func (s *server) startTurn(ctx context.Context, who deputy.Caller, in *postTurnInput, id string) (string, error) {
	input := deputy.TurnInput{ID: id, Conversation: in.ID, Text: in.Body.Text}
	if c := in.Body.Screen; c != nil {
		input.Screen = &deputy.Screen{Table: c.Table, Record: c.Record, Where: c.Where}
	}
	return s.door.Start(ctx, who, input)
}

// tellTurn streams a turn from its start, or waits for its end.
func (s *server) tellTurn(ctx context.Context, who deputy.Caller, in *postTurnInput, id string) (*huma.StreamResponse, error) {
	if strings.Contains(in.Accept, "text/event-stream") {
		return s.followTurn(ctx, who, &followTurnInput{ID: id})
	}
	t, err := s.finishedTurn(ctx, who, id)
	if err != nil {
		return nil, err
	}
	return answer(http.StatusOK, t), nil
}

type followTurnInput struct {
	ID          string `path:"id"`
	LastEventID int64  `header:"Last-Event-ID" minimum:"0" doc:"Events after this one"`
}

func (s *server) followTurn(ctx context.Context, who deputy.Caller, in *followTurnInput) (*huma.StreamResponse, error) {
	if _, err := s.door.LookupTurn(ctx, who, in.ID); err != nil {
		return nil, err
	}
	return s.stream(s.door.Follow, who, in.ID, in.LastEventID), nil
}

type follower func(ctx context.Context, who deputy.Caller, turn string, after int64) iter.Seq2[deputy.Event, error]

func (s *server) stream(follow follower, who deputy.Caller, turn string, after int64) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(c huma.Context) {
		r, w := humago.Unwrap(c)
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.open, cancel)()
		out, err := sse.NewWriter(w)
		if err != nil {
			return // the line is gone; the turn is not
		}
		if err := copyEvents(ctx, out, follow(ctx, who, turn, after)); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "api: a stream broke off", "turn", turn, "error", redact.Error(err))
		}
	}}
}

// copyEvents sends events as they come, and a comment in every quiet spell. It ends with the events, or when ctx does.
func copyEvents(ctx context.Context, out *sse.Writer, events iter.Seq2[deputy.Event, error]) error {
	q := &quiet{out: out}
	defer q.end()
	q.mu.Lock()
	q.timer = time.AfterFunc(alive, q.comment)
	q.mu.Unlock()
	for e, err := range events {
		if err != nil {
			return err
		}
		if err := q.send(sse.Event{ID: e.Seq, Name: e.Name, Data: e.Data}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// quiet breaks the silence between the events of a stream, without a goroutine of its own.
type quiet struct {
	mu    sync.Mutex
	out   *sse.Writer
	timer *time.Timer
	ended bool
}

func (q *quiet) send(e sse.Event) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.out.Send(e)
}

func (q *quiet) comment() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.ended && q.out.Comment("still here") == nil { // a reader that is gone ends the request's context
		q.timer.Reset(alive)
	}
}

// end waits for a comment that is being written: nothing is written once the handler has returned.
func (q *quiet) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.timer.Stop()
}

func (s *server) getTurn(ctx context.Context, who deputy.Caller, in *idInput) (*turnOutput, error) {
	t, err := s.door.LookupTurn(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	if t.State == deputy.TurnRunning {
		return &turnOutput{turn(t)}, nil
	}
	out, err := s.finishedTurn(ctx, who, in.ID)
	return &turnOutput{out}, err
}

func (s *server) cancelTurn() action[idInput, turnOutput] {
	return action[idInput, turnOutput]{
		do: func(ctx context.Context, who deputy.Caller, in *idInput, _ string) (string, error) {
			return in.ID, s.door.Cancel(ctx, who, in.ID)
		},
		tell: func(ctx context.Context, who deputy.Caller, in *idInput, _ string) (*turnOutput, error) {
			return s.getTurn(ctx, who, in)
		},
	}
}

// turn is what is known of one while it runs.
func turn(t deputy.Turn) turnJSON {
	return turnJSON{
		ID: t.ID, Conversation: t.Conversation, State: t.State, Reason: optional(t.Reason), Proposals: []proposalJSON{}, Displays: []json.RawMessage{},
		Usage:     usageJSON{t.Usage.Input, t.Usage.CachedInput, t.Usage.Output, nil},
		StartedAt: t.StartedAt.UTC(), FinishedAt: moment(t.FinishedAt),
	}
}

// finishedTurn waits for the end of a turn and tells it whole.
func (s *server) finishedTurn(ctx context.Context, who deputy.Caller, id string) (turnJSON, error) {
	var seen summary
	for e, err := range s.door.Follow(ctx, who, id, 0) {
		if err != nil {
			return turnJSON{}, err
		}
		if err := seen.add(e); err != nil {
			return turnJSON{}, err
		}
	}
	t, err := s.door.LookupTurn(ctx, who, id)
	if err != nil {
		return turnJSON{}, err
	}
	out := turn(t)
	out.Text, out.Displays = seen.finished.Text, append(out.Displays, seen.displays...)
	if seen.cost != nil {
		out.Usage.Cost = optional(seen.cost.String())
	}
	for _, id := range seen.proposals {
		ps, err := s.door.Proposal(ctx, who, id)
		if err != nil {
			return turnJSON{}, err
		}
		out.Proposals = append(out.Proposals, proposals(ps)...)
	}
	return out, nil
}

// summary gathers from events what an answer in one piece holds.
type summary struct {
	finished  deputy.TurnFinished
	displays  []json.RawMessage
	proposals []string
	cost      *decimal.D // nil: no call had a price
}

func (s *summary) add(e deputy.Event) error {
	switch e.Name {
	case deputy.EventTurnFinished:
		return json.Unmarshal(e.Data, &s.finished)
	case deputy.EventDisplay:
		s.displays = append(s.displays, e.Data)
	case deputy.EventProposalCreated:
		var p deputy.ProposalCreated
		err := json.Unmarshal(e.Data, &p)
		s.proposals = append(s.proposals, p.Proposal)
		return err
	case deputy.EventUsage:
		return s.spend(e.Data)
	}
	return nil
}

// spend adds the cost of one model call.
func (s *summary) spend(data json.RawMessage) error {
	var u usageJSON
	if err := json.Unmarshal(data, &u); err != nil || u.Cost == nil {
		return err
	}
	d, ok := decimal.Parse(*u.Cost)
	if !ok {
		return fmt.Errorf("api: a cost that is no decimal: %q", *u.Cost)
	}
	if s.cost != nil {
		d = decimal.Add(*s.cost, d)
	}
	s.cost = &d
	return nil
}
