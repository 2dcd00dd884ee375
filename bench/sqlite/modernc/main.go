// Command modernc runs the load on modernc.org/sqlite.
package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net/url"

	"example.com/deputy/bench/sqlite/load"
	"modernc.org/sqlite"
)

func main() {
	load.Main(func(path string, pragmas ...string) (*sql.DB, error) {
		d := &sqlite.Driver{}
		err := d.RegisterFunction("kept", &sqlite.FunctionImpl{NArgs: 1, Deterministic: true,
			Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) { return args[0], nil }})
		q := url.Values{"_pragma": pragmas}
		return sql.OpenDB(connector{d, "file:" + path + "?" + q.Encode()}), err
	})
}

// connector opens connections of a driver that nobody has registered.
type connector struct {
	driver *sqlite.Driver
	name   string
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.name) }

func (c connector) Driver() driver.Driver { return c.driver }
