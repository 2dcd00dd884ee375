package query

import (
	"context"
	"errors"
)

// ErrUnknown is the answer for a table that does not exist and for one that this catalog hides: one answer for both.
var ErrUnknown = errors.New("unknown table")

// TablePage is how many tables one call of Catalog.Tables returns at most.
const TablePage = 100

// Catalog describes what can be asked. It is lazy: a host with 500 tables reads only what is asked for. A catalog and what it
// returns are read-only and safe for concurrent use.
type Catalog interface {
	// Tables lists tables in the order of their names, those whose name comes after `after` and (if term is not empty) whose
	// name or label contains term, ignoring case: at most TablePage of them; none left is an empty list. A catalog may find tables by their
	// fields too: it says by which.
	Tables(ctx context.Context, term, after string) ([]Summary, error)
	// Table describes one table; ErrUnknown where there is none.
	Table(ctx context.Context, name string) (*Table, error)
	// Features says what the host can do.
	Features() Features
}

// Features is asked for, never found by type assertion.
type Features struct {
	Transactions bool // a group of writes is all or nothing
	Aggregates   bool // Analyze works
}

// Summary is one line of a table list.
type Summary struct {
	Name, Label string
	Comment     string // one line of the host's own; foreign text
	View        bool   // no base table
	// Fields are those that a term was found in: all of them, where neither name nor label has it. Nil: it was found by name or label.
	Fields []string
}

// Table is one table or view.
type Table struct {
	Name    string // unique, snake_case, an identifier of the language
	Label   string // for people
	Comment string // the host's own words; foreign text
	View    bool   // readable, never writable; "*" in a policy does not mean it
	// Key names the fields of the primary key, in its order. Empty: readable, not writable, no record ids.
	Key       []string
	Fields    []Field // in the table's own order
	Relations []Relation
	Unique    [][]string   // fields that together are of one record at most, besides the key: several each
	Checks    []Constraint // what the host demands of records, as far as it can be said
	// RecordLabel is an expression over the table's fields that names a record for people; empty: its key does.
	RecordLabel string
	// Search names the fields that a search looks in, the most telling first: texts, found by a part, and whole numbers, found by the whole.
	// Empty: the table is not searched.
	Search []string
	// Version names the field that changes with every write; empty: a version is made of the readable values.
	Version string
}

// FieldNames are the names of its fields, in their order.
func (t *Table) FieldNames() []string {
	out := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		out[i] = f.Name
	}
	return out
}

// Field is one column.
type Field struct {
	Name, Label string
	Comment     string
	Type        Type
	Scale       int      // digits after the point of a Dec; -1 where not declared
	Length      int      // most characters of a String; 0 means not limited
	Required    bool     // a new record needs a value, and NULL is refused
	NotNull     bool     // NULL is refused, also where there is a default
	Min, Max    string   // of a number: the least and the most that fits; empty: not known
	Default     string   // the host's own words for the default; empty: none
	Generated   bool     // the host makes the value: never written
	ReadOnly    bool     // not to be written through this catalog
	Values      []string // the only values allowed, as texts; nil: any
	Secret      bool     // password, token, binary: never returned, only whether there is a value
	Unique      bool     // alone, besides the key
}

// Constraint is what must hold of every record: an expression over Fields, its own alone. Where a value in it is NULL, it may be anything.
type Constraint struct {
	Fields []string
	Rule   string
}

// Relation leads to a parent (one) or to children (many).
type Relation struct {
	Name, Label string
	Table       string   // where it leads
	From, To    []string // fields here, fields there, pairwise. Both empty: every row of Table ("all.x")
	Many        bool
	Cascade     bool // children (Many) go when the parent is deleted
	Nullify     bool // children (Many) lose their parent when it is deleted: SET NULL, SET DEFAULT
}

// Field finds a field by name.
func (t *Table) Field(name string) (Field, bool) {
	for _, f := range t.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Relation finds a relation by name.
func (t *Table) Relation(name string) (Relation, bool) {
	for _, r := range t.Relations {
		if r.Name == name {
			return r, true
		}
	}
	return Relation{}, false
}

// Parent finds the relation to a parent that stands on exactly one field.
func (t *Table) Parent(field string) (Relation, bool) {
	for _, r := range t.Relations {
		if !r.Many && len(r.From) == 1 && r.From[0] == field {
			return r, true
		}
	}
	return Relation{}, false
}
