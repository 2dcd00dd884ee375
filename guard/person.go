package guard

import (
	"encoding/json"
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

// Clock is a moment in somebody's zone.
type Clock struct {
	Now  time.Time
	Zone *time.Location
}
