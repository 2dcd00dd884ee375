package app

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/internal/terminal"
)

// telling is what is told of a turn while it comes.
type telling struct {
	*chat
	turn      string
	step      int             // whose text is being told
	text      string          // of that step, as it stands now
	prose     *terminal.Prose // nil: no text is being told
	written   string          // of it
	anyText   bool
	began     map[string]deputy.ToolStarted
	displays  []deputy.Shows
	proposals []string
	finished  deputy.TurnFinished
}

// turn says something and tells what comes, until the turn has ended. Ctrl-C cancels it; once more, or the end of the context, leaves: errLeft.
// In a pipe, everything is told at the end, in words and tables.
func (c *chat) turn(text string) (*telling, error) {
	id, err := c.door.Start(c.ctx, c.who, deputy.TurnInput{Conversation: c.conversation, Text: text})
	if err != nil {
		return nil, err
	}
	ctx, leave := context.WithCancel(c.ctx)
	defer leave()
	go c.heedInterrupts(ctx, id, leave)
	t := &telling{chat: c, turn: id, began: map[string]deputy.ToolStarted{}}
	c.status("…")
	defer c.status("")
	for e, err := range c.door.Follow(ctx, c.who, id, 0) {
		if ctx.Err() != nil {
			return nil, c.abandon(id)
		}
		if err == nil {
			err = t.tell(e)
		}
		if err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, c.abandon(id)
	}
	return t, t.end()
}

// abandon cancels a turn that nobody waits for any more.
func (c *chat) abandon(turn string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), leaving)
	defer cancel()
	_ = c.door.Cancel(ctx, c.who, turn) // it may be cancelled or ended already
	return errLeft
}

// heedInterrupts cancels a turn at the first Ctrl-C, and leaves at the next.
func (c *chat) heedInterrupts(ctx context.Context, turn string, leave func()) {
	if c.console == nil {
		return
	}
	for first := true; ; first = false {
		select {
		case <-ctx.Done():
			return
		case <-c.console.Interrupts():
		}
		if !first {
			leave()
			return
		}
		c.status("Stopping… (Ctrl-C again leaves)")
		if err := c.door.Cancel(ctx, c.who, turn); err != nil {
			c.status(deputy.MessageOf(err))
		}
	}
}

// tell takes one event.
func (t *telling) tell(e deputy.Event) error {
	switch e.Name {
	case deputy.EventTurnStarted:
		return with(e, func(d deputy.TurnStarted) { t.conversation = d.Conversation })
	case deputy.EventTextDelta:
		return with(e, t.add)
	case deputy.EventReasoningDelta:
		if t.prose == nil {
			t.status("Thinking…")
		}
	case deputy.EventToolStarted:
		return with(e, t.toolStarted)
	case deputy.EventToolFinished:
		return with(e, t.toolFinished)
	case deputy.EventDisplay:
		return with(e, func(d deputy.Shows) { t.displayed(d) })
	case deputy.EventProposalCreated:
		return with(e, func(d deputy.ProposalCreated) { t.proposals = append(t.proposals, d.Proposal) })
	case deputy.EventTurnFinished:
		return with(e, func(d deputy.TurnFinished) { t.finished = d })
	}
	return nil
}

// with decodes the data of an event.
func with[T any](e deputy.Event, do func(T)) error {
	var d T
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return fmt.Errorf("event %s: %w", e.Name, err)
	}
	do(d)
	return nil
}

// add takes a piece of text. What is on the screen cannot be taken back: a step that was run again and says the same goes on where it was,
// one that says something else is told anew.
func (t *telling) add(d deputy.Delta) {
	if t.console == nil {
		return
	}
	if d.Step != t.step {
		t.endText()
		t.step, t.text, t.written = d.Step, "", ""
	}
	t.text = t.text[:min(d.At, len(t.text))] + d.Text
	if !strings.HasPrefix(t.written, t.text) {
		t.tellText()
	}
}

func (t *telling) tellText() {
	if !strings.HasPrefix(t.text, t.written) {
		if t.prose != nil {
			t.prose.End()
		}
		t.prose, t.written = nil, ""
		t.say(terminal.Faint, "The answer begins again.")
	}
	if t.prose == nil {
		t.begin("text")
		t.prose = terminal.NewProse(t.out, t.width())
	}
	t.anyText = true
	t.prose.Write(t.text[len(t.written):])
	t.written = t.text
}

// endText ends the text that is being told.
func (t *telling) endText() {
	if t.written != t.text {
		t.tellText()
	}
	if t.prose != nil {
		t.prose.End()
		t.prose, t.block = nil, "text"
	}
}

func (t *telling) toolStarted(d deputy.ToolStarted) {
	t.endText()
	t.began[d.Call] = d
	t.status(orText(d.Label, d.Tool) + "…")
}

