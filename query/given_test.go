package query_test

import (
	"context"
	"strings"
	"testing"

	"example.com/deputy/query"
)

func given(t *testing.T, text string) (query.Expr, error) {
	t.Helper()
	src, err := query.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	since, err := query.ParseValue(query.Date, "2026-03-01")
	if err != nil {
		t.Fatal(err)
	}
	return query.Condition(context.Background(), query.Env{Catalog: shop(), Table: "orders", Given: map[string]query.Lit{
		"since": {V: since, T: query.Date}, "status": {V: "Active", T: query.String}, "none": {T: query.String}}}, src)
}

func TestParametersAreConstantsOfTheirTypes(t *testing.T) {
	t.Parallel()
	for text, same := range map[string]string{
		`shipped_on >= parameters.since`:                           `shipped_on >= date("2026-03-01")`,
		`ordered_at >= parameters.since`:                           `ordered_at >= date("2026-03-01")`,
		`customer.status == parameters.status`:                     `customer.status == "Active"`,
		`order_lines.exists(l, l.product == parameters.status)`:    `order_lines.exists(l, l.product == "Active")`,
		`shipped_on == null || parameters.since < days(1)+today()`: `shipped_on == null || date("2026-03-01") < days(1)+today()`,
	} {
		got, err := given(t, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		want, err := given(t, same)
		if err != nil {
			t.Fatal(err)
		}
		if query.Text(got) != query.Text(want) {
			t.Errorf("%s means %s, not %s", text, query.Text(got), query.Text(want))
		}
	}
}

func TestAParameterWithoutAValueIsNull(t *testing.T) {
	t.Parallel()
	e, err := given(t, `customer.name == parameters.none`)
	if err != nil {
		t.Fatal(err)
	}
	if got := query.Eval(e, query.Row{}, nil); got != false {
		t.Errorf("nothing equals NULL, not %v", got)
	}
}

func TestParametersThatAreNotThere(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`shipped_on >= parameters.sinc`:                "no parameter `sinc`; near: since",
		`parameters == null`:                           "`parameters` has none, since, status",
		`order_lines.exists(parameters, quantity > 1)`: "cannot be a variable",
		`customer.status == parameters.status.x`:       "`parameters` has none, since, status",
		`quantity > parameters.since`:                  "",
	} {
		if _, err := given(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
