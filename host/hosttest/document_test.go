package hosttest_test

import (
	"os"
	"testing"

	"example.com/deputy"
	"example.com/deputy/host/hosttest"
	"example.com/deputy/query"
)

func TestExamples(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/expressions.md")
	if err != nil {
		t.Fatal(err)
	}
	hosttest.Examples(t, func(_ testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host {
		return hosttest.New(tables, rows)
	}, string(document))
}
