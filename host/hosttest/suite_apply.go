package hosttest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/deputy"
	"example.com/deputy/query"
)

// assign gives fields their new values, by pairs of name and text; "NULL" is NULL.
func (b *bench) assign(table string, pairs ...string) []deputy.Assign {
	b.Helper()
	var out []deputy.Assign
	for i := 0; i < len(pairs); i += 2 {
		f, ok := b.table(table).Field(pairs[i])
		if !ok {
			b.Fatalf("no field %s of %s", pairs[i], table)
		}
		a := deputy.Assign{Field: f.Name, Type: f.Type}
		if pairs[i+1] != "NULL" {
			a.Text = &pairs[i+1]
		}
		out = append(out, a)
	}
	return out
}

func (b *bench) create(table string, pairs ...string) deputy.Write {
	b.Helper()
	return deputy.Write{Change: deputy.Change{Verb: deputy.Create, Table: table, Values: b.assign(table, pairs...)}}
}

// update changes a record as it is now; a composite key is joined by commas.
func (b *bench) update(table, key string, pairs ...string) deputy.Write {
	b.Helper()
	w := b.write(deputy.Update, table, key)
	w.Values = b.assign(table, pairs...)
	return w
}

func (b *bench) delete(table, key string) deputy.Write {
	b.Helper()
	return b.write(deputy.Delete, table, key)
}

func (b *bench) write(verb deputy.Verb, table, key string) deputy.Write {
	b.Helper()
	w := deputy.Write{Change: deputy.Change{Verb: verb, Table: table, Key: strings.Split(key, ",")}}
	for _, f := range b.table(table).Fields {
		w.VersionOf = append(w.VersionOf, f.Name)
	}
	q := b.all(table)
	q.Version = w.VersionOf
	rows := b.query(q)
	for i, row := range rows.Rows {
		if slices.Equal(b.keyOf(table, row), w.Key) {
			w.Version = rows.Versions[i]
		}
	}
	return w
}

func (b *bench) keyOf(table string, row []query.Value) []string {
	t := b.table(table)
	var out []string
	for _, name := range t.Key {
		i := slices.IndexFunc(t.Fields, func(f query.Field) bool { return f.Name == name })
		out = append(out, text(row[i]))
	}
	return out
}

func (b *bench) apply(ws ...deputy.Write) []deputy.Applied {
	b.Helper()
	out, err := b.host.Apply(context.Background(), deputy.Person{}, "key", ws)
	if err != nil {
		b.Fatal(err)
	}
	if len(out) != len(ws) {
		b.Fatalf("%d answers to %d writes", len(out), len(ws))
	}
	return out
}

// done applies and wants every write done.
func (b *bench) done(ws ...deputy.Write) []deputy.Applied {
	b.Helper()
	out := b.apply(ws...)
	for i, a := range out {
		if a.State != deputy.Done || a.Error != "" {
			b.Fatalf("write %d: %+v, want done", i, a)
		}
	}
	return out
}

// refused applies and wants one state of the last write, a sentence with it, and nothing written anywhere.
func (b *bench) refused(state deputy.State, says string, ws ...deputy.Write) {
	b.Helper()
	before := b.everything()
	out := b.apply(ws...)
	last := out[len(out)-1]
	if last.State != state || last.Error == "" || !strings.Contains(last.Error, says) {
		b.Errorf("%+v, want %s with %q", last, state, says)
	}
	for _, a := range out {
		if a.State == deputy.Done {
			b.Errorf("done in a group that was refused: %+v", out)
		}
	}
	if after := b.everything(); before != after {
		b.Errorf("a refused write wrote:\nbefore %s\n after %s", before, after)
	}
}

func (b *bench) everything() string {
	b.Helper()
	var all []string
	for _, t := range b.tables {
		all = append(all, t.Name+" "+show(b.whole(t.Name)))
	}
	return strings.Join(all, "\n")
}

func (b *bench) record(table, key string) string {
	b.Helper()
	for _, row := range b.whole(table) {
		if slices.Equal(b.keyOf(table, row), strings.Split(key, ",")) {
			return show([][]query.Value{row})
		}
	}
	return ""
}

