package deputy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/deputy/internal/plain"
)

// The tools by which a model switches toolsets on and off. They exist only where there is a toolset that is not of the core.
const (
	enableToolset  = "enable_toolset"
	disableToolset = "disable_toolset"
)

// maxNames bounds how many toolsets one call switches: an answer has a line for each.
const maxNames = 50

// Choice is a toolset switched on or off in a conversation by its person, or by what was on their screen.
type Choice struct {
	Toolset string
	Active  bool
	From    time.Time // when it was made; where it was made again before it had run out, when first
	At      time.Time // when it was made last
	Opening bool      // before the conversation's first message
}

// ToolsetState is a toolset as a person finds it in a conversation.
type ToolsetState struct {
	Name, Description string
	Active            bool
	Tools             []string // that they are offered, sorted
}

// set is a toolset as one person is offered it: with those of its tools that they are offered, at least one.
type set struct {
	*Toolset
	tools []ToolSpec
}

// switches are the tools of the engine itself that switch sets. Their arguments are read leniently: a wrong shape has one answer.
func switches() Toolset {
	schema := json.RawMessage(`{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"}}},"required":["names"],"additionalProperties":false}`)
	one := func(name, label, description string, say func(set, bool) string) Tool {
		t := newTool[json.RawMessage](Definition{Name: name, Label: label, Description: description, Operation: "SWITCH /toolset", Schema: schema, Always: true}, KindDisplay)
		t.say = say
		return t
	}
	return Toolset{Tools: []Tool{
		one(enableToolset, "Switched tools on", "Activate toolsets.", func(s set, active bool) string {
			if active {
				return fmt.Sprintf("Toolset '%s' is already active.", s.Name)
			}
			return fmt.Sprintf("Toolset '%s' activated.", s.Name)
		}),
		one(disableToolset, "Switched tools off", "Deactivate toolsets.", func(s set, _ bool) string {
			return fmt.Sprintf("Toolset '%s' deactivated.", s.Name)
		}),
	}}
}

// named are the names that a call switches. What is no name at all is one error, whatever its shape.
func named(args json.RawMessage) ([]string, error) {
	var in struct {
		Names json.RawMessage `json:"names"`
		Name  string          `json:"name"`
	}
	_ = json.Unmarshal(args, &in) // what is not there is empty
	var list []string
	var one string
	if json.Unmarshal(in.Names, &list) != nil && json.Unmarshal(in.Names, &one) == nil {
		list = []string{one}
	}
	if len(list) == 0 {
		list = []string{in.Name}
	}
	if len(list) > maxNames {
		return nil, Errorf(TooLarge, "at most %d names in one call.", maxNames)
	}
	for i, name := range list {
		if list[i] = strings.TrimSpace(name); list[i] == "" {
			return nil, Errorf(Invalid, "name is required.")
		}
	}
	return list, nil
}

// runSwitch answers a call that switches sets, a line for each name. A set that this person is not offered is not there.
func (a *Assistant) runSwitch(in *turning, sets []set, tool Tool, out *called) error {
	wanted, err := named(out.call.Arguments)
	if err != nil {
		return err
	}
	var lines []string
	on := a.active(in.history, in.choices, a.cfg.Clock())
	for _, name := range wanted {
		i := slices.IndexFunc(sets, func(s set) bool { return s.Name == name })
		if i < 0 {
			lines = append(lines, fmt.Sprintf("Toolset '%s' not found.", plain.Escaped(plain.Name(plain.Stripped(name)))))
			continue
		}
		lines = append(lines, tool.say(sets[i], slices.Contains(on, name)))
		if tool.def.Name == enableToolset {
			on = append(on, name)
			out.reveals = append(out.reveals, specNames(sets[i].tools)...)
		}
	}
	out.outcome, out.text = Ran, strings.Join(lines, "\n")
	return nil
}

// reveal activates the set of a tool that is used while its set is not active.
func (a *Assistant) reveal(ctx context.Context, in *turning, v *View, out *called) error {
	name := a.reg.of[out.call.Tool]
	i := slices.IndexFunc(a.reg.sets, func(s Toolset) bool { return s.Name == name })
	if i < 0 || slices.Contains(a.active(in.history, in.choices, a.cfg.Clock()), name) {
		return nil
	}
	one, err := a.offeredSet(ctx, in.who, v, &a.reg.sets[i])
	out.reveals = specNames(one.tools)
	return err
}

