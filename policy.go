package deputy

import (
	"errors"

	"example.com/deputy/policy"
)

// What the operator allows is a language of its own, in package policy.
type (
	Policy      = policy.Policy
	Role        = policy.Role
	Access      = policy.Access
	Fields      = policy.Fields
	Rights      = policy.Rights
	Ability     = policy.Ability
	Verb        = policy.Verb
	ConfigError = policy.ConfigError
)

// The verbs.
const (
	Read   = policy.Read
	Create = policy.Create
	Update = policy.Update
	Delete = policy.Delete
)

// sayUnknown makes of what the policy does not show a sentence: the same one for what is not there.
func sayUnknown(err error) error {
	var u *policy.Unknown
	switch {
	case !errors.As(err, &u):
		return err
	case u.Field != "":
		return Errorf(NotFound, "no field `%s` in %s", u.Field, u.Table)
	}
	return Errorf(NotFound, "Unknown table: %s", cut(u.Table, maxName))
}
