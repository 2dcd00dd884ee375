// Package policy is what an operator allows: roles, and what they leave one person of an application's catalog. It knows nothing of hosts,
// models or stores; it stands on query, and the engine stands on it.
package policy

import (
	"path"
	"slices"
)

// Policy is what the operator allows. No role, no access; no policy, nothing.
type Policy struct {
	Roles map[string]Role
}

// Role grants. The roles of a person are united, verb by verb; Hide in any of them wins.
type Role struct {
	Tools   []string          // names or patterns with *; what none of them names is not offered
	Actions []string          // names of tools that lend rights; no pattern, in Tools or here, names one
	Tables  map[string]Access // by offered name; "*" means every base table without an entry of its own in this role
	Hide    []string          // table.field
	Audit   bool              // sees everybody's log rows
	Operate bool              // may throw the kill switch
}

// Access is what a role may do to one table.
type Access struct {
	Read, Create, Update Fields
	Delete               bool
	Rows                 string // which records may be read, and written to; empty: all
	WriteRows            string // which records may result from a write; empty: Rows
}

// after is the rule about the record a write results in.
func (a Access) after() string {
	if a.WriteRows != "" {
		return a.WriteRows
	}
	return a.Rows
}

// allows says whether the access grants a verb at all.
func (a Access) allows(v Verb) bool {
	switch v {
	case Read:
		return !a.Read.None()
	case Create:
		return !a.Create.None()
	case Update:
		return !a.Update.None()
	}
	return a.Delete
}

// Fields is all fields of a table, or some; the zero value is none.
type Fields struct {
	All   bool
	Names []string
}

// Has says whether a field is among them.
func (f Fields) Has(name string) bool { return f.All || slices.Contains(f.Names, name) }

// None says whether it is no field at all.
func (f Fields) None() bool { return !f.All && len(f.Names) == 0 }

func (f Fields) union(g Fields) Fields {
	if f.All || g.All {
		return Fields{All: true}
	}
	out := slices.Clone(f.Names)
	for _, n := range g.Names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return Fields{Names: out}
}

// Rights is what one person may do to one table, their roles united.
type Rights struct {
	Read, Create, Update Fields
	Delete               bool
	Limited              bool // a row rule applies to reading
}

// Written is the fields that a write may name, by its verb; a delete names all or none. What is no write may name none.
func (r Rights) Written(v Verb) Fields {
	switch v {
	case Create:
		return r.Create
	case Update:
		return r.Update
	case Delete:
		return Fields{All: r.Delete}
	}
	return Fields{}
}

// Verb is what may be done to a table.
type Verb string

// The verbs.
const (
	Read   Verb = "read"
	Create Verb = "create"
	Update Verb = "update"
	Delete Verb = "delete"
)

// ConfigError is one mistake of the operator's. Path names the place by configuration keys, joined with dots.
type ConfigError struct {
	Path    string
	Message string
}

// Error implements error.
func (e *ConfigError) Error() string { return e.Path + ": " + e.Message }

// Of is the roles of the policy among those of a person, by name. Names that it does not have grant nothing.
func (p Policy) Of(roles []string) map[string]Role {
	out := map[string]Role{}
	for _, name := range roles {
		if role, ok := p.Roles[name]; ok {
			out[name] = role
		}
	}
	return out
}

// Any says whether one of a person's roles has something.
func (p Policy) Any(roles []string, has func(Role) bool) bool {
	return slices.ContainsFunc(roles, func(name string) bool {
		role, ok := p.Roles[name]
		return ok && has(role)
	})
}

// Names says whether the role names a tool.
func (r Role) Names(tool string) bool {
	return slices.ContainsFunc(r.Tools, func(pattern string) bool {
		ok, err := path.Match(pattern, tool)
		return ok && err == nil
	})
}

// access is what a role grants on a table; none where it says nothing.
func (r Role) access(table string, view bool) (Access, bool) {
	if a, ok := r.Tables[table]; ok {
		return a, true
	}
	a, ok := r.Tables["*"]
	return a, ok && !view
}
