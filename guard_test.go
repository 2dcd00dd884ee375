package deputy_test

import (
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/query"
)

func TestGuardAgainstAModelOfItself(t *testing.T) {
	t.Parallel()
	hosttest.Guard(t, func(_ testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host {
		return hosttest.New(tables, rows)
	}, 150, 30)
}
