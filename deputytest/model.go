package deputytest

import (
	"encoding/json"
	"sync"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
)

// Call is an answer that calls one tool. The arguments are sent as they stand, JSON or not; nothing is an empty object. For several calls
// in one step write a scripted.Answer.
func Call(tool, arguments string) scripted.Answer {
	return scripted.Answer{Calls: []scripted.Call{{Tool: tool, Arguments: json.RawMessage(arguments)}}}
}

// Script adds to what the model says: one answer for each time it is asked, over as many turns as it takes. A turn ends with an answer
// that calls nothing. Where the script has ended the model says "Done."
func (d *Desk) Script(answers ...scripted.Answer) { d.model.add(answers) }

// Decide has the model answer with a function of what it is asked, from now on, instead of the script; nil ends that. The functions of
// package scripted read a request: the person's words, the step, the results so far.
func (d *Desk) Decide(answer func(deputy.Request) scripted.Answer) { d.model.decideBy(answer) }

// model is what a desk has for a model.
type model struct {
	mu     sync.Mutex
	script []scripted.Answer
	decide func(deputy.Request) scripted.Answer
	asked  []deputy.Request // in the turn under way
}

func (m *model) answer(r deputy.Request) scripted.Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, r)
	switch {
	case m.decide != nil:
		return m.decide(r)
	case len(m.script) == 0:
		return scripted.Answer{Text: "Done."}
	}
	next := m.script[0]
	m.script = m.script[1:]
	return next
}

func (m *model) add(answers []scripted.Answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script = append(m.script, answers...)
}

func (m *model) decideBy(answer func(deputy.Request) scripted.Answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.decide = answer
}

func (m *model) left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.script)
}

// requests gives what was asked since it was last called.
func (m *model) requests() []deputy.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.asked
	m.asked = nil
	return out
}
