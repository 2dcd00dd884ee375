package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"example.com/deputy"
)

// skipped is how far a takeover moves the numbers of events on, past those that the former worker may have shown.
const skipped = 1000

type turns struct{ *store }

func (s turns) Start(ctx context.Context, as deputy.Person, t deputy.Turn, first []deputy.Message, until time.Time) (deputy.Lease, error) {
	screen, err := encode(t.Screen)
	if err != nil {
		return deputy.Lease{}, err
	}
	err = s.write(ctx, "turn", func(x tx) error {
		if err := x.own(as, t.Conversation); err != nil {
			return err
		}
		_, err := x.exec(`INSERT INTO deputy_turns (id, person, person_name, conversation, channel, state, reason, cancelled, step, next_event,
			input, cached_input, output, started_at, finished_at, screen, epoch, until, changes)
			VALUES (?, ?, ?, ?, ?, 'running', '', 0, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, 0)`,
			t.ID, as.Key(), as.Name, t.Conversation, string(t.Channel), t.Step, max(t.NextEvent, 1),
			t.Usage.Input, t.Usage.CachedInput, t.Usage.Output, micros(t.StartedAt), micros(time.Time{}), screen, micros(until))
		if taken(err) { // the index deputy_turns_running
			return deputy.Errorf(deputy.Conflict, "A turn is running in this conversation. Wait until it has ended, or cancel it.")
		}
		if err != nil {
			return err
		}
		if err := x.touch(as.Key(), t.Conversation, t.StartedAt); err != nil {
			return err
		}
		return x.say(as.Key(), t.Conversation, first)
	})
	if err != nil {
		return deputy.Lease{}, err
	}
	return deputy.Lease{Turn: t.ID, Epoch: 1, Until: moment(micros(until))}, nil
}

func (t tx) touch(person, conversation string, at time.Time) error {
	_, err := t.exec(`UPDATE deputy_conversations SET updated_at = ? WHERE person = ? AND id = ?`, micros(at), person, conversation)
	return err
}

const turnColumns = `id, person, person_name, conversation, channel, state, reason, cancelled, step, next_event, input, cached_input, output,
	started_at, finished_at, screen`

func scanTurn(row scanner, more ...any) (t deputy.Turn, err error) {
	var key, name, screen string
	var started, finished int64
	err = row.Scan(append([]any{&t.ID, &key, &name, &t.Conversation, &t.Channel, &t.State, &t.Reason, &t.Cancelled, &t.Step, &t.NextEvent,
		&t.Usage.Input, &t.Usage.CachedInput, &t.Usage.Output, &started, &finished, &screen}, more...)...)
	if err != nil {
		return t, err
	}
	t.Person, t.StartedAt, t.FinishedAt = known(key, name), moment(started), moment(finished)
	return t, decode(screen, &t.Screen)
}

func (s turns) Get(ctx context.Context, as deputy.Person, id string) (t deputy.Turn, err error) {
	err = s.get(ctx, "turn", `SELECT `+turnColumns+` FROM deputy_turns WHERE id = ? AND person = ?`, []any{id, as.Key()}, func(row scanner) (err error) {
		t, err = scanTurn(row)
		return err
	})
	return t, err
}

func (s turns) Cancel(ctx context.Context, as deputy.Person, id string) error {
	err := s.write(ctx, "turn", func(t tx) error {
		n, err := t.exec(`UPDATE deputy_turns SET cancelled = 1, changes = changes + 1
			WHERE id = ? AND person = ? AND state = 'running' AND NOT cancelled`, id, as.Key())
		if err != nil || n > 0 {
			return err
		}
		there, err := t.any(`SELECT 1 FROM deputy_turns WHERE id = ? AND person = ?`, id, as.Key())
		if err == nil && !there {
			return missing("turn")
		}
		return err
	})
	if err == nil {
		s.watch.changed(id)
	}
	return err
}

func (s turns) Commit(ctx context.Context, l deputy.Lease, step deputy.Step) error {
	err := s.write(ctx, "commit", func(t tx) error { return t.commit(l, step) })
	if err == nil {
		s.watch.changed(l.Turn)
	}
	return err
}

