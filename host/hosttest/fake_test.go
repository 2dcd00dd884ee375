package hosttest_test

import (
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/query"
)

func TestFake(t *testing.T) {
	t.Parallel()
	hosttest.Run(t, func(_ testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host {
		return hosttest.New(tables, rows)
	})
}
