package deputy

import (
	"context"

	"example.com/deputy/query"
)

// View is the host as this person may see it: the only way from a tool to the application. It has no way to write, and it is a struct, so
// that nothing behind it can be reached by a type assertion.
type View struct{}

// Catalog is narrowed to what this person may read: tables, fields, and relations between them.
func (v *View) Catalog() query.Catalog { return nil }

// Rights says what this person may do to a table. For a table that is not there, and for one that may not be read, it says nothing at all.
func (v *View) Rights(ctx context.Context, table string) (Rights, error) { return Rights{}, nil }

// Expr parses and checks an expression of the model's over a table, against what this person may see. Labels are accepted for foreign keys.
func (v *View) Expr(ctx context.Context, table, text string) (query.Expr, error) { return nil, nil }

// Condition is Expr for what must be true or false; an empty text is no condition.
func (v *View) Condition(ctx context.Context, table, text string) (query.Expr, error) {
	return nil, nil
}

// Columns are the fields this person may read, in the table's order, each foreign key followed by the label of what it leads to.
func (v *View) Columns(ctx context.Context, table string) ([]query.Column, error) { return nil, nil }

// Key reads a record id: the text of the key, or a JSON array of texts where it has several fields.
func (v *View) Key(ctx context.Context, table, id string) ([]string, query.Expr, error) {
	return nil, nil, nil
}

// Query asks as the person. An empty Select becomes Columns.
func (v *View) Query(ctx context.Context, q query.Query) (query.Rows, error) {
	return query.Rows{}, nil
}

// Analyze asks for figures as the person.
func (v *View) Analyze(ctx context.Context, a query.Analysis) (query.Rows, error) {
	return query.Rows{}, nil
}

// Label is what names one record for people, as far as this person may read it; empty where nothing does.
func (v *View) Label(ctx context.Context, table, id string) (string, error) { return "", nil }

// Writable says whether any table grants the verb to this person.
func (v *View) Writable(verb Verb) bool { return false }
