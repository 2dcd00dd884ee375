package deputy

import (
	"context"

	"example.com/deputy/guard"
)

// The seam to the application, what goes over it, and what a person may see of it are in package guard.
type (
	Host    = guard.Host
	View    = guard.View
	Change  = guard.Change
	Count   = guard.Count
	Assign  = guard.Assign
	Made    = guard.Made
	Write   = guard.Write
	Applied = guard.Applied
	State   = guard.State
	Line    = guard.Line
	Source  = guard.Source
	Clock   = guard.Clock
	Grant   = guard.Grant
)

// The states. Done, failed, unknown, rejected, expired and stale are final.
const (
	Pending    = guard.Pending
	Confirming = guard.Confirming
	Done       = guard.Done
	Failed     = guard.Failed // nothing was written
	Unknown    = guard.Unknown
	Rejected   = guard.Rejected
	Expired    = guard.Expired
	Outdated   = guard.Outdated
)

// The sources.
const (
	SourcePerson  = guard.SourcePerson // stands in the person's messages of this conversation
	SourceData    = guard.SourceData   // equals a cell returned in this conversation
	SourceModel   = guard.SourceModel  // in neither
	SourceDefault = guard.SourceDefault
)

// NewRecord stands before the ID of a change where a model names the record that it will create: new:c3.
const NewRecord = guard.NewRecord

// HasValue is what stands for the value of a secret field.
const HasValue = guard.HasValue

// turnKey is of a context: the turn that it works for.
type turnKey struct{}

// TurnOf is the id of the turn that a request to a host is made for, so that the host can mark what it does (assistant/<turn>); empty where
// there is none.
func TurnOf(ctx context.Context) string {
	id, _ := ctx.Value(turnKey{}).(string)
	return id
}

// WithTurn is a context whose requests are made for a turn. The engine makes it; hosts in their tests may.
func WithTurn(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, turnKey{}, id)
}
