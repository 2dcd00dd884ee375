package deputy

import (
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
