package toolsets

import (
	"context"
	"time"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/provider/scripted"
	"example.com/deputy/query"
	"example.com/deputy/store/memory"
	"example.com/deputy/toolset/kernel"
)

// assistant has the sets beside a core of its own, over a host with a table for the screen of each set.
func assistant(ctx context.Context, sets []deputy.Toolset, core []string, answer func(deputy.Request) scripted.Answer) (*deputy.Assistant, error) {
	var tables []query.Table
	for _, s := range sets {
		tables = append(tables, query.Table{Name: s.Name, Label: s.Name, Key: []string{"id"}, Fields: []query.Field{{Name: "id", Label: "Id", Type: query.Int}}})
	}
	policy := deputy.Policy{Roles: map[string]deputy.Role{"all": {Tools: []string{"*"},
		Tables: map[string]deputy.Access{"*": {Read: deputy.Fields{All: true}}}}}}
	return deputy.New(ctx, deputy.Config{Host: hosttest.New(tables, nil), Models: []deputy.Model{scripted.New(answer)}, Store: memory.New(), Policy: policy,
		Toolsets: append([]deputy.Toolset{kernel.New()}, sets...), Core: append(core, "kernel"),
		Limits: deputy.Limits{TurnsPerMinute: -1, Steps: 200, ToolCalls: 200, TurnTimeout: time.Hour}})
}

func person() deputy.Caller {
	return deputy.Caller{Person: deputy.Person{Issuer: "bench", ID: "p", Roles: []string{"all"}}}
}