// toolFinished is one quiet line: what was done, of what, how many rows, how long it took.
func (t *telling) toolFinished(d deputy.ToolFinished) {
	bad := d.Outcome == deputy.Refused || d.Outcome == deputy.CallFailed
	began := t.began[d.Call]
	if t.console == nil || began.Kind == deputy.KindDisplay && !bad {
		return
	}
	t.endText()
	words := append([]string{orText(began.Label, d.Tool)}, t.ofCall(d.Call)...)
	if d.Outcome == deputy.Ran && d.Returned != nil && began.Kind == deputy.KindRead {
		words = append(words, counted(*d.Returned, "row")+map[bool]string{true: ", cut"}[d.Truncated])
	}
	if bad {
		words = append(words, string(d.Outcome))
		if d.Error != nil {
			words[len(words)-1] += ": " + d.Error.Message
		}
	} else {
		words = append(words, took(time.Duration(d.DurationMS)*time.Millisecond))
	}
	t.begin("tools")
	t.write(t.paint(terminal.Faint, terminal.Cut("· "+terminal.Exact(strings.Join(words, " · ")), t.room())) + "\n")
	t.status("…")
}

// ofCall says of what a call was, in words.
func (t *telling) ofCall(call string) (out []string) {
	rows, err := t.door.Calls(t.ctx, t.who, deputy.LogFilter{Turn: t.turn}, 0, 100)
	if err != nil {
		return nil // the line says less
	}
	for _, row := range rows {
		var arguments map[string]any
		if row.ID != call || json.Unmarshal(row.Arguments, &arguments) != nil {
			continue
		}
		for _, name := range []string{"table", "id", "term", "where", "expr", "view"} {
			text, _ := arguments[name].(string)
			switch {
			case text == "":
				continue
			case name == "table":
				text = orText(t.labels[text], text)
			case name == "where":
				text = inWords(text)
			}
			out = append(out, text)
		}
		return out
	}
	return nil
}

// displayed shows rows or a link, at once at a terminal.
func (t *telling) displayed(d deputy.Shows) {
	t.displays = append(t.displays, d)
	if t.console != nil {
		t.endText()
		_ = t.told(t.show(d)) // who has left is found out by who follows the turn
		t.status("…")
	}
}

// end tells what is left when the turn has ended: an answer that came in one piece; in a pipe, everything.
func (t *telling) end() error {
	t.status("")
	t.endText()
	if text := strings.TrimSpace(t.finished.Text); text != "" && !t.anyText {
		t.begin("text")
		p := terminal.NewProse(t.out, t.width())
		p.Write(text)
		p.End()
	}
	if t.console != nil {
		return nil
	}
	for _, d := range t.displays {
		if err := t.show(d); err != nil {
			return err
		}
	}
	return t.showProposals(t.proposals)
}

// conditions are made readable; who wants the exact one finds it in the log.
var conditions = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`\s*&&\s*`), " and "}, {regexp.MustCompile(`\s*\|\|\s*`), " or "}, {regexp.MustCompile(`\s*==\s*`), " = "}, {regexp.MustCompile(`\s*!=\s*`), " ≠ "},
	{regexp.MustCompile(`\s*<=\s*`), " ≤ "}, {regexp.MustCompile(`\s*>=\s*`), " ≥ "}, {regexp.MustCompile(`"([^"\\]*)"`), "$1"},
}

func inWords(where string) string {
	for _, c := range conditions {
		where = c.from.ReplaceAllString(where, c.to)
	}
	return where
}

func took(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// why says in a sentence why a turn ended otherwise than answered.
func why(f deputy.TurnFinished) string {
	text := map[deputy.Reason]string{
		deputy.RefusedByModel:  "The model declined to answer this.",
		deputy.LengthReached:   "The answer was cut at the model's limit. Ask it to go on.",
		deputy.StepLimit:       "Stopped after the most steps a turn may take. Ask for less at once, or ask to go on.",
		deputy.ToolCallLimit:   "Stopped after the most look-ups a turn may make. Ask for less at once, or ask to go on.",
		deputy.TimeLimit:       "Stopped: it took too long. Ask for less at once.",
		deputy.Cancelled:       "You stopped this.",
		deputy.KilledReason:    "An operator has stopped the assistant.",
		deputy.BudgetReason:    "Your budget is used up.",
		deputy.ClassNotCleared: "The model may not be sent this data.",
		deputy.ModelError:      "The model did not answer. Nothing was changed.",
		deputy.Interrupted:     "This was interrupted and could not go on.",
		deputy.InternalReason:  "Something went wrong. The operator's log says what.",
	}[f.Reason]
	return orText(f.Detail, orText(text, string(f.Reason)))
}
