package records_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"example.com/deputy"
	"example.com/deputy/deputytest"
	"example.com/deputy/query"
	"example.com/deputy/toolset/records"
)

const (
	ran     = deputy.Ran
	refused = deputy.Refused
)

func TestListTables(t *testing.T) {
	t.Parallel()
	run(t, []try{
		{"manager", "manager", "list_tables", `{}`, ran, `{"tables":[{"name":"countries","verbs":["read","create","update","delete"]},` +
			`{"name":"customers","verbs":["read","create","update","delete"],"comment":"Who buys.…"},` +
			`{"name":"order_lines","verbs":["read","create","update","delete"]},` +
			`{"name":"orders","label":"Sales orders","verbs":["read","create","update","delete"]},{"name":"visits","verbs":["read"]}]}`},
		{"only what one may read", "agent", "list_tables", ``, ran,
			`{"tables":[{"name":"customers","verbs":["read","update"],"comment":"Who buys.…"},{"name":"orders","label":"Sales orders","verbs":["read"]}]}`},
		{"term in a label", "manager", "list_tables", `{"term":"SALES"}`, ran, `{"tables":[{"name":"orders","label":"Sales orders","verbs":["read","create","update","delete"]}]}`},
		{"after", "agent", "list_tables", `{"after":"customers"}`, ran, `{"tables":[{"name":"orders","label":"Sales orders","verbs":["read"]}]}`},
		{"nothing found", "agent", "list_tables", `{"term":"countries"}`, ran, `{"tables":[]}`},
		{"other case", "agent", "list_tables", `{"Term":"x"}`, refused, "Error: arguments: unknown key `Term`: write term"},
		{"not offered", "nobody", "list_tables", `{}`, refused, "Error: Unknown tool: list_tables"},
	})
}

func TestDescribeTable(t *testing.T) {
	t.Parallel()
	run(t, []try{
		{"whole", "manager", "describe_table", `{"tables":["customers","order_lines"]}`, ran, `{"tables":[{"name":"customers","comment":"Who buys.…","key":["id"],"record_label":"name","fields":[` +
			`{"name":"id","type":"int","read_only":true},{"name":"name","label":"Full name","type":"string","required":true},{"name":"country_id","type":"int","parent":"country"},` +
			`{"name":"balance","type":"decimal"},{"name":"active","type":"bool"},{"name":"since","type":"date"},{"name":"seen_at","type":"timestamp"},{"name":"profile","type":"json"},` +
			`{"name":"status","type":"string","values":["new","vip"],"default":"new"},{"name":"password","type":"string","secret":true},{"name":"rep","type":"int"}],` +
			`"parents":[{"name":"country","table":"countries","fields":["country_id"]}],"children":[{"name":"orders","table":"orders"}],` +
			`"verbs":{"create":true,"update":true,"delete":true}},` +
			`{"name":"order_lines","key":["order_id","line"],"fields":[{"name":"order_id","type":"int","parent":"order"},{"name":"line","type":"string"},{"name":"quantity","type":"int"}],` +
			`"parents":[{"name":"order","table":"orders","fields":["order_id"]}],"verbs":{"create":true,"update":true,"delete":true}}]}`},
		{"narrowed", "agent", "describe_table", `{"tables":["orders"]}`, ran, `{"tables":[{"name":"orders","label":"Sales orders","key":["id"],"fields":[{"name":"id","type":"int"},` +
			`{"name":"customer_id","type":"int","parent":"customer"},{"name":"total","type":"decimal"}],"parents":[{"name":"customer","table":"customers","fields":["customer_id"]}],"verbs":{}}]}`},
		{"forbidden", "agent", "describe_table", `{"tables":["orders","countries"]}`, refused, "Error: Unknown table: countries"},
		{"missing", "agent", "describe_table", `{"tables":["nothing"]}`, refused, "Error: Unknown table: nothing"},
		{"none", "agent", "describe_table", `{"tables":[]}`, refused, "Error: `tables` must name 1 to 10 tables: ask for the others in another call"},
		{"no list", "agent", "describe_table", `{"tables":"orders"}`, refused, "Error: arguments: `tables` must be a list like [ … ], not the text \"orders\""},
	})
}

