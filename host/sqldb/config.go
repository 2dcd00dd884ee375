package sqldb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/deputy/internal/near"
	"example.com/deputy/query"
)

// Config says which database, and what of its schema the operator wants otherwise.
type Config struct {
	URL       string           // sqlite:PATH, where the file must exist, postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE
	Schemas   []string         // of Postgres, in the order in which tables get the plain names; nil: public
	Tables    map[string]Table // by offered name
	Relations []Relation       // not declared as foreign keys, or to be named otherwise
	Zone      *time.Location   // of naive timestamps; nil: UTC
	Busy      time.Duration    // how long to wait for another writer, on MariaDB in whole seconds; 0: 5 s
	Statement time.Duration    // how long one statement may take on Postgres and MariaDB, where the context does not end before; 0: 30 s
}

// Table changes how one table is offered; empty: as it is.
type Table struct {
	Label       string
	RecordLabel string // an expression over the table's fields
	Version     string // the field that changes with every write
	Hidden      bool   // not offered at all
	// Search names the fields that a search looks in. nil: those of the record label, and texts that are unique; of a view none. Empty: none.
	Search []string
	Fields map[string]Field
}

// Field changes how one field is offered; empty: as it is.
type Field struct {
	Label string
	Zone  string // of naive timestamps: an IANA name
}

// Relation declares or renames a relation: From a field ("orders.rep_code") To a field ("employees.code"). Name is the parent's, seen from
// the child; Children the children's, seen from the parent; empty: as the rules name them.
type Relation struct{ From, To, Name, Children string }

// ConfigError is a mistake in the configuration.
type ConfigError struct {
	Path    string // of the key: host.tables.custmers
	Message string // what is wrong, and how to mend it
}

// Error implements error.
func (e *ConfigError) Error() string { return e.Path + ": " + e.Message }

func mistake(path, format string, args ...any) error {
	return &ConfigError{Path: path, Message: fmt.Sprintf(format, args...)}
}

func joined(errs []error) error { return errors.Join(errs...) }

func appendErrors(errs []error, more ...error) []error {
	for _, err := range more {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// unknown is the error for a name that is not there, with the nearest that is.
func unknown(path, what, name string, there []string) error {
	return mistake(path, "no %s `%s`%s", what, name, near.Hint(name, there))
}

func configureTables(all map[string]*table, c Config) []error {
	var errs []error
	for _, name := range sortedKeys(c.Tables) {
		path := "host.tables." + name
		t, ok := all[name]
		if !ok {
			errs = append(errs, unknown(path, "table", name, sortedKeys(all)))
			continue
		}
		errs = append(errs, t.configure(path, c.Tables[name])...)
	}
	return errs
}

func (t *table) configure(path string, c Table) []error {
	var errs []error
	t.hidden = c.Hidden
	if c.Label != "" {
		t.offered.Label = c.Label
	}
	t.offered.RecordLabel, t.offered.Version = c.RecordLabel, c.Version
	if _, ok := t.byField[c.Version]; !ok && c.Version != "" {
		errs = append(errs, unknown(path+".version", "field", c.Version, sortedKeys(t.byField)))
	}
	t.offered.Search = c.Search
	for i, name := range c.Search {
		errs = appendErrors(errs, t.searched(fmt.Sprintf("%s.search[%d]", path, i), name, c.Search[:i]))
	}
	for _, name := range sortedKeys(c.Fields) {
		at := path + ".fields." + name
		col, ok := t.byField[name]
		if !ok {
			errs = append(errs, unknown(at, "field", name, sortedKeys(t.byField)))
			continue
		}
		errs = appendErrors(errs, col.configure(at, c.Fields[name]))
	}
	return errs
}

func (c *column) configure(path string, f Field) error {
	if f.Label != "" {
		c.field.Label = f.Label
	}
	if f.Zone == "" {
		return nil
	}
	zone, err := time.LoadLocation(f.Zone)
	if err != nil {
		return mistake(path+".zone", "no time zone `%s`; write a name like Europe/Oslo", f.Zone)
	}
	if c.field.Type != query.Timestamp {
		return mistake(path+".zone", "`%s` is of type %s; only a timestamp has a zone", c.field.Name, c.field.Type)
	}
	c.zone = zone
	return nil
}

// end finds the field that "orders.rep_code" names.
func end(all map[string]*table, path, text string) (*table, string, error) {
	name, field, ok := strings.Cut(text, ".")
	if !ok {
		return nil, "", mistake(path, "`%s`: write a table and a field, like orders.customer_id", text)
	}
	t, ok := all[name]
	if !ok {
		return nil, "", unknown(path, "table", name, sortedKeys(all))
	}
	if _, ok := t.byField[field]; !ok {
		return nil, "", unknown(path, "field", field, sortedKeys(t.byField))
	}
	return t, field, nil
}

func badName(path, name string) error {
	if name == "" || snake(name) == name {
		return nil
	}
	return mistake(path, "`%s` is no name of the language; write %s", name, snake(name))
}

// checkLabels compiles the record labels of the configuration.
func checkLabels(cat *catalog, c Config) []error {
	var errs []error
	for _, name := range sortedKeys(c.Tables) {
		text := c.Tables[name].RecordLabel
		if text == "" || c.Tables[name].Hidden {
			continue
		}
		src, err := query.Parse(text)
		if err == nil {
			_, err = query.Check(context.Background(), query.Env{Catalog: cat, Table: name}, src)
		}
		if err != nil {
			errs = append(errs, mistake("host.tables."+name+".record_label", "%v", err))
		}
	}
	return errs
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
