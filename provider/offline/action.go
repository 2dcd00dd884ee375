package offline

import (
	"encoding/json"
	"slices"
	"strings"

	"example.com/deputy"
)

// action is a tool that changes one record in a way that the business names: cancel_order, with the order's id and parameters.
type action struct {
	name   string
	words  []string // of the name
	table  string   // of the record, where the description of the id says it
	params []param
}

// readAction reads a tool as an action: one that takes the id of a record, and names its table not in a parameter but in its own name.
func readAction(t deputy.ToolSpec) (action, bool) {
	var schema struct {
		Properties map[string]declared `json:"properties"`
		Required   []string            `json:"required"`
	}
	if json.Unmarshal(t.Schema, &schema) != nil {
		return action{}, false
	}
	for _, other := range []string{"table", "target", "call_id", "names"} {
		if _, ok := schema.Properties[other]; ok {
			return action{}, false
		}
	}
	a := action{name: t.Name, words: words(t.Name)}
	for name, p := range schema.Properties {
		if name == "id" {
			_, a.table, _ = strings.Cut(p.Description, "record of ")
			continue
		}
		a.params = append(a.params, p.read(name, slices.Contains(schema.Required, name)))
	}
	slices.SortFunc(a.params, func(x, y param) int { return strings.Compare(x.name, y.name) })
	_, ok := schema.Properties["id"]
	return a, ok && len(a.words) > 0
}

// does says whether a verb is the one of an action's name.
func (a action) does(verb string) bool {
	bare := func(w string) string { return strings.TrimPrefix(stem(w), "re") }
	return len(verb) > 2 && slices.ContainsFunc(a.words, func(w string) bool {
		return stem(w) == stem(verb) || len(bare(w)) > 3 && bare(w) == bare(verb)
	})
}

// on says whether an action is for records of a table: it says so, or one of the table's names is in its own.
func (a action) on(t *table) bool {
	if a.table != "" {
		return a.table == t.name
	}
	for i := range a.words {
		if _, sure := called(t.names, tokenize(strings.Join(a.words[i:], " ")), 0); sure >= synonym {
			return true
		}
	}
	return false
}

// act proposes an action, where the message names the verb of one; ok says that it does.
func (d *desk) act(start int) (text string, ok bool, err error) {
	if start >= len(d.words) || d.words[start].quoted || stop(d.words[start].low) {
		return "", false, nil
	}
	verb := d.words[start].low
	if !slices.ContainsFunc(d.actions, func(a action) bool { return a.does(verb) }) {
		return "", false, d.wantActions(start)
	}
	if err := d.listed(); err != nil {
		return "", false, err
	}
	for _, a := range d.actions {
		if !a.does(verb) {
			continue
		}
		m, x := d.acted(start, a.on)
		if m.table == nil || !a.on(m.table) {
			continue
		}
		if err := d.describe(m.table.name); err != nil {
			return "", false, err
		}
		text, err := d.propose(a, d.schema.find(m.table.name), x)
		return text, true, err
	}
	return "", false, nil
}

// acted is the record of a fitting table that a message wants something done with: the first that it points at, or the one that is shown.
func (d *desk) acted(start int, fits func(*table) bool) (mention, ref) {
	var named mention
	for _, m := range d.mentions(d.words[start+1:]) {
		m.from, m.to = m.from+start+1, m.to+start+1
		if !fits(m.table) {
			continue
		}
		if x := d.refOf(d.words, m); !x.none() {
			return m, x
		}
		if named.table == nil {
			named = m
		}
	}
	if named.table != nil {
		return named, ref{}
	}
	if start+1 < len(d.words) && d.words[start+1].is("it", "this", "that") {
		if t, _ := d.shown(nil); t != "" {
			return mention{from: -1, table: d.schema.find(t)}, ref{this: true, to: start + 2}
		}
	}
	return mention{}, ref{}
}

// wantActions asks for the set of actions where it is not active and a message reads like one: a verb that no other tool is for, and a record.
func (d *desk) wantActions(start int) error {
	w := d.words[start]
	switch v := verb(d.words, start); {
	case !d.tools["enable_toolset"] || !inactive(d.system, "actions"):
		return nil
	case v != "" && !w.is("assign", "reassign", "switch"):
		return nil
	}
	if err := d.listed(); err != nil {
		return err
	}
	m, x := d.acted(start, func(*table) bool { return true })
	if m.table == nil || x.none() || m.from > start+3 {
		return nil
	}
	return d.enable("actions")
}

// actionNeeds begins the answer that a person may complete.
const actionNeeds = "For that I also need"

// propose calls an action with what the message says of its parameters.
func (d *desk) propose(a action, t *table, x ref) (string, error) {
	if x.none() {
		return "", unclear("Which " + t.noun(1) + " do you mean? Please say its id or its name.")
	}
	id, err := d.identify(t, x)
	if err != nil {
		return "", err
	}
	args, said := map[string]any{"id": id}, []string{}
	var missing []string
	for _, p := range a.params {
		v, text, err := d.argument(p, t, x.to, len(a.params) == 1)
		switch {
		case err != nil:
			return "", err
		case v != nil:
			args[p.name] = v
			said = append(said, p.said()+" "+text)
		case p.required:
			missing = append(missing, p.wanted())
		}
	}
	if len(missing) > 0 {
		return "", unclear(actionNeeds + " " + strings.Join(missing, " and ") + ".")
	}
	if _, err := d.call(a.name, args, false); err != nil {
		return "", err
	}
	text := "I have prepared it: " + strings.Join(a.words, " ") + " " + id
	if len(said) > 0 {
		text += ", " + strings.Join(said, ", ")
	}
	return text + ". Nothing is written until you confirm it.", nil
}