func TestQueryRecords(t *testing.T) {
	t.Parallel()
	run(t, []try{
		{"fields named, with a label", "manager", "query_records", `{"table":"customers","where":"active","select":["name","country_id","name","country.name"]}`, ran,
			`{"columns":[{"name":"name","label":"Full name","type":"string"},{"name":"country_id","label":"country_id","type":"int"},` +
				`{"name":"country_id.label","label":"country_id","type":"string"},{"name":"country.name","label":"country.name","type":"string"}],` +
				`"rows":[["Acme AS",1,"Norway","Norway"]],"returned":1,"has_more":false,"truncated":false}`},
		{"foreign keys over a parent and as the parent, with labels; an expression stands alone", "manager", "query_records", `{"table":"orders","select":["customer","customer.country_id","(customer.country_id)"],"order_by":["id"],"limit":1}`, ran,
			`{"columns":[{"name":"customer","label":"customer","type":"int"},{"name":"customer.label","label":"customer","type":"string"},` +
				`{"name":"customer.country_id","label":"customer.country_id","type":"int"},{"name":"customer.country_id.label","label":"customer.country_id","type":"string"},` +
				`{"name":"(customer.country_id)","label":"(customer.country_id)","type":"int"}],"rows":[[1,"Acme AS",1,"Norway",1]],"returned":1,"has_more":true,"truncated":false}`},
		{"a parent has no order", "manager", "query_records", `{"table":"orders","order_by":["customer"]}`, refused,
			"Error: in `customer`: column 1: `customer` is a record: write `customer_id`, or a field of it"},
		{"label in a condition", "manager", "query_records", `{"table":"customers","where":"country == \"Sweden\"","select":["id"]}`, ran,
			`{"columns":[{"name":"id","label":"id","type":"int"}],"rows":[[2]],"returned":1,"has_more":false,"truncated":false}`},
		{"order, limit and offset", "manager", "query_records", `{"table":"orders","select":["id","total"],"order_by":["total desc"],"limit":1,"offset":1}`, ran,
			`{"columns":[{"name":"id","label":"id","type":"int"},{"name":"total","label":"total","type":"decimal"}],"rows":[[11,"7.25"]],"returned":1,"has_more":true,"truncated":false}`},
		{"order by an expression", "manager", "query_records", `{"table":"customers","where":"id < 4","select":["id"],"order_by":["orders.count() DESC","id asc"]}`, ran,
			`{"columns":[{"name":"id","label":"id","type":"int"}],"rows":[[1],[2],[3]],"returned":3,"has_more":false,"truncated":false}`},
		{"whole rows hide secrets", "manager", "query_records", `{"table":"customers","where":"id == 3","select":["id","password"]}`, ran,
			`{"columns":[{"name":"id","label":"id","type":"int"},{"name":"password","label":"password","type":"string"}],"rows":[[3,null]],"returned":1,"has_more":false,"truncated":false}`},
		{"own rows only", "agent", "query_records", `{"table":"customers","select":["name"]}`, ran,
			`{"columns":[{"name":"name","label":"Full name","type":"string"}],"rows":[["Acme AS"],["Gamma"]],"returned":2,"has_more":false,"truncated":false}`},
		{"no key", "manager", "query_records", `{"table":"visits","where":"page != null"}`, ran,
			`{"columns":[{"name":"page","label":"page","type":"string"}],"rows":[["/"],["/"]],"returned":2,"has_more":false,"truncated":false}`},
		{"a secret inside an expression", "manager", "query_records", `{"table":"customers","select":["length(password)"]}`, refused, "Error: in `length(password)`: column 8: `password` is secret: only `password == null` and `password != null` can be asked"},
		{"broken order", "manager", "query_records", `{"table":"customers","order_by":["name +"]}`, refused, "Error: in `name +`: column 7: the expression ends too early"},
		{"order by JSON", "manager", "query_records", `{"table":"customers","order_by":["profile"]}`, refused, "Error: in `profile`: JSON has no order: name a path in it, like data.name"},
		{"order by a path in JSON", "manager", "query_records", `{"table":"customers","select":["id","country_id.label"],"where":"id < 4","order_by":["profile.kind","id desc"]}`, ran,
			`{"columns":[{"name":"id","label":"id","type":"int"},{"name":"country_id","label":"country_id","type":"int"},{"name":"country_id.label","label":"country_id","type":"string"}],` +
				`"rows":[[1,1,"Norway"],[3,null,null],[2,2,"Sweden"]],"returned":3,"has_more":false,"truncated":false}`},
		{"forbidden table", "agent", "query_records", `{"table":"countries"}`, refused, "Error: Unknown table: countries"},
		{"missing table", "agent", "query_records", `{"table":"contries"}`, refused, "Error: Unknown table: contries"},
		{"negative", "manager", "query_records", `{"table":"orders","limit":-1}`, refused, "Error: `limit` and `offset` must not be negative"},
		{"limit as text", "manager", "query_records", `{"table":"orders","limit":"10"}`, refused, "Error: arguments: `limit` must be a whole number without quotes, not the text \"10\""},
		{"twice", "manager", "query_records", `{"table":"orders","table":"customers"}`, refused, "Error: arguments: `table` stands twice: give each key once"},
	})
}

