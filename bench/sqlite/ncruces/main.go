// Command ncruces runs the load on github.com/ncruces/go-sqlite3.
package main

import (
	"database/sql"
	"net/url"

	"example.com/deputy/bench/sqlite/load"
	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
)

func main() {
	load.Main(func(path string, pragmas ...string) (*sql.DB, error) {
		q := url.Values{"_pragma": pragmas}
		return driver.Open("file:"+path+"?"+q.Encode(), func(c *sqlite3.Conn) error {
			return c.CreateFunction("kept", 1, sqlite3.DETERMINISTIC, kept)
		})
	})
}

// kept answers its argument, by way of a value of Go's, as the other driver does.
func kept(ctx sqlite3.Context, args ...sqlite3.Value) {
	switch a := args[0]; a.Type() {
	case sqlite3.INTEGER:
		ctx.ResultInt64(a.Int64())
	case sqlite3.FLOAT:
		ctx.ResultFloat(a.Float())
	case sqlite3.TEXT:
		ctx.ResultText(a.Text())
	case sqlite3.BLOB:
		ctx.ResultBlob(a.Blob(nil))
	default:
		ctx.ResultNull()
	}
}
