package toolsets

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/deputy"
)

// task is what a person says turn by turn, and the right calls of each turn.
type task struct {
	id    string
	said  []string
	calls [][]string // names of tools
}

// class is one of the classes of functions that the tasks are about.
type class struct{ name, description, file string }

func classes() []class {
	return []class{
		{"files", "Files and folders", "gorilla_file_system"}, {"math", "Arithmetic and statistics", "math_api"}, {"messages", "Messages of a workspace", "message_api"},
		{"posts", "Posts and followers", "posting_api"}, {"tickets", "Support tickets", "ticket_api"}, {"trading", "Stocks, orders, watchlist", "trading_bot"},
		{"travel", "Flights, bookings, budgets", "travel_booking"}, {"vehicle", "Car controls, trips, tires", "vehicle_control"},
	}
}

// lines reads a file of one JSON value a line.
func lines[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var out []T
	in := bufio.NewScanner(f)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var v T
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, v)
	}
	return out, in.Err()
}

// bfclSets are the classes as toolsets, and the class of each function.
func bfclSets(folder string) ([]deputy.Toolset, map[string]string, error) {
	of := map[string]string{}
	var out []deputy.Toolset
	for _, c := range classes() {
		type function struct {
			Name, Description string
			Parameters        json.RawMessage
		}
		list, err := lines[function](filepath.Join(folder, "multi_turn_func_doc", c.file+".json"))
		if err != nil {
			return nil, nil, err
		}
		set := deputy.Toolset{Name: c.name, Description: c.description, Tables: []string{c.name}}
		for _, f := range list {
			schema := strings.NewReplacer(`"dict"`, `"object"`, `"float"`, `"number"`).Replace(string(f.Parameters))
			set.Tools = append(set.Tools, definition{f.Name, f.Description, json.RawMessage(schema)}.tool())
			of[f.Name] = c.name
		}
		out = append(out, set)
	}
	return out, of, nil
}

var callName = regexp.MustCompile(`^\w+`)

// tasks are the tasks with their right calls.
func tasks(folder string) ([]task, error) {
	type question struct {
		ID       string
		Question [][]struct{ Role, Content string }
	}
	type answer struct {
		ID    string
		Truth [][]string `json:"ground_truth"`
	}
	questions, err := lines[question](filepath.Join(folder, "BFCL_v4_multi_turn_base.json"))
	if err != nil {
		return nil, err
	}
	answers, err := lines[answer](filepath.Join(folder, "possible_answer", "BFCL_v4_multi_turn_base.json"))
	if err != nil {
		return nil, err
	}
	var out []task
	for _, q := range questions {
		i := slices.IndexFunc(answers, func(a answer) bool { return a.ID == q.ID })
		if i < 0 || len(answers[i].Truth) != len(q.Question) {
			return nil, fmt.Errorf("%s has no right calls for each turn", q.ID)
		}
		t := task{id: q.ID}
		for k, turn := range q.Question {
			said := ""
			for _, m := range turn {
				said += m.Content
			}
			t.said = append(t.said, said)
			var names []string
			for _, c := range answers[i].Truth[k] {
				names = append(names, callName.FindString(c))
			}
			t.calls = append(t.calls, names)
		}
		out = append(out, t)
	}
	return out, nil
}
