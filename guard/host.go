package guard

import (
	"context"
	"slices"

	"example.com/deputy/query"
)

// Host is the business application. Every method acts as the person; no method sees a policy: row rules and hidden fields are already in
// the expressions and in Select. Errors whose text a person may read are *Error; all others are the operator's.
// A context that ends stops the request.
type Host interface {
	// Catalog describes the host as this person may see it where the host knows rights of its own. The zero Person asks for the whole
	// catalog, to compile a policy at start.
	Catalog(ctx context.Context, as Person) (query.Catalog, error)
	// Query returns rows. Read-only is enforced by the engine beneath.
	Query(ctx context.Context, as Person, q query.Query) (query.Rows, error)
	// Analyze returns figures over groups of rows, exact: what query.Analysis.Eval says.
	Analyze(ctx context.Context, as Person, a query.Analysis) (query.Rows, error)
	// Apply makes the writes in order, once. Versions and conditions of all are tested before the first change; an update without values is
	// done with that, and its record is kept from others until the group is made, where the host can. With
	// Features.Transactions it is all or nothing; else it stops at the first failure and the answers say what was done. The answers are
	// as many as the writes; a refusal is a failed Applied, no error. Nothing goes or changes along with a delete that is no write of the
	// group itself: such a delete is refused, whoever may see what would go. An *Error means that nothing was written; any other
	// error, that of a context included, means that it is not known what was. key is the idempotency key of this attempt.
	Apply(ctx context.Context, as Person, key string, ws []Write) ([]Applied, error)
}

// Made are the keys that the writes of a group have made so far, by the ID of their change: a host's, while it applies a group.
type Made map[string][]string

// Add notes what became of a write.
func (m Made) Add(w Write, done Applied) {
	if w.ID != "" && done.State == Done {
		m[w.ID] = done.Key
	}
}

// Into is a change with the keys in it that were made: each From of one is its Text now. A From of which none was made stays.
func (m Made) Into(c Change) Change {
	c.Values = slices.Clone(c.Values)
	for i, a := range c.Values {
		if key := m[a.From]; a.From != "" && len(key) == 1 {
			c.Values[i].Text, c.Values[i].From = &key[0], ""
		}
	}
	return c
}

// Fill gives a write with every From replaced by the key that was made; not ok where one was not.
func (m Made) Fill(w Write) (filled Write, ok bool) {
	w.Change = m.Into(w.Change)
	return w, !slices.ContainsFunc(w.Values, func(a Assign) bool { return a.From != "" })
}

// Write is a change on its way to the host. Only the guard makes one: conditions compiled against the catalog of now, row rules in them.
type Write struct {
	Change
	When query.Expr // about the record before, else stale; nil: none
	// Still is tested in the order of the writes too, about the record just before it is written: where it does not hold any more, for what the group
	// has made before, the write is failed. nil: none.
	Still query.Expr
	// Check is tested in the order of the writes, and where it does not hold the write is failed: about the record after it is created or
	// updated, or just before it is deleted. nil: none.
	Check query.Expr
}

// Applied is what became of one write.
type Applied struct {
	// State is done, failed (refused: nothing was written), stale (the record is not as it was shown: gone, another version, or When does
	// not hold) or pending (not attempted).
	State State
	Key   []string // of the record, also of one just created
	Error string   // a sentence for the person, where it is not done
}

// Untested takes back the answers to what only tests, where not all of its group was done: nothing was made of it.
func Untested(ws []Write, done []Applied) {
	if !slices.ContainsFunc(done, func(a Applied) bool { return a.State != Done }) {
		return
	}
	for i := range done {
		if ws[i].Tests() && done[i].State == Done {
			done[i] = Applied{State: Pending}
		}
	}
}
