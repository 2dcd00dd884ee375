package scripted

import "example.com/deputy"

// turn is the part of a request that belongs to the turn under way: from the person's last message on.
func turn(r deputy.Request) []deputy.Message {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == deputy.FromPerson {
			return r.Messages[i:]
		}
	}
	return nil
}

// User is the text of the person's last message; empty where there is none.
func User(r deputy.Request) string {
	if t := turn(r); len(t) > 0 {
		return t[0].Text()
	}
	return ""
}

// Step is which model call of its turn a request is, from 1.
func Step(r deputy.Request) int {
	step := 1
	for _, m := range turn(r) {
		if m.Role == deputy.FromModel {
			step++
		}
	}
	return step
}

// Results are the texts that answered the calls of this turn, in the order of the calls; empty for one that has no answer.
func Results(r deputy.Request) []string {
	texts := map[string]string{}
	var calls []string
	for _, m := range turn(r) {
		for _, p := range m.Parts {
			if p.Call != nil {
				calls = append(calls, p.Call.ID+" "+p.Call.Ref)
			}
			if p.Result != nil {
				texts[p.Result.Call+" "+p.Result.Ref] = p.Result.Text
			}
		}
	}
	out := make([]string, len(calls))
	for i, id := range calls {
		out[i] = texts[id]
	}
	return out
}