func testVersions(t *testing.T, open Open) {
	b := newBench(t, open)
	read := func() []string {
		q := query.Query{Table: "customers", Limit: 100, Select: b.columns("customers", "id"), Version: []string{"name", "credit", "seen", "profile"}}
		return b.query(q).Versions
	}
	before := read()
	if len(before) != 6 || slices.Contains(before, "") || !slices.Equal(before, read()) {
		t.Fatalf("versions %q, then %q", before, read())
	}
	if distinct := slices.Compact(sorted(before)); len(distinct) != 6 {
		t.Errorf("records of different values have one version: %q", before)
	}
	b.done(b.update("customers", "2", "credit", "0.31"))
	b.done(b.update("customers", "3", "score", "12"))
	after := read()
	for i := range before {
		if changed := before[i] != after[i]; changed != (i == 1) {
			t.Errorf("record %d: version changed: %v", i+1, changed)
		}
	}
}

func testUpdate(t *testing.T, open Open) {
	b := newBench(t, open)
	b.done(b.update("customers", "4", "email", "NULL"))
	out := b.done(b.update("customers", "2", "name", "it's; \"new\"", "email", "", "region_code", "NULL", "credit", "12.5", "score", "9007199254740993",
		"active", "true", "born", "1999-12-31", "seen", "2026-05-01T10:00:00Z", "profile", `{"a":[1,2]}`))
	if !slices.Equal(out[0].Key, []string{"2"}) {
		t.Errorf("key %v", out[0].Key)
	}
	got := b.record("customers", "2")
	want := show([][]query.Value{{"2", "it's; \"new\"", "", nil, "1", "12.50", "9007199254740993", "true", "1999-12-31", "2026-05-01T10:00:00Z", `{"a":[1,2]}`}})
	if got != want && got != strings.Replace(want, "12.50", "12.5", 1) {
		t.Errorf("%s, want %s", got, want)
	}
	b.done(b.update("customers", "2", "email", "NULL", "active", "NULL", "seen", "NULL", "profile", "NULL"))
	b.same(query.Query{Table: "customers", Limit: 9, Where: b.compile("customers", "id > 4"), Select: b.all("customers").Select}, "the others")
	b.done(b.update("lines", "10,2", "quantity", "8"))
	if got := b.record("lines", "10,2"); !strings.Contains(got, "nut|8|0.01") {
		t.Errorf("a record with a composite key: %s", got)
	}
}

func testCreate(t *testing.T, open Open) {
	b := newBench(t, open)
	out := b.done(b.create("customers", "name", "New", "credit", "1.00"), b.create("lines", "order_id", "12", "line", "5", "article", "gear"), b.create("regions", "code", "W", "name", "West"),
		b.create("orders", "customer_id", "6"))
	if !slices.Equal(out[1].Key, []string{"12", "5"}) || !slices.Equal(out[2].Key, []string{"W"}) {
		t.Errorf("keys that were given: %+v", out)
	}
	if len(out[0].Key) != 1 || b.record("customers", out[0].Key[0]) == "" {
		t.Fatalf("a key that was made: %+v", out[0])
	}
	if got := b.record("customers", out[0].Key[0]); !strings.Contains(got, "|New|NULL|NULL|NULL|1.00|NULL|NULL|") {
		t.Errorf("created %s", got)
	}
	if got := b.record("orders", out[3].Key[0]); !strings.Contains(got, "|6|open|") {
		t.Errorf("a default is not taken: %s", got)
	}
}

func testDelete(t *testing.T, open Open) {
	b := newBench(t, open)
	b.done(b.delete("lines", "13,1"))
	b.refused(deputy.Failed, "Records would go with it that you may not delete, or that are no part of this.", b.delete("orders", "10"))
	b.refused(deputy.Failed, "Records would go with it that you may not delete, or that are no part of this.", b.delete("lines", "10,1"), b.delete("orders", "10"))
	b.done(b.delete("lines", "10,1"), b.delete("lines", "10,2"), b.delete("orders", "10"))
	if b.record("orders", "10") != "" || b.record("lines", "10,1") != "" || b.record("lines", "13,1") != "" || b.record("lines", "13,2") == "" {
		t.Error("not what should be left: ", b.everything())
	}
	b.refused(deputy.Failed, "Other records refer to this one", b.delete("customers", "3"))
	b.refused(deputy.Outdated, "gone", b.delete("orders", "10"))
}

