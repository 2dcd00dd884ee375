package sqldb_test

import (
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/host/sqldb"
	"example.com/deputy/query"
)

func TestGuardAgainstAModelOfItself(t *testing.T) {
	t.Parallel()
	hosttest.Guard(t, func(t testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host {
		return open(t, sqldb.Config{URL: "sqlite:" + build(t, tables, rows)})
	}, 40, 30)
}
