package deputy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// NewConversation makes an empty conversation with the title of c, and its ID where one was chosen beforehand (Begin).
func (d *Door) NewConversation(ctx context.Context, who Caller, c Conversation) (Conversation, error) {
	person, err := d.a.pass(ctx, who.Person)
	if err != nil {
		return Conversation{}, err
	}
	if err := titled(c.Title); err != nil {
		return Conversation{}, err
	}
	now := d.a.cfg.Clock()
	c = Conversation{ID: cmp.Or(c.ID, d.a.id("cnv_")), Title: strings.TrimSpace(c.Title), CreatedAt: now, UpdatedAt: now}
	if err := d.a.cfg.Store.Conversations.Create(ctx, person, c); err != nil {
		return Conversation{}, err
	}
	return d.a.cfg.Store.Conversations.Get(ctx, person, c.ID)
}

func titled(title string) error {
	if len(title) > 500 {
		return Errorf(TooLarge, "title: longer than 500 bytes")
	}
	return nil
}

// Conversations lists the caller's own, newest first, below before (0: from the newest), whose title contains term.
func (d *Door) Conversations(ctx context.Context, who Caller, term string, before int64, limit int) ([]Conversation, error) {
	person, err := d.a.access(ctx, who.Person)
	if err != nil {
		return nil, err
	}
	return d.a.cfg.Store.Conversations.List(ctx, person, term, before, limit)
}

// Conversation is one of the caller's own.
func (d *Door) Conversation(ctx context.Context, who Caller, id string) (Conversation, error) {
	person, err := d.a.access(ctx, who.Person)
	if err != nil {
		return Conversation{}, err
	}
	return d.a.cfg.Store.Conversations.Get(ctx, person, id)
}

// RenameConversation sets a title.
func (d *Door) RenameConversation(ctx context.Context, who Caller, id, title string) (Conversation, error) {
	person, err := d.a.access(ctx, who.Person)
	if err != nil {
		return Conversation{}, err
	}
	if err := titled(title); err != nil {
		return Conversation{}, err
	}
	if err := d.a.cfg.Store.Conversations.Rename(ctx, person, id, strings.TrimSpace(title)); err != nil {
		return Conversation{}, err
	}
	return d.a.cfg.Store.Conversations.Get(ctx, person, id)
}

// DeleteConversation deletes a conversation and what is in it; the log stays. conflict while a turn runs in it.
func (d *Door) DeleteConversation(ctx context.Context, who Caller, id string) error {
	person, err := d.a.access(ctx, who.Person)
	if err != nil {
		return err
	}
	return d.a.cfg.Store.Conversations.Delete(ctx, person, id)
}

// Messages pages through a conversation, oldest first. Results read under rights that no longer hold are withheld.
func (d *Door) Messages(ctx context.Context, who Caller, conversation string, after int64, limit int) ([]Message, error) {
	person, err := d.a.access(ctx, who.Person)
	if err != nil {
		return nil, err
	}
	page, err := d.a.cfg.Store.Messages.Page(ctx, person, conversation, after, limit)
	if err != nil {
		return nil, err
	}
	rights := d.a.rightsOf(person)
	for i := range page {
		page[i] = withhold(page[i], rights)
	}
	return page, nil
}

// LookupTurn is one of the caller's own turns.
func (d *Door) LookupTurn(ctx context.Context, who Caller, id string) (Turn, error) {
	person, err := d.a.access(ctx, who.Person)
	if err != nil {
		return Turn{}, err
	}
	return d.a.cfg.Store.Turns.Get(ctx, person, id)
}

// Calls lists rows of the tool-call log, newest first: the caller's own, or everybody's for a role with audit.
func (d *Door) Calls(ctx context.Context, who Caller, f LogFilter, before int64, limit int) ([]Entry, error) {
	person, err := d.a.access(ctx, who.Person)
	if err != nil {
		return nil, err
	}
	if d.a.cfg.Policy.Any(person.Roles, func(r Role) bool { return r.Audit }) {
		return d.a.cfg.Store.Log.All(ctx, f, before, limit)
	}
	return d.a.cfg.Store.Log.List(ctx, person, f, before, limit)
}

// Me is what a person may know of themselves.
type Me struct {
	Person  Person
	Confirm bool
	Audit   bool
	Operate bool
	Tables  []Ability
	Actions []NamedAction
	Words   []string // what may be read and done, in sentences
	Killed  *KillSwitch
	Model   ModelInfo
}

// Me says who the caller is and what they may do.
func (d *Door) Me(ctx context.Context, who Caller) (Me, error) {
	person, err := d.a.access(ctx, who.Person)
	if err != nil {
		return Me{}, err
	}
	m := Me{Person: withoutCredential(person), Confirm: who.Confirm, Model: d.a.cfg.Models[0].Info()}
	m.Audit = d.a.cfg.Policy.Any(person.Roles, func(r Role) bool { return r.Audit })
	m.Operate = d.a.cfg.Policy.Any(person.Roles, func(r Role) bool { return r.Operate })
	if k, err := ReadKillSwitch(ctx, d.a.cfg.Store.Settings); err != nil || k.All {
		m.Killed = &k
	}
	v, err := d.a.view(ctx, person)
	if err != nil {
		return m, err
	}
	if m.Tables, m.Words, err = v.Abilities(ctx); err != nil {
		return m, err
	}
	if m.Actions, err = d.a.actions(ctx, person, v); err != nil {
		return m, err
	}
	if len(m.Actions) > 0 {
		labels := make([]string, len(m.Actions))
		for i, one := range m.Actions {
			labels[i] = one.Label
		}
		m.Words = append(m.Words, "Actions: "+strings.Join(labels, "; ")+".")
	}
	if m.Audit {
		m.Words = append(m.Words, "Read everybody's tool calls.")
	}
	if m.Operate {
		m.Words = append(m.Words, "Switch the assistant off and on.")
	}
	return m, nil
}

