package deputytest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
)

// Turn is what became of one message of a person.
type Turn struct {
	ID, Conversation string
	Events           []deputy.Event    // as the person's screen has them
	Text             string            // the answer
	Reason           deputy.Reason     // why it ended; deputy.Answered where all went well
	Results          []string          // what the model was given, one a call, in the order of the calls
	Outcomes         []deputy.Outcome  // what each call came to, in the same order
	Displays         []deputy.Shows    // in their order
	Proposals        []deputy.Proposal // what waits now because of it, in order
	Requests         []deputy.Request  // what the model was asked, one a step
}

// Offered names the tools that the model was offered at the last.
func (t Turn) Offered() []string {
	if len(t.Requests) == 0 {
		return nil
	}
	var out []string
	for _, tool := range t.Requests[len(t.Requests)-1].Tools {
		out = append(out, tool.Name)
	}
	return out
}

// Data is the JSON inside result i, without the sentences and the fence around it. One without JSON (a refusal) ends the test.
func (t Turn) Data(tb testing.TB, i int) json.RawMessage {
	tb.Helper()
	if i < 0 || i >= len(t.Results) {
		tb.Fatalf("deputytest: no result %d: the turn has %d", i, len(t.Results))
	}
	text := t.Results[i]
	from, to := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if from < 0 || to < from || !json.Valid([]byte(text[from:to+1])) {
		tb.Fatalf("deputytest: no data in result %d: %q", i, text)
	}
	return json.RawMessage(text[from : to+1])
}

// Ask has somebody say something in a new conversation, and waits for the turn to end. Being refused at the door ends the test; see Refusal.
func (d *Desk) Ask(who deputy.Caller, text string) Turn {
	d.t.Helper()
	return d.Say(who, deputy.TurnInput{Text: text})
}

// Run has the model call tools, each answer a step of one turn in a new conversation: the first call is c1. A turn that ends with anything
// but an answer ends the test.
func (d *Desk) Run(who deputy.Caller, answers ...scripted.Answer) Turn {
	d.t.Helper()
	d.Script(answers...)
	out := d.Ask(who, "Please.")
	if out.Reason != deputy.Answered {
		d.t.Fatalf("deputytest: the turn ended as %s", out.Reason)
	}
	return out
}

// Say is Ask with all that can be said: the conversation to go on with (Turn.Conversation), and what is on the screen.
func (d *Desk) Say(who deputy.Caller, in deputy.TurnInput) Turn {
	d.t.Helper()
	out := Turn{}
	d.model.requests()
	for e, err := range d.Door.Turn(d.t.Context(), who, in) {
		if err != nil {
			d.t.Fatalf("deputytest: %s says %q: %v", who.ID, in.Text, err)
		}
		out.Events = append(out.Events, e)
		d.take(&out, e)
	}
	if out.Reason == "" {
		d.t.Fatal("deputytest: the journal of the turn has no end")
	}
	out.Requests = d.model.requests()
	out.results(d.messages(who, out.Conversation))
	out.Proposals = d.proposals(who, out.ID)
	return out
}

// take notes what an event says.
func (d *Desk) take(out *Turn, e deputy.Event) {
	d.t.Helper()
	switch e.Name {
	case deputy.EventTurnStarted:
		s := read[deputy.TurnStarted](d.t, e)
		out.ID, out.Conversation = s.Turn, s.Conversation
	case deputy.EventDisplay:
		out.Displays = append(out.Displays, read[deputy.Shows](d.t, e))
	case deputy.EventTurnFinished:
		f := read[deputy.TurnFinished](d.t, e)
		out.Text, out.Reason = f.Text, f.Reason
	}
}

// results finds what the calls of the turn were answered.
func (t *Turn) results(history []deputy.Message) {
	place := map[string]int{} // of a call
	for _, m := range history {
		for _, p := range m.Parts {
			switch {
			case m.Turn != t.ID:
			case p.Call != nil:
				place[p.Call.ID] = len(t.Results)
				t.Results, t.Outcomes = append(t.Results, ""), append(t.Outcomes, "")
			case p.Result != nil:
				i := place[p.Result.Call]
				t.Results[i], t.Outcomes[i] = p.Result.Text, p.Result.Outcome
			}
		}
	}
}

func read[T any](t testing.TB, e deputy.Event) T {
	t.Helper()
	var out T
	if err := json.Unmarshal(e.Data, &out); err != nil {
		t.Fatalf("deputytest: event %s: %v", e.Name, err)
	}
	return out
}

// messages are those of a conversation as they are kept.
func (d *Desk) messages(who deputy.Caller, conversation string) []deputy.Message {
	d.t.Helper()
	const page = 100
	var out []deputy.Message
	for after := int64(0); ; after = out[len(out)-1].Seq {
		ms, err := d.store.Messages.Page(d.t.Context(), who.Person, conversation, after, page)
		if err != nil {
			d.t.Fatalf("deputytest: reading the conversation: %v", err)
		}
		if out = append(out, ms...); len(ms) < page {
			return out
		}
	}
}

// proposals of a turn, the oldest first. No turn can make more than its limit of calls.
func (d *Desk) proposals(who deputy.Caller, turn string) []deputy.Proposal {
	d.t.Helper()
	ps, err := d.store.Proposals.List(d.t.Context(), who.Person, deputy.ProposalFilter{Turn: turn}, 0, 1000)
	if err != nil {
		d.t.Fatalf("deputytest: reading the proposals: %v", err)
	}
	slices.Reverse(ps)
	return ps
}

// Refusal is why somebody may not say anything: the error of the door. A turn that begins ends the test.
func (d *Desk) Refusal(who deputy.Caller, text string) error {
	d.t.Helper()
	for _, err := range d.Door.Turn(d.t.Context(), who, deputy.TurnInput{Text: text}) {
		if err != nil {
			return err
		}
		break
	}
	d.t.Fatalf("deputytest: %s was not refused", who.ID)
	return nil
}

// Confirm has somebody confirm proposals as they were shown to them: one, or all of a turn together (desk.Confirm(ann, turn.Proposals...)).
// It answers as Door.Confirm does: what became of them, and an error where nothing was decided or all is stale. None ends the test.
func (d *Desk) Confirm(who deputy.Caller, ps ...deputy.Proposal) (deputy.Decision, error) {
	d.t.Helper()
	if len(ps) == 0 {
		d.t.Fatal("deputytest: there is no proposal to confirm")
	}
	id, shown := ps[0].ID, make([]deputy.Shown, len(ps))
	if len(ps) > 1 {
		id = ps[0].Group
	}
	for i, p := range ps {
		shown[i] = deputy.Shown{ID: p.ID, Hash: p.Hash}
	}
	return d.Door.Confirm(d.t.Context(), who, id, shown)
}