func testStale(t *testing.T, open Open) {
	b := newBench(t, open)
	for _, w := range []deputy.Write{b.update("customers", "1", "name", "late"), b.delete("orders", "11")} {
		if w.Table == "customers" {
			b.done(b.update("customers", "1", "credit", "5.00"))
		} else {
			b.done(b.update("orders", "11", "status", "open"))
		}
		b.refused(deputy.Outdated, "changed", w)
	}
	b.refused(deputy.Outdated, "gone", b.update("customers", "99", "name", "nobody"))
	b.refused(deputy.Outdated, "gone", b.update("customers", "x' OR 1=1 --", "name", "nobody"))
	b.refused(deputy.Outdated, "gone", b.update("lines", "10,99", "quantity", "1"))
}

func testRules(t *testing.T, open Open) {
	b := newBench(t, open)
	w := b.update("orders", "12", "status", "paid")
	w.When = b.compile("orders", `customer.region_code.name == "North"`)
	b.refused(deputy.Outdated, "condition", w)
	w.When = b.compile("orders", `customer.region_code.name == "South" && !lines.exists()`)
	w.Check = b.compile("orders", `status == "open"`)
	b.refused(deputy.Failed, "You may not write such a record.", w)
	w.Check = b.compile("orders", `status == "paid" && customer.orders.count() == 1`)
	b.done(w)
	d := b.delete("orders", "13")
	d.Check = b.compile("orders", `lines.all(l, l.quantity > 1)`) // of a delete: about the record and what is below it, when it is its turn
	b.refused(deputy.Failed, "go with it", d)
	d.Check = b.compile("orders", `total < 5`)
	b.refused(deputy.Failed, "go with it", b.delete("lines", "13,1"), b.delete("lines", "13,2"), d)
	d.Check = b.compile("orders", `!lines.exists() && total > 5`)
	b.done(b.delete("lines", "13,1"), b.delete("lines", "13,2"), d)
	c := b.create("orders", "customer_id", "2", "total", "3.00")
	c.Check = b.compile("orders", `customer.name == "Beta"`)
	b.refused(deputy.Failed, "You may not write such a record.", c)
	c.Check = b.compile("orders", `customer.name == "beta" && total == 3`)
	b.done(c)
}

func testConstraints(t *testing.T, open Open) {
	b := newBench(t, open)
	b.refused(deputy.Failed, "name", b.update("customers", "1", "name", "NULL"))
	b.refused(deputy.Failed, "email", b.update("customers", "1", "email", "x@example.com"))
	b.refused(deputy.Failed, "region_code", b.update("customers", "1", "region_code", "nowhere"))
	b.refused(deputy.Failed, "it's void", b.update("orders", "10", "status", "lost"))
	b.refused(deputy.Failed, "", b.create("lines", "order_id", "10", "line", "1", "article", "twice"))
	b.refused(deputy.Failed, "customer_id", b.create("orders", "customer_id", "99"))
	b.refused(deputy.Failed, "name", b.create("customers", "email", "nameless@example.com"))
}

func testGroups(t *testing.T, open Open) {
	b := newBench(t, open)
	if !b.catalog().Features().Transactions {
		t.Skip("the host has no transactions")
	}
	late := b.update("customers", "2", "name", "late")
	b.done(b.update("customers", "2", "credit", "1.00"))
	b.refused(deputy.Outdated, "changed", b.update("customers", "1", "name", "first"), late)
	b.refused(deputy.Failed, "email", b.update("customers", "1", "name", "first"), b.create("regions", "code", "W", "name", "West"), b.create("customers", "name", "x", "email", "x@example.com"))
	out := b.apply(b.update("customers", "1", "name", "NULL"), b.update("customers", "3", "name", "never"))
	if out[0].State != deputy.Failed || out[1].State != deputy.Pending {
		t.Errorf("%+v, want failed and pending", out)
	}
	b.done(b.update("customers", "1", "name", "once"), b.update("customers", "1", "credit", "2.00"), b.delete("lines", "10,1"), b.delete("lines", "10,2"), b.delete("orders", "10"))
	if got := b.record("customers", "1"); !strings.Contains(got, "|once|") || !strings.Contains(got, "|2.00|") {
		t.Errorf("two changes of one record: %s", got)
	}
}

