package hosttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/deputy"
	"example.com/deputy/query"
)

// Open makes a host that holds these tables with these rows and nothing else, and closes it when the test ends. Names are those of the
// tables, types too; the host reads labels and whatever else it can from where it stands.
type Open func(t testing.TB, tables []query.Table, rows map[string][]query.Row) deputy.Host

// Run tests that a host keeps the contract of deputy.Host: what it answers is what query.Eval means.
func Run(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, Open){
		"catalog": testCatalog, "pages": testPages, "unknown": testUnknown, "expressions": testExpressions, "conditions": testConditions,
		"order": testOrder, "window": testWindow, "versions": testVersions, "exact": testExact, "figures": testFigures, "analyses": testAnalyses, "random analyses": testRandomAnalyses,
		"keys": testKeys, "update": testUpdate, "create": testCreate, "delete": testDelete, "along": testAlong, "stale": testStale, "rules": testRules,
		"constraints": testConstraints, "no upsert": testNoUpsert, "groups": testGroups, "made": testMade, "unwritable": testUnwritable, "race": testRace, "cancelled": testCancelled,
		"tests": testTests, "random": testRandom, "relations": testRelations, "operators": testOperators, "search": testSearch,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open)
		})
	}
}

// bench is a host under test beside the rows it should hold.
type bench struct {
	testing.TB
	host   deputy.Host
	fake   *Fake // the meaning
	tables []query.Table
}

func newBench(t testing.TB, open Open) *bench {
	tables, rows := sample()
	return &bench{TB: t, host: open(t, tables, rows), fake: New(tables, rows), tables: tables}
}

func (b *bench) catalog() query.Catalog {
	b.Helper()
	c, err := b.host.Catalog(context.Background(), deputy.Person{})
	if err != nil {
		b.Fatal(err)
	}
	return c
}

func (b *bench) table(name string) *query.Table {
	b.Helper()
	t, err := b.catalog().Table(context.Background(), name)
	if err != nil {
		b.Fatalf("table %s: %v", name, err)
	}
	return t
}

// compile reads an expression at one fixed time, in a zone with summer time.
func (b *bench) compile(table, text string) query.Expr {
	b.Helper()
	zone, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		b.Fatal(err)
	}
	env := query.Env{Catalog: catalog{b.fake}, Table: table, Zone: zone, Now: time.Date(2026, 2, 1, 0, 30, 0, 0, time.UTC)}
	src, err := query.Parse(text)
	if err != nil {
		b.Fatalf("%s: %v", text, err)
	}
	e, err := query.Check(context.Background(), env, src)
	if err != nil {
		b.Fatalf("%s: %v", text, err)
	}
	return e
}

func (b *bench) columns(table string, texts ...string) []query.Column {
	b.Helper()
	var out []query.Column
	for _, text := range texts {
		out = append(out, query.Column{As: text, Expr: b.compile(table, text)})
	}
	return out
}

func (b *bench) query(q query.Query) query.Rows {
	b.Helper()
	rows, err := b.host.Query(context.Background(), deputy.Person{}, q)
	if err != nil {
		b.Fatalf("query of %s: %v", q.Table, err)
	}
	return rows
}

// whole reads all of a table, as the host has it.
func (b *bench) whole(table string) [][]query.Value {
	b.Helper()
	return b.query(b.all(table)).Rows
}

func (b *bench) all(table string) query.Query {
	b.Helper()
	q := query.Query{Table: table, Limit: 1000}
	for _, f := range b.table(table).Fields {
		q.Select = append(q.Select, query.Column{As: f.Name, Expr: query.Ref{Table: table, Field: f}})
	}
	return q
}

// same asks both hosts and compares.
func (b *bench) same(q query.Query, name string) {
	b.Helper()
	want, err := b.fake.Query(context.Background(), deputy.Person{}, q)
	if err != nil {
		b.Fatal(err)
	}
	got, err := b.host.Query(context.Background(), deputy.Person{}, q)
	if err != nil {
		b.Errorf("%s: %v", name, err)
		return
	}
	if got.HasMore != want.HasMore || !slices.EqualFunc(got.Rows, want.Rows, sameLine) {
		b.Errorf("%s: %s (more: %v), want %s (more: %v)", name, show(got.Rows), got.HasMore, show(want.Rows), want.HasMore)
	}
}

func sameLine(a, b []query.Value) bool { return slices.EqualFunc(a, b, sameValue) }

// sameValue: the same value in the same type.
func sameValue(a, b query.Value) bool {
	return query.Same(a, b) && fmt.Sprintf("%T", a) == fmt.Sprintf("%T", b)
}

