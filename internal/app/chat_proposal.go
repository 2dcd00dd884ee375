package app

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/deputy"
	"example.com/deputy/internal/terminal"
)

// decideAll shows the groups of proposals, and asks about each that waits.
func (c *chat) decideAll(ids []string) error {
	seen := map[string]bool{}
	for _, id := range ids {
		ps, err := c.door.Proposal(c.ctx, c.who, id)
		if err != nil {
			return err
		}
		if seen[ps[0].Group] {
			continue
		}
		seen[ps[0].Group] = true
		if err := c.decide(ps[0].Group); err != nil {
			return err
		}
	}
	return nil
}

// showProposals shows groups where nobody can be asked.
func (c *chat) showProposals(ids []string) error {
	seen := map[string]bool{}
	for _, id := range ids {
		ps, err := c.door.Proposal(c.ctx, c.who, id)
		if err == nil && !seen[ps[0].Group] {
			seen[ps[0].Group] = true
			if ps, err = c.door.Proposal(c.ctx, c.who, ps[0].Group); err == nil {
				c.card(ps)
				c.write("It waits: confirm it on the page, or with /waiting in deputy chat at a terminal.\n")
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// decide shows a group whole and asks, as often as it comes back changed. What is left undecided waits.
func (c *chat) decide(group string) error {
	for group != "" {
		ps, err := c.door.Proposal(c.ctx, c.who, group)
		if err != nil {
			return err
		}
		c.card(ps)
		open := slices.DeleteFunc(slices.Clone(ps), func(p deputy.Proposal) bool { return p.State != deputy.Pending })
		if len(open) == 0 {
			return nil
		}
		if !c.who.Confirm {
			c.say(terminal.Faint, "Nothing is changed yet. This sign-in may not confirm.")
			return nil
		}
		said, err := c.ask(open)
		if err != nil || said == later {
			return err
		}
		if group, err = c.act(group, open, said); err != nil {
			return err
		}
	}
	return nil
}

// act carries out what was said, and tells what became of it. It returns the group to be shown next: what took the place of a stale one.
func (c *chat) act(group string, open []deputy.Proposal, said answer) (next string, err error) {
	c.status("Working…")
	if said == no {
		_, err = c.door.Reject(c.ctx, c.who, group)
	} else {
		var shown []deputy.Shown
		for _, p := range open {
			shown = append(shown, deputy.Shown{ID: p.ID, Hash: p.Hash})
		}
		var d deputy.Decision
		d, err = c.door.Confirm(c.ctx, c.who, group, shown)
		if len(d.Renewed) > 0 {
			next = d.Renewed[0].Group
		}
	}
	c.status("")
	if err != nil && deputy.CodeOf(err) != deputy.Stale {
		if told := c.told(err); told != nil {
			return "", told
		}
	}
	ps, err := c.door.Proposal(c.ctx, c.who, group)
	if err != nil {
		c.say(terminal.Red, "What became of it cannot be read now. Look at /waiting and at the record before you do it again.")
		return "", nil
	}
	c.begin("outcome")
	for _, p := range ps {
		c.write(c.outcome(p, len(ps) > 1) + "\n")
	}
	if next != "" {
		c.write("The new difference:\n")
	}
	return next, nil
}

type answer int

const (
	later answer = iota
	yes
	no
)

// ask waits for a y or an n that is typed after the whole of it was shown. Anything else leaves it waiting, or asks again.
func (c *chat) ask(open []deputy.Proposal) (answer, error) {
	question, prompt := verb(open)+"?", "y = yes, n = reject, Enter = leave it waiting: "
	hidden := unshowable(open)
	if hidden != "" {
		c.say(terminal.Yellow, "Not all of this can be shown, so it cannot be confirmed. "+hidden+" Reject it, and ask for less at once.")
		question, prompt = "Reject it?", "n = reject, Enter = leave it waiting: "
	}
	c.write(c.paint(terminal.Bold, question) + "\n")
	for {
		text, pasted, err := c.console.Line(c.ctx, prompt, true)
		switch {
		case errors.Is(err, terminal.ErrInterrupt):
			return later, nil
		case err != nil:
			return later, errLeft
		}
		switch said := strings.ToLower(strings.TrimSpace(text)); {
		case pasted:
		case said == "":
			return later, nil
		case (said == "y" || said == "yes") && hidden == "":
			return yes, nil
		case said == "n" || said == "no":
			return no, nil
		}
		c.say(terminal.Faint, "Type a letter: nothing is changed yet.")
	}
}

// card shows a group whole, behind a border that no other text can have: what goes first, then line by line what was and what would be, where it
// comes from, and the warnings.
func (c *chat) card(ps []deputy.Proposal) {
	c.begin("card " + ps[0].Group)
	var b strings.Builder
	inside := *c
	inside.out, inside.inset = &b, terminal.Width(terminal.Border)
	inside.cardLines(ps)
	for line := range strings.Lines(b.String()) {
		c.write(terminal.Border + line)
	}
}

func (c *chat) cardLines(ps []deputy.Proposal) {
	if len(ps) > 1 {
		c.write(c.paint(terminal.Bold, fmt.Sprintf("%d changes that belong together", len(ps))) + "\n")
	}
	for _, p := range ordered(ps) {
		number := ""
		if len(ps) > 1 {
			number = fmt.Sprintf("%d. ", p.Position)
		}
		style := terminal.Bold
		if rank(p.Lines) == 0 {
			style = terminal.Red
		}
		c.exactly(style, "", number, p.Summary)
		for _, of := range byRecord(p.Lines) {
			c.recordLines(of)
		}
		for _, w := range warnings(p) {
			c.exactly(terminal.Yellow, "  ", "! ", w)
		}
		if p.State != deputy.Pending {
			c.write("  " + c.outcome(p, false) + "\n")
		}
	}
	if i := slices.IndexFunc(ps, func(p deputy.Proposal) bool { return p.State == deputy.Pending }); i >= 0 {
		at := ps[i].ExpiresAt
		c.write(c.paint(terminal.Faint, fmt.Sprintf("Nothing is changed yet. It expires in %s, on %s.", inTime(at.Sub(c.now())), at.In(c.zone).Format("2 Jan 2006, 15:04"))) + "\n")
	}
}

// recordLines are the lines of one record.
func (c *chat) recordLines(of []deputy.Line) {
	first := of[0]
	words := map[deputy.Verb]string{deputy.Create: "Create", deputy.Update: "Change", deputy.Delete: "Delete"}
	head := orText(words[first.Verb], string(first.Verb)) + " · " + orText(c.labels[first.Table], first.Table)
	if first.Record != "" {
		head += " " + first.Record
	}
	if first.RecordLabel != "" && first.RecordLabel != first.Record {
		head += " · " + first.RecordLabel
	}
	style := terminal.Style("")
	if first.Verb == deputy.Delete {
		style = terminal.Red
	}
	c.exactly(style, "  ", "", head)
	for _, l := range of {
		c.exactly("", "    ", "", orText(l.Label, l.Field))
		if l.Source == deputy.SourceDefault && l.After == nil {
			c.write("      " + c.paint(terminal.Faint, "given by the application") + "\n")
			continue
		}
		switch l.Verb {
		case deputy.Delete:
			c.side(terminal.Red, "goes", l.Before, l.BeforeLabel)
		case deputy.Create:
			c.side("", "new", l.After, l.AfterLabel)
		default:
			c.side("", "before", l.Before, l.BeforeLabel)
			c.side("", "after", l.After, l.AfterLabel)
		}
		if text := source(l.Source); text != "" {
			style := terminal.Faint
			if l.Source == deputy.SourceModel {
				style = terminal.Yellow
			}
			c.write("      " + c.paint(style, text) + "\n")
		}
	}
}

// side is a value, each of its lines behind a bar: what stands in the data cannot pass for what is said of it.
func (c *chat) side(s terminal.Style, name string, value *string, label string) {
	head := fmt.Sprintf("      %-7s ", name)
	switch {
	case value == nil:
		c.write(head + c.paint(terminal.Faint, "(nothing)") + "\n")
		return
	case *value == "":
		c.write(head + c.paint(terminal.Faint, "(empty)") + "\n")
		return
	}
	text, rest := *value, 0
	if n := len([]rune(text)); n > mostOfValue {
		text, rest = string([]rune(text)[:400]), n-400
	}
	for _, line := range strings.SplitAfter(text, "\n") {
		if line == "" {
			continue // after the last line break
		}
		c.exactly(s, head, "│ ", line)
		head = strings.Repeat(" ", len(head))
	}
	if rest > 0 {
		c.write(head + c.paint(terminal.Yellow, fmt.Sprintf("… and %d more characters that are not shown", rest)) + "\n")
	}
	if label != "" {
		c.exactly("", strings.Repeat(" ", len(head)-2)+"= ", "│ ", label)
	}
}

// exactly writes a text exactly and whole, on as many lines as it takes: the first behind head, each behind bar or as much room.
func (c *chat) exactly(s terminal.Style, head, bar, text string) {
	lines := []string{terminal.Exact(text)}
	if room := c.room(); room > 0 {
		lines = terminal.Fold(lines[0], room-terminal.Width(head+bar))
	}
	for i, line := range lines {
		c.write(head + bar + c.paint(s, line) + "\n")
		if head = strings.Repeat(" ", terminal.Width(head)); i == 0 && bar != "│ " {
			bar = strings.Repeat(" ", terminal.Width(bar))
		}
	}
}

func source(s deputy.Source) string {
	return map[deputy.Source]string{deputy.SourcePerson: "you said this", deputy.SourceData: "from the data", deputy.SourceModel: "! from neither you nor the data",
		deputy.SourceDefault: "the default"}[s]
}

// unseen ends a warning that a line says itself, by its source.
const unseen = " stands neither in your messages nor in the data."

// warnings are those of a proposal that its lines do not say themselves, and words that mix scripts which look alike.
func warnings(p deputy.Proposal) (out []string) {
	for _, w := range p.Warnings {
		if !strings.HasSuffix(w, unseen) || !slices.ContainsFunc(p.Lines, func(l deputy.Line) bool {
			return l.Source == deputy.SourceModel && strings.HasPrefix(w, l.Label+": ")
		}) {
			out = append(out, w)
		}
	}
	texts := []string{p.Summary}
	for _, l := range p.Lines {
		texts = append(texts, l.Label, l.RecordLabel, l.BeforeLabel, l.AfterLabel)
		if l.After != nil {
			texts = append(texts, *l.After)
		}
	}
	for _, text := range texts {
		if w := terminal.Mixed(text); w != "" && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

func rank(lines []deputy.Line) int {
	if slices.ContainsFunc(lines, func(l deputy.Line) bool { return l.Verb == deputy.Delete }) {
		return 0
	}
	return 1
}

// ordered puts deletes first; the numbers stay those of the order they run in.
func ordered(ps []deputy.Proposal) []deputy.Proposal {
	return slices.SortedStableFunc(slices.Values(ps), func(a, b deputy.Proposal) int {
		return cmp.Or(cmp.Compare(rank(a.Lines), rank(b.Lines)), cmp.Compare(a.Position, b.Position))
	})
}

// byRecord puts the lines of one record together: what goes first, otherwise in the order they run in. A field that comes again belongs to
// another new record.
func byRecord(lines []deputy.Line) (out [][]deputy.Line) {
	for _, l := range lines {
		at := -1
		for i, r := range out {
			if r[0].Verb == l.Verb && r[0].Table == l.Table && r[0].Record == l.Record {
				at = i
			}
		}
		if at >= 0 && !slices.ContainsFunc(out[at], func(o deputy.Line) bool { return o.Field == l.Field }) {
			out[at] = append(out[at], l)
		} else {
			out = append(out, []deputy.Line{l})
		}
	}
	slices.SortStableFunc(out, func(a, b []deputy.Line) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// verb is what a yes would do.
func verb(ps []deputy.Proposal) string {
	records, deletes, creates, fields := 0, 0, 0, 0
	for _, p := range ps {
		for _, of := range byRecord(p.Lines) {
			records++
			switch of[0].Verb {
			case deputy.Delete:
				deletes++
			case deputy.Create:
				creates++
			default:
				fields += len(of)
			}
		}
	}
	switch {
	case records > 0 && deletes == records:
		return "Delete " + counted(deletes, "record")
	case records > 0 && creates == records:
		return "Create " + counted(creates, "record")
	case deletes > 0:
		return fmt.Sprintf("Confirm %s, %s among them", counted(fields+creates+deletes, "change"), counted(deletes, "delete"))
	}
	return "Confirm " + counted(fields+creates, "change")
}

// What is shown of one value, of all of them, and how many lines: as on the page.
const (
	mostOfValue = 8_000
	mostOfAll   = 32_000
	mostLines   = 400
)

// unshowable says why proposals cannot be shown whole; empty where they can.
func unshowable(ps []deputy.Proposal) string {
	lines, all := 0, 0
	for _, p := range ps {
		all += len([]rune(p.Summary + strings.Join(p.Warnings, "")))
		lines += len(p.Lines)
		for _, l := range p.Lines {
			if l.Verb != deputy.Create && l.Verb != deputy.Update && l.Verb != deputy.Delete {
				return fmt.Sprintf("It holds a kind of change that is not known here (%q).", string(l.Verb))
			}
			texts := []string{l.Label, l.Field, l.Record, l.RecordLabel, l.BeforeLabel, l.AfterLabel}
			for _, v := range []*string{l.Before, l.After} {
				if v != nil {
					texts = append(texts, *v)
				}
			}
			for _, text := range texts {
				n := len([]rune(text))
				if all += n; n > mostOfValue {
					return fmt.Sprintf("%s has a text of %d characters; %d are shown.", terminal.Cut(terminal.Exact(orText(l.Label, l.Field)), 80), n, mostOfValue)
				}
			}
		}
	}
	switch {
	case lines > mostLines:
		return fmt.Sprintf("It has %d lines; %d are shown.", lines, mostLines)
	case all > mostOfAll:
		return fmt.Sprintf("It has %d characters; %d are shown.", all, mostOfAll)
	}
	return ""
}

// outcome says in a line what became of a proposal.
func (c *chat) outcome(p deputy.Proposal, numbered bool) string {
	words := map[deputy.State]string{
		deputy.Pending: "It still waits.", deputy.Confirming: "Being carried out.", deputy.Done: "Done.", deputy.Failed: "Nothing was changed.",
		deputy.Unknown:  "Not known: it was sent, but no answer came. Check the record before you do it again.",
		deputy.Rejected: "You turned this down. Nothing was changed.", deputy.Expired: "Expired. Nothing was changed.",
		deputy.Outdated: "Changed meanwhile, so nothing was written.",
	}
	text := orText(words[p.State], string(p.State))
	if p.State == deputy.Failed || p.State == deputy.Outdated && p.Renewed == "" || p.State == deputy.Unknown && !strings.HasPrefix(p.Outcome, "It was sent") {
		text += " " + p.Outcome
	}
	if numbered {
		text = fmt.Sprintf("%d. %s", p.Position, text)
	}
	style := map[deputy.State]terminal.Style{deputy.Failed: terminal.Red, deputy.Unknown: terminal.Yellow, deputy.Outdated: terminal.Yellow}[p.State]
	return c.paint(style, terminal.Exact(text))
}

// inTime says how long it is until then.
func inTime(d time.Duration) string {
	switch d = d.Round(time.Minute); {
	case d < time.Minute:
		return "less than a minute"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
