package query_test

import (
	"context"
	"testing"

	"example.com/deputy/query"
)

const benchText = `status == "active" && support_rep.name.contains("b") && orders.exists(o, o.total > 10 && o.order_lines.count() > 0)`

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := query.Parse(benchText); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	env := env(b, "customers")
	src, err := query.Parse(benchText)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := query.Condition(context.Background(), env, src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEval(b *testing.B) {
	e, rows := check(b, env(b, "customers"), benchText), rows(b)
	for b.Loop() {
		if !query.Truth(query.Eval(e, rows["customers"][0], rows.Data)) {
			b.Fatal("false")
		}
	}
}