// What one may not see answers like what is not there.
func TestHiddenIsLikeMissing(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`{"table":"customers","select":["%"]}`, `{"table":"customers","where":"% == 1"}`, `{"table":"customers","order_by":["%"]}`} {
		b, _ := bench(t)
		hidden := b.Run(person("agent"), call("query_records", replace(args, "balance"))).Results[0]
		missing := b.Run(person("agent"), call("query_records", replace(args, "zzzzzzz"))).Results[0]
		if replaceWord(hidden, "balance") != replaceWord(missing, "zzzzzzz") || !isError(hidden) {
			t.Errorf("%s:\nhidden  %s\nmissing %s", args, hidden, missing)
		}
	}
}

func TestCountRecords(t *testing.T) {
	t.Parallel()
	count := func(n string) string {
		return `{"columns":[{"name":"count","label":"Count","type":"int"}],"rows":[[` + n + `]],"returned":1,"has_more":false,"truncated":false}`
	}
	run(t, []try{
		{"all", "manager", "count_records", `{"table":"customers"}`, ran, count("5")},
		{"some", "manager", "count_records", `{"table":"customers","where":"status == \"new\""}`, ran, count("2")},
		{"distinct", "manager", "count_records", `{"table":"visits","distinct":"page"}`, ran, count("1")},
		{"own only", "agent", "count_records", `{"table":"customers"}`, ran, count("2")},
		{"over a parent", "agent", "count_records", `{"table":"orders","distinct":"customer.name"}`, ran, count("1")},
		{"forbidden", "clerk", "count_records", `{"table":"customers"}`, refused, "Error: Unknown table: customers"},
	})
}