// testMade is about records that are created with the key of one that the same group creates.
func testMade(t *testing.T, open Open) {
	b := newBench(t, open)
	from := func(w deputy.Write, field, id string) deputy.Write {
		f, _ := b.table(w.Table).Field(field)
		w.Values = append([]deputy.Assign{{Field: field, Type: f.Type, From: id}}, w.Values...)
		return w
	}
	named := func(id string, w deputy.Write) deputy.Write { w.ID = id; return w }
	customer, order := named("c", b.create("customers", "name", "Made")), named("o", from(b.create("orders", "total", "7.00"), "customer_id", "c"))
	order.Check = b.compile("orders", `customer.name == "Made"`) // a rule sees the parent
	moved := from(b.update("orders", "12", "total", "8.00"), "customer_id", "c")
	out := b.done(customer, order, from(b.create("lines", "line", "1", "article", "gear"), "order_id", "o"), moved)
	if got := b.record("orders", out[1].Key[0]); !strings.Contains(got, "|"+out[0].Key[0]+"|") {
		t.Errorf("the order belongs to another: %s, not %v", got, out[0].Key)
	}
	if b.record("lines", out[1].Key[0]+",1") == "" || !strings.Contains(b.record("orders", "12"), "|"+out[0].Key[0]+"|") {
		t.Error("a child is not where it belongs: " + b.everything())
	}
	if !b.catalog().Features().Transactions {
		return
	}
	b.refused(deputy.Failed, "no earlier change", named("c", b.create("customers", "name", "Lost")), from(b.create("orders"), "customer_id", "d"))
	if late := b.apply(from(b.create("orders"), "customer_id", "c"), named("c", b.create("customers", "name", "Late"))); late[0].State != deputy.Failed || late[1].State != deputy.Pending {
		t.Errorf("a record that is created only later: %+v", late)
	}
	b.refused(deputy.Failed, "name", named("c", b.create("customers", "name", "Undone")), from(b.create("orders"), "customer_id", "c"), b.create("customers", "email", "nameless@example.com"))
}

func testUnwritable(t *testing.T, open Open) {
	b := newBench(t, open)
	b.refused(deputy.Failed, "", b.create("events", "note", "x"))
	w := deputy.Write{Change: deputy.Change{Verb: deputy.Update, Table: "nowhere", Key: []string{"1"}}}
	b.refused(deputy.Failed, "", w)
}

func testRace(t *testing.T, open Open) {
	b := newBench(t, open)
	const writers = 8
	var ws []deputy.Write
	for range writers {
		ws = append(ws, b.update("orders", "10", "revision", "2"))
	}
	states := make([]deputy.State, writers)
	var wg sync.WaitGroup
	for i := range ws {
		wg.Go(func() {
			out, err := b.host.Apply(context.Background(), deputy.Person{}, "key", ws[i:i+1])
			if err == nil && len(out) == 1 {
				states[i] = out[0].State
			}
		})
	}
	wg.Wait()
	count := map[deputy.State]int{}
	for _, s := range states {
		count[s]++
	}
	if count[deputy.Done] != 1 || count[deputy.Outdated] != writers-1 {
		t.Errorf("%v, want one done and %d stale", count, writers-1)
	}
}

// testNoUpsert: a record that is there already is never changed by creating it: by its key, or by what must be unique.
func testNoUpsert(t *testing.T, open Open) {
	b := newBench(t, open)
	before := b.everything()
	b.refused(deputy.Failed, "code", b.create("regions", "code", "N", "name", "Replaced"))
	b.refused(deputy.Failed, "order_id, line", b.create("lines", "order_id", "10", "line", "1", "article", "replaced", "quantity", "99"))
	b.refused(deputy.Failed, "email", b.create("customers", "name", "Replaced", "email", "x@example.com"))
	if after := b.everything(); before != after {
		t.Errorf("a create changed what was there:\nbefore %s\n after %s", before, after)
	}
}
