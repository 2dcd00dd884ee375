package near_test

import (
	"slices"
	"testing"

	"example.com/deputy/internal/near"
)

func TestNames(t *testing.T) {
	t.Parallel()
	list := []string{"customers", "customer_notes", "orders", "order_lines", "tax", "Order Lines"}
	for _, c := range []struct {
		name string
		want []string
	}{
		{"custmers", []string{"customers"}}, {"cutsomers", []string{"customers"}}, {"CUSTOMERS", []string{"customers"}}, {"orderlines", []string{"order_lines", "Order Lines"}},
		{"order", []string{"orders", "order_lines", "Order Lines"}}, {"xat", nil}, {"tay", []string{"tax"}}, {"", nil}, {"payments", nil}, {"customer", []string{"customers", "customer_notes"}},
	} {
		if got := near.Names(c.name, list); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, not %v", c.name, got, c.want)
		}
	}
	if got := near.Hint("odrers", list); got != "; near: orders" {
		t.Errorf("%q", got)
	}
	if got := near.Hint("zebra", list); got != "" {
		t.Errorf("%q", got)
	}
}