func TestGetRecord(t *testing.T) {
	t.Parallel()
	run(t, []try{
		{"with children", "manager", "get_record", `{"table":"orders","id":"10","children":["order_lines"]}`, ran,
			`{"columns":[{"name":"id","label":"id","type":"int"},{"name":"customer_id","label":"customer_id","type":"int"},{"name":"customer_id.label","label":"customer_id","type":"string"},` +
				`{"name":"total","label":"total","type":"decimal"}],"rows":[[10,1,"Acme AS","5.00"]],"returned":1,"has_more":false,"truncated":false,` +
				`"children":{"order_lines":{"columns":[{"name":"order_id","label":"order_id","type":"int"},{"name":"line","label":"line","type":"string"},{"name":"quantity","label":"quantity","type":"int"}],` +
				`"rows":[[10,"a/1","9007199254740993"],[10,"b",2]],"has_more":false}}}`},
		{"composite key", "manager", "get_record", `{"table":"order_lines","id":"[\"10\",\"b\"]"}`, ran,
			`{"columns":[{"name":"order_id","label":"order_id","type":"int"},{"name":"line","label":"line","type":"string"},{"name":"quantity","label":"quantity","type":"int"}],` +
				`"rows":[[10,"b",2]],"returned":1,"has_more":false,"truncated":false}`},
		{"missing", "agent", "get_record", `{"table":"customers","id":"99"}`, refused, "Error: No such record: customers 99"},
		{"another's", "agent", "get_record", `{"table":"customers","id":"2"}`, refused, "Error: No such record: customers 2"},
		{"no number", "agent", "get_record", `{"table":"customers","id":"Acme"}`, refused, "Error: No such record: customers Acme"},
		{"id as number", "agent", "get_record", `{"table":"customers","id":1}`, refused, "Error: arguments: `id` must be a string in quotes, not the number 1"},
		{"forbidden table", "clerk", "get_record", `{"table":"customers","id":"1"}`, refused, "Error: Unknown table: customers"},
		{"unreadable children", "agent", "get_record", `{"table":"orders","id":"10","children":["order_lines"]}`, refused, "Error: no children `order_lines` in orders"},
		{"parent is no child", "manager", "get_record", `{"table":"orders","id":"10","children":["customer"]}`, refused, "Error: no children `customer` in orders"},
		{"near", "manager", "get_record", `{"table":"customers","id":"1","children":["order"]}`, refused, "Error: no children `order` in customers; near: orders"},
		{"no id", "manager", "get_record", `{"table":"customers"}`, refused, "Error: arguments: `id` is missing: it is required"},
	})
}

// A list of many tables comes in pages of a hundred, and a page never holds what may not be read.
func TestTablePages(t *testing.T) {
	t.Parallel()
	var tables []query.Table
	for i := range 250 {
		tables = append(tables, query.Table{Name: fmt.Sprintf("t%03d", i), Label: "T", Key: []string{"id"}, Fields: []query.Field{field("id", query.Int)}})
	}
	role := deputy.Role{Tools: []string{"*"}, Tables: map[string]deputy.Access{"*": {Read: all()}, "t001": {}}}
	b := deputytest.New(t, deputytest.Config{Tables: tables, Policy: deputy.Policy{Roles: map[string]deputy.Role{"reader": role}}})
	var sizes []int
	var names []string
	for next := ""; ; {
		var page records.TableList
		r := b.Run(person("reader"), call("list_tables", `{"after":"`+next+`"}`))
		if err := json.Unmarshal(r.Data(t, 0), &page); err != nil {
			t.Fatal(err)
		}
		for _, l := range page.Tables {
			names = append(names, l.Name)
		}
		sizes = append(sizes, len(page.Tables))
		if next = page.Next; next == "" {
			break
		}
	}
	if fmt.Sprint(sizes) != "[100 100 49]" || slices.Contains(names, "t001") || !slices.IsSorted(names) {
		t.Errorf("pages of %v: %v", sizes, names)
	}
}

// The children of a record are capped, and it is said that there are more.
func TestManyChildren(t *testing.T) {
	t.Parallel()
	b, host := bench(t)
	host.Change("orders", func(rows []query.Row) []query.Row {
		for i := range 40 {
			rows = append(rows, query.Row{"id": int64(100 + i), "customer_id": int64(3), "total": query.Decimal("1")})
		}
		return rows
	})
	var got records.Children
	r := b.Run(person("agent"), call("get_record", `{"table":"customers","id":"3","children":["orders"]}`))
	if err := json.Unmarshal(r.Data(t, 0), &got); err != nil {
		t.Fatal(err)
	}
	if c := got.Children["orders"]; len(c.Rows) != 25 || !c.HasMore {
		t.Errorf("%d children, more: %v", len(c.Rows), c.HasMore)
	}
}