func (t tx) commit(l deputy.Lease, step deputy.Step) error {
	var person, conversation string
	var next int64
	err := t.get(`SELECT person, conversation, next_event FROM deputy_turns WHERE id = ? AND epoch = ? AND state = 'running'`,
		[]any{l.Turn, l.Epoch}, &person, &conversation, &next)
	if errors.Is(err, sql.ErrNoRows) {
		return deputy.Errorf(deputy.Conflict, "The turn has ended, or another worker has taken it over.")
	}
	if err != nil {
		return err
	}
	if next, err = t.tell(person, l.Turn, next, step.Events); err != nil {
		return err
	}
	if err := t.say(person, conversation, step.Messages); err != nil {
		return err
	}
	if err := t.propose(person, step.Proposals); err != nil {
		return err
	}
	finished := time.Time{}
	if step.Finish != "" {
		finished = step.At
	}
	if !step.At.IsZero() {
		if err := t.touch(person, conversation, step.At); err != nil {
			return err
		}
	}
	_, err = t.exec(`UPDATE deputy_turns SET until = ?, next_event = ?, step = step + ?, input = input + ?, cached_input = cached_input + ?,
		output = output + ?, state = ?, reason = ?, finished_at = ?, changes = changes + 1 WHERE id = ?`,
		micros(l.Until), next, step.Steps, step.Usage.Input, step.Usage.CachedInput,
		step.Usage.Output, string(step.Finish.State()), string(step.Finish), micros(finished), l.Turn)
	return err
}

// tell adds events to a journal and says what number the next one may have.
func (t tx) tell(person, turn string, next int64, events []deputy.Event) (int64, error) {
	for _, e := range events {
		if e.Seq < next {
			return 0, deputy.Errorf(deputy.Invalid, "Event %d comes after its turn has got to %d: events are numbered upwards.", e.Seq, next)
		}
		next = e.Seq + 1
		if _, err := t.exec(`INSERT INTO deputy_events (person, turn, seq, name, data) VALUES (?, ?, ?, ?, ?)`,
			person, turn, e.Seq, e.Name, string(e.Data)); err != nil {
			return 0, err
		}
	}
	return next, nil
}

func (s turns) Events(ctx context.Context, as deputy.Person, id string, after int64, limit int) (out []deputy.Event, err error) {
	if err := s.own(ctx, as, id); err != nil {
		return nil, err
	}
	err = s.list(ctx, "events", `SELECT seq, name, data FROM deputy_events WHERE person = ? AND turn = ? AND seq > ? ORDER BY seq LIMIT ?`,
		[]any{as.Key(), id, after, max(limit, 0)}, func(row scanner) error {
			var e deputy.Event
			var data string
			err := row.Scan(&e.Seq, &e.Name, &data)
			e.Data = raw(data)
			out = append(out, e)
			return err
		})
	return out, err
}

// own refuses a turn that is not the person's, or not there.
func (s turns) own(ctx context.Context, as deputy.Person, id string) error {
	return s.get(ctx, "turn", `SELECT 1 FROM deputy_turns WHERE id = ? AND person = ?`, []any{id, as.Key()}, func(scanner) error { return nil })
}

func (s turns) Claim(ctx context.Context, now, until time.Time) (turn deputy.Turn, l deputy.Lease, err error) {
	err = s.write(ctx, "takeover", func(t tx) error {
		found := false
		err := t.list(`UPDATE deputy_turns SET epoch = epoch + 1, next_event = next_event + ?, until = ?
			WHERE id = (SELECT id FROM deputy_turns WHERE state = 'running' AND until < ? ORDER BY until, id LIMIT 1)
			RETURNING `+turnColumns+`, epoch`, []any{skipped, micros(until), micros(now)}, func(row scanner) (err error) {
			found = true
			turn, err = scanTurn(row, &l.Epoch)
			return err
		})
		if err == nil && !found {
			return missing("turn")
		}
		return err
	})
	if err != nil {
		return deputy.Turn{}, deputy.Lease{}, err
	}
	l.Turn, l.Until = turn.ID, moment(micros(until))
	return turn, l, nil
}
