package crash

import (
	"fmt"
	"strings"

	"example.com/deputy"
	"example.com/deputy/provider/scripted"
)

// said is the last answer of every turn: longer than what is kept back before it is stored.
func said() string {
	var words []string
	for i := range 500 {
		words = append(words, fmt.Sprintf("word%d", i))
	}
	return strings.Join(words, " ") + "."
}

// model first reads, then proposes what the person's message asks for, then speaks. The message is "7: u1 u2 c d101", where 7 is the new value,
// u updates an item, c creates one, d deletes one and s saves an analysis, which is what it reads then; without a colon nothing is proposed.
func model() deputy.Model {
	return scripted.New(func(r deputy.Request) scripted.Answer {
		value, verbs, proposes := strings.Cut(scripted.User(r), ": ")
		switch step := scripted.Step(r); {
		case step == 1 && strings.Contains(verbs, "s"):
			return scripted.Answer{Calls: []scripted.Call{{Tool: "analyze_records", Arguments: map[string]any{"table": "items", "group_by": []string{"n"}}}}}
		case step == 1:
			return scripted.Answer{Text: "I look first. ", Calls: []scripted.Call{
				{Tool: "query_records", Arguments: map[string]any{"table": "items", "where": "id < 10"}},
				{Tool: "get_record", Arguments: map[string]any{"table": "items", "id": "1"}}}}
		case step == 2 && proposes:
			return scripted.Answer{Text: "I propose. ", Calls: asked(value, strings.Fields(verbs))}
		}
		return scripted.Answer{Text: said()}
	})
}

func asked(value string, verbs []string) (out []scripted.Call) {
	for i, v := range verbs {
		n := map[string]any{"field": "n", "value": value}
		switch id := v[1:]; v[0] {
		case 'u':
			out = append(out, scripted.Call{Tool: "update_record", Arguments: map[string]any{"table": "items", "id": id, "values": []any{n}}})
		case 'd':
			out = append(out, scripted.Call{Tool: "delete_record", Arguments: map[string]any{"table": "items", "id": id}})
		case 's':
			out = append(out, scripted.Call{Tool: "save_analysis", Arguments: map[string]any{"name": "saved " + id, "call_id": "c1"}})
		case 'c':
			name := map[string]any{"field": "name", "value": created(value, i)}
			out = append(out, scripted.Call{Tool: "create_record", Arguments: map[string]any{"table": "items", "values": []any{name, n}}})
		}
	}
	return out
}

// created is the name of an item that is created.
func created(value string, i int) string { return fmt.Sprintf("item of %s, %d", value, i) }
