// Command deputy serves the known answer with everything that Deputy does on the way: the HTTP door, the policy, the toolset of records, history and log in the store in memory.
package main

import (
	"context"
	"iter"
	"net/http"

	"example.com/deputy"
	"example.com/deputy/bench/turns/fake"
	"example.com/deputy/query"
	"example.com/deputy/store/memory"
	"example.com/deputy/toolset/records"
	"example.com/deputy/transport/api"
)

func main() { fake.Main(open) }

func open(ctx context.Context, a fake.Answer) (http.Handler, error) {
	all := deputy.Fields{All: true}
	assistant, err := deputy.New(ctx, deputy.Config{
		Host: newHost(a), Models: []deputy.Model{model{a}}, Store: memory.New(), Toolsets: []deputy.Toolset{records.New(records.Config{})},
		Policy: deputy.Policy{Roles: map[string]deputy.Role{"support": {Tools: []string{"*"}, Tables: map[string]deputy.Access{
			"orders": {Read: all, Update: deputy.Fields{Names: []string{"status"}}, Rows: "customer == person.attributes.customer"},
		}}}},
		Limits: deputy.Limits{TurnsPerMinute: -1},
	})
	if err != nil {
		return nil, err
	}
	ann := deputy.Caller{Confirm: true, Person: deputy.Person{Issuer: "token", ID: "ann", Name: "Ann", Roles: []string{"support"},
		Attributes: map[string]string{"customer": "Acme Ltd"}}}
	return api.New(assistant.Door(deputy.Chat), func(r *http.Request) (deputy.Caller, error) {
		if r.Header.Get("Authorization") != "Bearer t" {
			return deputy.Caller{}, deputy.Errorf(deputy.Unauthenticated, "Send the token.")
		}
		return ann, nil
	}, api.Options{Closing: make(chan struct{})}), nil
}

// model takes no time. It calls the tool after the person's message, and says the rest after the tool's.
type model struct{ answer fake.Answer }

func (m model) Info() deputy.ModelInfo {
	return deputy.ModelInfo{Name: "fake", Provider: "fake", Model: "fake"}
}

func (m model) Stream(ctx context.Context, r deputy.Request) iter.Seq2[deputy.Chunk, error] {
	last := r.Messages[len(r.Messages)-1]
	pieces, call := m.answer.After, (*deputy.ToolCall)(nil)
	if last.Role == deputy.FromPerson {
		pieces, call = m.answer.Before, &deputy.ToolCall{Tool: m.answer.Tool, Arguments: m.answer.Arguments}
	}
	return func(yield func(deputy.Chunk, error) bool) {
		for _, p := range pieces {
			if !yield(deputy.Chunk{Text: p}, nil) {
				return
			}
		}
		if call != nil && last.Parts[0].Text == fake.Hold {
			<-ctx.Done()
			yield(deputy.Chunk{}, ctx.Err())
			return
		}
		if call != nil && !yield(deputy.Chunk{Call: call}, nil) {
			return
		}
		yield(deputy.Chunk{Usage: &deputy.Usage{Input: 1, Output: 1}, Stop: deputy.StopEnd}, nil)
	}
}

// host is an application that takes no time: whatever it is asked, it finds the same rows.
type host struct {
	table query.Table
	rows  [][]query.Value
}

func newHost(a fake.Answer) *host {
	h := &host{table: query.Table{Name: "orders", Label: "Orders", Key: []string{"id"}}}
	for _, name := range a.Columns {
		h.table.Fields = append(h.table.Fields, query.Field{Name: name, Label: name, Type: query.String})
	}
	for _, row := range a.Rows {
		var values []query.Value
		for _, v := range row {
			values = append(values, v)
		}
		h.rows = append(h.rows, values)
	}
	return h
}

func (h *host) Catalog(context.Context, deputy.Person) (query.Catalog, error) { return h, nil }

func (h *host) Features() query.Features { return query.Features{} }

func (h *host) Tables(_ context.Context, _, after string) ([]query.Summary, error) {
	if after >= h.table.Name {
		return nil, nil
	}
	return []query.Summary{{Name: h.table.Name, Label: h.table.Label}}, nil
}

func (h *host) Table(_ context.Context, name string) (*query.Table, error) {
	if name != h.table.Name {
		return nil, query.ErrUnknown
	}
	return &h.table, nil
}

func (h *host) Query(_ context.Context, _ deputy.Person, q query.Query) (query.Rows, error) {
	return query.Rows{Columns: q.Select, Rows: h.rows}, nil
}

func (h *host) Analyze(context.Context, deputy.Person, query.Analysis) (query.Rows, error) {
	return query.Rows{}, deputy.Errorf(deputy.Unprocessable, "This host counts nothing.")
}

func (h *host) Apply(context.Context, deputy.Person, string, []deputy.Write) ([]deputy.Applied, error) {
	return nil, deputy.Errorf(deputy.Unprocessable, "This host writes nothing.")
}
