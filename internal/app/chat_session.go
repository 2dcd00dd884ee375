package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/deputy"
	"example.com/deputy/internal/terminal"
)

const chatHelp = `Ask, or describe a change. A change is shown first, and made when you say y.
/list     your conversations       /open ID   go on with one
/new      begin a new one          /waiting   what waits for you to decide
/rows     all rows shown last      /quit      leave; so does Ctrl-D
Ctrl-C stops the answer, and leaves when pressed again.
Arrow up: what you said before. A message that begins with / needs a blank before it.`

// session talks until the person leaves.
func (c *chat) session(me deputy.Me) error {
	if err := c.greet(me); err != nil {
		return err
	}
	for {
		c.begin("prompt")
		text, _, err := c.console.Line(c.ctx, "> ", false)
		switch {
		case errors.Is(err, terminal.ErrInterrupt) && c.console.Presses() > 1:
			return nil
		case errors.Is(err, terminal.ErrInterrupt):
			c.say(terminal.Faint, "Ctrl-C again leaves, and so does Ctrl-D.")
			continue
		case err != nil:
			return nil
		case utf8.RuneCountInString(text) >= terminal.MostTyped && !strings.Contains(text, "\n"):
			c.say(terminal.Yellow, fmt.Sprintf("A line holds %d characters, so this was cut and is not sent. Send a longer text through a pipe: deputy chat … < FILE", terminal.MostTyped))
			continue
		}
		if err := c.entered(text); errors.Is(err, errLeft) {
			return nil
		}
	}
}

// greet says who talks with whom.
func (c *chat) greet(me deputy.Me) error {
	model := me.Model.Model
	if me.Model.Offline {
		model = "offline, built-in rules and no language model"
	}
	c.say(terminal.Faint, fmt.Sprintf("%s · model: %s · /help", me.Person.Name, model))
	if me.Killed != nil {
		c.say(terminal.Yellow, "The assistant is stopped: "+me.Killed.Reason)
	}
	if !me.Confirm {
		c.say(terminal.Faint, "This sign-in may not confirm: what is proposed waits.")
	}
	if c.conversation == "" {
		return nil
	}
	return c.open(c.conversation)
}

// entered does what a line asks for. Its only error is errLeft: all others are said.
func (c *chat) entered(line string) error {
	line = strings.TrimRight(line, " \t")
	if strings.TrimSpace(line) == "" {
		return nil
	}
	if !strings.HasPrefix(line, "/") {
		return c.told(c.talk(line))
	}
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "/quit", "/exit":
		return errLeft
	case "/help":
		c.begin("help")
		c.write(chatHelp + "\n")
	case "/new":
		c.conversation, c.last = "", nil
		c.say(terminal.Faint, "The next message begins a new conversation.")
	case "/list":
		return c.told(c.list())
	case "/open":
		return c.told(c.open(strings.TrimSpace(rest)))
	case "/waiting":
		return c.told(c.waiting())
	case "/rows":
		return c.told(c.allRows())
	default:
		c.say(terminal.Yellow, "There is no "+word+"; /help lists what there is. To send it as a message, put a blank before it.")
	}
	return nil
}

// told says an error to the person, unless it is that they have left.
func (c *chat) told(err error) error {
	if errors.Is(err, errLeft) || c.ctx.Err() != nil {
		return errLeft
	}
	if err != nil {
		c.say(terminal.Red, spoken(err).Error())
	}
	return nil
}

// talk says something, tells the answer, and asks about what it proposes.
func (c *chat) talk(text string) error {
	t, err := c.turn(text)
	if err != nil {
		return err
	}
	if t.finished.Reason != deputy.Answered {
		style := terminal.Yellow
		if t.finished.State == deputy.TurnFailed {
			style = terminal.Red
		}
		c.say(style, why(t.finished))
	}
	return c.decideAll(t.proposals)
}

// list names the person's conversations, newest first.
func (c *chat) list() error {
	c.begin("list")
	const most = 50
	cs, err := c.door.Conversations(c.ctx, c.who, "", 0, most+1)
	if err != nil {
		return err
	}
	if len(cs) == 0 && c.console != nil {
		c.write("There is none yet.\n")
	}
	more := len(cs) > most
	for _, v := range cs[:min(len(cs), most)] {
		line := fmt.Sprintf("%s  %s  %s", v.ID, v.UpdatedAt.In(c.zone).Format("2006-01-02 15:04"), terminal.Exact(v.Title))
		if w := c.room(); w > 0 {
			line = terminal.Cut(line, w)
		}
		c.write(line + "\n")
	}
	if more && c.console != nil {
		c.write(c.paint(terminal.Faint, "… and older ones.") + "\n")
	}
	return nil
}

// recent is how many messages of a conversation are shown again, remembered how many lines the arrow up knows of it.
const (
	recent     = 6
	remembered = 100
)

// open goes on with a conversation, after showing how it stood.
func (c *chat) open(id string) error {
	v, err := c.door.Conversation(c.ctx, c.who, id)
	if err != nil {
		return notYours(err, id)
	}
	said, err := c.saidIn(id)
	if err != nil {
		return err
	}
	c.conversation, c.last = v.ID, nil
	var own []string
	for _, m := range said {
		if m.Role == deputy.FromPerson {
			own = append(own, m.Text())
		}
	}
	for _, line := range own[max(0, len(own)-remembered):] {
		c.console.Remember(line)
	}
	c.say(terminal.Bold, v.Title)
	if len(said) > recent {
		said = said[len(said)-recent:]
		c.say(terminal.Faint, "…")
	}
	for _, m := range said {
		c.begin(m.Turn + string(m.Role))
		p := terminal.NewProse(c.out, c.width())
		if m.Role == deputy.FromPerson {
			p.Write("> ")
		}
		p.Write(m.Text())
		p.End()
	}
	ps, err := c.door.Proposals(c.ctx, c.who, deputy.ProposalFilter{State: deputy.Pending, Conversation: id}, 0, 1)
	if len(ps) > 0 {
		c.say(terminal.Faint, "Something waits here for you to decide: /waiting")
	}
	return err
}

// saidIn is what was said in a conversation by either side, in words, oldest first.
func (c *chat) saidIn(id string) (out []deputy.Message, err error) {
	for after := int64(0); ; {
		page, err := c.door.Messages(c.ctx, c.who, id, after, 200)
		if err != nil || len(page) == 0 {
			return out, err
		}
		for _, m := range page {
			if after = m.Seq; (m.Role == deputy.FromPerson || m.Role == deputy.FromModel) && strings.TrimSpace(m.Text()) != "" {
				out = append(out, m)
			}
		}
	}
}

// waiting shows everything of the person's that waits, oldest first, and asks.
func (c *chat) waiting() error {
	ps, err := c.door.Proposals(c.ctx, c.who, deputy.ProposalFilter{State: deputy.Pending}, 0, 200)
	if err != nil {
		return err
	}
	var ids []string
	for _, p := range slices.Backward(ps) {
		ids = append(ids, p.ID)
	}
	if len(ids) == 0 {
		c.say(terminal.Faint, "Nothing waits for you.")
	}
	return c.decideAll(ids)
}

// allRows shows the rows that were shown last, all of them.
func (c *chat) allRows() error {
	if c.last == nil {
		c.say(terminal.Faint, "No rows have been shown.")
		return nil
	}
	return c.table(*c.last, true)
}