func specNames(tools []ToolSpec) []string {
	out := make([]string, len(tools))
	for i, t := range tools {
		out[i] = t.Name
	}
	return out
}

// offeredSets are the toolsets apart from the core of which this person is offered anything, in the order of configuration.
func (a *Assistant) offeredSets(ctx context.Context, who Person, v *View) ([]set, error) {
	var out []set
	for i := range a.reg.sets {
		one, err := a.offeredSet(ctx, who, v, &a.reg.sets[i])
		if err != nil {
			return nil, err
		}
		if len(one.tools) > 0 {
			out = append(out, one)
		}
	}
	return out, nil
}

// offeredSet is a toolset with those of its tools that this person is offered.
func (a *Assistant) offeredSet(ctx context.Context, who Person, v *View, t *Toolset) (set, error) {
	one := set{Toolset: t}
	for _, t := range t.Tools {
		spec, ok, err := a.offer(ctx, who, v, t)
		if err != nil {
			return one, err
		}
		if ok {
			one.tools = append(one.tools, spec)
		}
	}
	return one, nil
}

// offer is a tool's definition, if this person is offered it.
func (a *Assistant) offer(ctx context.Context, who Person, v *View, t Tool) (ToolSpec, bool, error) {
	if !a.granted(who, t) {
		return ToolSpec{}, false, nil
	}
	useful, err := t.useful(ctx, v)
	return ToolSpec{Name: t.def.Name, Description: t.def.Description, Schema: t.schema, Reveals: t.def.Name == enableToolset}, useful, err
}

// uses is what a conversation's calls and choices make of toolsets: those that are active, in the order of activation, with their last use.
type uses struct {
	idle   time.Duration
	active []used
}

type used struct {
	set string
	at  time.Time
}

// active are the sets that are active in a conversation at a time. It is computed from what is stored: the calls that switched, those that
// used, and the person's choices; never kept, so that it is right after a restart and in every process.
func (a *Assistant) active(history []Message, choices []Choice, now time.Time) []string {
	u := uses{idle: a.cfg.Limits.ToolsetIdle}
	choices = inOrder(choices)
	calls := map[string]ToolCall{}
	for _, m := range history {
		choices = u.choose(choices, m.At)
		for _, p := range m.Parts {
			if p.Call != nil {
				calls[p.Call.ID] = *p.Call
			}
			if p.Result != nil {
				u.call(a.reg, calls[p.Result.Call], *p.Result, m.At)
			}
		}
	}
	if last := len(choices) - 1; last >= 0 {
		u.choose(choices, choices[last].From) // made is made, by whatever clock
	}
	u.expire(now)
	out := make([]string, len(u.active))
	for i, one := range u.active {
		out[i] = one.set
	}
	return out
}

// inOrder are choices by time, one that was made again at both of its times: a call may have ended it in between.
func inOrder(choices []Choice) []Choice {
	var out []Choice
	for _, c := range choices {
		if c.Active && c.From.Before(c.At) {
			out = append(out, c)
		}
		c.From = c.At
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b Choice) int { return a.From.Compare(b.From) })
	return out
}

// choose takes the choices that were made until a time, and gives those that are left.
func (u *uses) choose(choices []Choice, until time.Time) []Choice {
	for len(choices) > 0 && !choices[0].From.After(until) {
		c := choices[0]
		choices = choices[1:]
		if !c.Active {
			u.off(c.Toolset)
			continue
		}
		u.on(c.Toolset, c.From)
		u.active[u.index(c.Toolset)].at = c.At
	}
	return choices
}

// call takes what a call did: it activated sets, or switched some off, or used one that is active.
func (u *uses) call(reg *registry, c ToolCall, r ToolResult, at time.Time) {
	for _, tool := range r.Reveals {
		u.on(reg.of[tool], at)
	}
	if c.Tool == disableToolset && r.Outcome == Ran {
		off, _ := named(c.Arguments)
		for _, name := range off {
			u.off(name)
		}
	}
	u.expire(at)
	if i := u.index(reg.of[c.Tool]); i >= 0 {
		u.active[i].at = at
	}
}