func show(rows [][]query.Value) string {
	var lines []string
	for _, row := range rows {
		var cells []string
		for _, v := range row {
			text, ok := query.FormatValue(v)
			if !ok {
				text = "NULL"
			}
			cells = append(cells, text)
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return fmt.Sprintf("%q", lines)
}

func testCatalog(t *testing.T, open Open) {
	b := newBench(t, open)
	list, err := b.catalog().Tables(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(list), len(b.tables); got != want {
		t.Fatalf("%d tables, want %d", got, want)
	}
	for i, want := range b.tables {
		got := b.table(want.Name)
		if list[i].Name != want.Name || got.Name != want.Name || !slices.Equal(got.Key, want.Key) || got.View {
			t.Errorf("table %d: %+v, want %s with key %v", i, list[i], want.Name, want.Key)
		}
		if g, w := shapes(got), shapes(&want); !slices.Equal(g, w) {
			t.Errorf("%s:\n got %v\nwant %v", want.Name, g, w)
		}
	}
	if !b.catalog().Features().Aggregates {
		t.Log("no aggregates")
	}
}

// shapes describes fields in their order and relations by name.
func shapes(t *query.Table) []string {
	var fields, relations []string
	for _, f := range t.Fields {
		fields = append(fields, fmt.Sprintf("%s %s %d required=%v generated=%v read-only=%v unique=%v %q", f.Name, f.Type, f.Scale, f.Required, f.Generated, f.ReadOnly, f.Unique, f.Values))
	}
	for _, r := range t.Relations {
		relations = append(relations, fmt.Sprintf("%s to %s %v=%v many=%v cascade=%v nullify=%v", r.Name, r.Table, r.From, r.To, r.Many, r.Cascade, r.Nullify))
	}
	slices.Sort(relations)
	return append(fields, relations...)
}

func testPages(t *testing.T, open Open) {
	var tables []query.Table
	for i := range 2*query.TablePage + 3 {
		name := fmt.Sprintf("table_%03d", i)
		if i%50 == 7 {
			name += "_special"
		}
		tables = append(tables, query.Table{Name: name, Label: name, Key: []string{"id"}, Fields: []query.Field{field("id", query.Int, generated)}})
	}
	b := &bench{TB: t, host: open(t, tables, nil)}
	after, seen := "", 0
	for {
		page, err := b.catalog().Tables(t.Context(), "", after)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) > query.TablePage {
			t.Fatalf("a page of %d tables", len(page))
		}
		if len(page) == 0 {
			break
		}
		for _, s := range page {
			if s.Name <= after || s.Name != tables[seen].Name {
				t.Fatalf("%s comes after %s", s.Name, after)
			}
			after, seen = s.Name, seen+1
		}
	}
	if seen != len(tables) {
		t.Errorf("%d tables in all pages, want %d", seen, len(tables))
	}
	found, err := b.catalog().Tables(t.Context(), "SPECIAL", "table_060")
	if err != nil || len(found) != 2 {
		t.Errorf("a search finds %v, %v; want 2", found, err)
	}
}

func testUnknown(t *testing.T, open Open) {
	b := newBench(t, open)
	if _, err := b.catalog().Table(t.Context(), "customers_"); !errors.Is(err, query.ErrUnknown) {
		t.Errorf("an unknown table: %v", err)
	}
	if _, err := b.host.Query(t.Context(), deputy.Person{}, query.Query{Table: "nowhere", Limit: 1}); !errors.Is(err, query.ErrUnknown) {
		t.Errorf("a query of an unknown table: %v", err)
	}
	if _, err := b.host.Analyze(t.Context(), deputy.Person{}, query.Analysis{Table: "nowhere"}); !errors.Is(err, query.ErrUnknown) {
		t.Errorf("an analysis of an unknown table: %v", err)
	}
}

func testOrder(t *testing.T, open Open) {
	b := newBench(t, open)
	for _, key := range []string{"name", "email", "region_code", "credit", "score", "active", "born", "seen", "credit * 2", "orders.sum(o, o.total)",
		"region_code.name", "orders.count()", "parent.born", "profile.points", "lower(name)"} {
		for _, desc := range []bool{false, true} {
			q := query.Query{Table: "customers", Limit: 100, Select: b.columns("customers", "id"), Order: []query.Order{{Expr: b.compile("customers", key), Desc: desc}}}
			b.same(q, fmt.Sprintf("by %s, descending: %v", key, desc))
		}
	}
	q := query.Query{Table: "lines", Limit: 100, Select: b.columns("lines", "order_id", "line"),
		Order: []query.Order{{Expr: b.compile("lines", "article")}, {Expr: b.compile("lines", "price"), Desc: true}}}
	b.same(q, "two keys, then a composite key")
	q.Order = nil
	b.same(q, "by the key alone")
	q = query.Query{Table: "customers", Limit: 100, Select: b.columns("customers", "id")}
	for i := range 40 {
		q.Order = append(q.Order, query.Order{Expr: b.compile("customers", fmt.Sprintf(`lower(email) + "%d"`, i)), Desc: i%2 == 0})
	}
	b.same(q, "by forty texts")
}

func testWindow(t *testing.T, open Open) {
	b := newBench(t, open)
	for _, w := range [][2]int{{0, 0}, {1, 0}, {5, 0}, {6, 0}, {7, 0}, {2, 3}, {2, 4}, {2, 5}, {3, 6}, {1, 100}} {
		q := query.Query{Table: "customers", Limit: w[0], Offset: w[1], Select: b.columns("customers", "id")}
		b.same(q, fmt.Sprintf("limit %d offset %d", w[0], w[1]))
	}
	q := query.Query{Table: "customers", Limit: 2, Where: b.compile("customers", `region_code == "N"`), Select: b.columns("customers", "id")}
	b.same(q, "exactly as many as the limit")
}

func testExact(t *testing.T, open Open) {
	b := newBench(t, open)
	rows := b.query(query.Query{Table: "customers", Limit: 100, Select: b.columns("customers", "credit", "score")}).Rows
	got := show(rows)
	want := `["100.10|7" "0.30|-9223372036854775808" "NULL|9223372036854775807" "-5.00|NULL" "100.10|7" "99999999999.99|0"]`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	sums := b.query(query.Query{Table: "customers", Limit: 1, Select: b.columns("customers", "orders.sum(o, o.total)", "all.lines.sum(l, l.quantity * l.price)",
		"all.customers.sum(c, c.score)", "orders.avg(o, o.total)")}).Rows
	if got, want := show(sums), `["-6.70|1234568.00|13|-2.2333333333333333"]`; got != want {
		t.Errorf("sums %s, want %s", got, want)
	}
}

func testFigures(t *testing.T, open Open) {
	b := newBench(t, open)
	if !b.catalog().Features().Aggregates {
		t.Skip("the host has no aggregates")
	}
	for _, where := range []string{"", `region_code == "S"`, `orders.exists(o, o.total > 0.1)`, `id < 0`} {
		a := query.Analysis{Table: "customers", Measures: []query.Column{{As: "rows", Expr: query.Agg{Fn: "count", T: query.Int}}}}
		for _, text := range []string{"email", "credit", "active", "region_code.name", "score", "seen", "profile", "credit > 0", "parent.credit * 1.00"} {
			for _, fn := range []string{"count", "count_distinct"} {
				a.Measures = append(a.Measures, query.Column{As: fn + " " + text, Expr: query.Agg{Fn: fn, Arg: b.compile("customers", text), T: query.Int}})
			}
		}
		if where != "" {
			a.Where = b.compile("customers", where)
		}
		want, err := b.fake.Analyze(t.Context(), deputy.Person{}, a)
		if err != nil {
			t.Fatal(err)
		}
		got, err := b.host.Analyze(t.Context(), deputy.Person{}, a)
		if err != nil || !slices.EqualFunc(got.Rows, want.Rows, sameLine) {
			t.Errorf("where %q: %s, %v; want %s", where, show(got.Rows), err, show(want.Rows))
		}
	}
}

func testKeys(t *testing.T, open Open) {
	b := newBench(t, open)
	b.same(query.Query{Table: "lines", Where: b.compile("lines", "order_id == 10 && line == 2"), Limit: 2, Select: b.columns("lines", "article")}, "a composite key")
	q := query.Query{Table: "events", Limit: 10, Select: b.columns("events", "happened", "note"), Order: []query.Order{{Expr: b.compile("events", "happened")}}}
	b.same(q, "a table without a key")
	if key := b.table("events").Key; len(key) > 0 {
		t.Errorf("events has a key: %v", key)
	}
}

func testCancelled(t *testing.T, open Open) {
	b := newBench(t, open)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.host.Query(ctx, deputy.Person{}, b.all("customers")); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled query: %v", err)
	}
	if _, err := b.host.Analyze(ctx, deputy.Person{}, query.Analysis{Table: "customers", Measures: []query.Column{{As: "n", Expr: query.Agg{Fn: "count", T: query.Int}}}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled analysis: %v", err)
	}
	before := b.whole("customers")
	_, err := b.host.Apply(ctx, deputy.Person{}, "k", []deputy.Write{b.update("customers", "1", "name", "x")})
	var known *deputy.Error // that nothing was written
	if !errors.Is(err, context.Canceled) || !errors.As(err, &known) || known.Code != deputy.Timeout {
		t.Errorf("a cancelled write: %v", err)
	}
	if after := b.whole("customers"); !slices.EqualFunc(before, after, sameLine) {
		t.Errorf("a cancelled write wrote: %s", show(after))
	}
}

// sorted copies names in their order.
func sorted[T cmp.Ordered](list []T) []T {
	out := slices.Clone(list)
	slices.Sort(out)
	return out
}
