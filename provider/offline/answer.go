package offline

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// errLost says that a message means nothing to the rules.
var errLost = errors.New("not understood")

func isTool(err error, to *toolError) bool { return errors.As(err, to) }

// answer is the text of the answer, once all results that it needs are there.
func (d *desk) answer() (string, error) {
	ts := d.words
	for _, small := range []func() (string, bool){d.courtesy, d.identity, d.capable} {
		if text, ok := small(); ok {
			return text, nil
		}
	}
	if expr, ok := sum(d.text); ok {
		return d.calculate(expr)
	}
	switch {
	case d.asksHelp():
		return d.help()
	case d.asksTime():
		return d.time()
	}
	start := courteous(ts)
	if text, ok, err := d.act(start); ok || err != nil {
		return text, err
	}
	switch verb(ts, start) {
	case "create":
		return d.create(start)
	case "update":
		return d.update(start)
	case "delete":
		return d.remove(start)
	case "navigate":
		return d.navigate(start)
	}
	return d.look(start)
}

// courteous is the place after "please", "can you" and their like.
func courteous(ts []token) int {
	i := 0
	for i < len(ts) {
		n := anyAt(ts, i, "please", "can you", "could you", "would you", "will you", "i want to", "i need to", "i would like to", "i'd like to", "let's", "let us", "hi", "hello", "hey", ",", "go ahead and", "now", "then", "and", "deputy", "also", "can i", "help me", "you should")
		if n == 0 {
			return i
		}
		i += n
	}
	return i
}

// verb is what a message wants done: create, update, delete, navigate, or nothing of these.
func verb(ts []token, i int) string {
	if i >= len(ts) {
		return ""
	}
	article := i+1 < len(ts) && ts[i+1].is("a", "an", "new", "another")
	switch w := ts[i]; {
	case w.is("create", "add", "insert", "register"), article && w.is("open", "make", "log", "raise", "file", "start", "enter", "record"), w.is("new") && i+1 < len(ts) && anyOf(ts, ":", "=", "with"):
		return "create"
	case w.is("delete", "remove", "erase", "drop", "clear", "empty", "unset", "reset"):
		return "delete"
	case w.is("change", "update", "set", "modify", "edit", "correct", "rename", "mark", "assign", "reassign", "put", "switch"):
		return "update"
	case w.is("navigate"), anyAt(ts, i, "go to", "take me to", "bring me to", "jump to", "open the page") > 0, w.is("open") && anyOf(ts, "page"):
		return "navigate"
	}
	return ""
}

func (d *desk) courtesy() (string, bool) {
	text := strings.Trim(strings.ToLower(d.text), " \t\n.!,?")
	switch text {
	case "":
		return "Please write what you would like to know or to change.", true
	case "thanks", "thank you", "thanks a lot", "thx", "ok", "okay", "great", "perfect", "ok thanks", "ok thank you":
		return "You are welcome.", true
	case "yes", "confirm", "confirm it", "yes please", "do it", "go ahead", "approve", "apply it":
		return "Only you can do that: confirm the proposal itself. Nothing is written before.", true
	case "no", "cancel", "never mind", "nevermind", "stop", "reject", "undo", "no thanks":
		return "Then leave the proposal or reject it: nothing is written until you confirm.", true
	}
	return "", false
}

// what I am, in words that the page and the README use too.
const whatIAm = "I am Deputy's built-in rules, not a language model: I understand simple English questions over your tables, and nothing more."

// connect says how to get more than rules.
func connect() string {
	return "To connect a real language model, set OPENAI_API_KEY or pass --model-url to the demo, or name one under models: in the configuration."
}

var whoAsked = regexp.MustCompile(`(?i)\b(who|what) (are|r) (you|u)\b|\bare you (an? )?(ai|bot|robot|human|gpt|llm|person|language model|real|machine|chatgpt)\b|\b(what|which) (language )?(model|llm|ai) (are|is|do)\b|\byour name\b|\bsystem prompt\b`)

func (d *desk) identity() (string, bool) {
	if !whoAsked.MatchString(d.text) {
		return "", false
	}
	return whatIAm + " " + connect(), true
}

