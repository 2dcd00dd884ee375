// Command floor streams the known answer with net/http alone: no engine, no history, no permission, no log. Nothing that serves it can be cheaper by much.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"example.com/deputy/bench/turns/fake"
)

func main() {
	fake.Main(func(_ context.Context, a fake.Answer) (http.Handler, error) {
		mux := http.NewServeMux()
		mux.HandleFunc("POST /v1/conversations", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			_, _ = fmt.Fprint(w, `{"id":"cnv_1"}`)
		})
		mux.HandleFunc("POST /v1/conversations/{id}/turns", func(w http.ResponseWriter, r *http.Request) { turn(w, r, a) })
		return mux, nil
	})
}

// stream writes events, a flush each.
type stream struct {
	w  http.ResponseWriter
	c  *http.ResponseController
	id int
}

func (s *stream) send(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	s.id++
	_, _ = fmt.Fprintf(s.w, "id: %d\nevent: %s\ndata: %s\n\n", s.id, name, text)
	_ = s.c.Flush()
}

type delta struct {
	Step int    `json:"step"`
	At   int    `json:"at"`
	Text string `json:"text"`
}

type object map[string]any

func turn(w http.ResponseWriter, r *http.Request, a fake.Answer) {
	var in struct{ Text string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	s := &stream{w: w, c: http.NewResponseController(w)}
	s.send("turn.started", object{"turn": "trn_1", "conversation": r.PathValue("id")})
	s.say(1, a.Before)
	if in.Text == fake.Hold {
		<-r.Context().Done()
		return
	}
	s.send("usage", object{"input": 1, "output": 1})
	s.send("tool.started", object{"call": "tcl_1", "tool": a.Tool, "kind": "read"})
	s.send("tool.finished", object{"call": "tcl_1", "tool": a.Tool, "outcome": "ran", "returned": len(a.Rows)})
	text := s.say(2, a.After)
	s.send("usage", object{"input": 1, "output": 1})
	s.send("turn.finished", object{"turn": "trn_1", "state": "completed", "reason": "answered", "text": text})
}

func (s *stream) say(step int, pieces []string) (text string) {
	for _, p := range pieces {
		s.send("text.delta", delta{step, len(text), p})
		text += p
	}
	return text
}
