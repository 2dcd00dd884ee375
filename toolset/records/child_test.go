package records_test

import (
	"strings"
	"testing"

	"example.com/deputy"
	"example.com/deputy/query"
)

// TestChildrenComeWithTheirParent: one proposal, the parent first, and each child tied to it.
func TestChildrenComeWithTheirParent(t *testing.T) {
	t.Parallel()
	b, host := bench(t)
	r := b.Run(person("manager"), call("create_record", `{"table":"customers","values":[{"field":"name","value":"Delta"},{"field":"orders[0].id","value":20},{"field":"orders[0].total","value":"3.50"},
		{"field":"orders[1].total","value":4},{"field":"orders[1].id","value":21}]}`))
	if len(r.Proposals) != 1 || len(r.Proposals[0].Changes) != 3 {
		t.Fatalf("%v %d", r.Results, len(r.Proposals))
	}
	p := r.Proposals[0]
	if want := "Create customer: full name; create 2 sales orders: id, customer_id, total"; p.Summary != want || p.Table != "customers" || p.Record != "" {
		t.Errorf("%q of %s %s, want %q", p.Summary, p.Table, p.Record, want)
	}
	var fields []string
	for _, l := range p.Lines {
		fields = append(fields, l.Table+"."+l.Field)
	}
	if got := strings.Join(fields, " "); !strings.Contains(got, "customers.name customers.id customers.status orders.customer_id orders.id orders.total orders.customer_id orders.id orders.total") {
		t.Errorf("shown: %s", got)
	}
	if !strings.Contains(r.Results[0], `"record":"new:c1"`) {
		t.Errorf("the model is told %s", r.Results[0])
	}
	d, err := b.Confirm(person("manager"), r.Proposals...)
	if err != nil || d.Proposals[0].State != deputy.Done {
		t.Fatalf("%+v", d)
	}
	customers, orders := host.Rows("customers"), host.Rows("orders")
	for _, o := range orders[len(orders)-2:] {
		if o["customer_id"] != customers[len(customers)-1]["id"] {
			t.Errorf("%v is not of %v", o, customers[len(customers)-1])
		}
	}
	if orders[len(orders)-1]["total"] != query.Decimal("4") {
		t.Errorf("%v", orders[len(orders)-1])
	}
}

// TestChildrenOfAGivenKey: a parent whose key the database does not make gives it to its children, which may have a key of several fields.
func TestChildrenOfAGivenKey(t *testing.T) {
	t.Parallel()
	b, host := bench(t)
	r := b.Run(person("manager"), call("create_record", `{"table":"orders","values":[{"field":"id","value":30},{"field":"customer_id","value":"Acme AS"},{"field":"order_lines[0].line","value":"a"},{"field":"order_lines[0].quantity","value":2}]}`))
	if len(r.Proposals) != 1 {
		t.Fatal(r.Results)
	}
	if l := r.Proposals[0].Lines[2]; l.Field != "order_id" || *l.After != "30" || l.AfterLabel != "the record of orders that is created with it" || l.Source != "" {
		t.Errorf("%+v", l)
	}
	if d, err := b.Confirm(person("manager"), r.Proposals...); err != nil || d.Proposals[0].State != deputy.Done {
		t.Fatalf("%+v", d)
	}
	lines := host.Rows("order_lines")
	if got := lines[len(lines)-1]; got["order_id"] != int64(30) || got["line"] != "a" || got["quantity"] != int64(2) {
		t.Errorf("%v", got)
	}
}

func TestChildrenAreRefused(t *testing.T) {
	t.Parallel()
	order := func(list string) string {
		return `{"table":"orders","values":[{"field":"id","value":30},` + list + `]}`
	}
	run(t, []try{
		{"unknown relation", "manager", "create_record", order(`{"field":"order_line[0].line","value":"a"}`), refused, "Error: no children `order_line` in orders; near: order_lines"},
		{"a parent is no child", "manager", "create_record", order(`{"field":"customer[0].name","value":"a"}`), refused, "Error: no children `customer` in orders"},
		{"unknown field of a child", "manager", "create_record", order(`{"field":"order_lines[0].lin","value":"a"}`), refused, "Error: order_lines[0]: no field `lin` in order_lines; near: line"},
		{"wrong value of a child", "manager", "create_record", order(`{"field":"order_lines[1].line","value":"a"},{"field":"order_lines[1].quantity","value":"many"}`), refused,
			"Error: order_lines[1]: field `quantity` of type int: \"many\" is not a whole number like 42"},
		{"the tie is ours", "manager", "create_record", order(`{"field":"order_lines[0].order_id","value":10}`), refused, "Error: leave `order_lines[0].order_id` out: it is of the record that is created with it"},
		{"a key that nobody gives", "manager", "create_record", `{"table":"orders","values":[{"field":"total","value":1},{"field":"order_lines[0].line","value":"a"}]}`, refused,
			"Error: order_lines[0] is tied to `id`: give it a value, so that children can be created along with the record"},
		{"a child that may not be created", "cashier", "create_record", order(`{"field":"order_lines[0].line","value":"a"}`), refused, "Error: You may not create records of order_lines."},
		{"a table that may not be read", "seller", "create_record", order(`{"field":"order_lines[0].line","value":"a"}`), refused, "Error: no children `order_lines` in orders"},
		{"the same twice", "manager", "create_record", order(`{"field":"order_lines[0].line","value":"a"},{"field":"order_lines[1].line","value":"a"}`), refused,
			"Error: order_id, line: another record of order_lines that is proposed in this turn has the same."},
	})
}