func (u *uses) index(set string) int {
	return slices.IndexFunc(u.active, func(one used) bool { return one.set == set })
}

func (u *uses) on(set string, at time.Time) {
	u.expire(at)
	switch i := u.index(set); {
	case i >= 0:
		u.active[i].at = at
	case set != "":
		u.active = append(u.active, used{set, at})
	}
}

func (u *uses) off(set string) {
	u.active = slices.DeleteFunc(u.active, func(one used) bool { return one.set == set })
}

// expire drops what has not been used for the idle time.
func (u *uses) expire(now time.Time) {
	u.active = slices.DeleteFunc(u.active, func(one used) bool { return now.Sub(one.at) >= u.idle })
}

// section tells a model of toolsets: the last part of the system text. Empty where there are none.
func section(sets []set, active []string) string {
	if len(sets) == 0 {
		return ""
	}
	list := func(on bool) string {
		var b strings.Builder
		for _, s := range sets {
			if slices.Contains(active, s.Name) == on {
				b.WriteString(s.Name + " — " + s.Description + "\n")
			}
		}
		return cmp.Or(b.String(), "(none)\n")
	}
	return "## Toolsets\nNamed groups of tools. Sets are per conversation. Use enable_toolset({\"names\": [\"X\"]}) to add, disable_toolset({\"names\": [\"X\"]}) to remove. Both are idempotent.\n\nACTIVE\n" +
		list(true) + "\nINACTIVE call enable_toolset({\"names\": [\"X\"]}) to add\n" + strings.TrimSuffix(list(false), "\n")
}

// preload activates the sets that belong to what is on the screen, as if the person had chosen them.
func (a *Assistant) preload(ctx context.Context, who Person, c *Conversation, history []Message, screen *Screen) error {
	if screen == nil || !slices.ContainsFunc(a.reg.sets, func(s Toolset) bool { return slices.Contains(s.Tables, screen.Table) }) {
		return nil
	}
	v, err := a.view(ctx, who)
	if err != nil {
		return err
	}
	if _, err := v.Table(ctx, screen.Table); err != nil {
		return nil // as if nothing were on it
	}
	sets, err := a.offeredSets(ctx, who, v)
	for _, s := range sets {
		if slices.Contains(s.Tables, screen.Table) {
			err = errors.Join(err, a.choose(ctx, who, c, history, s.Name, true))
		}
	}
	return err
}

// choose stores a choice, and notes it in c.
func (a *Assistant) choose(ctx context.Context, who Person, c *Conversation, history []Message, name string, active bool) error {
	now := after(a.cfg.Clock(), history, c.Choices)
	choice := Choice{Toolset: name, Active: active, From: now, At: now, Opening: len(history) == 0}
	same := func(old Choice) bool { return old.Toolset == name && old.Opening == choice.Opening }
	if active && slices.Contains(a.active(history, c.Choices, now), name) {
		if i := slices.IndexFunc(c.Choices, func(old Choice) bool { return same(old) && old.Active }); i >= 0 {
			choice.From = c.Choices[i].From
		}
	}
	c.Choices = append(slices.DeleteFunc(slices.Clone(c.Choices), same), choice)
	return a.cfg.Store.Conversations.Choose(ctx, who, c.ID, choice)
}

// after is the time, or just after what is there already where the clock has gone back: the last choice is the one that holds.
func after(now time.Time, history []Message, choices []Choice) time.Time {
	later := func(t time.Time) {
		if !now.After(t) {
			now = t.Add(time.Microsecond) // what a store tells apart
		}
	}
	if len(history) > 0 {
		later(history[len(history)-1].At)
	}
	for _, c := range choices {
		later(c.At)
	}
	return now
}

// choices reads what the person has chosen by now.
func (r *runner) choices(ctx context.Context) error {
	if len(r.a.reg.sets) == 0 {
		return nil
	}
	c, err := r.a.cfg.Store.Conversations.Get(ctx, r.in.turn.Person, r.in.turn.Conversation)
	r.in.choices = c.Choices
	return err
}

