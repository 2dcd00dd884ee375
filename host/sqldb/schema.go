package sqldb

import (
	"time"

	"example.com/deputy/query"
)

// schema is what a dialect reads from a database: the same form for every engine, in the database's own names.
type schema struct {
	tables []*table
	places map[place]*table // made when the first table is looked for: all of them are read by then
}

// place is where a table stands.
type place struct{ space, name string }

// find is the table in a place; nil where there is none.
func (s *schema) find(space, name string) *table {
	if s.places == nil {
		s.places = map[place]*table{}
		for _, t := range s.tables {
			s.places[place{t.space, t.name}] = t
		}
	}
	return s.places[place{space, name}]
}

// table is one table or view as the database has it, and, once named, as it is offered.
type table struct {
	name        string // the database's own
	space       string // the schema that it stands in; empty: the engine has none, or one
	comment     string
	create      string // the statement that made it, where the engine keeps that
	view        bool
	strict      bool // every value has its column's type
	columns     []*column
	rowid       bool     // SQLite numbers its rows
	key         []string // columns of the primary key
	autoKey     bool     // the database makes the key of a new row (one integer column)
	foreign     []foreign
	unique      [][]string   // columns of each unique index, without partial ones
	constraints []constraint // that the database names in its errors
	checks      [][]token    // what must hold, until it is said in the language
	checked     []string     // columns that stand in a check
	bytes       bool         // LENGTH counts bytes, and texts are compared by a collation

	offered query.Table
	byField map[string]*column
	hidden  bool   // by the configuration
	words   string // what it is called, in small letters
	within  string // what its columns are called
}

// column is one column as the database has it. Its field is filled by the dialect but for names and labels.
type column struct {
	name      string
	field     query.Field
	exact     bool // every value is of the type, and as such is how it is kept
	unsigned  bool // holds no number below 0
	auto      bool // the database counts it up
	number    int  // for the dialect's own functions
	kind      storage
	native    string // the database's own type (empty: none was declared), and collation, where the dialect needs them
	collation string
	digits    int            // of a numeric; 0: any
	zone      *time.Location // of naive timestamps; nil: the host's
	words     string         // what it is called, in small letters
}

// constraint is a rule of the database, by its name.
type constraint struct {
	name    string
	columns []string
}

// foreign is a foreign key in the database's own names.
type foreign struct {
	space    string // of the parent
	table    string
	from, to []string
	cascade  bool // its rows go when the parent is deleted,
	nullify  bool // or lose it: SET NULL, SET DEFAULT
	follows  bool // its rows change when what they refer to does
}

func (t *table) column(name string) *column {
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

// fields gives the offered names of columns.
func (t *table) fields(columns []string) []string {
	out := make([]string, len(columns))
	for i, name := range columns {
		out[i] = t.column(name).field.Name
	}
	return out
}
