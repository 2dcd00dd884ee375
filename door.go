package deputy

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/deputy/query"
)

// Door is the assistant as one channel sees it. Every method acts as the caller and answers not_found for what is another's, exactly as
// for what does not exist.
type Door struct {
	a       *Assistant
	channel Channel
}

// TurnInput is what the person said.
type TurnInput struct {
	ID           string // of the turn, where it was chosen beforehand (Begin); empty: a new one
	Conversation string // empty: a new one
	Text         string
	Screen       *Screen
}

// maxText bounds what a person says at once, in bytes.
const maxText = 256 << 10

// maxPage bounds what is read from a store at once, followPage what of a journal: a follower who stops reading holds that much.
const (
	maxPage    = 1000
	followPage = 64
)

// Start admits, stores and runs a turn by itself: it goes on when the caller is gone. conflict while one runs in the conversation.
func (d *Door) Start(ctx context.Context, who Caller, in TurnInput) (string, error) {
	a := d.a
	if err := errors.Join(a.stopped(), sayable(in.Text)); err != nil {
		return "", err
	}
	person, err := a.enter(ctx, who.Person)
	if err != nil {
		return "", err
	}
	c, err := d.conversation(ctx, person, in.Conversation)
	if err != nil {
		return "", err
	}
	history, err := a.history(ctx, person, c.ID, 0)
	if err != nil {
		return "", err
	}
	t := Turn{ID: cmp.Or(in.ID, a.id("trn_")), Conversation: c.ID, Person: known(person), Channel: d.channel, State: TurnRunning, NextEvent: 1,
		StartedAt: a.cfg.Clock(), Screen: in.Screen}
	first, err := a.opening(ctx, person, t, in.Text, history)
	if err != nil {
		return "", err
	}
	if c.Title == "" { // before it is stored: a process that ends in between leaves no turn behind that has no name
		if err := a.cfg.Store.Conversations.Rename(ctx, person, c.ID, title(in.Text)); err != nil {
			a.complain(ctx, "title", err, "conversation", c.ID)
		}
	}
	if err := a.preload(ctx, person, &c, history, in.Screen); err != nil {
		return "", err
	}
	lease, err := a.cfg.Store.Turns.Start(ctx, person, t, first, a.cfg.Clock().Add(leaseFor))
	if CodeOf(err) == Conflict {
		soon, cancel := context.WithTimeout(a.stopping, watchEvery)
		defer cancel()
		a.takeUpLost(soon) // the turn that stands in the way may be one whose worker is gone
	}
	if err != nil {
		return "", err
	}
	r := &runner{a: a, in: &turning{turn: t, who: person, choices: c.Choices}, lease: lease, events: t.NextEvent}
	since, err := a.history(ctx, person, c.ID, lastSeq(history)) // with what a turn that has ended meanwhile has added
	if err != nil {
		return "", errors.Join(err, r.finish(ctx, InternalReason, Step{}))
	}
	r.in.history = append(history, since...)
	r.refs = countCalls(r.in.history)
	a.work(ctx, r)
	return t.ID, nil
}

// work runs a stored turn in a goroutine of the assistant's, apart from the caller's connection.
func (a *Assistant) work(ctx context.Context, r *runner) {
	ctx, stop := context.WithCancelCause(WithTurn(context.WithoutCancel(ctx), r.in.turn.ID))
	ok := a.running.Go(r.in.turn.ID, stop, func() {
		ctx, cancel := context.WithTimeout(ctx, a.cfg.Limits.TurnTimeout)
		defer cancel()
		r.run(ctx)
	})
	if !ok {
		stop(ending{Interrupted})
		r.run(ctx)
	}
}

func sayable(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return Errorf(Invalid, "text: say something")
	case len(text) > maxText:
		return Errorf(TooLarge, "text: longer than %d bytes", maxText)
	case !utf8.ValidString(text):
		return Errorf(Invalid, "text: not valid UTF-8")
	}
	return nil
}

// conversation finds the person's own, or makes one where no id is given.
func (d *Door) conversation(ctx context.Context, who Person, id string) (Conversation, error) {
	if id != "" {
		return d.a.cfg.Store.Conversations.Get(ctx, who, id)
	}
	now := d.a.cfg.Clock()
	c := Conversation{ID: d.a.id("cnv_"), CreatedAt: now, UpdatedAt: now}
	return c, d.a.cfg.Store.Conversations.Create(ctx, who, c)
}

// title is the beginning of what was said first.
func title(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return text
}

func countCalls(history []Message) (n int) {
	for _, m := range history {
		for _, p := range m.Parts {
			if p.Call != nil {
				n++
			}
		}
	}
	return n
}

func lastSeq(ms []Message) int64 {
	if len(ms) == 0 {
		return 0
	}
	return ms[len(ms)-1].Seq
}

// history reads a conversation from after a message on; 0: whole.
func (a *Assistant) history(ctx context.Context, who Person, conversation string, after int64) ([]Message, error) {
	var out []Message
	for ; ; after = lastSeq(out) {
		page, err := a.cfg.Store.Messages.Page(ctx, who, conversation, after, maxPage)
		if err != nil {
			return nil, err
		}
		if out = append(out, page...); len(page) < maxPage {
			return out, nil
		}
	}
}

