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
		return open(t, sqldb.Config{URL: "sqlite:" + build(t, sometimesLoose(tables), rows)})
	}, 40, 30)
}

func TestPostgresGuardAgainstAModelOfItself(t *testing.T) {
	t.Parallel()
	hosttest.Guard(t, func(t testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host {
		return openPostgres(t, sometimesLoose(tables), rows)
	}, 20, 30)
}

func TestMariaGuardAgainstAModelOfItself(t *testing.T) {
	t.Parallel()
	hosttest.Guard(t, func(t testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host {
		return openMaria(t, sometimesLoose(tables), rows)
	}, 20, 30)
}