// NamedAction is an action that a person is offered.
type NamedAction struct{ Name, Label string }

// actions are those that a person is offered, by name.
func (a *Assistant) actions(ctx context.Context, who Person, v *View) (out []NamedAction, err error) {
	for _, name := range slices.Sorted(maps.Keys(a.reg.tools)) {
		t := a.reg.tools[name]
		if len(t.def.Grants) == 0 {
			continue
		}
		_, ok, err := a.offer(ctx, who, v, t)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, NamedAction{name, cmp.Or(t.def.Action, t.def.Label)})
		}
	}
	return out, nil
}

// KillSwitch reads the switch; permission_denied without operate.
func (d *Door) KillSwitch(ctx context.Context, who Caller) (KillSwitch, error) {
	if _, err := d.operator(ctx, who); err != nil {
		return KillSwitch{}, err
	}
	return ReadKillSwitch(ctx, d.a.cfg.Store.Settings)
}

// SetKillSwitch throws it, or takes it back; permission_denied without operate.
func (d *Door) SetKillSwitch(ctx context.Context, who Caller, all bool, reason string) (KillSwitch, error) {
	person, err := d.operator(ctx, who)
	if err != nil {
		return KillSwitch{}, err
	}
	k := KillSwitch{All: all, Reason: strings.TrimSpace(reason), By: person.ID, At: d.a.cfg.Clock().UTC()}
	return k, WriteKillSwitch(ctx, d.a.cfg.Store.Settings, k)
}

func (d *Door) operator(ctx context.Context, who Caller) (Person, error) {
	person, err := d.a.access(ctx, who.Person)
	if err != nil {
		return person, err
	}
	if !d.a.cfg.Policy.Any(person.Roles, func(r Role) bool { return r.Operate }) {
		return person, Errorf(PermissionDenied, "Only a role with operate may do this.")
	}
	return person, nil
}

// Prompt is exactly what the model would be sent now for one of the caller's own conversations. For a role with audit, another's can be
// looked at too, without its data: every text is replaced by its length.
func (d *Door) Prompt(ctx context.Context, who Caller, conversation string) (Request, error) {
	a := d.a
	person, err := a.access(ctx, who.Person)
	if err != nil {
		return Request{}, err
	}
	owner := person
	c, err := a.cfg.Store.Conversations.Get(ctx, person, conversation)
	if CodeOf(err) == NotFound {
		owner, err = a.ownerFor(ctx, person, conversation)
	}
	if err != nil {
		return Request{}, err
	}
	history, err := a.history(ctx, owner, conversation, 0)
	if err != nil {
		return Request{}, err
	}
	if owner.Key() != person.Key() {
		return Request{System: a.system, Messages: withoutData(history)}, nil
	}
	p, err := a.prompt(ctx, &turning{who: person, history: history, choices: c.Choices}, nil)
	return p.request(a.cfg.Models[0].Info()), err
}

// ownerFor finds whose a conversation is, by the log, for who may audit.
func (a *Assistant) ownerFor(ctx context.Context, auditor Person, conversation string) (Person, error) {
	missing := Errorf(NotFound, "There is no such conversation.")
	if !a.cfg.Policy.Any(auditor.Roles, func(r Role) bool { return r.Audit }) {
		return Person{}, missing
	}
	rows, err := a.cfg.Store.Log.All(ctx, LogFilter{Conversation: conversation}, 0, 1)
	if err == nil && len(rows) == 0 {
		err = missing
	}
	if err != nil {
		return Person{}, err
	}
	return rows[0].Person, nil
}

func withoutData(ms []Message) []Message {
	out := make([]Message, len(ms))
	for i, m := range ms {
		out[i] = Message{Seq: m.Seq, Role: m.Role, Turn: m.Turn, At: m.At}
		for _, p := range m.Parts {
			out[i].Parts = append(out[i].Parts, p.withoutData())
		}
	}
	return out
}

func (p Part) withoutData() Part {
	size := func(n int) string { return fmt.Sprintf("(%d bytes)", n) }
	switch {
	case p.Call != nil:
		return Part{Call: &ToolCall{ID: p.Call.ID, Ref: p.Call.Ref, Tool: p.Call.Tool, Arguments: json.RawMessage("{}")}}
	case p.Result != nil:
		r := *p.Result
		r.Text = size(len(r.Text))
		return Part{Result: &r}
	case p.Proposal != "":
		return Part{Proposal: p.Proposal}
	}
	return Part{Text: size(len(p.Text) + len(p.Reasoning) + len(p.Display))}
}