// opening is the messages that a turn begins with: a note of what became of proposals since, and what the person says.
func (a *Assistant) opening(ctx context.Context, who Person, t Turn, text string, history []Message) ([]Message, error) {
	said := Message{Role: FromPerson, Turn: t.ID, At: t.StartedAt, Parts: []Part{{Text: text}}}
	fates, err := a.fates(ctx, who, t.Conversation, history)
	if err != nil || len(fates) == 0 {
		return []Message{said}, err
	}
	note, err := noteText(fates)
	if err != nil {
		return nil, err
	}
	parts := []Part{{Text: note, Rights: a.rightsOf(who)}}
	for _, p := range fates {
		parts = append(parts, Part{Proposal: p.ID})
	}
	return []Message{{Role: FromNote, Turn: t.ID, At: t.StartedAt, Parts: parts}, said}, nil
}

// fates are the decided proposals of a conversation of which no note has told since, oldest first.
func (a *Assistant) fates(ctx context.Context, who Person, conversation string, history []Message) ([]Proposal, error) {
	told := map[string]time.Time{}
	for _, m := range history {
		for _, p := range m.Parts {
			if m.Role == FromNote && p.Proposal != "" {
				told[p.Proposal] = m.At
			}
		}
	}
	var out []Proposal
	err := a.eachProposal(ctx, who, ProposalFilter{Conversation: conversation}, func(p Proposal) {
		if p.State.Final() && told[p.ID].Before(p.DecidedAt) {
			out = append([]Proposal{p}, out...)
		}
	})
	return out, err
}

// Follow reads a turn's journal, from after an event on, and ends after turn.finished. It may be called by any number of readers, at any
// time; the end of ctx ends it with an error.
func (d *Door) Follow(ctx context.Context, who Caller, turn string, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		person, err := d.a.access(ctx, who.Person)
		if err != nil {
			yield(Event{}, err)
			return
		}
		rights := d.a.rightsOf(person)
		for {
			changed, err := d.a.cfg.Store.Turns.Changed(ctx, who.Person, turn)
			if err != nil {
				yield(Event{}, err)
				return
			}
			t, err := d.a.cfg.Store.Turns.Get(ctx, who.Person, turn) // before its events: nothing comes after the end that is not read below
			if err != nil {
				yield(Event{}, err)
				return
			}
			more, err := d.a.cfg.Store.Turns.Events(ctx, who.Person, turn, after, followPage)
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, e := range more {
				if after = e.Seq; !yield(withholdEvent(e, rights), nil) || e.Name == EventTurnFinished {
					return
				}
			}
			if len(more) > 0 {
				continue
			}
			if t.State != TurnRunning {
				return
			}
			select {
			case <-changed:
			case <-d.a.stopping.Done():
				yield(Event{}, d.a.stopped())
				return
			case <-ctx.Done():
				yield(Event{}, ctx.Err())
				return
			}
		}
	}
}

// Turn starts a turn and follows it; breaking off, or the end of ctx, cancels it. A refusal is its only element.
func (d *Door) Turn(ctx context.Context, who Caller, in TurnInput) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		id, err := d.Start(ctx, who, in)
		if err != nil {
			yield(Event{}, err)
			return
		}
		for e, err := range d.Follow(ctx, who, id, 0) {
			if !yield(e, err) || err != nil {
				if d.a.stopped() != nil { // another goes on with it
					return
				}
				if err := d.Cancel(context.WithoutCancel(ctx), who, id); err != nil {
					d.a.complain(ctx, "cancel", err, "turn", id)
				}
				return
			}
		}
	}
}

// Cancel asks a turn to stop; one that has ended stays as it is.
func (d *Door) Cancel(ctx context.Context, who Caller, turn string) error {
	if _, err := d.a.access(ctx, who.Person); err != nil {
		return err
	}
	if err := d.a.cfg.Store.Turns.Cancel(ctx, who.Person, turn); err != nil {
		return err
	}
	d.a.running.Stop(turn, ending{Cancelled})
	return nil
}

// ResultPage is a part of the full result of a call.
type ResultPage struct {
	Rows      query.Rows
	Truncated bool // the host has more than a handle holds
	Next      int  // the after of the next page; 0: this was the last
}

// Result reads the full result behind a call id again, with the rights of now, and gives the rows from after on. Owner only. The reading
// has a row of its own in the log.
func (d *Door) Result(ctx context.Context, who Caller, call string, after, limit int) (ResultPage, error) {
	a := d.a
	person, err := a.pass(ctx, who.Person)
	if err != nil {
		return ResultPage{}, err
	}
	e, err := a.cfg.Store.Log.Get(ctx, person, call)
	if err != nil {
		return ResultPage{}, err
	}
	if e.Kind != KindRead || e.Outcome != Ran || a.reg.tools[e.Tool].def.ForLog != nil {
		return ResultPage{}, Errorf(NotFound, "The call has no rows.")
	}
	rows, err := a.handle(ctx, person, d.channel, e)
	if err != nil {
		return ResultPage{}, err
	}
	page := ResultPage{Rows: rows, Truncated: rows.HasMore}
	from := min(max(after, 0), len(rows.Rows))
	to := from + min(max(limit, 0), len(rows.Rows)-from)
	page.Rows.Rows = rows.Rows[from:to]
	if to < len(rows.Rows) {
		page.Next = to
	}
	return page, nil
}

// Zone is the zone in which the caller reads times.
func (d *Door) Zone(who Caller) *time.Location { return d.a.clock(who.Person).Zone }
