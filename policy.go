package deputy

// Policy is what the operator allows. No role, no access; no policy, nothing.
type Policy struct {
	Roles map[string]Role
}

// Role grants. Roles are united per verb; Hide in any of them wins.
type Role struct {
	Tools   []string          // names or patterns with *; what it does not name is not offered
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

// Fields is all fields of a table, or some.
type Fields struct {
	All   bool
	Names []string
}

// Has says whether a field is among them.
func (f Fields) Has(name string) bool {
	if f.All {
		return true
	}
	for _, n := range f.Names {
		if n == name {
			return true
		}
	}
	return false
}

// None says whether it is no field at all.
func (f Fields) None() bool { return !f.All && len(f.Names) == 0 }

// Rights is what one person may do to one table, their roles united.
type Rights struct {
	Read, Create, Update Fields
	Delete               bool
	Limited              bool // a row rule applies to reading
}