// switched tells of the sets that the calls of a step have switched.
func (r *runner) switched(ctx context.Context, before []Message, outs []called) ([]Event, error) {
	if !slices.ContainsFunc(outs, func(o called) bool { return o.reveals != nil || o.call.Tool == disableToolset }) {
		return nil, nil
	}
	now := r.a.cfg.Clock()
	return r.changed(ctx, r.a.active(before, r.in.choices, now), r.a.active(r.in.history, r.in.choices, now))
}

// switchedSince tells of the sets that were switched, or have run out, since the turn before.
func (r *runner) switchedSince(ctx context.Context) ([]Event, error) {
	if len(r.a.reg.sets) == 0 {
		return nil, nil
	}
	older := slices.DeleteFunc(slices.Clone(r.in.history), func(m Message) bool { return m.Turn == r.in.turn.ID })
	var before []string
	if len(older) > 0 {
		before = r.a.active(older, r.in.choices, older[len(older)-1].At)
	}
	return r.changed(ctx, before, r.a.active(r.in.history, r.in.choices, r.a.cfg.Clock()))
}

// changed is the event that other sets are active now, of those that the person is offered.
func (r *runner) changed(ctx context.Context, before, after []string) ([]Event, error) {
	if slices.Equal(before, after) {
		return nil, nil
	}
	v, err := r.a.view(ctx, r.in.who)
	if err != nil {
		return nil, err
	}
	sets, err := r.a.offeredSets(ctx, r.in.who, v)
	on := []string{}
	for _, name := range after {
		if slices.ContainsFunc(sets, func(s set) bool { return s.Name == name }) {
			on = append(on, name)
		}
	}
	return []Event{event(EventToolsetChanged, ToolsetChanged{on})}, err
}

// Toolsets are those apart from the core that the caller is offered, as they stand in one of their conversations; without one, all are inactive.
func (d *Door) Toolsets(ctx context.Context, who Caller, conversation string) ([]ToolsetState, error) {
	person, err := d.a.access(ctx, who.Person)
	if err != nil {
		return nil, err
	}
	return d.a.toolsets(ctx, person, conversation)
}

func (a *Assistant) toolsets(ctx context.Context, who Person, conversation string) ([]ToolsetState, error) {
	var on []string
	if conversation != "" {
		c, history, err := a.told(ctx, who, conversation)
		if err != nil {
			return nil, err
		}
		on = a.active(history, c.Choices, a.cfg.Clock())
	}
	v, err := a.view(ctx, who)
	if err != nil {
		return nil, err
	}
	sets, err := a.offeredSets(ctx, who, v)
	out := make([]ToolsetState, len(sets))
	for i, s := range sets {
		out[i] = ToolsetState{Name: s.Name, Description: s.Description, Active: slices.Contains(on, s.Name), Tools: specNames(s.tools)}
	}
	return out, err
}

// told is a conversation with its history.
func (a *Assistant) told(ctx context.Context, who Person, conversation string) (Conversation, []Message, error) {
	c, err := a.cfg.Store.Conversations.Get(ctx, who, conversation)
	if err != nil {
		return c, nil, err
	}
	history, err := a.history(ctx, who, conversation, 0)
	return c, history, err
}

// SwitchToolset activates a toolset in one of the caller's conversations, or ends that. not_found where they are not offered such a set.
func (d *Door) SwitchToolset(ctx context.Context, who Caller, conversation, name string, active bool) ([]ToolsetState, error) {
	a := d.a
	person, err := a.access(ctx, who.Person)
	if err != nil {
		return nil, err
	}
	c, history, err := a.told(ctx, person, conversation)
	if err != nil {
		return nil, err
	}
	sets, err := a.toolsets(ctx, person, "")
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(sets, func(s ToolsetState) bool { return s.Name == name }) {
		return nil, Errorf(NotFound, "There is no such toolset.")
	}
	if err := a.choose(ctx, person, &c, history, name, active); err != nil {
		return nil, err
	}
	return a.toolsets(ctx, person, conversation)
}
