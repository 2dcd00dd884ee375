// Package guard is the host as one person may see it, and what a write would do there: the only way from a tool to the application. The root
// names its types as its own.
package guard

import (
	"context"
	"errors"

	"example.com/deputy/fault"
	"example.com/deputy/internal/plain"
	"example.com/deputy/policy"
	"example.com/deputy/query"
)

// Guard opens a host for people, under a policy.
type Guard struct {
	host  Host
	rules *policy.Compiled
	read  query.Parser
}

// New guards a host.
func New(h Host, rules *policy.Compiled) *Guard { return &Guard{host: h, rules: rules} }

// View opens the host as a person, with the rights of now.
func (g *Guard) View(ctx context.Context, who Person, clock Clock) (*View, error) {
	full, err := g.host.Catalog(ctx, who)
	if err != nil {
		return nil, err
	}
	grants := g.rules.For(full, policy.Subject{Roles: who.Roles, Lookup: who.Lookup, Now: clock.Now, Zone: clock.Zone})
	return &View{host: g.host, who: who, g: grants, now: clock, read: &g.read}, nil
}

// Fingerprint identifies the rights of a person: equal ones read the same.
func (g *Guard) Fingerprint(who Person) string {
	return g.rules.Fingerprint(who.Issuer, who.ID, who.Roles, who.Attributes)
}

// Abilities are what a person may do, as data and in words.
func (v *View) Abilities(ctx context.Context) ([]policy.Ability, []string, error) {
	return v.g.Abilities(ctx)
}

// sayUnknown makes of what the policy does not show a sentence: the same one for what is not there.
func sayUnknown(err error) error {
	var u *policy.Unknown
	switch {
	case !errors.As(err, &u):
		return err
	case u.Field != "":
		return fault.Errorf(fault.NotFound, "no field `%s` in %s", u.Field, u.Table)
	}
	return fault.Errorf(fault.NotFound, "Unknown table: %s", plain.Name(u.Table))
}
