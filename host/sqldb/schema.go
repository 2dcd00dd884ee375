package sqldb

import (
	"time"

	"example.com/deputy/query"
)

// schema is what a dialect reads from a database: the same form for every engine, in the database's own names.
type schema struct{ tables []table }

// table is one table or view as the database has it, and, once named, as it is offered.
type table struct {
	name    string // the database's own
	view    bool
	strict  bool // every value has its column's type
	columns []*column
	rowid   bool     // SQLite numbers its rows
	key     []string // columns of the primary key
	autoKey bool     // the database makes the key of a new row (one integer column)
	foreign []foreign
	unique  [][]string // columns of each unique index, without partial ones

	offered query.Table
	byField map[string]*column
	hidden  bool // by the configuration
}

// column is one column as the database has it. Its field is filled by the dialect but for names and labels.
type column struct {
	name   string
	field  query.Field
	exact  bool // every value is of the type, and as such is how it is kept
	number int  // for the dialect's own functions
	kind   storage
	zone   *time.Location // of naive timestamps; nil: the host's
}

// foreign is a foreign key in the database's own names.
type foreign struct {
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
