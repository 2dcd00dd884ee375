package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/goccy/go-yaml"

	"example.com/deputy"
)

// entry is one answer of a scenario and when to give it.
type entry struct {
	When  when         `yaml:"when"`
	Text  string       `yaml:"text"`
	Calls []scriptCall `yaml:"calls"`
}

type when struct {
	User string `yaml:"user"` // the person's last message; empty: any
	Step int    `yaml:"step"` // model call of the turn; 0: the first
}

type scriptCall struct {
	Tool      string `yaml:"tool"`
	Arguments any    `yaml:"arguments"`
}

// Load reads a scenario file.
func Load(path string) (*Model, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	m, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", path, err)
	}
	return m, nil
}

// Parse reads a scenario: a YAML list of {when: {user, step}, text, calls: [{tool, arguments}]}. The first entry whose user equals the
// person's last message (ignoring case and space around it) and whose step is the model call of the turn (from 1; absent: 1) answers.
// Without user it answers anything. In text and in every text of arguments {{ calls[0].rows[0][0] }} stands for a part of the result of
// the turn's first call; a text that is nothing else becomes the value itself. Where nothing matches, the model fails.
func Parse(scenario []byte) (*Model, error) {
	entries, err := read(scenario)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, errors.New("no entries: write a list of `- when: {user: …}` with text or calls")
	}
	for i, e := range entries {
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	return New(func(r deputy.Request) Answer { return answer(entries, r) }), nil
}

// read decodes the list. The YAML reader panics on some malformed texts ("! 0"): that is a malformed text, no more.
func read(scenario []byte) (entries []entry, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not YAML that can be read: %v", p)
		}
	}()
	if err := yaml.UnmarshalWithOptions(scenario, &entries, yaml.Strict()); err != nil {
		return nil, errors.New(strings.TrimSpace(yaml.FormatError(err, false, false)))
	}
	return entries, nil
}

func (e entry) check() error {
	if e.Text == "" && len(e.Calls) == 0 {
		return errors.New("neither text nor calls: give it one")
	}
	if e.When.Step < 0 {
		return fmt.Errorf("step %d: steps are counted from 1", e.When.Step)
	}
	templates := []any{e.Text}
	for i, c := range e.Calls {
		if c.Tool == "" {
			return fmt.Errorf("call %d names no tool", i+1)
		}
		if _, ok := c.Arguments.(map[string]any); !ok && c.Arguments != nil {
			return fmt.Errorf("call %d: arguments are an object", i+1)
		}
		if _, err := json.Marshal(c.Arguments); err != nil {
			return fmt.Errorf("call %d: arguments that are not JSON: %w", i+1, err)
		}
		templates = append(templates, c.Arguments)
	}
	// Filling in with nothing shows a path that is no path; a result that is not there yet is no mistake.
	if _, err := fill(templates, func(path) (any, error) { return nil, nil }); err != nil {
		return err
	}
	return nil
}

func (e entry) matches(user string, step int) bool {
	wanted := strings.TrimSpace(e.When.User)
	return (wanted == "" || strings.EqualFold(wanted, strings.TrimSpace(user))) && max(e.When.Step, 1) == step
}

func answer(entries []entry, r deputy.Request) Answer {
	user, step := User(r), Step(r)
	for _, e := range entries {
		if e.matches(user, step) {
			return e.answer(Results(r))
		}
	}
	return Answer{Err: fmt.Errorf("scripted: the scenario has nothing for step %d of %q: add an entry with this `when`", step, user)}
}

func (e entry) answer(results []string) Answer {
	read := func(p path) (any, error) { return p.in(results) }
	text, err := fill(e.Text, read)
	out := Answer{Text: asText(text), Err: err}
	for _, c := range e.Calls {
		arguments, err := fill(c.Arguments, read)
		out.Calls = append(out.Calls, Call{Tool: c.Tool, Arguments: arguments})
		out.Err = errors.Join(out.Err, err)
	}
	if out.Err != nil {
		return Answer{Err: fmt.Errorf("scripted: %w", out.Err)}
	}
	return out
}