var howToConnect = regexp.MustCompile(`(?i)\b(connect|configure|use|add|set up)\b.*\b(real|language|better|other|proper|openai|gpt)\b.*\b(model|llm|ai|key)?\b.*$`)

func (d *desk) capable() (string, bool) {
	if howToConnect.MatchString(d.text) && regexp.MustCompile(`(?i)\b(model|llm|openai|gpt)\b`).MatchString(d.text) {
		return connect() + " Until then the built-in rules answer.", true
	}
	return "", false
}

func (d *desk) asksHelp() bool {
	text := strings.Trim(strings.ToLower(d.text), " \t\n.!?")
	switch text {
	case "help", "hi", "hello", "hey", "good morning", "start", "?", "/help", "what now", "menu", "examples":
		return true
	}
	for _, p := range []string{"what can you do", "what can i do", "what can i ask", "how can you help", "what do you do", "how do you work", "how does this work", "what tables", "which tables", "list tables", "list the tables", "show tables", "show the tables", "list all tables", "what data", "what do you know"} {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

func (d *desk) asksTime() bool {
	text := strings.ToLower(d.text)
	for _, p := range []string{"what day is it", "what day is today", "what is the date", "what's the date", "what is today", "what's today", "today's date", "what time is it", "current date", "current time", "what week is it", "what is the time", "what's the time", "which day is it", "what date is it", "which week is it", "which week are we", "which week is this"} {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

func (d *desk) help() (string, error) {
	if err := d.listed(); err != nil {
		return "", err
	}
	var names []string
	for _, t := range d.schema.tables {
		names = append(names, t.noun(2))
	}
	text := whatIAm + "\n\n"
	if len(names) == 0 {
		return text + "There are no tables that you may see. " + connect(), nil
	}
	t := d.example()
	text += "You may ask about: " + strings.Join(names, ", ") + ".\n\nFor example:\n" +
		"- how many " + t.noun(2) + " are there\n- show " + t.noun(2) + " in Norway\n- show " + t.noun(1) + " 1\n- the 5 newest " + t.noun(2) + "\n"
	if d.tools["analyze_records"] {
		text += "- " + t.noun(2) + " per country as a pie chart\n- which country has the most " + t.noun(2) + "\n"
	}
	for _, a := range d.actions[:min(len(d.actions), 3)] {
		text += "- " + strings.Join(a.words, " ") + " 1 (nothing is written until you confirm it)\n"
	}
	if d.tools["update_record"] {
		text += "- change the phone of " + t.noun(1) + " 1 to +47 22 00 00 00 (nothing is written until you confirm it)\n"
	}
	return text + "- what is 12.5 * 8\n\n" + connect(), nil
}

// example is the table that examples are about: customers or people where there are some, else the first.
func (d *desk) example() *table {
	for _, word := range []string{"customers", "people", "contacts", "employees"} {
		for _, t := range d.schema.tables {
			if t.names[word] >= synonym {
				return t
			}
		}
	}
	return d.schema.tables[0]
}

// explain puts an error into words.
func (d *desk) explain(err error) string {
	var tool toolError
	var missing noTool
	var question unclear
	switch {
	case errors.As(err, &question):
		return string(question)
	case errors.As(err, &missing):
		return closed(string(missing)) + " is not open to you here."
	case errors.As(err, &tool):
		return "That did not work: " + sentence(string(tool))
	}
	text := "I did not understand that. " + whatIAm
	if len(d.schema.tables) > 0 {
		t := d.example()
		text += fmt.Sprintf(" Try \"show %s\", \"how many %s are there\" or \"help\".", t.noun(2), t.noun(2))
	} else {
		text += ` Try "help".`
	}
	return text + " " + connect()
}

// closed is what a person cannot do without a tool.
func closed(tool string) string {
	switch tool {
	case "create_record":
		return "Adding records"
	case "update_record":
		return "Changing records"
	case "delete_record":
		return "Deleting records"
	case "navigate":
		return "Opening pages of the application"
	}
	return "What that needs (" + strings.ReplaceAll(tool, "_", " ") + ")"
}

func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

var (
	sumLead  = regexp.MustCompile(`(?i)^\s*(please\s+)?(what is|what's|whats|calculate|compute|how much is|work out|calc)?\s*`)
	sumOnly  = regexp.MustCompile(`^[-+*/%().\d\s]*\d[-+*/%().\d\s]*$`)
	sumOp    = regexp.MustCompile(`[\d)]\s*[-+*/%]\s*[-+(]*\s*[\d(]`)
	percent  = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?)\s*(?:%|percent)\s+of\s+`)
	groups   = regexp.MustCompile(`(\d),(\d{3})\b`)
	cross    = regexp.MustCompile(`(\d)\s*[x×]\s*(\d)`)
	dateLike = regexp.MustCompile(`^\s*\d{4}-\d{2}-\d{2}\s*$`)
)

// sum is the expression that a message asks to calculate.
func sum(text string) (string, bool) {
	s := sumLead.ReplaceAllString(text, "")
	s = strings.TrimRight(s, " \t\n=?!.")
	s = percent.ReplaceAllString(s, "$1 / 100 * ")
	for groups.MatchString(s) {
		s = groups.ReplaceAllString(s, "$1$2")
	}
	s = cross.ReplaceAllString(s, "$1 * $2")
	s = strings.NewReplacer(" times ", " * ", " multiplied by ", " * ", " divided by ", " / ", " plus ", " + ", " minus ", " - ", "÷", "/", "×", "*", "−", "-").Replace(s)
	if len(s) > 500 || !sumOnly.MatchString(s) || !sumOp.MatchString(s) || dateLike.MatchString(s) {
		return "", false
	}
	return strings.Join(strings.Fields(s), " "), true
}

func (d *desk) calculate(expr string) (string, error) {
	r, err := d.call("calculate", struct {
		Expr string `json:"expr"`
	}{expr}, false)
	if err != nil {
		return "", err
	}
	if v := r.figure("result", "value", "answer"); v != "" {
		return expr + " = " + v, nil
	}
	return "", toolError("the calculation gave no number")
}

// figure is the one value of a result: a cell, or a member of some name.
func (r *result) figure(names ...string) string {
	if len(r.rows) > 0 && len(r.rows[0]) > 0 {
		return str(r.rows[0][0])
	}
	for _, n := range names {
		if s := str(r.body[n]); s != "" {
			return s
		}
		if s := str(object(r.body["value"])[n]); s != "" {
			return s
		}
	}
	return ""
}

func (d *desk) time() (string, error) {
	r, err := d.call("current_datetime", struct{}{}, false)
	if err != nil {
		return "", err
	}
	get := func(names ...string) string {
		for _, n := range names {
			if v := str(r.cell(0, n)); v != "" {
				return v
			}
			if v := firstOf(str(r.body[n]), str(object(r.body["value"])[n])); v != "" {
				return v
			}
		}
		return ""
	}
	day, date, clock := get("weekday", "day"), get("date"), get("time")
	if date == "" {
		date = get("datetime", "now", "timestamp")
	}
	text := "It is " + strings.TrimSpace(strings.Join([]string{day, date}, " "))
	if clock != "" {
		text += ", " + clock
	}
	if w := get("week"); w != "" && strings.Contains(strings.ToLower(d.text), "week") {
		text += ", week " + w
	}
	if z := get("zone", "timezone"); z != "" {
		text += " (" + z + ")"
	}
	return text + ".", nil
}

func (d *desk) navigate(start int) (string, error) {
	m, err := d.subject(d.words[start:])
	if err != nil {
		return "", err
	}
	args := struct {
		Target string `json:"target"`
		ID     string `json:"id,omitempty"`
	}{Target: m.table.name}
	x := ref{}
	if m.from >= 0 {
		m.from, m.to = m.from+start, m.to+start
		x = d.refOf(d.words, m)
	}
	if !x.none() && !strings.EqualFold(x.name, "page") {
		if args.ID, err = d.identify(m.table, x); err != nil {
			return "", err
		}
	}
	if _, err := d.call("navigate", args, false); err != nil {
		return "", err
	}
	if args.ID != "" {
		return "The link opens " + m.table.noun(1) + " " + args.ID + ".", nil
	}
	return "The link opens the " + m.table.noun(2) + ".", nil
}
