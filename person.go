package deputy

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// Person is who every call acts as. A person is known by issuer and id together: the same id from another issuer is another person.
type Person struct {
	Issuer     string            // who says so: "token" for static tokens, an OIDC issuer's URL
	ID         string            // the subject; `person.id` in an expression
	Name       string            // for people; never decides anything
	Roles      []string          // names of the policy's roles; unknown ones grant nothing
	Attributes map[string]string // `person.attributes.x`; claims are text, read by the type of the field they meet
	Zone       *time.Location    `json:"-"` // nil: the assistant's
	Credential string            `json:"-"` // opaque, to pass on to the host; never stored, never logged
}

// Key is issuer and id as one string: what stores put in every key.
func (p Person) Key() string { return p.Issuer + "\x1f" + p.ID }

// Lookup answers the names of the expression language that are the person's: person.id, person.attributes.x, and person.roles as a JSON array.
func (p Person) Lookup(path []string) (string, bool) {
	switch {
	case len(path) == 2 && path[0] == "person" && path[1] == "roles":
		raw, err := json.Marshal(append([]string{}, p.Roles...))
		return string(raw), err == nil
	case len(path) == 2 && path[0] == "person" && path[1] == "id":
		return p.ID, p.ID != ""
	case len(path) == 3 && path[0] == "person" && path[1] == "attributes":
		v, ok := p.Attributes[path[2]]
		return v, ok
	}
	return "", false
}

// known is the person as a store keeps one: who, without rights and without credential.
func (p Person) known() Person { return Person{Issuer: p.Issuer, ID: p.ID, Name: p.Name} }

// withoutCredential is the person as a tool sees one.
func (p Person) withoutCredential() Person {
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
