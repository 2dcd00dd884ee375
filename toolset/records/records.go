// Package records is the toolset for reading, changing and opening the records of the host, as the person who asks.
package records

import (
	"context"
	"errors"
	"maps"

	"example.com/deputy"
	"example.com/deputy/query"
)

// Config is what the toolset needs to know of the application.
type Config struct {
	// Pages are templates of links by table name, with {id} where the record's id goes and {where} where a condition goes: "/customers/{id}".
	// Both are escaped when they are filled in. Without pages navigate is never offered.
	Pages map[string]string
	// Widgets are named questions by name. Without any that a person may ask, render_widget is not offered to them.
	Widgets map[string]Widget
}

// New makes the toolset.
func New(c Config) deputy.Toolset {
	return deputy.Toolset{
		Name:        "records",
		Description: "Find, read, change and open records of the application.",
		Tools: []deputy.Tool{
			listTables(), describeTable(), queryRecords(), countRecords(), getRecord(), searchRecords(), listPossibleValues(),
			createRecord(), updateRecord(), deleteRecord(), navigate(maps.Clone(c.Pages)), renderWidget(maps.Clone(c.Widgets)),
		},
	}
}

// readable offers a tool to who may read any table at all.
func readable(ctx context.Context, v *deputy.View) (bool, error) {
	some, err := v.Catalog().Tables(ctx, "", "")
	return len(some) > 0, err
}

// keyed offers a tool to who may read a table whose records have ids.
func keyed(ctx context.Context, v *deputy.View) (bool, error) {
	return anyTable(ctx, v, func(t *query.Table) bool { return len(t.Key) > 0 })
}

// writable offers a tool to whom a table grants the verb that can be written at all.
func writable(verb deputy.Verb) func(context.Context, *deputy.View) (bool, error) {
	return func(ctx context.Context, v *deputy.View) (bool, error) {
		if !v.Writable(verb) {
			return false, nil
		}
		var failed error
		some, err := anyTable(ctx, v, func(t *query.Table) bool {
			r, err := v.Rights(ctx, t.Name)
			failed = errors.Join(failed, err)
			return !r.Written(verb).None()
		})
		return some, errors.Join(err, failed)
	}
}
