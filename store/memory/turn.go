package memory

import (
	"cmp"
	"context"
	"time"

	"example.com/deputy"
)

// skipped is how far a takeover moves the numbers of events on, past those that the former worker may have shown.
const skipped = 1000

type turn struct {
	deputy.Turn
	epoch  int64
	until  time.Time
	events []deputy.Event
	wake   chan struct{}
}

// changed wakes who follows the turn.
func (t *turn) changed() {
	close(t.wake)
	t.wake = make(chan struct{})
}

type turns struct{ *store }

func (s turns) Start(ctx context.Context, as deputy.Person, t deputy.Turn, first []deputy.Message, until time.Time) (deputy.Lease, error) {
	if err := s.enter(ctx); err != nil {
		return deputy.Lease{}, err
	}
	defer s.leave()
	c, err := s.conversation(as, t.Conversation)
	if err != nil {
		return deputy.Lease{}, err
	}
	if _, ok := s.turns[t.ID]; ok || c.running != nil {
		return deputy.Lease{}, deputy.Errorf(deputy.Conflict, "A turn is running in this conversation. Wait until it has ended, or cancel it.")
	}
	t.Person, t.State, t.Reason, t.Cancelled, t.FinishedAt = as, deputy.TurnRunning, "", false, time.Time{}
	t.NextEvent = max(t.NextEvent, 1)
	c.running = &turn{Turn: kept(t), epoch: 1, until: moment(until), wake: make(chan struct{})}
	c.UpdatedAt = c.running.StartedAt
	c.add(first)
	s.turns[t.ID] = c.running
	return deputy.Lease{Turn: t.ID, Epoch: 1, Until: moment(until)}, nil
}

// turn finds one of the person's.
func (s *store) turn(as deputy.Person, id string) (*turn, error) {
	if t, ok := s.turns[id]; ok && t.Person.Key() == as.Key() {
		return t, nil
	}
	return nil, missing("turn")
}

func (s turns) Get(ctx context.Context, as deputy.Person, id string) (deputy.Turn, error) {
	if err := s.enter(ctx); err != nil {
		return deputy.Turn{}, err
	}
	defer s.leave()
	t, err := s.turn(as, id)
	if err != nil {
		return deputy.Turn{}, err
	}
	return kept(t.Turn), nil
}

func (s turns) Cancel(ctx context.Context, as deputy.Person, id string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	t, err := s.turn(as, id)
	if err != nil {
		return err
	}
	if t.State == deputy.TurnRunning && !t.Cancelled {
		t.Cancelled = true
		t.changed()
	}
	return nil
}

func (s turns) Commit(ctx context.Context, l deputy.Lease, step deputy.Step) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	t, ok := s.turns[l.Turn]
	if !ok || t.epoch != l.Epoch || t.State != deputy.TurnRunning {
		return deputy.Errorf(deputy.Conflict, "The turn has ended, or another worker has taken it over.")
	}
	if err := check(t, step); err != nil {
		return err
	}
	c := s.conversations[key{t.Person.Key(), t.Conversation}]
	c.add(step.Messages)
	s.propose(step.Proposals)
	for _, e := range step.Events {
		t.events = append(t.events, kept(e))
		t.NextEvent = e.Seq + 1
	}
	t.until = moment(l.Until)
	t.Usage = t.Usage.Add(step.Usage)
	t.Step += step.Steps
	if !step.At.IsZero() {
		c.UpdatedAt = moment(step.At)
	}
	if step.Finish != "" {
		t.State, t.Reason, t.FinishedAt, c.running = step.Finish.State(), step.Finish, moment(step.At), nil
	}
	t.changed()
	return nil
}

// check refuses what an engine must not commit, before anything is stored.
func check(t *turn, step deputy.Step) error {
	next := t.NextEvent
	for _, e := range step.Events {
		if e.Seq < next {
			return deputy.Errorf(deputy.Invalid, "Event %d comes after its turn has got to %d: events are numbered upwards.", e.Seq, next)
		}
		next = e.Seq + 1
	}
	return owned(t.Person, step.Proposals)
}

func (s turns) Events(ctx context.Context, as deputy.Person, id string, after int64, limit int) ([]deputy.Event, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	t, err := s.turn(as, id)
	if err != nil {
		return nil, err
	}
	return page(t.events, limit, func(e deputy.Event) bool { return e.Seq > after }), nil
}

// Changed hands out the turn's one channel: who goes away leaves nothing behind.
func (s turns) Changed(ctx context.Context, as deputy.Person, id string) (<-chan struct{}, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	t, err := s.turn(as, id)
	if err != nil {
		return nil, err
	}
	return t.wake, nil
}

func (s turns) Claim(ctx context.Context, now, until time.Time) (deputy.Turn, deputy.Lease, error) {
	if err := s.enter(ctx); err != nil {
		return deputy.Turn{}, deputy.Lease{}, err
	}
	defer s.leave()
	var oldest *turn
	for _, t := range s.turns {
		if t.State != deputy.TurnRunning || !t.until.Before(moment(now)) {
			continue
		}
		if oldest == nil || cmp.Or(t.until.Compare(oldest.until), cmp.Compare(t.ID, oldest.ID)) < 0 {
			oldest = t
		}
	}
	if oldest == nil {
		return deputy.Turn{}, deputy.Lease{}, missing("turn")
	}
	oldest.epoch++
	oldest.NextEvent += skipped
	oldest.until = moment(until)
	return kept(oldest.Turn), deputy.Lease{Turn: oldest.ID, Epoch: oldest.epoch, Until: oldest.until}, nil
}
