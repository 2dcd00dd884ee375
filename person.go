package deputy

import (
	"context"
	"maps"
	"slices"

	"example.com/deputy/guard"
)

// Person is who every call acts as; it is in package guard, which opens the host as one.
type Person = guard.Person

// known is the person as a store keeps one: who, without rights and without credential.
func known(p Person) Person { return Person{Issuer: p.Issuer, ID: p.ID, Name: p.Name} }

// withoutCredential is the person as a tool sees one.
func withoutCredential(p Person) Person {
	p.Credential = ""
	p.Roles, p.Attributes = slices.Clone(p.Roles), maps.Clone(p.Attributes)
	return p
}

// Caller is a person at a door: Confirm says whether this credential may decide proposals.
type Caller struct {
	Person
	Confirm bool
}

// Channel is by which door a call came.
type Channel string

// The channels.
const (
	Chat     Channel = "chat"
	AGUI     Channel = "agui"
	A2A      Channel = "a2a"
	MCP      Channel = "mcp"
	Embedded Channel = "embedded"
)

// Directory gives the roles, attributes and credential that a person has now. It is asked before each model call and each tool call.
// An error, not_found included, stops the turn: a person that is gone may do nothing.
type Directory interface {
	Lookup(ctx context.Context, issuer, id string) (Person, error)
}
