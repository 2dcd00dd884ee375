package guard

import (
	"slices"

	"example.com/deputy/policy"
)

// Grant is a write that a tool lends whoever may use it, for its own changes alone: a verb, and the fields it may set. What a role may read
// still holds for every record and every field; what it may write does not matter then.
type Grant struct {
	Table  string
	Verb   policy.Verb
	Fields []string // none for a delete
}

// Lend is the same view for the changes of a tool that lends: Prepare and Admit allow those, whatever the person's roles say of the verb. It is
// no method of the view: a tool cannot lend itself anything.
func Lend(v *View, grants []Grant) *View {
	lent := *v
	lent.lent = grants
	return &lent
}

// lends says whether a change is lent whole.
func (v *View) lends(c Change) bool {
	return slices.ContainsFunc(v.lent, func(g Grant) bool {
		return g.Table == c.Table && g.Verb == c.Verb && !slices.ContainsFunc(c.Values, func(a Assign) bool { return !slices.Contains(g.Fields, a.Field) })
	})
}

// free says whether the rules of a role about writing do not matter to a change.
func (v *View) free(c Change) bool { return c.Tests() || v.lends(c) }
